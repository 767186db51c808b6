"""Strategies that loop, crash, leave or eat memory fail alone; the run and the others go on."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pandas as pd
import psutil
import pytest
from hostile import BODIES, WHY, write_hostile, write_slow
from small_runs import make_run, play, read_rows, write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.sim.apart import play_transcript_apart
from persian_rummy.sim.child import Child, ChildError, GoneError, Limits
from persian_rummy.sim.engines import EngineChoice
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import StrategyFailedError, play_transcript
from persian_rummy.strategies.registry import parse_entry

QUICK = Limits(deal_seconds=2.0)
LEAN = Limits(deal_seconds=100.0, memory=800_000_000)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, pd.DataFrame]:
    """Return digest and rows of a run of those who do not fail."""
    folder = tmp_path_factory.mktemp("clean") / "run"
    outcome = play(folder, "greedy", "random", boards=24, block=8)
    return outcome.digest, read_rows(folder)


@pytest.mark.parametrize("name", BODIES)
def test_hostile_strategy__is_void_alone_with_evidence(tmp_path, clean, name):
    spec = write_hostile(tmp_path, name)
    engine = EngineChoice(jobs=2, limits={"Loops": QUICK, "Eats": LEAN}.get(name, Limits()))
    outcome = play(tmp_path / "run", "greedy", spec, "random", boards=24, block=8, engine=engine)
    assert (outcome.digest, outcome.matches, outcome.stopped) == (clean[0], 48, None)
    pd.testing.assert_frame_equal(read_rows(tmp_path / "run"), clean[1])
    assert [(f["strategy"], f["kind"]) for f in outcome.failures] == [(name, WHY[name])]
    evidence = json.loads(Path(outcome.failures[0]["evidence"]).read_text())
    assert (evidence["board"], evidence["deal"], evidence["hook"]) == (8, 1, "discard")
    assert evidence["player"] % 2 == 1
    assert evidence["seat"] == evidence["player"] ^ evidence["rotation"]
    # the position is that of the transcript up to there: drawn, not yet discarded
    assert len(evidence["position"]["deck"].split()) == 56
    assert evidence["position"]["after"][-1][0] in "ST=-"


@pytest.mark.parametrize("name", ["Crashes", "Exits", "Raises"])
def test_hostile_strategy__command_of_the_evidence__replays_the_failure(tmp_path, name):
    spec = write_hostile(tmp_path, name)
    outcome = play(tmp_path / "run", spec, "greedy", boards=24, engine=EngineChoice(jobs=2))
    evidence = json.loads(Path(outcome.failures[0]["evidence"]).read_text())
    result = CliRunner().invoke(app, shlex.split(evidence["command"])[1:])
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{name} failed: discard {WHY[name]}" in result.stderr
    assert f"board {evidence['board']}, rotation {evidence['rotation']}" in result.stderr


def test_hostile_strategies__all_at_once__each_fails_for_itself(tmp_path, clean):
    names = ["Crashes", "Raises", "Exits"]
    specs = [write_hostile(tmp_path, name) for name in names]
    outcome = play(
        tmp_path / "run",
        "greedy",
        *specs,
        "random",
        boards=24,
        block=8,
        engine=EngineChoice(jobs=2),
    )
    assert outcome.digest == clean[0]
    assert {f["strategy"]: f["kind"] for f in outcome.failures} == {n: WHY[n] for n in names}


def test_slow_strategy__is_not_taken_for_an_endless_one(tmp_path):
    engine = EngineChoice(limits=Limits(deal_seconds=60.0))
    spec = write_slow(tmp_path, 2_000_000)
    outcome = play(tmp_path / "run", spec, "random", boards=3, block=3, engine=engine)
    assert (outcome.failures, outcome.matches) == ([], 6)


def test_match__apart__is_the_match_played_here(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    texts, names = [spec, "greedy"] * 2, ["Bot", "greedy"] * 2
    players = [parse_entry(text).player() for text in texts]
    here = play_transcript(Rules(), players, names, 5, 3, 1)
    assert play_transcript_apart(Rules(), texts, names, 5, 3, 1, Limits()) == here


def test_match__endless__ends_with_a_message(tmp_path):
    spec = write_hostile(tmp_path, "Loops", when="True")
    with pytest.raises(StrategyFailedError, match=r"^L failed: discard did not come back: a deal"):
        play_transcript_apart(Rules(), [spec, "random"] * 2, ["L", "r"] * 2, 1, 0, 0, QUICK)


def test_log__of_a_second_match__holds_nothing_of_the_first(tmp_path):
    late = write_hostile(tmp_path, "Cheats")  # on board 8, in the second deal
    soon = write_hostile(tmp_path, "Raises", when="True")  # at its first discard
    outcome = play(tmp_path / "run", late, "greedy", soon, boards=24, engine=EngineChoice(jobs=1))
    told = {f["strategy"]: json.loads(Path(f["evidence"]).read_text()) for f in outcome.failures}
    assert told.keys() == {"Cheats", "Raises"}
    one = told["Raises"]
    alone = play(tmp_path / "alone", late, soon, boards=1, engine=EngineChoice(jobs=1))
    other = json.loads(Path(alone.failures[0]["evidence"]).read_text())
    assert one["position"] == other["position"]


def test_child__killed_by_somebody__is_a_fault_of_no_strategy_outside_of_play():
    child = Child(Rules(), Limits())
    child.process.kill()
    with pytest.raises(GoneError, match=r"crashed the process \(SIGKILL\)") as gone:
        child.ask("begin", None)
    with pytest.raises(ChildError, match="a child process was lost outside of play"):
        child.failure(str(gone.value))
    child.close()


def test_children__end_with_their_run(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    play(tmp_path / "run", spec, "greedy", boards=64, engine=EngineChoice(jobs=2))
    after = {process.pid for process in psutil.Process().children(recursive=True)}
    assert after <= before


PARENT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from small_runs import play
play(Path(sys.argv[2]), sys.argv[3], "greedy", boards=1000, block=1000)
"""


def test_children__of_a_killed_parent__end_even_out_of_an_endless_loop(tmp_path):
    spec = write_hostile(tmp_path, "Loops", when="True")
    tests = Path(__file__).parents[1]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tests), str(tmp_path / "run"), spec]
    )
    about = psutil.Process(parent.pid)
    deadline = time.monotonic() + 120
    children: list[psutil.Process] = []
    while not any(child.cpu_times().user > 3 for child in children if child.is_running()):
        assert parent.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
        children = about.children(recursive=True)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive


def test_child__that_somebody_kills__is_replaced_and_its_block_played_again(tmp_path):
    spec = write_slow(tmp_path, 400_000)  # seconds of play after a second or two of starting
    right = play(tmp_path / "right", spec, "greedy", boards=100, block=100)
    run = make_run(tmp_path / "run", spec, "greedy", boards=100)
    killed: list[int] = []

    def kill() -> None:
        while not killed:
            for child in psutil.Process().children(recursive=True):
                if child.cpu_times().user > 2:
                    child.kill()
                    killed.append(child.pid)
            time.sleep(0.05)

    thread = Thread(target=kill)
    thread.start()
    outcome = run.play(EngineChoice(jobs=1), lambda done, total: None, Event(), block_boards=100)
    killed.append(0)
    thread.join()
    assert killed != [0]
    assert (outcome.failures, outcome.digest) == ([], right.digest)
