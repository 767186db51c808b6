"""The strategy `counter`."""

from typing import Any

from ..sim.bits import ZERO, bit, popcount
from ..sim.jit import jit
from ..sim.melds import points_of
from ..sim.view import taken_with, unseen
from .base import Param, Strategy
from .toolkit import (
    best_discard,
    best_draw,
    completers,
    fours_bonus,
    next_play,
    playable,
    rating,
    risk_from_both,
)


@jit
def worth_of_cards(view: Any, params: Any, cards: Any, pile: Any) -> float:
    """Return the points that a hand can lay, and those that may come to it, by their chance.

    A quarter of the stock is drawn at each seat; what is known to be in another hand never comes.
    """
    rules = view.rules
    hidden = unseen(view)
    down = playable(view, cards)
    rest = cards & ~down
    wanted = completers(rest)
    chance = 0.25 * view.stock_size / max(1, popcount(hidden))
    hope = chance * points_of(wanted & hidden, rules) + params[1] * points_of(wanted & pile, rules)
    return points_of(down, rules) + fours_bonus(cards, rules) + params[0] * hope


@jit
def worth_of_take(view: Any, params: Any, card: int) -> float:
    """Return how much better the hand is with a pile card and all above it."""
    taken = taken_with(view, card)
    pile = view.pile_mask & ~taken
    now = worth_of_cards(view, params, view.hand, view.pile_mask)
    return worth_of_cards(view, params, view.hand | taken, pile) - now


@jit
def worth_of_discard(view: Any, params: Any, card: int) -> float:
    """Return what throwing a card leaves of the hand, less what the opponents may make of it."""
    danger = params[2] * risk_from_both(view, card, params[3])
    rest = worth_of_cards(view, params, view.hand & ~bit(card), view.pile_mask)
    return rest - worth_of_cards(view, params, view.hand, view.pile_mask) - danger


class Counter(Strategy):
    """Counts cards: values each hope and each danger by where the missing cards can still be.

    A card that it has not seen lies in the stock or in a hand with known chances, and comes when it
    lies in the stock and the turn is its own; a card in the pile comes if nobody else takes it; a
    card that lies on the table, or that another player is known to hold, does not come. So two
    kings are worth nothing once the others are gone, and a discard is dangerous only as far as
    the opponents can hold its company. It fails late in a deal, when the hopes that it counted
    become points left in hand.
    """

    params = (
        Param("hope", 5.0, 0, 20, "worth of a point on a card that completes a meld and will come"),
        Param("pile", 0.3, 0, 1, "the chance to get a completing card that lies in the pile"),
        Param("fear", 10.0, 0, 50, "cost of a point that an opponent may bind"),
        Param("last", 1.0, 0, 5, "weight of the danger from the opponent who plays last"),
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
