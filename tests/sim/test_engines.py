"""Engines: threads, child processes and Dask play the same matches."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import psutil
import pytest
from hostile import WHY, write_hostile
from small_runs import make_run, parts_of, play, write_strategy

from persian_rummy.sim.child import Limits
from persian_rummy.sim.engines import EngineChoice, EngineError, look_at_job, open_engine
from persian_rummy.sim.work import Job, RefusedError, entries_of

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # what a cluster says when it is taken down

FIELD = ("greedy", "random", "hunter")
PROCESSES = EngineChoice("processes", jobs=2)
DASK = EngineChoice("dask", jobs=2)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the digest of the run on threads."""
    return play(tmp_path_factory.mktemp("reference") / "run", *FIELD).digest


@contextmanager
def cluster(
    folder: Path, n_workers: int = 2
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Give a scheduler's address and the processes of scheduler and workers, over TCP."""
    file = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    common = ["--scheduler-file", str(file)]
    started = [
        subprocess.Popen(
            [*dask, "scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1", *common],
            **quiet,
        )
    ]
    started += [
        subprocess.Popen([*dask, "worker", "--nthreads", "1", "--no-dashboard", *common], **quiet)
        for _ in range(n_workers)
    ]
    try:
        with distributed.Client(scheduler_file=str(file), timeout="60s") as client:
            client.wait_for_workers(n_workers, timeout=60)
            address = client.scheduler.address
        yield address, started
    finally:
        for process in started:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
            process.wait()


def kill_once_played(folder: Path, process: subprocess.Popen[bytes]) -> Thread:
    """Kill a process and its children as soon as a run has a part; return the thread that does."""

    def kill() -> None:
        while not parts_of(folder):
            time.sleep(0.01)
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()
        process.kill()

    thread = Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.parametrize("engine", [PROCESSES, DASK], ids=["processes", "dask"])
@pytest.mark.parametrize("keep", ["all", "sample=30"])
def test_engine__any__same_digest(tmp_path, reference, engine, keep):
    outcome = play(tmp_path / "run", *FIELD, engine=engine, block=7, keep=keep)
    assert (outcome.digest, outcome.failures) == (reference, [])


def test_dask__folder_that_workers_cannot_see__parts_are_sent_back(tmp_path, reference):
    place = f"memory://runs/{tmp_path.name}"
    outcome = play(place, *FIELD, engine=DASK)
    assert outcome.digest == reference
    assert play(place, *FIELD).digest == reference  # nothing is missing


def test_dask__strategy_of_a_file__plays_and_fails_apart(tmp_path):
    spec = write_hostile(tmp_path, "Crashes")
    outcome = play(tmp_path / "run", "greedy", spec, "random", boards=24, block=8, engine=DASK)
    assert [(f["strategy"], f["kind"]) for f in outcome.failures] == [("Crashes", WHY["Crashes"])]
    right = play(tmp_path / "right", "greedy", "random", boards=24)
    assert outcome.digest == right.digest


def test_dask__over_tcp_with_two_workers__same_digest_also_when_one_is_killed(tmp_path, reference):
    with cluster(tmp_path) as (address, processes):
        engine = EngineChoice("dask", scheduler=address)
        assert play(tmp_path / "run", *FIELD, engine=engine).digest == reference

        thread = kill_once_played(tmp_path / "again", processes[1])
        outcome = play(tmp_path / "again", *FIELD, engine=engine, block=1)
        thread.join()
        assert outcome.digest == reference


def test_dask__scheduler_that_goes_away__says_so_and_the_run_goes_on(tmp_path, reference):
    with cluster(tmp_path, 1) as (address, processes):
        thread = kill_once_played(tmp_path / "run", processes[0])
        with pytest.raises(EngineError, match="Dask"):
            play(tmp_path / "run", *FIELD, block=1, engine=EngineChoice("dask", scheduler=address))
        thread.join()
    assert play(tmp_path / "run", *FIELD).digest == reference


def test_dask__nobody_at_the_address__says_so(tmp_path):
    engine = EngineChoice("dask", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(EngineError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9"):
        play(tmp_path / "run", *FIELD, engine=engine)


def test_worker__with_another_version_of_a_strategy__refuses_with_the_reason(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    run = make_run(tmp_path / "run", spec, "greedy")
    job = run.job
    token = "nothing"
    assert look_at_job(job, Limits(), token) == {"why": None, "sees_folder": False}
    changed = [{**strategy, "source_hash": "0" * 16} for strategy in job.strategies]
    told = look_at_job(Job(job.plan, tuple(changed), job.place), Limits(), token)
    assert told["why"] == f"strategy Bot ({spec}) is not the version that the run began with"
    gone = [{**strategy, "entry": "nowhere/bot.py:Bot"} for strategy in job.strategies]
    with pytest.raises(RefusedError, match=r"strategy file nowhere/bot\.py does not exist"):
        entries_of(gone)


def test_dask__no_worker_with_the_strategy__ends_with_the_reason(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    run = make_run(tmp_path / "run", spec, "greedy")
    path = Path(spec.rpartition(":")[0])
    path.write_text(path.read_text() + "# another thought\n")
    with pytest.raises(EngineError, match="no worker of the cluster can play this: strategy Bot"):
        run.play(DASK, lambda done, total: None, Event())


def test_engine__processes__stop_on_request(tmp_path, reference):
    outcome = play(tmp_path / "run", *FIELD, engine=PROCESSES, stop_after=2, block=4)
    assert outcome.stopped == "signal"
    assert play(tmp_path / "run", *FIELD, engine=PROCESSES).digest == reference


def test_engine__threads__leave_no_thread_or_file_behind(tmp_path):
    run = make_run(tmp_path / "run", *FIELD)
    before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
    with open_engine(PROCESSES, run.job, run.entries) as engine:
        assert engine.jobs == 2
    after = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
    assert {name for name in after - before if name.startswith("prummy-")} == set()


def test_dask__all_workers_gone__says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("persian_rummy.sim.engines.WORKERLESS_SECONDS", 3.0)
    with cluster(tmp_path, 1) as (address, processes):
        thread = kill_once_played(tmp_path / "run", processes[1])
        engine = EngineChoice("dask", scheduler=address)
        with pytest.raises(EngineError, match="has lost all its workers"):
            play(tmp_path / "run", *FIELD, boards=5000, block=1, engine=engine)
        thread.join()


def test_dask__ctrl_c_in_a_terminal__stops_cleanly(tmp_path):
    """A terminal sends it to the whole group: the workers must live until their blocks are done."""
    words = ["tournament", "greedy", "random", "-n", "100000000", "--keep", "none"]
    program = [sys.executable, "-c", "from persian_rummy.cli import app; app()"]
    process = subprocess.Popen(
        [*program, *words, "--engine", "dask", "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not parts_of(tmp_path / "run"):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "go on with: prummy tournament --resume" in err
    assert "Traceback" not in err
