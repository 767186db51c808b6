"""Judgements that several strategies share, compiled: what to lay, what a take brings.

Every function takes a view or plain masks and changes nothing.
"""

from typing import Any

import numpy as np

from ..sim.bits import ONE, ZERO, bit, leading_zeros, lowest_bit, popcount, trailing_zeros
from ..sim.cards import FIRST_JOKER, SUITED_MASK
from ..sim.jit import jit
from ..sim.melds import (
    dearest_cards,
    melded_by,
    points_of,
    rank_mask,
    ranks_with_four,
    ranks_with_three,
    ranks_with_two,
    run_cards,
    run_layoffs,
    run_neighbours,
    set_cards,
    set_layoffs,
    set_ranks,
    stretch_down,
    stretch_up,
    touches_run,
)
from ..sim.view import NOTHING, play_run, play_set

_U4, _U8, _U12, _U16 = (np.uint64(n) for n in (4, 8, 12, 16))


@jit
def stretch_of(cards: Any, card: int) -> Any:
    """Return the mask of the longest stretch of one suit in `cards` that holds `card`."""
    stretch = ZERO
    low = card - 4 * (stretch_down(cards, card) - 1)
    for place in range(stretch_down(cards, card) + stretch_up(cards, card) - 1):
        stretch |= bit(low + 4 * place)
    return stretch


@jit
def layoff_stretch(cards: Any, card: int, runs_mask: Any) -> Any:
    """Return the smallest stretch of `cards` that holds `card` and touches a run; 0 if none."""
    stretch = ZERO
    for place in range(stretch_up(cards, card)):
        stretch |= bit(card + 4 * place)
        if touches_run(stretch, runs_mask):
            return stretch
    stretch = ZERO
    for place in range(stretch_down(cards, card)):
        stretch |= bit(card - 4 * place)
        if touches_run(stretch, runs_mask):
            return stretch
    return ZERO


@jit
def play_with_bound(view: Any) -> int:
    """Return the dearest simple play that holds the bound card (one exists): whole set or run."""
    card = view.bound
    same = view.hand & rank_mask(card)
    n_same = popcount(same)
    run = ZERO
    if card < FIRST_JOKER:
        run = stretch_of(view.hand, card)
        if popcount(run) < view.rules.min_run:
            run = ZERO
    if n_same == 4:
        return play_set(same)
    if run != ZERO and (n_same < 3 or points_of(run, view.rules) > points_of(same, view.rules)):
        return play_run(run)
    if n_same >= 3:
        return play_set(same)
    if view.sets_mask & rank_mask(card) != ZERO:
        return play_set(same)
    return play_run(layoff_stretch(view.hand, card, view.runs_mask))


@jit
def next_play(view: Any, held: Any) -> Any:
    """Return the next play of somebody who lays all he can, or `NOTHING`.

    Four of a kind first, then sets of three, whole runs, lay-offs. Cards of `held` (a mask) are
    kept back unless one of them is bound.
    """
    if view.bound >= 0:
        return play_with_bound(view)
    hand = view.hand & ~held
    threes = ranks_with_three(hand)
    if hand & threes != ZERO:
        fours = ranks_with_four(hand)
        best = fours if fours != ZERO else threes
        return play_set(hand & rank_mask(trailing_zeros(hand & best)))
    runs = run_cards(hand, view.rules.min_run)
    if runs != ZERO:
        return play_run(stretch_of(hand, trailing_zeros(runs)))
    fourth = set_layoffs(hand, view.sets_mask)
    if fourth != ZERO:
        return play_set(lowest_bit(fourth))
    beside = ((view.runs_mask << _U4) | (view.runs_mask >> _U4)) & hand & SUITED_MASK
    if beside != ZERO:
        return play_run(lowest_bit(beside))
    return np.int64(NOTHING)


@jit
def layable(cards: Any, sets_mask: Any, runs_mask: Any, min_run: int) -> Any:
    """Return those of `cards` that could go down one way or another (not all at once)."""
    return (
        set_cards(cards)
        | run_cards(cards, min_run)
        | set_layoffs(cards, sets_mask)
        | run_layoffs(cards, runs_mask)
    )


@jit
def promising(cards: Any) -> Any:
    """Return those of `cards` with company: one of the rank, or one or two ranks off in suit."""
    suited = cards & SUITED_MASK
    near = (suited << _U4) | (suited >> _U4) | (suited << _U8) | (suited >> _U8)
    return (cards & ranks_with_two(cards)) | (suited & near)


@jit
def dearest(cards: Any, rules: Any) -> int:
    """Return the id of a card with the most points (the highest id among equals)."""
    return 63 - leading_zeros(dearest_cards(cards, rules))


@jit
def completers(cards: Any) -> Any:
    """Return the cards, none of `cards`, that would make a meld of three with two of `cards`."""
    suited = cards & SUITED_MASK
    up, down = suited << _U4, suited >> _U4
    runs = (up & (suited << _U8)) | (down & (suited >> _U8)) | (up & down)
    return (ranks_with_two(cards) | (runs & SUITED_MASK)) & ~cards


@jit
def fours_bonus(cards: Any, rules: Any) -> int:
    """Return the points that doubling would add for the fours among `cards`."""
    fours = ranks_with_four(cards)
    if rules.double_jokers == 0:
        fours &= SUITED_MASK
    return (rules.four_multiplier - 1) * points_of(fours, rules)


@jit
def bind_odds(view: Any, seat: int, hidden: Any) -> Any:
    """Return what `bind_chance` has to know of a seat: (sure, certain, held).

    Parameters
    ----------
    hidden : uint64
        The cards that the asking seat has not seen (`view.unseen`).

    Returns
    -------
    sure : uint64
        Cards that the seat has for certain when it takes the whole pile.
    certain : uint64
        Cards that it could bind for certain, since they fit the table or meld with two of `sure`.
    held : float
        The chance that it holds any one of the hidden cards.
    """
    known = view.known[seat]
    sure = view.pile_mask | known
    certain = melded_by(sure, view.rules.min_run)
    if view.rules.new_meld == 0:
        certain |= set_ranks(view.sets_mask) | run_neighbours(view.runs_mask)
    held = (view.counts[seat] - popcount(known)) / max(1, popcount(hidden))
    return sure, certain, held


@jit
def _has(masks: tuple[Any, Any], place: Any, held: float) -> float:
    """Return the chance that a seat has the card `place` bits up: sure ones, else `held`."""
    sure, hidden = masks
    return np.float64((sure >> place) & ONE) + held * np.float64((hidden >> place) & ONE)


@jit
def bind_chance(card: int, odds: Any, hidden: Any) -> float:
    """Return about how likely a seat could bind `card` if it were thrown now, 0 to 1.

    Parameters
    ----------
    card : int
    odds
        What `bind_odds` says of the seat.
    hidden : uint64
        As for `bind_odds`. The chances of the possible melds of three are added up; each hidden
        card is taken to lie anywhere hidden with the same chance.
    """
    sure, certain, held = odds
    mask = bit(card)
    if certain & mask != ZERO:
        return 1.0
    others = rank_mask(card) & ~mask
    far = popcount(others & hidden)
    if others & sure != ZERO:
        chance = far * held
    else:
        chance = 0.5 * far * (far - 1) * held * held
    if card < FIRST_JOKER:  # bits 0, 4, 12, 16 are the cards 2 and 1 below, 1 and 2 above
        shift = np.uint64(card)
        masks = (((sure & SUITED_MASK) << _U8) >> shift, ((hidden & SUITED_MASK) << _U8) >> shift)
        below, above = _has(masks, _U4, held), _has(masks, _U12, held)
        chance += below * (above + _has(masks, ZERO, held)) + above * _has(masks, _U16, held)
    return min(chance, 1.0)
