"""A strategy to start from: a file with comments that works as it stands."""

import keyword
import re
import sys
from pathlib import Path

from .base import StrategyError

TEMPLATES = Path(__file__).parent / "templates"


def write_strategy(path: Path, python: bool = False) -> str:
    """Write a new strategy to a file that does not exist yet; return its entry, FILE.py:Class.

    Parameters
    ----------
    path : Path
        Its name, in snake_case, gives the class its own: my_bot.py, MyBot.
    python : bool
        Plain Python instead of compiled functions.

    Raises
    ------
    StrategyError
        For a name that is no module's, and where there is such a file.
    """
    if path.suffix != ".py" or not re.fullmatch(r"[a-zA-Z_]\w*", path.stem, re.ASCII):
        raise StrategyError(f"{path}: a strategy file is named like my_bot.py")
    if odd := sorted(set(str(path)) & set('=[]{}:"\\\n')):
        raise StrategyError(f"{path}: a path with {' '.join(odd)} could not be entered by its name")
    if path.stem in sys.stdlib_module_names:
        raise StrategyError(f"{path}: Python has a module {path.stem!r}; take another name")
    name = "".join(part[:1].upper() + part[1:] for part in path.stem.split("_"))
    if not name.isidentifier() or keyword.iskeyword(name) or keyword.iskeyword(path.stem):
        raise StrategyError(f"{path}: {path.stem!r} cannot be the name of a module and its class")
    text = (TEMPLATES / ("python.txt" if python else "compiled.txt")).read_text()
    text = text.replace("{file}", str(path)).replace("{name}", name)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise StrategyError(f"{path} exists already: it is left as it is") from None
    except OSError as error:
        raise StrategyError(f"{path}: cannot be written: {error.strerror}") from None
    return f"{path}:{name}"
