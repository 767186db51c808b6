"""Strategies in plain Python: anything that Python can do, at Python's speed."""

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..sim.python_hooks import PythonHook, as_record
from ..sim.view import HOOK_NAMES
from .base import Strategy, StrategyError


class PythonStrategy(Strategy):
    """Base class of strategies that are not compiled: objects, neural nets, calls to programs.

    The hooks are plain methods, each ``(self, view)``. The view has the fields of `sim.view`, its
    masks and numbers are numpy's; the compiled helpers take it as well. It is a copy: what is
    written to it changes nothing.

    Every seat has an object of its own, made anew when a deal begins, so that nothing is carried
    over; what takes long to load stands in the module or the class.

    Attributes
    ----------
    param_values : dict of str to float
        The parameters by name, set before ``__init__`` is called (without arguments).
    """

    hook_arguments: ClassVar[tuple[str, ...]] = ("self", "view")
    work_size: ClassVar[int] = 1  # tells that a deal has begun, and whose turn it is
    param_values: dict[str, float]

    @classmethod
    def check_own(cls, where: str) -> None:
        """Raise StrategyError for an ``__init__`` that wants arguments, and for ``work_size``."""
        wanted = [
            name
            for name, argument in list(inspect.signature(cls.__init__).parameters.items())[1:]
            if argument.default is argument.empty and argument.kind < argument.VAR_POSITIONAL
        ]
        if wanted:
            raise StrategyError(
                f"{where}: {cls.__name__}.__init__ wants {', '.join(wanted)}; it is called without "
                "arguments (parameters are in self.param_values)"
            )
        if cls.work_size != PythonStrategy.work_size:
            raise StrategyError(
                f"{where}: {cls.__name__}.work_size: plain Python keeps what it needs in self"
            )

    @classmethod
    def hooks(cls) -> tuple[Any, Any, Any]:
        """Return the hooks (draw, meld, discard), made once for each class."""
        if "_compiled" not in cls.__dict__:
            seats: dict[int, PythonStrategy] = {}
            draw, meld, discard = (cls._hook(name, seats) for name in HOOK_NAMES)
            cls._compiled = (draw, meld, discard)
        assert cls._compiled is not None
        return cls._compiled

    @classmethod
    def begin(cls, params: np.ndarray) -> "PythonStrategy":
        """Return what plays one seat in one deal."""
        player = cls.__new__(cls)
        names = (param.name for param in cls.params)
        player.param_values = dict(zip(names, params.tolist(), strict=True))
        player.__init__()  # type: ignore[misc]
        return player

    @classmethod
    def rater(cls, params: np.ndarray) -> Callable[[Any, np.uint64], float] | None:
        """Return how the strategy rates an action: by its method ``rate(self, view, action)``.

        That is asked of an object that knows nothing of the deal so far. None where there is none.
        """
        if not hasattr(cls, "rate"):
            return None
        player: Any = cls.begin(params)
        return lambda view, action: float(player.rate(as_record(view), action))

    @classmethod
    def _hook(cls, name: str, seats: dict[int, "PythonStrategy"]) -> PythonHook:
        """Return a hook that asks the object of the seat, known by where its memory lies."""

        def answer(view: Any, params: np.ndarray, work: np.ndarray) -> Any:
            place = work.ctypes.data
            if work[0] == 0:  # zeros: a deal has begun
                seats[place] = cls.begin(params)
                work[0] = 1
            return getattr(seats[place], name)(view)

        return PythonHook(answer)
