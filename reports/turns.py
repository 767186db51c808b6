"""Tables of what only a match itself can tell, turn by turn, from the sample of a run.

The sample is the first boards of each pairing (`sim.exemplars`), which are as good as any. A
*side* is the two players of a team; a turn is one player's, and turns are counted over all four.
The unit of each interval is the board. Where a run keeps no sample, the tables have no rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..sim.cards import JOKER_RANK
from ..sim.course import JOKERS, Course, course_of
from ..sim.melds import CARDS_MASK, DISCARD, KIND_SHIFT, SET, STOCK, TAKE
from ..sim.rules import Rules
from .results import Results
from .stats import mean_interval

LAID = {3: "three at once", 4: "four at once", 1: "the fourth, later"}
"""How cards of a rank are laid as a set, by how many they are."""

FATES = (*LAID.values(), "discarded", "left in hand")
"""What becomes of a joker that a side has held."""


def counted_sample(results: Results) -> list[dict[str, Any]]:
    """Return the transcripts of a run's sample whose pairings count."""
    names = results.names
    met = {(names[pairing.a], names[pairing.b]) for pairing, _ in results.played()}
    return [match for match in results.sample if (match["a"], match["b"]) in met]


def turn_tables(results: Results, order: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the tables of the sample by name; rows by strategy, as they stand in `order`.

    Means have their intervals, x_low and x_high, unknown with one board, and for a count of zero.

    course, course_back
        How deals stand after a turn: turn (0: the cards have been dealt), or turns_left (0: the
        deal is over); deals (that get there); a side's score (points on the table less those in
        its hands: what the deal would score if it ended now, going out aside), table (points on
        the table) and cards (in a player's hand).
    pile_takes
        By cards (taken at a time): takes (in the sample), share (of the side's takes), points
        (put on the table in that turn).
    doubles
        Sets other than of jokers, by how they were laid (`LAID`): plays, and points with what
        doubling added, a match.
    jokers
        What became of jokers (`FATES`): how many, and points that they brought or cost, a match.
        One that is discarded and taken again has two fates.
    habits
        boards, matches, deals (of a side in the sample); takes (a deal), cards_a_take; points
        put on the table in a turn that begins with a take, and with the stock (points_a_take,
        points_a_draw); when a deal is over, cards_left (in a player's hand) and jokers_left (in
        both).
    """
    told = _told(counted_sample(results), order, results.plan.rules)
    return {
        "course": _course(told, "turn"),
        "course_back": _course(told, "turns_left"),
        "pile_takes": _pile_takes(told),
        "doubles": _doubles(told),
        "jokers": _jokers(told),
        "habits": _habits(told),
    }


@dataclass(frozen=True)
class _Told:
    """What happened in a sample, and which side (place in `order`) and board each deal was of."""

    rules: Rules
    order: list[str]
    course: Course
    sides: np.ndarray  # of each deal the sides of team 0 and team 1
    boards: np.ndarray  # of each deal, numbered from 0
    n_boards: int

    def tally(self, deals: Any, teams: Any, values: Any = 1, keys: Any = 0, n: int = 1) -> Any:
        """Return sums of values by side, key (below n) and board."""
        place = (self.sides[deals, teams] * n + keys) * self.n_boards + self.boards[deals]
        place, values = np.broadcast_arrays(place, values)
        shape = (len(self.order), n, self.n_boards)
        sums = np.bincount(place.ravel(), values.ravel(), minlength=np.prod(shape, dtype=int))
        return sums.reshape(shape).astype(np.int64)

    def matches(self) -> Any:
        """Return the number of matches by side and board."""
        deals = np.arange(len(self.boards))[:, None]
        return self.tally(deals, np.arange(2)) // self.rules.deals

    def last_turns(self) -> np.ndarray:
        """Return the last turn of each deal."""
        turns = self.course.turns
        return turns[np.flatnonzero(np.append(turns["turn"][1:] == 0, len(turns) > 0))]


def _told(sample: list[dict[str, Any]], order: Sequence[str], rules: Rules) -> _Told:
    present = {match[side] for match in sample for side in "ab"}
    found = [name for name in order if name in present]
    seated = [
        [found.index(match[side]) for side in ("ba" if match["rotation"] else "ab")]
        for match in sample
    ]
    numbers, boards = np.unique([match["board"] for match in sample], return_inverse=True)
    return _Told(
        rules,
        found,
        course_of(sample, rules),
        np.repeat(np.array(seated, np.int64).reshape(-1, 2), rules.deals, axis=0),
        np.repeat(boards.astype(np.int64), rules.deals),
        len(numbers),
    )


def _means(name: str, sums: np.ndarray, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of a mean and its interval, a row a side and key.

    The interval of what is never negative begins at 0 at the earliest.
    """
    sums, sizes = np.broadcast_arrays(sums, sizes)
    rows = np.full((*sums.shape[:2], 3), np.nan)
    for place in np.ndindex(sums.shape[:2]):
        row, x, n = rows[place], sums[place], sizes[place]
        if n.any():
            interval = mean_interval(x, n)
            row[0] = interval.estimate
            if interval.low is not None and x.any():
                row[1:] = max(interval.low, 0) if x.min() >= 0 else interval.low, interval.high
    columns = rows.reshape(-1, 3).T
    return dict(zip((name, f"{name}_low", f"{name}_high"), columns, strict=True))


def _frame(told: _Told, keys: dict[str, Sequence[Any]], **columns: np.ndarray) -> pd.DataFrame:
    """Return a frame with a row a strategy and key, from columns in that order."""
    [(key, values)] = keys.items()
    index = {"strategy": np.repeat(told.order, len(values)), key: list(values) * len(told.order)}
    return pd.DataFrame(index | columns)


def _course(told: _Told, count: str) -> pd.DataFrame:
    turns, teams = told.course.turns[:, None], np.arange(2)
    deals, at = turns["deal"], turns["turn"]
    if count == "turns_left":
        at = told.last_turns()["turn"][deals] - at
    n = int(at.max(initial=0)) + 1

    def tally(values: Any = 1) -> Any:
        return told.tally(deals, teams, values, at, n)

    points, held, cards = (turns[name][:, 0] for name in ("points", "held", "cards"))
    reached = tally()
    frame = _frame(
        told,
        {count: range(n)},
        deals=reached.sum(axis=2).ravel(),
        **_means("score", tally(points - held), reached),
        **_means("table", tally(points), reached),
        **_means("cards", tally(cards), 2 * reached),
    )
    return frame[frame["deals"] > 0].reset_index(drop=True)


def _pile_takes(told: _Told) -> pd.DataFrame:
    rows = told.course.turns[told.course.turns["kind"] == TAKE]
    where, n = (rows["deal"], rows["seat"] & 1), int(rows["taken"].max(initial=0)) + 1
    takes = told.tally(*where, keys=rows["taken"], n=n)
    frame = _frame(
        told,
        {"cards": range(n)},
        takes=takes.sum(axis=2).ravel(),
        **_means("share", takes, takes.sum(axis=1, keepdims=True)),
        **_means("points", told.tally(*where, rows["laid"], rows["taken"], n), takes),
    )
    return frame[frame["takes"] > 0].reset_index(drop=True)


def _kinds(told: _Told) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return of each action its kind, how many cards it concerns, and whether these are jokers."""
    actions = told.course.actions
    cards = actions & CARDS_MASK
    kinds = (actions >> KIND_SHIFT).astype(np.int64)
    return kinds, np.bitwise_count(cards).astype(np.int64), cards & JOKERS != 0


def _doubles(told: _Told) -> pd.DataFrame:
    kinds, sizes, jokers = _kinds(told)
    course, these = told.course, (kinds == SET) & ~jokers
    where = course.deals[these], course.seats[these] & 1
    ways = np.array([list(LAID).index(size) for size in sizes[these]], np.int64)
    matches = told.matches()
    return _frame(
        told,
        {"laid": list(LAID.values())},
        **_means("plays", told.tally(*where, keys=ways, n=len(LAID)), matches),
        **_means("points", told.tally(*where, course.points[these], ways, len(LAID)), matches),
    )


def _jokers(told: _Told) -> pd.DataFrame:
    kinds, sizes, jokers = _kinds(told)
    course, n = told.course, len(FATES)
    these = jokers & ((kinds == SET) | (kinds == DISCARD))
    where = course.deals[these], course.seats[these] & 1
    fate = [
        FATES.index(LAID[size] if kind == SET else "discarded")
        for kind, size in zip(kinds[these], sizes[these], strict=True)
    ]
    fates = np.array(fate, np.int64)
    last, left = told.last_turns(), FATES.index("left in hand")
    at_end = last["deal"][:, None], np.arange(2)
    held = told.tally(*at_end, last["jokers"], left, n)
    worth, matches = told.rules.rank_points()[JOKER_RANK], told.matches()
    frame = _frame(
        told,
        {"fate": FATES},
        **_means("jokers", told.tally(*where, sizes[these], fates, n) + held, matches),
        **_means(
            "points", told.tally(*where, course.points[these], fates, n) - worth * held, matches
        ),
    )
    return frame if told.rules.jokers else frame[:0]


def _habits(told: _Told) -> pd.DataFrame:
    turns, last = told.course.turns, told.last_turns()
    matches = told.matches()
    deals, at_end = matches * told.rules.deals, (last["deal"][:, None], np.arange(2))

    def tally(kind: int, name: str = "") -> Any:
        rows = turns[turns["kind"] == kind]
        rows = rows[rows["turn"] > 0]
        return told.tally(rows["deal"], rows["seat"] & 1, rows[name] if name else 1)

    takes = tally(TAKE)
    return pd.DataFrame(
        {
            "strategy": told.order,
            "boards": (matches > 0).sum(axis=2).ravel(),
            "matches": matches.sum(axis=2).ravel(),
            "deals": deals.sum(axis=2).ravel(),
            **_means("takes", takes, deals),
            **_means("cards_a_take", tally(TAKE, "taken"), takes),
            **_means("points_a_take", tally(TAKE, "laid"), takes),
            **_means("points_a_draw", tally(STOCK, "laid"), tally(STOCK)),
            **_means("cards_left", told.tally(*at_end, last["cards"]), 2 * deals),
            **_means("jokers_left", told.tally(*at_end, last["jokers"]), deals),
        }
    )
