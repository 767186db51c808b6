"""Rules for stopping: looks, confidence sequences, tests, estimates; guarantees by simulation."""

import json
import math

import numpy as np
import pytest
from made_up_run import summary_of

from persian_rummy.reports.bias import corrected, corrected_score
from persian_rummy.reports.pairs import SCORES, Pairs, mean_and_variance, score_of_elo
from persian_rummy.reports.sprt import CONTINUE, Sprt
from persian_rummy.reports.stopping import (
    FIRST_LOOK,
    Stop,
    StopError,
    expected_boards,
    seen_so_far,
    sequence_half_width,
)
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.summary import GROUP_COLUMNS, PairingSummary
from persian_rummy.strategies.registry import parse_entry

MARGINS = np.array([[30, -10], [5, 15], [-40, 20], [60, 0], [12, 12], [-7, 3]])


def test_looks__are_fixed_and_end_at_the_most():
    assert list(Stop(400, precision=1.0).looks()) == [
        50,
        62,
        77,
        96,
        120,
        150,
        187,
        233,
        291,
        363,
        400,
    ]
    assert list(Stop(400).looks()) == [400]
    assert list(Stop(30, sprt=Sprt()).looks()) == [30]


def test_sequence_half_width__worked_out_by_hand():
    """At 100 boards with deviation 10: r = (-2 ln 0.05 + ln(-2 ln 0.05) + 1) / 500 = 0.017563."""
    r = (5.991464547 + 1.790335 + 1) / 500
    inner = 2 * (100 * r + 1) / (100**2 * r) * math.log(math.sqrt(100 * r + 1) / 0.05)
    assert sequence_half_width(100, 10.0) == pytest.approx(10 * math.sqrt(inner), rel=1e-5)
    widths = [sequence_half_width(n, 1.0) * math.sqrt(n) for n in (50, 500, 50_000)]
    assert widths[1] == min(widths)


@pytest.mark.parametrize("shape", ["normal", "skewed", "real"])
def test_confidence_sequence__watched_at_every_look__is_broken_in_one_of_twenty_at_most(shape):
    rng = np.random.default_rng(7)
    runs, boards = 2000, 3000
    if shape == "real":
        player = [parse_entry(name).player() for name in ("hunter", "doubler")] * 2
        block = play_boards(Rules(), player, 5, 0, 20_000)
        margin = np.diff(block.sides["score"][:, ::-1].astype(float), axis=1)[:, 0]
        means = margin.reshape(-1, 2).mean(axis=1)
        draws, truth = rng.choice(means, (runs, boards)), means.mean()
    elif shape == "skewed":
        draws, truth = rng.exponential(100.0, (runs, boards)), 100.0
    else:
        draws, truth = rng.normal(3.0, 100.0, (runs, boards)), 3.0
    looks = list(Stop(boards, precision=1e-9).looks())
    broken = np.zeros(runs, bool)
    for n in looks:
        mean, deviation = draws[:, :n].mean(axis=1), draws[:, :n].std(axis=1, ddof=1)
        broken |= abs(mean - truth) > deviation * sequence_half_width(n, 1.0)
    assert looks[0] == FIRST_LOOK
    assert broken.mean() <= 0.05


@pytest.mark.parametrize(("truth", "accepted"), [(0.0, "H1"), (20.0, "H0")])
def test_sprt__at_its_bounds__errs_as_seldom_as_it_says(truth, accepted):
    """Where one hypothesis is true the other is accepted in 5 of 100, up to Monte-Carlo error."""
    rng, runs = np.random.default_rng(3), 250
    test = Sprt(0, 20, model="logistic")
    shares = np.array([0.1, 0.15, 0.5, 0.15, 0.1])
    tilt = (score_of_elo(truth) - 0.5) / mean_and_variance(shares)[1]
    shares = shares * (1 + tilt * (SCORES - 0.5))
    assert shares @ SCORES == pytest.approx(score_of_elo(truth))
    wrong = undecided = 0
    for _ in range(runs):
        counts, before, state = np.zeros(5, int), 0, CONTINUE
        for boards in Stop(20_000, sprt=test).looks():
            counts = counts + rng.multinomial(boards - before, shares)
            before, state = boards, test.state(Pairs.checked(counts.tolist()))
            if state != CONTINUE:
                break
        wrong += state == accepted
        undecided += state == CONTINUE
    assert undecided == 0
    assert wrong / runs <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


def test_looks__gone_on_with__are_the_ones_that_are_left():
    stop = Stop(400, precision=1.0)
    assert list(stop.looks(since=150)) == [150, 187, 233, 291, 363, 400]
    assert list(stop.looks(since=151)) == [187, 233, 291, 363, 400]
    assert list(Stop(900, extended_after=400).looks(since=401)) == [900]


@pytest.mark.parametrize(
    "stop",
    [
        Stop(5000),
        Stop(900, precision=2.5, extended_after=400),
        Stop(900, sprt=Sprt(-1, 7, 0.01, 0.1, "logistic")),
    ],
)
def test_stop__kept_in_a_manifest__comes_back(stop):
    kept = json.loads(json.dumps({"stop": stop.to_manifest()}))
    assert Stop.of_manifest(kept) == stop


def test_stop__of_a_run_that_is_no_comparison__is_its_boards():
    assert Stop.of_manifest({"plan": {"boards": 70}}) == Stop(70)


@pytest.mark.parametrize(
    "values",
    [{"boards": 0}, {"boards": 9, "precision": -1.0}, {"boards": 9, "precision": math.inf}],
)
def test_stop__impossible__is_refused(values):
    with pytest.raises(StopError):
        Stop(**values)


def test_mirrored__test__asks_the_same_of_the_other_side():
    stop = Stop(900, sprt=Sprt(-1, 7, 0.01, 0.1, "logistic"))
    assert stop.mirrored() == Stop(900, sprt=Sprt(-7, 1, 0.1, 0.01, "logistic"))
    pairs = (3, 10, 21, 12, 5)
    ours, its = stop.sprt, stop.mirrored().sprt
    llr = ours.llr(Pairs.checked(pairs))
    assert its.llr(Pairs.checked(pairs[::-1])) == pytest.approx(-llr)
    assert (its.lower, its.upper) == pytest.approx((-ours.upper, -ours.lower))


def made_up(pairs: list[int], margins: np.ndarray) -> PairingSummary:
    """Return the sums of boards with these outcomes (0 to 4) and margins, that tests need."""
    groups = np.zeros((256, len(GROUP_COLUMNS)), np.int64)
    place, outcome = np.arange(len(margins)) % 256, np.asarray(pairs)
    columns = {
        "boards": np.ones_like(outcome),
        "matches": np.full_like(outcome, 2),
        "wins": outcome // 2,
        "draws": outcome % 2,
        "margin": 2 * margins,
        "board_margin_squared": (2 * margins) ** 2,
        **{f"pairs_{index}": outcome == index for index in range(5)},
    }
    for name, values in columns.items():
        np.add.at(groups[:, list(GROUP_COLUMNS).index(name)], place, values)
    return PairingSummary(groups)


def test_expected_boards__precision__is_the_look_at_which_it_is_narrow_enough():
    margins = np.tile([40, -40], 100)
    summary = made_up([2] * 200, margins)
    deviation = margins.std(ddof=1)
    expected = expected_boards(summary, Stop(100_000, precision=2.0))
    looks = list(Stop(100_000, precision=2.0).looks())
    assert expected in looks
    assert sequence_half_width(expected, deviation) <= 2.0
    assert sequence_half_width(looks[looks.index(expected) - 1], deviation) > 2.0
    assert expected_boards(summary, Stop(1000, precision=2.0)) == 1000
    assert expected_boards(summary, Stop(1000, precision=500.0)) == 233  # the first from 200 on
    assert expected_boards(summary, Stop(1000)) == 1000


def test_expected_boards__sprt__goes_on_in_a_straight_line():
    test = Sprt(0, 5)
    outcomes = [0] * 40 + [2] * 100 + [4] * 60
    summary = made_up(outcomes, np.tile([40, -40], 100))
    llr = test.llr(Pairs.checked(summary.pairs()))
    assert 0 < llr < test.upper
    needed = 200 * test.upper / llr
    expected = expected_boards(summary, Stop(100_000, sprt=test))
    assert expected == next(n for n in Stop(100_000, sprt=test).looks() if n >= needed)
    assert expected_boards(summary, Stop(250, sprt=test)) == 250
    told = seen_so_far(summary, Stop(250, sprt=test))
    assert f"LLR {llr:.2f} (−2.94 to 2.94)" in told


def test_expected_boards__nothing_known__is_the_most():
    assert expected_boards(PairingSummary(), Stop(300, precision=1.0)) == 300
    assert seen_so_far(PairingSummary(), Stop(300)) == ""
    one = summary_of(MARGINS[:1])
    assert expected_boards(one, Stop(300, precision=1.0)) == 300
    assert seen_so_far(one, Stop(300)) == "+10.0"
    assert seen_so_far(summary_of(0 * MARGINS + 9), Stop(300)) == "+9.0"


REAL = ("hunter", "doubler")


@pytest.fixture(scope="module")
def boards() -> tuple[np.ndarray, np.ndarray]:
    """Return outcomes (0 to 4) and mean margins of many real boards, int64."""
    block = play_boards(Rules(), [parse_entry(name).player() for name in REAL] * 2, 5, 0, 6000)
    margin = np.diff(block.sides["score"][:, ::-1].astype(int), axis=1).reshape(-1, 2)
    return (np.sign(margin) + 1).sum(axis=1), np.rint(margin.mean(axis=1)).astype(int)


def leans(boards, stop: Stop, runs: int, weights: np.ndarray) -> np.ndarray:
    """Return what plain and corrected estimates miss the truth by: (score, margin) of each.

    float64, shape (runs, 4); boards are drawn from real ones with these weights.
    """
    outcome, margin = boards
    rng, found = np.random.default_rng(11), []
    truth = np.array([weights @ outcome / 4, weights @ margin])
    for _ in range(runs):
        drawn = rng.choice(len(outcome), stop.boards, p=weights)
        counts, before = np.zeros(5, int), 0
        for look in stop.looks():
            counts += np.bincount(outcome[drawn[before:look]], minlength=5)
            before = look
            if stop.sprt.state(Pairs.checked(counts.tolist())) != CONTINUE:
                break
        summary = made_up(outcome[drawn[:look]], margin[drawn[:look]])
        better = corrected(summary, stop)
        plain = np.array([outcome[drawn[:look]].mean() / 4, margin[drawn[:look]].mean()])
        found.append([*(plain - truth), better.win_share - truth[0], better.margin - truth[1]])
    return np.array(found)


def weighted(boards, score: float) -> np.ndarray:
    """Return weights of boards under which their mean score is this one."""
    scores = boards[0] / 4
    tilt = (score - scores.mean()) / scores.var()
    weights = 1 + tilt * (scores - scores.mean())
    assert weights.min() > 0
    return weights / weights.sum()


def assert_corrected(found: np.ndarray, side: int) -> None:
    error = found.std(axis=0) / math.sqrt(len(found))
    lean = side * found.mean(axis=0)
    assert (lean[:2] > 3 * error[:2]).all()  # plain estimates lean outward, beyond chance
    assert (abs(lean[2:]) < np.maximum(2.5 * error[2:], lean[:2] / 3)).all()
    assert (abs(lean[2:]) < lean[:2] / 2).all()
    assert ((found[:, 2:] ** 2).mean(axis=0) < (found[:, :2] ** 2).mean(axis=0)).all()


def test_corrected__test_on_real_boards__does_not_lean(boards):
    test = Sprt(0, 40, model="logistic")
    weights = weighted(boards, score_of_elo(40))
    assert_corrected(leans(boards, Stop(4000, sprt=test), 200, weights), side=1)


@pytest.mark.long
@pytest.mark.parametrize("model", ["normalized", "logistic"])
@pytest.mark.parametrize(("elo", "side"), [(-15, -1), (0, -1), (30, 1), (45, 1)])
def test_corrected__whatever_the_truth__does_not_lean(boards, model, elo, side):
    test = Sprt(0, 30, model=model)
    weights = weighted(boards, score_of_elo(elo))
    assert_corrected(leans(boards, Stop(8000, sprt=test), 600, weights), side)


def test_corrected_score__one_look__is_the_mean():
    """A test that looks once, at its last board, chooses nothing."""
    pairs = Pairs.checked([3, 10, 21, 12, 5])
    mean = mean_and_variance(pairs.shares)[0]
    assert corrected_score(pairs, Sprt(0, 20), [51]) == pytest.approx(mean, abs=1e-5)


@pytest.mark.parametrize("model", ["normalized", "logistic"])
def test_corrected_score__two_looks__worked_out_by_integration(model):
    """Two looks: E[mean] is that of 100 boards but for what stops at 50, by a plain sum."""
    pairs, test = Pairs.checked([8, 15, 35, 22, 20]), Sprt(0, 60, model=model)
    mean, variance = mean_and_variance(pairs.shares)
    found = corrected_score(pairs, test, [50, 100])
    grid = np.linspace(-0.5, 1.5, 200_001)
    density = np.exp(-((grid - found) ** 2) * 50 / (2 * variance))
    density /= density.sum()
    if model == "logistic":
        s0, s1 = score_of_elo(0), score_of_elo(60)
        llr = 50 * (s1 - s0) * (2 * grid - s0 - s1) / (2 * variance)
    else:
        t, t1 = (grid - 0.5) / math.sqrt(variance), math.sqrt(2) * 60 * math.log(10) / 800
        llr = 25 * np.log((1 + t**2) / (1 + (t - t1) ** 2))
    stops = (llr >= test.upper) | (llr <= test.lower)
    assert 0.05 < density[stops].sum() < 0.95
    expected = (density * np.where(stops, grid, (grid + found) / 2)).sum()
    assert expected == pytest.approx(mean, abs=1e-4)
    assert 0.5 < found < mean


def test_corrected__no_test_or_nothing_that_varies__is_none():
    assert corrected(summary_of(MARGINS), Stop(6, precision=1.0)) is None
    assert corrected(made_up([4] * 60, np.full(60, 9)), Stop(60, sprt=Sprt())) is None


@pytest.mark.parametrize(("shape", "least"), [("skewed", 0.1), ("real", 0.02)])
def test_precision__stop_by_it__leans_by_next_to_nothing_of_the_interval(boards, shape, least):
    """Skewed margins vary less where they are small: of real boards there is none of that."""
    rng, runs, most = np.random.default_rng(4), 2000, 2000
    pool = boards[1] if shape == "real" else rng.exponential(100.0, 100_000)
    stop = Stop(most, precision=pool.std() / 4)
    draws = rng.choice(pool, (runs, most))
    missed, half = np.full(runs, np.nan), np.full(runs, np.nan)
    for n in stop.looks():
        deviation = draws[:, :n].std(axis=1, ddof=1)
        width = deviation * sequence_half_width(n, 1.0)
        ends = np.isnan(missed) & ((width <= stop.precision) | (n == most))
        missed[ends] = draws[ends, :n].mean(axis=1) - pool.mean()
        half[ends] = width[ends]
    assert len(np.unique(half)) > 100
    assert abs(missed.mean()) < least * stop.precision
