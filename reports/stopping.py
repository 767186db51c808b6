"""When a comparison stops, what it may say after looking, and how far it is from the end.

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
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..sim.errors import PrummyError
from ..sim.summary import PairingSummary
from .numbers import number, with_half_width
from .pairs import Pairs
from .sprt import Sprt
from .stats import LEVEL, Interval

FIRST_LOOK = 50
LOOK_GROWTH = 1.25
TUNED_BOARDS = 500


class StopError(PrummyError, ValueError):
    """A rule for stopping that cannot be."""


@dataclass(frozen=True)
class Stop:
    """When a comparison stops: after `boards`, or at a look before that if its rule says so.

    `precision` is a half width of the confidence sequence, in points a match; `sprt` a test.
    `extended_after` is the number of boards that somebody had looked at before he chose to play
    on beyond what was planned; 0: nobody did.
    """

    boards: int
    precision: float | None = None
    sprt: Sprt | None = None
    extended_after: int = 0

    def __post_init__(self) -> None:
        """Raise StopError for what cannot be."""
        if self.boards < 1:
            raise StopError(f"boards={self.boards}: give a number from 1")
        if self.precision is not None and not 0 < self.precision < math.inf:
            raise StopError(f"precision={self.precision:g}: give a number of points above 0")
        if self.precision is not None and self.sprt is not None:
            raise StopError("a comparison stops by precision or by sprt, not by both")

    @property
    def is_sequential(self) -> bool:
        """Whether it may stop before its last board, by what it has seen."""
        return self.precision is not None or self.sprt is not None

    def looks(self, since: int = 0) -> Iterator[int]:
        """Yield the numbers of boards, from `since` on, at which it looks; the last one included.

        The looks are the same however often the comparison was interrupted or extended.
        """
        boards = FIRST_LOOK
        while self.is_sequential and boards < self.boards:
            if boards >= since:
                yield boards
            boards = max(boards + 1, int(boards * LOOK_GROWTH))
        yield self.boards

    def mirrored(self) -> "Stop":
        """Return the same rule seen from b's side: its test is of how much better b is."""
        if self.sprt is None:
            return self
        test = self.sprt
        turned = replace(
            test, elo0=0 - test.elo1, elo1=0 - test.elo0, alpha=test.beta, beta=test.alpha
        )
        return replace(self, sprt=turned)

    @property
    def text(self) -> str:
        """What the command line says of it."""
        if self.sprt is not None:
            return "sprt"
        return (
            f"boards={self.boards}" if self.precision is None else f"precision={self.precision:g}"
        )

    @property
    def in_full(self) -> str:
        """All of it: the rule, the most boards, and a test's hypotheses and errors."""
        words = [self.text]
        if self.is_sequential:
            words.append(f"--max-boards {self.boards}")
        if self.sprt is not None:
            words += [f"--{name} {value}" for name, value in asdict(self.sprt).items()]
        return " ".join(words)

    def to_manifest(self) -> dict[str, Any]:
        """Return the rule as a run's manifest keeps it, under ``stop``."""
        told: dict[str, Any] = {"boards": self.boards, "extended_after": self.extended_after}
        if self.precision is not None:
            told["precision"] = self.precision
        if self.sprt is not None:
            told["sprt"] = asdict(self.sprt)
        return told

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> "Stop":
        """Return the rule of a run; of one that is no comparison, its number of boards.

        Raises
        ------
        StopError, PairsError
            For a rule that cannot be.
        """
        told = manifest.get("stop")
        if told is None:
            return cls(manifest["plan"]["boards"])
        test = Sprt(**told["sprt"]) if "sprt" in told else None
        return cls(told["boards"], told.get("precision"), test, told["extended_after"])


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
    """Return the margin of a over b, points a match, with a half width good for all looks.

    With one board, and where all boards have the same margin, there is no interval.
    """
    boards, deviation = summary.total("boards"), board_deviation(summary)
    mean = summary.total("margin") / max(1, summary.total("matches"))
    if not deviation:
        return Interval(mean, None, None, level)
    half = sequence_half_width(boards, deviation, level)
    return Interval(mean, mean - half, mean + half, level)


def sequence_half_width(boards: int, deviation: float, level: float = LEVEL) -> float:
    """Return the half width of a confidence sequence at so many boards.

    Parameters
    ----------
    boards : int
    deviation : float
        Of a board's mean margin, points a match (`board_deviation`).
    level : float
        Chance that all looks' intervals hold the truth, in (0, 1).
    """
    alpha = 1 - level
    ratio = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1) / TUNED_BOARDS
    grown = boards * ratio + 1
    return deviation * math.sqrt(
        2 * grown / (boards**2 * ratio) * math.log(math.sqrt(grown) / alpha)
    )


def expected_boards(summary: PairingSummary, stop: Stop) -> int:
    """Return after how many boards a comparison is likely to stop, by what it has seen so far.

    By precision: the first look at which a confidence sequence of the present deviation is narrow
    enough. By a test: the first look after the log-likelihood ratio, going on in a straight line,
    meets a bound. Never more than the most boards, nor fewer than are played.
    """
    boards, deviation = summary.total("boards"), board_deviation(summary)
    if not deviation or not stop.is_sequential:
        return stop.boards
    needed: float = stop.boards
    if stop.precision is not None:
        precision = stop.precision
        needed = bisect_left(
            range(stop.boards), -precision, 1, key=lambda n: -sequence_half_width(n, deviation)
        )
    elif stop.sprt is not None:
        llr = stop.sprt.llr(Pairs.checked(summary.pairs()))
        if llr:
            bound = stop.sprt.upper if llr > 0 else stop.sprt.lower
            needed = boards * bound / llr
    needed = max(needed, boards)
    return next(look for look in stop.looks() if look >= min(needed, stop.boards))


def seen_so_far(summary: PairingSummary, stop: Stop) -> str:
    """Return the estimate so far with its confidence sequence, and a test's ratio, as text."""
    if not summary.total("boards"):
        return ""
    interval = confidence_sequence(summary)
    text = with_half_width(interval.estimate, interval.half_width)
    if stop.sprt is not None:
        llr = stop.sprt.llr(Pairs.checked(summary.pairs()))
        ends = f"{number(stop.sprt.lower, 2)} to {number(stop.sprt.upper, 2)}"
        text += f"  LLR {number(llr, 2)} ({ends})"
    return text
