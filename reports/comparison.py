"""Two strategies compared: by how much, how sure, and what may be said when one has looked often.

All of it is made from one summary (`sim.summary`), fresh from the engine or out of any run's
folder. When it stops, and the interval that leads after looks, stand in `reports.stopping`.
"""

import math
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

from ..sim.columns import ENDS
from ..sim.summary import N_GROUPS, PAIRS, PairingSummary
from .bias import Corrected, corrected
from .numbers import count, number, percent, signed, with_half_width
from .pairs import Pairs, elo, likelihood_of_superiority, normalized_elo
from .results import Results
from .sprt import ACCEPT_H0, ACCEPT_H1
from .stats import LEVEL, Interval, student_quantile
from .stopping import Stop, board_deviation, confidence_sequence
from .tables import margin_sources, pairing_margin, pairing_share

POWER = 0.9
NO_BIAS, CORRECTED, UNCORRECTED = "none", "corrected", "not corrected"


@dataclass(frozen=True)
class Decision:
    """What a look says: a verdict, or None to go on, and why.

    `by_hand` is true where somebody ended it before its rule did.
    """

    verdict: str | None
    why: str
    by_hand: bool = False


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

    It is the least number for which Student's test has that power, with the degrees of freedom
    that `stats.mean_interval` has: those of the boards, of their groups when they are many.

    Parameters
    ----------
    deviation : float
        Of a board's mean margin, points a match (`board_deviation`); above 0.
    effect : float
        True margin, points a match; not 0.
    power : float
        Chance to see it, in (0, 1).

    Source: the power of Student's test by the noncentral t distribution (Johnson and Welch,
    "Applications of the non-central t-distribution", 1940).
    """
    from scipy.special import nctdtr

    def is_seen(boards: int) -> bool:
        degrees = min(boards, N_GROUPS) - 1
        beyond = student_quantile(level, degrees)
        shift = math.sqrt(boards) * abs(effect) / deviation
        return bool(1 - nctdtr(degrees, shift, beyond) >= power)

    normal = NormalDist()
    total = max(0.0, normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power))
    least = max(2, math.floor((total * deviation / effect) ** 2))
    most = least
    while not is_seen(most):
        least, most = most + 1, most + max(1, most // 8)
    while least < most:
        middle = (least + most) // 2
        if is_seen(middle):
            most = middle
        else:
            least = middle + 1
    return most


def decide(summary: PairingSummary, stop: Stop) -> Decision:
    """Return what a look at the boards played so far says."""
    boards = summary.total("boards")
    is_last = boards >= stop.boards
    if stop.sprt is not None:
        pairs = Pairs.checked(summary.pairs())
        state = stop.sprt.state(pairs)
        told = f"{stop.sprt.model} Elo {stop.sprt.elo1:g} rather than {stop.sprt.elo0:g}"
        if state == ACCEPT_H1:
            verdict = "better" if stop.sprt.elo0 >= 0 else "not_worse"
            return Decision(verdict, f"the test accepts {told}, after {count(boards)} boards")
        if state == ACCEPT_H0:
            verdict = "worse" if stop.sprt.elo1 <= 0 else "not_better"
            turned = f"{stop.sprt.elo0:g} rather than {stop.sprt.elo1:g}"
            return Decision(
                verdict,
                f"the test accepts {stop.sprt.model} Elo {turned}, after {count(boards)} boards",
            )
        return Decision(
            "inconclusive" if is_last else None,
            f"the test says nothing yet after {count(boards)} boards, the most allowed",
        )
    is_looked_at = stop.is_sequential or stop.extended_after
    interval = confidence_sequence(summary) if is_looked_at else pairing_margin(summary)
    if stop.precision is not None and not is_last:
        half = interval.half_width
        if not half or half > stop.precision:
            return Decision(None, "")
    return _by_interval(interval, boards)


def _by_interval(interval: Interval, boards: int) -> Decision:
    after = f"after {count(boards)} boards"
    if boards < 2:
        return Decision("inconclusive", "one board is too few to say how sure that is")
    if interval.low is None or interval.high is None or interval.low == interval.high:
        return Decision("inconclusive", f"nothing varies {after}: all boards have the same margin")
    if interval.low > 0:
        return Decision("better", f"the interval of the margin lies above 0 {after}")
    if interval.high < 0:
        return Decision("worse", f"the interval of the margin lies below 0 {after}")
    return Decision("inconclusive", f"the interval of the margin holds 0 {after}")


def stopped_by_hand(summary: PairingSummary) -> Decision:
    """Return what is said of a comparison that somebody stopped before its rule did."""
    boards = summary.total("boards")
    return Decision("inconclusive", f"stopped by hand after {count(boards)} boards", by_hand=True)


def compare_run(results: Results, a: str, b: str) -> "Comparison":
    """Return the comparison of two strategies of a run, a seen first; nothing is played.

    Raises
    ------
    ResultsError
        For a name that is not in the run, and for two whose matches do not count.
    """
    summary, stop = results.summary_of(a, b), Stop.of_manifest(results.manifest)
    if results.names.index(a) > results.names.index(b):
        stop = stop.mirrored()
    decision = decide(summary, stop)
    if results.manifest["status"] != "finished" or decision.verdict is None:
        decision = stopped_by_hand(summary)
    return Comparison(a, b, summary, stop, decision)


@dataclass(frozen=True)
class Comparison:
    """Two strategies on the same boards, when that stopped and what it said then.

    Attributes
    ----------
    a, b : str
        Their names; all is seen from a's side.
    summary : PairingSummary
        Of their matches; one board at least.
    stop : Stop
    decision : Decision
        Its verdict is not None.
    """

    a: str
    b: str
    summary: PairingSummary
    stop: Stop
    decision: Decision

    @property
    def is_looked_at(self) -> bool:
        """Whether what was seen may have decided how long it went on."""
        return bool(self.stop.is_sequential or self.stop.extended_after or self.decision.by_hand)

    @property
    def bias(self) -> str:
        """What is to be said of the lean that the stop gives the estimates.

        "none": the number of boards was fixed; or the stop was by precision, which looks at how
        much boards vary, not at who leads. "corrected": a test has ended it, and `corrected` holds
        the estimates without their lean. "not corrected": they lean outward.
        """
        if self.stop.extended_after or self.decision.by_hand:
            return UNCORRECTED
        if self.stop.sprt is None:
            return NO_BIAS
        return UNCORRECTED if self.corrected is None else CORRECTED

    @cached_property
    def corrected(self) -> Corrected | None:
        """The estimates without the lean of a test's stop; None without a test, or beyond it."""
        if self.stop.extended_after or self.decision.by_hand:
            return None
        return corrected(self.summary, self.stop)

    @cached_property
    def margin(self) -> Interval:
        """The margin of a over b, points a match, as for a number of boards fixed before."""
        return pairing_margin(self.summary)

    @cached_property
    def leading(self) -> Interval:
        """The interval of the margin that leads: a confidence sequence where it was looked at."""
        return confidence_sequence(self.summary) if self.is_looked_at else self.margin

    def deal_ends(self) -> dict[str, int]:
        """Return how many deals ended in each way: the texts of `sim.columns.ENDS`."""
        ends = self.summary.histograms["deal_end"]
        counts = dict(zip(ends.values.tolist(), ends.counts.tolist(), strict=True))
        return {text: counts.get(code, 0) for code, text in enumerate(ENDS)}

    def to_json(self) -> dict[str, Any]:
        """Return what ``prummy compare --json`` prints."""
        summary, stop = self.summary, self.stop
        pairs = Pairs.checked(summary.pairs())
        found: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "boards": summary.total("boards"),
            "matches": summary.total("matches"),
            "margin": self.margin.to_json(),
            "win_share": pairing_share(summary).to_json(),
            "pairs": summary.pairs(),
            "wins": summary.total("wins"),
            "draws": summary.total("draws"),
            "losses": summary.total("losses"),
            "deal_ends": self.deal_ends(),
            "stop": stop.text,
            "max_boards": stop.boards,
            "extended_after": stop.extended_after or None,
            "verdict": self.decision.verdict,
            "why": self.decision.why,
            "leading": "confidence_sequence" if self.is_looked_at else "margin",
            "confidence_sequence": confidence_sequence(summary).to_json(),
            "bias": self.bias,
            "corrected": None if self.corrected is None else asdict(self.corrected),
            "elo": elo(pairs).to_json(),
            "normalized_elo": normalized_elo(pairs).to_json(),
            "los": likelihood_of_superiority(pairs),
            "variance_saved": variance_saved(summary),
            "sources": {name: part.to_json() for name, part in margin_sources(summary).items()},
        }
        if stop.sprt is not None:
            found["sprt"] = stop.sprt.to_json(pairs)
        return found

    def in_words(self) -> list[str]:
        """Return the lines that tell the comparison to a person."""
        return [
            f"{self._verdict()}: {self.decision.why}",
            self._how_much(),
            *self._how_it_was_looked_at(),
            *self._how_it_was_paired(),
            f"where the margin comes from: {self._sources()}",
            *self._accounts(),
        ]

    def _verdict(self) -> str:
        a, b = self.a, self.b
        return {
            "better": f"{a} is better than {b}",
            "worse": f"{a} is worse than {b}",
            "not_better": f"{a} is not better than {b} by so much",
            "not_worse": f"{a} is not worse than {b} by so much",
            "inconclusive": f"no verdict on {a} and {b}",
        }[str(self.decision.verdict)]

    def _how_much(self) -> str:
        led, share = self.leading, pairing_share(self.summary).estimate
        points = with_half_width(abs(led.estimate), led.half_width, with_sign=False)
        word = "less" if led.estimate < 0 else "more"
        if led.half_width:
            how = "95 % at every look" if self.is_looked_at else "95 %, by boards"
        elif self.summary.total("boards") < 2:
            how = "on the one board there is"
        else:
            how = "on every board"
        text = (
            f"{self.a} scores {points} points a match {word} than {self.b} ({how}) and wins "
            f"{percent(share)} %, draws counting half"
        )
        deviation = board_deviation(self.summary)
        if not deviation or not led.estimate or led.low is None or led.high is None:
            return text
        needed = count(boards_needed(deviation, led.estimate, POWER))
        if led.low > 0 or led.high < 0:
            return f"{text}; about {needed} boards show it, nine times of ten"
        return f"{text}; were that the truth, about {needed} boards would show it"

    def _how_it_was_looked_at(self) -> list[str]:
        lines = []
        if self.stop.extended_after:
            seen = count(self.stop.extended_after)
            lines.append(f"extended after looking at {seen} boards")
        if self.stop.sprt is not None:
            test = self.stop.sprt
            llr = test.llr(Pairs.checked(self.summary.pairs()))
            ends = f"{number(test.lower, 2)} to {number(test.upper, 2)}"
            lines.append(f"log-likelihood ratio {number(llr, 2)} (decided beyond {ends})")
        if self.corrected is not None:
            lines.append(
                "without the lean that such a stop gives estimates: "
                f"{signed(self.corrected.margin)} points a match, "
                f"{percent(self.corrected.win_share)} % won"
            )
        if self.is_looked_at and self.margin.half_width:
            fixed = with_half_width(self.margin.estimate, self.margin.half_width)
            words = {
                NO_BIAS: "the stop does not look at the margin, so that the estimate does not lean",
                CORRECTED: "the interval is about the plain mean",
                UNCORRECTED: "after a stop by what was seen estimates lean outward; not corrected",
            }
            lines.append(
                f"({words[self.bias]}; {fixed} would be the interval had the number of boards "
                "been fixed before)"
            )
        return lines

    def _how_it_was_paired(self) -> list[str]:
        saved = variance_saved(self.summary)
        if saved is None:
            return []
        verb = "save" if saved >= 0 else "cost"
        return [f"boards {verb} {percent(abs(saved), 0)} % of the variance of single matches"]

    def _sources(self) -> str:
        parts = margin_sources(self.summary).items()
        return ", ".join(
            f"{name} {with_half_width(part.estimate, part.half_width)}" for name, part in parts
        )

    def _accounts(self) -> list[str]:
        """Return what all boards, matches and deals came to, so that none is left out unsaid."""
        won, drawn, lost = (count(self.summary.total(n)) for n in ("wins", "draws", "losses"))
        told = (f"{name} {count(n)}" for name, n in zip(PAIRS, self.summary.pairs(), strict=True))
        ends = self.deal_ends()
        cut_off, deals = ends["cut off"], sum(ends.values())
        lines = [
            f"boards for {self.a}: {', '.join(told)}; matches won {won}, drawn {drawn}, lost {lost}"
        ]
        lines.append(f"deals cut off: {count(cut_off)} of {count(deals)}")
        return lines
