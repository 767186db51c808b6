"""The strategy `sentinel`."""

from typing import Any

from ..sim.bits import ZERO, bit, trailing_zeros, without_lowest
from ..sim.jit import jit
from ..sim.melds import points_of, rank_mask
from ..sim.view import taken_with
from .base import Param, Strategy
from .toolkit import (
    best_discard,
    best_draw,
    gain_of_take,
    near_in_suit,
    next_play,
    rating,
    risk_from_both,
)


@jit
def opened_by(view: Any, card: int) -> int:
    """Return the points of the pile above (and with) the deepest card that goes with `card`."""
    company = view.pile_mask & (rank_mask(card) | near_in_suit(bit(card)))
    most = 0
    while company != ZERO:
        most = max(most, points_of(taken_with(view, trailing_zeros(company)), view.rules))
        company = without_lowest(company)
    return most


@jit
def worth_of_discard(view: Any, params: Any, card: int) -> float:
    """Return what throwing a card may give the opponents, by itself and with the pile."""
    return -risk_from_both(view, card, params[1]) - params[0] * opened_by(view, card)


class Sentinel(Strategy):
    """Guards the pile: throws what opens the least of it to the opponents, at any cost to its hand.

    A card may be bound by itself, by the next player or by the opponent who plays last; and it may
    be the company with which a card deep in the pile can be bound, so that all between goes too.
    The price of a discard is both together. The pile grows until its own side takes it, for points.
    It fails against players who seldom take the pile anyway: the hopes that it throws away are
    then the price of nothing, and much is left in its hands.
    """

    params = (
        Param("lock", 0.1, 0, 5, "cost of a point of the pile that a discard could open"),
        Param("last", 1.0, 0, 5, "cost of a point that the opponent who plays last may bind"),
    )

    @staticmethod
    def draw(view, params, work):
        return best_draw(view, params, gain_of_take)

    @staticmethod
    def meld(view, params, work):
        return next_play(view, ZERO)

    @staticmethod
    def discard(view, params, work):
        return best_discard(view, params, worth_of_discard)

    @staticmethod
    def rate(view, params, action):
        return rating(view, params, action, gain_of_take, worth_of_discard)
