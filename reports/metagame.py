"""The meta-game of a run: strategies as the moves of a game whose payoffs are the run's results.

What i takes off j is its win share less one half (a draw half a win), or its margin in points a
match: an antisymmetric matrix A, a symmetric zero-sum game, where entering a strategy is the move.
`nash` finds whom to enter against an opponent who knows the field as well, `evolution` what becomes
of a population. Ratings are a number a strategy; how much of the game no such numbers explain is
told by the least-squares decomposition

    A[i, j] = (r_i - r_j) + C[i, j],    r_i the mean of A[i, :],

whose parts are orthogonal: C goes round in cycles, and its share of the sum of squares is the
game's cyclic share. Luck alone makes some of it; how much is expected comes from the groups of
boards, as in `ratings`.

Uncertainty is by resampling: a draw gives each of the groups of boards (board mod 256, the same for
all pairings) a weight from the exponential distribution (the Bayesian bootstrap: no pairing is ever
without matches), and everything is found anew. Intervals are percentiles. An equilibrium jumps as
payoffs change their sign, so that they say how far the boards bear out an answer; that they hold
the truth in 95 of a hundred runs is not promised.

Source: Balduzzi et al., "Re-evaluating evaluation" (2018); Jiang, Lim, Yao and Ye, "Statistical
ranking and combinatorial Hodge theory" (2011); Rubin, "The Bayesian bootstrap" (1981).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..sim.errors import PrummyError
from ..sim.summary import PairingSummary
from .evolution import POPULATION, Trajectory, alpha_rank, replicator
from .nash import Equilibrium, nash_average, nash_averages
from .ratings import Field, field_of
from .results import Results
from .stats import LEVEL, Interval
from .tables import pairing_margin, pairing_share

SAMPLES = 1000
SEED = 1
OF = ("win_share", "margin")
_MOST_NAMED = 5


class MetagameError(PrummyError, ValueError):
    """A field that is no game, or a question that makes no sense."""


@dataclass(frozen=True)
class Cycle:
    """Three strategies of which the first beats the second, it the third, and that the first.

    `leads` are the payoffs of the three, all above 0, with their intervals.
    """

    names: tuple[str, str, str]
    leads: tuple[Interval, Interval, Interval]

    @property
    def told_apart(self) -> tuple[bool, ...]:
        """Which of the leads have an interval above 0."""
        return tuple(lead.low is not None and bool(lead.low > 0) for lead in self.leads)

    def to_json(self) -> dict[str, Any]:
        """Return the cycle, each lead with whether it is told apart from 0."""
        return {
            "strategies": list(self.names),
            "payoffs": [lead.to_json() for lead in self.leads],
            "told_apart": list(self.told_apart),
        }


@dataclass(frozen=True)
class Draws:
    """What resampling the boards gave, float64, shape (samples, n) each."""

    masses: np.ndarray
    ratings: np.ndarray
    alpha_ranks: np.ndarray


@dataclass(frozen=True)
class Metagame:
    """A field as a game, in the order of the run's entries.

    Attributes
    ----------
    names : tuple of str
    of : str
        What the payoffs are: "win_share" (less one half) or "margin" (points a match).
    payoffs : float64, shape (n, n)
    nash : Equilibrium
    alpha : float or None
        Ranking intensity of alpha-rank; None: the limit.
    alpha_ranks : float64, shape (n,)
    course : Trajectory
        The replicator dynamics from equal shares.
    cyclic_share : float or None
        The share of the sum of squared payoffs that no rating explains; None where all are 0.
    cyclic_by_luck : float or None
        How much of that share luck is expected to make; None with under two groups of boards.
    cycles : tuple of Cycle
        That of the largest smallest lead first.
    draws : Draws or None
        None without samples, and where a pairing has under two groups of boards.
    """

    names: tuple[str, ...]
    of: str
    payoffs: np.ndarray
    nash: Equilibrium
    alpha: float | None
    alpha_ranks: np.ndarray
    course: Trajectory
    cyclic_share: float | None
    cyclic_by_luck: float | None
    cycles: tuple[Cycle, ...]
    draws: Draws | None

    @property
    def order(self) -> list[int]:
        """The entries by Nash mass, then by Nash rating, then by alpha-rank."""
        keys = (self.nash.mixture, self.nash.ratings, self.alpha_ranks)
        return [int(k) for k in np.lexsort([-np.round(key, 9) for key in reversed(keys)])]

    def nash_mass(self, entry: int) -> Interval:
        """Return the share of an entry in the Nash equilibrium."""
        return _percentiles(
            self.nash.mixture, None if self.draws is None else self.draws.masses, entry
        )

    def nash_rating(self, entry: int) -> Interval:
        """Return what an entry takes off the Nash equilibrium."""
        return _percentiles(
            self.nash.ratings, None if self.draws is None else self.draws.ratings, entry
        )

    def alpha_rank(self, entry: int) -> Interval:
        """Return the share of time that a population spends at an entry."""
        return _percentiles(
            self.alpha_ranks, None if self.draws is None else self.draws.alpha_ranks, entry
        )

    def in_support(self, entry: int) -> float | None:
        """Return the share of the draws in which an entry is in the Nash equilibrium."""
        return None if self.draws is None else float((self.draws.masses[:, entry] > 0).mean())

    def to_json(self) -> dict[str, Any]:
        """Return all of it, the highest Nash mass first."""
        order, last = self.order, self.course.mixtures[-1]
        average = self.course.averages[-1]
        return {
            "of": self.of,
            "samples": 0 if self.draws is None else len(self.draws.masses),
            "strategies": [
                {
                    "strategy": self.names[k],
                    "nash_mass": self.nash_mass(k).to_json(),
                    "in_support": self.in_support(k),
                    "nash_rating": self.nash_rating(k).to_json(),
                    "alpha_rank": self.alpha_rank(k).to_json(),
                    "replicator": {"last": float(last[k]), "average": float(average[k])},
                }
                for k in order
            ],
            "payoffs": [[float(value) for value in self.payoffs[k, order]] for k in order],
            "nash": {
                "entropy": self.nash.entropy,
                "regret": self.nash.regret,
                "entropy_gap": self.nash.entropy_gap,
            },
            "alpha": self.alpha,
            "population": POPULATION,
            "duration": float(self.course.times[-1]),
            "cyclic_share": self.cyclic_share,
            "cyclic_by_luck": self.cyclic_by_luck,
            "cycles": [cycle.to_json() for cycle in self.cycles],
        }


def metagame(
    results: Results, of: str = "win_share", samples: int = SAMPLES, alpha: float | None = None
) -> Metagame:
    """Return the meta-game of all whose matches count.

    Parameters
    ----------
    results : Results
    of : str
        One of `OF`.
    samples : int
        Draws of the resampling; the same run and number give the same draws.
    alpha : float, optional
        Ranking intensity of alpha-rank, per unit of payoff; None: the limit of a large one.

    Raises
    ------
    MetagameError
        For pairs that never met, and for samples, alpha or `of` that make no sense.
    RatingsError
        Where no pairing counts.
    """
    if of not in OF:
        raise MetagameError(f"payoffs of {of!r}: there are {' and '.join(OF)}")
    if samples < 0:
        raise MetagameError(f"{samples} samples: give a whole number from 0 on")
    if alpha is not None and not 0 < alpha < np.inf:
        raise MetagameError(f"alpha {alpha:g}: give a number above 0")
    field = _complete_field(results)
    taken = field.won - field.matches / 2 if of == "win_share" else field.margins
    payoffs = _games(field, taken.sum(axis=1) / field.matches.sum(axis=1))
    cyclic_share, cyclic_by_luck = _cyclic_shares(field, taken, payoffs)
    return Metagame(
        names=field.names,
        of=of,
        payoffs=payoffs,
        nash=nash_average(payoffs),
        alpha=alpha,
        alpha_ranks=alpha_rank(payoffs, alpha),
        course=replicator(payoffs),
        cyclic_share=cyclic_share,
        cyclic_by_luck=cyclic_by_luck,
        cycles=tuple(sorted(_cycles(results, of), key=_least_lead, reverse=True)),
        draws=_draws(field, taken, samples, alpha),
    )


def _complete_field(results: Results) -> Field:
    """Return a field in which all have met."""
    field = field_of(results)
    met = {frozenset(pair) for pair in field.pairs}
    missing = [
        f"{one} and {other}"
        for (i, one), (j, other) in combinations(enumerate(field.names), 2)
        if frozenset((i, j)) not in met
    ]
    if missing:
        more = len(missing) - _MOST_NAMED
        told = "; ".join(missing[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
        raise MetagameError(f"a meta-game needs all pairs, and these never met: {told}")
    return field


def _games(field: Field, leads: np.ndarray) -> np.ndarray:
    """Return games (..., n, n) from what the first of each pair takes off the other (..., pairs).

    Both halves are written from the same number, so that the games are antisymmetric to the bit.
    """
    n = len(field.names)
    a, b = np.array(field.pairs).T
    games = np.zeros((*leads.shape[:-1], n, n))
    games[..., a, b], games[..., b, a] = leads, 0.0 - leads  # no zero has a sign
    return games


def _cyclic(games: np.ndarray) -> np.ndarray:
    """Return the part of games that no rating explains, (..., n, n)."""
    worth = games.mean(axis=-1)
    return np.asarray(games - worth[..., :, None] + worth[..., None, :])


def _cyclic_shares(
    field: Field, taken: np.ndarray, payoffs: np.ndarray
) -> tuple[float | None, float | None]:
    """Return the cyclic share of the game, and how much of it is expected from luck."""
    total = float((payoffs**2).sum())
    if total == 0:
        return None, None
    share = float((_cyclic(payoffs) ** 2).sum()) / total
    groups = taken.shape[1]
    if not _has_groups(field):
        return share, None
    matches = field.matches.sum(axis=1, keepdims=True)
    luck = (taken - field.matches * taken.sum(axis=1, keepdims=True) / matches) / matches
    by_group = _cyclic(_games(field, luck.T))
    return share, groups / (groups - 1) * float((by_group**2).sum()) / total


def _has_groups(field: Field) -> bool:
    """Return whether each pairing has two groups of boards, so that they tell of luck."""
    return bool(((field.matches > 0).sum(axis=1) > 1).all())


def _draws(field: Field, taken: np.ndarray, samples: int, alpha: float | None) -> Draws | None:
    """Return what the game's answers are when groups of boards are weighted anew."""
    if samples == 0 or not _has_groups(field):
        return None
    weights = np.random.default_rng(SEED).exponential(size=(samples, taken.shape[1]))
    games = _games(field, (weights @ taken.T) / (weights @ field.matches.T))
    masses = nash_averages(games)
    ratings = (games @ masses[:, :, None])[:, :, 0]
    return Draws(masses, ratings, alpha_rank(games, alpha))


def _percentiles(values: np.ndarray, draws: np.ndarray | None, entry: int) -> Interval:
    """Return an entry's value with the percentiles of its draws."""
    estimate = float(values[entry])
    if draws is None:
        return Interval(estimate, None, None)
    low, high = np.quantile(draws[:, entry], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(estimate, float(low), float(high))


def _lead(summary: PairingSummary, of: str) -> Interval:
    """Return what the first side of a pairing takes off the other, with its interval."""
    if of == "margin":
        return pairing_margin(summary)
    share = pairing_share(summary)
    low, high = (None if end is None else end - 0.5 for end in (share.low, share.high))
    return Interval(share.estimate - 0.5, low, high, share.level)


def _cycles(results: Results, of: str) -> Iterator[Cycle]:
    """Yield all cycles of three."""
    leads = {}
    for met, summary in results.played():
        lead = _lead(summary, of)
        leads[met.a, met.b], leads[met.b, met.a] = lead, -lead
    entries = sorted({entry for pair in leads for entry in pair})
    for i, j, k in combinations(entries, 3):
        for one, two, three in ((i, j, k), (i, k, j)):
            around = leads[one, two], leads[two, three], leads[three, one]
            if all(lead.estimate > 0 for lead in around):
                names = results.names
                yield Cycle((names[one], names[two], names[three]), around)


def _least_lead(cycle: Cycle) -> float:
    return min(lead.estimate for lead in cycle.leads)
