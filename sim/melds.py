"""Melds and lay-offs as bit tricks on masks (RULES section 4), and what cards are worth.

A rank is a nibble of a mask; the next card of a suit is four bits higher. The table is two
masks: the cards that lie in sets and those that lie in runs. They decide every lay-off, since a
rank has at most one set and it makes no difference which of two neighbouring runs a card joins.

A *play* is a set of cards and a kind. It is held in one word: the cards' mask, and above it
(from bit `KIND_SHIFT`) the kind.
"""

from typing import Any

import numpy as np

from .bits import ONE, ZERO, bit, leading_zeros, popcount, trailing_zeros, without_lowest
from .cards import FIRST_JOKER, N_CARDS, N_RANKS, N_SUITS, RANK_MASK, SUIT_MASK, SUITED_MASK
from .jit import jit, jit_apart

KIND_SHIFT = np.uint64(56)
CARDS_MASK = np.uint64((1 << 56) - 1)

STOCK, TAKE, PASS, SET, RUN, DISCARD, KEEP = range(7)
"""The kinds of action (RULES section 7); `SET` and `RUN` are the kinds of play."""

SET_BITS = np.uint64(SET) << KIND_SHIFT
RUN_BITS = np.uint64(RUN) << KIND_SHIFT

# Population count of every nibble at once (Hacker's Delight, section 5-1).
_ODD_BITS = np.uint64(0x55555555555555)
_PAIRS = np.uint64(0x33333333333333)
_FIVES = np.uint64(0x55555555555555)
_LOW_THREE = np.uint64(0x77777777777777)  # three suits of every rank
_SIXES = np.uint64(0x66666666666666)
_U1, _U2, _U3, _U4, _U8 = (np.uint64(n) for n in (1, 2, 3, 4, 8))
_U16, _U32, _U60 = (np.uint64(n) for n in (16, 32, 60))
_EVERY_FOURTH = np.uint64(0x1111111111111111)


@jit
def rank_mask(card: int) -> Any:
    """Return the mask of the four cards of a card's rank."""
    return RANK_MASK << np.uint64(card & ~3)


@jit
def rank_counts(mask: Any) -> Any:
    """Return, in each nibble, how many of the rank's four cards are in `mask`."""
    counts = mask - ((mask >> _U1) & _ODD_BITS)
    return (counts & _PAIRS) + ((counts >> _U2) & _PAIRS)


@jit
def ranks_with_two(mask: Any) -> Any:
    """Return a mask of whole ranks: those of which two or more cards are in `mask`."""
    lowest = ((rank_counts(mask) + _SIXES) >> _U3) & SUIT_MASK  # 2 + 6 has bit 3 set
    return (lowest << _U4) - lowest


@jit
def ranks_with_three(mask: Any) -> Any:
    """Return a mask of whole ranks: those of which three or four cards are in `mask`."""
    lowest = ((rank_counts(mask) + _FIVES) >> _U3) & SUIT_MASK  # 3 + 5 has bit 3 set
    return (lowest << _U4) - lowest


@jit
def ranks_with_four(mask: Any) -> Any:
    """Return a mask of whole ranks: those of which all four cards are in `mask`."""
    pairs = mask & (mask >> _U1)
    lowest = pairs & (pairs >> _U2) & SUIT_MASK
    return (lowest << _U4) - lowest


@jit
def set_ranks(sets_mask: Any) -> Any:
    """Return a mask of whole ranks: those that have a set on the table (three or four cards)."""
    lowest = (sets_mask | (sets_mask >> _U1)) & SUIT_MASK
    return (lowest << _U4) - lowest


@jit
def set_cards(cards: Any) -> Any:
    """Return those of `cards` that are in three or four of a rank."""
    return cards & ranks_with_three(cards)


@jit
def run_cards(cards: Any, min_run: int) -> Any:
    """Return those of `cards` that lie in runs of `min_run` (3, 4 or 5) or more."""
    suited = cards & SUITED_MASK
    starts = suited & (suited >> _U4) & (suited >> _U8)
    covered = starts | (starts << _U4) | (starts << _U8)
    for length in range(3, min_run):
        step = np.uint64(4 * length)
        starts &= suited >> step
        covered = starts
        for place in range(1, length + 1):
            covered |= starts << np.uint64(4 * place)
    return covered


@jit
def run_neighbours(runs_mask: Any) -> Any:
    """Return the cards that are next to a card of a run on the table."""
    return ((runs_mask << _U4) | (runs_mask >> _U4)) & SUITED_MASK & ~runs_mask


@jit
def run_layoffs(cards: Any, runs_mask: Any) -> Any:
    """Return those of `cards` that could be laid off on runs, alone or with others of `cards`."""
    suited = cards & SUITED_MASK
    up = (runs_mask << _U4) & suited
    down = (runs_mask >> _U4) & suited
    if (up | down) == ZERO:
        return ZERO
    # Kogge-Stone fill along the suits, both ways, over 1, 2, 4 and 8 ranks.
    up |= suited & (up << _U4)
    down |= suited & (down >> _U4)
    rising = suited & (suited << _U4)
    falling = suited & (suited >> _U4)
    up |= rising & (up << _U8)
    down |= falling & (down >> _U8)
    rising &= rising << _U8
    falling &= falling >> _U8
    up |= rising & (up << _U16)
    down |= falling & (down >> _U16)
    rising &= rising << _U16
    falling &= falling >> _U16
    up |= rising & (up << _U32)
    down |= falling & (down >> _U32)
    return up | down


@jit
def set_layoffs(cards: Any, sets_mask: Any) -> Any:
    """Return those of `cards` whose rank has a set on the table."""
    return cards & set_ranks(sets_mask)


@jit
def playable_cards(cards: Any, sets_mask: Any, runs_mask: Any, min_run: int) -> Any:
    """Return those of `cards` that some play made of `cards` could contain."""
    return (
        set_cards(cards)
        | run_cards(cards, min_run)
        | set_layoffs(cards, sets_mask)
        | run_layoffs(cards, runs_mask)
    )


N_NEIGHBOURS = 7


@jit
def neighbours(cards: Any) -> Any:
    """Return seven masks: the cards of which one of `cards` is a certain neighbour.

    Neighbours 0 to 3 are, in the same suit, the card one rank above, two above, one below, two
    below; 4 to 6 are the cards of the same rank one, two and three suits on (in a circle). So
    bit c of the first mask says that the card above c is one of `cards`.
    """
    suited = cards & SUITED_MASK
    return (
        suited >> _U4,
        suited >> _U8,
        (suited << _U4) & SUITED_MASK,
        (suited << _U8) & SUITED_MASK,
        ((cards >> _U1) & _LOW_THREE) | ((cards & SUIT_MASK) << _U3),
        ((cards >> _U2) & _PAIRS) | ((cards & _PAIRS) << _U2),
        ((cards & _LOW_THREE) << _U1) | ((cards >> _U3) & SUIT_MASK),
    )


CARD_NEIGHBOURS = np.array(
    [neighbours.py_func(ONE << np.uint64(card)) for card in range(N_CARDS)], np.uint64
)
"""The seven `neighbours` of each card alone, shape (56, 7)."""


@jit
def melding(having: Any) -> Any:
    """Return the cards that make a meld of three with two of their neighbours.

    Parameters
    ----------
    having : seven masks
        For each of the seven `neighbours`, the cards that have it.
    """
    up, up2, down, down2, mate, mate2, mate3 = having
    runs = (up & up2) | (up & down) | (down & down2)
    return runs | (mate & (mate2 | mate3)) | (mate2 & mate3)


@jit
def lone_layoffs(cards: Any, sets_mask: Any, runs_mask: Any) -> Any:
    """Return those of `cards` that could each be laid off alone on a meld of the table."""
    return cards & (set_ranks(sets_mask) | run_neighbours(runs_mask))


@jit
def melded_by(hand: Any, min_run: int) -> Any:
    """Return the cards that meld with two of `hand`, in runs only where three are enough."""
    suited = hand & SUITED_MASK
    cards = ranks_with_two(hand)
    if min_run == 3:
        up, down = suited << _U4, suited >> _U4
        runs = (up & (suited << _U8)) | (down & (suited >> _U8)) | (up & down)
        cards |= runs & SUITED_MASK
    return cards


@jit
def stretch_up(cards: Any, card: int) -> int:
    """Return how many cards of one suit follow each other in `cards` from `card` up (1 to 13).

    `card`, no joker, is one of `cards` and counts.
    """
    missing = ~((cards & SUITED_MASK) >> np.uint64(card)) & _EVERY_FOURTH
    return trailing_zeros(missing) >> 2


@jit
def stretch_down(cards: Any, card: int) -> int:
    """Return how many cards of one suit follow each other in `cards` from `card` down."""
    missing = ~((cards & SUITED_MASK) << (_U60 - np.uint64(card))) & _EVERY_FOURTH
    return leading_zeros(missing) >> 2


@jit
def can_play_with(
    card: int, cards: Any, sets_mask: Any, runs_mask: Any, min_run: int, new_meld: int
) -> bool:
    """Return whether some play made of `cards` holds `card` (one of them).

    With `new_meld` the play must be a meld by itself: three or more cards, or a run of
    `min_run` or more.
    """
    rank = rank_mask(card)
    if popcount(cards & rank) >= 3:
        return True
    if new_meld == 0 and (sets_mask & rank) != ZERO:
        return True
    if card >= FIRST_JOKER:
        return False
    up = stretch_up(cards, card)
    down = stretch_down(cards, card)
    if up + down - 1 >= min_run:
        return True
    if new_meld != 0:
        return False
    above = card + 4 * up
    below = card - 4 * down
    if (runs_mask >> np.uint64(above)) & ONE != ZERO:
        return True
    return below >= 0 and (runs_mask >> np.uint64(below)) & ONE != ZERO


@jit
def touches_run(mask: Any, runs_mask: Any) -> bool:
    """Return whether a card of `mask` is next to a card that lies in a run on the table."""
    return (((mask << _U4) | (mask >> _U4)) & runs_mask) != ZERO


@jit
def is_one_rank(mask: Any) -> bool:
    """Return whether `mask` (not empty) holds cards of one rank only."""
    return mask & ~rank_mask(trailing_zeros(mask)) == ZERO


@jit
def is_stretch(mask: Any) -> bool:
    """Return whether `mask` (not empty) holds consecutive cards of one suit, no joker."""
    if mask & ~SUITED_MASK != ZERO:
        return False
    length = popcount(mask)
    wanted = _EVERY_FOURTH & ((ONE << np.uint64(4 * length)) - ONE)
    return length <= 13 and (mask >> np.uint64(trailing_zeros(mask))) == wanted


@jit_apart
def legal_plays(
    cards: Any, must: Any, sets_mask: Any, runs_mask: Any, rules: Any, plays: Any
) -> int:
    """Fill `plays` with every legal play from a hand; return how many there are.

    Parameters
    ----------
    cards : uint64
        The hand.
    must : uint64
        The bound card as a mask, 0 when none is bound.
    sets_mask, runs_mask : uint64
        The table.
    rules : RULES_DTYPE record
    plays : uint64 array
        Filled from its start; `MAX_PLAYS` entries are enough for any hand.

    Source: RULES section 7, "the legal actions of a position".
    """
    whole = must != ZERO and rules.new_meld != 0
    n = 0
    left = set_cards(cards) | set_layoffs(cards, sets_mask)
    while left != ZERO:
        rank = rank_mask(trailing_zeros(left))
        mine = cards & rank
        left &= ~rank
        if must & ~mine != ZERO:
            continue
        if sets_mask & rank != ZERO:
            if not whole:
                plays[n] = mine | SET_BITS
                n += 1
            continue
        plays[n] = mine | SET_BITS
        n += 1
        if popcount(mine) == 4:
            for card in range(trailing_zeros(mine), trailing_zeros(mine) + N_SUITS):
                three = mine & ~bit(card)
                if must & ~three == ZERO:
                    plays[n] = three | SET_BITS
                    n += 1
    fit = run_cards(cards, rules.min_run) | run_layoffs(cards, runs_mask)
    left = fit
    while left != ZERO:
        card = trailing_zeros(left)
        left = without_lowest(left)
        stretch = ZERO
        length = 0
        while card < FIRST_JOKER and fit & bit(card) != ZERO:
            stretch |= bit(card)
            length += 1
            card += 4
            fits = length >= rules.min_run or (not whole and touches_run(stretch, runs_mask))
            if fits and must & ~stretch == ZERO:
                plays[n] = stretch | RUN_BITS
                n += 1
    return n


MAX_PLAYS = 5 * N_RANKS + N_SUITS * 13 * 14 // 2  # all sets of a full hand, all runs


@jit
def points_of(mask: Any, rules: Any) -> int:
    """Return the points of the cards of a mask, each counted once (RULES section 6)."""
    planes = rules.planes
    points = popcount(mask & planes[0]) + (popcount(mask & planes[1]) << 1)
    points += (popcount(mask & planes[2]) << 2) + (popcount(mask & planes[3]) << 3)
    points += popcount(mask & planes[4]) << 4
    for plane in range(5, rules.n_planes):  # only where a card is worth more than 31
        points += popcount(mask & planes[plane]) << plane
    return points


@jit
def card_points(card: int, rules: Any) -> int:
    """Return the points of one card (its id)."""
    return rules.rank_points[card >> 2]


@jit
def dearest_cards(mask: Any, rules: Any) -> Any:
    """Return those cards of a mask that are worth the most points."""
    for step in range(rules.n_planes):
        worth = mask & rules.planes[rules.n_planes - 1 - step]
        if worth != ZERO:
            mask = worth
    return mask


@jit
def four_bonus(play: Any, rules: Any) -> int:
    """Return what a play earns above its cards' points by being four of a kind at once."""
    cards = play & CARDS_MASK
    if (play >> KIND_SHIFT) != np.uint64(SET) or popcount(cards) != 4:
        return 0
    if rules.double_jokers == 0 and (cards >> np.uint64(FIRST_JOKER)) != ZERO:
        return 0
    return (rules.four_multiplier - 1) * points_of(cards, rules)
