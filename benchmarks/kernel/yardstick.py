"""The kernel's C++ twin (`cpp/`): built by a compiler of this machine, called by ctypes.

What it plays is equal, value for value, to what `sim.kernel` plays under the default house rules.
"""

import ctypes
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy.sim.columns import DEAL_DTYPE, ROW_DTYPE, SIDE_DTYPE

SOURCES = Path(__file__).parent / "cpp"
COMPILERS = ("g++", "clang")
STRATEGIES = ("greedy", "random", "hunter")
DEALS = 2
FLAGS = (
    *("-O3", "-march=native", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden"),
    *("-Wall", "-Wextra", "-Werror"),
    "-ffp-contract=off",  # a fused multiply-add rounds otherwise than Python and numba do
)
_MORE_FLAGS = {
    "g++": ("-fno-tree-pre",),  # which costs a twentieth of the speed where a hook loops
    "clang": (
        "-fno-sanitize=undefined",  # which zig adds of its own accord
        "-nostdlib++",  # which is not needed, and zig would build all of it first (two minutes)
    ),
}


class YardstickError(Exception):
    """A compiler that is absent or fails, or a block that was not played to its end."""


def build(compiler: str, flags: tuple[str, ...] = FLAGS) -> Path:
    """Return the shared library that a compiler makes of the sources, built once.

    Parameters
    ----------
    compiler : "g++" or "clang"
        The latter is the one inside PyPI's package `ziglang`.
    flags
        What the compiler is told; part of the library's name.
    """
    command = _command(compiler)
    flags = (*flags, *_MORE_FLAGS[compiler])
    key = _hash(compiler, flags)
    folder = Path(os.environ.get("XDG_CACHE_HOME") or tempfile.gettempdir()) / "prummy-yardstick"
    library = folder / f"{compiler.replace('+', 'p')}-{key}.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{library.stem}-{os.getpid()}.part"
    call = [*command, *flags, str(SOURCES / "yardstick.cpp"), "-o", str(unfinished)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise YardstickError(f"{compiler} failed: {' '.join(call)}\n{done.stderr.strip()}")
    unfinished.replace(library)  # at once: another process may build the same
    return library


def _command(compiler: str) -> list[str]:
    if compiler == "g++":
        if path := shutil.which("g++"):
            return [path]
        raise YardstickError("g++ is not installed (no such program on PATH)")
    if compiler == "clang":
        if importlib.util.find_spec("ziglang"):
            return [sys.executable, "-m", "ziglang", "c++"]
        raise YardstickError("no clang: install PyPI's ziglang into this environment")
    raise YardstickError(f"unknown compiler {compiler!r}; there are {', '.join(COMPILERS)}")


def _hash(compiler: str, flags: tuple[str, ...]) -> str:
    digest = hashlib.sha256("\0".join([compiler, *flags]).encode())
    for file in sorted(SOURCES.glob("*.?pp")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def load(library: Path) -> Any:
    """Return the function `play_block` of a library; it runs without the GIL."""
    function = ctypes.CDLL(str(library)).play_block
    function.restype = ctypes.c_int64
    function.argtypes = [
        *(ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.c_char_p, ctypes.c_char_p),
        *(np.ctypeslib.ndpointer(kind, flags="C") for kind in (ROW_DTYPE, SIDE_DTYPE, DEAL_DTYPE)),
    ]
    return function


def play(
    library: Any, a: str, b: str, seed: int, first_board: int, n_boards: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (rows, sides, deals) of a block of boards, each played in both rotations.

    Parameters
    ----------
    library
        What `load` returned.
    a, b : str
        Names out of `STRATEGIES`; a sits at seats 0 and 2 in rotation 0.
    """
    n_matches = 2 * n_boards
    rows = np.zeros(n_matches, ROW_DTYPE)
    sides = np.zeros((n_matches, 2), SIDE_DTYPE)
    deals = np.zeros((n_matches, DEALS), DEAL_DTYPE)
    played = library(seed, first_board, n_boards, a.encode(), b.encode(), rows, sides, deals)
    if played < 0:
        raise YardstickError(f"{a} v {b}: there are {', '.join(STRATEGIES)}")
    if played < n_matches:
        raise YardstickError(f"{a} v {b}: failed after {played} of {n_matches} matches")
    return rows, sides, deals
