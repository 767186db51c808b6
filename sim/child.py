"""A process of its own that plays for its parent, and that can be watched, stopped and replaced.

Somebody's compiled code may loop for ever, crash or eat all memory, and a thread cannot be
stopped. So strategies that did not come with this package are played here. Parent and child talk
by pickles through two pipes; beside that they share a small file in memory, in which the kernel
says at any time which board, deal and hook it is at: that is what is known when a child is gone.
"""

import contextlib
import logging
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from ..strategies.registry import parse_entry
from .chance import Luck, play_with_luck
from .columns import to_columns
from .conformance import Subject, Verdict, run_check
from .errors import PrummyError
from .explain import explained
from .kernel import GAME_DTYPE
from .match import Failure, failure_in, play_boards
from .profile import profile
from .rules import Rules
from .summary import PairingSummary, summarize
from .transcript import StrategyFailedError, empty_log, play_transcript
from .work import Job, Played, Task, Worker, failed

IDLE_SECONDS = 600  # before play (a cold compile on a busy machine) and after it (a slow disk)
POLL_SECONDS = 0.05

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """What a strategy in a child may use: seconds for one deal, bytes of memory."""

    deal_seconds: float = 60.0
    memory: int = 2_000_000_000


class ChildError(PrummyError):
    """A child that ended outside of play, or could not begin; the message says how."""


class GoneError(Exception):
    """A child is no more; the text says why."""


class Child:
    """A process that answers one request at a time (`_Server`)."""

    def __init__(self, rules: Rules, limits: Limits) -> None:
        self.limits = limits
        self.shared = _Shared(rules)
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"{__package__}.child", self.shared.path],
            env={**os.environ, "PYTHONHASHSEED": "0"},  # the same order of texts in all children
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            process_group=0,  # Ctrl-C is for the parent, which says what to do
        )
        self._send(rules)

    def ask(self, kind: str, *about: Any) -> Any:
        """Return the answer to a request; raises what the child raised, or GoneError."""
        self._send((kind, about))
        try:
            assert self.process.stdout is not None
            self._watch(self.process.stdout)
            answer = pickle.load(self.process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            self.process.kill()
            raise GoneError(_how_it_ended(self.process.wait())) from None
        self.shared.hide()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def failure(self, why: str) -> Failure:
        """Return the failure of whoever was asked when the child was lost.

        Raises ChildError when nobody was.
        """
        where = self.shared.game["where"][0]
        if where["n_boards"] == 0:
            raise ChildError(f"a child process was lost outside of play: {why}{self._last_words()}")
        return failure_in(where, None, why)

    @property
    def log(self) -> np.ndarray:
        """What the kernel logged of a match, also of one that was never finished."""
        return np.array(self.shared.log)

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked for more."""
        return self.process.poll() is None

    def close(self) -> None:
        """Stop the process, whatever it does, and remove what was shared with it."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)  # and what it has started
        self.process.kill()
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.errors):
            if file is not None:
                with contextlib.suppress(OSError):
                    file.close()
        self.shared.hide()

    def _send(self, request: Any) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # a child that is gone is seen when its answer is read
            pickle.dump(request, self.process.stdin)
            self.process.stdin.flush()

    def _watch(self, answers: IO[bytes]) -> None:
        """Wait until there is an answer; kill the child and raise GoneError at a limit."""
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
            allowed = self.limits.deal_seconds if in_play else IDLE_SECONDS
            if memory > self.limits.memory:
                raise self._stopped(f"took more than {self.limits.memory / 1e9:.3g} GB of memory")
            if time.monotonic() - since > allowed:
                what = "a deal" if in_play else "what comes before or after play"
                raise self._stopped(f"did not come back: {what} took more than {allowed:g} s")

    def _stopped(self, why: str) -> GoneError:
        self.process.kill()
        self.process.wait()
        return GoneError(why)

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
        """Play a block; what a strategy does to the process is its failure.

        A child may also be lost to somebody else, the system when memory runs out for instance.
        So a block whose child is lost is played once more: only what happens again is a failure.
        """
        started = time.monotonic()
        for last in (False, True):
            with self._borrowed() as child:
                try:
                    played: Played = child.ask("play", task)
                    return played
                except GoneError as gone:
                    if self.closed:
                        raise ChildError("the run was stopped") from None
                    lost = str(gone)
                    _log.warning("a child process %s%s", lost, "" if last else "; once more")
                    if last:
                        failure = self._blamed(task.block.pairing, child.failure(lost))
        return failed(task, failure, time.monotonic() - started)

    def play_again(self, pairing: int, board: int, rotation: int) -> np.ndarray:
        """Play a match again; return the log of its actions, as far as it came."""
        with self._borrowed() as child:
            with contextlib.suppress(GoneError):
                child.ask("play_again", pairing, board, rotation)
            return child.log

    def close(self) -> None:
        """Stop all children."""
        self.closed = True
        for child in list(self.all):
            child.close()

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[Child]:
        """Give a child that has nothing to do, or a new one."""
        try:
            child = self.idle.get_nowait()
        except queue.Empty:
            if self.closed:
                raise ChildError("the run was stopped") from None
            child = self._begun()
        try:
            yield child
        finally:
            if child.is_alive and not self.closed:
                self.idle.put(child)
            else:
                child.close()
                self.all.discard(child)

    def _begun(self) -> Child:
        """Return a new child; one that is lost before it has begun is tried once more."""
        for last in (False, True):
            child = Child(self.job.plan.rules, self.limits)
            self.all.add(child)
            try:
                child.ask("begin", self.job)
                return child
            except GoneError as gone:
                lost = str(gone)
                child.close()
                self.all.discard(child)
                if last or self.closed:
                    break
        raise ChildError(f"a child process could not begin: it {lost}")

    def _blamed(self, pairing: int, failure: Failure) -> Failure:
        """Return a failure with whom it is due to.

        A hook of ours does not crash: where it seems to, somebody else at the table has damaged
        what it works with, and the nearest before it who is not ours is taken for that.
        """
        plan = self.job.plan
        seats = plan.seats(plan.pairings()[pairing])
        before = [(failure.player - step) % 4 for step in range(4)]
        guilty = next((k for k in before if not self.job.strategies[seats[k]]["built_in"]), None)
        if guilty in (None, failure.player):
            return failure
        why = f"damaged the process, which was lost at another's next action ({failure.why})"
        return replace(failure, player=guilty, seat=guilty ^ failure.rotation, why=why)


class _Shared:
    """The file in which a kernel says where it is, mapped into the memory of two processes."""

    def __init__(self, rules: Rules, path: str | None = None) -> None:
        log = empty_log(rules)
        size = GAME_DTYPE.itemsize + log.nbytes
        self.is_mine = path is None
        if path is None:
            number, path = tempfile.mkstemp(prefix="prummy-", dir=_in_memory())
            os.posix_fallocate(number, 0, size)
            os.close(number)
        self.path = path
        data: np.ndarray = np.memmap(path, np.uint8, "r+", shape=(size,))
        self.game = data[: GAME_DTYPE.itemsize].view(GAME_DTYPE)
        self.log = data[GAME_DTYPE.itemsize :].view(np.uint64)
        self.log[:] = log

    def hide(self) -> None:
        """Take the file's name away once both sides have it: then nothing can be left behind."""
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


class _Server:
    """The child's side: answers requests by its methods of their names."""

    def __init__(self, rules: Rules, path: str) -> None:
        self.shared = _Shared(rules, path)
        self.worker: Worker | None = None
        self.subject: Subject | None = None

    def begin(self, job: Job) -> None:
        self.worker = Worker(job)

    def play(self, task: Task) -> Played:
        assert self.worker is not None
        return self.worker.play(task, self.shared.game)

    def play_again(self, pairing: int, board: int, rotation: int) -> None:
        assert self.worker is not None
        self.worker.play_again(pairing, board, rotation, self.shared.log, self.shared.game)

    def transcript(
        self, rules: Rules, entries: Sequence[str], names: Sequence[str], *which: int
    ) -> dict[str, Any]:
        players = [parse_entry(text).player() for text in entries]
        seed, board, rotation = which
        game = self.shared.game
        return play_transcript(rules, players, names, seed, board, rotation, game)

    def explain(self, transcript: dict[str, Any], entries: Sequence[str]) -> list[dict[str, Any]]:
        return explained(transcript, [parse_entry(text) for text in entries])

    def profile(
        self, text: str, against: str, rules: Rules, seed: int, boards: int
    ) -> dict[str, Any]:
        entries = parse_entry(text), parse_entry(against)
        return profile(*entries, rules, seed, boards, self.shared.game)

    def trial(
        self, texts: Sequence[str], rules: Rules, seed: int, boards: int
    ) -> tuple[PairingSummary, float]:
        entries = [parse_entry(text) for text in texts]
        players = [entry.player() for entry in entries] * 2
        started = time.perf_counter()
        block = play_boards(rules, players, seed, 0, boards, game=self.shared.game)
        seconds = time.perf_counter() - started
        if block.failure is not None:
            raise StrategyFailedError(entries[block.failure.player % 2].name, block.failure)
        columns = to_columns(block.rows, block.sides, block.deals)
        return summarize(columns, rules.deals), seconds

    def luck(self, texts: Sequence[str], rules: Rules, seed: int, boards: int) -> Luck:
        entries = [parse_entry(text) for text in texts]
        players = [entry.player() for entry in entries] * 2
        found = play_with_luck(rules, players, seed, boards, self.shared.game)
        if (failure := found.block.failure) is not None:
            raise StrategyFailedError(entries[failure.player % 2].name, failure)
        return found

    def check(self, text: str, name: str) -> Verdict:
        if self.subject is None:
            self.subject = Subject(parse_entry(text), self.shared.game)
        return run_check(name, self.subject)


def _serve(requests: BinaryIO, answers: BinaryIO, path: str) -> None:
    """Answer requests until there are no more: the body of the child."""
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    server = _Server(pickle.load(requests), path)

    def listen() -> None:
        try:
            while True:
                waiting.put(pickle.load(requests))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)  # the parent is gone, or does not want us: even out of an endless loop

    threading.Thread(target=listen, daemon=True).start()
    while True:
        kind, about = waiting.get()
        try:
            answer = getattr(server, kind)(*about)
        except (PrummyError, OSError) as error:
            answer = error
        pickle.dump(answer, answers)
        answers.flush()


def main(arguments: Sequence[str]) -> None:
    """Be the child of a process; what strategies print goes to standard error."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    _serve(requests, answers, arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
