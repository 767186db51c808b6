"""The strategy `random`."""

import numpy as np

from ..sim.bits import ZERO
from ..sim.melds import MAX_PLAYS
from ..sim.view import (
    DRAW_PASS,
    DRAW_STOCK,
    NOTHING,
    count,
    discards,
    nth_card,
    pile_index,
    plays,
    random_below,
    takeable,
)
from .base import Strategy


class Random(Strategy):
    """Any legal action of each step with the same chance, so that it reaches every corner.

    The yardstick of the field: whatever loses to it is worse than no idea at all. It draws
    uniformly among the stock and each pile card that may be taken; then, until its turn ends,
    uniformly among all legal plays and discards.
    """

    work_size = MAX_PLAYS

    @staticmethod
    def draw(view, params, work):
        cards = takeable(view)
        choice = random_below(view, count(cards) + 1)
        if choice > 0:
            return pile_index(view, nth_card(cards, choice - 1))
        return DRAW_STOCK if view.stock_size > 0 else DRAW_PASS

    @staticmethod
    def meld(view, params, work):
        n = plays(view, work)
        if n == 0:
            return NOTHING
        others = 0
        if view.bound < 0:
            cards = discards(view)
            others = 1 if cards == ZERO else count(cards)
        choice = random_below(view, n + others)
        return work[choice] if choice < n else np.int64(NOTHING)

    @staticmethod
    def discard(view, params, work):
        cards = discards(view)
        return nth_card(cards, random_below(view, count(cards)))
