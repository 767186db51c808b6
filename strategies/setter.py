"""The strategy `setter`."""

from typing import Any

from ..sim.bits import ZERO, bit
from ..sim.jit import jit
from ..sim.melds import points_of, ranks_with_two, set_cards, set_layoffs
from ..sim.view import taken_with
from .base import Param, Strategy
from .toolkit import best_discard, best_draw, fours_bonus, next_play, rating, risk


@jit
def worth_of_sets(view: Any, params: Any, cards: Any) -> float:
    """Return what a hand holds in sets, lay-offs on sets, and pairs."""
    rules = view.rules
    down = set_cards(cards) | set_layoffs(cards, view.sets_mask)
    pairs = cards & ranks_with_two(cards) & ~down
    return points_of(down, rules) + fours_bonus(cards, rules) + params[0] * points_of(pairs, rules)


@jit
def worth_of_take(view: Any, params: Any, card: int) -> float:
    """Return what taking a pile card adds to the sets and pairs."""
    cards = view.hand | taken_with(view, card)
    return worth_of_sets(view, params, cards) - worth_of_sets(view, params, view.hand)


@jit
def worth_of_discard(view: Any, params: Any, card: int) -> float:
    """Return what throwing a card takes from the sets and pairs, and may give the next player."""
    rest = worth_of_sets(view, params, view.hand & ~bit(card))
    danger = params[1] * risk(view, view.seat + 1, card)
    return rest - worth_of_sets(view, params, view.hand) - danger


class Setter(Strategy):
    """Collects sets: keeps pairs and threes, and throws what is in no pair.

    A hand is worth the points of its sets, of its lay-offs on sets, and part of the points of its
    pairs. A take is worth what it adds to that, a discard what it leaves of it, unless the next
    player may bind the card. Two cards of a rank wait for two others, where two neighbours in suit
    wait for one or two; and a set can be doubled. It fails when runs lie on the table: its cards
    fit none of them, and what it throws does. Runs go down when they come by chance.
    """

    params = (
        Param("pairs", 0.5, 0, 3, "worth of a point in a pair beside one in a set"),
        Param("fear", 2.0, 0, 20, "cost of a point that the next player may bind"),
    )

    @staticmethod
    def draw(view, params, work):
        return best_draw(view, params, worth_of_take)

    @staticmethod
    def meld(view, params, work):
        return next_play(view, ZERO)

    @staticmethod
    def discard(view, params, work):
        return best_discard(view, params, worth_of_discard)

    @staticmethod
    def rate(view, params, action):
        return rating(view, params, action, worth_of_take, worth_of_discard)
