"""Helpers for authors of strategies, compiled: best melds, what a take brings, who holds what.

All of them can be called from a hook, and from Python with a table record. They change nothing,
and they are exact where they do not say that they estimate. What is said of chances takes every
hidden card to lie at every hidden place with the same chance: how the others played tells nothing.
"""

from typing import Any

import numpy as np

from ..sim.bits import ONE, ZERO, bit, leading_zeros, lowest_bit, popcount, trailing_zeros
from ..sim.cards import N_RANKS, SUITED_MASK
from ..sim.deal import top_is_free
from ..sim.jit import jit, jit_apart
from ..sim.melds import (
    points_of,
    rank_mask,
    ranks_with_four,
    run_cards,
    run_layoffs,
    set_cards,
    set_layoffs,
    set_ranks,
)
from ..sim.view import partner, play_run, play_set, taken_with, unseen
from .toolkit import discard_risk, stretch_of

__all__ = [
    "MAX_MELDS",
    "best_melds",
    "cards_left",
    "discard_risk",
    "discard_safety",
    "double_chance",
    "holds_chance",
    "holds_for_certain",
    "meldable",
    "partner",
    "take_brings",
    "unseen",
]

MAX_MELDS = 2 * N_RANKS
"""Plays that `best_melds` may name: at most two to four cards (three, and the fourth added)."""

_BY_POINTS = 64  # points first, then cards: a hand has fewer than 64
_BY_CARDS = 0


@jit
def meldable(cards: Any, rules: Any) -> Any:
    """Return those of `cards` that lie in some set or run made of `cards` alone (a mask).

    Parameters
    ----------
    cards : uint64
    rules : RULES_DTYPE record
        ``view.rules``.
    """
    return set_cards(cards) | run_cards(cards, rules.min_run)


@jit
def _runs_of(cards: Any, runs_mask: Any, rules: Any) -> Any:
    """Return those of `cards` that can go down in runs, all of them at once."""
    return run_cards(cards, rules.min_run) | run_layoffs(cards, runs_mask)


@jit
def _worth(sets: Any, runs: Any, rules: Any, scale: int) -> int:
    """Return what laying cards in sets and in runs is worth: `scale` x points + cards.

    Four of a rank in `sets` are laid at once, or one after the other where that is better.
    """
    fours = sets & ranks_with_four(sets)
    if rules.double_jokers == 0:
        fours &= SUITED_MASK
    points = points_of(sets | runs, rules)
    points += max(rules.four_multiplier - 1, 0) * points_of(fours, rules)
    return scale * points + popcount(sets | runs)


@jit
def _next_choice(chosen: Any, mine: Any, in_runs: Any, lies: bool) -> Any:
    """Return what to try after `chosen` of the cards `mine` of a rank in a set: fewer of them.

    Cards that no run wants are in every set; three are needed where none `lies` on the table.
    """
    while True:
        chosen = (chosen - ONE) & mine
        enough = lies or popcount(chosen) >= 3
        if chosen == ZERO or (enough and mine & ~in_runs & ~chosen == ZERO):
            return chosen


@jit
def _is_laid(must: Any, sets: Any, runs: Any, others: Any, rules: Any) -> bool:
    """Return whether a card that has to go down is among what is laid, as the rules ask for.

    Under `new_meld` it has to lie in a meld that is one by itself; `others` are the cards that
    are not in sets.
    """
    if rules.new_meld != 0:
        sets, runs = set_cards(sets), runs & run_cards(others, rules.min_run)
    return must & ~(sets | runs) == ZERO


@jit_apart
def _best(cards: Any, must: Any, table: Any, rules: Any, scale: int) -> Any:
    """Return the best way to lay `cards`, nothing else being held: (worth, in sets, in runs).

    What is not in sets may as well lie in all the runs that are left. So only the ranks are
    searched whose set wants cards that a run wants too, depth first. Where some are undecided
    (`left`), their cards count as if they went down in sets, and were in hand for the runs.

    Parameters
    ----------
    cards : uint64
    must : uint64
        A card that has to be laid by the rules for the bound card, as a mask; 0 if none.
    table : two uint64
        The cards in sets and in runs on the table.
    rules : RULES_DTYPE record
    scale : int
        `_BY_POINTS` or `_BY_CARDS`.

    Returns
    -------
    worth : int
        As in `_worth`; -1 where `must` cannot be laid.
    sets, runs : uint64
        The cards to lay in sets and in runs.
    """
    sets_mask, runs_mask = table
    in_runs = _runs_of(cards, runs_mask, rules)
    sets = set_cards(cards) | set_layoffs(cards, sets_mask)
    wanted = ZERO  # the cards of the ranks to decide
    both = sets & in_runs
    while both != ZERO:
        wanted |= sets & rank_mask(trailing_zeros(both))
        both &= ~wanted
    sets &= ~wanted
    left = wanted
    best, best_sets, best_runs = np.int64(-1), ZERO, ZERO
    while True:
        runs = _runs_of(cards & ~sets, runs_mask, rules) & ~left
        worth = _worth(sets | left, runs, rules, scale)
        if worth > best and left != ZERO:
            first = left & rank_mask(trailing_zeros(left))
            sets |= first
            left &= ~first
            continue
        if worth > best and _is_laid(must, sets, runs, cards & ~sets, rules):
            best, best_sets, best_runs = worth, sets, runs
        while True:  # back to the last rank of which there is another choice
            decided = wanted & ~left
            if decided == ZERO:
                return best, best_sets, best_runs
            mine = decided & rank_mask(63 - leading_zeros(decided))
            chosen = sets & mine
            sets &= ~mine
            if chosen != ZERO:
                sets |= _next_choice(chosen, mine, in_runs, set_ranks(sets_mask) & mine != ZERO)
                break
            left |= mine


@jit
def best_melds(cards: Any, rules: Any, out: Any) -> Any:
    """Return (points, number of plays) of the melds of `cards` that bring the most points.

    Doubles count. Of equally good ways it is one that lays the most cards; a fourth card that
    is better added to its three (`four_multiplier` 0) is a play of its own, the one after.

    Parameters
    ----------
    cards : uint64
        What may be used; the table is left out of it.
    rules : RULES_DTYPE record
        ``view.rules``.
    out : int64 array of at least `MAX_MELDS`
        Filled from its start with the plays, answers of the `meld` hook in an order in which
        they can be laid. ValueError where it is shorter.
    """
    if out.size < MAX_MELDS:
        raise ValueError("best_melds wants room for MAX_MELDS plays: set work_size = MAX_MELDS")
    worth, sets, runs = _best(cards, ZERO, (ZERO, ZERO), rules, _BY_POINTS)
    n = 0
    while sets != ZERO:
        mine = sets & rank_mask(trailing_zeros(sets))
        sets &= ~mine
        if rules.four_multiplier == 0 and popcount(mine) == 4:
            out[n] = play_set(mine & ~lowest_bit(mine))
            n += 1
            mine = lowest_bit(mine)
        out[n] = play_set(mine)
        n += 1
    while runs != ZERO:
        run = stretch_of(runs, trailing_zeros(runs))
        runs &= ~run
        out[n] = play_run(run)
        n += 1
    return worth // _BY_POINTS, n


@jit
def cards_left(view: Any) -> int:
    """Return the fewest cards that stay in hand when all is laid that can be: 0 is going out.

    New melds and lay-offs on the table and on them, in the way that lays the most cards. The
    bound card is a card like any other.
    """
    table = (view.sets_mask, view.runs_mask)
    most, _, _ = _best(view.hand, ZERO, table, view.rules, _BY_CARDS)
    return popcount(view.hand) - most


@jit
def take_brings(view: Any, card: int) -> Any:
    """Return (cards, more, idle): what taking the pile from `card` (its id) up brings.

    The hand is laid for the most points, new melds and lay-offs, doubles among them. IndexError
    for an id that no card has.

    Returns
    -------
    cards : int
        Cards that would be taken.
    more : int
        Points that could go down then, above those that could go down without the take. It is
        below 0 where the bound card breaks up something better.
    idle : int
        Points of those taken cards that would then stay in hand (of equally good ways to lay,
        one that lays the most cards). A card that cannot be bound brings nothing: `more` is 0,
        and all that is taken stays.
    """
    taken = taken_with(view, card)
    rules, table = view.rules, (view.sets_mask, view.runs_mask)
    must = bit(card)
    if taken == must and top_is_free(view):
        must = ZERO
    now, _, _ = _best(view.hand, ZERO, table, rules, _BY_POINTS)
    then, sets, runs = _best(view.hand | taken, must, table, rules, _BY_POINTS)
    if then < 0:
        return popcount(taken), 0, points_of(taken, rules)
    more = then // _BY_POINTS - now // _BY_POINTS
    return popcount(taken), more, points_of(taken & ~(sets | runs), rules)


@jit
def holds_for_certain(view: Any, seat: int) -> Any:
    """Return the mask of the cards that a player took from the pile and still holds.

    All the table knows that. ``seat`` is taken modulo 4.
    """
    return view.known[seat & 3]


@jit
def holds_chance(view: Any, seat: int, card: int) -> float:
    """Return the chance that a seat holds a card (its id), as the seat to act sees it.

    1 or 0 where that is known; else the share of its unknown cards in the unseen cards.
    """
    seat &= 3
    if seat == view.seat:
        return np.float64(view.hand & bit(card) != ZERO)
    known = view.known[seat]
    hidden = unseen(view)
    if hidden & bit(card) == ZERO:
        return np.float64(known & bit(card) != ZERO)
    return (view.counts[seat] - popcount(known)) / popcount(hidden)


@jit
def discard_safety(view: Any, card: int) -> float:
    """Return about how likely the next opponent cannot bind a card (its id) that is thrown now.

    An estimate: 1 - `discard_risk` for the seat at the left.
    """
    return 1.0 - discard_risk(view, view.seat + 1, card)


@jit
def double_chance(view: Any, rank: int, draws: int) -> float:
    """Return the chance that the hand has all four of a rank (0 to 13) after so many draws.

    The next `draws` unseen cards come to the hand, none leaves it. 1 where it has all four, 0
    where one that it lacks is not unseen.
    """
    missing = rank_mask(4 * rank) & ~view.hand
    hidden = unseen(view)
    if missing & ~hidden != ZERO:
        return 0.0
    n_hidden = popcount(hidden)
    n_drawn = min(max(draws, 0), n_hidden)
    chance = 1.0
    for place in range(popcount(missing)):
        chance *= max(n_drawn - place, 0) / (n_hidden - place)
    return chance
