"""Strategies by name: built-in, installed as a plug-in, or a class in somebody's file.

An *entry* is what a command line says: ``[label=]name[parameters]``, where the name is a
built-in's, a plug-in's (entry-point group `persian_rummy.strategies`), or
``path/to/file.py:Class``, and parameters are ``[pile_bias=3]``. A file is code that runs.
"""

import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..sim.jit import cache_for, source_hash
from ..sim.view import Player
from .base import Strategy, StrategyError, check_class
from .sources import data_hash, is_built_in, own_files

GROUP = "persian_rummy.strategies"
BUILT_IN = (
    "random",
    "greedy",
    "closer",
    "counter",
    "doubler",
    "feeder",
    "hunter",
    "miser",
    "runner",
    "sentinel",
    "setter",
    "sprinter",
    "staller",
)

_ENTRY = re.compile(r"(?:(?P<label>[^=\[\]]*)=)?(?P<name>[^\[\]]*)(?:\[(?P<params>[^\[\]]*)\])?")
_LABEL = re.compile(r"[\w.+-]+")


@dataclass(frozen=True)
class Entry:
    """A strategy that is entered in a match or a tournament.

    `name` is how results call it; `text` is what was written.
    """

    name: str
    text: str
    strategy: type[Strategy]
    params: np.ndarray
    source: str
    source_hash: str

    def player(self) -> Player:
        """Return what plays a seat; compiles the hooks at first use (raises StrategyError)."""
        with cache_for(own_files(self.source), data_hash(self.strategy, self.source)):
            hooks = self.strategy.hooks()
        return Player(hooks, self.params, self.strategy.work_size)

    def rater(self) -> Callable[[Any, np.uint64], float] | None:
        """Return how the strategy rates an action in a view (raises StrategyError), or None."""
        with cache_for(own_files(self.source), data_hash(self.strategy, self.source)):
            return self.strategy.rater(self.params)

    @property
    def is_built_in(self) -> bool:
        """Whether it came with this package; all others may loop for ever or crash."""
        return is_built_in(self.source)

    def param_values(self) -> dict[str, float]:
        """Return the parameters by name."""
        names = (param.name for param in self.strategy.params)
        return dict(zip(names, (float(value) for value in self.params), strict=True))


def parse_entries(specs: Iterable[str]) -> list[Entry]:
    """Return the entries of a command line, in its order.

    Raises
    ------
    StrategyError
        For a name that does not resolve, wrong parameters, a broken file, or two entries that
        would bear the same name.
    """
    entries = [parse_entry(spec) for spec in specs]
    for index, entry in enumerate(entries):
        for other in entries[:index]:
            if other.name == entry.name:
                raise StrategyError(
                    f"two entries are called {entry.name!r}: give labels, for instance "
                    f"first={other.text} second={entry.text}"
                )
    return entries


def parse_entry(text: str) -> Entry:
    """Return the entry that a text stands for; raises StrategyError."""
    match = _ENTRY.fullmatch(text.strip())
    if match is None or not match["name"]:
        raise StrategyError(
            f"cannot read {text!r}: write [label=]name or [label=]file.py:Class, parameters in "
            "brackets, for instance bold=greedy[pile_bias=20]"
        )
    label, name, params_text = match["label"], match["name"], match["params"]
    if label is not None and not _LABEL.fullmatch(label):
        raise StrategyError(f"{text!r}: a label is made of letters, digits and . _ + -")
    cls, source = find_class(name)
    params = cls.values(_parse_params(text, params_text or ""))
    shown = cls.__name__ if ":" in name else name
    shown += f"[{params_text}]" if params_text else ""
    own_hash = source_hash(own_files(source)) + data_hash(cls, source)
    return Entry(label or shown, text.strip(), cls, params, source, own_hash)


def _parse_params(text: str, params: str) -> dict[str, float]:
    values: dict[str, float] = {}
    for part in filter(None, (piece.strip() for piece in params.split(","))):
        name, equals, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not equals or not np.isfinite(number):
            raise StrategyError(f"{text!r}: write parameters as [name=number,...], not {part!r}")
        if name.strip() in values:
            raise StrategyError(f"{text!r}: parameter {name.strip()!r} is given twice")
        values[name.strip()] = number
    return values


def find_class(name: str) -> tuple[type[Strategy], str]:
    """Return (class, source file) of a built-in, a plug-in or ``path.py:Class``."""
    if name in BUILT_IN:
        module = importlib.import_module(f".{name}", __package__)
        cls = _only_class(module)
        return cls, str(module.__file__)
    if ".py" in name or "/" in name or ":" in name:
        return _class_of_file(name)
    plugins = {point.name: point for point in entry_points(group=GROUP)}
    if name in plugins:
        try:
            cls = plugins[name].load()
        except Exception as error:
            raise StrategyError(f"plug-in {name!r} cannot be loaded: {error}") from None
        check_class(cls, f"plug-in {name!r}")
        return cls, str(inspect.getsourcefile(cls))
    known = [*BUILT_IN, *plugins]
    near = get_close_matches(name, known, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    raise StrategyError(
        f"unknown strategy {name!r}; {hint} (your own: path/to/file.py:Class; "
        "`prummy strategies` lists them)"
    )


def all_classes() -> Iterator[tuple[str, type[Strategy]]]:
    """Yield (name, class) of every built-in and every installed plug-in."""
    for name in [*BUILT_IN, *sorted(point.name for point in entry_points(group=GROUP))]:
        yield name, find_class(name)[0]


def _only_class(module: ModuleType) -> type[Strategy]:
    return next(
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, Strategy)
        and value.__module__ == module.__name__
    )


def _class_of_file(name: str) -> tuple[type[Strategy], str]:
    path_text, colon, class_name = name.rpartition(":")
    if not colon or not path_text.endswith(".py"):
        raise StrategyError(f"cannot read {name!r}: a strategy file is written path/file.py:Class")
    path = Path(path_text)
    if not os.path.isfile(path):
        raise StrategyError(f"strategy file {path} does not exist")
    module = _load_file(path.resolve())
    cls = getattr(module, class_name, None)
    if cls is None:
        found = [
            key
            for key, value in vars(module).items()
            if inspect.isclass(value)
            and issubclass(value, Strategy)
            and value.__module__ == module.__name__
        ]
        hint = f"it has {', '.join(found)}" if found else "it has no Strategy class"
        raise StrategyError(f"{path} has no class {class_name!r}; {hint}")
    check_class(cls, str(path))
    return cls, str(path.resolve())


def _load_file(path: Path) -> ModuleType:
    """Return the module of a file, loaded once for each content of it and of its helpers."""
    place = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    key = f"prummy_file_{place}_{source_hash(own_files(str(path)))}_{path.stem}"
    if key in sys.modules:
        return sys.modules[key]
    spec = importlib.util.spec_from_file_location(key, path)
    if spec is None or spec.loader is None:
        raise StrategyError(f"strategy file {path} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[key] = module
    try:
        with cache_for(own_files(str(path))), _importable(path.parent):
            spec.loader.exec_module(module)
    except SyntaxError as error:
        del sys.modules[key]
        raise StrategyError(
            f"strategy file {error.filename}, line {error.lineno}: {error.msg}"
        ) from None
    except StrategyError:  # a helper's
        del sys.modules[key]
        raise
    except (Exception, SystemExit) as error:
        del sys.modules[key]
        raise StrategyError(
            f"strategy file {path} cannot be loaded: {type(error).__name__}: {error}"
        ) from None
    return module


class _Neighbours(MetaPathFinder, Loader):
    """Finds the files beside a strategy's, each as the module that `_load_file` makes of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found: set[str] = set()

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return how a neighbour is loaded, None for any other module."""
        file = self.folder / f"{fullname}.py"
        return ModuleSpec(fullname, self, origin=str(file)) if file.is_file() else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the neighbour, loaded."""
        return _load_file(Path(str(spec.origin)))

    def exec_module(self, module: ModuleType) -> None:
        """Note that the name is in use: importlib puts it into sys.modules before this."""
        assert module.__spec__ is not None
        self.found.add(module.__spec__.name)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let a strategy file import its neighbours by their plain names, for as long as it loads.

    Two folders, two versions of a strategy for instance, may each have a helper of one name:
    whoever loads the second must not be given the first's, so the names are forgotten again.
    """
    finder = _Neighbours(folder)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.found:
            sys.modules.pop(name, None)
