"""The strategy `closer`."""

from typing import Any

import numpy as np

from ..sim.bits import ZERO
from ..sim.jit import jit
from ..sim.melds import CARDS_MASK
from ..sim.view import NOTHING, partner
from .base import Param, Strategy
from .toolkit import (
    best_discard,
    best_draw,
    careful_worth,
    gain_of_take,
    next_play,
    rating,
)


@jit
def partner_is_low(view: Any, params: Any) -> bool:
    """Return whether the partner holds so few cards that the side can end the deal."""
    return view.counts[partner(view)] <= params[0]


@jit
def play_unless_out(view: Any) -> Any:
    """Return the next play, or `NOTHING` where it would go out; a bound card must be played."""
    play = next_play(view, ZERO)
    if view.bound < 0 and view.hand & ~(np.uint64(play) & CARDS_MASK) == ZERO:
        return np.int64(NOTHING)
    return play


@jit
def worth_of_discard(view: Any, params: Any, card: int) -> float:
    """Return what a card is worth to throw, carefully or in a hurry."""
    return careful_worth(view, card, params[1] if partner_is_low(view, params) else 0.05)


class Closer(Strategy):
    """Goes out as soon as it can when its partner's hand is low, and not before.

    Going out ends the deal for both partners, so that what is left in the partner's hand counts
    against it. While the partner holds many cards it lays all but its last one, and throws as a
    careful player does. Once the partner's hand is low it hurries: it throws points, and goes out
    at the first chance. It fails when an opponent goes out meanwhile, and because a partner with
    many cards may keep them: then it has waited for nothing.
    """

    params = (
        Param("cards", 4, 0, 60, "the partner's hand is low with this many cards"),
        Param("thrift", 0.2, 0.05, 10, "worth of throwing a point while the partner's hand is low"),
    )

    @staticmethod
    def draw(view, params, work):
        return best_draw(view, params, gain_of_take)

    @staticmethod
    def meld(view, params, work):
        if partner_is_low(view, params):
            return next_play(view, ZERO)
        return play_unless_out(view)

    @staticmethod
    def discard(view, params, work):
        return best_discard(view, params, worth_of_discard)

    @staticmethod
    def rate(view, params, action):
        return rating(view, params, action, gain_of_take, worth_of_discard)
