"""A strategy in an installed package; see ../pyproject.toml for how prummy finds it."""

from persian_rummy.sim.bits import ZERO
from persian_rummy.sim.jit import jit
from persian_rummy.sim.melds import card_points
from persian_rummy.strategies import Param, Strategy
from persian_rummy.strategies.helpers import discard_safety, take_brings
from persian_rummy.strategies.toolkit import best_discard, best_draw, next_play


@jit
def worth_of_take(view, params, card):
    """Return the points that could go down once a pile card is taken, with all above it."""
    _, points, _ = take_brings(view, card)
    return points


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
        return best_draw(view, params, worth_of_take)

    @staticmethod
    def meld(view, params, work):
        """Lay all that can be laid."""
        return next_play(view, ZERO)

    @staticmethod
    def discard(view, params, work):
        """Answer the card that it is worth most to throw."""
        return best_discard(view, params, worth_of_discard)
