"""The strategy `doubler`."""

import numpy as np

from ..sim.bits import ZERO, bit, trailing_zeros, without_lowest
from ..sim.cards import SUITED_MASK
from ..sim.jit import jit
from ..sim.melds import (
    points_of,
    rank_mask,
    ranks_with_four,
    ranks_with_three,
    set_cards,
    set_ranks,
)
from ..sim.view import DRAW_PASS, DRAW_STOCK, discards, fewest_cards, partner, takeable, unseen
from .base import Param, Strategy
from .toolkit import bind_chance, completers, layable, next_play, take_gain


@jit
def held_threes(view, in_time):
    """Return the cards of those threes in hand that wait for their fourth card.

    The fourth must be unseen or in the pile, and no three waits when the whole hand could go
    down, or for jokers where they do not double.
    """
    hand = view.hand
    rules = view.rules
    if not in_time or rules.four_multiplier < 2:
        return ZERO
    if hand & ~layable(hand, view.sets_mask, view.runs_mask, rules.min_run) == ZERO:
        return ZERO
    threes = ranks_with_three(hand) & ~ranks_with_four(hand) & ~set_ranks(view.sets_mask)
    if rules.double_jokers == 0:
        threes &= SUITED_MASK
    fourths = threes & ~hand & (unseen(view) | view.pile_mask)
    held = ZERO
    while fourths != ZERO:
        held |= hand & rank_mask(trailing_zeros(fourths))
        fourths = without_lowest(fourths)
    return held


class Doubler(Strategy):
    """Holds three of a kind back while the fourth card can come: four at once count double.

    A three waits while its fourth card is unseen or in the pile; held by another player, the
    card is as good as gone, and the three goes down at once. A three that lies on no table
    also gives nobody a place to lay the fourth off, so that an opponent who draws it throws
    it. All threes go down in time: when somebody has few cards left or the stock runs low,
    and when the whole hand can be laid. It takes the pile for points, those of doubling
    among them, and throws cards that the next player can hardly bind, never of a three.
    """

    params = (
        Param("cards", 1, 0, 60, "threes wait while every other player has this many cards"),
        Param("stock", 3, 0, 60, "threes wait while the stock has this many cards"),
    )

    @staticmethod
    def draw(view, params, work):
        wanted = takeable(view)
        best = DRAW_STOCK if view.stock_size > 0 else DRAW_PASS
        most = 0
        taken = ZERO
        index = view.pile_size
        while wanted != ZERO:
            index -= 1
            mask = bit(view.pile[index])
            taken |= mask
            if wanted & mask != ZERO:
                wanted &= ~mask
                worth = take_gain(view, taken)
                if worth > most:
                    most = worth
                    best = index
        return best

    @staticmethod
    def meld(view, params, work):
        fewest = min(fewest_cards(view), view.counts[partner(view)])
        in_time = fewest >= params[0] and view.stock_size >= params[1]
        return next_play(view, held_threes(view, in_time))

    @staticmethod
    def discard(view, params, work):
        rules = view.rules
        cards = discards(view)
        if cards & ~set_cards(view.hand) != ZERO:
            cards &= ~set_cards(view.hand)
        wanted = completers(view.hand) & unseen(view)
        after = (view.seat + 1) & 3
        best = np.int64(-1)
        most = -np.inf
        while cards != ZERO:
            card = trailing_zeros(cards)
            mask = bit(card)
            cards = without_lowest(cards)
            risk = 8.0 * bind_chance(view, card, after)
            lost = points_of(wanted & ~completers(view.hand & ~mask), rules)
            worth = (0.1 - risk) * points_of(mask, rules) - 0.2 * lost
            if worth > most:
                most = worth
                best = card
        return best
