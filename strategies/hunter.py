"""The strategy `hunter`."""

import numpy as np

from ..sim.bits import ZERO, trailing_zeros, without_lowest
from ..sim.melds import card_points, points_of
from ..sim.view import (
    DRAW_PASS,
    DRAW_STOCK,
    discards,
    partner,
    pile_index,
    takeable,
    taken_with,
    unseen,
)
from .base import Param, Strategy
from .toolkit import (
    bind_chance,
    bind_odds,
    completers,
    fours_bonus,
    hopes_lost,
    next_play,
    playable,
)


class Hunter(Strategy):
    """Collects the pile as deep as it pays, and feeds it for itself and its partner.

    A take is worth what it brings to the table now and, weighed by `greed`, the unseen cards
    that would complete pairs and neighbours in the fatter hand; what stays in hand costs
    nothing, since each card of it is a chance to come back for the pile. It throws what the
    next opponent can hardly bind, so that the pile lives on until its side is to draw; among
    such cards one that its partner may bind, and one that its own hopes, in the stock or in
    the pile, can spare.
    """

    params = (
        Param("greed", 2.0, 0, 10, "worth of a point on the cards that would complete a meld"),
        Param("feed", 1.0, 0, 20, "worth of throwing a point that the partner can bind"),
        Param("fear", 12.0, 0, 100, "cost of throwing a point that the next opponent can bind"),
    )

    @staticmethod
    def draw(view, params, work):
        wanted = takeable(view)
        best = DRAW_STOCK if view.stock_size > 0 else DRAW_PASS
        if wanted == ZERO:
            return best
        rules = view.rules
        hidden = unseen(view)
        down = playable(view, view.hand)
        now = points_of(down, rules)
        hopes = points_of(completers(view.hand) & hidden, rules)
        most = 0.0
        while wanted != ZERO:
            card = trailing_zeros(wanted)
            wanted = without_lowest(wanted)
            cards = view.hand | taken_with(view, card)
            down = playable(view, cards)
            more = points_of(completers(cards & ~down) & hidden, rules) - hopes
            worth = points_of(down, rules) - now + fours_bonus(cards, rules) + params[0] * more
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
        rules = view.rules
        hidden = unseen(view)
        wanted = completers(view.hand) & (hidden | view.pile_mask)
        mate = bind_odds(view, partner(view), hidden)
        after = bind_odds(view, (view.seat + 1) & 3, hidden)
        best = np.int64(-1)
        most = -np.inf
        while cards != ZERO:
            card = trailing_zeros(cards)
            cards = without_lowest(cards)
            lost = hopes_lost(view.hand, card, wanted, rules)
            feeds = params[1] * bind_chance(card, mate, hidden)
            feeds -= params[2] * bind_chance(card, after, hidden)
            worth = feeds * card_points(card, rules) - 0.15 * lost
            if worth > most:
                most = worth
                best = card
        return best
