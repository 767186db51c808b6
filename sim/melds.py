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
from .cards import FIRST_JOKER, N_RANKS, N_SUITS, RANK_MASK, SUIT_MASK, SUITED_MASK
from .jit import jit, jit_apart

KIND_SHIFT = np.uint64(56)
CARDS_MASK = np.uint64((1 << 56) - 1)

STOCK, TAKE, PASS, SET, RUN, DISCARD, KEEP = range(7)
"""The kinds of action (RULES section 7); `SET` and `RUN` are the kinds of play."""

SET_BITS = np.uint64(SET) << KIND_SHIFT
RUN_BITS = np.uint64(RUN) << KIND_SHIFT

_RANK_BITS = np.uint64(0x3C)
_U1, _U2, _U4, _U8 = (np.uint64(n) for n in (1, 2, 4, 8))
_U16, _U32, _U60 = (np.uint64(n) for n in (16, 32, 60))
_EVERY_FOURTH = np.uint64(0x1111111111111111)


@jit
def rank_mask(card: int) -> Any:
    """Return the mask of the four cards of a card's rank."""
    return RANK_MASK << (np.uint64(card) & _RANK_BITS)


@jit
def whole_ranks(starts: Any) -> Any:
    """Return the mask of whole ranks whose first cards (clubs) are `starts`."""
    return (starts << _U4) - starts


@jit
def _some_and_pairs(mask: Any) -> Any:
    """Return the first cards of the ranks with one or more, with two or more cards in `mask`."""
    # in the first place of a rank clubs and diamonds are compared, in the third hearts and spades
    both, either = (
        mask & (mask >> _U1),
        mask | (mask >> _U1),
    )
    some = either | (either >> _U2)
    pairs = both | (both >> _U2) | (either & (either >> _U2))
    return some & SUIT_MASK, pairs & SUIT_MASK


@jit
def _three_starts(mask: Any) -> Any:
    both, either = mask & (mask >> _U1), mask | (mask >> _U1)
    return ((both & (either >> _U2)) | (either & (both >> _U2))) & SUIT_MASK


@jit
def ranks_with_two(mask: Any) -> Any:
    """Return a mask of whole ranks: those of which two or more cards are in `mask`."""
    return whole_ranks(_some_and_pairs(mask)[1])


@jit
def ranks_with_three(mask: Any) -> Any:
    """Return a mask of whole ranks: those of which three or four cards are in `mask`."""
    return whole_ranks(_three_starts(mask))


@jit
def ranks_with_four(mask: Any) -> Any:
    """Return a mask of whole ranks: those of which all four cards are in `mask`."""
    pairs = mask & (mask >> _U1)
    return whole_ranks(pairs & (pairs >> _U2) & SUIT_MASK)


@jit
def _set_starts(sets_mask: Any) -> Any:
    return (sets_mask | (sets_mask >> _U1)) & SUIT_MASK


@jit
def set_ranks(sets_mask: Any) -> Any:
    """Return a mask of whole ranks: those that have a set on the table (three or four cards)."""
    return whole_ranks(_set_starts(sets_mask))


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
    in_sets = cards & whole_ranks(_three_starts(cards) | _set_starts(sets_mask))
    if min_run == 3:
        suited = cards & SUITED_MASK
        near = (suited >> _U4, suited >> _U8, suited << _U4, suited << _U8)
        return in_sets | (cards & in_company(near, runs_mask))
    return in_sets | run_cards(cards, min_run) | run_layoffs(cards, runs_mask)


@jit
def in_company(near: Any, runs_mask: Any) -> Any:
    """Return the cards that can be played in runs, where three cards are enough for one.

    That is in a run of three, or laid off alone or with one more card: whatever is longer holds
    a run of three.

    Parameters
    ----------
    near : four masks
        Cards beside which others are at hand in their suit: one rank above, two ranks above, one
        below, two below. (What a joker's bits say is left out.)
    runs_mask : uint64
        The runs on the table.
    """
    up, up2, down, down2 = near
    cards = (up & (up2 | down | (runs_mask >> _U8))) | (down & (down2 | (runs_mask << _U8)))
    return (cards | (runs_mask >> _U4) | (runs_mask << _U4)) & SUITED_MASK


_SUIT_MATES = np.array(
    [
        [suited >> 4, suited >> 8, suited << 4 & int(SUITED_MASK), suited << 8 & int(SUITED_MASK)]
        for suited in [1 << card for card in range(FIRST_JOKER)] + [0] * 4
    ],
    np.uint64,
)
"""For each card, those of its suit that are one rank below it, two below, one above, two above."""


@jit
def cover(above: Any, size: Any, pile_mask: Any, card: Any) -> None:
    """Note what lies above the cards of a pile once `card` is put on it, in row `size` + 1.

    Parameters
    ----------
    above : uint64 array, shape (more than `size` + 1, 8)
        Row n is about a pile of n cards: the cards above which lies, in their suit, the card one
        rank above, two ranks above, one below, two below; and those above which lie one or more,
        two or more of their rank. (Two words are unused.)
    size : uint64
        Cards in the pile before.
    pile_mask : uint64
        The pile before.
    card : uint64
        The id of the card.
    """
    over = size + ONE
    same = pile_mask & rank_mask(card)
    up = above[size, 0] | (pile_mask & _SUIT_MATES[card, 0])
    up2 = above[size, 1] | (pile_mask & _SUIT_MATES[card, 1])
    down = above[size, 2] | (pile_mask & _SUIT_MATES[card, 2])
    down2 = above[size, 3] | (pile_mask & _SUIT_MATES[card, 3])
    one = above[size, 4]
    above[over, 0], above[over, 1], above[over, 2], above[over, 3] = up, up2, down, down2
    above[over, 4] = one | same
    above[over, 5] = above[size, 5] | (one & same)


@jit
def bindable(hand: Any, above: Any, sets_mask: Any, runs_mask: Any) -> Any:
    """Return the cards that could be bound with a hand and what lies above them in the pile.

    Runs of three are allowed, and the card may be bound in a lay-off.

    Parameters
    ----------
    above : six masks
        What lies above the cards of the pile (`cover`).
    """
    up, up2, down, down2, one, two = above
    suited = hand & SUITED_MASK
    near = (
        up | (suited >> _U4),
        up2 | (suited >> _U8),
        down | (suited << _U4),
        down2 | (suited << _U8),
    )
    some, pairs = _some_and_pairs(hand)
    cards = two | (one & whole_ranks(some))
    return cards | whole_ranks(pairs | _set_starts(sets_mask)) | in_company(near, runs_mask)


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
def stretch_from(card: int, length: int) -> Any:
    """Return the mask of the stretch of `length` (1 to 13) cards of a suit from `card` up."""
    return (_EVERY_FOURTH & (bit(4 * length) - ONE)) << np.uint64(card)


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
    points = popcount(mask & planes[4])
    points = (points << 1) + popcount(mask & planes[3])
    points = (points << 1) + popcount(mask & planes[2])
    points = (points << 1) + popcount(mask & planes[1])
    points = (points << 1) + popcount(mask & planes[0])
    for plane in range(5, rules.n_planes):  # only where a card is worth more than 31
        points += popcount(mask & planes[plane]) << plane
    return points


@jit
def card_points(card: int, rules: Any) -> int:
    """Return the points of one card (its id)."""
    return rules.rank_points[card >> 2]


@jit
def dearest_card(mask: Any, rules: Any) -> int:
    """Return the id of the card of a mask that is worth the most, the highest id among equals."""
    if rules.rising == 0:
        mask = _dearest_cards(mask, rules)
    return 63 - leading_zeros(mask)


@jit
def _dearest_cards(mask: Any, rules: Any) -> Any:
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
