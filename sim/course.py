"""Transcripts turn by turn, as arrays: one compiled pass over the actions of many matches.

`sim.transcript.replay` checks every word of a transcript; what a run keeps has been checked, so
that here the actions are only played.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .bits import popcount
from .cards import FULL_MASK, SUITED_MASK, parse_card
from .deal import apply_action, hand_of, points_in_hands, start_deal
from .jit import jit_apart
from .melds import KIND_SHIFT, PASS, TAKE
from .notation import parse_action
from .rules import Rules
from .state import new_state

JOKERS = FULL_MASK & ~SUITED_MASK
NO_TURN = -1

TURN_DTYPE = np.dtype(
    [
        ("deal", "i8"),  # its place among the deals of all transcripts
        ("turn", "i8"),  # turns finished in the deal; 0: the cards have been dealt
        ("seat", "i8"),  # whose turn it was; NO_TURN before the first
        ("kind", "i8"),  # how it was begun: `melds.STOCK`, `TAKE` or `PASS`
        ("taken", "i8"),  # cards taken from the pile
        ("laid", "i8"),  # points put on the table in the turn, doubling among them
        ("points", "i8", (2,)),  # of each team on the table, from here on after the turn
        ("held", "i8", (2,)),  # points of the cards in the hands of each team
        ("cards", "i8", (2,)),  # cards in the hands of each team
        ("jokers", "i8", (2,)),  # of these, jokers
    ],
    align=True,
)


@dataclass(frozen=True)
class Course:
    """What happened in some deals.

    Attributes
    ----------
    turns : TURN_DTYPE, shape (turns and deals,)
        In order; the first of each deal is turn 0.
    actions : uint64, shape (actions,)
    deals, seats, points : int64, shape (actions,)
        Of each action the deal that it belongs to, who did it, and what it put on the table.
    """

    turns: np.ndarray
    actions: np.ndarray
    deals: np.ndarray
    seats: np.ndarray
    points: np.ndarray


_action = cache(parse_action)
_card = cache(parse_card)


def course_of(transcripts: Sequence[dict[str, Any]], rules: Rules) -> Course:
    """Return what happened in transcripts that hold, all of matches under the same rules."""
    deals = [deal for transcript in transcripts for deal in transcript["deals"]]
    sizes = np.array([len(deal["actions"]) for deal in deals], np.int64)
    texts = (text for deal in deals for text in deal["actions"])
    actions = np.fromiter(map(_action, texts), np.uint64, int(sizes.sum()))
    cards = (_card(text) for deal in deals for text in deal["deck"].split(" "))
    decks = np.fromiter(cards, np.uint8).reshape(len(deals), rules.pack_size)
    dealers = np.array([deal["dealer"] for deal in deals], np.int64)
    turns = np.zeros(len(actions) + len(deals), TURN_DTYPE)
    done = np.zeros((len(actions), 2), np.int64)
    table, hidden = new_state(rules)
    if deals:
        ends = np.cumsum(sizes)
        rows = play_through(table[0], hidden[0], decks, dealers, ends, actions, done, turns)
        turns = turns[:rows]
    of_deal = np.repeat(np.arange(len(deals)), sizes)
    return Course(turns, actions, of_deal, done[:, 0], done[:, 1])


@jit_apart
def note(table: Any, hidden: Any, deal: int, row: Any) -> None:
    """Write how a deal stands between two turns into a row (TURN_DTYPE record)."""
    row.deal, row.turn = deal, table.turns
    for team in range(2):
        row.points[team] = table.points[team]
        row.held[team] = points_in_hands(table, hidden, team)
        row.cards[team] = table.counts[team] + table.counts[team + 2]
        held = hand_of(table, hidden, team) | hand_of(table, hidden, team + 2)
        row.jokers[team] = popcount(held & JOKERS)


@jit_apart
def play_through(
    table: Any,
    hidden: Any,
    decks: Any,
    dealers: Any,
    ends: Any,
    actions: Any,
    seats_and_points: Any,
    turns: Any,
) -> int:
    """Play deals and fill in what `Course` says of actions and turns; return how many turns.

    Parameters
    ----------
    table, hidden
        Records to work with; the rules stand in `table`.
    decks : uint8 array, shape (deals, cards)
    dealers, ends : int64 arrays, shape (deals,)
        Who deals, and the number of actions up to the end of each deal.
    """
    done = rows = 0
    for deal in range(decks.shape[0]):
        start_deal(table, hidden, decks[deal], dealers[deal])
        turns[rows].seat = NO_TURN
        note(table, hidden, deal, turns[rows])
        rows += 1
        points = 0
        while done < ends[deal]:
            row, turn, seat, size = turns[rows], table.turns, table.seat, table.pile_size
            kind = np.int64(actions[done] >> KIND_SHIFT)
            before = table.points[seat & 1]
            if kind <= PASS:  # a turn begins
                row.kind, points = kind, before
            apply_action(table, hidden, actions[done])
            seats_and_points[done, 0] = seat
            seats_and_points[done, 1] = table.points[seat & 1] - before
            done += 1
            if kind == TAKE:
                row.taken = size - table.pile_size
            if table.turns > turn:
                row.seat, row.laid = seat, table.points[seat & 1] - points
                note(table, hidden, deal, row)
                rows += 1
    return rows
