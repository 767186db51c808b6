"""Intervals against closed forms; how often they are right is in test_calibration.py."""

import math

import hall
import numpy as np
import pytest
from scipy import stats

from persian_rummy.reports.stats import Interval, mean_interval, share_interval


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_mean__no_skewness__is_students_interval(level):
    half = np.random.default_rng(1).integers(-300, 300, 20)
    values = np.concatenate([half, 7 - half])
    interval = mean_interval(values, np.ones(40, int), level)
    right = stats.ttest_1samp(values, 0).confidence_interval(level)
    assert interval.estimate == pytest.approx(values.mean())
    reach = (right.high - right.low) / 2 * (1 + 3 / 40**2)
    assert ends(interval) == pytest.approx((3.5 - reach, 3.5 + reach))
    assert interval.level == level


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("n", [3, 6, 25, 200])
def test_mean__skewed_units__ends_solve_halls_cubic(n, sign):
    values = sign * np.round(100 * np.random.default_rng(n).lognormal(0, 1, n)).astype(int)
    found = mean_interval(values, np.ones(n, int))
    low, high = ends(found)
    assert (low, high) == pytest.approx(hall.interval(values))
    assert sign * ((high - found.estimate) - (found.estimate - low)) > 0  # long to the long tail


def test_mean__boards_of_two__is_that_of_board_means():
    boards = np.random.default_rng(2).integers(-300, 300, (25, 2)).sum(axis=1)
    interval = mean_interval(boards, np.full(25, 2))
    assert ends(interval) == pytest.approx(hall.interval(boards / 2))


def test_mean__units_of_unequal_size__is_the_ratio_estimator():
    """Cochran (6.13): v = n/(n-1) sum (x - r m)**2 / (sum m)**2, by hand for three units."""
    sums, sizes = np.array([10, 0, 50]), np.array([1, 2, 3])
    # r = 60 / 6 = 10; residuals 0, -20, 20: no skewness; v = 3/2 * 800 / 36; (1 + 3 / 9) for three
    half = 4 / 3 * stats.t.ppf(0.975, 2) * math.sqrt(1.5 * 800 / 36)
    assert ends(mean_interval(sums, sizes)) == pytest.approx((10 - half, 10 + half))


def test_mean__empty_units__are_left_out():
    sums, sizes = np.array([3, 0, 5, 0, 10]), np.array([1, 0, 1, 0, 1])
    full = mean_interval(np.array([3, 5, 10]), np.ones(3, int))
    assert mean_interval(sums, sizes) == full


@pytest.mark.parametrize("function", ["mean", "share"])
def test_interval__one_unit__is_unknown(function):
    sums, sizes = np.array([0, 3]), np.array([0, 4])
    if function == "mean":
        interval = mean_interval(sums, sizes)
    else:
        interval = share_interval(sums, sizes, boards=1)
    assert (interval.estimate, interval.low, interval.high) == (0.75, None, None)
    assert interval.half_width is None
    assert (-interval).low is None


def test_interval__nothing_played__has_no_estimate():
    interval = mean_interval(np.zeros(256, int), np.zeros(256, int))
    assert math.isnan(interval.estimate)
    assert interval.low is interval.high is None


def test_interval__from_the_other_side__is_mirrored():
    assert -Interval(3.0, 1.0, 6.0) == Interval(-3.0, -6.0, -1.0)
    assert Interval(3.0, 1.0, 6.0).half_width == 2.5
    assert Interval(3.0, 1.0, 6.0, 0.9).to_json() == {
        "estimate": 3.0,
        "low": 1.0,
        "high": 6.0,
        "level": 0.9,
    }


@pytest.mark.parametrize("wins", [1, 37, 2000, 3990])
def test_share__independent_matches__is_wilsons_interval(wins):
    results = np.zeros(4000, int)
    results[:wins] = 1
    interval = share_interval(results, np.ones(4000, int), boards=4000)
    right = stats.binomtest(wins, 4000).proportion_ci(0.95, method="wilson")
    # Student's quantile and n - 1 in place of the normal one and n: 1e-3 of the width at n = 4000
    slack = 1e-3 * (right.high - right.low)
    assert interval.estimate == wins / 4000
    assert ends(interval) == pytest.approx((right.low, right.high), abs=slack)


def test_share__pairs_that_always_split__counts_boards():
    """No variance at all between boards: as wide as Wilson's for as many boards as there are."""
    interval = share_interval(np.ones(400, int), np.full(400, 2), boards=400)
    right = stats.binomtest(200, 400).proportion_ci(0.95, method="wilson")
    assert ends(interval) == pytest.approx((right.low, right.high), abs=3e-4)


@pytest.mark.parametrize(("won", "estimate"), [(1, 1.0), (0, 0.0)])
@pytest.mark.parametrize("boards", [2, 256, 10_000])
def test_share__all_won_or_lost__is_finite_and_no_point(won, estimate, boards):
    units = min(boards, 256)
    sizes = np.full(units, 2 * boards // units)
    interval = share_interval(won * sizes, sizes, boards=boards)
    t = stats.t.ppf(0.975, units - 1)
    width = t * t / (boards + t * t)  # Wilson's at 0 or n successes
    low, high = ends(interval)
    assert interval.estimate == estimate
    assert (low, high) == pytest.approx((1 - width, 1.0) if won else (0.0, width))
    assert 0 < high - low < 1


def test_share__doubled_matches__is_no_surer():
    """Two matches of a board that always end alike say no more than one."""
    rng = np.random.default_rng(4)
    once = rng.integers(0, 2, 500)
    one = share_interval(once, np.ones(500, int), boards=500)
    two = share_interval(2 * once, np.full(500, 2), boards=500)
    assert ends(one) == pytest.approx(ends(two))
