"""Margins less the luck of the draw, and whether that saves time.

With X a board's margin, both matches together, and D its luck (`sim.chance`), a vector whose mean
is zero, the corrected margin is X - w'D. The weights w are those of least squares, learnt on other
boards: boards of even number by those of odd number, and the other way round. So whatever w is,
the mean of the corrected margin is that of the margin. How much less it varies is measured, not
promised: it depends on the two strategies.

For the same certainty as n boards, n (1 - v) boards are enough with v the share of variance that is
saved; each costs the time to play it and to go through its draws.

Source: Burch et al., "AIVAT" (2018); Chernozhukov et al., "Double/debiased machine learning"
(2018), for cross-fitting; Lavenberg and Welch, "A perspective on the use of control variables"
(1981), for the weights.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..sim.chance import FEATURES, Luck
from ..sim.columns import to_columns
from ..sim.summary import N_GROUPS, summarize
from .numbers import number, percent, signed
from .stats import Interval, jackknife_intervals, mean_interval
from .tables import pairing_margin

FEWEST_BOARDS = 10 * len(FEATURES)
"""Fewer are too few to learn what a draw is worth."""


@dataclass(frozen=True)
class Correction:
    """A margin of a over b with and without the luck of the draw, points a match.

    Attributes
    ----------
    plain, corrected : Interval
    saved : Interval or None
        Share of the variance of the plain margin that is saved, below 0 where it is lost; None
        where no margin varies.
    play_seconds, draws_seconds : float
        A board.
    """

    a: str
    b: str
    boards: int
    plain: Interval
    corrected: Interval
    saved: Interval | None
    play_seconds: float
    draws_seconds: float

    @property
    def plain_seconds(self) -> float:
        """What the boards took to play: the price of the plain margin's certainty."""
        return self.boards * self.play_seconds

    @property
    def seconds_saved(self) -> float | None:
        """What the correction saves of that for the same certainty; below 0 where it costs."""
        if self.saved is None:
            return None
        each = self.play_seconds + self.draws_seconds
        return self.plain_seconds - self.boards * (1 - self.saved.estimate) * each

    def to_json(self) -> dict[str, Any]:
        """Return what ``prummy luck A B --json`` shows of a pair."""
        return {
            "a": self.a,
            "b": self.b,
            "boards": self.boards,
            "matches": 2 * self.boards,
            "margin": self.plain.to_json(),
            "corrected_margin": self.corrected.to_json(),
            "variance_saved": None if self.saved is None else self.saved.to_json(),
            "play_seconds_a_board": self.play_seconds,
            "correction_seconds_a_board": self.draws_seconds,
            "seconds": self.plain_seconds,
            "seconds_saved": self.seconds_saved,
        }


def corrected_margin(a: str, b: str, luck: Luck) -> Correction:
    """Return the margin of a over b with and without the luck of the draw.

    Parameters
    ----------
    luck : Luck
        Boards from 0 on, `FEWEST_BOARDS` or more, in which nobody failed.
    """
    block = luck.block
    columns = to_columns(block.rows, block.sides, block.deals)
    summary = summarize(columns, block.deals.shape[1])
    margins = (columns["score_a"] - columns["score_b"]).reshape(-1, 2).sum(axis=1).astype(float)
    boards = len(margins)
    left = cross_fitted(margins, luck.draws.sum(axis=1))
    sums = _by_group(np.column_stack([np.ones(boards), margins, margins**2, left, left**2]))
    (saved,) = jackknife_intervals(_variance_saved, sums)
    return Correction(
        a,
        b,
        boards,
        pairing_margin(summary),
        mean_interval(sums[:, 3], 2 * sums[:, 0]),
        saved if math.isfinite(saved.estimate) else None,
        luck.play_seconds / boards,
        luck.draws_seconds / boards,
    )


def cross_fitted(margins: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return margins less their luck, each half of the boards by the weights of the other.

    Parameters
    ----------
    margins : float64, shape (boards,)
    draws : float64, shape (boards, features)
    """
    corrected = margins.copy()
    for half in (0, 1):
        learnt, luck = margins[1 - half :: 2], draws[1 - half :: 2]
        centred = luck - luck.mean(axis=0)
        weights = np.linalg.lstsq(centred, learnt - learnt.mean(), rcond=None)[0]
        corrected[half::2] -= draws[half::2] @ weights
    return corrected


def _by_group(values: np.ndarray) -> np.ndarray:
    """Return sums over the groups of boards from 0 on (board mod 256)."""
    sums = np.zeros((min(N_GROUPS, len(values)), values.shape[1]))
    np.add.at(sums, np.arange(len(values)) % N_GROUPS, values)
    return sums


def _variance_saved(totals: np.ndarray) -> np.ndarray:
    """Return the share of variance that is saved, shape (r, 1)."""
    boards, plain, plain_squared, left, left_squared = totals.T
    before, after = plain_squared - plain**2 / boards, left_squared - left**2 / boards
    return (1 - after / before)[:, None]


def in_words(found: Correction) -> list[str]:
    """Return the lines that tell a correction to a person."""
    pair = f"{found.a} against {found.b}, {found.boards:,} boards"
    plain, corrected = found.plain, found.corrected
    if found.saved is None:
        return [f"{pair}: nothing varies: {signed(plain.estimate)} points a match on every board"]
    saved, seconds = found.saved, found.seconds_saved
    assert seconds is not None
    part = seconds / found.plain_seconds
    verb, sure = ("save", "is worth it") if part > 0 else ("cost", "is not worth it")
    instead = "" if part > 0 else ": play more boards instead"
    return [
        f"{pair}: {_with_half(plain)} points a match, without the luck of the draw "
        f"{_with_half(corrected)}",
        f"  the draws gave {found.a} {signed(plain.estimate - corrected.estimate)} points a match; "
        f"without them {percent(abs(saved.estimate))} ± {percent(saved.half_width)} % of the "
        f"variance is {'saved' if saved.estimate >= 0 else 'added'}",
        f"  a board takes {_time(found.play_seconds)} to play and {_time(found.draws_seconds)} to "
        f"correct: for the same certainty {verb}s {_time(abs(seconds))} of "
        f"{_time(found.plain_seconds)} ({percent(abs(part), 0)} %), so that it {sure}{instead}",
    ]


def _with_half(interval: Interval) -> str:
    half = "" if interval.half_width is None else f" ± {number(interval.half_width)}"
    return f"{signed(interval.estimate)}{half}"


def _time(seconds: float) -> str:
    """Return a time in the unit in which it is read."""
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.3g} {unit}" if seconds < 1000 * size else f"{seconds:,.0f} s"
    return f"{seconds / 1e-6:.3g} µs"
