"""Two strategies compared: by how much, how sure, and what may be said when one has looked often.

All of it is made from one summary (`sim.summary`). Whoever stops when he likes what he sees is
right less often than an interval for a fixed number of boards says. So after looks that could have
ended the comparison a *confidence sequence* leads: an interval that holds the truth at all looks at
once, with the given probability. For n boards with standard deviation s of a board's mean margin
its half width is

    s sqrt((2 (n r + 1) / (n^2 r)) log(sqrt(n r + 1) / alpha)),

with r chosen so that it is narrowest at about `TUNED_BOARDS` boards. It is asymptotic, as Student's
interval is: looks begin at `FIRST_LOOK` boards.

Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and
asymptotic confidence sequences" (2024), theorem 2.2 and appendix B.2 (the choice of r).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..sim.summary import PairingSummary
from .numbers import count, number, percent, signed
from .pairs import Pairs, elo, likelihood_of_superiority, normalized_elo
from .sprt import ACCEPT_H0, ACCEPT_H1, Sprt
from .stats import LEVEL, Interval
from .tables import margin_sources, pairing_margin, pairing_share

FIRST_LOOK = 50
LOOK_GROWTH = 1.25
TUNED_BOARDS = 500
POWER = 0.9


@dataclass(frozen=True)
class Stop:
    """When a comparison stops: after `boards`, or at a look before that if its rule says so.

    `precision` is a half width of the confidence sequence, in points a match; `sprt` a test.
    """

    boards: int
    precision: float | None = None
    sprt: Sprt | None = None

    @property
    def is_sequential(self) -> bool:
        """Whether it may stop before its last board, by what it has seen."""
        return self.precision is not None or self.sprt is not None

    def looks(self) -> Iterator[int]:
        """Yield the numbers of boards at which it looks, the last one included."""
        boards = FIRST_LOOK
        while self.is_sequential and boards < self.boards:
            yield boards
            boards = max(boards + 1, int(boards * LOOK_GROWTH))
        yield self.boards

    @property
    def text(self) -> str:
        """What the command line says of it."""
        if self.sprt is not None:
            return "sprt"
        return (
            f"boards={self.boards}" if self.precision is None else f"precision={self.precision:g}"
        )


@dataclass(frozen=True)
class Decision:
    """What a look says: a verdict, or None to go on, and why."""

    verdict: str | None
    why: str


def board_deviation(summary: PairingSummary) -> float | None:
    """Return the standard deviation of a board's mean margin, points; None with one board."""
    boards = summary.total("boards")
    if boards < 2:
        return None
    squared = summary.total("board_margin_squared")
    return float(deviation_of(boards, summary.total("margin"), squared))


def deviation_of(boards: ArrayLike, margin: ArrayLike, squared: ArrayLike) -> np.ndarray:
    """Return the standard deviation of a board's mean margin from sums over boards, points.

    Parameters
    ----------
    boards, margin, squared : number or array
        How many boards, two at least; the sums of their two margins, and of these squared.
    """
    boards, mean = np.asarray(boards, float), np.divide(margin, boards)
    variance = np.maximum(0.0, np.divide(squared, boards) - mean * mean) * boards / (boards - 1)
    return np.sqrt(variance) / 2


def confidence_sequence(summary: PairingSummary, level: float = LEVEL) -> Interval:
    """Return the margin of a over b, points a match, with a half width good for all looks."""
    boards, deviation = summary.total("boards"), board_deviation(summary)
    mean = summary.total("margin") / max(1, summary.total("matches"))
    if deviation is None:
        return Interval(mean, None, None, level)
    half = sequence_half_width(boards, deviation, level)
    return Interval(mean, mean - half, mean + half, level)


def sequence_half_width(boards: int, deviation: float, level: float = LEVEL) -> float:
    """Return the half width of a confidence sequence at so many boards."""
    alpha = 1 - level
    ratio = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1) / TUNED_BOARDS
    grown = boards * ratio + 1
    return deviation * math.sqrt(
        2 * grown / (boards**2 * ratio) * math.log(math.sqrt(grown) / alpha)
    )


def variance_saved(summary: PairingSummary) -> float | None:
    """Return the share of variance that boards save against as many unpaired matches.

    Below 0 where they cost some; None where nothing varies or there is one board.
    """
    matches, deviation = summary.total("matches"), board_deviation(summary)
    if deviation is None:
        return None
    mean = summary.total("margin") / matches
    square = summary.total("margin_squared") / matches
    unpaired = (square - mean * mean) * matches / (matches - 1) / 2
    return 1 - deviation**2 / unpaired if unpaired > 0 else None


def boards_needed(deviation: float, effect: float, power: float, level: float = LEVEL) -> int:
    """Return after how many boards an effect is seen with some power: the interval excludes 0.

    Parameters
    ----------
    deviation : float
        Of a board's mean margin, points (`board_deviation`).
    effect : float
        True margin, points a match; not 0.
    power : float
        Chance to see it, in (0, 1).
    """
    normal = NormalDist()
    total = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)
    return max(2, math.ceil((total * deviation / effect) ** 2))


def decide(summary: PairingSummary, stop: Stop) -> Decision:
    """Return what a look at the boards played so far says."""
    boards = summary.total("boards")
    is_last = boards >= stop.boards
    if stop.sprt is not None:
        pairs = Pairs.checked(summary.pairs())
        state = stop.sprt.state(pairs)
        told = f"{stop.sprt.model} Elo {stop.sprt.elo1:g} rather than {stop.sprt.elo0:g}"
        if state == ACCEPT_H1:
            return Decision("better", f"the test accepts {told}, after {count(boards)} boards")
        if state == ACCEPT_H0:
            turned = f"{stop.sprt.elo0:g} rather than {stop.sprt.elo1:g}"
            return Decision("not_better", f"the test accepts {turned} {stop.sprt.model} Elo")
        return Decision(
            "inconclusive" if is_last else None,
            f"the test says nothing yet after {count(boards)} boards, the most allowed",
        )
    interval = confidence_sequence(summary) if stop.is_sequential else pairing_margin(summary)
    if stop.precision is not None and not is_last:
        half = interval.half_width
        if half is None or half > stop.precision or interval.low == interval.high:
            return Decision(None, "")
    return _by_interval(interval, boards)


def _by_interval(interval: Interval, boards: int) -> Decision:
    after = f"after {count(boards)} boards"
    if interval.low is None or interval.high is None:
        return Decision("inconclusive", "one board is too few to say how sure that is")
    if interval.low == interval.high:
        return Decision("inconclusive", f"nothing varies {after}: all boards have the same margin")
    if interval.low > 0:
        return Decision("better", f"the interval of the margin lies above 0 {after}")
    if interval.high < 0:
        return Decision("worse", f"the interval of the margin lies below 0 {after}")
    return Decision("inconclusive", f"the interval of the margin holds 0 {after}")


def comparison_json(
    a: str, b: str, summary: PairingSummary, stop: Stop, decision: Decision
) -> dict[str, Any]:
    """Return what ``prummy compare --json`` prints."""
    pairs = Pairs.checked(summary.pairs())
    found: dict[str, Any] = {
        "a": a,
        "b": b,
        "boards": summary.total("boards"),
        "matches": summary.total("matches"),
        "margin": pairing_margin(summary).to_json(),
        "win_share": pairing_share(summary).to_json(),
        "pairs": summary.pairs(),
        "draws": summary.total("draws"),
        "stop": stop.text,
        "verdict": decision.verdict,
        "why": decision.why,
        "confidence_sequence": confidence_sequence(summary).to_json(),
        "elo": elo(pairs).to_json(),
        "normalized_elo": normalized_elo(pairs).to_json(),
        "los": likelihood_of_superiority(pairs),
        "variance_saved": variance_saved(summary),
        "sources": {name: interval.to_json() for name, interval in margin_sources(summary).items()},
    }
    if stop.sprt is not None:
        found["sprt"] = stop.sprt.to_json(pairs)
    return found


def in_words(a: str, b: str, summary: PairingSummary, stop: Stop, decision: Decision) -> list[str]:
    """Return the lines that tell a comparison to a person."""
    margin, share = pairing_margin(summary), pairing_share(summary)
    led = confidence_sequence(summary) if stop.is_sequential else margin
    words = {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "not_better": f"{a} is not better than {b} by so much",
        "inconclusive": f"no verdict on {a} and {b}",
    }
    lines = [f"{words[str(decision.verdict)]}: {decision.why}"]
    half = "" if led.half_width is None else f" ± {number(led.half_width)}"
    how = "at every look" if stop.is_sequential else "by boards"
    lines.append(
        f"{a} scores {signed(led.estimate)}{half} points a match more than {b} (95 % {how}), and "
        f"wins {percent(share.estimate)} % of the matches, draws counting half"
    )
    if stop.is_sequential:
        fixed = "" if margin.half_width is None else f"± {number(margin.half_width)}"
        lines.append(
            f"(estimates after a stop by what was seen lean outward; {fixed} would be the interval "
            "had the number of boards been fixed before)"
        )
    if deviation := board_deviation(summary):
        if led.estimate and decision.verdict in ("better", "worse"):
            needed = boards_needed(deviation, led.estimate, POWER)
            lines.append(f"about {count(needed)} boards show a margin like this, nine times of ten")
        saved = variance_saved(summary)
        if saved is not None:
            verb = "save" if saved >= 0 else "cost"
            part = percent(abs(saved), 0)
            lines.append(f"boards {verb} {part} % of the variance of single matches")
    parts = [
        f"{name} {signed(interval.estimate)}"
        + ("" if interval.half_width is None else f" ± {number(interval.half_width)}")
        for name, interval in margin_sources(summary).items()
    ]
    lines.append(f"where the margin comes from: {', '.join(parts)}")
    names = ("LL", "LD", "WL+DD", "WD", "WW")
    told = ", ".join(f"{name} {count(n)}" for name, n in zip(names, summary.pairs(), strict=True))
    lines.append(f"boards for {a}: {told}; matches drawn: {count(summary.total('draws'))}")
    return lines
