"""The luck of the draw: what a card from the stock was worth above the mean of all it might be.

To one who sees all hands the next card of the stock is any of those left, each as likely. So for
any function phi(position, card) that looks only at what was before the draw,

    phi(position, card drawn) - mean over the stock of phi(position, card)

has the mean zero, whoever plays and however. Summed over a team's draws, less those of the other
team, it is the team's luck: a vector, by `FEATURES`, whose mean over matches is zero exactly. A
margin less any fixed combination of it has the margin's mean and, where the features say what a
card is worth, less variance.

The deal needs no such correction: both rotations of a board begin with the same hands.

Source: Burch, Schmid, Moravčík, Morrill and Bowling, "AIVAT: a new variance reduction technique
for agent evaluation in imperfect information games" (2018), for events of chance alone; White and
Bowling, "Learning a value analysis tool for agent evaluation" (2009), for value functions that are
linear in features.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bits import ONE, ZERO, bit, popcount
from .cards import SUITED_MASK
from .deal import apply_action, start_deal
from .jit import jit, jit_apart
from .match import Block, play_boards
from .melds import KIND_SHIFT, STOCK, card_points, playable_cards, points_of, rank_mask
from .rules import Rules
from .seeds import deck_key, shuffle
from .state import PLAYING, new_state
from .transcript import MAX_ACTIONS_A_DEAL
from .view import Player

LOGGED_DEALS = 128  # that are played, in each rotation, before their actions are gone through
_U2, _U3, _U4 = (np.uint64(n) for n in (2, 3, 4))

FEATURES: dict[str, str] = {
    "out": "with the card all that is in hand can be laid: what going out then earns (swing)",
    "nearly_out": "with the card all but one can be laid: the swing",
    "laid": "points that can be laid with the card and not without it",
    "idle": "cards in hand that cannot be laid, with the card less without it",
    "late": "points of the card times the share of the stock that is gone",
    "pair": "points of the card, if one of its rank is in hand",
    "beside": "points of the card, if a card next to it in its suit is in hand",
    "thrown": "points of the card, if one of its rank lies in the pile",
    "takeable": "points of the card, if one of its rank lies in the pile and one is in hand",
    "kept_from": "points of the card for each opponent who holds one of its rank",
}
"""What a card from the stock is judged by; the swing is the bonus for going out and the points in
the opponents' hands, less those in the partner's."""


@dataclass(frozen=True)
class Luck:
    """Boards that were played, and the luck in them.

    Attributes
    ----------
    block : Block
        What was played, as `match.play_boards` returns it.
    draws : float64, shape (boards, 2, features)
        The luck of the team of the first player in each match, in points, cards or points of
        swing, by rotation and by `FEATURES`.
    play_seconds, draws_seconds : float
        What it took to play, and to go through the draws after that.
    """

    block: Block
    draws: np.ndarray
    play_seconds: float
    draws_seconds: float


def play_with_luck(
    rules: Rules,
    players: Sequence[Player],
    seed: int,
    boards: int,
    game: np.ndarray | None = None,
) -> Luck:
    """Return the first boards of a seed, each in both rotations, with the luck of their draws.

    Parameters
    ----------
    players : four Player, by seat in rotation 0
    game
        As in `match.play_boards`.
    """
    at_once = max(1, LOGGED_DEALS // rules.deals)
    log = np.zeros(2 * at_once * rules.deals * MAX_ACTIONS_A_DEAL, np.uint64)
    draws = np.zeros((boards, 2, len(FEATURES)))
    _go_through(rules, seed, 0, draws[:0], log)  # compiles it, or loads it, before it is timed
    blocks: list[Block] = []
    play_seconds = draws_seconds = 0.0
    for first in range(0, boards, at_once):
        some = draws[first : first + at_once]
        started = time.perf_counter()
        blocks.append(play_boards(rules, players, seed, first, len(some), log=log, game=game))
        played = time.perf_counter()
        play_seconds += played - started
        if blocks[-1].failure is not None:
            break
        _go_through(rules, seed, first, some, log)
        draws_seconds += time.perf_counter() - played
    rows, sides, deals = (
        np.concatenate([getattr(block, name) for block in blocks])
        for name in ("rows", "sides", "deals")
    )
    block = Block(rows, sides, deals, blocks[-1].failure)
    return Luck(block, draws, play_seconds, draws_seconds)


def _go_through(
    rules: Rules, seed: int, first_board: int, draws: np.ndarray, log: np.ndarray
) -> None:
    """Add the luck in the logged actions of some boards to `draws`."""
    table, hidden = new_state(rules)
    deck = np.zeros(rules.pack_size, np.uint8)
    add_luck_of_boards(table[0], hidden[0], np.uint64(seed), first_board, log, deck, draws)


@jit
def card_worth(table: Any, hidden: Any, card: int, worth: Any) -> None:
    """Fill `worth` (float64, by `FEATURES`) with what a card means to the seat that draws it.

    It looks at nothing but the position before the draw: neither at what is drawn nor at the order
    of the stock.

    Parameters
    ----------
    card : int
        A card of the stock, any of those left.
    """
    rules, seat = table.rules, np.uint64(table.seat)
    hand, sets, runs = table.hand, table.sets_mask, table.runs_mask
    before = playable_cards(hand, sets, runs, rules.min_run)
    after = playable_cards(hand | bit(card), sets, runs, rules.min_run)
    idle_before = popcount(hand & ~before)
    idle_after = popcount((hand | bit(card)) & ~after)
    left, right = hidden.hands[(seat + ONE) & _U3], hidden.hands[(seat + _U3) & _U3]
    partner = hidden.hands[(seat + _U2) & _U3]
    swing = rules.out_bonus + points_of(left | right, rules) - points_of(partner, rules)
    points = card_points(card, rules)
    rank, suited = rank_mask(card), hand & SUITED_MASK
    neighbours = ((suited << _U4) | (suited >> _U4)) & SUITED_MASK
    in_pile = points * (table.pile_mask & rank != ZERO)
    stock_at_first = rules.pack_size - 29
    worth[0] = swing * (idle_after == 0)
    worth[1] = swing * (idle_after == 1)
    worth[2] = points_of(after, rules) - points_of(before, rules)
    worth[3] = idle_after - idle_before
    worth[4] = points * (1 - table.stock_size / stock_at_first)
    worth[5] = points * (popcount(hand & rank) == 1)
    worth[6] = points * (neighbours & bit(card) != ZERO)
    worth[7] = in_pile
    worth[8] = in_pile * (hand & rank != ZERO)
    worth[9] = points * ((left & rank != ZERO) + np.int64(right & rank != ZERO))


@jit_apart
def add_luck(table: Any, hidden: Any, sign: float, worth: Any, luck: Any) -> None:
    """Add the luck of the draw that is about to be made from the stock, times a sign, to `luck`.

    Parameters
    ----------
    table, hidden
        The position before the draw.
    sign : float
        1 where the team whose luck it is draws, -1 where the other does.
    worth : float64 array, overwritten
    luck : float64 array, modified in place
    """
    first, end = hidden.next_card, table.rules.pack_size
    share = sign / (end - first)
    for place in range(first, end):
        card_worth(table, hidden, np.int64(hidden.deck[np.uint64(place)]), worth)
        weight = (sign - share) if place == first else -share
        for feature in range(worth.size):
            luck[feature] += weight * worth[feature]


@jit_apart
def add_luck_of_boards(
    table: Any, hidden: Any, seed: Any, first_board: int, log: Any, deck: Any, draws: Any
) -> None:
    """Play the logged actions of some boards again and add up the luck of their draws.

    Parameters
    ----------
    table, hidden
        Records to work with; the rules stand in `table`.
    seed : uint64
    log : uint64 array
        The actions of all matches in order, as `match.play_boards` fills it.
    deck : uint8 array, overwritten
    draws : float64 array, shape (boards, 2, features), modified in place
        As in `Luck`.
    """
    rules, worth = table.rules, np.zeros(draws.shape[2])
    done = 0
    for board in range(draws.shape[0]):
        number = first_board + board
        for rotation in range(2):
            for deal in range(rules.deals):
                shuffle(deck, rules.pack_size, deck_key(seed, number, deal))
                start_deal(table, hidden, deck, (number + deal) & 3)
                while table.status == PLAYING:
                    action = log[done]
                    done += 1
                    if np.int64(action >> KIND_SHIFT) == STOCK:
                        sign = 1.0 if (table.seat ^ rotation) & 1 == 0 else -1.0
                        add_luck(table, hidden, sign, worth, draws[board, rotation])
                    apply_action(table, hidden, action)
