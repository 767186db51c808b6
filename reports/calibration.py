"""Calibration: how often the intervals and tests of `reports` are right, by simulation.

Each row of the table is a rate over many runs whose truth is known (`worlds`): how often an
interval holds the truth, a sequence of intervals holds it at all looks, or a sequential test errs.
The error of a rate is that of the simulation; intervals of one run are one observation. A row
holds when its rate lies within its limits up to `TOLERANCE` errors, those of a rate at the limit.
One row is a control that must
be outside: matches taken for independent ones.

- Intervals: 94 to 96 of a hundred with `FIRST_FAIR` boards or more, at least 94 with fewer.
- Confidence sequences: at least 95, at every look and at every board.
- Sequential tests: either error at most 5, where the hypothesis is exactly true.

Source: Koehler, Brown and Haneuse, "On the assessment of Monte Carlo error in simulation-based
statistical analyses" (2009).
"""

import math
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from ..sim.schedule import pairings_of
from .pairs import ELO_SCALE, SCORES, Pairs, mean_and_variance, score_of_elo
from .ratings import elo_ratings, points_ratings
from .sprt import ACCEPT_H0, ACCEPT_H1, CONTINUE, MODELS, Sprt
from .stats import Interval, mean_interval
from .stopping import FIRST_LOOK, Stop, deviation_of, sequence_half_width
from .tables import entry_margin, entry_share, margin_sources, pairing_margin, pairing_share
from .worlds import RealPlay, Run, World

FIRST_FAIR = 50
TOLERANCE = 3.0
SOURCES_FROM = 20  # boards: with fewer, parts that are mostly 0 (doubling) may not vary at all
SEED = 1
_MOST_BOARDS = 2_500_000
_SLACK = 1e-9

PAIRS = (
    World("two, normal", (0, 0)),
    World("two, skewed", (0, 0), skew=0.5),
    World("two, skewed, alike", (0, 0), skew=0.5, dependence=0.8),
    World("two, drawish", (0, 0), draws=0.6),
    World("two, alike", (0, 0), dependence=0.8),
    World("two, opposed", (0, 0), dependence=-0.8),
    World("two, one-sided", (200, -200), range=80),
)
FIELDS = (
    World("four, boards shared", (100, 30, -30, -100), shared=0.4),
    World("six, skewed, drawish", (150, 80, 0, 0, -80, -150), skew=0.5, draws=0.5, shared=0.4),
    World("eight, far apart", (400, 200, 100, 0, 0, -100, -200, -400), shared=0.3),
)
MIRROR = ("random", "twin=random")
REAL_PAIR = ("greedy", "hunter")
REAL_FIELD = ("random", "greedy", "hunter", "doubler")
CONTROL = PAIRS[4]


@dataclass(frozen=True)
class Effort:
    """How much is simulated: runs of two and of fields, of how many boards, real boards played."""

    runs: int
    field_runs: int
    sizes: tuple[int, ...]
    real_sizes: tuple[int, ...]
    real_boards: int
    reference: int
    watched: int


FULL = Effort(
    2000,
    300,
    (2, 3, 5, 10, 20, 30, 50, 100, 256, 300, 1000, 5000),
    (5, 20, 50, 100, 256, 300, 1000, 5000),
    500_000,
    800_000,
    600,
)
QUICK = Effort(150, 40, (5, 50, 300), (50, 300), 25_000, 40_000, 60)


@dataclass(frozen=True)
class Row:
    """A rate with the error of the simulation, and the limits that it is to keep.

    `rate`, `error`, `low` and `high` are shares; a control is to lie outside of the limits.
    """

    figure: str
    data: str
    boards: int
    runs: int
    rate: float
    error: float
    low: float
    high: float
    is_control: bool = False

    @classmethod
    def of(
        cls,
        figure: str,
        data: str,
        boards: int,
        seen: list[float],
        limits: tuple[float, float] | None = None,
        is_control: bool = False,
    ) -> "Row":
        """Return the row of what was seen in each run, shares from 0 to 1."""
        low, high = limits or (0.94, 0.96 if boards >= FIRST_FAIR else 1.0)
        error = float(np.std(seen)) / math.sqrt(len(seen))
        rate = float(np.mean(seen))
        return cls(figure, data, boards, len(seen), rate, error, low, high, is_control)

    @property
    def holds(self) -> bool:
        """Whether the rate is where it is to be, up to the error of the simulation."""
        limit = min(max(self.rate, self.low), self.high)
        error = math.sqrt(limit * (1 - limit) / self.runs)
        if 0 < self.rate < 1:  # several intervals in a run: as much less than that as was seen
            error = self.error * math.sqrt(limit * (1 - limit) / (self.rate * (1 - self.rate)))
        return (abs(self.rate - limit) <= TOLERANCE * error) != self.is_control

    def to_json(self) -> dict[str, Any]:
        """Return what ``prummy calibrate --json`` prints of a row."""
        return {
            "figure": self.figure,
            "data": self.data,
            "boards": self.boards,
            "runs": self.runs,
            "rate": self.rate,
            "error": self.error,
            "limits": [self.low, self.high],
            "control": self.is_control,
            "holds": self.holds,
        }


def calibrate(effort: Effort, progress: Callable[[int, int], None]) -> Iterator[Row]:
    """Yield the rows of all checks, in order, as they come; by processes, one a core.

    `progress` is called with (done, all) checks. What stops the caller stops the processes.
    """
    checks = list(_checks(effort))
    progress(0, len(checks))
    pool = ProcessPoolExecutor(initializer=_leave_stopping, mp_context=get_context("spawn"))
    try:
        calls = [pool.submit(check) for check in checks]
        for done, call in enumerate(calls, 1):
            yield from call.result()
            progress(done, len(checks))
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_stopping() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _checks(effort: Effort) -> Iterator[Callable[[], list[Row]]]:
    for worlds, runs in ((PAIRS, effort.runs), (FIELDS, effort.field_runs)):
        for world in worlds:
            for boards in effort.sizes:
                yield partial(made_up, world, boards, runs)
    real, reference = effort.real_boards, effort.reference
    pair, field = (effort.real_sizes, effort.runs // 2), ((50, 300), effort.field_runs // 3)
    for play, (sizes, runs) in (
        (RealPlay("random, mirrored", MIRROR, real, 0), pair),
        (RealPlay("greedy, hunter", REAL_PAIR, real, reference), pair),
        (RealPlay("four that play", REAL_FIELD, real // 2, reference // 4), field),
    ):
        yield partial(real_play, play, sizes, runs)
    for world in PAIRS[:3]:
        yield partial(watched_world, world, 3000, effort.watched)
    watch = RealPlay("greedy, hunter", REAL_PAIR, 1500 * effort.watched // 2, reference)
    yield partial(watched_play, watch, 1500, effort.watched)
    for model in MODELS:
        yield partial(sprt_errors, Sprt(0, 20, model=model), effort.watched)
    yield partial(control, 100, max(1000, effort.runs))


def made_up(world: World, boards: int, runs: int) -> list[Row]:
    """Return how often intervals hold the truth in runs of a made-up world."""
    number = max(1, min(runs, _MOST_BOARDS // boards))
    return _rows(world.name, boards, (covered(run) for run in world.runs(boards, number, SEED)))


def real_play(play: RealPlay, sizes: tuple[int, ...], runs: int) -> list[Row]:
    """Return how often intervals hold the truth in runs of real play."""
    seen: dict[int, list[dict[str, list[bool]]]] = {size: [] for size in sizes}
    for boards, run in play.runs(sizes, runs, SEED):
        seen[boards].append(covered(run))
    return [row for boards in sizes for row in _rows(play.name, boards, iter(seen[boards]))]


def _rows(data: str, boards: int, found: Iterator[dict[str, list[bool]]]) -> list[Row]:
    seen: dict[str, list[float]] = {}
    for one in found:
        for figure, hits in one.items():
            seen.setdefault(figure, []).append(float(np.mean(hits)))
    return [Row.of(figure, data, boards, rates) for figure, rates in seen.items()]


def covered(run: Run) -> dict[str, list[bool]]:
    """Return, by figure, whether each of its intervals in a run holds the truth."""
    results, truth = run.results, run.truth
    n, summaries = len(truth.elo), results.summaries
    found = {
        "margin": _held(map(pairing_margin, summaries), truth.margins),
        "win share": _held(map(pairing_share, summaries), truth.shares),
    }
    if truth.sources and results.plan.boards >= SOURCES_FROM:
        for summary, true in zip(summaries, truth.sources, strict=True):
            for name, interval in margin_sources(summary).items():
                found.setdefault(f"source: {name}", []).extend(_held([interval], [true[name]]))
    everybody = range(n)
    if n > 2:
        margins, shares = _of_entries(truth.margins, 0.0, n), _of_entries(truth.shares, 1.0, n)
        found["entry's margin"] = _held((entry_margin(results, k) for k in everybody), margins)
        found["entry's share"] = _held((entry_share(results, k) for k in everybody), shares)
    rated = [("Elo", elo_ratings(results), truth.elo)]
    if n > 2:  # of two, the points are the margin
        rated.append(("points", points_ratings(results), truth.points))
    pairs = [(i, j) for i in everybody for j in range(i)]
    for name, ratings, values in rated:
        if n > 2:
            found[f"{name} rating"] = _held(map(ratings.interval, everybody), values)
        found[f"{name} difference"] = _held(
            (ratings.difference(i, j) for i, j in pairs), [values[i] - values[j] for i, j in pairs]
        )
    return found


def _of_entries(by_pairing: np.ndarray, whole: float, n: int) -> np.ndarray:
    """Return the mean over all opponents; b has what a lacks of the whole."""
    total = np.zeros(n)
    for met, value in zip(pairings_of(n, "round-robin"), by_pairing, strict=True):
        total[met.a] += value
        total[met.b] += whole - value
    return total / (n - 1)


def _held(intervals: Iterable[Interval], truths: Iterable[float]) -> list[bool]:
    return [_holds(interval, truth) for interval, truth in zip(intervals, truths, strict=True)]


def _holds(interval: Interval, truth: float) -> bool:
    if interval.low is None or interval.high is None:
        return False
    return interval.low - _SLACK <= truth <= interval.high + _SLACK


def control(boards: int, runs: int) -> list[Row]:
    """Return how often a margin's interval from matches, as if they were apart, holds the truth."""
    held = []
    for run in CONTROL.runs(boards, runs, SEED):
        matches = run.margins[0].ravel()
        interval = mean_interval(matches, np.ones_like(matches))
        held.append(float(_holds(interval, run.truth.margins[0])))
    return [Row.of("margin by matches", CONTROL.name, boards, held, is_control=True)]


def watched_world(world: World, boards: int, runs: int) -> list[Row]:
    """Return `watched` of a made-up world."""
    return watched(world.name, world.runs(boards, runs, SEED))


def watched_play(play: RealPlay, boards: int, runs: int) -> list[Row]:
    """Return `watched` of real play."""
    return watched(play.name, (run for _, run in play.runs((boards,), runs, SEED + 2)))


def watched(data: str, runs: Iterator[Run]) -> list[Row]:
    """Return how often a confidence sequence holds the margin at every look, and every board."""
    looks, every, boards = [], [], 0
    halves = np.zeros(0)
    for run in runs:
        sums = run.margins[0].sum(axis=1)
        if not boards:
            boards = len(sums)
            halves = np.array([sequence_half_width(n, 1.0) for n in range(FIRST_LOOK, boards + 1)])
            looked = np.array(list(Stop(boards, precision=1.0).looks())) - FIRST_LOOK
        n, margin = np.arange(1, boards + 1), np.cumsum(sums)
        deviation = deviation_of(n[1:], margin[1:], np.cumsum(sums**2)[1:])[FIRST_LOOK - 2 :]
        off = np.abs(margin / (2 * n) - run.truth.margins[0])[FIRST_LOOK - 1 :]
        held = off <= deviation * halves
        looks.append(float(held[looked].all()))
        every.append(float(held.all()))
    return [
        Row.of(f"confidence sequence, every {each}", data, boards, seen, (0.95, 1.0))
        for each, seen in (("look", looks), ("board", every))
    ]


def sprt_errors(test: Sprt, runs: int, most_boards: int = 20_000) -> list[Row]:
    """Return how often a test accepts the other hypothesis where one is exactly true."""
    rng = np.random.default_rng([SEED, MODELS.index(test.model)])
    rows = []
    for name, elo, wrong, most in (
        ("H0", test.elo0, ACCEPT_H1, test.alpha),
        ("H1", test.elo1, ACCEPT_H0, test.beta),
    ):
        shares, errors = shares_at(test.model, elo), []
        for _ in range(runs):
            counts, before, state = np.zeros(5, int), 0, CONTINUE
            for boards in Stop(most_boards, sprt=test).looks():
                counts = counts + rng.multinomial(boards - before, shares)
                before, state = boards, test.state(Pairs.checked(counts.tolist()))
                if state != CONTINUE:
                    break
            errors.append(float(state == wrong))
        data = f"{test.model} Elo, {name} true"
        rows.append(Row.of("test's error", data, most_boards, errors, (0.0, most)))
    return rows


def shares_at(model: str, elo: float) -> np.ndarray:
    """Return shares of a board's outcomes under which *a* is exactly so much better."""
    from scipy.optimize import brentq

    even = np.array([0.1, 0.15, 0.5, 0.15, 0.1])

    def tilted(by: float) -> np.ndarray:
        return even * (1 + by * (SCORES - 0.5))

    def above(by: float) -> float:
        mean, variance = mean_and_variance(tilted(by))
        if model == "logistic":
            return mean - score_of_elo(elo)
        return (mean - 0.5) / math.sqrt(2 * variance) - elo / ELO_SCALE

    return tilted(brentq(above, -1.9, 1.9, xtol=1e-14))
