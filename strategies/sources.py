"""What a strategy is made of: its file, the neighbours that it imports, the data it loaded.

Results and compiled code are kept by a hash of these, so that a change of any of them is seen, and
a change of a neighbour that it has nothing to do with is not.
"""

import ast
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

from .base import Strategy

OURS = Path(__file__).parent
_DYNAMIC = {"__import__", "exec", "import_module", "spec_from_file_location"}


def is_built_in(source: str) -> bool:
    """Return whether a strategy's file came with this package."""
    return Path(source).parent == OURS


def own_files(source: str) -> list[Path]:
    """Return a strategy's file with the neighbours that it imports, and those that these import.

    All neighbours where that cannot be told: a file that does not parse, or that imports by names
    made at run time. Of an installed package, all of its files.
    """
    if not is_built_in(source) and (Path(source).parent / "__init__.py").is_file():
        return sorted(_package_of(Path(source)).rglob("*.py"))
    found = [Path(source)]
    for path in found:  # grows while it is read
        try:
            names = set(_imported_names(path))
        except (OSError, SyntaxError, ValueError, RecursionError):
            names = _DYNAMIC
        if names & _DYNAMIC:
            return sorted({Path(source), *Path(source).parent.glob("*.py")})
        beside = (path.with_name(f"{name}.py") for name in sorted(names))
        found += [file for file in beside if file not in found and file.is_file()]
    return sorted(found)


def _package_of(path: Path) -> Path:
    """Return the outermost folder of the package that a file is in."""
    folder = path.parent
    while (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _imported_names(path: Path) -> Iterator[str]:
    """Yield the names of neighbours that a file may import, and of what imports by a text."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Name):
            yield node.id if node.id in _DYNAMIC else ""
        elif isinstance(node, ast.Attribute):
            yield node.attr if node.attr in _DYNAMIC else ""


def data_hash(cls: type[Strategy], source: str) -> str:
    """Return a hash of the numbers, texts and arrays among the globals of a strategy's modules.

    Compiled code freezes them, wherever they came from (a file of weights, the environment), so
    that they are as much a part of the strategy as its source. "" where there are none.
    """
    if is_built_in(source):
        return ""  # a built-in's data are all in its source
    digest = hashlib.sha256()
    found = False
    for module in _own_modules(sys.modules[cls.__module__], Path(source).parent):
        for name, value in sorted(vars(module).items()):
            data = None if name.startswith("__") else _data_of(value)
            if data is not None:
                digest.update(name.encode() + b"\0" + data)
                found = True
    return digest.hexdigest()[:16] if found else ""


def _data_of(value: object) -> bytes | None:
    """Return what a global contributes to the hash; None for what is no data."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return None
        return repr((value.dtype.str, value.shape)).encode() + value.tobytes()
    if isinstance(value, tuple):
        return b"tuple %d " % len(value) + b"".join(_data_of(item) or b"?" for item in value)
    if isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        data = repr(value).encode()
        return b"%s %d " % (type(value).__name__.encode(), len(data)) + data
    return None


def _own_modules(first: ModuleType, folder: Path) -> list[ModuleType]:
    """Return a strategy's module and those of its folder that it uses, in the order of use."""
    found = [first]
    for module in found:  # grows while it is read
        for value in list(vars(module).values()):
            name = value.__name__ if isinstance(value, ModuleType) else None
            other = sys.modules.get(str(name or getattr(value, "__module__", None)))
            file = getattr(other, "__file__", None)
            if other is not None and file and Path(file).parent == folder and other not in found:
                found.append(other)
    return found
