"""The strategy `greedy`."""

import numpy as np

from ..sim.bits import ZERO, trailing_zeros, without_lowest
from ..sim.melds import dearest_card, points_of
from ..sim.view import DRAW_PASS, DRAW_STOCK, discards, pile_index, takeable, taken_with
from .base import Param, Strategy
from .toolkit import next_play, playable, promising


class Greedy(Strategy):
    """Melds all it can at once, takes the pile when that pays, throws its dearest idle card.

    A take pays when the points that the cards could bring to the table exceed the points that
    would stay in hand. Of several, the best is taken.
    """

    params = (Param("pile_bias", 0.0, -200, 200, "points added to the worth of taking the pile"),)

    @staticmethod
    def draw(view, params, work):
        wanted = takeable(view)
        best = DRAW_STOCK if view.stock_size > 0 else DRAW_PASS
        most = -params[0]
        while wanted != ZERO:
            card = trailing_zeros(wanted)
            wanted = without_lowest(wanted)
            taken = taken_with(view, card)
            cards = view.hand | taken
            down = playable(view, cards)
            idle = points_of(taken & ~down, view.rules)
            worth = np.float64(points_of(down, view.rules) - idle)
            if worth > most:
                most = worth
                best = pile_index(view, card)
        return best

    @staticmethod
    def meld(view, params, work):
        return next_play(view, ZERO)

    @staticmethod
    def discard(view, params, work):
        cards = discards(view)
        idle = cards & ~promising(view.hand)
        return dearest_card(idle if idle != ZERO else cards, view.rules)
