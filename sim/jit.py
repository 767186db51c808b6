"""The compiler of the core: the one module that imports ``njit``, and where its cache lives.

numba's disk cache looks only at the file in which a function is written. A function that
calls a helper of another file would be served stale after the helper was edited. So the cache
stands in a folder named by a hash of *all* sources that may take part: the package's own, and a
user's strategy files beside them (`cache_for`). An edit anywhere gives another folder, and what
is old is thrown away after a month.
"""

import functools
import hashlib
import os
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import ir
from numba.core.caching import FunctionCache, _CacheLocator
from numba.core.runtime import rtsys
from numba.core.typeinfer import register_dispatcher

PACKAGE_DIR = Path(__file__).parent.parent
PACKAGE = __name__.partition(".")[0]
KEEP_CACHES_DAYS = 30


def cache_root() -> Path:
    """Return the folder that holds all compiled code: ``$PRUMMY_CACHE_DIR``, or the user's cache.

    Where that cannot be written, a folder of this user's in the system's temporary folder.
    """
    if named := os.environ.get("PRUMMY_CACHE_DIR"):
        wanted = Path(named)
    elif platform.system() == "Windows":
        wanted = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "prummy"
    else:
        wanted = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "prummy"
    with suppress(OSError):
        wanted.mkdir(parents=True, exist_ok=True)
    if os.access(wanted, os.W_OK):
        return wanted
    return Path(tempfile.gettempdir()) / f"prummy-{os.getuid() if hasattr(os, 'getuid') else 0}"


def source_hash(files: Iterable[Path]) -> str:
    """Return a hash (16 hex digits) of the files' names and contents, whatever their order."""
    digest = hashlib.sha256()
    for file in sorted(set(files), key=str):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _core_files() -> list[Path]:
    return [*(PACKAGE_DIR / "sim").glob("*.py"), *(PACKAGE_DIR / "strategies").glob("*.py")]


def _cache_dir(files: Iterable[Path], data: str = "") -> Path:
    versions = f"{numba.__version__}-{np.__version__}-{platform.python_version()}"
    flags = f"{numba.config.BOUNDSCHECK}-{numba.config.DEBUG_JIT}-{numba.config.OPT}"
    key = hashlib.sha256(f"{versions}/{flags}/{source_hash(files)}{data}".encode()).hexdigest()[:16]
    return cache_root() / key


def drop_old_caches() -> None:
    """Remove compiled code that nobody has used for a month, and nothing else in that folder."""
    with suppress(OSError):
        for folder in cache_root().iterdir():
            ours = re.fullmatch("[0-9a-f]{16}", folder.name) and folder.is_dir()
            if ours and time.time() - folder.stat().st_mtime > KEEP_CACHES_DAYS * 86400:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def cache_for(files: Iterable[Path], data: str = "") -> Iterator[None]:
    """Let what is compiled inside be cached under a key that holds `files` and `data` too."""
    before = numba.config.CACHE_DIR
    folder = _cache_dir([*_core_files(), *files], data)
    numba.config.CACHE_DIR = str(folder)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def is_cold() -> bool:
    """Return whether the kernel of this checkout must be compiled first."""
    place = _CacheLocator.get_suitable_cache_subpath(str(PACKAGE_DIR / "sim" / "kernel.py"))
    return not any((_CORE_CACHE / place).glob("kernel.play_block-*.nbi"))


numba.config.SLP_VECTORIZE = 1  # neighbouring masks of a record go through one instruction
_CORE_CACHE = _cache_dir(_core_files())
numba.config.CACHE_DIR = str(_CORE_CACHE)
with suppress(OSError):
    _CORE_CACHE.mkdir(parents=True, exist_ok=True)
    os.utime(_CORE_CACHE)


def _is_ours(function: Callable[..., Any]) -> bool:
    return function.__module__.startswith(f"{PACKAGE}.")


def _settings(function: Callable[..., Any]) -> dict[str, Any]:
    """Return numba's settings for a function; for one of a user's file those of plain Python.

    There an index outside an array and a division by zero raise, where our own code, which is
    tested, goes without the checks: what lies outside an array is not the same twice. A user's
    helper becomes part of his hooks and is cached with them, never by itself: the data of its
    module, which are frozen into it, are part of their key alone.
    """
    ours = _is_ours(function)
    return {
        "nogil": True,
        "no_cfunc_wrapper": True,
        "cache": ours,
        "error_model": "numpy" if ours else "python",
        "boundscheck": None if ours else True,  # None: as NUMBA_BOUNDSCHECK says
    }


class _QuickCache(FunctionCache):
    """numba's cache, which loads a compiled function without what only compiling needs.

    numba fills its tables of types and functions, and imports scipy.linalg for them, before it
    looks into its cache. That is half of the time from start to the first match.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for a signature, None if it is not in the cache."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _njit(function: Callable[..., Any], signature: Any, settings: dict[str, Any]) -> Any:
    """Return a function compiled by numba, at once and once only where a signature is given."""
    compiled = numba.njit(**settings)(function)
    if _is_ours(function) and type(compiled._cache) is FunctionCache:
        compiled._cache.__class__ = _QuickCache
    if signature is not None:
        with register_dispatcher(compiled):
            compiled.compile(signature)
            compiled.disable_compile()
    return compiled


def jit(signature: Any = None, **options: Any) -> Any:
    """Compile a function of the core: no Python objects, no GIL, cached on disk.

    It becomes part of whoever calls it: LLVM alone leaves most calls between numba functions
    standing, which halved the speed of the kernel. For what is large use `jit_apart`. A function
    of the package whose name begins with an underscore must not be called from Python: that
    crashes the process, so no function of a user's file is compiled this way.

    Parameters
    ----------
    signature
        The function itself (``@jit``), or a numba signature (``@jit(sig)``), which compiles at
        once and leaves no second specialisation.
    """
    if callable(signature) and not isinstance(signature, numba.core.typing.templates.Signature):
        return jit(**options)(signature)

    def decorate(function: Callable[..., Any]) -> Any:
        settings = {"forceinline": True, **_settings(function), **options}
        if _is_ours(function) and function.__name__.startswith("_"):  # compiled code alone calls it
            settings["no_cpython_wrapper"] = True
        return _njit(function, signature, settings)

    return decorate


def jit_apart(function: Callable[..., Any]) -> Any:
    """Compile a function of the core that stays a call: large, or off the beaten track."""
    return jit(function, forceinline=False)


def jit_merged(function: Callable[..., Any]) -> Any:
    """Compile a function as if it were written into its callers, which should be few.

    numba optimises each compiled function together with all that it calls, once for each link of
    a chain of calls: merged before that, a chain is optimised once.
    """
    return jit(function, forceinline=False, inline="always")


def compile_hook(function: Callable[..., Any], signature: Any) -> Any:
    """Compile a strategy's hook against its fixed signature.

    Raises numba's errors, and ValueError for a hook (or what it calls) that uses `np.random`, and
    for one that returns a float where a whole number is wanted, which would be cut off in silence.
    """
    hook = _njit(function, signature, {**_settings(function), "cache": True})
    if hook.stats.cache_hits:
        return hook
    wrong = ""
    if "random_state" in hook.inspect_llvm(signature.args):
        wrong = "np.random is not governed by the seed; use random_below(view, n)"
    elif line := _line_that_cuts_off(hook, signature):
        file = function.__code__.co_filename
        wrong = f"the answer is a float, not a whole number. Raised from {file} ({line})"
    if wrong:
        hook._cache.flush()  # else it would be loaded next time, when this is not seen
        raise ValueError(wrong)
    return hook


def _line_that_cuts_off(hook: Any, signature: Any) -> int:
    """Return the line at which a compiled function makes a whole number of a float; 0 for none."""
    if not isinstance(signature.return_type, types.Integer):
        return 0
    (compiled,) = hook.overloads.values()
    kinds = compiled.type_annotation.typemap
    for block in compiled.type_annotation.blocks.values():
        for step in block.find_insts(ir.Assign):
            value = step.value
            if isinstance(value, ir.Expr) and value.op == "cast":
                if isinstance(kinds.get(value.value.name), types.Float):
                    return int(step.loc.line)
    return 0


@functools.cache
def hook_address(hook: Any) -> int:
    """Return where the machine code of a compiled hook begins. The hook is kept alive."""
    (compiled,) = hook.overloads.values()
    return machine_code(compiled)


def machine_code(compiled: Any) -> int:
    """Return where the machine code of one signature of a compiled function begins."""
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address
