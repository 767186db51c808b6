"""Summaries of a pairing: exact integers that add up, from which all statistics are made.

Sums are kept over 256 fixed groups of boards (board mod 256), the same groups for all pairings.
They give variances that respect boards, covariances between pairings, and resampling, without
the rows; with up to 256 boards a group *is* a board. Histograms are exact too. Memory does not
grow with the matches, and the summaries of two disjoint sets of boards add up to that of both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .columns import SIDE_COLUMNS

N_GROUPS = 256
CHUNK = 8 * N_GROUPS  # rows that are summed at a time: they stay in the processor's cache
PAIRS = ("LL", "LD", "WL+DD", "WD", "WW")

GROUP_COLUMNS: dict[str, str] = {
    "boards": "boards played",
    "matches": "matches played",
    "wins": "matches won by a",
    "draws": "matches drawn",
    "losses": "matches lost by a",
    "margin": "margin of a, points, summed over matches",
    "margin_0": "margin of a in rotation 0, points, summed over matches",
    "dealer_margin": "margin of the dealing team in a deal, points, summed over deals",
    "first_dealer_margin": "margin of the team that deals first, points, summed over matches",
    "first_dealer_half_wins": "half-wins (0 to 2) of the team that deals first",
    "margin_squared": "squared margin of a match, summed over matches",
    "board_margin_squared": "squared sum of a board's two margins, summed over boards",
    "board_share_squared": "squared half-wins of a board (0 to 4), summed over boards",
    **{
        f"pairs_{index}": f"boards with the outcome {pair} for a"
        for index, pair in enumerate(PAIRS)
    },
    "turns": "turns, summed over matches",
    **{f"{c.name}_{side}": f"{c.doc} ({side})" for side in "ab" for c in SIDE_COLUMNS},
}
"""The integer columns of a group, with what they sum; declared once."""

HISTOGRAMS: dict[str, str] = {
    "score_a": "score of a match, a",
    "score_b": "score of a match, b",
    "margin": "margin of a match, a over b",
    "deal_turns": "turns of a deal",
    "deal_end": "how a deal ended (columns.ENDS)",
    "deal_score_a": "score of a deal, a",
    "deal_score_b": "score of a deal, b",
}

EXTREMES: dict[str, str] = {
    "win_a": "largest margin of a",
    "win_b": "largest margin of b",
    "closest": "smallest margin of either, with a minus",
    "longest": "most turns",
    "highest": "highest score of a side",
    "floats": "most floats of both sides",
    "doubling": "most points of a side by multiplying four of a kind",
}
"""Of which the match is remembered: the first (by board, then rotation) with the largest value."""
NO_MATCH = np.iinfo(np.int64).min


@dataclass
class Histogram:
    """Exact counts of an integer quantity: sorted values, and how often each occurred."""

    values: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, values: np.ndarray, counts: np.ndarray) -> None:
        """Add further counts; the values may come in any order."""
        merged, place = np.unique(np.concatenate([self.values, values]), return_inverse=True)
        total = np.zeros(merged.size, np.int64)
        np.add.at(total, place, np.concatenate([self.counts, counts]))
        self.values, self.counts = merged.astype(np.int64), total


@dataclass
class PairingSummary:
    """Sums of a pairing: `groups` (int64, shape (256, n)) by `GROUP_COLUMNS`, and histograms.

    `extremes` (int64, shape (n, 3)) are value, board and rotation by `EXTREMES`; the value is
    `NO_MATCH` where there is none.
    """

    groups: np.ndarray = field(
        default_factory=lambda: np.zeros((N_GROUPS, len(GROUP_COLUMNS)), np.int64)
    )
    histograms: dict[str, Histogram] = field(
        default_factory=lambda: {name: Histogram() for name in HISTOGRAMS}
    )
    extremes: np.ndarray = field(
        default_factory=lambda: np.tile(np.array([NO_MATCH, 0, 0]), (len(EXTREMES), 1))
    )

    def column(self, name: str) -> np.ndarray:
        """Return one column of the groups, int64, shape (256,)."""
        return self.groups[:, list(GROUP_COLUMNS).index(name)]

    def total(self, name: str) -> int:
        """Return the sum of a column over all groups."""
        return int(self.column(name).sum())

    def pairs(self) -> list[int]:
        """Return how many boards ended LL, LD, WL+DD, WD, WW for a."""
        return [self.total(f"pairs_{index}") for index in range(len(PAIRS))]

    def merge(self, other: "PairingSummary") -> None:
        """Add the summary of other boards to this one."""
        self.groups += other.groups
        for name, histogram in other.histograms.items():
            self.histograms[name].add(histogram.values, histogram.counts)
        for mine, its in zip(self.extremes, other.extremes, strict=True):
            if (its[0], *-its[1:]) > (mine[0], *-mine[1:]):
                mine[:] = its

    def extreme(self, name: str) -> tuple[int, int, int] | None:
        """Return value, board and rotation of one of `EXTREMES`; None where nothing was played."""
        value, board, rotation = (int(x) for x in self.extremes[list(EXTREMES).index(name)])
        return None if value == NO_MATCH else (value, board, rotation)

    def equals(self, other: "PairingSummary") -> bool:
        """Return whether another summary says the same."""
        same = np.array_equal(self.groups, other.groups)
        return (same and np.array_equal(self.extremes, other.extremes)) and all(
            np.array_equal(histogram.values, other.histograms[name].values)
            and np.array_equal(histogram.counts, other.histograms[name].counts)
            for name, histogram in self.histograms.items()
        )


def summarize(columns: Mapping[str, np.ndarray], deals: int) -> PairingSummary:
    """Return the summary of some rows of one pairing.

    Parameters
    ----------
    columns
        The columns of `columns.column_names`: consecutive boards in order, both rotations of each.
    deals : int
        Deals in a match.
    """
    summary = PairingSummary()
    n_rows = len(columns["board"])
    for start in range(0, n_rows, CHUNK):
        some = {name: column[start : start + CHUNK] for name, column in columns.items()}
        summary.groups += _group_sums(some, deals)
    _fill_histograms(summary, columns, deals)
    if n_rows:
        summary.extremes = _find_extremes(columns)
    return summary


def _find_extremes(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the extremes of some rows, as in a summary."""
    score, floats, doubling = (
        [np.asarray(columns[f"{name}_{side}"], np.int64) for side in "ab"]
        for name in ("score", "floats", "double_points")
    )
    margin = score[0] - score[1]
    values = {
        "win_a": margin,
        "win_b": -margin,
        "closest": -np.abs(margin),
        "longest": columns["turns"],
        "highest": np.maximum(*score),
        "floats": floats[0] + floats[1],
        "doubling": np.maximum(*doubling),
    }
    places = [int(np.argmax(values[name])) for name in EXTREMES]  # the first of several
    return np.array(
        [
            (values[name][place], columns["board"][place], columns["rotation"][place])
            for name, place in zip(EXTREMES, places, strict=True)
        ],
        np.int64,
    )


def _group_sums(columns: Mapping[str, np.ndarray], deals: int) -> np.ndarray:
    """Return the groups of some rows, as in a summary."""
    boards = np.asarray(columns["board"], np.int64)[::2]
    score_a, score_b = (np.asarray(columns[f"score_{side}"], np.int64) for side in "ab")
    margin = score_a - score_b
    half_wins = np.sign(margin) + 1  # 2 for a match won, 1 drawn, 0 lost
    for_dealer = 1 - 2 * (np.asarray(columns["dealer"] ^ columns["rotation"], np.int64) & 1)
    board_margin = _by_board(margin)
    board_share = _by_board(half_wins)
    by_match = {
        "matches": np.ones_like(margin),
        "wins": half_wins == 2,
        "draws": half_wins == 1,
        "losses": half_wins == 0,
        "margin": margin,
        "margin_0": np.where(columns["rotation"] == 0, margin, 0),
        "dealer_margin": for_dealer * _dealing_margin(columns, deals),
        "first_dealer_margin": for_dealer * margin,
        "first_dealer_half_wins": for_dealer * (half_wins - 1) + 1,
        "margin_squared": margin**2,
        "turns": columns["turns"],
        **{f"{c.name}_{side}": columns[f"{c.name}_{side}"] for side in "ab" for c in SIDE_COLUMNS},
    }
    by_board = {
        "boards": np.ones_like(boards),
        "board_margin_squared": board_margin**2,
        "board_share_squared": board_share**2,
        **{f"pairs_{index}": board_share == index for index in range(len(PAIRS))},
    }
    values = np.zeros((boards.size, len(GROUP_COLUMNS)), np.int64)
    for index, name in enumerate(GROUP_COLUMNS):
        if name in by_match:
            values[:, index] = _by_board(by_match[name])
        else:
            values[:, index] = by_board[name]
    return _sum_by_group(values, int(boards[0]))


def _dealing_margin(columns: Mapping[str, np.ndarray], deals: int) -> np.ndarray:
    """Return the sum of the margins of a in the deals of its side's turn to deal, less the others.

    The sign is for a match in which a deals first: the deal passes to the other side each time.
    """
    total = np.zeros(len(columns["board"]), np.int64)
    for deal in range(deals):
        a, b = (columns[f"deal_score_{side}_{deal + 1}"] for side in "ab")
        total += (-1) ** deal * (np.asarray(a, np.int64) - b)
    return total


def _by_board(values: np.ndarray) -> np.ndarray:
    """Return the sums over the two matches of each board, int64."""
    return np.asarray(values[::2], np.int64) + values[1::2]


def _sum_by_group(values: np.ndarray, first_board: int) -> np.ndarray:
    """Return sums over board mod 256 of rows that are consecutive boards."""
    before = first_board % N_GROUPS
    after = -(before + len(values)) % N_GROUPS
    padded = np.pad(values, ((before, after), (0, 0)))
    return padded.reshape(-1, N_GROUPS, values.shape[1]).sum(axis=0)


def _fill_histograms(
    summary: PairingSummary, columns: Mapping[str, np.ndarray], deals: int
) -> None:
    margin = np.asarray(columns["score_a"], np.int64) - columns["score_b"]
    for name in HISTOGRAMS:
        if name == "margin":
            quantities = [margin]
        elif name.startswith("deal_"):
            quantities = [columns[f"{name}_{deal + 1}"] for deal in range(deals)]
        else:
            quantities = [columns[name]]
        for quantity in quantities:
            summary.histograms[name].add(*np.unique(quantity, return_counts=True))
