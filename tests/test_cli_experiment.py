"""Experiments as files, and runs that are played again."""

from dataclasses import fields
from pathlib import Path

import pytest
from command import fails, run_json
from small_runs import write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.commands.experiment import read_experiment
from persian_rummy.commands.settings import Settings
from persian_rummy.sim.store import RunFolder

WHOLE = """
strategies = ["greedy", "b=miser"]
matches = 40
seed = 8
keep = "sample=10"
format = "gauntlet"
jobs = 1

[rules]
preset = "rummy500"
min_run = 4
"""


def write(folder: Path, text: str) -> str:
    path = folder / "experiment.toml"
    path.write_text(text)
    return str(path)


def test_experiment__says_all_that_a_command_line_can(tmp_path):
    told = run_json("run", write(tmp_path, WHOLE), "--out", str(tmp_path / "a"))
    options = ["--seed", "8", "-n", "40", "--keep", "sample=10", "--format", "gauntlet"]
    rules = ["--rules", "rummy500", "--rule", "min_run=4"]
    words = ["greedy", "b=miser", *options, *rules]
    line = run_json("tournament", *words, "--out", str(tmp_path / "b"))
    assert told["digest"] == line["digest"]
    for name in ("plan", "keep"):
        one, two = (RunFolder(tmp_path / run).read_manifest()[name] for run in "ab")
        assert one == two


def test_experiment__every_option_of_a_tournament__has_its_key():
    import typer

    options = typer.main.get_command(app).commands["tournament"].params  # type: ignore[attr-defined]
    names = {option.opts[0].lstrip("-") for option in options}
    assert names - {"entries", "resume", "extend", "json", "help"} == {
        item.name.replace("_", "-") for item in fields(Settings) if item.name != "strategies"
    }


def test_experiment__folder_in_the_file__is_used(tmp_path):
    text = WHOLE.replace("jobs = 1", f'out = "{tmp_path}/here"')
    assert run_json("run", write(tmp_path, text))["folder"] == f"{tmp_path}/here"


FAULTS = {
    "unknown key": ("matchs = 4\nseed = 1", ["line 1: matchs: there is no such key", "matches?"]),
    "wrong type": ('seed = 1\nmatches = "4"', ["line 2: matches: '4' is not a whole number"]),
    "true for a number": ("matches = true", ["line 1: matches: True is not a whole number"]),
    "number for text": ("keep = 4", ["line 1: keep: 4 is not text"]),
    "list of numbers": ("strategies = [1]", ["strategies: [1] is not a list of texts"]),
    "rules of a number": ("rules = 4", ["rules: neither text nor a table of house rules"]),
    "several": ("seed = 1.5\n\nx = 1\njobs = []", ["line 1: seed", "line 3: x", "line 4: jobs"]),
    "odd matches": ("seed = 3\nmatches = 3", ["line 2: matches: 3: give an even number"]),
    "house rule": (
        "seed = 3\n[rules]\nmin_run = 9",
        ["line 3: rules: rule min_run: 9 is not one of 3, 4, 5"],
    ),
    "unknown house rule": ("[rules]\nminrun = 4", ["line 2: rules: unknown rule", "min_run?"]),
    "unknown strategy": (
        '\nstrategies = ["greedy", "misr"]',
        ["line 2: strategies: unknown strategy 'misr'; did you mean miser?"],
    ),
    "dashes": ('max-time = "soon"', ["line 1: max-time: 'soon': write for instance"]),
    "no TOML": ("seed = 1\nmatches = [}\n", ["not valid TOML", "line 2"]),
    "doubled key": ("seed = 1\nseed = 2\nx = 3\n", ["not valid TOML", "line 2"]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_experiment__fault__is_named_with_line_and_key_before_anything_is_played(tmp_path, name):
    text, says = FAULTS[name]
    file = write(tmp_path, text)
    message = fails("run", file, "--out", str(tmp_path / "run"))
    assert message.startswith(f"prummy: {file}")
    for words in says:
        assert words in message
    assert not (tmp_path / "run").exists()


def test_experiment__empty__needs_strategies(tmp_path):
    assert "needs two strategies or more" in fails("run", write(tmp_path, ""))
    assert read_experiment(tmp_path / "experiment.toml") == Settings()


def test_experiment__file_that_is_no_text__says_so(tmp_path):
    (tmp_path / "e.toml").write_bytes(b"\xff\xfe")
    assert "cannot be read" in fails("run", str(tmp_path / "e.toml"))


def test_run__of_a_folder__is_played_again_and_compared(tmp_path):
    told = run_json("tournament", "greedy", "random", "-n", "40", "--out", str(tmp_path / "run"))
    before = {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()}
    again = run_json("run", str(tmp_path / "run"))
    assert again == {"digest": told["digest"], "was": told["digest"], "same": True, "matches": 40}
    assert {p: p.read_bytes() for p in (tmp_path / "run").rglob("*") if p.is_file()} == before
    kept = run_json("run", str(tmp_path / "run"), "--out", str(tmp_path / "kept"))
    assert kept["same"]
    assert RunFolder(tmp_path / "kept").read_manifest()["digest"] == told["digest"]


def test_run__of_a_folder_with_another_digest__exit_code_1(tmp_path):
    run_json("tournament", "greedy", "random", "-n", "40", "--out", str(tmp_path / "run"))
    run = RunFolder(tmp_path / "run")
    run.write_manifest(run.read_manifest() | {"digest": "0" * 32})
    result = CliRunner().invoke(app, ["run", str(tmp_path / "run")])
    assert result.exit_code == 1
    assert f"NOT the same: it was {'0' * 32}" in result.stdout


def test_run__of_a_folder_whose_strategy_has_changed__is_refused(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    run_json("tournament", spec, "random", "-n", "4", "--out", str(tmp_path / "run"))
    path = Path(spec.rpartition(":")[0])
    path.write_text(path.read_text() + "# another thought\n")
    message = fails("run", str(tmp_path / "run"))
    assert "cannot be played again: strategy Bot" in message
    assert "is not the version that the run began with" in message


def test_run__of_an_unfinished_folder__is_refused(tmp_path):
    words = ["greedy", "random", "-n", "40", "--max-matches", "4", "--out", str(tmp_path / "run")]
    assert CliRunner().invoke(app, ["tournament", *words]).exit_code == 3
    assert "is not finished" in fails("run", str(tmp_path / "run"))


def test_run__of_nothing__says_so(tmp_path):
    assert "holds no run" in fails("run", str(tmp_path / "nothing"))
