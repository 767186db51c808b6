"""Random streams: every identity its own, none related, and shuffles without a bias."""

from itertools import product
from math import factorial

import numpy as np
from scipy import stats

from persian_rummy.sim.jit import jit
from persian_rummy.sim.seeds import deck_key, match_key, mix64, seat_key, shuffle

ALPHA = 1e-4  # a fair shuffle fails one seed in ten thousand; the seeds are fixed


@jit
def fill_shuffles(decks, size, seed):
    """Fill each row with the shuffle of a board of its own."""
    for board in range(len(decks)):
        shuffle(decks[board], size, deck_key(seed, board, 0))


def shuffles(n: int, size: int, seed: int) -> np.ndarray:
    decks = np.zeros((n, size), np.uint8)
    fill_shuffles(decks, size, np.uint64(seed))
    return decks


def deck(seed: int, board: int, deal: int, size: int = 56) -> tuple[int, ...]:
    cards = np.zeros(size, np.uint8)
    shuffle(cards, size, np.uint64(deck_key(np.uint64(seed), board, deal)))
    return tuple(int(card) for card in cards)


def test_mix64__reference__is_that_of_splitmix64():
    # The first three outputs of SplitMix64 (java.util.SplittableRandom) from the state 1234567.
    golden, state = 0x9E3779B97F4A7C15, 1234567
    states = [(state + golden * step) % 2**64 for step in (1, 2, 3)]
    assert [int(mix64(np.uint64(word))) for word in states] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_mix64__one_bit_flipped__moves_half_of_all_bits():
    words = [np.uint64(17 * n + 1) for n in range(100)]
    flips = np.zeros((64, 64))
    for word, bit in product(words, range(64)):
        change = int(mix64(word)) ^ int(mix64(word ^ np.uint64(1 << bit)))
        flips[bit] += [change >> place & 1 for place in range(64)]
    # 100 coins each: five standard deviations are 25
    assert flips.min() >= 25
    assert flips.max() <= 75


def test_shuffle__any_size__is_a_permutation():
    for size in (1, 2, 8, 9, 10, 52, 56):
        assert (np.sort(shuffles(500, size, seed=3)) == np.arange(size)).all()


def test_shuffle__fewer_cards_than_the_array__leaves_the_rest():
    cards = np.full(56, 99, np.uint8)
    shuffle(cards, 52, np.uint64(5))
    assert sorted(cards[:52]) == list(range(52))
    assert list(cards[52:]) == [99] * 4


def test_decks__seeds_boards_deals__are_all_different():
    seeds = [0, 1, 2, 3, 2**31, 2**32, 2**32 + 1, 2**63, 2**64 - 1]
    decks = {deck(*who) for who in product(seeds, range(300), range(2))}
    assert len(decks) == len(seeds) * 300 * 2
    assert deck(7, 12, 1) == deck(7, 12, 1)


def test_decks__arguments_swapped__are_different():
    few = range(6)
    assert len({deck(*who) for who in product(few, few, few)}) == 6**3


def test_decks__neighbours__agree_in_one_place_on_average():
    # Two unrelated shuffles agree in a mean of 1 place, variance 1: 4,000 pairs have a standard
    # error of 0.016, and five of them are 0.08.
    n = 4000
    this = shuffles(n + 1, 56, seed=11)
    pairs = {
        "boards": (this[:-1], this[1:]),
        "seeds": (this[:-1], shuffles(n, 56, seed=12)),
        "deals": (
            [deck(11, board, 0) for board in range(n)],
            [deck(11, board, 1) for board in range(n)],
        ),
    }
    for name, (one, other) in pairs.items():
        agree = (np.array(one) == np.array(other)).sum(axis=1)
        assert abs(agree.mean() - 1) < 0.08, name
        assert agree.max() < 10, name


def test_shuffle__cards_by_place__are_uniform():
    # N x (observed - expected)^2 summed over the table of n cards by n places, times (n - 1) / n,
    # is chi-square with (n - 1)^2 degrees of freedom: each row and each column has a fixed sum.
    n_decks = 60_000
    for size in (56, 52):
        decks = shuffles(n_decks, size, seed=2024)
        cells = decks.astype(np.int64) * size + np.arange(size)
        table = np.bincount(cells.ravel(), minlength=size * size)
        statistic = (size - 1) / n_decks * ((table - n_decks / size) ** 2).sum()
        p = stats.chi2.sf(statistic, (size - 1) ** 2)
        assert ALPHA < p < 1 - ALPHA, (size, p)


def test_shuffle__five_cards__have_all_120_orders_alike():
    decks = shuffles(60_000, 5, seed=1).astype(np.int64)
    orders = np.unique(decks @ 10 ** np.arange(5), return_counts=True)[1]
    assert len(orders) == factorial(5)
    p = stats.chisquare(orders).pvalue
    assert ALPHA < p < 1 - ALPHA


def test_shuffle__two_places_of_a_deck__are_independent():
    # Cards 55 and 54 are put in their places by draws out of one word, 48 and 47 out of two.
    for one, other in ((55, 54), (48, 47), (1, 0)):
        decks = shuffles(60_000, 56, seed=5).astype(np.int64)
        pairs = np.bincount(decks[:, one] * 56 + decks[:, other], minlength=56 * 56)
        apart = pairs[np.arange(56 * 56) % 57 != 0]  # a card cannot be in both
        assert pairs.sum() == apart.sum() == 60_000
        p = stats.chisquare(apart).pvalue
        assert ALPHA < p < 1 - ALPHA, (one, other, p)


def seat(seed: int, board: int, rotation: int, deal: int, seat: int) -> int:
    """Return the key of a seat's stream in one deal."""
    return int(seat_key(np.uint64(match_key(np.uint64(seed), board, rotation)), deal, seat))


def test_seat_streams__seats_rotations_deals_boards_seeds__all_differ():
    who = [(1, 2, 2**63), range(50), range(2), range(3), range(4)]
    keys = {seat(*rest) for rest in product(*who)}
    assert len(keys) == 3 * 50 * 2 * 3 * 4


def test_seat_streams__are_not_the_deck_streams():
    decks = {int(deck_key(np.uint64(1), board, deal)) for board in range(99) for deal in (0, 1)}
    who = product(range(99), range(2), range(2), range(4))
    assert decks.isdisjoint(seat(1, *rest) for rest in who)


def test_keys__compiled__are_unsigned():
    for function, arguments in ((deck_key, (1, 2)), (match_key, (1, 0)), (seat_key, (1, 3))):
        assert int(function(np.uint64(2**64 - 1), *arguments)) > 0
        types = {str(overload.signature.return_type) for overload in function.overloads.values()}
        assert types == {"uint64"}
