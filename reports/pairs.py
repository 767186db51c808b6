"""What the outcomes of a board's two matches say: Elo, normalised Elo, likelihood of superiority.

A board is a pair of matches, and its outcome for *a* is one of five: LL, LD, WL+DD, WD, WW, worth
0, 1/4, 1/2, 3/4, 1. Pairs are independent where matches are not, so that all that follows is made
from the five counts. With p the share of each outcome, mu its mean and v its variance:

- Elo is -400 log10(1/mu - 1), its interval that of mu, by the normal law, in the same scale.
- Normalised Elo is C (mu - 1/2) / sqrt(2 v), C = 800 / ln 10: the distance from equality in
  standard deviations of a match, on a scale that agrees with Elo's where nothing is drawn and the
  two are near equal. Its error is C z / sqrt(2 n) over n pairs, which holds near equality: it
  leaves out that v is an estimate too.
- The likelihood of superiority (LOS) is the normal law's Phi((mu - 1/2) / sqrt(v / n)).

Source: Van den Bergh, "Normalized Elo" and "The generalized maximum likelihood ratio for the
expectation value of a distribution" (cantate.be/Fishtest).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ..sim.errors import PrummyError
from .stats import LEVEL, Interval

SCORES = np.arange(5) / 4
ELO_SCALE = 800 / math.log(10)
LEAST_COUNT = 1e-3
"""What stands for an outcome that never occurred where a logarithm or a variance needs it."""


class PairsError(PrummyError, ValueError):
    """Counts of pairs that cannot be."""


@dataclass(frozen=True)
class Pairs:
    """The counts of the five outcomes of a board, worst for *a* first."""

    counts: tuple[int, int, int, int, int]

    @classmethod
    def checked(cls, counts: Sequence[float]) -> "Pairs":
        """Return counts that make sense.

        Raises
        ------
        PairsError
            Unless there are five, whole and not negative, and at least one board.
        """
        if len(counts) != 5:
            raise PairsError(f"{len(counts)} counts of pairs: give five, LL,LD,WL+DD,WD,WW")
        for name, count in zip(("LL", "LD", "WL+DD", "WD", "WW"), counts, strict=True):
            if not math.isfinite(count) or count != int(count) or count < 0:
                raise PairsError(f"{name}: {count:g} is no count: give a whole number from 0")
        if not sum(counts):
            raise PairsError("no boards: all five counts are 0")
        ll, ld, wl, wd, ww = (int(count) for count in counts)
        return cls((ll, ld, wl, wd, ww))

    @property
    def boards(self) -> int:
        """How many boards there are."""
        return sum(self.counts)

    @property
    def shares(self) -> np.ndarray:
        """The share of each outcome, float64, shape (5,)."""
        return np.array(self.counts) / self.boards

    @property
    def regular(self) -> np.ndarray:
        """The counts, with `LEAST_COUNT` for those that are 0: float64, shape (5,)."""
        counts = np.array(self.counts, float)
        return np.where(counts == 0, LEAST_COUNT, counts)

    @property
    def is_flat(self) -> bool:
        """Whether all boards ended the same, so that nothing tells how they vary."""
        return max(self.counts) == self.boards


def mean_and_variance(shares: np.ndarray) -> tuple[float, float]:
    """Return mean and variance of the score of a board under shares of the outcomes."""
    mean = float(shares @ SCORES)
    return mean, float(shares @ (SCORES - mean) ** 2)


def elo_of_score(score: float) -> float:
    """Return the Elo difference that an expected score, in (0, 1), stands for."""
    return -400 * math.log10(1 / score - 1)


def score_of_elo(elo: float) -> float:
    """Return the expected score of an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo(pairs: Pairs, level: float = LEVEL) -> Interval:
    """Return the Elo difference of *a* over *b*.

    An end that lies beyond a score of 0 or 1, where Elo is infinite, is None; so are both where all
    boards ended the same. The estimate of a field of wins (or losses) is that of the regularised
    counts, finite.
    """
    mean, variance = mean_and_variance(pairs.regular / pairs.regular.sum())
    if pairs.is_flat:
        return Interval(elo_of_score(mean), None, None, level)
    mean, variance = mean_and_variance(pairs.shares)
    half = _z(level) * math.sqrt(variance / pairs.boards)
    low, high = mean - half, mean + half
    return Interval(
        elo_of_score(mean),
        elo_of_score(low) if low > 0 else None,
        elo_of_score(high) if high < 1 else None,
        level,
    )


def normalized_elo(pairs: Pairs, level: float = LEVEL) -> Interval:
    """Return the normalised Elo difference of *a* over *b*.

    Where all boards ended the same, the estimate is that of the regularised counts, the ends None.
    """
    counts = pairs.regular if pairs.is_flat else np.array(pairs.counts, float)
    mean, variance = mean_and_variance(counts / counts.sum())
    estimate = ELO_SCALE * (mean - 0.5) / math.sqrt(2 * variance)
    if pairs.is_flat:
        return Interval(estimate, None, None, level)
    half = ELO_SCALE * _z(level) / math.sqrt(2 * pairs.boards)
    return Interval(estimate, estimate - half, estimate + half, level)


def likelihood_of_superiority(pairs: Pairs) -> float:
    """Return the chance, by the normal law, that *a* is the better one; from 0 to 1."""
    mean, variance = mean_and_variance(pairs.regular / pairs.regular.sum())
    return NormalDist().cdf((mean - 0.5) / math.sqrt(variance / pairs.boards))


def _z(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)
