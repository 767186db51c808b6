"""The draw for partners (RULES section 2) by hand, and against a brute-force twin."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from persian_rummy.sim.cards import TEXTS, parse_card
from persian_rummy.sim.errors import PrummyError
from persian_rummy.sim.seating import draw_for_partners, draw_rank

ORDER = "A23456789TJQK*"  # aces low, jokers high


def draw(text: str) -> tuple[int, ...]:
    """Return the players at seats 0 to 3 for a pack written as text."""
    return draw_for_partners([parse_card(word) for word in text.split()]).players


def rounds(text: str) -> list[dict[int, str]]:
    """Return what each player drew in each round."""
    seating = draw_for_partners([parse_card(word) for word in text.split()])
    return [{player: TEXTS[card] for player, card in cards.items()} for cards in seating.rounds]


@pytest.mark.parametrize(
    ("pack", "seats"),
    [
        # players 0 1 2 3 draw; seat 0 is the lowest, seat 2 the second, 1 the third, 3 the highest
        ("2C 3D 4H 5S", (0, 2, 1, 3)),
        ("5S 4H 3D 2C", (3, 1, 2, 0)),
        ("KC AD *H 2S", (1, 0, 3, 2)),  # the ace is below the two, the joker above the king
        ("*C AC KC QC", (1, 2, 3, 0)),
        ("TC 9C JC 8C", (3, 0, 1, 2)),
        # players 0 and 2 tie at the bottom; the five is lower than the six
        ("3C KD 3H QS 6C 5D", (2, 3, 0, 1)),
        # ... and the new cards, though above the queen, order those two only
        ("3C KD 3H QS *C AD", (2, 3, 0, 1)),
        # two pairs tie: 0 and 1 draw the king and the two, 2 and 3 the nine and the ace
        ("4C 4D 7H 7S KC 2D 9H AS", (1, 3, 0, 2)),
        ("4C 7D 4H 7S KC 2D 9H AS", (2, 3, 0, 1)),
        # three tie, then two of these
        ("5C 5D 5H 2S 9C 9D 3H 8C KD", (3, 0, 2, 1)),
        # all four tie, twice over
        ("8C 8D 8H 8S JC JD JH JS 4C 3D 2H AS", (3, 1, 2, 0)),
        # equal ranks of different suits are a tie: suits are never ranked
        ("*C *D 2C 3C 9D 8D", (2, 1, 3, 0)),
    ],
)
def test_draw__by_hand(pack, seats):
    assert draw(pack) == seats


def test_draw__tied_players__draw_in_the_order_of_their_numbers():
    assert rounds("5C 5D 5H 2S 9C 9D 3H 8C KD 4S") == [
        {0: "5C", 1: "5D", 2: "5H", 3: "2S"},
        {0: "9C", 1: "9D", 2: "3H"},
        {0: "8C", 1: "KD"},
    ]


def test_draw__two_pairs_that_draw_alike__are_told_apart_already():
    # the kings of players 0 and 2 belong to different ties, so nobody draws a third time
    assert len(rounds("4C 4D 7H 7S KC 2D KH AS")) == 2
    assert draw("4C 4D 7H 7S KC 2D KH AS") == (1, 3, 0, 2)


@pytest.mark.parametrize("pack", ["", "2C 3C 4C", "2C 2D 4C 5C 6C", "2C 2D 4C 5C 6C 6D 7C"])
def test_draw__pack_runs_out__asks_for_another(pack):
    with pytest.raises(PrummyError, match="shuffle and draw again"):
        draw_for_partners([parse_card(word) for word in pack.split()])


def test_draw_rank__orders_all_ranks():
    cards = sorted(range(56), key=draw_rank)
    assert "".join(TEXTS[card][0] for card in cards[::4]) == ORDER
    assert len({draw_rank(card) for card in range(56)}) == 14


def twin(ranks: list[int]) -> tuple[int, ...] | None:
    """Return the seats by trying all 24 orders of the players; None when the pack runs out.

    Each round extends the histories of those that are not told apart yet; an order is right when
    it rises strictly by histories.
    """
    histories: list[tuple[int, ...]] = [(), (), (), ()]
    left = list(ranks)
    while True:
        again = [p for p in range(4) if histories.count(histories[p]) > 1]
        if not again:
            break
        if len(left) < len(again):
            return None
        for player in again:
            histories[player] += (left.pop(0),)
    right = [
        order
        for order in permutations(range(4))
        if all(histories[order[k]] < histories[order[k + 1]] for k in range(3))
    ]
    assert len(right) == 1
    lowest, second, third, highest = right[0]
    return (lowest, third, second, highest)


@given(st.integers(0, 2**32), st.integers(2, 56))
@example(seed=0, size=56)
def test_draw__any_pack__as_the_twin(seed, size):
    """Packs of few ranks, so that most draws tie and some never end."""
    rng = Random(seed)
    pack = rng.sample(range(56), size) if seed % 3 else rng.sample(range(4 * rng.randint(1, 5)), 4)
    if seed % 2:  # ranks come in threes and fours, one after another
        pack.sort(key=lambda card: (card // 4, rng.random()))
    expected = twin([ORDER.index(TEXTS[card][0]) for card in pack])
    if expected is None:
        with pytest.raises(PrummyError):
            draw_for_partners(pack)
    else:
        assert draw_for_partners(pack).players == expected


def test_draw__ten_thousand_packs__every_order_as_often():
    rng = Random(5)
    counts = dict.fromkeys(permutations(range(4)), 0)
    for _ in range(12_000):
        counts[draw_for_partners(rng.sample(range(56), 56)).players] += 1
    # chi-square with 23 degrees of freedom: 49.7 is exceeded once in a thousand
    assert sum((n - 500) ** 2 / 500 for n in counts.values()) < 49.7
