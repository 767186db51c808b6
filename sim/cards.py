"""Cards: their ids, bit masks and text (RULES section 7).

A card's id is 4 x rank + suit, so that `2C` is 0 and `*S` is 55; a mask is a `uint64` in which
bit `id` stands for the card. A rank is a nibble of the mask, and the next card of the same suit
is four bits higher.
"""

from collections.abc import Iterable

import numpy as np

RANKS = "23456789TJQKA*"
SUITS = "CDHS"
N_RANKS = 14
N_SUITS = 4
N_CARDS = 56
JOKER_RANK = 13
FIRST_JOKER = 52

FULL_MASK = np.uint64((1 << N_CARDS) - 1)
SUITED_MASK = np.uint64((1 << FIRST_JOKER) - 1)  # all but the jokers
RANK_MASK = np.uint64(0xF)  # the four cards of rank 0
SUIT_MASK = np.uint64(0x11111111111111)  # the fourteen ranks of suit 0

_SYMBOLS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
TEXTS = tuple(rank + suit for rank in RANKS for suit in SUITS)
_IDS = {text: card for card, text in enumerate(TEXTS)}


def card_text(card: int) -> str:
    """Return a card's two characters, ``"TD"`` for the ten of diamonds."""
    return TEXTS[card]


def card_symbol(card: int) -> str:
    """Return a card for people: ``"T♦"`` for the ten of diamonds, ``"★"`` for a joker."""
    text = TEXTS[card]
    return "★" if text[0] == "*" else text[0] + _SYMBOLS[text[1]]


def parse_card(text: str) -> int:
    """Return the id of a card given as two characters; raises ValueError for any other text."""
    card = _IDS.get(text)
    if card is None:
        raise ValueError(f"{text!r} is not a card: a rank of {RANKS} and a suit of {SUITS}")
    return card


def mask_of(cards: Iterable[int]) -> int:
    """Return the mask of some card ids as a Python int."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_of(mask: int) -> list[int]:
    """Return the ids of the cards in a mask, ascending."""
    mask = int(mask)
    return [card for card in range(N_CARDS) if mask >> card & 1]


def mask_text(mask: int) -> str:
    """Return the cards of a mask in ascending id order, without separators: ``"7C7D7H"``."""
    return "".join(TEXTS[card] for card in cards_of(mask))


def mask_symbols(mask: int) -> str:
    """Return the cards of a mask for people, separated by spaces."""
    return " ".join(card_symbol(card) for card in cards_of(mask))


def pack(jokers: int) -> list[int]:
    """Return the ids of the whole pack, with 4 or 0 jokers."""
    return list(range(FIRST_JOKER + jokers))


def deck_text(deck: Iterable[int]) -> str:
    """Return a deck's cards separated by spaces, the first one dealt first."""
    return " ".join(TEXTS[card] for card in deck)


def parse_deck(text: str, jokers: int) -> list[int]:
    """Return the card ids of a deck's text.

    Raises
    ------
    ValueError
        When a word is no card, or the deck is not the whole pack with each card once.
    """
    deck = [parse_card(word) for word in text.split(" ")]
    size = FIRST_JOKER + jokers
    if len(deck) != size:
        raise ValueError(f"a deck has {size} cards under these rules, this one {len(deck)}")
    seen: set[int] = set()
    for card in deck:
        if card >= size:
            raise ValueError(f"{TEXTS[card]} is not in a pack without jokers")
        if card in seen:
            raise ValueError(f"{TEXTS[card]} is in the deck twice")
        seen.add(card)
    return deck
