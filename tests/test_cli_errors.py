"""Mistakes of the user: a message that says what to do, exit code 2, no traceback, no folder."""

import os
from pathlib import Path

import pytest
from command import fails
from small_runs import write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app

TWO = ["greedy", "random", "-n", "4"]
HUGE = str(2**64)


def made(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


BAD_TOURNAMENTS = {
    "unknown strategy": (["gredy", "random"], "unknown strategy 'gredy'; did you mean greedy"),
    "one of many unknown": (["greedy", "random", "hunte"], "did you mean hunter"),
    "one name twice": (["greedy", "greedy"], "two entries are called 'greedy': give labels"),
    "one label twice": (["a=greedy", "a=random"], "two entries are called 'a'"),
    "all and a label of one": (["--all", "miser=random"], "two entries are called 'miser'"),
    "one strategy": (["greedy"], "needs two strategies or more"),
    "none": ([], "needs two strategies or more"),
    "odd N": ([*TWO[:2], "-n", "7"], "--matches 7: give an even number"),
    "N = 0": ([*TWO[:2], "-n", "0"], "--matches 0: give an even number"),
    "negative N": ([*TWO[:2], "-n", "-2"], "--matches -2: give an even number"),
    "N that is no number": ([*TWO[:2], "-n", "many"], "unable to parse string as an integer"),
    "too many to add up": ([*TWO[:2], "-n", str(2 * 10**13)], "cannot be added up exactly"),
    "parameter out of bounds": (["greedy[pile_bias=999]", "random"], "is not between -200 and 200"),
    "unknown parameter": (
        ["greedy[bias=1]", "random"],
        "has no parameter 'bias'; it has pile_bias",
    ),
    "negative seed": ([*TWO, "--seed", "-1"], "--seed -1: give a whole number from 0 to 1844674"),
    "huge seed": ([*TWO, "--seed", HUGE], f"--seed {HUGE}: give a whole number"),
    "unknown rule": (
        [*TWO, "--rule", "min_runn=4"],
        "unknown rule 'min_runn'; did you mean min_run",
    ),
    "value of a rule": ([*TWO, "--rule", "min_run=6"], "rule min_run: 6 is not one of 3, 4, 5"),
    "rule without value": ([*TWO, "--rule", "min_run"], "write NAME=VALUE"),
    "unknown preset": ([*TWO, "--rules", "rumy500"], "persian, rummy500"),
    "missing TOML": ([*TWO, "--rules", "no.toml"], "no.toml"),
    "format": ([*TWO, "--format", "swiss"], "there are round-robin, gauntlet"),
    "jobs": ([*TWO, "--jobs", "0"], "--jobs 0: give a whole number from 1"),
    "block": ([*TWO, "--block", "0"], "--block 0: give a whole number from 1"),
    "missing file": (["no.py:Bot", "random"], "strategy file no.py does not exist"),
    "resume nothing": (["--resume"], "--resume needs --out"),
    "resume nowhere": (["--resume", "--out", "nowhere"], "nowhere holds no run"),
}


@pytest.mark.parametrize(("arguments", "says"), BAD_TOURNAMENTS.values(), ids=BAD_TOURNAMENTS)
def test_tournament__bad_input__says_what_to_do(here, arguments, says):
    message = fails("tournament", *arguments)
    assert says in " ".join(message.split())
    if "unable to parse" not in says:  # typer's own messages are boxed
        assert message.startswith("prummy: ")
        assert len(message.splitlines()) <= 3
    assert made(here) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("min_run = ", "not valid TOML"),
        ("min_run = 9", "rule min_run: 9 is not one of"),
        ("minrun = 3", "did you mean min_run"),
        ('preset = "poker"', "unknown preset 'poker'"),
        ("[points]\n2 = 5", "the table lacks 3"),
        ("jokers = true", "rule jokers: True is not one of"),
    ],
)
@pytest.mark.parametrize("command", ["tournament", "match", "rules"])
def test_toml__broken__names_the_file(here, text, says, command):
    (here / "house.toml").write_text(text)
    players = [] if command == "rules" else ["greedy", "random"]
    message = fails(command, *players, "--rules", "house.toml")
    assert message.startswith("prummy: rules file house.toml: ")
    assert says in message
    assert made(here) == ["house.toml"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def f(:\n", "bot.py, line 1: invalid syntax"),
        ("x = 1\n", "bot.py has no class 'Bot'"),
        ("import nothing_at_all\n", "No module named 'nothing_at_all'"),
    ],
)
def test_strategy_file__broken__names_the_file_and_line(here, text, says):
    (here / "bot.py").write_text(text)
    for command in (["tournament", "bot.py:Bot", "random"], ["match", "bot.py:Bot", "random"]):
        assert says in fails(*command)
    assert says in fails("strategies", "show", "bot.py:Bot")
    assert made(here) == ["bot.py"]


def test_hook__that_does_not_compile__is_found_before_a_folder_is_made(here):
    spec = write_strategy(here / "bots", "Bot", meld="return view.hnad")
    for command in ("tournament", "match"):
        message = fails(command, spec, "random")
        assert "Bot.meld does not compile: there is no field 'hnad'" in message
        assert 'bot.py", line 12' in message
    assert made(here) == ["bots", "bots/bot", "bots/bot/bot.py"]


def test_out__file_in_the_way__is_refused(here):
    (here / "file").write_text("mine")
    for out in ("file", "file/run"):
        message = fails("tournament", *TWO, "--out", out)
        assert message.startswith(f"prummy: cannot write to {out}: ")
    assert made(here) == ["file"]
    assert (here / "file").read_text() == "mine"


def test_out__folder_without_permission__is_refused(here, monkeypatch):
    """Without a real one, since root, who may run the tests, may write anywhere."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    message = fails("tournament", *TWO, "--out", "locked/run")
    assert f"cannot write to locked/run: no permission in {here}" in message
    assert made(here) == []


def test_out__folder_with_other_files__is_refused(here):
    (here / "notes").mkdir()
    (here / "notes" / "a.txt").write_text("mine")
    assert "is not empty and holds no run" in fails("tournament", *TWO, "--out", "notes")
    assert made(here) == ["notes", "notes/a.txt"]


def test_out__folder_of_a_run__is_refused_and_left_alone(here):
    assert CliRunner().invoke(app, ["tournament", *TWO, "--out", "run"]).exit_code == 0
    before = {path: path.stat().st_mtime_ns for path in (here / "run").rglob("*")}
    message = fails("tournament", *TWO, "--seed", "2", "--out", "run")
    assert "run holds a run already: go on with it by --resume, or name another" in message
    assert {path: path.stat().st_mtime_ns for path in (here / "run").rglob("*")} == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["greedy"], "a match takes two strategies, or four"),
        (["greedy", "random", "hunter"], "a match takes two strategies, or four"),
        (["greedy", "radnom"], "did you mean random"),
        (["greedy", "random", "--rotation", "2"], "--rotation 2: give 0 or 1"),
        (["greedy", "random", "--board", "-1"], "--board -1: give a whole number from 0"),
        (["greedy", "random", "--board", str(2**63)], "give a whole number"),
        (["greedy", "random", "--seed", HUGE], "give a whole number from 0"),
        (["greedy", "random", "--rule", "deals=0"], "rule deals: 0 is not a whole number from 1"),
    ],
)
def test_match__bad_input__says_what_to_do(arguments, says):
    assert says in fails("match", *arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["draw", "A", "B", "C"], "the draw takes four different names"),
        (["draw", "A", "B", "C", "A"], "the draw takes four different names"),
        (["draw", "A", "B", "C", "D", "--seed", "-1"], "--seed -1"),
        (["bench", "--seconds", "0"], "--seconds 0: give a number above 0"),
        (["strategies", "show", "gredy"], "did you mean greedy"),
        (["report", "nowhere"], "nowhere holds no run"),
        (["verify", "nowhere.jsonl"], "nowhere.jsonl: cannot be read: No such file"),
        (["verify", "."], "cannot be read: Is a directory"),
        (["perft", "nowhere.json"], "nowhere.json: cannot be read"),
        (["perft", "pyproject.json", "--depth", "-1"], "--depth -1: give a whole number from 0"),
    ],
)
def test_other_commands__bad_input__say_what_to_do(here, arguments, says):
    assert says in fails(*arguments)
    assert made(here) == []
