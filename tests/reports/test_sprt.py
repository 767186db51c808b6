"""The sequential test and the figures of pairs: published values, exact cases, impossible input."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports.pairs import (
    ELO_SCALE,
    SCORES,
    Pairs,
    PairsError,
    elo,
    likelihood_of_superiority,
    mean_and_variance,
    normalized_elo,
    score_of_elo,
)
from persian_rummy.reports.sprt import ACCEPT_H0, ACCEPT_H1, CONTINUE, Sprt

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_stats.json").read_text())
counts = st.lists(st.integers(0, 400), min_size=5, max_size=5).filter(any)


def likelihood(shares: np.ndarray, condition) -> float:
    """Return the greatest log-likelihood of a distribution under a condition, by an optimiser."""
    best = -math.inf
    for seed in range(12):
        start = np.random.default_rng(seed).normal(size=5)
        found = minimize(
            lambda x: -(shares @ np.log(softmax(x))),
            start,
            constraints=[{"type": "eq", "fun": lambda x: condition(softmax(x))}],
            method="SLSQP",
            options={"maxiter": 2000, "ftol": 1e-14},
        )
        if found.success and abs(condition(softmax(found.x))) < 1e-9:
            best = max(best, -found.fun)
    return best


def softmax(x: np.ndarray) -> np.ndarray:
    z = np.exp(x - x.max())
    return np.maximum(z / z.sum(), 1e-300)


@pytest.mark.parametrize("case", GOLDEN["sprt"][:2], ids=lambda case: case["model"])
def test_llr__published_counts__is_the_published_one(case):
    test = Sprt(case["elo0"], case["elo1"], model=case["model"])
    assert test.llr(Pairs.checked(case["pairs"])) == pytest.approx(case["llr"], rel=0.01)


@pytest.mark.parametrize("case", GOLDEN["elo"])
def test_elo__published_counts__is_the_published_one(case):
    pairs = Pairs.checked(case["pairs"])
    assert elo(pairs).estimate == pytest.approx(case["elo"], rel=0.01)
    assert elo(pairs).half_width == pytest.approx(case["elo_error_95"], rel=0.01)
    assert normalized_elo(pairs).estimate == pytest.approx(case["normalized_elo"], rel=0.01)
    error = normalized_elo(pairs).half_width
    assert error == pytest.approx(case["normalized_error_95"], rel=0.01)


@pytest.mark.parametrize("given_counts", [[3, 20, 41, 22, 9], [40, 5, 1, 9, 60], [0, 2, 30, 9, 0]])
@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_llr__is_that_of_the_most_likely_distributions(given_counts, model):
    """An optimiser that knows nothing of the formulas finds the same ratio."""
    test, pairs = Sprt(0, 30, model=model), Pairs.checked(given_counts)
    shares = pairs.regular / pairs.regular.sum()

    def under(value: float):
        if model == "logistic":
            return lambda p: p @ SCORES - score_of_elo(value)
        t = math.sqrt(2) * value / ELO_SCALE
        return lambda p: p @ SCORES - 0.5 - t * math.sqrt(p @ (SCORES - p @ SCORES) ** 2)

    ends = [likelihood(shares, under(value)) for value in (0, 30)]
    assert test.llr(pairs) == pytest.approx(pairs.regular.sum() * (ends[1] - ends[0]), abs=1e-4)


@pytest.mark.parametrize("n", [1, 104, 1_000_000])
def test_llr__all_boards_won__is_worked_out_by_hand(n):
    """Won and lost boards alone carry the most likely distributions: their score fixes p(WW).

    (The third of the published values, 2.94 for 104 boards won, does not come out: it is 2.09.)

    Logistic: p = s. Normalised: (p - 1/2) / sqrt(p (1 - p)) = t. The counts that are 0 stand for a
    thousandth of a board each, which moves it by little.
    """
    pairs = Pairs.checked([0, 0, 0, 0, n])
    logistic = Sprt(0, 5, model="logistic")
    assert logistic.llr(pairs) == pytest.approx(n * math.log(2 * score_of_elo(5)), rel=0.01)
    t = math.sqrt(2) * 5 / ELO_SCALE
    won = 0.5 + t / (2 * math.sqrt(1 + t * t))
    assert Sprt(0, 5).llr(pairs) == pytest.approx(n * math.log(2 * won), rel=0.01)


@settings(max_examples=60, deadline=None)
@given(counts, st.sampled_from(["logistic", "normalized"]))
def test_llr__any_counts__is_finite_and_turns_with_the_sides(given_counts, model):
    forward = Sprt(-3, 8, model=model).llr(Pairs.checked(given_counts))
    backward = Sprt(-8, 3, model=model).llr(Pairs.checked(given_counts[::-1]))
    assert math.isfinite(forward)
    assert forward == pytest.approx(-backward, rel=1e-6, abs=1e-6)


def test_state__at_the_bounds__accepts():
    test = Sprt(0, 10, alpha=0.05, beta=0.1)
    assert test.lower == pytest.approx(math.log(0.1 / 0.95))
    assert test.upper == pytest.approx(math.log(0.9 / 0.05))
    assert test.state(Pairs.checked([10, 100, 200, 100, 10])) == CONTINUE
    assert test.state(Pairs.checked([0, 0, 0, 0, 500])) == ACCEPT_H1
    assert test.state(Pairs.checked([500, 0, 0, 0, 0])) == ACCEPT_H0


def test_los__is_the_normal_law_of_mean_and_error():
    pairs = Pairs.checked([34, 54, 63, 64, 75])
    mean, variance = mean_and_variance(pairs.shares)
    wanted = norm.cdf((mean - 0.5) / math.sqrt(variance / 290))
    assert likelihood_of_superiority(pairs) == pytest.approx(wanted)
    even = likelihood_of_superiority(Pairs.checked([5, 9, 11, 9, 5]))
    assert even == pytest.approx(0.5)


@pytest.mark.parametrize("flat", [[9, 0, 0, 0, 0], [0, 0, 9, 0, 0], [0, 0, 0, 0, 1]])
def test_intervals__all_boards_alike__say_that_nothing_is_known(flat):
    pairs = Pairs.checked(flat)
    for interval in (elo(pairs), normalized_elo(pairs)):
        assert math.isfinite(interval.estimate)
        assert (interval.low, interval.high) == (None, None)


def test_elo__an_end_beyond_all_won__is_open():
    interval = elo(Pairs.checked([0, 0, 0, 1, 3]))
    assert interval.high is None
    assert interval.low is not None


@pytest.mark.parametrize(
    ("figure", "shares"),
    [(elo, [0.05, 0.2, 0.3, 0.3, 0.15]), (normalized_elo, [0.11, 0.22, 0.33, 0.22, 0.12])],
)
def test_interval__over_many_runs__covers_the_truth_as_often_as_it_says(figure, shares):
    """10,000 runs of 200 boards: between 94 and 96 of a hundred.

    (Far from equality the published error of normalised Elo is too small: 93.9 of a hundred for
    the shares of the first case.)
    """
    mean, variance = mean_and_variance(np.array(shares))
    truth = -400 * math.log10(1 / mean - 1)
    if figure is normalized_elo:
        truth = ELO_SCALE * (mean - 0.5) / math.sqrt(2 * variance)
    runs = np.random.default_rng(5).multinomial(200, shares, 10_000)
    intervals = [figure(Pairs.checked(run.tolist())) for run in runs]
    assert 0.94 <= np.mean([i.low <= truth <= i.high for i in intervals]) <= 0.96


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--pairs", "1,2,3", "3 counts of pairs: give five"),
        ("--pairs", "1,2,3,4,x", "give five whole numbers"),
        ("--pairs", "1,2,3,4,-5", "WW: -5 is no count"),
        ("--pairs", "1,2,3,4,5.5", "WW: 5.5 is no count"),
        ("--pairs", "1,2,3,4,nan", "WW: nan is no count"),
        ("--pairs", "0,0,0,0,0", "no boards"),
        ("--elo1", "0", "elo0 is the smaller one"),
        ("--elo1", "nan", "elo0 is the smaller one"),
        ("--elo1", "5000", "lie between -1000 and 1000"),
        ("--alpha", "0.5", "an error lies between 0 and 0.5"),
        ("--beta", "0", "an error lies between 0 and 0.5"),
        ("--model", "bayes", "there are normalized, logistic"),
    ],
)
def test_command__impossible_input__is_refused(option, value, says):
    given_options = {"--pairs": "1,2,3,4,5", option: value}
    words = [word for pair in given_options.items() for word in pair]
    result = CliRunner().invoke(app, ["sprt", *words])
    assert result.exit_code == 2
    assert says in result.stderr


def test_command__json_and_text__say_the_same():
    command = ["sprt", "--pairs", "34,54,63,64,75", "--elo1", "20"]
    found = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert set(found) >= {"llr", "lower", "upper", "state", "elo", "normalized_elo", "los"}
    assert found["boards"] == 290
    text = CliRunner().invoke(app, command).stdout
    assert f"LLR {found['llr']:.3f} ({found['lower']:.3f} to {found['upper']:.3f})" in text
    assert f"Elo {found['elo']['estimate']:.2f}" in text
    with pytest.raises(PairsError):
        Pairs.checked([1, 2])
