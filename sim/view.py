"""What a strategy sees and how it answers: the view, the types of the hooks, small helpers.

The *view* is the record `sim.state.TABLE_DTYPE`: the hand of the seat to act and all that lies
open (its fields are declared and described in `sim.state.TABLE_FIELDS`). It is to be read; only
`random_below` moves its random stream. The three hooks of a strategy have one signature,
`HOOK_SIGNATURE`:

``draw(view, params, work)``
    asked where a pile card may be taken;
    returns `DRAW_STOCK`, `DRAW_PASS` (empty stock only), or an index into ``view.pile``: that
    card is taken with all above it.
``meld(view, params, work)``
    asked while something can be laid, until it says `NOTHING`;
    returns ``play_set(mask)``, ``play_run(mask)``, or `NOTHING`.
``discard(view, params, work)``
    asked where a card may be discarded; returns the id of a card.

A strategy may say how it rates an action (`sim.deal`): ``rate(view, params, action)`` returns a
float, the higher the better, nan for what it does not rate. Nobody is bound by it, it is shown.

`params` are the strategy's parameters (float64), `work` its own memory (int64), which is
empty (zeros) when a deal begins.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types

from .bits import multiply_high, popcount, trailing_zeros, without_lowest
from .cards import N_CARDS
from .deal import bound_mask, discardable_cards, pile_from
from .jit import jit
from .lent import Lent, ReadOnly
from .lent import writable as _writable  # not for those who import all of this
from .melds import MAX_PLAYS, RUN_BITS, SET_BITS, legal_plays
from .seeds import GOLDEN, mix64
from .state import TABLE_TYPE

DRAW_STOCK = -1
DRAW_PASS = -2
NOTHING = 0

HOOK_NAMES = ("draw", "meld", "discard")
VIEW_TYPE = ReadOnly(TABLE_TYPE)
_PARAMS_TYPE = Lent(types.float64, readonly=True)
HOOK_SIGNATURE = types.int64(VIEW_TYPE, _PARAMS_TYPE, Lent(types.int64))
RATE_SIGNATURE = types.float64(VIEW_TYPE, _PARAMS_TYPE, types.uint64)


@dataclass(frozen=True)
class Player:
    """What plays one seat: compiled hooks (draw, meld, discard), parameters, size of its memory."""

    hooks: tuple[Any, Any, Any]
    params: np.ndarray
    work_size: int


@jit
def play_set(mask: Any) -> Any:
    """Return the answer of `meld` that lays the cards of a mask as a set, or on one."""
    return np.int64(mask | SET_BITS)


@jit
def play_run(mask: Any) -> Any:
    """Return the answer of `meld` that lays the cards of a mask as a run, or on one."""
    return np.int64(mask | RUN_BITS)


@jit
def random_below(view: Any, n: int) -> Any:
    """Return a random integer from 0 to n - 1 out of the seat's private stream.

    The bias is below n / 2**64.
    """
    table = _writable(view)
    table.rng += GOLDEN
    return np.int64(multiply_high(mix64(table.rng), np.uint64(n)))


@jit
def nth_card(mask: Any, n: int) -> int:
    """Return the id of the n-th (from 0) lowest card of a mask."""
    for _ in range(n):
        mask = without_lowest(mask)
    return trailing_zeros(mask)


@jit
def pile_index(view: Any, card: int) -> int:
    """Return the index in the pile at which a card (its id) lies, the answer that takes it.

    Raises IndexError for an id that no card has; a card that is not in the pile has no meaning.
    """
    if card < 0 or card >= N_CARDS:
        raise IndexError("no card has this id")
    return popcount(view.beneath[np.uint64(card)])


@jit
def taken_with(view: Any, card: int) -> Any:
    """Return the mask of what taking a pile card (its id) brings: it and all above it.

    Raises IndexError for an id that no card has.
    """
    if card < 0 or card >= N_CARDS:
        raise IndexError("no card has this id")
    return pile_from(view, card)


@jit
def takeable(view: Any) -> Any:
    """Return the mask of the pile cards that may be taken, each with all above it."""
    return view.takeable


@jit
def plays(view: Any, out: Any) -> int:
    """Fill `out` (at least `melds.MAX_PLAYS` entries) with all legal plays; return how many.

    Raises ValueError where `out` is shorter.
    """
    if out.size < MAX_PLAYS:
        raise ValueError("plays wants room for melds.MAX_PLAYS: set work_size = MAX_PLAYS")
    return legal_plays(view.hand, bound_mask(view), view.sets_mask, view.runs_mask, view.rules, out)


@jit
def discards(view: Any) -> Any:
    """Return the mask of the cards that may be discarded now: none while a card is bound."""
    return np.uint64(0) if view.bound >= 0 else discardable_cards(view)


@jit
def partner(view: Any) -> int:
    """Return the partner's seat."""
    return (view.seat + 2) & 3


@jit
def unseen(view: Any) -> Any:
    """Return the mask of cards whose place the seat cannot know: stock and unknown hands."""
    pack = np.uint64((1 << 56) - 1) >> np.uint64(56 - view.rules.pack_size)
    seen = view.hand | view.sets_mask | view.runs_mask | view.pile_mask
    for seat in range(4):
        seen |= view.known[seat]
    return pack & ~seen


@jit
def fewest_cards(view: Any) -> int:
    """Return the smallest number of cards that one of the opponents holds."""
    return min(view.counts[(view.seat + 1) & 3], view.counts[(view.seat + 3) & 3])


@jit
def count(mask: Any) -> int:
    """Return the number of cards in a mask."""
    return popcount(mask)
