"""Runs that were stopped, whatever stopped them, go on and end with the same digest."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command import fails, run, run_json
from hostile import write_slow
from small_runs import parts_of, write_strategy, write_with_helper
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.sim.storage import LocalStorage
from persian_rummy.sim.store import RunFolder

PROGRAM = [sys.executable, "-c", "from persian_rummy.cli import app; app()"]
ENTERED = ["greedy", "random", "-n", "6000", "--seed", "3"]
SMALL = ["greedy", "random", "miser", "-n", "40", "--seed", "8", "--block", "5"]


def manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


def parts(folder: Path) -> dict[str, int]:
    """Return the parts of a run and when each was written."""
    return {part.name: part.stat().st_mtime_ns for part in parts_of(folder)}


def edit_manifest(folder: Path, **changes: Any) -> None:
    """Change a manifest as the program would."""
    run = RunFolder(folder)
    run.write_manifest(run.read_manifest() | changes)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the digest of the run that nothing stops."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return run_json("tournament", *ENTERED, "--out", str(folder))["digest"]


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """Return the folder of a small run that is finished."""
    run("tournament", *SMALL, "--out", str(tmp_path / "run"))
    return tmp_path / "run"


def start(folder: Path) -> subprocess.Popen[str]:
    """Start a run of many small blocks in a process; return when some are on disk."""
    process = subprocess.Popen(
        [*PROGRAM, "tournament", *ENTERED, "--block", "50", "--jobs", "1", "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while len(parts(folder)) < 3:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_tournament__stopped_by_a_signal__is_left_whole_and_goes_on(tmp_path, whole, number):
    folder = tmp_path / "my run"
    process = start(folder)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    told = manifest(folder)
    assert told["status"] == "interrupted"
    assert 0 < told["matches"] < 6000
    # games and statistics agree: what is counted is what is on disk
    assert told["matches"] == 100 * len(parts(folder))
    assert f"stopped after {told['matches']:,} of 6,000 matches" in err
    assert f"go on with: prummy tournament --resume --out '{folder}'" in err
    assert f"digest {told['digest']}" in out
    before = parts(folder)
    found = run_json("tournament", "--resume", "--out", str(folder))
    assert (found["digest"], found["matches"], found["status"]) == (whole, 6000, "finished")
    assert before.items() <= parts(folder).items()  # nothing was played twice


def test_tournament__killed__goes_on_with_the_same_digest(tmp_path, whole):
    process = start(tmp_path / "run")
    process.kill()
    process.communicate(timeout=60)
    assert manifest(tmp_path / "run")["status"] == "running"
    (tmp_path / "run" / "matches" / ".part-0.parquet.1-2.tmp").write_bytes(b"half")
    message = fails("report", str(tmp_path / "run"))
    assert f"prummy tournament --resume --out {tmp_path}/run goes on with it" in message
    assert run_json("tournament", "--resume", "--out", str(tmp_path / "run"))["digest"] == whole


def test_tournament__second_signal__leaves_at_once(tmp_path, whole):
    slow = write_slow(tmp_path, 300_000)  # a block of 200 takes ten seconds or more
    command = ["tournament", slow, "random", "-n", "4000", "--block", "200", "--jobs", "1"]
    process = subprocess.Popen(
        [*PROGRAM, *command, "--out", str(tmp_path / "run")], stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "run" / "manifest.json").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "once more stops at once" in line
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=5) == 130
    process.stderr.close()
    assert manifest(tmp_path / "run")["status"] == "running"


@pytest.mark.parametrize(
    "options",
    [
        [],
        SMALL,
        ["--seed", "8"],
        ["-n", "40", "--format", "round-robin"],
        ["greedy", "random", "miser"],
        ["--rules", "persian"],
        ["--jobs", "2"],
    ],
)
def test_resume__same_options_or_none__goes_on(finished, options):
    before, told = parts(finished), manifest(finished)
    lost = sorted(before)[3]
    (finished / "matches" / lost).unlink()
    edit_manifest(finished, seconds=1000.0)
    found = run_json("tournament", "--resume", *options, "--out", str(finished))
    assert found["digest"] == told["digest"]
    assert found["matches"] == told["matches"] == 120
    assert found["seconds"] > 1000  # no counter is reset
    after = parts(finished)
    assert after.keys() == before.keys()
    assert [name for name in after if after[name] != before[name]] == [lost]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--seed", "9"], "with seed 8, not 9"),
        (["-n", "60"], "with matches 40, not 60"),
        (["--format", "gauntlet"], "with format round-robin, not gauntlet"),
        (["--keep", "none"], "with keep all, not none"),
        (["greedy", "random"], "with entries ['greedy', 'random', 'miser']"),
        (["greedy", "miser", "random"], "is another run, with entries"),
        (["--all"], "is another run, with entries"),
        (["--rules", "rummy500"], "is another run, with house rules persian"),
        (["--rule", "min_run=4"], "is another run, with house rules persian"),
        (["--rule", "min_run=9"], "rule min_run: 9 is not one of"),
    ],
)
def test_resume__other_options__are_refused(finished, options, says):
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*")}
    message = fails("tournament", "--resume", *options, "--out", str(finished))
    assert says in message
    assert len(message.splitlines()) == 1
    assert {path: path.stat().st_mtime_ns for path in finished.rglob("*")} == before


def test_resume__run_under_house_rules__needs_no_rules_again(tmp_path):
    house = ["--rules", "rummy500", "--rule", "min_run=4"]
    arguments = [*SMALL, *house, "--out", str(tmp_path / "run")]
    digest = run_json("tournament", *arguments)["digest"]
    parts_of(tmp_path / "run")[0].unlink()
    found = run_json("tournament", "--resume", "--out", str(tmp_path / "run"))
    assert found["digest"] == digest
    assert run_json("tournament", *SMALL, "--out", str(tmp_path / "other"))["digest"] != digest
    assert "is another run" in fails(
        "tournament", "--resume", "--rules", "persian", "--out", str(tmp_path / "run")
    )


@pytest.mark.parametrize("changed", ["bot.py", "helper.py"])
def test_resume__strategy_that_was_edited__is_refused(tmp_path, changed):
    spec = write_with_helper(tmp_path)
    arguments = ["tournament", spec, "random", "-n", "4", "--out", str(tmp_path / "run")]
    run(*arguments)
    file = tmp_path / "bot" / changed
    file.write_text(file.read_text() + "\n# another thought\n")
    message = fails("tournament", "--resume", "--out", str(tmp_path / "run"))
    assert "strategy Bot has changed since the run" in message


@pytest.mark.parametrize("other", [["--seed", "9"], ["--rule", "out_bonus=30"]])
def test_resume__part_of_another_run__is_played_again(tmp_path, finished, other):
    before = manifest(finished)["digest"]
    run("tournament", *SMALL, *other, "--out", str(tmp_path / "other"))
    shutil.copy(parts_of(tmp_path / "other")[1], parts_of(finished)[1])
    run("tournament", "--resume", "--out", str(finished))
    assert manifest(finished)["digest"] == before


def test_resume__damaged_manifest__is_refused(finished):
    (finished / "manifest.json").write_text('{"format": "prummy-run", "version": 4}')
    message = fails("tournament", "--resume", "--out", str(finished))
    assert "manifest.json was changed or damaged after it was written" in message


def test_tournament__disk_fills_up__says_how_to_go_on(tmp_path, monkeypatch):
    """A run that cannot write its parts ends with a message, and what was played is kept."""
    write, calls = LocalStorage.write, []

    def full(storage: LocalStorage, name: str, data: bytes) -> None:
        calls.append(name)
        if len(calls) > 3:  # the manifest and two parts
            raise OSError(28, os.strerror(28))
        write(storage, name, data)

    monkeypatch.setattr(LocalStorage, "write", full)
    message = fails("tournament", *SMALL, "--jobs", "1", "--out", str(tmp_path / "run"))
    assert "No space left on device; what was played is kept, go on with: prummy" in message
    monkeypatch.undo()
    assert len(parts(tmp_path / "run")) == 2
    found = run_json("tournament", "--resume", "--out", str(tmp_path / "run"))
    assert found["digest"] == run_json("tournament", *SMALL, "--out", str(tmp_path / "b"))["digest"]


def test_tournament__strategy_that_fails__exit_code_1(tmp_path):
    spec = write_strategy(tmp_path, "Bot", discard="return 56")
    arguments = ["tournament", "greedy", "random", spec, "-n", "20", "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [set(row) >= {"strategy", "kind", "evidence"} for row in found["failures"]] == [True]
    assert "Bot failed, its pairings are void: " in result.stderr
    assert [(row["a"], row["b"]) for row in found["pairings"]] == [("greedy", "random")]
    assert {row["strategy"] for row in found["standings"]} == {"greedy", "random"}
    assert manifest(tmp_path / "run")["failures"] == found["failures"]
