"""prummy compare: stopped in every way and gone on with, extended, and of runs played before."""

import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command import fails, run, run_json
from small_runs import write_strategy

from persian_rummy.sim.manifest import ManifestError, check_manifest
from persian_rummy.sim.store import RunFolder

START = "from persian_rummy.commands.common import Progress; Progress.WAIT_SECONDS = 0; "
PROGRAM = [sys.executable, "-c", START + "from persian_rummy.cli import app; app()"]
TWO = ["hunter", "doubler", "--seed", "2"]
LONG = [*TWO, "--stop", "precision=0.01", "--max-boards", "400"]


def manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a comparison that nothing disturbs prints, and its digest."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    found = run_json("compare", *LONG, "--out", str(folder))
    return {**found, "folder": None, "digest": manifest(folder)["digest"]}


def start(folder: Path) -> subprocess.Popen[str]:
    """Start the comparison in a process; return when it has looked some times."""
    process = subprocess.Popen(
        [*PROGRAM, "compare", *LONG, "--jobs", "1", "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not (folder / "manifest.json").exists() or manifest(folder)["plan"]["boards"] < 70:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return process


def test_compare__killed__goes_on_to_the_same_verdict(tmp_path, whole):
    folder = tmp_path / "run"
    process = start(folder)
    process.kill()
    process.communicate(timeout=60)
    told = manifest(folder)
    assert told["plan"]["boards"] < 400
    assert told["stop"] == {"boards": 400, "extended_after": 0, "precision": 0.01}
    if told["status"] == "running":
        message = fails("report", str(folder))
        assert f"prummy compare --resume --out {folder} goes on with it" in message
    found = run_json("compare", "--resume", "--out", str(folder))
    assert {**found, "folder": None, "digest": manifest(folder)["digest"]} == whole
    again = run_json("compare", "--resume", "--out", str(folder))
    assert again == found


def test_compare__ctrl_c__prints_the_command_that_goes_on(tmp_path, whole):
    folder = tmp_path / "my run"
    process = start(folder)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "ETA" not in err  # it is no terminal
    assert out.startswith("no verdict on hunter and doubler: stopped by hand after ")
    assert "95 % at every look" in out
    match = re.search(r"stopped after ([\d,]+) of at most 400 boards; go on with: (.*)\n", err)
    assert match is not None
    played = int(match[1].replace(",", ""))
    assert f"stopped by hand after {played:,} boards" in out
    assert manifest(folder)["matches"] == 2 * played
    words = shlex.split(match[2])
    assert words == ["prummy", "compare", "--resume", "--out", str(folder)]
    found = run_json(*words[1:])
    assert {**found, "folder": None, "digest": manifest(folder)["digest"]} == whole


def test_compare__on_a_terminal__shows_one_bar_for_all_its_looks(tmp_path):
    ours, its = pty.openpty()
    words = [*TWO, "--stop", "sprt", "--max-boards", "400", "--out", str(tmp_path / "run")]
    environment = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
    process = subprocess.Popen(
        [*PROGRAM, "compare", *words], stdout=subprocess.DEVNULL, stderr=its, env=environment
    )
    os.close(its)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait() == 0
    text = shown.decode()
    assert text.count("\x1b[?25l") == 1  # a bar hides the cursor when it begins
    boards = [int(n) for n in re.findall(r"(\d+) of at most 400 boards", text)]
    assert boards == sorted(boards)
    assert len(set(boards)) > 3
    assert re.search(r"[\d,]+/s +ETA 0:00:\d\d", text)
    assert re.search(r"[+−][\d.]+ ± [\d.]+ +LLR −?\d\.\d\d \(−2\.94 to 2\.94\)", text)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small comparison that has ended."""
    folder = tmp_path_factory.mktemp("ended") / "run"
    words = ["greedy", "hunter", "--stop", "precision=60", "--max-boards", "900"]
    run("compare", *words, "--seed", "3", "--out", str(folder))
    return folder


@pytest.fixture
def finished(ended: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(ended, tmp_path / "run"))


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["greedy", "hunter"],
        ["--stop", "precision=60"],
        ["--max-boards", "900", "--seed", "3"],
        ["--rules", "persian", "--jobs", "1"],
    ],
)
def test_resume__same_options_or_none__says_the_same(finished, options):
    before = manifest(finished)
    found = run_json("compare", "--resume", *options, "--out", str(finished))
    assert found["verdict"] == "worse"
    assert found["matches"] == before["matches"] == manifest(finished)["matches"]
    assert manifest(finished)["digest"] == before["digest"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--stop", "precision=70"], "with stop precision=60 --max-boards 900, not precision=70"),
        (["--stop", "boards=900"], "with stop precision=60 --max-boards 900, not boards=900"),
        (["--max-boards", "800"], "not precision=60 --max-boards 800"),
        (["--stop", "sprt", "--elo1", "7"], "not sprt --max-boards 900 --elo0 0.0 --elo1 7.0"),
        (["--elo1", "7"], "--elo1 goes with --stop sprt only"),
        (["--seed", "4"], "with seed 3, not 4"),
        (["hunter", "greedy"], "is another run, with entries"),
        (["--rule", "min_run=4"], "is another run, with house rules persian"),
        (["--extend"], "--resume goes on with a comparison as it is"),
        (["--run", "x"], "--resume goes on with a comparison as it is"),
    ],
)
def test_resume__other_options__are_refused(finished, options, says):
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*")}
    message = fails("compare", "--resume", *options, "--out", str(finished))
    assert says in message
    assert {path: path.stat().st_mtime_ns for path in finished.rglob("*")} == before


def test_extend__more_boards__leads_by_the_sequence_and_says_so(finished, tmp_path):
    looked = manifest(finished)["plan"]["boards"]
    found = run_json("compare", "--extend", "--stop", "boards=300", "--out", str(finished))
    assert (found["boards"], found["extended_after"], found["stop"]) == (300, looked, "boards=300")
    assert (found["leading"], found["bias"]) == ("confidence_sequence", "not corrected")
    words = ["--stop", "boards=300", "--seed", "3", "--out", str(tmp_path / "at once")]
    once = run_json("compare", "greedy", "hunter", *words)
    assert (once["leading"], once["bias"], once["extended_after"]) == ("margin", "none", None)
    assert once["margin"] == found["margin"]
    assert manifest(finished)["digest"] == manifest(tmp_path / "at once")["digest"]
    text = run("compare", "--resume", "--out", str(finished))
    assert f"extended after looking at {looked} boards" in text
    assert "95 % at every look" in text
    assert "greedy" in run("ratings", str(finished))
    run("report", str(finished))


def test_extend__smaller_precision__goes_on_with_the_same_looks(finished, tmp_path):
    found = run_json("compare", "--extend", "--stop", "precision=45", "--out", str(finished))
    words = ["--stop", "precision=45", "--max-boards", "900", "--seed", "3"]
    once = run_json("compare", "greedy", "hunter", *words, "--out", str(tmp_path / "once"))
    for name in ("boards", "verdict", "margin", "confidence_sequence", "leading"):
        assert found[name] == once[name]
    assert found["boards"] < 900
    assert (found["bias"], once["bias"]) == ("not corrected", "none")


def test_extend__test_at_its_most_boards__may_be_given_more(tmp_path):
    out = ["--out", str(tmp_path / "run")]
    test = ["--stop", "sprt", "--elo0", "-1", "--model", "logistic"]
    first = run_json("compare", *TWO, *test, "--max-boards", "60", *out)
    assert (first["verdict"], first["sprt"]["state"]) == ("inconclusive", "continue")
    assert first["bias"] == "corrected"
    more = run_json("compare", "--extend", "--max-boards", "90", *out)
    assert (more["boards"], more["max_boards"], more["extended_after"]) == (90, 90, 60)
    assert more["sprt"]["lower"] == first["sprt"]["lower"]
    assert manifest(tmp_path / "run")["stop"]["sprt"]["model"] == "logistic"
    assert more["corrected"] is None


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "say how far, by --stop boards=N or --max-boards N"),
        (["--stop", "boards=50"], "boards already, and is extended to more"),
        (["--max-boards", "1000"], "--stop precision=60 has ended the comparison"),
        (["--stop", "precision=90"], "--stop precision=90 has ended the comparison"),
        (["--stop", "sprt"], "the hypotheses of a test are fixed before the first look"),
        (["--stop", "boards=300", "--seed", "4"], "with seed 3, not 4"),
    ],
)
def test_extend__by_nothing_or_otherwise__is_refused(finished, options, says):
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*")}
    assert says in fails("compare", "--extend", *options, "--out", str(finished))
    assert {path: path.stat().st_mtime_ns for path in finished.rglob("*")} == before


def test_tournament__extends_a_comparison__it_says_that_it_had_been_looked_at(finished):
    looked = manifest(finished)["plan"]["boards"]
    run("tournament", "--extend", "-n", "800", "--out", str(finished))
    found = run_json("compare", "--run", str(finished), "greedy", "hunter")
    assert (found["boards"], found["extended_after"]) == (400, looked)
    assert found["leading"] == "confidence_sequence"


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tournament of three."""
    folder = tmp_path_factory.mktemp("field") / "run"
    run("tournament", "greedy", "hunter", "random", "-n", "120", "--out", str(folder))
    return folder


def test_run__two_of_a_tournament__are_compared_from_either_side(field):
    found = run_json("compare", "--run", str(field), "greedy", "hunter")
    tournament = run_json("tournament", "--resume", "--out", str(field))
    assert {name: found[name] for name in tournament["pairings"][0]} == tournament["pairings"][0]
    assert (found["stop"], found["leading"], found["bias"]) == ("boards=60", "margin", "none")
    other = run_json("compare", "--run", str(field), "hunter", "greedy")
    assert (other["verdict"], found["verdict"]) == ("better", "worse")
    assert other["pairs"] == found["pairs"][::-1]
    assert other["margin"]["estimate"] == -found["margin"]["estimate"]
    assert other["margin"]["low"] == pytest.approx(-found["margin"]["high"], abs=1e-12)
    assert other["win_share"]["low"] == pytest.approx(1 - found["win_share"]["high"], abs=1e-12)
    assert other["deal_ends"]["a went out"] == found["deal_ends"]["b went out"]
    assert other["variance_saved"] == pytest.approx(found["variance_saved"], abs=1e-12)


def test_run__test_seen_from_the_other_side__turns_its_hypotheses(tmp_path):
    words = [*TWO, "--stop", "sprt", "--elo0", "0", "--elo1", "60", "--out", str(tmp_path / "run")]
    found = run_json("compare", *words)
    other = run_json("compare", "--run", str(tmp_path / "run"), "doubler", "hunter")
    assert (found["verdict"], other["verdict"]) == ("not_better", "not_worse")
    assert other["sprt"]["llr"] == pytest.approx(-found["sprt"]["llr"])
    share = other["corrected"]["win_share"]
    assert share == pytest.approx(1 - found["corrected"]["win_share"], abs=1e-5)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["greedy", "huntr"], "'huntr' is not in this run; did you mean hunter?"),
        (["greedy", "x"], "'x' is not in this run; it has greedy, hunter, random"),
        (["greedy", "greedy"], "no match between greedy and greedy counts: they do not meet"),
        ([], "name two of the run's strategies"),
        (["greedy", "hunter", "--stop", "sprt"], "--run plays nothing"),
        (["greedy", "hunter", "--seed", "1"], "it does not go with --seed"),
        (["greedy", "hunter", "--elo1", "1"], "it does not go with --elo1"),
    ],
)
def test_run__what_is_not_in_it__is_refused(field, words, says):
    assert says in fails("compare", "--run", str(field), *words)


def test_run__void_pairing__says_who_failed(tmp_path):
    bad = write_strategy(tmp_path, "Bad", discard="return -1")
    out = str(tmp_path / "run")
    run("tournament", "greedy", "random", bad, "-n", "8", "--out", out, code=1)
    assert "Bad failed, so that the pairing is void: " in fails(
        "compare", "--run", out, "Bad", "greedy"
    )
    assert run_json("compare", "--run", out, "greedy", "random")["boards"] == 4
    message = fails("compare", "--resume", "--out", out)
    assert "is a tournament's: go on with it by prummy tournament" in message


def test_new__options_that_say_nothing__are_refused(tmp_path):
    out = ["--out", str(tmp_path / "run")]
    for options, says in (
        (["--max-boards", "9"], "--max-boards goes with --stop precision=POINTS or sprt"),
        (["--elo0", "1"], "--elo0 goes with --stop sprt only"),
    ):
        assert says in fails("compare", "greedy", "random", *options, *out)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (7, "stop: 7 is not an object"),
        ({"boards": 900}, "stop.extended_after: missing"),
        ({"boards": 9, "extended_after": 0}, "does not go with"),
        ({"boards": 900, "extended_after": 900}, "does not go with"),
        (
            {"boards": 900, "extended_after": 0, "precision": "2"},
            "stop.precision: '2' is not a number",
        ),
        ({"boards": 900, "extended_after": 0, "sprt": {}}, "stop.sprt.elo0: missing"),
    ],
)
def test_manifest__odd_rule__is_refused(finished, change, says):
    told = RunFolder(finished).read_manifest() | {"stop": change}
    with pytest.raises(ManifestError, match=re.escape(says)):
        check_manifest(told)


def test_resume__rule_that_cannot_be__is_a_message(finished):
    folder = RunFolder(finished)
    test = {"elo0": 9.0, "elo1": 1.0, "alpha": 0.05, "beta": 0.05, "model": "normalized"}
    stop = {"boards": 900, "extended_after": 0, "sprt": test}
    folder.write_manifest(folder.read_manifest() | {"stop": stop})
    assert "elo0 is the smaller one" in fails("compare", "--resume", "--out", str(finished))
