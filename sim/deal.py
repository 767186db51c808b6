"""How a deal is played: legal actions, what an action changes, when it ends, what it scores.

This is the only place that knows the rules of play (RULES sections 3 to 6 and 8). It is compiled;
the engine, `verify`, `perft`, and strategies that search all call these functions.

An *action* is one `uint64`: the cards it concerns as a mask, and its kind above them
(`melds.STOCK` to `melds.KEEP`). A *position* is the pair of records of `sim/state`: `table`, what
the seat to act may know, and `hidden`. Both are modified in place.
"""

from typing import Any

import numpy as np

from .bits import ONE, ZERO, bit, popcount, trailing_zeros, without_lowest
from .jit import jit, jit_apart
from .melds import (
    CARDS_MASK,
    DISCARD,
    KEEP,
    KIND_SHIFT,
    MAX_PLAYS,
    PASS,
    RUN,
    SET,
    SET_BITS,
    STOCK,
    TAKE,
    bindable,
    can_play_with,
    cover,
    four_bonus,
    is_one_rank,
    is_stretch,
    legal_plays,
    playable_cards,
    points_of,
    rank_mask,
    touches_run,
)
from .reasons import (
    BOUND_NOT_IN_NEW_MELD,
    BOUND_NOT_PLAYED,
    BOUND_WAITS,
    CANNOT_BIND,
    DEAL_IS_OVER,
    FREE_TOP_DISCARDED,
    LAST_CARD_FORBIDDEN,
    LEGAL,
    MUST_DISCARD,
    NO_CARDS,
    NOT_A_RUN,
    NOT_A_SET,
    NOT_AN_ACTION,
    NOT_DRAWN_YET,
    NOT_IN_HAND,
    NOT_IN_PILE,
    NOT_TO_DRAW,
    STOCK_IS_EMPTY,
    STOCK_NOT_EMPTY,
)
from .rules import FORBIDDEN, FOUR_PASSES, GOES_OUT, STOCK_EMPTY
from .state import CUT_OFF, DRAWING, EXHAUSTED, MELDING, NO_CARD, PLAYING, WENT_OUT

MAX_ACTIONS = MAX_PLAYS + 56
HAND_SIZE = 7
_U3 = np.uint64(3)
N_SEATS = 4

STOCK_ACTION = np.uint64(STOCK) << KIND_SHIFT
PASS_ACTION = np.uint64(PASS) << KIND_SHIFT
KEEP_ACTION = np.uint64(KEEP) << KIND_SHIFT
TAKE_BITS = np.uint64(TAKE) << KIND_SHIFT
DISCARD_BITS = np.uint64(DISCARD) << KIND_SHIFT


@jit
def _above(hidden: Any, size: int) -> Any:
    """Return what lies above the cards of the pile when it has `size` cards (`melds.cover`)."""
    above = hidden.above
    at = np.uint64(size)
    return above[at, 0], above[at, 1], above[at, 2], above[at, 3], above[at, 4], above[at, 5]


@jit
def put_on_pile(table: Any, hidden: Any, card: int, seat: int) -> None:
    """Put a card on the pile, thrown by a seat (4: turned up at the start).

    What lies above each card is kept for every size of the pile: when the pile is taken down
    to some card, the rest is what it was before that card came.
    """
    size, pile = np.uint64(table.pile_size), table.pile_mask
    cover(hidden.above, size, pile, np.uint64(card))
    table.pile[size] = card
    table.pile_by[size] = seat
    table.beneath[np.uint64(card)] = pile
    table.pile_mask = pile | bit(card)
    table.pile_size += 1


@jit
def start_deal(table: Any, hidden: Any, deck: Any, dealer: int) -> None:
    """Deal the cards: seven each from the dealer's left, one turned up, the rest the stock.

    Parameters
    ----------
    table, hidden
        The records; `table.rules`, `table.deal` and `table.match_points` are left as they are.
    deck : uint8 array
        Card ids, the first one dealt first.
    dealer : int
        Seat 0 to 3.
    """
    size = table.rules.pack_size
    for place in range(np.uint64(size)):
        hidden.deck[place] = deck[place]
    for place in range(N_SEATS):
        seat = np.uint64(dealer + 1 + place) & _U3
        hand = ZERO
        for round_ in range(HAND_SIZE):
            hand |= bit(deck[np.uint64(place + N_SEATS * round_)])
        hidden.hands[seat] = hand
        table.counts[seat] = HAND_SIZE
        table.known[seat] = ZERO
        table.discarded[seat] = ZERO
    table.pile_mask = ZERO
    table.pile_size = 0
    put_on_pile(table, hidden, np.int64(deck[N_SEATS * HAND_SIZE]), np.int64(N_SEATS))
    hidden.next_card = N_SEATS * HAND_SIZE + 1
    table.stock_size = size - hidden.next_card
    hidden.doubled = 0
    table.sets_mask = ZERO
    table.runs_mask = ZERO
    table.points[0] = 0
    table.points[1] = 0
    table.dealer = dealer
    table.turns = 0
    table.passes = 0
    table.status = PLAYING
    table.out_seat = NO_CARD
    begin_turn(table, hidden, (dealer + 1) & 3)


@jit
def begin_turn(table: Any, hidden: Any, seat: int) -> None:
    """Let a seat act: the record becomes what it sees before its draw."""
    table.seat = seat
    table.hand = hidden.hands[np.uint64(seat)]
    table.phase = DRAWING
    table.bound = NO_CARD
    table.free_top = NO_CARD
    table.takeable = _takeable_cards(table, hidden)
    table.playable = ZERO


@jit
def has_drawn(table: Any) -> None:
    """Let the seat that has drawn meld and discard."""
    table.passes = 0
    table.phase = MELDING
    table.takeable = ZERO
    _see_plays(table)


@jit
def _see_plays(table: Any) -> None:
    """Work out which cards of the hand can be played."""
    table.playable = playable_cards(
        table.hand, table.sets_mask, table.runs_mask, table.rules.min_run
    )


@jit
def _end_turn(table: Any, hidden: Any) -> None:
    """Finish the turn: end the deal where the rules say so, else hand over to the left."""
    seat = np.uint64(table.seat)
    hidden.hands[seat] = table.hand
    table.known[seat] &= table.hand
    table.turns += 1
    if table.status != PLAYING:
        return
    if table.stock_size == 0 and _is_exhausted(table):
        table.status = EXHAUSTED
    elif table.turns >= table.rules.turn_limit:
        table.status = CUT_OFF
    else:
        begin_turn(table, hidden, (table.seat + 1) & 3)


@jit
def _is_exhausted(table: Any) -> bool:
    """Return whether a deal whose stock is empty is over, at the end of a turn."""
    exhausted = table.rules.exhausted
    if exhausted == FOUR_PASSES:
        return table.passes == N_SEATS
    return exhausted == STOCK_EMPTY or table.passes > 0


@jit
def top_is_free(table: Any) -> bool:
    """Return whether the top card alone may be taken unbound (house rule `top_card`)."""
    return table.rules.top_free != 0 and table.stock_size > 0


@jit
def pile_from(table: Any, card: int) -> Any:
    """Return the mask of a pile card (its id) and all cards above it."""
    return table.pile_mask & ~table.beneath[np.uint64(card)]


@jit
def _takeable_cards(table: Any, hidden: Any) -> Any:
    """Return the mask of the pile cards that the seat to act may take, before its draw.

    Each can be taken with all cards above it, and be played at once. RULES section 5.1.
    """
    if table.rules.usual != 0:
        above = _above(hidden, table.pile_size)
        return table.pile_mask & bindable(table.hand, above, table.sets_mask, table.runs_mask)
    takeable = bindable_one_by_one(table)
    if table.pile_mask != ZERO and top_is_free(table):
        takeable |= bit(table.pile[np.uint64(table.pile_size - 1)])
    return takeable


@jit_apart
def bindable_one_by_one(table: Any) -> Any:
    """Return the mask of the pile cards that can be bound, each tried with what lies above it."""
    rules = table.rules
    bindable_mask = ZERO
    left = table.pile_mask
    while left != ZERO:
        card = trailing_zeros(left)
        left = without_lowest(left)
        cards = table.hand | pile_from(table, card)
        if can_play_with(
            card, cards, table.sets_mask, table.runs_mask, rules.min_run, rules.new_meld
        ):
            bindable_mask |= bit(card)
    return bindable_mask


@jit
def discardable_cards(table: Any) -> Any:
    """Return the mask of the cards in hand that may be discarded, when nothing is bound."""
    if table.rules.usual != 0:
        return table.hand
    if table.rules.last_discard == FORBIDDEN and popcount(table.hand) == 1:
        return ZERO
    if table.free_top != NO_CARD:
        return table.hand & ~bit(table.free_top)
    return table.hand


@jit
def bound_mask(table: Any) -> Any:
    """Return the bound card as a mask, 0 when none is bound."""
    return ZERO if table.bound == NO_CARD else bit(table.bound)


@jit_apart
def legal_draws(table: Any, actions: Any) -> int:
    """Fill `actions` with the legal draws (the pass among them); return how many there are."""
    actions[0] = STOCK_ACTION if table.stock_size > 0 else PASS_ACTION
    n = 1
    cards = table.takeable
    while cards != ZERO:
        actions[n] = TAKE_BITS | (cards & (~cards + np.uint64(1)))
        cards = without_lowest(cards)
        n += 1
    return n


@jit_apart
def legal_actions(table: Any, actions: Any) -> int:
    """Fill `actions` with every legal action of a position; return how many there are.

    Parameters
    ----------
    table : TABLE_DTYPE record
    actions : uint64 array of at least `MAX_ACTIONS`

    Source: RULES section 7.
    """
    if table.status != PLAYING:
        return 0
    if table.phase == DRAWING:
        return legal_draws(table, actions)
    n = legal_plays(
        table.hand, bound_mask(table), table.sets_mask, table.runs_mask, table.rules, actions
    )
    if table.bound != NO_CARD:
        return n
    cards = discardable_cards(table)
    if cards == ZERO:
        actions[n] = KEEP_ACTION
        return n + 1
    while cards != ZERO:
        actions[n] = DISCARD_BITS | (cards & (~cards + np.uint64(1)))
        cards = without_lowest(cards)
        n += 1
    return n


@jit
def why_not_take(table: Any, card: int) -> int:
    """Return why the pile may not be taken from `card` (its id) up, or `LEGAL`."""
    mask = bit(card)
    if table.takeable & mask != ZERO:
        return LEGAL
    return NOT_IN_PILE if table.pile_mask & mask == ZERO else CANNOT_BIND


@jit
def why_not_play(table: Any, play: Any) -> int:
    """Return why a play (mask and kind) may not be laid now, or `LEGAL`."""
    cards = play & CARDS_MASK
    if cards == ZERO:
        return NO_CARDS
    if cards & ~table.hand != ZERO:
        return NOT_IN_HAND
    kind = np.int64(play >> KIND_SHIFT)
    if kind == SET:
        alone = popcount(cards) >= 3
        if not is_one_rank(cards):
            return NOT_A_SET
        if not alone and table.sets_mask & rank_mask(trailing_zeros(cards)) == ZERO:
            return NOT_A_SET
    elif kind == RUN:
        alone = popcount(cards) >= table.rules.min_run
        if not is_stretch(cards):
            return NOT_A_RUN
        if not alone and not touches_run(cards, table.runs_mask):
            return NOT_A_RUN
    else:
        return NOT_AN_ACTION
    if table.bound != NO_CARD:
        if cards & bit(table.bound) == ZERO:
            return BOUND_NOT_PLAYED
        if table.rules.new_meld != 0 and not alone:
            return BOUND_NOT_IN_NEW_MELD
    return LEGAL


@jit
def why_not_discard(table: Any, card: int) -> int:
    """Return why a card (its id) may not be discarded now, or `LEGAL`."""
    if table.bound != NO_CARD:
        return BOUND_WAITS
    if table.hand & bit(card) == ZERO:
        return NOT_IN_HAND
    if card == table.free_top:
        return FREE_TOP_DISCARDED
    if discardable_cards(table) == ZERO:
        return LAST_CARD_FORBIDDEN
    return LEGAL


@jit
def _names_right_cards(kind: int, n_cards: int) -> bool:
    """Return whether an action of a kind may concern so many cards at all."""
    if kind in (TAKE, DISCARD):
        return n_cards == 1
    if kind in (SET, RUN):
        return True
    return kind <= KEEP and n_cards == 0


@jit_apart
def why_illegal(table: Any, action: Any) -> int:
    """Return why an action is illegal in a position (a key of `reasons.REASONS`), or `LEGAL`."""
    if table.status != PLAYING:
        return DEAL_IS_OVER
    kind = np.int64(action >> KIND_SHIFT)
    if not _names_right_cards(kind, popcount(action & CARDS_MASK)):
        return NOT_AN_ACTION
    card = trailing_zeros(action & CARDS_MASK)
    if kind in (STOCK, TAKE, PASS):
        if table.phase != DRAWING:
            return NOT_TO_DRAW
        if kind == STOCK:
            return LEGAL if table.stock_size > 0 else STOCK_IS_EMPTY
        if kind == PASS:
            return LEGAL if table.stock_size == 0 else STOCK_NOT_EMPTY
        return why_not_take(table, card)
    if table.phase != MELDING:
        return NOT_DRAWN_YET
    if kind == DISCARD:
        return why_not_discard(table, card)
    if kind == KEEP:
        if table.bound != NO_CARD:
            return BOUND_WAITS
        return LEGAL if discardable_cards(table) == ZERO else MUST_DISCARD
    return why_not_play(table, action)


@jit
def draw_stock(table: Any, hidden: Any) -> None:
    """Draw the top card of the stock (which is not empty)."""
    card = hidden.deck[np.uint64(hidden.next_card)]
    hidden.next_card += 1
    table.stock_size -= 1
    table.hand |= bit(card)
    table.counts[np.uint64(table.seat)] += 1
    has_drawn(table)


@jit
def take_pile(table: Any, card: int) -> int:
    """Take the pile from `card` upward, bound unless the top is free; return cards taken."""
    taken = pile_from(table, card)
    if taken == bit(card) and top_is_free(table):
        table.free_top = card
    else:
        table.bound = card
    n_taken = popcount(taken)
    table.pile_size -= n_taken
    table.pile_mask &= ~taken
    seat = np.uint64(table.seat)
    table.hand |= taken
    table.known[seat] |= taken
    table.counts[seat] += n_taken
    has_drawn(table)
    return n_taken


@jit
def pass_turn(table: Any, hidden: Any) -> None:
    """Pass: the whole turn, with an empty stock."""
    table.passes += 1
    _end_turn(table, hidden)


@jit
def lay(table: Any, hidden: Any, play: Any) -> Any:
    """Lay a play (a new meld or a lay-off) on the table; the player may go out with it.

    Returns (points of its cards, what doubling added to them).
    """
    cards = play & CARDS_MASK
    if play & ~CARDS_MASK == SET_BITS:
        table.sets_mask |= cards
    else:
        table.runs_mask |= cards
    table.hand &= ~cards
    seat = np.uint64(table.seat)
    table.counts[seat] -= popcount(cards)
    points, doubled = points_of(cards, table.rules), four_bonus(play, table.rules)
    hidden.doubled += doubled
    table.points[seat & ONE] += points + doubled
    table.bound = NO_CARD
    table.known[seat] &= table.hand
    if table.hand == ZERO:
        table.status = WENT_OUT
        table.out_seat = table.seat
        table.playable = ZERO
        _end_turn(table, hidden)
    else:
        _see_plays(table)
    return points, doubled


@jit
def discard(table: Any, hidden: Any, card: int) -> None:
    """Discard a card of the hand on the pile; ends the turn, and the deal under `goes_out`."""
    mask = bit(card)
    seat = np.uint64(table.seat)
    table.hand &= ~mask
    table.counts[seat] -= 1
    table.discarded[seat] |= mask
    put_on_pile(table, hidden, card, table.seat)
    if table.hand == ZERO and table.rules.last_discard == GOES_OUT:
        table.status = WENT_OUT
        table.out_seat = table.seat
    _end_turn(table, hidden)


@jit
def keep(table: Any, hidden: Any) -> None:
    """End the turn without a discard, where no card may be discarded (action `K`)."""
    _end_turn(table, hidden)


@jit_apart
def apply_action(table: Any, hidden: Any, action: Any) -> None:
    """Change the position by a legal action (`why_illegal` says whether it is)."""
    kind = np.int64(action >> KIND_SHIFT)
    card = trailing_zeros(action & CARDS_MASK)
    if kind == STOCK:
        draw_stock(table, hidden)
    elif kind == TAKE:
        take_pile(table, card)
    elif kind == PASS:
        pass_turn(table, hidden)
    elif kind == DISCARD:
        discard(table, hidden, card)
    elif kind == KEEP:
        keep(table, hidden)
    else:
        lay(table, hidden, action)


@jit
def hand_of(table: Any, hidden: Any, seat: int) -> Any:
    """Return the mask of a seat's hand at any moment of a deal."""
    if seat == table.seat:
        return table.hand
    return hidden.hands[np.uint64(seat)]


@jit
def points_in_hands(table: Any, hidden: Any, team: int) -> int:
    """Return the points of the cards that a team's two players hold."""
    first = points_of(hand_of(table, hidden, team), table.rules)
    return first + points_of(hand_of(table, hidden, team + 2), table.rules)


@jit
def deal_score(table: Any, hidden: Any, team: int) -> int:
    """Return a team's score of a deal that is over (RULES section 6)."""
    score = table.points[team] - points_in_hands(table, hidden, team)
    if table.status == WENT_OUT and table.out_seat & 1 == team:
        score += table.rules.out_bonus
    return score
