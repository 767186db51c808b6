"""The strategy `miser`."""

from typing import Any

import numpy as np

from ..sim.bits import ZERO, bit, trailing_zeros, without_lowest
from ..sim.jit import jit
from ..sim.melds import card_points, points_of
from ..sim.view import (
    DRAW_PASS,
    DRAW_STOCK,
    discards,
    fewest_cards,
    pile_index,
    takeable,
    taken_with,
    unseen,
)
from .base import Param, Strategy
from .toolkit import bind_chance, bind_odds, fours_bonus, next_play, playable, promising


@jit
def nearness(view: Any) -> float:
    """Return how near the end of the deal may be: 1 at the door, towards 0 far from it."""
    return 1.0 / (1 + min(view.stock_size // 4, fewest_cards(view)))


@jit
def price_of(view: Any, card: int, odds: Any, hidden: Any) -> float:
    """Return the points that throwing `card` gives away: its own, if an opponent binds it.

    The next player has the first chance; the other opponent has what is left, and only if the
    partner between them leaves the card alone.
    """
    first = bind_chance(card, odds[0], hidden)
    second = bind_chance(card, odds[1], hidden)
    return (first + 0.3 * (1.0 - first) * second) * card_points(card, view.rules)


class Miser(Strategy):
    """Throws only what no opponent can bind, and takes the pile only for a good bargain.

    The price of a discard is its points times the chance that an opponent binds it. A card that
    fits the table, or finds company in the pile, is dear; one whose rank and suit neighbours
    are dead is free, even if it is an ace. Among cards of like price it throws the one without
    company in its own hand, and, as the end nears, the one with more points. A take must bring
    more than `bargain` points for each point that it leaves stranded, without company, in hand;
    near the end these weigh more.
    """

    params = (
        Param("bargain", 1.0, 0, 10, "points a take must bring for each point that it strands"),
        Param("thrift", 0.2, 0, 10, "how much more the points in hand weigh at the end"),
    )

    @staticmethod
    def draw(view, params, work):
        wanted = takeable(view)
        best = DRAW_STOCK if view.stock_size > 0 else DRAW_PASS
        if wanted == ZERO:
            return best
        rules = view.rules
        now = points_of(playable(view, view.hand), rules)
        rate = params[0] + params[1] * nearness(view)
        most = 0.0
        while wanted != ZERO:
            card = trailing_zeros(wanted)
            wanted = without_lowest(wanted)
            taken = taken_with(view, card)
            cards = view.hand | taken
            down = playable(view, cards)
            rest = cards & ~down
            stranded = taken & rest & ~promising(rest)
            gain = points_of(down, rules) - now + fours_bonus(cards, rules)
            worth = gain - rate * points_of(stranded, rules)
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
        hidden = unseen(view)
        next_odds = bind_odds(view, (view.seat + 1) & 3, hidden)
        odds = (next_odds, bind_odds(view, (view.seat + 3) & 3, hidden))
        thrift = params[1] * nearness(view)
        best = np.int64(-1)
        least = np.inf
        while cards != ZERO:
            card = trailing_zeros(cards)
            mask = bit(card)
            cards = without_lowest(cards)
            price = 10.0 * price_of(view, card, odds, hidden)
            price -= thrift * card_points(card, view.rules)
            if mask & idle != ZERO:
                price -= 1.0
            if price < least:
                least = price
                best = card
        return best
