"""Calibration: worlds are as they say, rates are judged rightly, and intervals are right."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports import calibration
from persian_rummy.reports.calibration import (
    FIELDS,
    MIRROR,
    PAIRS,
    Effort,
    Row,
    control,
    made_up,
    real_play,
    shares_at,
    sprt_errors,
    watched_world,
)
from persian_rummy.reports.pairs import ELO_SCALE, SCORES, mean_and_variance, score_of_elo
from persian_rummy.reports.sprt import MODELS, Sprt
from persian_rummy.reports.stats import Interval
from persian_rummy.reports.worlds import RealPlay, World

TINY = Effort(2, 3, (5,), (20,), 100, 100, 2)


@pytest.mark.parametrize(
    "world",
    [
        World("a", (150, -150), skew=0.5, draws=0.4, dependence=-0.5),
        World("b", (60, 0, -60), dependence=0.4, shared=0.3),
    ],
)
def test_world__many_boards__have_the_shares_margins_and_dependence_that_it_says(world):
    (run,) = world.runs(40_000, 1, 3)
    shares = [s.total("wins") + s.total("draws") / 2 for s in run.results.summaries]
    assert np.array(shares) / 80_000 == pytest.approx(run.truth.shares, abs=0.008)
    assert run.margins.mean(axis=(1, 2)) == pytest.approx(run.truth.margins, abs=3.5)
    assert run.margins.std(axis=(1, 2)) == pytest.approx(150, rel=0.03)
    if not world.skew:
        first, second = run.margins[0].T
        assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.7, abs=0.02)
        # pairings (0, 1) and (0, 2) share the luck of 0: half of `shared`
        assert np.corrcoef(first, run.margins[1, :, 0])[0, 1] == pytest.approx(0.15, abs=0.02)
    elo = run.truth.elo[0] - run.truth.elo[1]
    assert run.truth.shares[0] == pytest.approx(score_of_elo(elo))


def test_world__summaries__are_by_board_mod_256():
    (run,) = World("a", (0, 0)).runs(300, 1, 1)
    (summary,) = run.results.summaries
    sums = run.margins[0].sum(axis=1)
    wanted = np.bincount(np.arange(300) % 256, sums)
    assert (summary.column("margin") == wanted).all()
    assert (summary.column("boards") == np.bincount(np.arange(300) % 256)).all()
    counts = sum(summary.column(name) for name in ("wins", "draws", "losses"))
    assert (counts == summary.column("matches")).all()


def test_real_play__runs__are_boards_one_after_the_other():
    play = RealPlay("real", ("greedy", "hunter"), 60, 50)
    runs = [run for _, run in play.runs((20,), 9, 1)]
    whole = next(run for _, run in play.runs((60,), 1, 1))
    assert (np.concatenate([run.margins for run in runs], axis=1) == whole.margins).all()
    assert len(runs) == 3
    reference = next(run for _, run in replace(play, boards=50).runs((50,), 1, 2))
    assert whole.truth.margins[0] == pytest.approx(reference.margins.mean())


@pytest.mark.parametrize(
    ("rate", "holds"),
    [(0.94, True), (0.96, True), (0.918, True), (0.917, False), (0.978, True), (0.979, False)],
)
def test_row__outside_by_more_than_three_errors__does_not_hold(rate, holds):
    """Of 1000 runs: 3 sqrt(0.94 0.06 / 1000) = 0.0225 below, 3 sqrt(0.96 0.04 / 1000) = 0.0186."""
    seen = [1.0] * round(1000 * rate) + [0.0] * (1000 - round(1000 * rate))
    assert Row.of("x", "y", 50, seen).holds == holds
    assert Row.of("x", "y", 50, seen, is_control=True).holds != holds


def test_row__fewer_than_50_boards__may_be_wide():
    assert Row.of("x", "y", 49, [1.0] * 1000).holds
    assert not Row.of("x", "y", 50, [1.0] * 1000).holds


def test_row__intervals_that_agree_in_a_run__are_one_observation():
    apart = Row.of("x", "y", 50, [0.9, 1.0] * 50)
    together = Row.of("x", "y", 50, [1.0] * 95 + [0.0] * 5)
    assert apart.error == pytest.approx(0.005)
    assert together.error == pytest.approx(np.sqrt(0.05 * 0.95 / 100))


def test_control__matches_as_if_apart__misses_as_often_as_worked_out():
    """The variance of a mean is 1.8 times what independent matches had."""
    (row,) = control(100, 1000)
    assert row.holds
    assert row.rate == pytest.approx(2 * norm.cdf(1.96 / np.sqrt(1.8)) - 1, abs=4 * row.error)


@pytest.mark.parametrize(
    ("world", "boards", "runs"), [(PAIRS[2], 50, 300), (PAIRS[5], 300, 200), (FIELDS[1], 60, 50)]
)
def test_intervals__made_up_worlds__are_right(world, boards, runs):
    rows = made_up(world, boards, runs)
    assert {row.figure for row in rows} >= {"margin", "win share", "Elo difference"}
    assert [row for row in rows if not row.holds] == []


def test_intervals__few_boards__are_wide_enough():
    for world in (PAIRS[2], PAIRS[5]):
        assert [row for row in made_up(world, 5, 150) if not row.holds] == []


def test_intervals__random_against_itself__hold_0_and_a_half():
    rows = real_play(RealPlay("mirror", MIRROR, 4000, 0), (20,), 200)
    assert len(rows) == 9
    assert [row for row in rows if not row.holds] == []


def test_intervals__too_narrow__are_seen(monkeypatch):
    right = calibration.pairing_margin

    def narrow(summary):
        found = right(summary)
        low, high = (0.7 * end + 0.3 * found.estimate for end in (found.low, found.high))
        return Interval(found.estimate, low, high)

    monkeypatch.setattr(calibration, "pairing_margin", narrow)
    outside = [row.figure for row in made_up(PAIRS[0], 50, 300) if not row.holds]
    assert outside == ["margin"]


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_sequence__skewed_margins__is_right_and_half_of_it_is_not(factor, monkeypatch):
    right = calibration.sequence_half_width
    monkeypatch.setattr(calibration, "sequence_half_width", lambda *a: factor * right(*a))
    rows = watched_world(PAIRS[1], 1500, 200)
    assert [row.holds for row in rows] == [factor == 1] * 2


@pytest.mark.parametrize("model", MODELS)
def test_sprt__at_its_bounds__errs_as_seldom_as_it_says(model):
    rows = sprt_errors(Sprt(0, 60, model=model), 60)
    assert [row.holds for row in rows] == [True, True]


def test_sprt__with_bounds_too_near__is_seen(monkeypatch):
    monkeypatch.setattr(Sprt, "upper", property(lambda self: 0.7))
    assert not sprt_errors(Sprt(0, 30, model="logistic"), 100)[0].holds


def test_shares_at__are_exactly_so_much_better():
    mean, _ = mean_and_variance(shares_at("logistic", 20))
    assert mean == pytest.approx(score_of_elo(20))
    mean, variance = mean_and_variance(shares_at("normalized", 20))
    assert ELO_SCALE * (mean - 0.5) / np.sqrt(2 * variance) == pytest.approx(20)
    assert shares_at("normalized", 0) @ SCORES == pytest.approx(0.5)


def test_command__shows_what_json_says_and_fails_where_a_row_is_outside(monkeypatch):
    rows = [Row.of("margin", "a world", 50, [1.0, 0.0] * 500), Row.of("x", "y", 9, [1.0] * 9)]
    monkeypatch.setattr(calibration, "calibrate", lambda effort, progress: iter(rows))
    told = CliRunner().invoke(app, ["calibrate", "--json"])
    assert told.exit_code == 1
    found = json.loads(told.stdout)
    assert found["finished"]
    assert [row["holds"] for row in found["rows"]] == [False, True]
    assert found["rows"][0]["limits"] == [0.94, 0.96]
    text = CliRunner().invoke(app, ["calibrate", "--quick"]).stdout
    assert "50.00 ± 1.58 % (94 to 96) OUTSIDE" in text
    assert "2 rows, 1 outside" in text


def test_command__stopped__shows_what_was_done(monkeypatch):
    def stops(effort, progress):
        yield Row.of("margin", "a world", 9, [1.0] * 9)
        raise KeyboardInterrupt

    monkeypatch.setattr(calibration, "calibrate", stops)
    told = CliRunner().invoke(app, ["calibrate", "--json"])
    assert told.exit_code == 130
    found = json.loads(told.stdout)
    assert (found["finished"], len(found["rows"])) == (False, 1)


def test_calibrate__all_checks__run_and_are_counted():
    seen = []
    rows = list(calibration.calibrate(TINY, lambda done, total: seen.append((done, total))))
    assert seen == [(done, len(seen) - 1) for done in range(len(seen))]
    data = {row.data for row in rows}
    assert data >= {world.name for world in (*PAIRS, *FIELDS)}
    assert data >= {"random, mirrored", "greedy, hunter", "four that play"}
    assert sum(row.is_control for row in rows) == 1
