"""The strategy `doubler`."""

from typing import Any

import numpy as np

from ..sim.bits import ZERO, trailing_zeros, without_lowest
from ..sim.cards import SUITED_MASK
from ..sim.jit import jit
from ..sim.melds import card_points, points_of, rank_mask, ranks_with_three, set_cards
from ..sim.view import (
    DRAW_PASS,
    DRAW_STOCK,
    discards,
    fewest_cards,
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


@jit
def waiting_threes(view: Any) -> Any:
    """Return the cards of those threes in hand whose fourth card is unseen or in the pile.

    None where four do not count more than three and one, and none when all of the hand fits
    the table or melds: then it is time to go out.
    """
    hand = view.hand
    rules = view.rules
    if rules.four_multiplier < 2:
        return ZERO
    if hand & ~playable(view, hand) == ZERO:
        return ZERO
    threes = ranks_with_three(hand)
    if rules.double_jokers == 0:
        threes &= SUITED_MASK
    fourths = threes & ~hand & (unseen(view) | view.pile_mask)
    waiting = ZERO
    while fourths != ZERO:
        waiting |= hand & rank_mask(trailing_zeros(fourths))
        fourths = without_lowest(fourths)
    return waiting


class Doubler(Strategy):
    """Holds three of a kind back while the fourth card can come: four at once count double.

    A three waits while its fourth card is unseen or in the pile; held by another player, the
    card is as good as gone, and the three goes down at once. A three that is not on the table
    also leaves the fourth card no place there, so that an opponent who draws it may throw it.
    All threes go down when somebody is about to go out (at the defaults, floats), when the
    stock runs out, or when the whole hand fits. It takes the pile for points, those of doubling
    among them, and throws cards that the next player can hardly bind, never from a three while
    it has others.
    """

    params = (
        Param("cards", 1, 0, 60, "threes wait while every other player has this many cards"),
        Param("stock", 3, 0, 60, "threes wait while the stock has this many cards"),
    )

    @staticmethod
    def draw(view, params, work):
        wanted = takeable(view)
        best = DRAW_STOCK if view.stock_size > 0 else DRAW_PASS
        if wanted == ZERO:
            return best
        rules = view.rules
        now = points_of(playable(view, view.hand), rules)
        most = 0
        while wanted != ZERO:
            card = trailing_zeros(wanted)
            wanted = without_lowest(wanted)
            cards = view.hand | taken_with(view, card)
            down = playable(view, cards)
            worth = points_of(down, rules) - now + fours_bonus(cards, rules)
            if worth > most:
                most = worth
                best = pile_index(view, card)
        return best

    @staticmethod
    def meld(view, params, work):
        fewest = min(fewest_cards(view), view.counts[partner(view)])
        if fewest < params[0] or view.stock_size < params[1]:
            return next_play(view, ZERO)
        return next_play(view, waiting_threes(view))

    @staticmethod
    def discard(view, params, work):
        rules = view.rules
        cards = discards(view)
        if cards & ~set_cards(view.hand) != ZERO:
            cards &= ~set_cards(view.hand)
        hidden = unseen(view)
        wanted = completers(view.hand) & hidden
        after = bind_odds(view, (view.seat + 1) & 3, hidden)
        best = np.int64(-1)
        most = -np.inf
        while cards != ZERO:
            card = trailing_zeros(cards)
            cards = without_lowest(cards)
            risk = 8.0 * bind_chance(card, after, hidden)
            lost = hopes_lost(view.hand, card, wanted, rules)
            worth = (0.1 - risk) * card_points(card, rules) - 0.2 * lost
            if worth > most:
                most = worth
                best = card
        return best
