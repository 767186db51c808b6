"""Ends a run's process by SIGKILL at a chosen step of what it writes: for tests in a subprocess.

``python killing.py STEP prummy-arguments…``: counts what makes files last (fsync, rename, removal)
and kills the process before the STEP-th of them (from 1); with 0 it says at the end how many there
were.
"""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

step = int(sys.argv[1])
count = 0
lock = threading.Lock()


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        global count
        with lock:
            count += 1
            if count == step:
                os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)

    return call


os.fsync = counted(os.fsync)
Path.replace = counted(Path.replace)  # type: ignore[method-assign]
Path.unlink = counted(Path.unlink)  # type: ignore[method-assign]
if not step:
    atexit.register(lambda: print(f"steps {count}", file=sys.stderr))
sys.argv = ["prummy", *sys.argv[2:]]

from persian_rummy.cli import app  # noqa: E402

app()
