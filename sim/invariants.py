"""What holds in every position of a deal: for tests, and for the checks of the kernel.

The kernel counts cards and points at the end of every deal (`cards_are_whole`,
`points_are_conserved`); in test mode it checks the whole position after every action
(`state_is_ok`).
"""

from typing import Any

import numpy as np

from .bits import ZERO, bit, popcount, trailing_zeros, without_lowest
from .cards import SUITED_MASK
from .deal import N_SEATS, bindable_one_by_one, hand_of, top_is_free
from .jit import jit, jit_apart
from .melds import can_play_with, points_of, rank_mask, run_cards, set_cards
from .state import DRAWING, NO_CARD, PLAYING

_U4, _U8 = np.uint64(4), np.uint64(8)


@jit_apart
def stock_mask(table: Any, hidden: Any) -> Any:
    """Return the mask of the cards that are left in the stock."""
    mask = ZERO
    for place in range(hidden.next_card, table.rules.pack_size):
        mask |= bit(hidden.deck[place])
    return mask


@jit
def points_are_conserved(table: Any, hidden: Any) -> bool:
    """Return whether melded + hands + pile + stock = W + d holds (RULES section 6).

    Each card being in one place (`cards_are_whole`), that is: melded = the points of the cards
    on the table + d.
    """
    on_table = points_of(table.sets_mask | table.runs_mask, table.rules)
    return table.points[0] + table.points[1] == on_table + hidden.doubled


@jit
def cards_are_whole(table: Any, hidden: Any) -> bool:
    """Return whether no card is in two places, none is lost, and what is known of hands is so."""
    union = table.sets_mask | table.runs_mask | table.pile_mask
    total = popcount(table.sets_mask) + popcount(table.runs_mask) + popcount(table.pile_mask)
    for seat in range(N_SEATS):
        hand = hand_of(table, hidden, seat)
        union |= hand
        total += popcount(hand)
        if popcount(hand) != table.counts[seat] or table.known[seat] & ~hand != ZERO:
            return False
    return total == popcount(union) and total + table.stock_size == table.rules.pack_size


@jit_apart
def state_is_ok(table: Any, hidden: Any) -> bool:
    """Return whether a position is sound: every card in one place, counts right, melds real."""
    if not cards_are_whole(table, hidden):
        return False
    if not _pile_is_ok(table, hidden):
        return False
    stock = stock_mask(table, hidden)
    if popcount(stock) != table.stock_size:
        return False
    if (table.sets_mask | table.runs_mask | table.pile_mask) & stock != ZERO:
        return False
    for seat in range(N_SEATS):
        hand = hand_of(table, hidden, seat)
        if hand & stock != ZERO:
            return False
    return _melds_are_ok(table) and _choices_are_ok(table) and points_are_conserved(table, hidden)


@jit
def _what_lies_above(card: Any, higher: Any) -> Any:
    """Return, for a card of the pile and those above it, what `melds.cover` keeps, as six bits."""
    suited, higher_suited = card & SUITED_MASK, higher & SUITED_MASK
    same = popcount(higher & rank_mask(trailing_zeros(card)))
    bits = np.int64((suited << _U4) & higher_suited != ZERO)
    bits |= np.int64((suited << _U8) & higher_suited != ZERO) << 1
    bits |= np.int64((suited >> _U4) & higher_suited != ZERO) << 2
    bits |= np.int64((suited >> _U8) & higher_suited != ZERO) << 3
    return bits | np.int64(same >= 1) << 4 | np.int64(same >= 2) << 5


@jit
def _kept_above(table: Any, hidden: Any, card: Any) -> Any:
    bits = np.int64(0)
    for which in range(6):
        in_question = card & SUITED_MASK if which < 4 else card  # of jokers there are no runs
        bits |= np.int64(hidden.above[table.pile_size, which] & in_question != ZERO) << which
    return bits


@jit_apart
def _choices_are_ok(table: Any) -> bool:
    """Return whether the cards that may be taken or played are what trying each of them gives."""
    if table.status != PLAYING:
        return True
    if table.phase == DRAWING:
        cards = bindable_one_by_one(table)
        if table.pile_size > 0 and top_is_free(table):
            cards |= bit(table.pile[table.pile_size - 1])
        return table.takeable == cards and table.playable == ZERO
    cards = ZERO
    left = table.hand
    while left != ZERO:
        card = trailing_zeros(left)
        left = without_lowest(left)
        table_masks = (table.sets_mask, table.runs_mask)
        if can_play_with(card, table.hand, *table_masks, table.rules.min_run, 0):
            cards |= bit(card)
    return table.playable == cards and table.takeable == ZERO


@jit_apart
def _pile_is_ok(table: Any, hidden: Any) -> bool:
    """Return whether all that is known of the pile's order agrees with the pile."""
    piled = ZERO
    for index in range(table.pile_size):
        card = bit(table.pile[index])
        if table.beneath[table.pile[index]] != piled:
            return False
        piled |= card
        if _what_lies_above(card, table.pile_mask & ~piled) != _kept_above(table, hidden, card):
            return False
    return piled == table.pile_mask and popcount(piled) == table.pile_size


@jit_apart
def _melds_are_ok(table: Any) -> bool:
    """Return whether the table holds only sets of three or four and runs of three or more."""
    if table.bound != NO_CARD and table.hand & bit(table.bound) == ZERO:
        return False
    if set_cards(table.sets_mask) != table.sets_mask:
        return False
    return run_cards(table.runs_mask, 3) == table.runs_mask
