"""Fields whose truth is known, to try statistics on: made-up ones, and real play.

A made-up `World` draws the two matches of each board from a latent normal variable,

    z = sqrt(shared) (u_i - u_j) / sqrt(2) + (+-) sqrt(|dependence|) v + sqrt(rest) e,

u the luck that a board's cards bring a strategy in all its pairings, v that of a board in one
pairing (in the second match with the sign of the dependence), e that of a match. Who wins is z
against two thresholds, so that a draw counting half the shares are exactly those of Bradley and
Terry's model; the margin is its mean and a function of z with mean 0, a shifted lognormal. So that
not the lattice of a few counts decides what is found, the true ratings of each run are drawn from
a range: what is measured is a mean over that range.

`RealPlay` is played by the core, each run on boards of its own. Its truth is exact where a strategy
plays a copy of itself; else it is that of many more boards of another seed.

Source: Brown, Cai and DasGupta, "Interval estimation for a binomial proportion" (2001), for the
lattice and means over a range of truths.
"""

import math
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..sim.columns import to_columns
from ..sim.match import play_boards
from ..sim.rules import Rules
from ..sim.schedule import Plan, pairings_of
from ..sim.summary import GROUP_COLUMNS, N_GROUPS, PairingSummary, summarize
from ..sim.view import Player
from ..strategies.registry import parse_entry
from .ratings import ELO_A_UNIT, elo_ratings, points_ratings
from .results import Results
from .tables import margin_sources, pairing_margin, pairing_share

MATCH_DEVIATION = 150.0
"""Of a match's margin in a made-up world, points: about that of real play."""
POINTS_AN_ELO = 0.5
CHUNK_BOARDS = 15_000
_BATCH = 2_000_000


@dataclass(frozen=True)
class Truth:
    """What is true of a field: margins and shares by pairing, ratings by strategy, float64.

    `sources` are the parts of each pairing's margin, where they are known.
    """

    margins: np.ndarray
    shares: np.ndarray
    elo: np.ndarray
    points: np.ndarray
    sources: list[dict[str, float]]


@dataclass(frozen=True)
class Run:
    """A run and what is true of it; `margins` by match, shape (pairings, boards, 2), if known."""

    results: Results
    truth: Truth
    margins: np.ndarray


@dataclass(frozen=True)
class World:
    """A made-up field.

    Attributes
    ----------
    name : str
    elo : tuple of float
        True ratings, about which those of a run are drawn.
    range : float
        How far they lie from there at most, Elo.
    skew : float
        The lognormal's sigma; 0 for normal margins. Their skewness is
        (exp(s**2) + 2) sqrt(exp(s**2) - 1).
    draws : float
        Share of matches drawn between equals.
    dependence, shared : float
        Parts of the variance that a board gives its two matches in one pairing (below 0: with
        opposite signs), and in all.
    """

    name: str
    elo: tuple[float, ...]
    range: float = 40.0
    skew: float = 0.0
    draws: float = 0.01
    dependence: float = 0.2
    shared: float = 0.0

    def runs(self, boards: int, number: int, seed: int) -> Iterator[Run]:
        """Yield a number of runs of so many boards a pairing."""
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode()), boards])
        n = len(self.elo)
        plan = _plan([f"s{k}" for k in range(n)], boards)
        at_a_time = max(1, _BATCH // (boards * n * (n - 1)))
        for start in range(0, number, at_a_time):
            some = min(at_a_time, number - start)
            elo = np.array(self.elo) + rng.uniform(-self.range, self.range, (some, n))
            truths = [_truth_of(row) for row in elo - elo.mean(axis=1, keepdims=True)]
            shares = np.array([truth.shares for truth in truths])[:, :, None, None]
            means = np.array([truth.margins for truth in truths])[:, :, None, None]
            z = self._luck(rng, some, boards)
            margins = np.rint(means + MATCH_DEVIATION * self._noise(z)).astype(np.int64)
            half_wins = self._half_wins(z, shares)
            for run, truth in enumerate(truths):
                summaries = _summaries(margins[run], half_wins[run])
                yield Run(Results(plan, {}, summaries), truth, margins[run])

    def _luck(self, rng: np.random.Generator, runs: int, boards: int) -> np.ndarray:
        """Return z: float64, shape (runs, pairings, boards, 2)."""
        n = len(self.elo)
        a, b = np.array([(p.a, p.b) for p in pairings_of(n, "round-robin")]).T
        shape = (runs, len(a), boards)
        z = math.sqrt(1 - self.shared - abs(self.dependence)) * rng.standard_normal((*shape, 2))
        of_board = math.sqrt(abs(self.dependence)) * rng.standard_normal((*shape, 1))
        z += of_board * np.array([1, math.copysign(1, self.dependence)])
        if self.shared:
            luck = math.sqrt(self.shared / 2) * rng.standard_normal((runs, n, boards, 1))
            z += luck[:, a] - luck[:, b]
        return z

    def _noise(self, z: np.ndarray) -> np.ndarray:
        """Return the margin's deviation from its mean, with variance 1."""
        if not self.skew:
            return z
        s = self.skew**2
        return (np.exp(self.skew * z - s / 2) - 1) / math.sqrt(math.exp(s) - 1)

    def _half_wins(self, z: np.ndarray, shares: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        drawn = self.draws * 4 * shares * (1 - shares)
        lost, not_won = ndtri(1 - shares - drawn / 2), ndtri(1 - shares + drawn / 2)
        return (z > lost).astype(np.int64) + (z > not_won)


@dataclass(frozen=True)
class RealPlay:
    """Strategies that play; `reference` boards of another seed say the truth, 0 where all are one.

    `boards` are played in each pairing; runs are taken from them one after the other.
    """

    name: str
    entries: tuple[str, ...]
    boards: int
    reference: int

    def runs(self, sizes: Sequence[int], number: int, seed: int) -> Iterator[tuple[int, Run]]:
        """Yield (boards, run) of at most so many runs of each size."""
        truth = self.truth(seed + 1)
        names = [parse_entry(entry).name for entry in self.entries]
        left = dict.fromkeys(sizes, number)
        for chunk in self._chunks(seed, self.boards):
            n_boards = len(chunk[0]["board"]) // 2
            for size in sizes:
                plan = _plan(names, size)
                for k in range(min(left[size], n_boards // size)):
                    rows = slice(2 * k * size, 2 * (k + 1) * size)
                    parts = [{name: c[rows] for name, c in columns.items()} for columns in chunk]
                    summaries = [summarize(part, Rules().deals) for part in parts]
                    left[size] -= 1
                    yield size, Run(Results(plan, {}, summaries), truth, _margins(parts))
            if not any(left.values()):
                return

    def truth(self, seed: int) -> Truth:
        """Return what is true of the field, by symmetry or by the reference."""
        if not self.reference:
            zeros = np.zeros(len(self.entries))
            labels = margin_sources(PairingSummary())
            return Truth(zeros[:1], zeros[:1] + 0.5, zeros, zeros, [dict.fromkeys(labels, 0.0)])
        pairings = pairings_of(len(self.entries), "round-robin")
        sums = [PairingSummary() for _ in pairings]
        for chunk in self._chunks(seed, self.reference):
            for total, columns in zip(sums, chunk, strict=True):
                total.merge(summarize(columns, Rules().deals))
        results = Results(_plan([parse_entry(e).name for e in self.entries], 1), {}, sums)
        return Truth(
            np.array([pairing_margin(s).estimate for s in sums]),
            np.array([pairing_share(s).estimate for s in sums]),
            elo_ratings(results).values,
            points_ratings(results).values,
            [{name: i.estimate for name, i in margin_sources(s).items()} for s in sums],
        )

    def _chunks(self, seed: int, boards: int) -> Iterator[list[dict[str, np.ndarray]]]:
        """Yield the columns of all pairings for some boards after others."""
        players = [parse_entry(entry).player() for entry in self.entries]
        pairs = [(players[p.a], players[p.b]) * 2 for p in pairings_of(len(players), "round-robin")]

        def play(seats: tuple[Player, ...], first: int) -> dict[str, np.ndarray]:
            n = min(CHUNK_BOARDS, boards - first)
            block = play_boards(Rules(), seats, seed, first, n)
            return to_columns(block.rows, block.sides, block.deals)

        with ThreadPoolExecutor() as pool:
            waiting = [
                [pool.submit(play, seats, first) for seats in pairs]
                for first in range(0, min(boards, 2 * CHUNK_BOARDS), CHUNK_BOARDS)
            ]
            next_ = len(waiting) * CHUNK_BOARDS
            while waiting:
                yield [call.result() for call in waiting.pop(0)]
                if next_ < boards:
                    waiting.append([pool.submit(play, seats, next_) for seats in pairs])
                    next_ += CHUNK_BOARDS


def _plan(names: Sequence[str], boards: int) -> Plan:
    return Plan(tuple(names), Rules(), 1, boards, "round-robin")


def _truth_of(elo: np.ndarray) -> Truth:
    points = POINTS_AN_ELO * elo
    a, b = np.array([(p.a, p.b) for p in pairings_of(len(elo), "round-robin")]).T
    shares = 1 / (1 + np.exp((elo[b] - elo[a]) / ELO_A_UNIT))
    return Truth(points[a] - points[b], shares, elo, points, [])


def _margins(parts: list[dict[str, np.ndarray]]) -> np.ndarray:
    margins = [part["score_a"].astype(np.int64) - part["score_b"] for part in parts]
    return np.array(margins).reshape(len(parts), -1, 2)


def _summaries(margins: np.ndarray, half_wins: np.ndarray) -> list[PairingSummary]:
    """Return the summaries of pairings from arrays of shape (pairings, boards, 2)."""
    pairings, boards, _ = margins.shape
    columns = {
        "boards": np.ones((pairings, boards), np.int64),
        "matches": np.full((pairings, boards), 2),
        "wins": (half_wins == 2).sum(axis=2),
        "draws": (half_wins == 1).sum(axis=2),
        "losses": (half_wins == 0).sum(axis=2),
        "margin": margins.sum(axis=2),
    }
    stacked = np.pad(list(columns.values()), ((0, 0), (0, 0), (0, -boards % N_GROUPS)))
    sums = stacked.reshape(len(columns), pairings, -1, N_GROUPS).sum(axis=2)
    groups = np.zeros((pairings, N_GROUPS, len(GROUP_COLUMNS)), np.int64)
    groups[:, :, [_PLACE[name] for name in columns]] = np.moveaxis(sums, 0, -1)
    return [PairingSummary(part, {}) for part in groups]


_PLACE = {name: place for place, name in enumerate(GROUP_COLUMNS)}
