"""Hooks in plain Python, called by the kernel as it calls compiled ones: by address.

A hook is a C function that numba's calling convention describes: it writes its answer behind the
first pointer and returns 0. Here that function calls back into Python, which costs some
microseconds and takes the GIL.
"""

import ctypes
import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from .state import TABLE_DTYPE

FAILED = -(2**63)  # an answer that is illegal in every hook
_RECORD_DTYPE = np.dtype((np.record, TABLE_DTYPE))
_HOOK = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 5)


class _Lent(ctypes.Structure):
    """How the kernel passes an array (`lent.Lent`)."""

    _fields_ = (("at", ctypes.c_void_p), ("size", ctypes.c_int64))


class PythonHook:
    """A hook that is answered by Python.

    Attributes
    ----------
    address : int
        Where the kernel calls it.
    error : BaseException or None
        What the last call raised; the kernel was given the illegal answer `FAILED`.
    """

    def __init__(self, answer: Callable[[Any, np.ndarray, np.ndarray], Any]) -> None:
        """Make a hook of a function that takes (view, params, work) and returns a whole number."""
        self._answer = answer
        self._function = _HOOK(self._call)
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        self.error: BaseException | None = None

    def __call__(self, view: Any, params: np.ndarray, work: np.ndarray) -> int:
        """Return the answer for a view, a record of `TABLE_DTYPE`; raises what the function raises.

        The function is given a copy: of what it writes there, only its random stream counts.
        """
        copy = as_record(view)
        try:
            answer = operator.index(self._answer(copy, params, work))
            if not FAILED < answer < -FAILED:
                raise OverflowError("an answer has at most 64 bits")
            return answer
        finally:
            view["rng"] = copy["rng"]

    def _call(self, answer_at: int, _: int, view_at: int, params_at: int, work_at: int) -> int:
        answer = ctypes.c_int64.from_address(answer_at)
        self.error = None
        try:
            view = np.frombuffer(_memory(view_at, TABLE_DTYPE.itemsize), TABLE_DTYPE)[0]
            answer.value = self(view, _array(params_at, np.float64), _array(work_at, np.int64))
        except BaseException as error:  # KeyboardInterrupt too: C has no way to pass it on
            self.error = error
            answer.value = FAILED
        return 0


def as_record(view: Any) -> np.record:
    """Return a copy of a view (a record of `TABLE_DTYPE`) whose fields are attributes."""
    copy: Any = np.array(view, TABLE_DTYPE).view(_RECORD_DTYPE)
    return cast(np.record, copy[()])


def _memory(address: int, size: int) -> Any:
    return (ctypes.c_char * size).from_address(address)


def _array(address: int, dtype: Any) -> np.ndarray:
    """Return the array that the kernel lends."""
    lent = _Lent.from_address(address)
    size = 8 * lent.size
    return np.frombuffer(_memory(lent.at, size), dtype) if size else np.zeros(0, dtype)
