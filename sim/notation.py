"""The text of actions (RULES section 7): what transcripts, perft files and people write."""

from functools import lru_cache

import numpy as np

from .cards import TEXTS, cards_of, mask_of, mask_text, parse_card
from .melds import CARDS_MASK, DISCARD, KEEP, KIND_SHIFT, PASS, RUN, SET, STOCK, TAKE

_PLAIN = {"S": STOCK, "P": PASS, "K": KEEP}
_WITH_CARDS = {"T": TAKE, "D": DISCARD, "=": SET, "-": RUN}
_LETTERS = {kind: letter for letter, kind in (_PLAIN | _WITH_CARDS).items()}


def make_action(kind: int, mask: int = 0) -> np.uint64:
    """Return the action of a kind (`melds.STOCK` …) that concerns the cards of a mask."""
    return np.uint64(mask | kind << int(KIND_SHIFT))


def action_kind(action: int | np.uint64) -> int:
    """Return the kind of an action."""
    return int(action) >> int(KIND_SHIFT)


def action_cards(action: int | np.uint64) -> list[int]:
    """Return the ids of the cards that an action concerns, ascending."""
    return cards_of(int(action) & int(CARDS_MASK))


@lru_cache(1 << 14)
def action_text(action: int | np.uint64) -> str:
    """Return an action's text, ``"=7C7D7H"``."""
    return _LETTERS[action_kind(action)] + mask_text(int(action) & int(CARDS_MASK))


def parse_action(text: str) -> np.uint64:
    """Return the action that a text stands for.

    Raises
    ------
    ValueError
        When the text is no action of RULES section 7, or its cards are not in ascending order.
    """
    if text in _PLAIN:
        return make_action(_PLAIN[text])
    kind = _WITH_CARDS.get(text[:1])
    if kind is None:
        raise ValueError(f"{text!r} is not an action: S, P, K, or T, D, =, - and cards")
    words = [text[start : start + 2] for start in range(1, len(text), 2)]
    if not words or len(text) % 2 == 0:
        raise ValueError(f"{text!r} is not an action: two characters a card after {text[0]}")
    cards = [parse_card(word) for word in words]
    if kind in (TAKE, DISCARD) and len(cards) != 1:
        raise ValueError(f"{text!r} is not an action: {text[0]} names one card")
    if any(low >= high for low, high in zip(cards, cards[1:], strict=False)):
        right = text[0] + "".join(TEXTS[card] for card in sorted(set(cards)))
        raise ValueError(f"{text!r}: cards stand in ascending order, {right!r}")
    return make_action(kind, mask_of(cards))
