"""What holds in every position of a deal: for tests, and for the checks of the kernel.

The kernel counts cards and points at the end of every deal (`cards_are_whole`,
`points_are_conserved`); in test mode it checks the whole position after every action
(`state_is_ok`).
"""

from typing import Any

import numpy as np

from .bits import ZERO, bit, popcount
from .cards import FIRST_JOKER, FULL_MASK
from .deal import N_SEATS, hand_of, points_in_hands
from .jit import jit, jit_apart
from .melds import N_NEIGHBOURS, neighbours, points_of, run_cards, set_cards
from .state import NO_CARD


@jit_apart
def stock_mask(table: Any, hidden: Any) -> Any:
    """Return the mask of the cards that are left in the stock."""
    mask = ZERO
    for place in range(hidden.next_card, table.rules.pack_size):
        mask |= bit(hidden.deck[place])
    return mask


@jit_apart
def points_are_conserved(table: Any, hidden: Any) -> bool:
    """Return whether melded + hands + pile + stock = W + d holds (RULES section 6)."""
    pack = FULL_MASK >> np.uint64(FIRST_JOKER + 4 - table.rules.pack_size)
    total = table.points[0] + table.points[1]
    for team in range(2):
        total += points_in_hands(table, hidden, team)
    total += points_of(table.pile_mask, table.rules)
    total += points_of(stock_mask(table, hidden), table.rules)
    return total == points_of(pack, table.rules) + hidden.doubled


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
    if not _pile_is_ok(table):
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
    return _melds_are_ok(table) and points_are_conserved(table, hidden)


@jit_apart
def _pile_is_ok(table: Any) -> bool:
    """Return whether all that is known of the pile's order agrees with the pile."""
    piled = ZERO
    for index in range(table.pile_size):
        card = bit(table.pile[index])
        if table.beneath[table.pile[index]] != piled:
            return False
        piled |= card
        near = neighbours(table.pile_mask & ~piled)
        for which in range(N_NEIGHBOURS):
            if table.mates[which] & card != near[which] & card:
                return False
    for which in range(N_NEIGHBOURS):
        if table.mates[which] & ~piled != ZERO:
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
