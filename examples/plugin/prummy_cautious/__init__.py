"""A strategy in an installed package; see ../pyproject.toml for how prummy finds it."""

import numpy as np

from persian_rummy.sim.bits import ZERO, trailing_zeros, without_lowest
from persian_rummy.sim.jit import jit
from persian_rummy.sim.melds import card_points
from persian_rummy.sim.view import DRAW_PASS, DRAW_STOCK, discards, pile_index, takeable
from persian_rummy.strategies import Param, Strategy
from persian_rummy.strategies.helpers import discard_safety, take_brings
from persian_rummy.strategies.toolkit import next_play


@jit
def worth_of_discard(view, params, card):
    """Return what throwing a card is worth: safe, and many points off the hand."""
    return discard_safety(view, card) + params[0] * card_points(card, view.rules)


class Cautious(Strategy):
    """Takes the pile for what it brings at once, throws what the next opponent can hardly bind."""

    params = (Param("thrift", 0.01, low=0, high=1, doc="worth of a point that leaves the hand"),)
    version = "1.0"
    author = "the authors of prummy"

    @staticmethod
    def draw(view, params, work):
        """Answer which pile card brings the most, or the stock where none brings anything."""
        best = DRAW_STOCK if view.stock_size > 0 else DRAW_PASS
        most = 0
        cards = takeable(view)
        while cards != ZERO:
            card = trailing_zeros(cards)
            cards = without_lowest(cards)
            _, points, _ = take_brings(view, card)
            if points > most:
                best, most = pile_index(view, card), points
        return best

    @staticmethod
    def meld(view, params, work):
        """Lay all that can be laid."""
        return next_play(view, ZERO)

    @staticmethod
    def discard(view, params, work):
        """Answer the card that it is worth most to throw."""
        cards = discards(view)
        best, most = trailing_zeros(cards), -np.inf
        while cards != ZERO:
            card = trailing_zeros(cards)
            cards = without_lowest(cards)
            worth = worth_of_discard(view, params, card)
            if worth > most:
                best, most = card, worth
        return best
