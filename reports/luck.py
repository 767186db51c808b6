"""Luck and skill: what decides a match, and how long until the better side is ahead.

A board's matches have the same cards, with the seats changed. With X0 and X1 the margins of a in
the two, points, the mean square of a match's margin is split in three:

- **skill**: m^2, with m = E X the mean margin;
- **cards**: -E (X0 - m)(X1 - m), what the seats of a board have in common whoever sits there: it
  comes with the other sign when the teams change seats;
- **play**: the rest, E (X0 + X1 - 2m)^2 / 2: what goes otherwise with the same cards.

The mean square is the variance of the margin of a team that does not know which of the two it is;
the shares are of that. With g the part of a margin that the cards decide for the seats, and h how
far the cards suit a rather than b, the estimate of cards is Var g - Var h: below 0 where boards
tell more about how far the two differ than about the seats. It says what cards decide *beyond*
what they decide for one strategy, so it is a lower bound of all that cards decide: where two that
play otherwise turn other cards up, that is play.

All three estimates have no bias: m^2 is estimated from products of different boards, and may be
below 0. They add up to the mean square of the margins. A share is a ratio of two of them. Errors
are the jackknife's over groups of boards, which all pairings share.

How long: with s the standard deviation of a board's mean margin, the total of n boards is about
normal with mean n m and standard deviation s sqrt(n), so that the better side leads after n boards
with probability Phi(sqrt(n) |m| / s), its opponent with the rest.

Source: Cochran, "Sampling Techniques" (3rd ed.), section 2.9 (products of different units); Searle,
Casella and McCulloch, "Variance Components" (1992), section 3.5 (estimates below 0).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from ..sim.summary import PairingSummary
from .numbers import percent
from .results import Results
from .stats import Interval, jackknife_intervals, share_interval
from .tables import pairing_margin

PARTS = ("cards", "skill", "play")
SERIES = (10, 100)
"""Lengths in boards of the series of which the chance to be led is told."""
LEAD = 0.95
_NORMAL = NormalDist()
_SUMS = ("boards", "margin", "margin_squared", "board_margin_squared")


@dataclass(frozen=True)
class Shares:
    """What a match's margin comes from.

    Attributes
    ----------
    deviation : Interval
        Root of the mean square of a match's margin, points.
    parts : dict of Interval
        Shares of the mean square by `PARTS`; they add up to 1. None of them with one board, or
        where all matches end level.
    """

    deviation: Interval
    parts: dict[str, Interval]

    def to_json(self) -> dict[str, Any]:
        """Return what ``prummy luck --json`` shows."""
        parts = {name: share.to_json() for name, share in self.parts.items()}
        return {"deviation": self.deviation.to_json(), "shares": parts or None}


@dataclass(frozen=True)
class Upsets:
    """How often the worse side, by the mean margin, has the better of it, and neither.

    A board is won by who wins more of its two matches, a draw half. None in a field in which
    nobody is ahead of anybody.
    """

    match_lost: Interval
    match_level: Interval
    board_lost: Interval
    board_level: Interval

    def to_json(self) -> dict[str, Any]:
        """Return what ``prummy luck --json`` shows."""
        return {
            "worse_wins": {"match": self.match_lost.to_json(), "board": self.board_lost.to_json()},
            "level": {"match": self.match_level.to_json(), "board": self.board_level.to_json()},
        }


@dataclass(frozen=True)
class PairingLuck:
    """Luck and skill of a pairing.

    Attributes
    ----------
    better : str or None
        Who has the higher mean margin; None where it is 0.
    is_told_apart : bool
        Whether the interval of the margin says so as well.
    lead : Interval or None
        Boards until the better side leads on the total score with probability `LEAD`. An end is
        infinite where it may be that neither is better; None where nothing varies.
    behind : dict of Interval
        The chance that the worse side leads after so many boards (`SERIES`).
    """

    a: str
    b: str
    boards: int
    margin: Interval
    shares: Shares
    better: str | None
    is_told_apart: bool
    upsets: Upsets | None
    lead: Interval | None
    behind: dict[int, Interval]

    @property
    def worse(self) -> str | None:
        """The other of the two."""
        return None if self.better is None else self.b if self.better == self.a else self.a

    def to_json(self) -> dict[str, Any]:
        """Return what ``prummy luck --json`` shows; what is infinite or unknown is None."""
        upsets = None if self.upsets is None else self.upsets.to_json()
        return {
            "a": self.a,
            "b": self.b,
            "boards": self.boards,
            "matches": 2 * self.boards,
            "margin": self.margin.to_json(),
            **self.shares.to_json(),
            "better": self.better,
            "told_apart": self.is_told_apart,
            "upsets": upsets,
            "lead_boards": None if self.lead is None else _finite(self.lead),
            "worse_leads": {str(n): chance.to_json() for n, chance in self.behind.items()},
        }


def shares_of(summaries: Sequence[PairingSummary]) -> Shares:
    """Return what margins come from, over all matches of some pairings that share the boards."""
    sums = np.array([[s.column(name) for name in _SUMS] for s in summaries], float).T
    played = sums[:, 0].sum(axis=1) > 0
    deviation, *parts = jackknife_intervals(_split, sums[played])
    if not math.isfinite(parts[0].estimate):
        return Shares(deviation, {})
    return Shares(deviation, dict(zip(PARTS, parts, strict=True)))


def _split(totals: np.ndarray) -> np.ndarray:
    """Return root mean square and shares, shape (r, 4), of totals, shape (r, sums, pairings)."""
    boards, margin, squared, board_squared = np.moveaxis(totals, 1, 0)
    skill = boards * (margin**2 - board_squared) / (4 * boards * (boards - 1))
    products = (board_squared - squared) / 2
    parts = np.stack([skill - products, skill, board_squared / 2 - 2 * skill]).sum(axis=-1)
    whole = squared.sum(axis=-1) / 2
    deviation = np.sqrt(whole / boards.sum(axis=-1))
    return np.column_stack([deviation, *(parts / whole)])


def pairing_luck(a: str, b: str, summary: PairingSummary) -> PairingLuck:
    """Return luck and skill of one pairing that was played."""
    margin = pairing_margin(summary)
    sign = int(np.sign(margin.estimate))
    apart = margin.low is not None and margin.high is not None and margin.low * margin.high > 0
    lead, behind = _long_run(summary, sign) if sign else (None, {})
    return PairingLuck(
        a,
        b,
        summary.total("boards"),
        margin,
        shares_of([summary]),
        {1: a, 0: None, -1: b}[sign],
        bool(apart),
        _upsets([(sign, summary)]),
        lead,
        behind,
    )


def _upsets(sides: Sequence[tuple[int, PairingSummary]]) -> Upsets | None:
    """Return upsets over pairings, each with the side that is ahead (1: a, -1: b, 0: neither)."""
    ahead = [(sign, summary) for sign, summary in sides if sign]
    if not ahead:
        return None

    def share(if_a: tuple[str, ...], if_b: tuple[str, ...], of: str) -> Interval:
        names = {1: if_a, -1: if_b}
        sums = sum(summary.column(name) for sign, summary in ahead for name in names[sign])
        sizes = sum(summary.column(of) for _, summary in ahead)
        boards = sum(summary.total("boards") for _, summary in ahead)
        return share_interval(np.asarray(sums), np.asarray(sizes), boards)

    return Upsets(
        share(("losses",), ("wins",), "matches"),
        share(("draws",), ("draws",), "matches"),
        share(("pairs_0", "pairs_1"), ("pairs_3", "pairs_4"), "boards"),
        share(("pairs_2",), ("pairs_2",), "boards"),
    )


def _long_run(summary: PairingSummary, sign: int) -> tuple[Interval | None, dict[int, Interval]]:
    """Return the boards until the better side leads, and the chances that the worse one does."""
    names = ("boards", "margin", "board_margin_squared")
    sums = np.column_stack([summary.column(name) for name in names])
    (effect,) = jackknife_intervals(_effect, sums[sums[:, 0] > 0])
    if not math.isfinite(effect.estimate):
        return None, {}
    effect = effect if sign > 0 else -effect
    lead = _mapped(boards_to_lead, effect)
    return lead, {n: _mapped(partial(chance_behind, boards=n), effect) for n in SERIES}


def _effect(totals: np.ndarray) -> np.ndarray:
    """Return a board's mean margin over its standard deviation, shape (r, 1)."""
    boards, margin, squared = totals.T
    mean = margin / boards
    variance = (squared / boards - mean**2) * boards / (boards - 1)
    return (mean / np.sqrt(np.maximum(variance, 0)))[:, None]


def boards_to_lead(effect: float, chance: float = LEAD) -> float:
    """Return after how many boards a side leads on the total score with a probability.

    Parameters
    ----------
    effect : float
        Mean of a board's margin over its standard deviation; infinite for 0 and below.
    """
    if effect <= 0:
        return math.inf
    return max(1, math.ceil((_NORMAL.inv_cdf(chance) / effect) ** 2))


def chance_behind(effect: float, boards: int) -> float:
    """Return the probability that a side is led on the total score after so many boards."""
    return _NORMAL.cdf(-math.sqrt(boards) * effect)


def _mapped(function: Callable[[float], float], effect: Interval) -> Interval:
    """Return a falling function of an interval."""
    low, high = (None if end is None else function(end) for end in (effect.high, effect.low))
    return Interval(function(effect.estimate), low, high, effect.level)


def _finite(interval: Interval) -> dict[str, float | None]:
    found = interval.to_json()
    return {name: None if value == math.inf else value for name, value in found.items()}


def run_luck(results: Results) -> list[PairingLuck]:
    """Return luck and skill of each pairing of a run that counts, in their order."""
    names = results.names
    return [pairing_luck(names[met.a], names[met.b], s) for met, s in results.played()]


def field_luck(results: Results) -> tuple[Shares, Upsets | None]:
    """Return what margins come from over all pairings that count, and how often the worse wins."""
    summaries = [summary for _, summary in results.played()]
    sides = [(int(np.sign(summary.total("margin"))), summary) for summary in summaries]
    return shares_of(summaries), _upsets(sides)


def luck_json(results: Results) -> dict[str, Any]:
    """Return what ``prummy luck RUN --json`` prints."""
    shares, upsets = field_luck(results)
    told = {"upsets": None if upsets is None else upsets.to_json()}
    return {
        "pairings": [luck.to_json() for luck in run_luck(results)],
        "field": {**shares.to_json(), **told},
    }


def remarks(luck: PairingLuck) -> list[str]:
    """Return what must be said in words of a pairing, beside its figures."""
    pair, found = f"{luck.a} against {luck.b}", []
    parts = luck.shares.parts
    if not parts:
        why = "one board is too few" if luck.boards < 2 else "all matches end level"
        found.append(f"{pair}: there is nothing to share out: {why}")
    elif parts["cards"].estimate < 0:
        high = parts["cards"].high
        maybe_none = high is None or high >= 0
        why = (
            "within its error of 0: that boards favour seats, whoever sits there, is not to be seen"
            if maybe_none
            else "the two matches of a board go to the same side rather than to the same seats"
        )
        found.append(f"{pair}: cards {percent(parts['cards'].estimate)} %: {why}")
    if parts and parts["skill"].estimate < 0:
        found.append(f"{pair}: skill below 0: the margin is smaller than luck alone makes it")
    if luck.better is None:
        found.append(f"{pair}: level on the total score, so that neither is better")
    elif luck.boards > 1 and not luck.is_told_apart:
        found.append(
            f"{pair}: the interval of the margin holds 0, so that it is not sure that "
            f"{luck.better} is the better one; who it is was read off these very matches, which "
            "makes the worse look worse than it is"
        )
    elif luck.boards > 1 and luck.lead is None:
        found.append(f"{pair}: the margin of a board does not vary: {luck.better} leads after one")
    return found
