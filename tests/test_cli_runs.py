"""Runs that grow, stop at limits, lie elsewhere; the commands on folders of runs."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command import fails, run, run_json
from hostile import write_hostile, write_slow
from small_runs import parts_of, write_with_helper
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.sim.store import RunFolder

PROGRAM = [sys.executable, "-c", "from persian_rummy.cli import app; app()"]
SMALL = ["greedy", "random", "-n", "40", "--seed", "8"]


def play(folder: Path, *words: str) -> Any:
    return run_json("tournament", *words, "--out", str(folder))


def written(folder: Path) -> dict[str, int]:
    return {part.name: part.stat().st_mtime_ns for part in parts_of(folder)}


def test_extend__strategies_and_matches__equals_a_fresh_run_and_plays_only_what_is_missing(
    tmp_path,
):
    first = play(tmp_path / "run", *SMALL)
    before = written(tmp_path / "run")
    more = ["miser", "b=greedy[pile_bias=3]", "-n", "60"]
    grown = play(tmp_path / "run", "--extend", *more)
    fresh = play(tmp_path / "fresh", "greedy", "random", *more, "--seed", "8")
    assert grown["digest"] == fresh["digest"] != first["digest"]
    assert (grown["matches"], grown["status"]) == (6 * 60, "finished")
    assert grown["pairings"] == fresh["pairings"]
    assert before.items() <= written(tmp_path / "run").items()
    assert "whole" in run("runs", "check", str(tmp_path / "run"))
    again = play(tmp_path / "run", "--extend")
    assert again["digest"] == grown["digest"]


@pytest.mark.parametrize("keep", ["none", "sample=20"])
def test_extend__fewer_rows_kept__equals_a_fresh_run(tmp_path, keep):
    play(tmp_path / "run", *SMALL, "--keep", keep)
    grown = play(tmp_path / "run", "--extend", "miser", "-n", "3000")
    fresh = play(tmp_path / "fresh", "greedy", "random", "miser", "-n", "3000", "--seed", "8")
    assert grown["digest"] == fresh["digest"]
    assert "whole" in run("runs", "check", str(tmp_path / "run"))


@pytest.mark.parametrize("changed", ["bot.py", "helper.py"])
def test_extend__strategy_that_was_edited__is_played_anew_and_said(tmp_path, changed):
    spec = write_with_helper(tmp_path)
    play(tmp_path / "run", "greedy", "random", spec, "-n", "40")
    before = written(tmp_path / "run")
    file = tmp_path / "bot" / changed
    file.write_text(file.read_text() + "\n# another thought\n")
    arguments = ["tournament", "--extend", "--out", str(tmp_path / "run"), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "Bot has changed since it was played: its pairings are played anew" in result.stderr
    after = written(tmp_path / "run")
    assert before.items() <= after.items()  # greedy with random is not played again
    told = run_json("runs", "check", str(tmp_path / "run"))
    assert (told["valid"], len(told["orphans"])) == (True, 2 * (len(before) // 3))
    assert run_json("runs", "gc", str(tmp_path / "run"), "--dry-run")["removed"] == told["orphans"]
    assert written(tmp_path / "run") == after
    run("runs", "gc", str(tmp_path / "run"))
    assert run_json("runs", "check", str(tmp_path / "run"))["orphans"] == []
    assert len(written(tmp_path / "run")) == len(after) - len(told["orphans"])


def test_extend__neighbour_that_was_edited__is_no_change_of_the_others(tmp_path):
    spec = write_with_helper(tmp_path)
    other = tmp_path / "bot" / "other.py"
    other.write_text((tmp_path / "bot" / "bot.py").read_text())
    told = play(tmp_path / "run", "greedy", spec, f"b={other}:Bot", "-n", "40")
    before = written(tmp_path / "run")
    other.write_text(other.read_text() + "\n# another thought\n")
    arguments = ["tournament", "--extend", "--out", str(tmp_path / "run"), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.stderr.count("has changed since it was played") == 1
    assert "b has changed since it was played" in result.stderr
    assert json.loads(result.stdout)["digest"] == told["digest"]
    new = written(tmp_path / "run").keys() - before.keys()
    assert len({name.split("-")[1] for name in new}) == 2  # its two pairings, and no others


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["-n", "20"], "--matches 20: the run in "),
        (["--seed", "9"], "with seed 8, not 9"),
        (["--rule", "min_run=4"], "is another run, with house rules persian"),
        (["--keep", "none"], "with keep all, not none"),
        (["--format", "gauntlet"], "with format round-robin, not gauntlet"),
        (["misr"], "did you mean miser?"),
        (["x=greedy", "x=miser"], "two entries are called 'x'"),
        (["--resume"], "give one of them"),
    ],
)
def test_extend__what_cannot_be__is_refused_and_changes_nothing(tmp_path, options, says):
    play(tmp_path / "run", *SMALL)
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    assert says in fails("tournament", "--extend", *options, "--out", str(tmp_path / "run"))
    assert {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()} == before


def test_extend__without_a_folder__says_so():
    assert "--extend needs --out" in fails("tournament", "--extend", "greedy")


@pytest.mark.parametrize("option", [["--max-matches", "30"], ["--max-time", "0.000001s"]])
def test_limit__is_reached__exit_code_3_and_how_to_go_on(tmp_path, option):
    whole = play(tmp_path / "whole", *SMALL)
    arguments = ["tournament", *SMALL, *option, "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 3
    assert f"stopped by {option[0]} after" in result.stderr
    assert f"go on with: prummy tournament --resume --out {tmp_path}/run" in result.stderr
    assert json.loads(result.stdout)["status"] == "interrupted"
    assert play(tmp_path / "run", "--resume")["digest"] == whole["digest"]


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--max-time", "soon", "--max-time 'soon': write for instance 90s"),
        ("--max-time", "0", "--max-time '0'"),
        ("--max-time", "-3s", "--max-time '-3s'"),
        ("--max-memory", "2XB", "--max-memory '2XB': write for instance 800MB or 2GB"),
        ("--deal-time", "1e9", "--deal-time '1e9'"),
        ("--max-matches", "1", "--max-matches 1: give a whole number from 2"),
        ("--keep", "some", "--keep 'some' is not all, none or sample=MATCHES"),
        ("--shard", "3/2", "--shard '3/2': write K/N"),
        ("--shard", "0/2", "--shard '0/2': write K/N"),
        ("--engine", "ray", "--engine 'ray': there are auto, processes, dask"),
        ("--log-level", "loud", "--log-level 'loud': there are debug"),
    ],
)
def test_option__that_cannot_be__is_refused_before_anything(tmp_path, option, value, says):
    assert says in fails("tournament", *SMALL, option, value, "--out", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_scheduler__with_another_engine__is_refused(tmp_path):
    words = ["--scheduler", "tcp://x:1", "--engine", "processes"]
    assert "goes with --engine dask only" in fails("tournament", *SMALL, *words)


def test_limits__of_strategies__are_told_the_children(tmp_path):
    spec = write_hostile(tmp_path, "Loops", when="True")
    arguments = ["tournament", "greedy", spec, "-n", "2", "--deal-time", "1s"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run"), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["failures"][0]["kind"].endswith("took more than 1 s")


def test_shards__merged__are_the_run_of_one_machine(tmp_path):
    words = ["greedy", "random", "miser", "-n", "300"]
    whole = play(tmp_path / "whole", *words)
    for number in (1, 2, 3):
        shard = tmp_path / f"shard {number}"
        text = run("tournament", *words, "--shard", f"{number}/3", "--out", str(shard))
        assert f"shard {number}/3 is played (300 of 900 matches)" in text
    shards = [str(tmp_path / f"shard {number}") for number in (3, 1, 2)]
    told = run_json("runs", "merge", *shards, "--out", str(tmp_path / "merged"))
    assert (told["digest"], told["status"]) == (whole["digest"], "finished")
    page = run_json("report", str(tmp_path / "merged"))["page"]
    assert Path(page).is_file()
    assert "holds a run already" in fails(
        "runs", "merge", *shards, "--out", str(tmp_path / "merged")
    )


def test_merge__part_of_the_shards__says_what_to_do(tmp_path):
    run("tournament", *SMALL, "--shard", "1/2", "--out", str(tmp_path / "a"))
    arguments = ["runs", "merge", str(tmp_path / "a"), "--out", str(tmp_path / "m")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "20 of 40 matches" in result.stdout
    assert f"prummy tournament --resume --out {tmp_path}/m" in result.stderr


def test_runs_ls__and_show__tell_what_there_is(tmp_path):
    told = play(tmp_path / "one", *SMALL)
    run("tournament", *SMALL, "--max-matches", "4", "--out", str(tmp_path / "two"), code=3)
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "manifest.json").write_text("{")
    rows = {Path(row["run"]).name: row for row in run_json("runs", "ls", str(tmp_path))}
    assert {name: row["status"] for name, row in rows.items()} == {
        "one": "finished",
        "two": "interrupted",
        "three": "damaged",
    }
    assert (rows["one"]["digest"], rows["one"]["matches"]) == (told["digest"], 40)
    text = run("runs", "ls", str(tmp_path))
    assert len(text.splitlines()) == 3
    assert f"{tmp_path}/two  interrupted  4 of 40 matches  seed 8" in text
    shown = run("runs", "show", str(tmp_path / "one"))
    assert told["digest"] in shown
    assert "prummy" in shown
    about = run_json("runs", "show", str(tmp_path / "one"))
    assert about["bytes"] == sum(
        path.stat().st_size for path in (tmp_path / "one").rglob("*") if path.is_file()
    )
    assert f"{tmp_path}/nothing is no folder" in fails("runs", "ls", str(tmp_path / "nothing"))
    assert "holds no run" in fails("runs", "show", str(tmp_path))


def test_runs_check__damage__exit_code_1_and_the_way_out(tmp_path):
    digest = play(tmp_path / "run", *SMALL)["digest"]
    hurt = parts_of(tmp_path / "run")[0]
    hurt.write_bytes(hurt.read_bytes()[:-1] + b"?")
    text = run("runs", "check", str(tmp_path / "run"), code=1)
    assert f"{hurt.name} is damaged" in text
    assert f"prummy tournament --resume --out {tmp_path}/run" in text
    assert CliRunner().invoke(app, ["runs", "check", str(tmp_path), "--json"]).exit_code == 1
    result = CliRunner().invoke(app, ["tournament", "--resume", "--out", str(tmp_path / "run")])
    assert "is damaged: its contents differ from its checksum; its boards are" in result.stderr
    assert run_json("runs", "check", str(tmp_path / "run"))["digest"] == digest


def test_tournament__in_a_folder_at_work__is_refused(tmp_path):
    play(tmp_path / "run", *SMALL)
    with RunFolder(tmp_path / "run").storage.lock():
        for words in (["--resume"], ["--extend", "miser"]):
            message = fails("tournament", *words, "--out", str(tmp_path / "run"))
            assert f"another process is at work in {tmp_path}/run" in message
        assert "another process is at work" in fails("runs", "gc", str(tmp_path / "run"))
    play(tmp_path / "run", "--resume")


def test_tournament__into_a_url__is_read_from_there(tmp_path):
    place = f"memory://runs/{tmp_path.name}"
    told = run_json("tournament", *SMALL, "--out", place)
    assert told["digest"] == play(tmp_path / "here", *SMALL)["digest"]
    assert run_json("runs", "check", place)["valid"]
    assert run_json("tournament", "--extend", "-n", "60", "--out", place)["matches"] == 60
    assert "name one with --out" in fails("report", place)
    page = run_json("report", place, "--out", str(tmp_path / "site"))["page"]
    assert Path(page).is_file()
    assert b"finished: 60 matches" in RunFolder(place).storage.read("run.log")


def test_log__tells_level_by_level(tmp_path):
    for level, lines in (("error", 0), ("info", 2)):
        play(tmp_path / level, *SMALL, "--log-level", level)
        text = (tmp_path / level / "run.log").read_text()
        assert len(text.splitlines()) == lines
    assert "INFO finished: 40 matches" in text


def test_tournament__stopped_with_a_child_in_an_endless_loop__leaves_nobody_behind(tmp_path):
    psutil = pytest.importorskip("psutil")
    spec = write_hostile(tmp_path, "Loops", when="True")
    process = subprocess.Popen(
        [*PROGRAM, "tournament", spec, "random", "-n", "40", "--out", str(tmp_path / "run")],
        stderr=subprocess.PIPE,
        text=True,
    )
    about = psutil.Process(process.pid)
    deadline = time.monotonic() + 120
    children: list[Any] = []
    while not any(child.cpu_times().user > 2 for child in children if child.is_running()):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
        children = about.children(recursive=True)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "once more stops at once" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    process.stderr.close()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive


def test_tournament__slow_strategy_of_a_file__is_stopped_between_blocks(tmp_path):
    spec = write_slow(tmp_path, 100_000)
    arguments = ["tournament", spec, "random", "-n", "2000", "--max-time", "2s"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run"), "--json"])
    assert result.exit_code == 3
    assert 0 < json.loads(result.stdout)["matches"] < 2000
    assert os.path.exists(tmp_path / "run" / "run.log")
