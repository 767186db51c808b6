"""Nash averaging: textbook games, the theory's promises on random games, nashpy beside it."""

import nashpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from persian_rummy.reports.nash import NashError, nash_average, nash_averages

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / 2


def game_of(n: int, above: list[float]) -> np.ndarray:
    """Return the antisymmetric matrix with these numbers above its diagonal."""
    game = np.zeros((n, n))
    game[np.triu_indices(n, 1)] = above
    return game - game.T


@st.composite
def games(draw: st.DrawFn, most: int = 6) -> np.ndarray:
    """Return games of small whole payoffs: most have many equilibria."""
    n = draw(st.integers(1, most))
    pairs = n * (n - 1) // 2
    return game_of(n, draw(st.lists(st.integers(-2, 2), min_size=pairs, max_size=pairs)))


def seen_from(game: np.ndarray, places: list[int]) -> np.ndarray:
    return game[np.ix_(places, places)]


@pytest.mark.parametrize("n", [3, 5, 7])
def test_nash__each_beats_the_next_half__is_uniform(n):
    game = game_of(n, [1 if j - i <= n // 2 else -1 for i in range(n) for j in range(i + 1, n)])
    assert nash_average(game).mixture == pytest.approx(np.full(n, 1 / n), abs=1e-9)


def test_nash__unequal_rock_paper_scissors__each_by_what_the_other_two_play_for():
    found = nash_average(game_of(3, [-0.1, 0.2, -0.3]))
    assert found.mixture == pytest.approx(np.array([3, 2, 1]) / 6, abs=1e-12)
    assert found.ratings == pytest.approx(np.zeros(3), abs=1e-12)
    assert found.regret <= 1e-12


def test_nash__one_beats_all__is_alone_and_ratings_are_what_is_lost_to_it():
    found = nash_average(game_of(3, [0.1, 0.3, -0.2]))
    assert list(found.mixture) == [1, 0, 0]
    assert found.ratings == pytest.approx([0, -0.1, -0.3])
    assert found.entropy == 0


@pytest.mark.parametrize("n", [1, 2, 9])
def test_nash__all_level__is_uniform(n):
    found = nash_average(np.zeros((n, n)))
    assert found.mixture == pytest.approx(np.full(n, 1 / n))
    assert found.entropy == pytest.approx(np.log(n))


def test_nash__a_strategy_entered_twice__shares_its_mass():
    found = nash_average(seen_from(ROCK_PAPER_SCISSORS, [0, 1, 2, 0]))
    assert found.mixture == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6], abs=1e-9)


def test_nash__a_strategy_that_plays_rock_or_paper__shares_with_both():
    """(1/3 - d/2, 1/3 - d/2, 1/3, d) for all d up to 2/3; of the highest entropy at d = 2/9."""
    mixed = np.vstack([np.eye(3), [0.5, 0.5, 0]])
    found = nash_average(mixed @ ROCK_PAPER_SCISSORS @ mixed.T)
    assert found.mixture == pytest.approx(np.array([2, 2, 3, 2]) / 9, abs=1e-9)
    assert found.entropy_gap <= 1e-9


@pytest.mark.parametrize(
    ("payoffs", "mixture"),
    [
        ([0, 0.3, -0.1], [1 / 2, 1 / 2, 0]),  # from a quarter of the first on nothing is to be got
        ([0, 0.1, -0.3], [3 / 4, 1 / 4, 0]),  # so it is from three quarters on
    ],
)
def test_nash__two_level_and_one_between__as_even_as_keeps_the_third_out(payoffs, mixture):
    assert nash_average(game_of(3, payoffs)).mixture == pytest.approx(mixture, abs=1e-9)


def test_nash__a_bound_that_only_just_holds__is_met_exactly():
    """Level are the 2nd, 4th and 5th; x2 <= x4 keeps the 1st out, x2 + x4 <= x5 the 3rd."""
    game = game_of(5, [1, 0, -1, 0, -1, 0, 0, 1, -1, 0])
    found = nash_average(game)
    assert found.mixture == pytest.approx([0, 1 / 4, 0, 1 / 4, 1 / 2], abs=1e-9)


def test_nash__payoffs_a_million_times_apart__are_still_proven():
    game = seen_from(game_of(4, [0.3, -1e-7, 0.4, 2e-6, 0.5, -1e-8]), [0, 1, 2, 3, 2, 0])
    found = nash_average(game)
    assert (game @ found.mixture).max() == pytest.approx(found.regret, abs=1e-15)
    assert found.regret <= 1e-6
    assert found.mixture[[2, 0]] == pytest.approx(found.mixture[[4, 5]])


def test_nash__ties_beside_tiny_payoffs__are_rounded_and_the_regret_says_so():
    """The first loses to the second; what else there is, is below a millionth of that."""
    game = game_of(4, [-0.5, 2e-7, -3e-7, 0, 0, -1e-7])
    found = nash_average(game)
    assert found.mixture == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=1e-12)
    assert found.regret == pytest.approx(1e-7 / 3)


def test_nash__what_no_rounding_helps__is_refused(monkeypatch):
    def fail(_):
        raise NashError("nothing found")

    monkeypatch.setattr("persian_rummy.reports.nash._inner_point", fail)
    with pytest.raises(NashError, match=r"too much in size, from 0\.1 to 0\.3"):
        nash_average(game_of(3, [0, 0.3, -0.1]))


@settings(max_examples=80, deadline=None)
@given(games())
def test_nash__any_game__is_an_equilibrium_and_level_in_its_support(game):
    found = nash_average(game)
    assert found.mixture.sum() == pytest.approx(1)
    assert found.mixture.min() >= 0
    assert (game @ found.mixture).max() <= 1e-8
    assert np.abs(found.ratings[found.mixture > 0]).max() <= 1e-8
    assert 0 <= found.entropy_gap <= 1e-8


@settings(max_examples=30, deadline=None)
@given(games(most=5), st.randoms(use_true_random=False))
def test_nash__any_game__no_equilibrium_is_more_even(game, random):
    """Mixtures of the corners of the equilibria, found by trying all systems of equations."""
    n = len(game)
    found = nash_average(game)
    corners = []
    rows = np.vstack([game, np.eye(n)])
    for chosen in np.ndindex(*[2] * (2 * n)):
        if sum(chosen) == n - 1:
            equations = np.vstack([rows[np.array(chosen, bool)], np.ones(n)])
            if abs(np.linalg.det(equations)) > 1e-9:
                x = np.linalg.solve(equations, np.eye(n)[-1])
                if x.min() > -1e-12 and (game @ x).max() < 1e-12:
                    corners.append(np.abs(x))
    for _ in range(20):
        weights = np.array([0.01 + random.random() ** 3 for _ in corners])
        x = weights @ np.array(corners) / weights.sum()
        x = x[x > 1e-12]
        assert -(x @ np.log(x)) <= found.entropy + 1e-8


@settings(max_examples=30, deadline=None)
@given(games(), st.data())
def test_nash__strategies_in_another_order__have_the_same_shares(game, data):
    places = data.draw(st.permutations(range(len(game))))
    wanted = nash_average(game).mixture[places]
    assert nash_average(seen_from(game, places)).mixture == pytest.approx(wanted, abs=1e-7)


@settings(max_examples=30, deadline=None)
@given(games(), st.data())
def test_nash__one_that_does_worse_than_another_against_all__changes_nothing(game, data):
    n = len(game)
    better = data.draw(st.integers(0, n - 1))
    larger = np.zeros((n + 1, n + 1))
    larger[:n, :n] = game
    larger[n, :n] = game[better] - 1
    larger[:n, n] = -larger[n, :n]
    wanted = [*nash_average(game).mixture, 0]
    assert nash_average(larger).mixture == pytest.approx(wanted, abs=1e-7)


@settings(max_examples=30, deadline=None)
@given(games(), st.data())
def test_nash__one_entered_twice__is_an_equilibrium_without_the_second_as_well(game, data):
    n = len(game)
    twice = data.draw(st.integers(0, n - 1))
    shares = nash_average(seen_from(game, [*range(n), twice])).mixture
    assert shares[twice] == pytest.approx(shares[n], abs=1e-7)
    together = shares[:n] + shares[n] * np.eye(n)[twice]
    assert (game @ together).max() <= 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_nash__random_games__is_the_one_that_nashpy_finds(seed):
    rng = np.random.default_rng(seed)
    game = game_of(5, list(rng.normal(size=10)))
    other = nashpy.Game(game)  # of two players, zero-sum
    found = nash_average(game).mixture
    ((mine, yours),) = other.vertex_enumeration()
    assert mine == pytest.approx(found, abs=1e-8)
    assert yours == pytest.approx(found, abs=1e-8)
    pivoted, _ = other.lemke_howson(initial_dropped_label=0)
    assert pivoted == pytest.approx(found, abs=1e-8)


def test_nash_averages__of_many_games__are_those_of_each():
    rng = np.random.default_rng(2)
    many = [game_of(5, list(rng.normal(size=10))) for _ in range(20)]
    many += [game_of(5, list(rng.integers(-1, 2, 10))) for _ in range(20)]
    many += [np.zeros((5, 5))]
    found = nash_averages(np.array(many))
    for game, mixture in zip(many, found, strict=True):
        assert mixture == pytest.approx(nash_average(game).mixture, abs=1e-9)


def test_nash_averages__a_strategy_entered_twice__shares_in_each_game():
    rng = np.random.default_rng(3)
    many = np.array([game_of(5, list(rng.normal(size=10))) for _ in range(20)])
    found = nash_averages(many[:, [0, 1, 2, 3, 4, 1]][:, :, [0, 1, 2, 3, 4, 1]])
    wanted = nash_averages(many)
    assert found[:, 1] == pytest.approx(found[:, 5])
    assert found[:, 1] + found[:, 5] == pytest.approx(wanted[:, 1])
