"""Judgements that several strategies share, compiled: what to lay, what a take brings.

Every function takes a view or plain masks and changes nothing.
"""

from typing import Any

import numpy as np

from ..sim.bits import ZERO, bit, leading_zeros, lowest_bit, popcount, trailing_zeros
from ..sim.cards import FIRST_JOKER, SUITED_MASK
from ..sim.jit import jit
from ..sim.melds import (
    dearest_cards,
    points_of,
    rank_mask,
    ranks_with_four,
    ranks_with_three,
    ranks_with_two,
    run_cards,
    run_layoffs,
    set_cards,
    set_layoffs,
    stretch_down,
    stretch_up,
    touches_run,
)
from ..sim.view import NOTHING, play_run, play_set

_U4, _U8 = np.uint64(4), np.uint64(8)


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
