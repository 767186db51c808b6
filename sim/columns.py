"""The columns of a run's rows, each declared once: name, type, unit and a sentence.

A row is a match. What is counted for both sides has a column for each, with `_a` for the
pairing's first strategy and `_b` for its second; what is counted for each deal has a column a
deal, with the deal's number (from 1) at the end.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Column:
    """One column: its name (without `_a`, `_b` or a deal's number), numpy type, unit, meaning."""

    name: str
    dtype: str
    unit: str
    doc: str


MATCH_COLUMNS = (
    Column("board", "i8", "number", "the board: the decks and the dealer, the same for all"),
    Column("rotation", "i4", "0 or 1", "0: strategy a sits at seats 0 and 2; 1: at seats 1 and 3"),
    Column("dealer", "i4", "seat", "who deals first: board mod 4"),
    Column("turns", "i4", "turns", "turns of all deals"),
)

SIDE_COLUMNS = (
    Column("score", "i4", "points", "score of the match"),
    Column("stock_draws", "i4", "draws", "draws from the stock"),
    Column("takes", "i4", "draws", "draws from the pile"),
    Column("cards_taken", "i4", "cards", "cards taken from the pile"),
    Column("sets", "i4", "plays", "sets laid"),
    Column("runs", "i4", "plays", "runs laid: plays of min_run or more cards in a suit"),
    Column("layoffs", "i4", "plays", "other plays: cards added to melds on the table"),
    Column("doubles", "i4", "plays", "four of a kind laid as one play that was multiplied"),
    Column("set_points", "i4", "points", "from the cards of sets, each counted once"),
    Column("run_points", "i4", "points", "from the cards of runs"),
    Column("layoff_points", "i4", "points", "from cards laid off"),
    Column("double_points", "i4", "points", "added by multiplying four of a kind"),
    Column("out_points", "i4", "points", "for going out"),
    Column("left_points", "i4", "points", "left in hands, taken off the score"),
    Column("outs", "i4", "deals", "deals in which a player of the side went out"),
    Column("passes", "i4", "turns", "passes"),
    Column("floats", "i4", "turns", "last cards discarded without going out"),
    Column("keeps", "i4", "turns", "turns that ended without a discard (house rules)"),
    Column("decisions", "i4", "calls", "calls of the strategy's hooks, where it had a choice"),
)

DEAL_COLUMNS = (
    Column("deal_turns", "i4", "turns", "turns of the deal"),
    Column("deal_end", "i4", "code", "0: a went out, 1: b, 2: stock exhausted, 3: cut off"),
    Column("deal_score_a", "i4", "points", "score of the deal for a"),
    Column("deal_score_b", "i4", "points", "score of the deal for b"),
)

ENDS = ("a went out", "b went out", "stock exhausted", "cut off")

ROW_DTYPE = np.dtype([(c.name, c.dtype) for c in MATCH_COLUMNS], align=True)
SIDE_DTYPE = np.dtype([(c.name, c.dtype) for c in SIDE_COLUMNS], align=True)
DEAL_DTYPE = np.dtype([(c.name, c.dtype) for c in DEAL_COLUMNS], align=True)


def match_bytes(deals: int) -> int:
    """Return how many bytes the rows of a match take in memory."""
    return ROW_DTYPE.itemsize + 2 * SIDE_DTYPE.itemsize + deals * DEAL_DTYPE.itemsize


def column_names(deals: int) -> list[str]:
    """Return the names of all columns of a run's rows whose matches have `deals` deals."""
    names = [column.name for column in MATCH_COLUMNS]
    names += [f"{column.name}_{side}" for side in "ab" for column in SIDE_COLUMNS]
    names += [f"{column.name}_{deal + 1}" for deal in range(deals) for column in DEAL_COLUMNS]
    return names


def to_columns(rows: np.ndarray, sides: np.ndarray, deals: np.ndarray) -> dict[str, np.ndarray]:
    """Return what the kernel filled as columns, in the order of `column_names`.

    Parameters
    ----------
    rows : ROW_DTYPE, shape (n,)
    sides : SIDE_DTYPE, shape (n, 2)
    deals : DEAL_DTYPE, shape (n, deals)
    """
    columns = {column.name: rows[column.name] for column in MATCH_COLUMNS}
    for index, side in enumerate("ab"):
        for column in SIDE_COLUMNS:
            columns[f"{column.name}_{side}"] = sides[column.name][:, index]
    for deal in range(deals.shape[1]):
        for column in DEAL_COLUMNS:
            columns[f"{column.name}_{deal + 1}"] = deals[column.name][:, deal]
    return columns
