"""Cards, masks and decks as text."""

import numpy as np
import pytest

from persian_rummy.sim import cards

PACK = [rank + suit for rank in "23456789TJQKA*" for suit in "CDHS"]


def test_card_ids__of_all_cards__are_4_times_rank_plus_suit():
    assert [cards.parse_card(text) for text in PACK] == list(range(56))
    assert [cards.card_text(card) for card in range(56)] == PACK
    assert cards.parse_card("2C") == 0
    assert cards.parse_card("TD") == 4 * 8 + 1
    assert cards.parse_card("*S") == 55


@pytest.mark.parametrize("text", ["", "T", "10D", "td", "DT", "1C", "T♦", "*", "TD ", "TX", "\nD"])
def test_parse_card__no_card__is_an_error(text):
    with pytest.raises(ValueError, match="is not a card"):
        cards.parse_card(text)


def test_card_symbol__for_people():
    symbols = [cards.card_symbol(cards.parse_card(text)) for text in ("TC", "7D", "AH", "2S", "*H")]
    assert symbols == ["T♣", "7♦", "A♥", "2♠", "★"]


def test_masks__round_trip():
    ids = [0, 3, 31, 32, 52, 55]
    assert cards.mask_of(ids) == 1 + 8 + 2**31 + 2**32 + 2**52 + 2**55
    assert cards.cards_of(cards.mask_of(reversed(ids))) == ids
    assert cards.cards_of(np.uint64(cards.mask_of(ids))) == ids
    assert cards.cards_of(0) == []
    assert cards.mask_text(cards.mask_of(ids)) == "2C2S9S TC*C*S".replace(" ", "")
    assert cards.mask_symbols(cards.mask_of([32, 55])) == "T♣ ★"


def test_mask_constants__are_unsigned_words():
    constants = (cards.FULL_MASK, cards.SUITED_MASK, cards.RANK_MASK, cards.SUIT_MASK)
    assert {constant.dtype for constant in constants} == {np.dtype("u8")}
    assert cards.cards_of(cards.FULL_MASK) == list(range(56))
    assert cards.cards_of(cards.SUITED_MASK) == list(range(52))
    assert cards.mask_text(cards.RANK_MASK) == "2C2D2H2S"
    assert cards.mask_text(cards.SUIT_MASK) == "".join(PACK[::4])


@pytest.mark.parametrize(("jokers", "size"), [(4, 56), (0, 52)])
def test_deck__round_trip(jokers, size):
    deck = cards.pack(jokers)[::-1]
    assert len(deck) == size
    text = cards.deck_text(deck)
    assert text == " ".join(PACK[:size][::-1])
    assert cards.parse_deck(text, jokers) == deck


@pytest.mark.parametrize(
    ("words", "jokers", "message"),
    [
        (PACK[:55], 4, "56 cards under these rules, this one 55"),
        ([*PACK, "2C"], 4, "56 cards under these rules, this one 57"),
        (PACK, 0, "52 cards under these rules, this one 56"),
        (PACK[:52], 4, "56 cards under these rules, this one 52"),
        ([*PACK[:55], "2C"], 4, "2C is in the deck twice"),
        ([*PACK[:51], "*C"], 0, r"\*C is not in a pack without jokers"),
        ([*PACK[:55], "xx"], 4, "'xx' is not a card"),
        ([], 4, "is not a card"),
        ([*PACK[:27], "", *PACK[27:]], 4, "'' is not a card"),  # two spaces
        ([*PACK[:54], "*H\t*S"], 4, "is not a card"),
    ],
)
def test_parse_deck__not_the_pack__is_an_error(words, jokers, message):
    with pytest.raises(ValueError, match=message):
        cards.parse_deck(" ".join(words), jokers)
