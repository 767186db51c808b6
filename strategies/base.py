"""What a strategy is: a class with three plain functions, compiled against fixed signatures."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..sim.errors import PrummyError
from ..sim.jit import compile_hook
from ..sim.view import HOOK_NAMES, HOOK_SIGNATURE, RATE_SIGNATURE
from .compile_errors import explain

ABOUT = ("version", "author", "source")
MAX_WORK = 10_000_000  # 80 MB for each of four seats on each thread


class StrategyError(PrummyError, ValueError):
    """A strategy that cannot be found, is declared wrongly, or does not compile."""


@dataclass(frozen=True)
class Param:
    """One parameter of a strategy: its name, default, bounds, and a sentence."""

    name: str
    default: float
    low: float
    high: float
    doc: str


class Strategy:
    """Base class of all strategies.

    A subclass has a docstring whose first line is its idea, and three static methods, the hooks
    of `sim.view`: ``draw``, ``meld`` and ``discard``, each ``(view, params, work)``. They are
    compiled by numba: they see numbers, arrays and compiled helpers only.

    Attributes
    ----------
    params : tuple of Param
        The hooks get their values as ``params[0]``, ``params[1]`` … in this order.
    work_size : int
        Length of ``work``, the strategy's own memory of int64; zeros when a deal begins.
    version, author, source : str
        Told in manifests and reports: which version this is, who wrote it, where the idea is from.
    """

    params: ClassVar[tuple[Param, ...]] = ()
    work_size: ClassVar[int] = 0
    version: ClassVar[str] = "1"
    author: ClassVar[str] = ""
    source: ClassVar[str] = ""
    hook_arguments: ClassVar[tuple[str, ...]] = ("view", "params", "work")
    _compiled: ClassVar[tuple[Any, Any, Any] | None] = None

    draw: Callable[..., Any]
    meld: Callable[..., Any]
    discard: Callable[..., Any]

    @classmethod
    def idea(cls) -> str:
        """Return the first line of the class's docstring."""
        doc = cls.__dict__.get("__doc__") or ""
        return doc.strip().split("\n")[0]

    @classmethod
    def about(cls) -> dict[str, str]:
        """Return what is told of it everywhere: idea, version, author, source."""
        return {"idea": cls.idea(), **{name: getattr(cls, name) for name in ABOUT}}

    @classmethod
    def values(cls, given: dict[str, float]) -> np.ndarray:
        """Return the parameters' values, float64 in declared order, defaults where not given.

        Raises
        ------
        StrategyError
            For an unknown parameter or a value outside its bounds.
        """
        names = [param.name for param in cls.params]
        for name in given:
            if name not in names:
                has = f"it has {', '.join(names)}" if names else "it has none"
                raise StrategyError(f"{cls.__name__} has no parameter {name!r}; {has}")
        values = np.array([given.get(p.name, p.default) for p in cls.params], np.float64)
        for param, value in zip(cls.params, values, strict=True):
            if not param.low <= value <= param.high:
                raise StrategyError(
                    f"{cls.__name__}: {param.name} = {value:g} is not between "
                    f"{param.low:g} and {param.high:g}"
                )
        return values

    @classmethod
    def check_own(cls, where: str) -> None:
        """Raise StrategyError for what only this kind of strategy may do wrong in its class."""

    @classmethod
    def hooks(cls) -> tuple[Any, Any, Any]:
        """Return the compiled hooks (draw, meld, discard); compiled once for each class.

        Raises
        ------
        StrategyError
            With the hook, the line and numba's reason, when one does not compile.
        """
        if "_compiled" not in cls.__dict__:
            draw, meld, discard = (_compile(cls, name, HOOK_SIGNATURE) for name in HOOK_NAMES)
            cls._compiled = (draw, meld, discard)
        assert cls._compiled is not None
        return cls._compiled

    @classmethod
    def rater(cls, params: np.ndarray) -> Callable[[Any, np.uint64], float] | None:
        """Return how the strategy rates an action in a view, None where it does not say.

        Raises
        ------
        StrategyError
            Where ``rate(view, params, action)``, a static method, does not compile.
        """
        if not hasattr(cls, "rate"):
            return None
        rate = _compile(cls, "rate", RATE_SIGNATURE)
        return lambda view, action: float(rate(view, params, action))


RESERVED = ("about", "begin", "check_own", "hooks", "idea", "rater", "values")


def check_class(cls: Any, where: str) -> None:
    """Raise StrategyError unless `cls` declares a strategy as `Strategy` says."""
    if not (isinstance(cls, type) and issubclass(cls, Strategy)):
        raise StrategyError(f"{where}: {getattr(cls, '__name__', cls)} is not a Strategy class")
    for name in HOOK_NAMES:
        _check_method(cls, name, cls.hook_arguments, where)
    if hasattr(cls, "rate"):
        _check_method(cls, "rate", (*cls.hook_arguments[:2], "action"), where)
    for name in RESERVED:
        owner = next((base for base in cls.__mro__ if name in base.__dict__), Strategy)
        if not owner.__module__.startswith(f"{__package__}."):
            raise StrategyError(
                f"{where}: {cls.__name__}.{name}: the base class has a method of that name; take "
                "another"
            )
    if not cls.idea():
        raise StrategyError(f"{where}: {cls.__name__} has no docstring that says its idea")
    for name in ABOUT:
        if not isinstance(getattr(cls, name), str):
            raise StrategyError(f"{where}: {cls.__name__}.{name} is no text: put it in quotes")
    size = cls.work_size
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise StrategyError(f"{where}: {cls.__name__}.work_size is {size!r}, not a whole number")
    if size > MAX_WORK:
        raise StrategyError(f"{where}: {cls.__name__}.work_size {size}: the most is {MAX_WORK}")
    cls.check_own(where)
    if not isinstance(cls.params, tuple) or not all(
        isinstance(param, Param) for param in cls.params
    ):
        raise StrategyError(f"{where}: {cls.__name__}.params is no tuple of Param (mind the comma)")


def _check_method(cls: type[Strategy], name: str, wanted: tuple[str, ...], where: str) -> None:
    """Raise StrategyError unless a class has a method of a name, of the right kind."""
    is_static = "self" not in wanted
    method = inspect.getattr_static(cls, name, None)
    if not (isinstance(method, staticmethod) if is_static else inspect.isfunction(method)):
        kind = "static method" if is_static else "method"
        raise StrategyError(f"{where}: {cls.__name__} lacks a {kind} {name!r}")
    function = method.__func__ if isinstance(method, staticmethod) else method
    arguments = list(inspect.signature(function).parameters)
    if len(arguments) != len(wanted):
        raise StrategyError(
            f"{where}: {cls.__name__}.{name} takes {arguments}, not ({', '.join(wanted)})"
        )


def _compile(cls: type[Strategy], name: str, signature: Any) -> Any:
    function = inspect.getattr_static(cls, name).__func__
    try:
        return compile_hook(function, signature)
    except Exception as error:  # numba raises many kinds; each is the author's to read
        raise StrategyError(
            f"{cls.__name__}.{name} does not compile: {explain(error, function)}"
        ) from None
