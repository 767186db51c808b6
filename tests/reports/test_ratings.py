"""Ratings: textbook fields, exact recovery, errors beside other ways to them, odd fields.

How often the intervals are right is in test_calibration.py.
"""

import json
import math

import choix
import numpy as np
import pytest
from made_up_run import field_of, made_up_run
from scipy.stats import t as student
from small_runs import write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports.machine import ratings_json
from persian_rummy.reports.ratings import (
    ELO_A_UNIT,
    Ratings,
    RatingsError,
    elo_ratings,
    points_ratings,
)
from persian_rummy.reports.results import Results, load_results
from persian_rummy.reports.stats import mean_interval


def test_elo__three_of_four_won__is_400_log_3():
    ratings = elo_ratings(field_of(2, {(0, 1): [6, 6, 6, 6]}, matches=8))
    assert ratings.difference(0, 1).estimate == pytest.approx(400 * math.log10(3))
    assert ratings.values.sum() == pytest.approx(0)
    assert not ratings.is_separated


def test_elo__shares_of_a_bradley_terry_field__are_recovered():
    strength = np.array([0.9, 0.1, -0.3, -0.7])
    rng = np.random.default_rng(1)
    wins = {}
    for i in range(4):
        for j in range(i + 1, 4):
            share = 1 / (1 + math.exp(strength[j] - strength[i]))
            wins[i, j] = np.full(16, 100 * share) + rng.permutation([-3.0, 3.0] * 8)
    run = field_of(4, {pair: np.round(w * 1000) for pair, w in wins.items()}, matches=100_000)
    ratings = elo_ratings(run)
    assert ratings.values == pytest.approx(ELO_A_UNIT * (strength - strength.mean()), abs=0.01)
    anchored = elo_ratings(run, "c")
    assert anchored.values[2] == 0
    assert anchored.difference(0, 3).estimate == pytest.approx(ratings.difference(0, 3).estimate)
    assert np.allclose(anchored.covariance, ratings.covariance)


def test_elo__as_choix_has_it():
    """Two other ways to the same maximum: spectral iterations, and Newton's method by scipy."""
    rng = np.random.default_rng(4)
    wins = {(i, j): rng.integers(1, 20, 6) for i in range(5) for j in range(i + 1, 5)}
    ratings = elo_ratings(field_of(5, wins, matches=20))
    games = []
    for (i, j), won in wins.items():
        games += [(i, j)] * int(won.sum()) + [(j, i)] * int(120 - won.sum())
    spectral, newton = choix.ilsr_pairwise(5, games), choix.opt_pairwise(5, games)
    assert ratings.values == pytest.approx(ELO_A_UNIT * spectral, abs=1e-3)
    assert ratings.values == pytest.approx(ELO_A_UNIT * (newton - newton.mean()), abs=0.05)


def test_points__margins_that_add_up__are_recovered():
    worth = np.array([12.0, 3.0, -15.0])
    pairs = [(0, 1), (0, 2), (1, 2)]
    rng = np.random.default_rng(1)
    noise = {pair: rng.permutation([-4, 4] * 5) for pair in pairs}
    margins = {(i, j): 10 * (worth[i] - worth[j]) + noise[i, j] for i, j in pairs}
    ratings = points_ratings(field_of(3, dict.fromkeys(pairs, [5] * 10), margins, matches=10))
    assert ratings.values == pytest.approx(worth - worth.mean())


def test_points__of_two__have_the_interval_of_the_margin():
    """With one pairing all groups alike in size, it is Student's interval of the mean margin."""
    rng = np.random.default_rng(3)
    margins = {(0, 1): rng.integers(-90, 110, 30)}
    run = field_of(2, {(0, 1): [1] * 30}, margins)
    (summary,) = run.summaries
    wanted = mean_interval(summary.column("margin"), summary.column("matches"))
    found = points_ratings(run).difference(0, 1)
    assert found.estimate == pytest.approx(wanted.estimate)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


def simulated(rng: np.random.Generator, strength: np.ndarray, groups: int) -> Results:
    """Return a run with luck of the boards that all pairings of a group share, and their own."""
    n, matches = len(strength), 40
    luck = rng.normal(0, 0.25, (groups, n))  # how well the group's cards suit each strategy
    wins, margins = {}, {}
    for i in range(n):
        for j in range(i + 1, n):
            gap = strength[i] - strength[j] + luck[:, i] - luck[:, j]
            wins[i, j] = rng.binomial(matches, np.clip(0.5 + 0.12 * gap, 0, 1))
            margins[i, j] = np.round(matches * (30 * gap + rng.gamma(2, 4, groups) - 8)).astype(int)
    return field_of(n, wins, margins, matches)


def test_above_and_told_apart__by_students_law_and_holm():
    run = simulated(np.random.default_rng(5), np.array([0.5, 0.02, 0.0]), 256)
    ratings = elo_ratings(run)
    gap = ratings.values[1] - ratings.values[2]
    wanted = student.cdf(gap / ratings.error(1, 2), 255)
    assert ratings.above(1, 2) == pytest.approx(wanted)
    assert ratings.above(2, 1) == pytest.approx(1 - wanted)
    apart = ratings.told_apart()
    assert apart[0, 1]
    assert apart[0, 2]
    assert not apart[1, 2]
    best = ratings.to_json()[0]
    assert (best["strategy"], best["level_with"]) == ("a", [])


def test_elo__somebody_wins_all__is_finite_and_said():
    ratings = elo_ratings(field_of(3, {(0, 1): [2] * 9, (0, 2): [2] * 9, (1, 2): [1, 0] * 4 + [2]}))
    assert ratings.is_separated
    assert np.isfinite(ratings.values).all()
    assert ratings.values[0] == ratings.values.max()


def test_elo__all_eighteen_won__is_that_with_a_drawn_match_more():
    ratings = elo_ratings(field_of(2, {(0, 1): [2] * 9}))
    assert ratings.difference(0, 1).estimate == pytest.approx(400 * math.log10(18.5 / 0.5))


@pytest.mark.parametrize(("gap", "apart"), [(2.3, False), (2.45, True)])
def test_told_apart__the_widest_gap_of_three__at_a_third_of_the_error(gap, apart):
    """Chances 0.0214 and 0.0143 of the error 1 by the normal law: one below 0.05 / 3."""
    values = np.array([gap, gap / 2, 0.0])
    ratings = Ratings(("a", "b", "c"), values, np.eye(3) / 2, 10**6, False)
    wanted = np.zeros((3, 3), bool)
    wanted[0, 2] = wanted[2, 0] = apart
    assert (ratings.told_apart() == wanted).all()


def test_elo__all_boards_split__has_the_floor_of_the_model():
    """Nothing varies: H = 20 / 4, and half a tenth of its inverse is left; 9 degrees."""
    interval = elo_ratings(field_of(2, {(0, 1): [1] * 10})).difference(0, 1)
    wanted = student.ppf(0.975, 9) * (1 + 3 / 100) * ELO_A_UNIT * math.sqrt(0.05 / 5)
    assert (interval.low, interval.high) == pytest.approx((-wanted, wanted))


def test_elo__all_won__has_the_errors_of_independent_boards():
    """A draw more to 18 wins: H = 19 p q; its inverse twice, for 9 boards."""
    interval = elo_ratings(field_of(2, {(0, 1): [2] * 9})).difference(0, 1)
    p = 18.5 / 19
    empty = 9 / 8 * 9 * (2 + 1 / 9 - 0.5 / 9 - (2 + 1 / 9) * p) ** 2 / (19 * p * (1 - p)) ** 2
    error = ELO_A_UNIT * math.sqrt(2 / (19 * p * (1 - p)) + empty)
    wanted = student.ppf(0.975, 8) * (1 + 3 / 81) * error
    assert interval.half_width == pytest.approx(wanted)


def test_field__in_two_parts__is_refused():
    run = field_of(4, {(0, 1): [1, 0, 2], (2, 3): [1, 0, 2]})
    for rate in (elo_ratings, points_ratings):
        with pytest.raises(RatingsError, match="no scale holds them all: a, b; c, d"):
            rate(run)


def test_field__nobody_counts__is_refused():
    with pytest.raises(RatingsError, match="no pairing counts"):
        elo_ratings(field_of(2, {}))


def test_field__one_group__says_no_interval():
    ratings = elo_ratings(field_of(2, {(0, 1): [1]}))
    assert ratings.interval(0).low is None
    assert ratings.above(0, 1) is None
    assert not ratings.told_apart().any()


def test_command__rates_a_run_without_those_who_failed(tmp_path):
    bad = write_strategy(tmp_path, "Bad", discard="return -1")
    command = ["tournament", "greedy", "random", "hunter", bad, "--matches", "80"]
    CliRunner().invoke(app, [*command, "-o", str(tmp_path / "run")])
    found = json.loads(CliRunner().invoke(app, ["ratings", str(tmp_path / "run"), "--json"]).stdout)
    assert [row["strategy"] for row in found["elo"]] == ["hunter", "greedy", "random"]
    assert [row["strategy"] for row in found["points"]] == ["hunter", "greedy", "random"]
    ratings = elo_ratings(load_results(tmp_path / "run"), "greedy")
    text = CliRunner().invoke(app, ["ratings", str(tmp_path / "run"), "--anchor", "greedy"]).stdout
    assert f"{ratings.values[2]:.1f}" in text
    refused = CliRunner().invoke(app, ["ratings", str(tmp_path / "run"), "--anchor", "nobody"])
    assert refused.exit_code == 2
    assert "anchor 'nobody' is not one of greedy, random, hunter" in refused.stderr


def test_json__chances_covariances_and_versions__are_in_the_order_of_the_list():
    run = made_up_run(("weak", "strong", "middle"), (-15, 20, 0), boards=60)
    found = ratings_json(run)
    for key, ratings in (("elo", elo_ratings(run)), ("points", points_ratings(run))):
        assert [row["strategy"] for row in found[key]] == ["strong", "middle", "weak"]
        places = [ratings.names.index(row["strategy"]) for row in found[key]]
        assert [row["versions"] for row in found[key]] == [["1"]] * 3
        for i, k in enumerate(places):
            for j, m in enumerate(places):
                assert found[f"{key}_above"][i][j] == ratings.above(k, m)
                assert found[f"{key}_covariance"][i][j] == ratings.covariance[k, m]
        assert found[f"{key}_above"][0][2] > 0.99
    assert found["disagree"] == []


def test_json__narrow_wins_and_heavy_losses__the_two_ratings_disagree():
    """a wins 6 of 8 by little and loses the others by much: ahead by Elo, behind by points."""
    rng = np.random.default_rng(6)
    margins = {(0, 1): rng.integers(-60, -40, 20)}
    found = ratings_json(field_of(2, {(0, 1): [6] * 10 + [5] * 10}, margins, matches=8))
    assert found["disagree"] == [["a", "b"]]
