"""TOML files that a user writes: house rules and experiments."""

import tomllib
from pathlib import Path
from typing import Any

from .errors import PrummyError

LARGEST = 16_384  # bytes; the time that tomllib takes grows with the square of a key's dots


def read_toml(path: Path, what: str) -> tuple[str, dict[str, Any]]:
    """Return a file's text and what it says; `what` names it in messages.

    Raises
    ------
    PrummyError
        When it cannot be read, is too large, or is not TOML; with the line at fault.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise PrummyError(f"{what}: larger than {LARGEST:,} bytes")
        text = data.decode("utf-8")
    except (OSError, ValueError) as error:
        raise PrummyError(f"{what}: cannot be read: {error}") from None
    try:
        return text, tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise PrummyError(f"{what}: not valid TOML: {error}") from None
