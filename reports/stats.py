"""Estimates with intervals that respect boards.

The unit is the board, since its two matches are dependent; in runs of more than 256 boards it is
the group of boards (board mod 256), the same groups for all pairings, so that pairings that share
boards may be added up group by group. A mean is a ratio of two sums over units, and its variance
is that of the linearised ratio.

Student's interval misses too often where units are skewed, on the side of the long tail. So its
ends are moved by Hall's transformation: with u the units' parts of the error, A = sum u**3 /
(sum u**2)**(3/2) and t the error in standard errors, it is t + A t**2 / 3 + A**2 t**3 / 27 + A / 6
that has about Student's law. The end on the side of the long tail is Hall's; the other goes a
quarter of the way to Hall's (`SHORTENED`), since the skewness of a sample is uncertain. Below some
ten units it is mostly unknown, and both ends reach `1 + FEW_UNITS / units**2` times as far.
docs/statistics.md says what was measured.

Source: Cochran, "Sampling Techniques" (3rd ed.), section 6.3 (ratio estimators); Hall, "On the
removal of skewness by transformation" (1992); Dean and Pagano, "Evaluating confidence interval
methods for binomial proportions in clustered surveys" (2015), for Wilson's interval with the
effective sample size.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

LEVEL = 0.95
FEW_UNITS = 3.0
"""How much wider intervals are with few units, by which skewness cannot be seen."""

SHORTENED = 0.25
"""How far, towards Hall's, goes the end that skewness brings nearer."""


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval; `low` and `high` are None with under two units."""

    estimate: float
    low: float | None
    high: float | None
    level: float = LEVEL

    def to_json(self) -> dict[str, float | None]:
        """Return the interval as every ``--json`` shows it."""
        return asdict(self)

    @property
    def half_width(self) -> float | None:
        """Half the interval's length."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2

    def __neg__(self) -> "Interval":
        """Return the interval seen from the other side of a margin."""
        low = None if self.high is None else -self.high
        high = None if self.low is None else -self.low
        return Interval(-self.estimate, low, high, self.level)


@lru_cache
def student_quantile(level: float, degrees: float) -> float:
    """Return how many standard errors an interval of a level reaches to each side."""
    from scipy.special import stdtrit  # scipy.stats takes two seconds to import

    return float(stdtrit(degrees, (1 + level) / 2))


def interval_of(
    estimate: float, error: float, units: int, lean: float = 0.0, level: float = LEVEL
) -> Interval:
    """Return the interval of an estimate that is about normal, moved for skewness.

    Parameters
    ----------
    estimate, error : float
        The error is one standard error.
    units : int
        From how many units it was estimated, two at least.
    lean : float
        A of the units' parts of the estimate's error (`lean_of`).
    level : float
        Confidence, in (0, 1).
    """
    reach = student_quantile(level, units - 1) * (1 + FEW_UNITS / units**2)
    below, above = (_reach_of(reach, side * lean) for side in (1, -1))
    return Interval(estimate, estimate - below * error, estimate + above * error, level)


def lean_of(parts: np.ndarray) -> float:
    """Return A of what each unit adds to an estimate's error: float64, shape (units,)."""
    squares = float((parts**2).sum())
    return float((parts**3).sum()) / squares**1.5 if squares > 0 else 0.0


def _reach_of(reach: float, lean: float) -> float:
    """Return how many errors an end lies below an estimate whose error leans so much upward."""
    if abs(lean) < 1e-9:
        return reach
    moved = 3 / lean * (math.cbrt(1 + lean * (reach - lean / 6)) - 1)
    return moved if moved > reach else reach + SHORTENED * (moved - reach)


def _ratio(sums: np.ndarray, sizes: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the ratio of sums over units, and what each unit adds to its error."""
    used = sizes > 0
    x, n = sums[used].astype(float), sizes[used].astype(float)
    if len(n) == 0:
        return math.nan, np.zeros(0)
    ratio = float(x.sum() / n.sum())
    return ratio, (x - ratio * n) / n.sum()


def _error(parts: np.ndarray) -> float:
    """Return the standard error of what two units at least add to."""
    units = len(parts)
    return math.sqrt(units / (units - 1) * (parts**2).sum())


def mean_interval(sums: np.ndarray, sizes: np.ndarray, level: float = LEVEL) -> Interval:
    """Return the mean of a quantity with Student's interval, moved for skewness.

    Parameters
    ----------
    sums : integer array, shape (units,)
        The quantity summed over each unit (board, or group of boards).
    sizes : integer array, shape (units,)
        What the mean is per (matches, deals …) in each unit; units of size 0 are left out.
    level : float
        Confidence, in (0, 1).
    """
    mean, parts = _ratio(sums, sizes)
    if len(parts) < 2:
        return Interval(mean, None, None, level)
    return interval_of(mean, _error(parts), len(parts), lean_of(parts), level)


def difference_interval(
    sums: np.ndarray,
    sizes: np.ndarray,
    other_sums: np.ndarray,
    other_sizes: np.ndarray,
    level: float = LEVEL,
) -> Interval:
    """Return the difference of two means over units that they do not share, by Welch's method.

    Parameters are those of `mean_interval`, twice. Source: Welch, "The generalization of
    'Student's' problem when several different population variances are involved" (1947).
    """
    mean, parts = _ratio(sums, sizes)
    other_mean, other_parts = _ratio(other_sums, other_sizes)
    gap, units, others = mean - other_mean, len(parts), len(other_parts)
    if units < 2 or others < 2:
        return Interval(gap, None, None, level)
    one, other = _error(parts) ** 2, _error(other_parts) ** 2
    if one + other == 0:
        return Interval(gap, gap, gap, level)
    welch = (one + other) ** 2 / (one**2 / (units - 1) + other**2 / (others - 1))
    half = student_quantile(level, welch) * math.sqrt(one + other)
    return Interval(gap, gap - half, gap + half, level)


def share_interval(
    sums: np.ndarray, sizes: np.ndarray, boards: int, level: float = LEVEL
) -> Interval:
    """Return a share, 0 to 1, with Wilson's interval at the effective sample size.

    The effective sample size is the number of independent matches that would give the share's
    variance over units; where that variance is 0 (all won, all split), it is the number of boards.

    Parameters
    ----------
    sums, sizes
        As for `mean_interval`, of a quantity that lies between 0 and 1 a match.
    boards : int
        Boards played.
    """
    share, parts = _ratio(sums, sizes)
    if len(parts) < 2:
        return Interval(share, None, None, level)
    error, z = _error(parts), student_quantile(level, len(parts) - 1)
    n = share * (1 - share) / error**2 if error > 1e-12 else float(boards)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half), level)


def jackknife_intervals(
    statistics: Callable[[np.ndarray], np.ndarray], sums: np.ndarray, level: float = LEVEL
) -> list[Interval]:
    """Return smooth functions of sums over units, with intervals by the jackknife.

    Each unit is left out in turn; intervals are Student's.

    Parameters
    ----------
    statistics
        A function of totals, float64, shape (r, ...), that returns float64, shape (r, k): k
        statistics of each of r totals; NaN where there is none.
    sums : array, shape (units, ...)
        What is summed in each unit; units in which nothing was played must be left out.

    Returns
    -------
    k intervals; the estimate of one that does not exist is NaN.

    Source: Shao and Tu, "The Jackknife and Bootstrap" (1995), section 1.3.
    """
    units = len(sums)
    total = sums.sum(axis=0, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimates = statistics(total[None])[0]
        if units < 2:
            return [Interval(float(estimate), None, None, level) for estimate in estimates]
        without = statistics(total - sums)
        variances = (units - 1) / units * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    found = []
    for estimate, variance in zip(estimates.tolist(), variances.tolist(), strict=True):
        half = student_quantile(level, units - 1) * math.sqrt(variance)
        known = math.isfinite(half)
        low, high = (estimate - half, estimate + half) if known else (None, None)
        found.append(Interval(estimate, low, high, level))
    return found
