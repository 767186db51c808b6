"""`prummy strategies`: new, check, show, as somebody who writes his own would use them."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from small_runs import write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.strategies.registry import parse_entry


def prummy(*arguments: str, code: int = 0):
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("python", [False, True])
def test_new__then_a_tournament__plays_what_it_wrote(python):
    said = prummy("strategies", "new", "my_bot.py", *(["--python"] if python else []))
    assert "prummy strategies check my_bot.py:MyBot" in said.stdout
    text = Path("my_bot.py").read_text()
    assert "prummy tournament greedy my_bot.py:MyBot" in text
    command = ("tournament", "random", "my_bot.py:MyBot", "--matches", "40", "-o", "run", "--json")
    found = json.loads(prummy(*command).stdout)
    assert found["failures"] == []
    best = found["standings"][0]
    assert best["strategy"] == "MyBot"
    assert best["win_share"]["low"] > 0.6


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("bot", "a strategy file is named like my_bot.py"),
        ("9bot.py", "a strategy file is named like my_bot.py"),
        ("my-bot.py", "a strategy file is named like my_bot.py"),
        ("class.py", "cannot be the name of a module"),
        ("_.py", "cannot be the name of a module"),
        ("random.py", "Python has a module 'random'"),
        ("a=b/bot.py", "a path with = could not be entered"),
        ("nowhere/bot.py", "cannot be written: No such file or directory"),
    ],
)
def test_new__impossible_name__is_refused(name, says):
    assert says in prummy("strategies", "new", name, code=2).stderr
    assert list(Path().iterdir()) == []


def test_new__file_that_exists__is_left_as_it_is():
    Path("bot.py").write_text("mine")
    assert "exists already" in prummy("strategies", "new", "bot.py", code=2).stderr
    assert Path("bot.py").read_text() == "mine"


def test_new__path_with_a_space__prints_commands_that_work():
    Path("my bots").mkdir()
    said = prummy("strategies", "new", "my bots/bot.py").stdout
    (command,) = [line for line in said.splitlines() if "check" in line]
    words = shlex.split(command)[1:]
    assert words == ["strategies", "check", "my bots/bot.py:Bot"]
    assert "a path" not in prummy("strategies", "show", words[-1]).stdout


def test_match__beside_a_file_called_as_a_module_of_python__plays(tmp_path):
    """A child must not take the user's random.py for Python's."""
    Path("random.py").write_text("raise SystemExit('not this one')")
    spec = write_strategy(tmp_path, "Bot")
    command = [sys.executable, "-c", "from persian_rummy.cli import app; app()", "match", "greedy"]
    done = subprocess.run(
        [command[0], "-P", *command[1:], spec], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "match: " in done.stdout


def test_check__honest_and_faulty__tells_by_line_and_exit_code(tmp_path):
    honest = write_strategy(tmp_path, "Honest")
    lines = prummy("strategies", "check", honest).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["ok"] * 10
    faulty = write_strategy(tmp_path, "Faulty", discard="return 70")
    said = prummy("strategies", "check", faulty, "--json", code=1)
    verdicts = {row["check"]: row for row in json.loads(said.stdout)}
    assert verdicts["compiles"]["status"] == "ok"
    assert verdicts["legal"]["status"] == "fail"
    assert "discard answered 70" in verdicts["legal"]["detail"]
    assert verdicts["hidden"]["status"] == "not run"


def test_check__warning__is_no_failure(tmp_path):
    spec = write_strategy(tmp_path, "Warm", meld="return np.int64(0 * np.exp(0.0))")
    lines = prummy("strategies", "check", spec).stdout.splitlines()
    assert any(line.startswith("warning  arithmetic  warm.py, line") for line in lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no_such", "unknown strategy 'no_such'"),
        ("no_file.py:Bot", "no_file.py does not exist"),
        ("greedy[x=1]", "has no parameter 'x'"),
    ],
)
def test_check__of_nobody__is_refused(text, says):
    assert says in prummy("strategies", "check", text, code=2).stderr


def test_check__impossible_time__is_refused():
    said = prummy("strategies", "check", "greedy", "--deal-time", "x", code=2)
    assert "--deal-time 'x': write for instance 10s" in said.stderr


def test_show__of_a_file__tells_version_author_and_where(tmp_path):
    more = "version = '2.1'\nauthor = 'Ann'\nsource = 'a book'"
    spec = write_strategy(tmp_path, "Bot", more=more)
    said = prummy("strategies", "show", spec).stdout
    path = parse_entry(spec).source
    for line in ("Version: 2.1", "Author: Ann", "Source: a book", f"File: {path}"):
        assert line in said.splitlines()
    told = json.loads(prummy("strategies", "show", spec, "--json").stdout)
    assert (told["version"], told["author"], told["source"]) == ("2.1", "Ann", "a book")


def test_match__two_strategies_of_one_name__asks_for_labels(tmp_path):
    one, other = (write_strategy(tmp_path / place, "Bot") for place in ("one", "other"))
    said = prummy("match", one, "greedy", other, "greedy", code=2).stderr
    assert "two entries are called 'Bot': give labels" in said
    prummy("match", one, "greedy", one, "greedy")  # the same one twice is a team
