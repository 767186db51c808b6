"""Comparing two: figures beside plain counts of the rows, guarantees by simulation, verdicts."""

import json
import math
import re

import hall
import numpy as np
import pytest
from made_up_run import made_up_run, summary_of
from small_runs import read_rows, write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports.comparison import (
    Comparison,
    boards_needed,
    compare_run,
    decide,
    stopped_by_hand,
    variance_saved,
)
from persian_rummy.reports.results import ResultsError, load_results, mirrored
from persian_rummy.reports.sprt import Sprt
from persian_rummy.reports.stats import student_quantile
from persian_rummy.reports.stopping import (
    Stop,
    board_deviation,
    confidence_sequence,
    sequence_half_width,
)
from persian_rummy.reports.tables import pairing_margin
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.strategies.registry import parse_entry

runner = CliRunner()


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


@pytest.mark.parametrize(("deviation", "effect"), [(100.0, 100.0), (100.0, 30.0), (100.0, 8.0)])
def test_boards_needed__is_the_least_number_seen_as_often_as_asked(deviation, effect):
    """By simulation of the interval itself, from few boards to more than there are groups."""
    rng, runs = np.random.default_rng(2), 20_000

    def power(boards: int) -> float:
        means = rng.normal(effect, deviation / math.sqrt(boards), runs)
        degrees = min(boards, 256) - 1
        deviations = deviation * np.sqrt(rng.chisquare(degrees, runs) / degrees)
        beyond = student_quantile(0.95, degrees) * deviations / math.sqrt(boards)
        return float(np.mean(means > beyond))

    boards = boards_needed(deviation, effect, 0.9)
    error = 3 * math.sqrt(0.9 * 0.1 / runs)
    assert power(boards) >= 0.9 - error
    assert power(boards - max(1, boards // 20)) < 0.9 + error / 3
    assert boards > (1.959964 + 1.281552) ** 2 * (deviation / effect) ** 2


def test_boards_needed__worked_out():
    """With 1 standard deviation and power 0.8 tables of Student's test say 10 (Cohen, 1988)."""
    assert boards_needed(1.0, 1.0, 0.8) == boards_needed(5.0, -5.0, 0.8) == 10


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
    assert f"scores {found['margin']['estimate']:.1f} ±" in text
    assert f"{100 * found['win_share']['estimate']:.1f} %" in text


def comparison(margins: np.ndarray, stop: Stop | None = None) -> Comparison:
    summary, stop = summary_of(margins), stop or Stop(len(margins))
    return Comparison("ann", "bob", summary, stop, decide(summary, stop))


@pytest.mark.parametrize(
    "margins", [MARGINS[:1], 0 * MARGINS, 0 * MARGINS + 9, abs(MARGINS) + 1, -abs(MARGINS) - 1]
)
@pytest.mark.parametrize("sprt", [None, Sprt()])
def test_degenerate__is_said_and_never_a_zero_width_or_nan(margins, sprt):
    """One board, nothing that varies, all won, all lost."""
    found = comparison(margins, Stop(len(margins), sprt=sprt))
    json.dumps(found.to_json(), allow_nan=False)
    text = "\n".join(found.in_words())
    assert not re.search(r"± 0(\.0+)?\b|nan|inf\b|None", text)
    if sprt is None and np.ptp(margins) == 0:
        assert "nothing varies" in text
        assert "on every board" in text
        assert found.to_json()["confidence_sequence"]["low"] is None
    if sprt is None and len(margins) == 1:
        assert "one board is too few" in text
        assert "on the one board there is" in text


def test_words__a_narrow_interval__shows_digits_that_are_not_zero():
    margins = np.full((60, 2), 7)
    margins[0] = 8
    text = "\n".join(comparison(margins).in_words())
    low, high = hall.interval(margins.mean(axis=1))
    half = (high - low) / 2
    assert 0 < half < 0.1
    assert f"scores 7.02 ± {half:.2f} points a match more than bob (95 %, by boards)" in text


@pytest.mark.parametrize(
    ("margins", "says"),
    [
        (
            MARGINS + 100,
            "scores 108.3 ± 16.3 points a match more than bob (95 %, by boards) and wins "
            "100.0 %, draws counting half; about 3 boards show it, nine times of ten",
        ),
        (MARGINS - 100, "scores 91.7 ± 16.3 points a match less than bob"),
        (MARGINS, "; were that the truth, about 31 boards would show it"),
    ],
)
def test_words__say_how_much_how_sure_and_how_soon_it_shows(margins, says):
    """By hand: the boards' mean is 50 / 6; its interval by the slow twin of `hall`."""
    low, high = hall.interval(MARGINS.mean(axis=1))
    assert round((high - low) / 2, 1) == 16.3
    assert says in comparison(margins).in_words()[1]


def test_words__account_for_draws_and_deals_that_were_cut_off():
    found = comparison(MARGINS)
    found.summary.histograms["deal_end"].add(np.array([3, 2]), np.array([5, 2]))
    drawn = int((MARGINS == 0).sum())
    text = "\n".join(found.in_words())
    assert f"matches won 8, drawn {drawn}, lost 3" in text
    assert "deals cut off: 5 of 31" in text
    assert found.to_json()["deal_ends"]["cut off"] == 5
    told = found.to_json()
    assert (told["wins"], told["draws"], told["losses"]) == (8, drawn, 3)


def test_stopped_by_hand__leads_by_the_sequence_and_is_not_corrected():
    summary = summary_of(MARGINS)
    for stop in (Stop(6), Stop(9, sprt=Sprt())):
        found = Comparison("ann", "bob", summary, stop, stopped_by_hand(summary))
        told = found.to_json()
        assert (told["leading"], told["bias"], told["corrected"]) == (
            "confidence_sequence",
            "not corrected",
            None,
        )


@pytest.mark.parametrize(
    ("test", "pairs", "verdict"),
    [
        (Sprt(0, 50), [0, 0, 10, 0, 90], "better"),
        (Sprt(0, 50), [90, 0, 10, 0, 0], "not_better"),
        (Sprt(-50, 0), [90, 0, 10, 0, 0], "worse"),
        (Sprt(-50, 0), [0, 0, 10, 0, 90], "not_worse"),
    ],
)
def test_decide__test__says_no_more_than_its_hypotheses(test, pairs, verdict):
    margins = np.concatenate(
        [
            np.tile(np.array([m]), (n, 1))
            for n, m in zip(pairs, ([-9, -9], [-9, 0], [9, -9], [9, 0], [9, 9]), strict=True)
        ]
    )
    decision = decide(summary_of(margins), Stop(len(margins), sprt=test))
    assert decision.verdict == verdict


def test_mirrored__is_the_summary_of_the_same_two_entered_the_other_way(tmp_path):
    """Strategies without luck of their own play the same matches, whoever is entered first."""
    words = ["-n", "600", "--seed", "5", "--json", "-o"]
    for order in (["greedy", "hunter"], ["hunter", "greedy"]):
        runner.invoke(app, ["tournament", *order, *words, str(tmp_path / order[0])])
    (one,), (other,) = (load_results(tmp_path / name).summaries for name in ("greedy", "hunter"))
    assert one.total("boards") == 300
    assert mirrored(one).equals(other)
    assert not one.equals(other)
    assert mirrored(mirrored(one)).equals(one)


def test_compare_run__run_in_which_nothing_counts__is_an_error():
    results = made_up_run(failed=["strong", "middle"])
    with pytest.raises(ResultsError, match="strong failed, so that the pairing is void"):
        compare_run(results, "strong", "weak")


def test_compare_run__run_that_was_interrupted__says_so():
    found = compare_run(made_up_run(status="interrupted"), "strong", "weak")
    assert found.decision.verdict == "inconclusive"
    assert "stopped by hand after 40 boards" in found.in_words()[0]
    assert found.to_json()["leading"] == "confidence_sequence"
    assert found.margin == pairing_margin(found.summary)


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


def test_plan__seconds__are_those_of_the_trial_for_as_many_boards(monkeypatch):
    summary = summary_of(np.tile(MARGINS, (40, 1)))
    monkeypatch.setattr("persian_rummy.sim.apart.trial_apart", lambda *_: (summary, 6.0))
    found = json.loads(
        runner.invoke(app, ["plan", "--effect", "4", "--boards", "240", "--json"]).stdout
    )
    assert found["seconds"] == pytest.approx(found["boards"] * 6.0 / 240)
    assert found["board_deviation"] == pytest.approx(board_deviation(summary))


def test_plan__boards_of_two_strategies__are_seen_as_often_as_it_says():
    """Boards of hunter and doubler, moved to the effect: the verdict's own interval tells them."""
    words = ["plan", "hunter", "doubler", "--effect", "30", "--boards", "6000", "--json"]
    planned = json.loads(runner.invoke(app, words).stdout)["boards"]
    players = [parse_entry(name).player() for name in ("hunter", "doubler")] * 2
    block = play_boards(Rules(), players, 77, 0, 6000)
    margins = np.diff(block.sides["score"][:, ::-1].astype(float), axis=1)
    means = margins.reshape(-1, 2).mean(axis=1)
    rng, runs = np.random.default_rng(8), 4000
    drawn = rng.choice(means - means.mean() + 30, (runs, planned))
    assert planned < 256  # a board is a unit
    beyond = student_quantile(0.95, planned - 1) * drawn.std(axis=1, ddof=1) / math.sqrt(planned)
    seen = np.mean(drawn.mean(axis=1) > beyond)
    assert seen == pytest.approx(0.9, abs=3 * math.sqrt(0.9 * 0.1 / runs) + 0.005)


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
