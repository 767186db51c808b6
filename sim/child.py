"""A process of its own that plays for its parent, and that can be watched, stopped and replaced.

Somebody's compiled code may loop for ever, crash or eat all memory, and a thread cannot be
stopped. So strategies that did not come with this package are played here. Parent and child talk
by pickles through two pipes; beside that they share a small file in memory, in which the kernel
says at any time which board, deal and hook it is at: that is what is known when a child is gone.
"""

import contextlib
import os
import pickle
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .errors import PrummyError
from .kernel import GAME_DTYPE
from .match import Failure, failure_in
from .rules import Rules
from .transcript import empty_log
from .work import Job, Played, Task, Worker, failed

START_SECONDS = 600  # a cold compile of many strategies on a busy machine
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Limits:
    """What a strategy in a child may use: seconds for one deal, bytes of memory."""

    deal_seconds: float = 60.0
    memory: int = 2 << 30


class ChildError(PrummyError):
    """A child that ended outside of play, or could not begin; the message says how."""


class _GoneError(Exception):
    """The child is no more; the text says why."""


class Child:
    """A process that plays a job's blocks, one at a time. It starts with the first."""

    def __init__(self, job: Job, limits: Limits) -> None:
        self.job = job
        self.limits = limits
        self.shared = _Shared(job.plan.rules)
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.child", self.shared.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        try:
            self._ask(job)
        except _GoneError as gone:
            raise ChildError(
                f"a child process could not begin: {gone}{self._last_words()}"
            ) from None

    def play(self, task: Task) -> Played:
        """Play a block; what the strategies do to the process is their failure."""
        started = time.monotonic()
        try:
            played: Played = self._ask(("play", task))
        except _GoneError as gone:
            failure = self._failure(task.block.pairing, str(gone))
            return failed(task, failure, time.monotonic() - started)
        return played

    def play_again(self, pairing: int, failure: Failure) -> np.ndarray:
        """Play the match of a failure again; return the log of its actions, as far as it came."""
        with contextlib.suppress(_GoneError):
            self._ask(("play_again", (pairing, failure)))
        return np.array(self.shared.log)

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked for more."""
        return self.process.poll() is None

    def close(self) -> None:
        """Stop the process, whatever it does, and remove what was shared with it."""
        self.process.kill()
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.errors):
            if file is not None:
                with contextlib.suppress(OSError):
                    file.close()
        self.shared.close()

    def _ask(self, request: Any) -> Any:
        """Send a request and return the answer; raises what the child raised, or _GoneError."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            pickle.dump(request, self.process.stdin)
            self.process.stdin.flush()
            self._watch(self.process.stdout)
            answer = pickle.load(self.process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            self.process.kill()
            raise _GoneError(_how_it_ended(self.process.wait())) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _watch(self, answers: BinaryIO) -> None:
        """Wait until there is an answer; kill the child and raise _GoneError at a limit."""
        import psutil

        where = self.shared.game["where"][0]
        seen, since = None, time.monotonic()
        about = None
        while not select.select([answers], [], [], POLL_SECONDS)[0]:
            try:
                about = about or psutil.Process(self.process.pid)
                memory = about.memory_info().rss
            except psutil.Error:
                continue  # it has just ended: the pipe says so next
            in_play = where["n_boards"] != 0
            now = (in_play, *(int(where[name]) for name in ("board", "rotation", "deal")))
            if now != seen:
                seen, since = now, time.monotonic()
            allowed = self.limits.deal_seconds if in_play else START_SECONDS
            if memory > self.limits.memory:
                self.process.kill()
                self.process.wait()
                raise _GoneError(f"took more than {self.limits.memory / 2**30:.2g} GB of memory")
            if time.monotonic() - since > allowed:
                self.process.kill()
                self.process.wait()
                what = "deal" if in_play else "start"
                raise _GoneError(f"did not come back: a {what} took more than {allowed:g} s")

    def _failure(self, pairing: int, why: str) -> Failure:
        """Return the failure of whoever was asked when the child was lost."""
        where = self.shared.game["where"][0]
        if where["n_boards"] == 0:
            raise ChildError(f"a child process was lost outside of play: {why}{self._last_words()}")
        failure = failure_in(where, None, why)
        met = self.job.plan.pairings()[pairing]
        names = [self.job.strategies[k] for k in (met.a, met.b)]
        if names[failure.player % 2]["built_in"] and not names[1 - failure.player % 2]["built_in"]:
            # a hook of ours does not crash: the other one has damaged what it works with
            other = failure.player ^ 1
            why = f"damaged the process, which was lost at its opponent's next action ({why})"
            return Failure(
                **{**vars(failure), "player": other, "seat": failure.seat ^ 1, "why": why}
            )
        return failure

    def _last_words(self) -> str:
        """Return the last line that the child wrote to its standard error, in brackets."""
        self.errors.seek(0)
        lines = self.errors.read()[-4000:].decode(errors="replace").strip().splitlines()
        return f" ({lines[-1].strip()})" if lines else ""


class Children:
    """As many children of a job as there are threads that want to play in one."""

    def __init__(self, job: Job, limits: Limits) -> None:
        self.job = job
        self.limits = limits
        self.idle: queue.LifoQueue[Child] = queue.LifoQueue()
        self.all: set[Child] = set()
        self.closed = False

    def play(self, task: Task) -> Played:
        """Play a block in a child that has nothing to do, or in a new one."""
        return self._lend(lambda child: child.play(task))

    def play_again(self, pairing: int, failure: Failure) -> np.ndarray:
        """Return the log of the match of a failure (`Child.play_again`)."""
        return self._lend(lambda child: child.play_again(pairing, failure))

    def _lend(self, use: Callable[[Child], Any]) -> Any:
        child = self._borrow()
        try:
            return use(child)
        finally:
            if child.is_alive and not self.closed:
                self.idle.put(child)
            else:
                child.close()
                self.all.discard(child)

    def _borrow(self) -> Child:
        with contextlib.suppress(queue.Empty):
            return self.idle.get_nowait()
        child = Child(self.job, self.limits)
        self.all.add(child)
        return child

    def close(self) -> None:
        """Stop all children."""
        self.closed = True
        for child in list(self.all):
            child.close()


class _Shared:
    """The file in which a kernel says where it is, mapped into the memory of two processes."""

    def __init__(self, rules: Rules, path: str | None = None) -> None:
        log = empty_log(rules)
        size = GAME_DTYPE.itemsize + log.nbytes
        self.is_mine = path is None
        if path is None:
            number, path = tempfile.mkstemp(prefix="prummy-", dir=_in_memory())
            os.truncate(path, size)
            os.close(number)
        self.path = path
        data: np.ndarray = np.memmap(path, np.uint8, "r+", shape=(size,))
        self.game = data[: GAME_DTYPE.itemsize].view(GAME_DTYPE)
        self.log = data[GAME_DTYPE.itemsize :].view(np.uint64)
        self.log[:] = log

    def close(self) -> None:
        if self.is_mine:
            Path(self.path).unlink(missing_ok=True)


def _in_memory() -> str | None:
    """Return a folder that lies in memory; None for the usual one where there is none."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"ended the process (exit code {code})"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"crashed the process ({name})"


def _serve(requests: BinaryIO, answers: BinaryIO, path: str) -> None:
    """Answer requests until there are no more: the body of the child."""
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    job: Job = pickle.load(requests)

    def listen() -> None:
        try:
            while True:
                waiting.put(pickle.load(requests))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)  # the parent is gone, or does not want us: even out of an endless loop

    threading.Thread(target=listen, daemon=True).start()
    shared = _Shared(job.plan.rules, path)
    try:
        worker = Worker(job)
    except PrummyError as error:
        _send(answers, error)
        return
    _send(answers, "ready")
    while True:
        kind, about = waiting.get()
        try:
            if kind == "play":
                answer: Any = worker.play(about, shared.game)
            else:
                answer = worker.play_again(*about, shared.log, shared.game)
        except (PrummyError, OSError) as error:
            answer = error
        _send(answers, answer)


def _send(answers: BinaryIO, answer: Any) -> None:
    pickle.dump(answer, answers)
    answers.flush()


def main(arguments: Sequence[str]) -> None:
    """Be the child of a process; what strategies print goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which says what to do
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    _serve(requests, answers, arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
