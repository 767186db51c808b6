"""Where blocks are played: on threads, in child processes, or on a Dask cluster.

Each is a `concurrent.futures.Executor` with the function that plays a task on it; who submits
what is `sim.run`'s affair.
"""

import functools
import logging
import pickle
import signal
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np

from ..strategies.registry import Entry
from .child import Children, Limits
from .errors import PrummyError
from .storage import open_storage
from .transcript import empty_log
from .work import Job, Played, Task, Worker

ENGINES = ("auto", "processes", "dask")

_log = logging.getLogger(f"{__package__}.engines")

_DASK_SETTINGS = {  # of a cluster that is made here; its clocks alone take a tenth of a core else
    "distributed.worker.daemon": False,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "2s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.work-stealing-interval": "1s",
    "distributed.scheduler.worker-saturation": "inf",  # the next block waits at the worker
}

LOOK_SECONDS = 2.0  # how often a cluster is asked for its workers
WORKERLESS_SECONDS = 30.0


class EngineError(PrummyError):
    """An engine that cannot be used, or was lost; the message says what to do."""


@dataclass(frozen=True)
class EngineChoice:
    """Which engine plays: its kind (`ENGINES`), how many blocks at a time, where, within what."""

    kind: str = "auto"
    jobs: int = 1
    scheduler: str | None = None
    limits: Limits = field(default_factory=Limits)


class Players:
    """Plays tasks in this process: built-in strategies here, all others in child processes."""

    def __init__(self, job: Job, limits: Limits, apart: bool, entries: Sequence[Entry] | None):
        self.job = job
        self.apart = apart
        self.pairings = job.plan.pairings()
        self.worker = Worker(job, entries)
        self.children = Children(job, limits)

    def play(self, task: Task) -> Played:
        """Play a block."""
        if self.is_apart(task.block.pairing):
            return self.children.play(task)
        return self.worker.play(task)

    def play_again(self, pairing: int, board: int, rotation: int) -> np.ndarray:
        """Return the log of the actions of a match, as far as it came."""
        if self.is_apart(pairing):
            return self.children.play_again(pairing, board, rotation)
        log = empty_log(self.job.plan.rules)
        self.worker.play_again(pairing, board, rotation, log)
        return log

    def is_apart(self, pairing: int) -> bool:
        """Return whether a pairing is played in a child process."""
        seats = self.job.plan.seats(self.pairings[pairing])
        return self.apart or not all(self.job.strategies[k]["built_in"] for k in seats)

    def close(self) -> None:
        """Stop all children."""
        self.children.close()


class Engine:
    """An executor with the function that plays a task on it (`submit`)."""

    def __init__(
        self,
        executor: Executor,
        play: Callable[[Task], Played],
        jobs: int,
        players: Players,
        client: Any = None,
    ) -> None:
        self.executor = executor
        self.play = play
        self.jobs = jobs
        self.players = players
        self.client = client
        self.seen = self.next_look = time.monotonic()

    def submit(self, task: Task) -> Future[Played]:
        """Play a task some time; its outcome comes as a future."""
        return self.executor.submit(self.play, task)

    def result(self, future: Future[Played]) -> Played:
        """Return what came of a task; raises PrummyError, or OSError of the run's folder."""
        try:
            return future.result()
        except PrummyError:
            raise
        except (Exception, CancelledError) as error:
            if self.client is None or (isinstance(error, OSError) and error.errno):
                raise
            raise EngineError(f"the Dask cluster lost a block: {_line(error)}") from None

    def check(self) -> None:
        """Raise EngineError when the cluster is gone, or has had no worker for a while."""
        if self.client is None:
            return
        if self.client.status != "running":
            raise EngineError(
                f"the connection to the Dask scheduler was lost: {self.client.status}"
            )
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + LOOK_SECONDS
        try:
            there = bool(self.client.nthreads())
        except Exception as error:
            raise EngineError(f"the Dask scheduler does not answer: {_line(error)}") from None
        self.seen = now if there else self.seen
        if now - self.seen > WORKERLESS_SECONDS:
            raise EngineError("the Dask cluster has lost all its workers")


@contextmanager
def open_engine(choice: EngineChoice, job: Job, entries: Sequence[Entry]) -> Iterator[Engine]:
    """Give the engine that was chosen, and close it; raises EngineError.

    What the strategies do to a child process is their failure and no error of the engine.
    """
    players = Players(job, choice.limits, choice.kind == "processes", entries)
    try:
        if choice.kind == "dask":
            with _dask(choice, job) as (client, executor, play, jobs):
                yield Engine(executor, play, jobs, players, client)
        else:
            with ThreadPoolExecutor(choice.jobs) as executor:
                try:
                    yield Engine(executor, players.play, choice.jobs, players)
                except BaseException:
                    players.close()  # else the threads would wait for their children
                    raise
    finally:
        players.close()


@contextmanager
def _dask(
    choice: EngineChoice, job: Job
) -> Iterator[tuple[Any, Executor, Callable[[Task], Played], int]]:
    """Give the executor of a cluster: of the scheduler named, or a new one on this machine."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise EngineError(
            "the engine dask needs the extra packages: pip install 'prummy[cluster]'"
        ) from None
    with dask.config.set(_DASK_SETTINGS), ExitStack() as opened:
        try:
            about: Any = choice.scheduler
            if about is None:
                about = LocalCluster(
                    n_workers=choice.jobs, threads_per_worker=1, dashboard_address=None
                )
                opened.callback(_quietly, about.close, timeout=5)
            client = Client(about, timeout="10s", set_as_default=False)
            opened.callback(_quietly, client.close, timeout=5)
            if choice.scheduler is None:
                client.register_plugin(_ignore_sigint_plugin())
        except (OSError, ValueError, TimeoutError, RuntimeError) as error:
            where = choice.scheduler or "this machine"
            raise EngineError(f"no Dask scheduler at {where}: {_line(error)}") from None
        with _token(job) as token:
            found = client.run(look_at_job, job, choice.limits, token, on_error="return")
        good, refused = [], []
        for address, told in found.items():
            why = _line(told) if isinstance(told, BaseException) else told["why"]
            if why is None:
                good.append(address)
            else:
                refused.append(why)
                _log.warning("worker %s is refused: %s", address, why)
        if not good:
            raise EngineError(
                "no worker of the cluster can play this: "
                + ("; ".join(sorted(set(refused))) or "it has no workers")
            )
        shared = all(found[address]["sees_folder"] for address in good)
        sent = job if shared else replace(job, place=None)
        jobs = sum(client.nthreads().get(address, 1) for address in good)
        play = functools.partial(play_remotely, sent, choice.limits)
        # Where nobody was refused, a worker that comes later, or comes back, is as good as any.
        only = {"workers": good} if refused else {}
        yield client, client.get_executor(**only, retries=5, pure=False), play, jobs


def _quietly(function: Callable[..., Any], **options: Any) -> None:
    with suppress(Exception):  # a scheduler that is gone cannot be told goodbye
        function(**options)


@contextmanager
def _token(job: Job) -> Iterator[str]:
    """Give the name of a file in the run's folder, by which a worker sees whether it is there."""
    name = f".seen-{uuid.uuid4().hex}.tmp"
    assert job.place is not None
    storage = open_storage(job.place)
    storage.write(name, b"")
    try:
        yield name
    finally:
        storage.remove(name)


def _ignore_sigint_plugin() -> Any:
    """Return what keeps Ctrl-C, which a terminal sends to all, from ending our own workers."""
    from distributed import WorkerPlugin

    class IgnoreSigint(WorkerPlugin):
        def setup(self, worker: Any) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    return IgnoreSigint()


def _line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def look_at_job(job: Job, limits: Limits, token: str) -> dict[str, Any]:
    """Return why this worker cannot play a job (None: it can), and if it sees the run's folder."""
    try:
        _players_of(job, limits)
    except PrummyError as error:
        return {"why": str(error), "sees_folder": False}
    sees = False
    if job.place is not None and not job.place.startswith("memory:"):
        with suppress(OSError, PrummyError):
            sees = token in open_storage(job.place).names()
    return {"why": None, "sees_folder": sees}


def play_remotely(job: Job, limits: Limits, task: Task) -> Played:
    """Play a task on a worker of a cluster."""
    return _players_of(job, limits).play(task)


_CACHED: dict[bytes, Players] = {}  # the one job that a worker is at
_CACHE_LOCK = Lock()


def _players_of(job: Job, limits: Limits) -> Players:
    """Return what plays a job in this process, made once."""
    key = pickle.dumps((job, limits))
    with _CACHE_LOCK:
        if key not in _CACHED:
            for players in _CACHED.values():  # of earlier runs
                players.close()
            _CACHED.clear()
            _CACHED[key] = Players(job, limits, False, None)
        return _CACHED[key]
