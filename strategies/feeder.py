"""The strategy `feeder`."""

from typing import Any

from ..sim.bits import ZERO
from ..sim.jit import jit
from ..sim.melds import card_points
from ..sim.view import partner, unseen
from .base import Param, Strategy
from .toolkit import (
    best_discard,
    best_draw,
    completers,
    discard_risk,
    gain_of_take,
    hopes_lost,
    next_play,
    rating,
)


@jit
def worth_of_discard(view: Any, params: Any, card: int) -> float:
    """Return the points that the partner, less those that the next player, may get by a card."""
    foe = discard_risk(view, view.seat + 1, card)
    mate = discard_risk(view, partner(view), card)
    feeds = params[0] * mate * (1.0 - foe) - params[1] * foe
    lost = hopes_lost(view.hand, card, completers(view.hand) & unseen(view), view.rules)
    return feeds * card_points(card, view.rules) - 0.1 * lost


class Feeder(Strategy):
    """Feeds its partner: throws what the partner can bind when the opponent between cannot.

    Partners see the same table and pile, and each knows what the other took from the pile and still
    holds. A discard is worth its points times the chance that the partner binds it and the next
    player does not; he plays first, so what he can bind counts much more against it. A take by
    the partner brings all above the card too. It fails when the partner's hand is unknown, that is
    when neither of the two takes the pile: then it feeds by guess.
    """

    params = (
        Param("feed", 4.0, 0, 50, "worth of throwing a point that the partner can bind"),
        Param("fear", 12.0, 0, 100, "cost of throwing a point that the next opponent can bind"),
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
