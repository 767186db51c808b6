"""Melds and lay-offs: examples worked out by hand, and types."""

import numpy as np
import pytest

from persian_rummy.sim import melds
from persian_rummy.sim.cards import N_CARDS, RANKS, TEXTS, mask_of, mask_text
from persian_rummy.sim.melds import CARDS_MASK, KIND_SHIFT, MAX_PLAYS, RUN, SET
from persian_rummy.sim.notation import action_text, make_action
from persian_rummy.sim.rules import Rules

EMPTY = np.uint64(0)
PLAIN = Rules().record()
WHOLE = Rules(bound_in="new_meld").record()


def cards(text: str) -> np.uint64:
    """Return the mask of cards written one after another."""
    return np.uint64(mask_of(TEXTS.index(text[at : at + 2]) for at in range(0, len(text), 2)))


@pytest.mark.parametrize(
    ("name", "given_cards", "right"),
    [
        ("ranks_with_two", "2C2D3C*C*S", "2C2D2H2S*C*D*H*S"),
        ("ranks_with_three", "2C2D3C3D3H*D*H*S", "3C3D3H3S*C*D*H*S"),
        ("ranks_with_four", "2C2D2H2S3C3D3H*C*D*H*S", "2C2D2H2S*C*D*H*S"),
        ("ranks_with_four", "2D2H2S3C", ""),
        ("set_ranks", "8C8D8S*D*H*S", "8C8D8H8S*C*D*H*S"),
        ("set_cards", "2C2D2S3C3D*C*D*H", "2C2D2S*C*D*H"),
        ("run_neighbours", "2C3C4C", "5C"),
        ("run_neighbours", "QDKDAD", "JD"),
        ("run_neighbours", "5H6H7H9H", "4H8HTH"),
        ("set_cards", "", ""),
    ],
)
def test_mask_tricks__by_hand(name, given_cards, right):
    assert mask_text(getattr(melds, name)(cards(given_cards))) == right


@pytest.mark.parametrize(
    ("given_cards", "min_run", "right"),
    [
        ("2C3C4C", 3, "2C3C4C"),
        ("QSKSAS", 3, "QSKSAS"),
        ("AS2S3S", 3, ""),  # aces are high only
        ("KSAS2S", 3, ""),
        ("KSAS*S", 3, ""),  # a joker is no card after the ace
        ("7C8D9C", 3, ""),
        ("5D6D7D8D", 4, "5D6D7D8D"),
        ("5D6D7D9D", 4, ""),
        ("5D6D7D8DTDJDQDKDAD", 5, "TDJDQDKDAD"),
        ("2H3H4H5H6H7H8H9HTHJHQHKHAH", 5, "2H3H4H5H6H7H8H9HTHJHQHKHAH"),
    ],
)
def test_run_cards__by_hand(given_cards, min_run, right):
    assert mask_text(melds.run_cards(cards(given_cards), min_run)) == right


@pytest.mark.parametrize(
    ("hand", "runs", "right"),
    [
        ("8H9HJH", "5H6H7H", "8H9H"),
        ("2S3S8S", "4S5S6S", "2S3S"),
        ("2S", "QSKSAS", ""),  # nothing goes past the ace
        ("*SAS", "JSQSKS", "AS"),
        ("8D", "5H6H7H", ""),
        ("2C3C4C5C6C7C8C9CTCJC", "QCKCAC", "2C3C4C5C6C7C8C9CTCJC"),
        ("5H6H7H8H9HTHJHQHKHAH*H", "2H3H4H", "5H6H7H8H9HTHJHQHKHAH"),
        ("5S6S7S8S9STSJSQSAS", "2S3S4S", "5S6S7S8S9STSJSQS"),
        ("8D", "5D6D7D9DTDJD", "8D"),
    ],
)
def test_run_layoffs__by_hand(hand, runs, right):
    assert mask_text(melds.run_layoffs(cards(hand), cards(runs))) == right


def test_stretches__whole_pack__end_at_the_ace_and_the_two():
    pack = np.uint64(2**56 - 1)
    assert [melds.stretch_up(pack, card) for card in (0, 4, 48, 51)] == [13, 12, 1, 1]
    assert [melds.stretch_down(pack, card) for card in (3, 7, 51)] == [1, 2, 13]


@pytest.mark.parametrize(
    ("hand", "bound", "sets", "runs", "any_play", "new_meld"),
    [
        ("7C7D7H2S", "7H", "", "", True, True),
        ("7C7D2S", "7D", "", "", False, False),
        ("7C", "7C", "7D7H7S", "", True, False),  # the fourth card
        ("*C*D*H", "*D", "", "", True, True),
        ("*C", "*C", "*D*H*S", "", True, False),
        ("*CKSAS", "*C", "", "", False, False),
        ("2C3C4C", "2C", "", "", True, True),
        ("2C3CAC", "2C", "", "", False, False),  # no A-2-3
        ("QHKHAH", "KH", "", "", True, True),
        ("8H", "8H", "", "5H6H7H", True, False),
        ("8H9H", "9H", "", "5H6H7H", True, False),  # over the 8
        ("9H", "9H", "", "5H6H7H", False, False),
        ("8H9HTH", "9H", "", "5H6H7H", True, True),
        ("3S", "3S", "", "4S5S6S", True, False),
        ("2S", "2S", "", "QSKSAS", False, False),
        ("AD", "AD", "", "JDQDKD", True, False),
        ("8C", "8C", "", "5H6H7H", False, False),
    ],
)
def test_can_play_with__by_hand(hand, bound, sets, runs, any_play, new_meld):
    card, table = TEXTS.index(bound), (cards(sets), cards(runs))
    assert bool(melds.can_play_with(card, cards(hand), *table, 3, 0)) == any_play
    assert bool(melds.can_play_with(card, cards(hand), *table, 3, 1)) == new_meld


@pytest.mark.parametrize(
    ("hand", "bound", "sets", "runs", "right"),
    [
        ("7C7D7H7S", "", "", "", "=7C7D7H =7C7D7H7S =7C7D7S =7C7H7S =7D7H7S"),
        ("7C7D7H7S", "7S", "", "", "=7C7D7H7S =7C7D7S =7C7H7S =7D7H7S"),
        ("8H9H", "", "", "5H6H7H", "-8H -8H9H"),
        ("8H9H", "9H", "", "5H6H7H", "-8H9H"),
        ("2C3C4C5C", "", "", "", "-2C3C4C -2C3C4C5C -3C4C5C"),
        ("2C3C4C5C", "5C", "", "", "-2C3C4C5C -3C4C5C"),
        ("*C*D", "", "", "", ""),
        ("*C", "", "*D*H*S", "", "=*C"),
    ],
)
def test_legal_plays__by_hand(hand, bound, sets, runs, right):
    out = np.zeros(MAX_PLAYS, np.uint64)
    n = melds.legal_plays(cards(hand), cards(bound), cards(sets), cards(runs), PLAIN[0], out)
    assert sorted(action_text(play) for play in out[:n]) == sorted(right.split())


def test_legal_plays__bound_in_a_new_meld__leaves_no_lay_off():
    out = np.zeros(MAX_PLAYS, np.uint64)
    hand, bound, runs = cards("8H9HTH"), cards("8H"), cards("5H6H7H")
    n = melds.legal_plays(hand, bound, EMPTY, runs, WHOLE[0], out)
    assert [action_text(play) for play in out[:n]] == ["-8H9HTH"]


def test_legal_plays__whole_pack_in_hand__fill_the_buffer_exactly():
    out = np.zeros(MAX_PLAYS, np.uint64)
    pack = np.uint64(2**56 - 1)
    # 14 ranks: the four and its four triples. 4 suits: 11 runs of three, 10 of four ... 1 of 13.
    assert melds.legal_plays(pack, EMPTY, EMPTY, EMPTY, PLAIN[0], out) == 14 * 5 + 4 * 66
    assert MAX_PLAYS >= 14 * 5 + 4 * 91  # with every stretch a lay-off


@pytest.mark.parametrize(
    ("given_cards", "rank", "stretch"),
    [
        ("7C", True, True),
        ("7C7S", True, False),
        ("7C8C9C", False, True),
        ("7C8D", False, False),
        ("7C9C", False, False),
        ("KSAS", False, True),
        ("AS*S", False, False),
        ("*C*D*H*S", True, False),
        ("2H3H4H5H6H7H8H9HTHJHQHKHAH", False, True),
        ("2C2D2H2S3C3D3H3S4C4D4H4S5C5D5H5S", False, False),
    ],
)
def test_is_one_rank_is_stretch__by_hand(given_cards, rank, stretch):
    mask = cards(given_cards)
    assert (melds.is_one_rank(mask), melds.is_stretch(mask)) == (rank, stretch)


def test_touches_run__neighbours_of_its_suit_only():
    runs = cards("5H6H7H")
    touching = [card for card in TEXTS if melds.touches_run(cards(card), runs)]
    assert [card for card in touching if card not in ("5H", "6H", "7H")] == ["4H", "8H"]
    ace_high = [card for card in TEXTS[:52] if melds.touches_run(cards(card), cards("QSKSAS"))]
    assert [card for card in ace_high if card not in ("QS", "KS", "AS")] == ["JS"]


def test_points__one_of_each_rank__as_in_the_table():
    # 2 to 9 are 44, ten to king 40, ace 15, joker 20 (RULES section 6): W = 4 x 119 = 476.
    one_each = np.uint64(mask_of(range(0, N_CARDS, 4)))
    assert melds.points_of(one_each, PLAIN[0]) == 119
    assert melds.points_of(np.uint64(2**56 - 1), PLAIN[0]) == 476
    assert melds.points_of(EMPTY, PLAIN[0]) == 0


@pytest.mark.parametrize(
    ("play", "house", "extra"),
    [
        ("=JCJDJHJS", {}, 40),  # 80 in all (RULES section 6)
        ("=*C*D*H*S", {}, 80),  # 160 in all
        ("=JCJDJH", {}, 0),
        ("=JS", {}, 0),
        ("-JSQSKSAS", {}, 0),  # a run of four
        ("=*C*D*H*S", {"double_jokers": False}, 0),
        ("=2C2D2H2S", {"double_jokers": False}, 8),
        ("=2C2D2H2S", {"four_multiplier": 1}, 0),
        ("=*C*D*H*S", {"four_multiplier": 4}, 240),
        ("=9C9D9H9S", {"points": "fives"}, 20),
    ],
)
def test_four_bonus__by_hand(play, house, extra):
    record = Rules(**house).record()
    kind = SET if play[0] == "=" else RUN
    word = make_action(kind, int(cards(play[1:])))
    assert melds.four_bonus(word, record[0]) == extra


@pytest.mark.parametrize(
    "house", [{}, {"points": "fives"}, {"points": dict(zip(RANKS, range(40, 54), strict=True))}]
)
def test_card_points__of_every_card__are_those_of_its_rank(house):
    rules = Rules(**house)
    for card in range(56):
        worth = rules.rank_points()[card // 4]
        assert melds.card_points(card, rules.record()[0]) == worth
        assert melds.points_of(np.uint64(1 << card), rules.record()[0]) == worth


@pytest.mark.parametrize(
    "function",
    [
        melds.ranks_with_two,
        melds.ranks_with_three,
        melds.ranks_with_four,
        melds.set_ranks,
        melds.set_cards,
        melds.run_neighbours,
    ],
)
def test_mask_functions__compiled__stay_uint64(function):
    function(EMPTY)
    results = {str(result.signature.return_type) for result in function.overloads.values()}
    assert results == {"uint64"}


def test_mask_functions__of_more_arguments__stay_uint64():
    calls = {
        melds.rank_mask: (5,),
        melds.run_cards: (EMPTY, 4),
        melds.run_layoffs: (EMPTY, EMPTY),
        melds.set_layoffs: (EMPTY, EMPTY),
        melds.playable_cards: (EMPTY, EMPTY, EMPTY, 3),
        melds.in_company: ((EMPTY,) * 4, EMPTY),
        melds.bindable: (EMPTY, (EMPTY,) * 6, EMPTY, EMPTY),
        melds.stretch_from: (5, 3),
    }
    for function, arguments in calls.items():
        function(*arguments)
        results = {str(result.signature.return_type) for result in function.overloads.values()}
        assert results == {"uint64"}
    assert {CARDS_MASK.dtype, KIND_SHIFT.dtype} == {np.dtype("u8")}
