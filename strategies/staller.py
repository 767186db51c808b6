"""The strategy `staller`."""

from typing import Any

from ..sim.bits import ZERO
from ..sim.jit import jit
from ..sim.melds import run_cards, set_cards
from ..sim.view import fewest_cards
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
def time_is_up(view: Any, params: Any) -> bool:
    """Return whether an opponent is about to go out, or the stock to end."""
    return fewest_cards(view) < params[0] or view.stock_size < params[1]


@jit
def worth_of_discard(view: Any, params: Any, card: int) -> float:
    """Return what a card is worth to throw, carefully."""
    return careful_worth(view, card, 0.05)


class Staller(Strategy):
    """Keeps the deal going: keeps its melds in hand until time is short.

    Nobody can lay off on a meld that is not on the table, so that the opponents keep their cards
    and go out later. In hand, sets and runs also help to bind more of the pile, and grow. So it
    takes the pile for points and lays off what it can, but other melds go down only with a bound
    card, when an opponent holds few cards, or when the stock is nearly empty. It fails when
    somebody goes out with many cards in one turn; and its partner finds nothing to lay off on.
    """

    params = (
        Param("cards", 2, 0, 60, "time is up when an opponent has fewer cards"),
        Param("stock", 3, 0, 60, "time is up when the stock has fewer cards"),
    )

    @staticmethod
    def draw(view, params, work):
        return best_draw(view, params, gain_of_take)

    @staticmethod
    def meld(view, params, work):
        if time_is_up(view, params):
            return next_play(view, ZERO)
        hand = view.hand
        return next_play(view, set_cards(hand) | run_cards(hand, view.rules.min_run))

    @staticmethod
    def discard(view, params, work):
        return best_discard(view, params, worth_of_discard)

    @staticmethod
    def rate(view, params, action):
        return rating(view, params, action, gain_of_take, worth_of_discard)
