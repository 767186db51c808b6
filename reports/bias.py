"""Estimates after a sequential test, without the lean that its stop gives them.

A test stops where the score has just gone far enough, so that the mean score of the boards it
played leans outward. The corrected score is that which, were it the truth, would make the plain
mean come out at what was seen, on average over all ways in which the test could have ended: mu
with E_mu[mean at the stop] = the mean seen. The expectation is that of a sum of normal steps with
the deviation seen, between the test's bounds at its looks; it is worked out from look to look, by
Gauss and Legendre's quadrature over the sums that go on.

The margin follows by its regression on the score: what the stop has added to the score, times the
slope, is what it has added to the margin, since the stop sees the margin by way of the score only.

Source: Whitehead, "On the bias of maximum likelihood estimation following a sequential test",
Biometrika 73 (1986); Armitage, McPherson and Rowe, "Repeated significance tests on accumulating
data" (1969), for the recursion.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..sim.summary import PairingSummary
from .pairs import ELO_SCALE, Pairs, mean_and_variance, score_of_elo
from .sprt import Sprt
from .stopping import Stop

NODES = 64
REACH = 8.0
"""How many standard deviations of a step sums are followed beyond where they can come from."""
_LEAST_MASS = 1e-9


@dataclass(frozen=True)
class Corrected:
    """The margin of a over b, points a match, and its win share, without the stop's lean."""

    margin: float
    win_share: float


def corrected(summary: PairingSummary, stop: Stop) -> Corrected | None:
    """Return the corrected estimates of a comparison that a test has ended, or its last board.

    None where there is no test, and where all boards ended the same, so that nothing tells how
    they vary.
    """
    pairs = Pairs.checked(summary.pairs())
    if stop.sprt is None or pairs.is_flat:
        return None
    score = corrected_score(pairs, stop.sprt, list(stop.looks()))
    boards = summary.column("boards")
    margins, scores = summary.column("margin") / 2, _scores(summary)
    margin, mean = margins.sum() / boards.sum(), scores.sum() / boards.sum()
    apart = scores - mean * boards
    slope = (apart @ (margins - margin * boards)) / (apart @ apart) if apart.any() else 0.0
    return Corrected(float(margin - slope * (mean - score)), score)


def _scores(summary: PairingSummary) -> np.ndarray:
    """Return the sums of the boards' scores, each 0 to 1, by group: float64, shape (256,)."""
    return (2 * summary.column("wins") + summary.column("draws")) / 4


def corrected_score(pairs: Pairs, test: Sprt, looks: list[int]) -> float:
    """Return the mean score of a board, 0 to 1, corrected for a test that looked at these boards.

    Parameters
    ----------
    pairs : Pairs
        The counts when it stopped; not all the same.
    test : Sprt
    looks : list of int
        The numbers of boards at which it looks, the most boards last.
    """
    from scipy.optimize import brentq

    mean, variance = mean_and_variance(pairs.shares)
    deviation = math.sqrt(variance)
    bounds = [_bounds(test, boards, deviation) for boards in looks]

    def excess(score: float) -> float:
        return _expected_mean(score, looks, bounds, deviation) - mean

    reach = 4 * deviation / math.sqrt(pairs.boards)
    low, high = max(0.0, mean - reach), min(1.0, mean + reach)
    if excess(low) >= 0 or excess(high) <= 0:  # it is at the very edge of what can be
        return low if excess(low) >= 0 else high
    return float(brentq(excess, low, high, xtol=1e-6))


@lru_cache
def _quadrature() -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss and Legendre's nodes and weights on (-1, 1): float64, shape (`NODES`,)."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def _bounds(test: Sprt, boards: int, deviation: float) -> tuple[float, float]:
    """Return the mean scores between which a test goes on, at a deviation of a board's score."""
    low, high = (_mean_at(test, ratio, boards, deviation) for ratio in (test.lower, test.upper))
    return low, high


def _mean_at(test: Sprt, llr: float, boards: int, deviation: float) -> float:
    """Return the mean score at which the log-likelihood ratio is `llr`, by the normal law.

    Infinite where no score can bring so few boards so far.
    """
    if test.model == "logistic":
        s0, s1 = score_of_elo(test.elo0), score_of_elo(test.elo1)
        return (s0 + s1) / 2 + llr * deviation**2 / (boards * (s1 - s0))
    # boards / 2 log((1 + (t - t0)^2) / (1 + (t - t1)^2)) = llr is a quadratic equation in t
    t0, t1 = (math.sqrt(2) * elo / ELO_SCALE for elo in (test.elo0, test.elo1))
    ratio = math.exp(2 * llr / boards)
    square, linear = 1 - ratio, ratio * t1 - t0
    inside = linear**2 - square * (1 + t0**2 - ratio * (1 + t1**2))
    if inside < 0:
        return math.copysign(math.inf, llr)
    roots = [(-linear + sign * math.sqrt(inside)) / square for sign in (-1, 1)]
    return 0.5 + deviation * min(roots, key=lambda t: abs(t - (t0 + t1) / 2))


def _expected_mean(
    score: float, looks: list[int], bounds: list[tuple[float, float]], deviation: float
) -> float:
    """Return the expected mean at the stop where the true mean is `score`."""
    nodes, weights = _quadrature()
    total, before = 0.0, 0
    sums, mass = np.zeros(1), np.ones(1)  # where those that go on are, and how many of them
    for boards, (low, high) in zip(looks, bounds, strict=True):
        step = boards - before
        moved, spread = sums + step * score, deviation * math.sqrt(step)
        total += float(mass @ moved) / boards
        if boards == looks[-1]:
            break
        first = max(low * boards, moved.min() - REACH * spread)
        last = min(high * boards, moved.max() + REACH * spread)
        if first >= last:  # nothing can go on
            break
        sums = (first + last) / 2 + (last - first) / 2 * nodes
        density = np.exp(-(((sums[:, None] - moved) / spread) ** 2) / 2) @ mass
        mass = density * weights * (last - first) / (2 * spread * math.sqrt(2 * math.pi))
        total -= float(mass @ sums) / boards
        before = boards
        if mass.sum() < _LEAST_MASS:
            break
    return total
