"""Judgements that several strategies share, compiled: what to lay, what a take brings.

Every function takes a view or plain masks and changes nothing.
"""

from typing import Any

import numpy as np

from ..sim.bits import ONE, ZERO, bit, lowest_bit, popcount, trailing_zeros, without_lowest
from ..sim.cards import FIRST_JOKER, SUITED_MASK
from ..sim.jit import jit, jit_merged
from ..sim.melds import (
    DISCARD,
    KIND_SHIFT,
    PASS,
    STOCK,
    TAKE,
    card_points,
    melded_by,
    playable_cards,
    points_of,
    rank_mask,
    ranks_with_four,
    ranks_with_three,
    ranks_with_two,
    run_cards,
    run_neighbours,
    set_layoffs,
    set_ranks,
    stretch_down,
    stretch_from,
    stretch_up,
    touches_run,
)
from ..sim.view import (
    DRAW_PASS,
    DRAW_STOCK,
    NOTHING,
    discards,
    pile_index,
    play_run,
    play_set,
    taken_with,
    unseen,
)

_U4, _U8 = np.uint64(4), np.uint64(8)


@jit
def stretch_of(cards: Any, card: int) -> Any:
    """Return the mask of the longest stretch of one suit in `cards` that holds `card`."""
    below = stretch_down(cards, card) - 1
    return stretch_from(card - 4 * below, below + stretch_up(cards, card))


@jit
def layoff_stretch(cards: Any, card: int, runs_mask: Any) -> Any:
    """Return the smallest stretch of `cards` that holds `card` and touches a run; 0 if none."""
    for length in range(1, stretch_up(cards, card) + 1):
        stretch = stretch_from(card, length)
        if touches_run(stretch, runs_mask):
            return stretch
    for length in range(2, stretch_down(cards, card) + 1):
        stretch = stretch_from(card - 4 * (length - 1), length)
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
def playable(view: Any, cards: Any) -> Any:
    """Return those of `cards` that could go down one way or another (not all at once)."""
    return playable_cards(cards, view.sets_mask, view.runs_mask, view.rules.min_run)


@jit
def near_in_suit(cards: Any) -> Any:
    """Return the cards one or two ranks off, in suit, from one of `cards`."""
    suited = cards & SUITED_MASK
    return ((suited << _U4) | (suited >> _U4) | (suited << _U8) | (suited >> _U8)) & SUITED_MASK


@jit
def promising(cards: Any) -> Any:
    """Return those of `cards` with company: one of the rank, or one or two ranks off in suit."""
    return cards & (ranks_with_two(cards) | near_in_suit(cards))


@jit
def completers(cards: Any) -> Any:
    """Return the cards, none of `cards`, that would make a meld of three with two of `cards`."""
    return melded_by(cards, 3) & ~cards


@jit
def hopes_lost(hand: Any, card: int, wanted: Any, rules: Any) -> int:
    """Return the points of those completers in `wanted` that are none once `card` is thrown."""
    if promising(hand) & bit(card) == ZERO:
        return 0
    return points_of(wanted & ~completers(hand & ~bit(card)), rules)


@jit
def fours_bonus(cards: Any, rules: Any) -> int:
    """Return the points that doubling would add for the fours among `cards`."""
    fours = ranks_with_four(cards)
    if rules.double_jokers == 0:
        fours &= SUITED_MASK
    return (rules.four_multiplier - 1) * points_of(fours, rules)


@jit
def _run_pairs(some: Any, others: Any) -> Any:
    """Return three masks: the cards that make a run of three with one of `some`, one of `others`.

    The first with the two cards below, the second with one on each side, the third with the two
    above; in each `some` holds the lower card of the pair, and both hold suited cards only.
    """
    return (
        (some << _U8) & (others << _U4) & SUITED_MASK,
        (some << _U4) & (others >> _U4) & SUITED_MASK,
        (some >> _U4) & (others >> _U8),
    )


@jit
def bind_odds(view: Any, seat: int, hidden: Any) -> Any:
    """Return what `bind_chance` has to know of a seat: (certain, sure, held, one_more, two_more).

    Parameters
    ----------
    hidden : uint64
        The cards that the asking seat has not seen (`view.unseen`).

    Returns
    -------
    certain : uint64
        Cards that it could bind for certain, since they fit the table or meld with two of `sure`.
    sure : uint64
        Cards that the seat has for certain when it takes the whole pile.
    held : float
        The chance that it holds any one of the hidden cards.
    one_more, two_more : three masks each
        Cards that make a run of three with one sure and one hidden card, and with two hidden ones
        (`_run_pairs`); none where the rules ask for longer runs.
    """
    seat &= 3
    known = view.known[seat]
    sure = view.pile_mask | known
    certain = melded_by(sure, view.rules.min_run)
    if view.rules.new_meld == 0:
        certain |= set_ranks(view.sets_mask) | run_neighbours(view.runs_mask)
    held = (view.counts[seat] - popcount(known)) / max(1, popcount(hidden))
    suited = SUITED_MASK if view.rules.min_run == 3 else ZERO
    up = _run_pairs(sure & suited, hidden & suited)
    down = _run_pairs(hidden & suited, sure & suited)
    one_more = (up[0] | down[0], up[1] | down[1], up[2] | down[2])
    return certain, sure, held, one_more, _run_pairs(hidden & suited, hidden & suited)


@jit
def _times_in(masks: Any, place: Any) -> Any:
    """Return in how many of three masks a bit is set."""
    times = ((masks[0] >> place) & ONE) + ((masks[1] >> place) & ONE) + ((masks[2] >> place) & ONE)
    return np.int64(times)


@jit
def bind_chance(card: int, odds: Any, hidden: Any) -> float:
    """Return about how likely a seat could bind `card` if it were thrown now, 0 to 1.

    The chances of the possible melds of three are added up; each hidden card is taken to lie
    anywhere hidden with the same chance.

    Parameters
    ----------
    card : int
    odds
        What `bind_odds` says of the seat.
    hidden : uint64
        As for `bind_odds`.
    """
    certain, sure, held, one_more, two_more = odds
    place = np.uint64(card)
    others = rank_mask(card) & ~bit(card)
    n_sure, n_hidden = popcount(others & sure), popcount(others & hidden)
    by_one = _times_in(one_more, place) + n_sure * n_hidden
    by_two = _times_in(two_more, place) + n_hidden * (n_hidden - 1) // 2
    chance = held * (by_one + held * by_two) + np.int64((certain >> place) & ONE)
    return min(chance, 1.0)  # without branches, which nobody could foretell


@jit
def discard_risk(view: Any, seat: int, card: int) -> float:
    """Return about how likely another seat could bind a card (its id) that is thrown now, 0 to 1.

    An estimate: `bind_chance`, which adds up the chances of the possible melds. For many cards in
    one hook call `bind_odds` once instead.
    """
    hidden = unseen(view)
    return bind_chance(card, bind_odds(view, seat, hidden), hidden)


@jit
def risk(view: Any, seat: int, card: int) -> float:
    """Return the points that throwing `card` may give to a seat, by the chance that it binds it."""
    return discard_risk(view, seat, card) * card_points(card, view.rules)


@jit
def risk_from_both(view: Any, card: int, weight: float) -> float:
    """Return the `risk` from the next player, and weighed from the opponent who plays last."""
    return risk(view, view.seat + 1, card) + weight * risk(view, view.seat + 3, card)


@jit
def gain_of_take(view: Any, params: Any, card: int) -> float:
    """Return the points that could go down once a pile card is taken, above those without it.

    It asks for parameters, of which it needs none, so that `best_draw` can use it.
    """
    cards = view.hand | taken_with(view, card)
    now = points_of(playable(view, view.hand), view.rules)
    down = points_of(playable(view, cards), view.rules)
    return np.float64(down - now + fours_bonus(cards, view.rules))


@jit
def careful_worth(view: Any, card: int, thrift: float) -> float:
    """Return what throwing a card is worth to somebody who gives away neither it nor his hopes.

    Parameters
    ----------
    thrift : float
        Worth of a point that leaves the hand.
    """
    lost = hopes_lost(view.hand, card, completers(view.hand) & unseen(view), view.rules)
    danger = 8.0 * risk(view, view.seat + 1, card)
    return thrift * card_points(card, view.rules) - danger - 0.2 * lost


# What follows takes functions, the worth of a card, and is compiled anew for each.


@jit_merged
def best_draw(view: Any, params: Any, worth: Any) -> int:
    """Return the answer of `draw` that takes the pile card of most worth, if any is worth > 0.

    Parameters
    ----------
    worth : ``worth(view, params, card)``, compiled; returns a float
        The worth of taking a pile card with all above it; not to take any is worth 0.
    """
    wanted = view.takeable
    best = DRAW_STOCK if view.stock_size > 0 else DRAW_PASS
    most = 0.0
    while wanted != ZERO:
        card = trailing_zeros(wanted)
        wanted = without_lowest(wanted)
        this = worth(view, params, card)
        if this > most:
            most = this
            best = pile_index(view, card)
    return best


@jit_merged
def best_discard(view: Any, params: Any, worth: Any) -> int:
    """Return the card that it is worth most to throw, the lowest id among equals.

    Parameters
    ----------
    worth : ``worth(view, params, card)``, compiled; returns a float
    """
    cards = discards(view)
    best = trailing_zeros(cards)
    most = -np.inf
    while cards != ZERO:
        card = trailing_zeros(cards)
        cards = without_lowest(cards)
        this = worth(view, params, card)
        if this > most:
            most = this
            best = card
    return best


@jit_merged
def rating(view: Any, params: Any, action: Any, take: Any, throw: Any) -> float:
    """Return the worth of a legal action to `best_draw` and `best_discard`; nan for other kinds.

    Parameters
    ----------
    action : uint64
        As in `sim.deal`: the cards' mask, and the kind above it.
    take, throw
        The worth of taking and of throwing a card.
    """
    kind = np.int64(action >> KIND_SHIFT)
    card = trailing_zeros(action)
    if kind == TAKE:
        return take(view, params, card)
    if kind == DISCARD:
        return throw(view, params, card)
    return 0.0 if kind in (STOCK, PASS) else np.nan
