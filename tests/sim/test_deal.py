"""How a deal is played: positions put together and worked out by hand from RULES."""

import numpy as np
import pytest
from position import Position, ids

from persian_rummy.sim import reasons
from persian_rummy.sim.cards import cards_of, mask_of
from persian_rummy.sim.deal import start_deal, why_illegal
from persian_rummy.sim.melds import KIND_SHIFT
from persian_rummy.sim.reasons import REASONS
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.state import CUT_OFF, EXHAUSTED, PLAYING, WENT_OUT, new_state


@pytest.mark.parametrize(("jokers", "stock"), [(4, 27), (0, 23)])
@pytest.mark.parametrize("dealer", range(4))
def test_start_deal__cards_1_5_9__go_to_the_dealers_left(jokers, stock, dealer):
    table, hidden = new_state(Rules(jokers=jokers))
    deck = np.arange(52 + jokers, dtype=np.uint8)[::-1].copy()
    start_deal(table[0], hidden[0], deck, dealer)
    first = (dealer + 1) % 4
    assert table["seat"][0] == first
    for place in range(4):
        hand = hidden["hands"][0, (first + place) % 4]
        assert cards_of(hand) == sorted(deck[place:28:4])
    assert table["pile"][0, 0] == deck[28]
    assert (table["pile_size"][0], table["stock_size"][0]) == (1, stock)
    assert hidden["deck"][0, hidden["next_card"][0]] == deck[29]


def test_stock__drawn_to_the_end__comes_in_the_decks_order():
    position = Position(stock="2C9DKH", last_discard="float")
    position.play("S D2C S D9D S DKH")
    assert list(position.table["pile"][:3]) == ids("2C9DKH")
    assert position.legal() == ["P"]


def test_take__card_in_the_middle__takes_all_above_and_binds_it():
    position = Position(("7C7DKS", "", "", ""), pile="2H7H3S9D", stock="2C")
    assert position.legal() == ["S", "T7H"]
    position.play("T7H")
    assert position.table["bound"] == ids("7H")[0]
    assert cards_of(position.hand(0)) == sorted(ids("7C7DKS7H3S9D"))
    assert cards_of(position.table["known"][0]) == sorted(ids("7H3S9D"))
    assert position.legal() == ["=7C7D7H"]
    assert position.why("DKS") == reasons.BOUND_WAITS
    position.play("=7C7D7H D3S")  # what was taken along may stay or go
    assert cards_of(position.table["known"][0]) == ids("9D")
    assert list(position.table["pile"][:2]) == ids("2H3S")


def test_take__cards_above_help_to_meld__is_legal():
    position = Position(("KS", "", "", ""), pile="5H6H7H2C", stock="3C")
    assert position.legal() == ["S", "T5H"]  # 6H would leave 6H 7H
    assert position.why("T6H") == reasons.CANNOT_BIND


def test_free_top__stock_left__is_unbound_but_stays():
    position = Position(("2C5S", "", "", ""), pile="9D", stock="3C4C", top_card="free")
    position.play("T9D")
    assert position.legal() == ["D2C", "D5S"]
    assert position.why("D9D") == reasons.FREE_TOP_DISCARDED
    position.play("D2C S D3C")
    empty = Position(("2C5S", "", "", ""), pile="9D", top_card="free")
    assert empty.legal() == ["P"]


def test_free_top__only_card__is_kept():
    position = Position(pile="9D", stock="3C4C", top_card="free").play("T9D")
    assert position.legal() == ["K"]
    position.play("K")
    assert (position.table["seat"], position.table["counts"][0]) == (1, 1)


def test_last_discard__forbidden__keeps_or_plays():
    position = Position(stock="8H2C", runs="5H6H7H", last_discard="forbidden").play("S")
    assert position.legal() == ["-8H", "K"]
    assert position.why("D8H") == reasons.LAST_CARD_FORBIDDEN
    position.play("K S")
    assert position.legal() == ["K"]
    assert position.why("=2C") == reasons.NOT_A_SET


def test_last_discard__float__stays_in_play():
    position = Position(("7H", "", "", ""), stock="8D9D", runs="4H5H6H").play("S -7H D8D")
    assert (position.table["status"], position.table["counts"][0]) == (PLAYING, 0)
    assert position.table["seat"] == 1


def test_last_discard__goes_out__pays_the_bonus():
    position = Position(("", "*C", "", ""), stock="2D3D", last_discard="goes_out").play("S D2D")
    assert (position.table["status"], position.table["out_seat"]) == (WENT_OUT, 0)
    assert position.score() == [25, -20]


def test_going_out__mid_turn__ends_the_deal_and_scores():
    position = Position(("JCJDJHJS", "2C", "AC", "*C"), stock="9S", drawn=True)
    position.play("=JCJDJHJS")
    assert (position.table["status"], position.legal()) == (WENT_OUT, [])
    assert position.why("S") == reasons.DEAL_IS_OVER
    # 80 for four jacks at once, 25 for going out, less the partner's ace; 2 and a joker are left.
    assert position.score() == [80 + 25 - 15, -2 - 20]


@pytest.mark.parametrize(
    ("hands", "actions", "points"),
    [
        ("JCJDJHJS2C", "=JCJDJHJS", 80),
        ("JCJDJHJS2C", "=JCJDJH =JS", 40),  # added later counts single, even in the same turn
        ("*C*D*H*S2C", "=*C*D*H*S", 160),
        ("TDJDQDKDAD2C", "-TDJDQDKDAD", 55),
        ("2C3C4C5C9D", "-2C3C4C5C", 14),
        ("8H9H2C", "-8H9H", 17),  # on 5-6-7
        ("8H9H2C", "-8H -9H", 17),
    ],
)
def test_points__plays_by_hand(hands, actions, points):
    position = Position((hands, "", "", ""), runs="5H6H7H", drawn=True).play(actions)
    assert list(position.table["points"]) == [points, 0]


def test_lay_off__on_the_other_sides_meld__counts_for_who_laid_it():
    position = Position(("7C7D7H2C", "7S3C", "", ""), stock="9D9S", drawn=True)
    position.play("=7C7D7H D2C S =7S")
    assert list(position.table["points"]) == [21, 7]


def test_four_passes__in_a_row__end_the_deal_without_bonus():
    position = Position(("2C", "3C", "4D", "8H"), pile="7H", runs="4H5H6H")
    position.play("P P P T7H -7H D8H P P P")
    assert position.table["status"] == PLAYING
    assert position.play("P").table["status"] == EXHAUSTED
    assert position.score() == [-2 - 4, 7 - 3]


@pytest.mark.parametrize(
    ("exhausted", "actions"),
    [("first_pass", "S D9D P"), ("stock_empty", "S D9D"), ("four_passes", "S D9D P P P P")],
)
def test_empty_stock__each_rule__ends_the_deal(exhausted, actions):
    position = Position(("2C", "3C", "4D", "8H"), stock="9D", exhausted=exhausted)
    *before, last = actions.split()
    assert position.play(" ".join(before)).table["status"] == PLAYING
    assert position.play(last).table["status"] == EXHAUSTED


def test_200th_turn__top_free__cuts_the_deal_off():
    position = Position(("2C", "", "", ""), stock="9D8D", top_card="free")
    position.table["turns"] = 198
    assert position.play("S D9D").table["status"] == PLAYING
    assert position.play("S D8D").table["status"] == CUT_OFF
    assert position.score() == [-2, 0]


def test_bound_in_new_meld__lay_off__is_no_way_to_take():
    position = Position(("8H9H", "", "", ""), "TH", "2C", runs="5H6H7H", bound_in="new_meld")
    assert position.legal() == ["S", "TTH"]
    position.play("TTH")
    assert position.legal() == ["-8H9HTH"]
    short = Position(("9H", "", "", ""), "8H", "2C", runs="5H6H7H", bound_in="new_meld")
    assert short.legal() == ["S"]
    short.table["hand"], short.table["bound"] = mask_of(ids("8H9H")), ids("8H")[0]
    short.table["phase"] = 1
    assert short.why("-8H9H") == reasons.BOUND_NOT_IN_NEW_MELD


HAND = ("7C7D9H2S", "", "", "")


@pytest.mark.parametrize(
    ("position", "action", "reason"),
    [
        (Position(HAND, stock="3C", drawn=True), "S", reasons.NOT_TO_DRAW),
        (Position(HAND, pile="7H", drawn=True), "T7H", reasons.NOT_TO_DRAW),
        (Position(HAND, drawn=True), "P", reasons.NOT_TO_DRAW),
        (Position(HAND, stock="3C"), "D2S", reasons.NOT_DRAWN_YET),
        (Position(HAND, stock="3C"), "=7C7D", reasons.NOT_DRAWN_YET),
        (Position(HAND, stock="3C"), "K", reasons.NOT_DRAWN_YET),
        (Position(HAND), "S", reasons.STOCK_IS_EMPTY),
        (Position(HAND, stock="3C"), "P", reasons.STOCK_NOT_EMPTY),
        (Position(HAND, pile="7H", stock="3C"), "T7S", reasons.NOT_IN_PILE),
        (Position(HAND, pile="3H", stock="3C"), "T3H", reasons.CANNOT_BIND),
        (Position(HAND, drawn=True), "DKS", reasons.NOT_IN_HAND),
        (Position(HAND, drawn=True), "=7C7D7H", reasons.NOT_IN_HAND),
        (Position(HAND, drawn=True), "=7C7D", reasons.NOT_A_SET),
        (Position(HAND, drawn=True), "=7C9H", reasons.NOT_A_SET),
        (Position(HAND, runs="6C5C4C", drawn=True), "=7C", reasons.NOT_A_SET),
        (Position(HAND, sets="9C9D9S", drawn=True), "-9H", reasons.NOT_A_RUN),
        (Position(HAND, drawn=True), "-9H", reasons.NOT_A_RUN),
        (Position(HAND, runs="5H6H7H", drawn=True), "-9H", reasons.NOT_A_RUN),
        (Position(HAND, drawn=True), "K", reasons.MUST_DISCARD),
        (Position(HAND, pile="7H", stock="3C").play("T7H"), "K", reasons.BOUND_WAITS),
        (
            Position(HAND, pile="7H", stock="3C", sets="9C9D9S").play("T7H"),
            "=9H",
            reasons.BOUND_NOT_PLAYED,
        ),
    ],
)
def test_why_illegal__each_reason(position, action, reason):
    assert action not in position.legal()
    assert position.why(action) == reason
    assert "RULES section" in REASONS[reason]


@pytest.mark.parametrize("drawn", [False, True])
def test_why_illegal__words_that_are_no_action__are_refused(drawn):
    position = Position(("7C7D7H", "", "", ""), pile="7S3C", stock="" if drawn else "4C")
    position.table["phase"] = drawn
    legal = set(position.legal())
    for kind in range(256):
        for cards in (0, mask_of(ids("7S")), mask_of(ids("7C7D7H")), 2**56 - 1):
            word = np.uint64(kind << int(KIND_SHIFT) | cards)
            named = len(cards_of(cards))
            real = named == (1 if kind in (1, 5) else 0) if kind not in (3, 4) else named > 0
            code = why_illegal(position.table, word)
            assert real or code in (reasons.NOT_AN_ACTION, reasons.NO_CARDS, reasons.NOT_DRAWN_YET)
    assert set(position.legal()) == legal


def test_reasons__all__are_named_with_a_section():
    assert sorted(REASONS) == list(range(1, 19))
    assert all("(RULES section" in text or ", RULES section" in text for text in REASONS.values())
