"""alpha-rank and the replicator dynamics: closed forms, and the theory's promises."""

import numpy as np
import pytest

from persian_rummy.reports.evolution import alpha_rank, replicator

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / 2
FOUR = np.array([[0, 0.1, -0.2, -0.3], [0, 0, 0.2, 0.1], [0, 0, 0, 0.4], [0, 0, 0, 0]])
FOUR -= FOUR.T
"""The 1st beats the 2nd, that the 3rd and the 4th, the 3rd the 1st and the 4th, that the 1st."""


def random_game(n: int, seed: int) -> np.ndarray:
    game = np.random.default_rng(seed).normal(0, 0.1, (n, n))
    return game - game.T


def test_alpha_rank__two__have_the_ratio_of_their_chances_to_take_over():
    """With rho the chance of a lone mutant, rho(u) / rho(-u) = exp((m - 1) u)."""
    lead, alpha, m = 0.01, 3.0, 50
    better, worse = alpha_rank(np.array([[0, lead], [-lead, 0]]), alpha, m)
    assert better / worse == pytest.approx(np.exp(alpha * m * lead))


@pytest.mark.parametrize("alpha", [0.1, 3.0, 8.0])
def test_alpha_rank__is_where_the_chain_of_mutants_stays(alpha):
    game, m, n = random_game(5, 1), 10, 5
    chain = np.zeros((n, n))
    for i in range(n):
        for j in set(range(n)) - {i}:
            u = alpha * m / (m - 1) * game[j, i]
            chain[i, j] = (1 - np.exp(-u)) / (1 - np.exp(-m * u)) / (n - 1)
        chain[i, i] = 1 - chain[i].sum()
    wanted = np.linalg.matrix_power(chain, 10**6)[0]
    assert alpha_rank(game, alpha, m) == pytest.approx(wanted / wanted.sum(), abs=1e-8)


def test_alpha_rank__limit__is_the_walk_to_whoever_beats():
    """2 x1 = x2, x2 = x3 + x4, x3 = x1 + x4, 2 x4 = x1."""
    assert alpha_rank(FOUR) == pytest.approx(np.array([2, 4, 3, 1]) / 10)


def test_alpha_rank__very_large_alpha__is_the_limit():
    for seed in range(5):
        game = random_game(8, seed)
        assert alpha_rank(game, 1e12) == pytest.approx(alpha_rank(game), abs=1e-9)


def test_alpha_rank__limit__nothing_below_the_top_cycle():
    game = np.full((5, 5), -0.001)
    game[:3, :3], game[:3, 3:] = ROCK_PAPER_SCISSORS, 0.001
    game[3, 4] = game[3, 3] = game[4, 4] = 0
    game[4, 3] = 0
    assert alpha_rank(game) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0])


def test_alpha_rank__limit__two_level_ones_on_top_share():
    game = np.array([[0, 0, 0.1], [0, 0, 0.2], [-0.1, -0.2, 0]])
    assert alpha_rank(game) == pytest.approx([0.5, 0.5, 0])


def test_alpha_rank__limit__a_tie_is_passed_once_in_as_many_trials_as_the_population_has():
    """The 1st and 2nd are level, the 3rd beats the 1st, the 2nd the 3rd: x3 = x1 = x2 / (m + 1)."""
    game = np.array([[0, 0, -0.1], [0, 0, 0.1], [0.1, -0.1, 0]])
    assert alpha_rank(game, population=7) == pytest.approx([0.1, 0.8, 0.1])


def test_alpha_rank__many_games__are_those_of_each():
    games = np.array([random_game(6, seed) for seed in range(7)])
    for game, found in zip(games, alpha_rank(games, 20.0), strict=True):
        assert found == pytest.approx(alpha_rank(game, 20.0))


def test_replicator__two__is_the_logistic_curve():
    course = replicator(np.array([[0, 0.2], [-0.2, 0]]), np.array([0.1, 0.9]), 50.0, 101)
    wanted = 1 / (1 + 9 * np.exp(-0.2 * course.times))
    assert course.mixtures[:, 0] == pytest.approx(wanted, abs=1e-7)
    area = np.log(0.1 * np.exp(0.2 * 50) + 0.9) / 0.2
    assert course.averages[-1, 0] == pytest.approx(area / 50, abs=1e-7)


def test_replicator__rock_paper_scissors__circles_round_the_middle():
    course = replicator(ROCK_PAPER_SCISSORS, np.array([0.5, 0.3, 0.2]))
    assert course.mixtures.prod(axis=1) == pytest.approx(np.full(1001, 0.03), abs=1e-6)
    assert np.ptp(course.mixtures[:, 0]) > 0.3
    assert course.averages[-1] == pytest.approx(np.full(3, 1 / 3), abs=0.01)


@pytest.mark.parametrize("n", [2, 9])
def test_replicator__any_game__on_the_simplex_and_averages_that_lose_little(n):
    game = random_game(n, n)
    course = replicator(game)
    assert course.mixtures[0] == pytest.approx(np.full(n, 1 / n))
    assert course.mixtures.min() >= 0
    assert course.mixtures.sum(axis=1) == pytest.approx(np.ones(1001), abs=1e-12)
    assert course.averages.sum(axis=1) == pytest.approx(np.ones(1001), abs=1e-6)
    regret = (course.averages[1:] @ game.T).max(axis=1)
    assert (regret <= np.log(n) / course.times[1:] + 1e-7).all()


def test_replicator__who_is_not_there__never_comes():
    course = replicator(FOUR, np.array([0, 0.5, 0, 0.5]))
    assert not course.mixtures[:, [0, 2]].any()
    assert course.mixtures[-1, 1] == pytest.approx(1, abs=1e-6)


def test_replicator__all_level__stays():
    course = replicator(np.zeros((3, 3)))
    assert course.mixtures[-1] == pytest.approx(np.full(3, 1 / 3))
    assert course.averages[-1] == pytest.approx(np.full(3, 1 / 3))


@pytest.mark.parametrize("start", [[0.5, 0.6], [1.5, -0.5], [1.0]])
def test_replicator__a_start_that_is_no_mixture__is_refused(start):
    with pytest.raises(ValueError, match="no mixture of 2 strategies"):
        replicator(np.zeros((2, 2)), np.array(start))
