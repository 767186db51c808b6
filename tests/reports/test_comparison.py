"""Comparing two: figures beside plain counts of the rows, guarantees by simulation, verdicts."""

import json
import math

import hall
import numpy as np
import pytest
from small_runs import read_rows, write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports.comparison import (
    Stop,
    board_deviation,
    boards_needed,
    confidence_sequence,
    decide,
    sequence_half_width,
    variance_saved,
)
from persian_rummy.reports.sprt import Sprt
from persian_rummy.sim.columns import to_columns
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.summary import PairingSummary, summarize
from persian_rummy.strategies.registry import parse_entry

runner = CliRunner()


def summary_of(margins: np.ndarray) -> PairingSummary:
    """Return the summary of boards whose two matches have these margins, shape (boards, 2)."""
    block = play_boards(Rules(), [parse_entry("random").player()] * 4, 1, 0, len(margins))
    block.sides["score"] = 0
    block.sides["score"][:, 0] = margins.reshape(-1)
    return summarize(to_columns(block.rows, block.sides, block.deals), 2)


MARGINS = np.array([[30, -10], [5, 15], [-40, 20], [60, 0], [12, 12], [-7, 3]])


def test_figures__are_those_of_the_boards():
    summary = summary_of(MARGINS)
    means = MARGINS.mean(axis=1)
    assert board_deviation(summary) == pytest.approx(means.std(ddof=1))
    sequence = confidence_sequence(summary)
    assert sequence.estimate == pytest.approx(means.mean())
    assert sequence.half_width == pytest.approx(sequence_half_width(6, means.std(ddof=1)))
    unpaired = MARGINS.reshape(-1).var(ddof=1) / 2
    assert variance_saved(summary) == pytest.approx(1 - means.var(ddof=1) / unpaired)


def test_variance_saved__matches_alike_on_a_board__is_a_cost():
    """Two equal matches are worth one: the board's mean varies twice as much as two apart."""
    margins = np.repeat(MARGINS[:, :1], 2, axis=1)
    n = len(margins)
    wanted = 1 - 2 * (2 * n - 1) / (2 * n) * n / (n - 1)
    assert variance_saved(summary_of(margins)) == pytest.approx(wanted)
    mirrored = np.column_stack([MARGINS[:, 0], -MARGINS[:, 0]])
    assert variance_saved(summary_of(mirrored)) == pytest.approx(1)


def test_one_board__says_that_nothing_is_known():
    summary = summary_of(MARGINS[:1])
    assert board_deviation(summary) is None
    assert variance_saved(summary) is None
    assert confidence_sequence(summary).low is None
    assert decide(summary, Stop(1)).verdict == "inconclusive"


def test_sequence_half_width__worked_out_by_hand():
    """At 100 boards with deviation 10: r = (-2 ln 0.05 + ln(-2 ln 0.05) + 1) / 500 = 0.017563."""
    r = (5.991464547 + 1.790335 + 1) / 500
    inner = 2 * (100 * r + 1) / (100**2 * r) * math.log(math.sqrt(100 * r + 1) / 0.05)
    assert sequence_half_width(100, 10.0) == pytest.approx(10 * math.sqrt(inner), rel=1e-5)
    widths = [sequence_half_width(n, 1.0) * math.sqrt(n) for n in (50, 500, 50_000)]
    assert widths[1] == min(widths)


def test_boards_needed__seen_as_often_as_asked():
    rng = np.random.default_rng(2)
    n = boards_needed(100.0, 10.0, 0.9)
    assert n == math.ceil((1.959964 + 1.281552) ** 2 * 100)
    draws = rng.normal(10.0, 100.0, (4000, n))
    half = 1.96 * draws.std(axis=1, ddof=1) / math.sqrt(n)
    assert np.mean(draws.mean(axis=1) > half) == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize(
    ("margins", "verdict"),
    [
        (MARGINS + 100, "better"),
        (MARGINS - 100, "worse"),
        (MARGINS, "inconclusive"),
        (0 * MARGINS + 9, "inconclusive"),
    ],
)
def test_decide__fixed_boards__by_the_interval(margins, verdict):
    decision = decide(summary_of(margins), Stop(len(margins)))
    assert decision.verdict == verdict
    assert decision.why


def test_looks__are_fixed_and_end_at_the_most():
    assert list(Stop(400, precision=1.0).looks()) == [
        50,
        62,
        77,
        96,
        120,
        150,
        187,
        233,
        291,
        363,
        400,
    ]
    assert list(Stop(400).looks()) == [400]
    assert list(Stop(30, sprt=Sprt()).looks()) == [30]


def compare(*words: str, code: int = 0):
    result = runner.invoke(app, ["compare", *words])
    assert result.exit_code == code, result.output
    return result


def test_command__fixed_boards__has_the_figures_of_a_tournament(tmp_path):
    words = ("hunter", "greedy", "--stop", "boards=100", "--seed", "4")
    found = json.loads(compare(*words, "-o", str(tmp_path / "c"), "--json").stdout)
    command = ["tournament", "hunter", "greedy", "--matches", "200", "--seed", "4", "--json"]
    tournament = json.loads(runner.invoke(app, [*command, "-o", str(tmp_path / "t")]).stdout)
    (pairing,) = tournament["pairings"]
    assert {name: found[name] for name in pairing} == pairing
    assert (found["verdict"], found["stop"]) == ("better", "boards=100")
    rows = read_rows(tmp_path / "c")
    assert found["margin"]["estimate"] == pytest.approx((rows.score_a - rows.score_b).mean())
    assert found["draws"] == (rows.score_a == rows.score_b).sum()
    manifests = [json.loads((tmp_path / run / "manifest.json").read_text()) for run in "ct"]
    assert manifests[0]["digest"] == manifests[1]["digest"]


@pytest.mark.parametrize("stop", [("precision=25",), ("sprt", "--elo1", "40")])
def test_command__sequential__does_not_depend_on_threads(tmp_path, stop):
    words = ("hunter", "doubler", "--stop", *stop, "--max-boards", "3000", "--json")
    found = [
        json.loads(compare(*words, "-j", jobs, "-o", str(tmp_path / jobs)).stdout)
        for jobs in ("1", "2")
    ]
    for one in found:
        del one["folder"]
    assert found[0] == found[1]
    looks = list(Stop(3000, precision=1).looks())
    assert found[0]["boards"] in looks[:-1]
    if stop[0] == "sprt":
        assert found[0]["sprt"]["state"] in ("H0", "H1")
        assert found[0]["verdict"] in ("better", "not_better")
    else:
        half = (
            found[0]["confidence_sequence"]["high"] - found[0]["confidence_sequence"]["low"]
        ) / 2
        assert half <= 25


def test_command__run_that_looked__has_the_digest_of_one_that_did_not(tmp_path):
    words = ("hunter", "doubler", "--max-boards", "120", "--stop")
    found = json.loads(compare(*words, "precision=0.1", "-o", str(tmp_path / "a"), "--json").stdout)
    compare(*words[:2], "--stop", "boards=120", "-o", str(tmp_path / "b"))
    digests = [json.loads((tmp_path / k / "manifest.json").read_text())["digest"] for k in "ab"]
    assert digests[0] == digests[1]
    assert (found["boards"], found["verdict"]) == (120, "inconclusive")


def test_sources__add_up_to_the_margin_and_are_those_of_the_rows(tmp_path):
    words = ("hunter", "greedy", "--stop", "boards=60", "-o", str(tmp_path / "run"), "--json")
    found = json.loads(compare(*words).stdout)
    total = sum(interval["estimate"] for interval in found["sources"].values())
    assert total == pytest.approx(found["margin"]["estimate"], abs=1e-9)
    rows = read_rows(tmp_path / "run")
    runs, left = found["sources"]["runs"], found["sources"]["left in hands"]
    assert runs["estimate"] == pytest.approx((rows.run_points_a - rows.run_points_b).mean())
    assert left["estimate"] == pytest.approx((rows.left_points_b - rows.left_points_a).mean())
    by_board = (rows.run_points_a - rows.run_points_b).groupby(rows.board).mean()
    assert (runs["low"], runs["high"]) == pytest.approx(hall.interval(by_board))


def test_command__in_words__says_what_json_says(tmp_path):
    words = ("greedy", "random", "--stop", "boards=50")
    found = json.loads(compare(*words, "-o", str(tmp_path / "a"), "--json").stdout)
    text = compare(*words, "-o", str(tmp_path / "b")).stdout
    assert text.startswith("greedy is better than random: the interval of the margin lies above 0")
    assert f"+{found['margin']['estimate']:.1f} ±" in text
    assert f"{100 * found['win_share']['estimate']:.1f} %" in text


def test_command__a_strategy_that_fails__gives_no_verdict(tmp_path):
    bad = write_strategy(tmp_path, "Bad", discard="return -1")
    said = compare(bad, "greedy", "--stop", "boards=20", "-o", str(tmp_path / "run"), code=1)
    assert "Bad failed, so that nothing can be said" in said.stderr
    assert said.stdout == ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("greedy",), "compare takes two strategies"),
        (("greedy", "greedy"), "give labels"),
        (("greedy", "random", "--stop", "soon"), "write boards=5000, precision=2"),
        (("greedy", "random", "--stop", "boards=1"), "write boards=5000, precision=2"),
        (("greedy", "random", "--stop", "precision=-2"), "write boards=5000, precision=2"),
        (("greedy", "random", "--stop", "precision=nan"), "write boards=5000, precision=2"),
        (("greedy", "random", "--stop", "sprt", "--elo0", "9"), "elo0 is the smaller one"),
        (("greedy", "random", "--max-boards", "0"), "--max-boards 0"),
    ],
)
def test_command__impossible_input__is_refused(words, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert says in compare(*words, code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_plan__says_how_long_to_play():
    command = ["plan", "--effect", "5", "--boards", "400", "--json"]
    found = json.loads(runner.invoke(app, command).stdout)
    assert found["boards"] == boards_needed(found["board_deviation"], 5, 0.9)
    assert 80 < found["board_deviation"] < 160
    assert found["matches"] == 2 * found["boards"]
    assert found["seconds"] > 0
    text = runner.invoke(app, command[:-1]).stdout
    assert f"{found['boards']:,} boards" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--effect", "0"), "--effect 0"),
        (("--effect", "5", "--power", "1"), "--power 1"),
        (("--effect", "5", "--boards", "1"), "--boards 1"),
        (("--effect", "5", "greedy"), "plan takes two strategies"),
    ],
)
def test_plan__impossible_input__is_refused(words, says):
    result = runner.invoke(app, ["plan", *words])
    assert result.exit_code == 2
    assert says in result.stderr
