"""The root of all errors that are the user's to mend: bad input, broken files, full disks."""

import unicodedata
from typing import Any

LONGEST = 1500


class PrummyError(Exception):
    """Something a person can act on; the message says what is wrong, where, and what to do.

    Messages quote what was given. Their text is fit for a terminal whatever that was: control
    characters are escaped, and what is very long is cut in its middle.
    """

    def __str__(self) -> str:
        text = super().__str__()
        if len(text) > LONGEST:
            text = f"{text[: LONGEST * 2 // 3]} ... {text[-LONGEST // 4 :]}"
        return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character != "\n" and unicodedata.category(character) in ("Cc", "Cs"):
        return repr(character)[1:-1]
    return character


def shown(value: Any) -> str:
    """Return a value as text for a message: shortened, and whatever the value is."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        text = f"({type(value).__name__} too large to show)"
    return text if len(text) <= 60 else f"{text[:57]}..."
