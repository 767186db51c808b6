"""The strategy `sprinter`."""

from typing import Any

from ..sim.bits import ZERO, bit, popcount
from ..sim.jit import jit
from ..sim.melds import card_points
from ..sim.view import taken_with, unseen
from .base import Param, Strategy
from .toolkit import best_discard, best_draw, completers, next_play, playable, rating


@jit
def cards_idle(view: Any, cards: Any) -> int:
    """Return how many cards would stay in hand once all that fits is laid."""
    return popcount(cards & ~playable(view, cards))


@jit
def worth_of_take(view: Any, params: Any, card: int) -> float:
    """Return how many more cards go down, less how many more stay than with a stock card."""
    cards = view.hand | taken_with(view, card)
    left = cards_idle(view, cards)
    more = popcount(cards) - left - popcount(playable(view, view.hand))
    return more - params[0] * (left - cards_idle(view, view.hand) - 1)


@jit
def worth_of_discard(view: Any, params: Any, card: int) -> float:
    """Return a card's points, less the cards that the hand no longer waits for without it."""
    wanted = completers(view.hand) & unseen(view)
    lost = wanted & ~completers(view.hand & ~bit(card))
    return card_points(card, view.rules) - params[1] * popcount(lost)


class Sprinter(Strategy):
    """Plays to go out early, against full hands: few cards in hand, the dear ones thrown first.

    It counts cards, not points: a take must lay more of them than it leaves in hand, so that deep
    piles are left alone; all goes down at once; and it throws the dearest card whose loss costs it
    few of the cards it waits for. Who is caught with a full hand pays for it. It fails against
    those who take the piles that it leaves: they lay far more than they are caught with.
    """

    params = (
        Param(
            "idle", 1.0, 0, 60, "cost of a card that a take leaves in hand, in cards that it lays"
        ),
        Param("wait", 10.0, 0, 50, "points that a card which would complete a meld is worth"),
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
