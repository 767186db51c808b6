"""What the tables of the field say in plain words, and the values that its sections show."""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from .numbers import interval_digits, percent, signed
from .verdict import listed

MOST_REVERSALS = 5
MOST_CYCLES = 10


def field_parts(tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Return what the page's sections of the field need, by the names of its template."""
    absent = tables["absent"]
    digits = {
        (name, value): interval_digits(tables[name], value, scale)
        for name, value, scale in _COLUMNS
        if value in tables[name]
    }
    records = {
        name: tables[name].to_dict("records")
        for name in ("ratings", "seats", "partners", "synergies", "metagame", "cycles")
    }
    return {
        "field": records,
        "field_digits": digits,
        "absent": dict(zip(absent["table"], absent["why"], strict=True)),
        "letters": {row["strategy"]: row["elo_letters"] for row in records["ratings"]},
        "rating_words": rating_words(tables["ratings"], tables["reversals"]),
        "nash_words": nash_words(tables["metagame"]),
        "cyclic_words": told_of_cycles(tables["cyclic"], len(tables["metagame"])),
        "most_cycles": MOST_CYCLES,
    }


_COLUMNS = (
    ("ratings", "elo", 1),
    ("ratings", "points", 1),
    ("partners", "own", 1),
    ("partners", "as_partner", 1),
    ("partners", "drawn_margin", 1),
    ("partners", "drawn_share", 100),
    ("synergies", "synergy", 1),
    ("metagame", "nash_mass", 100),
    ("metagame", "nash_rating", 100),
    ("metagame", "alpha_rank", 100),
)


def rating_words(rated: pd.DataFrame, reversed_: pd.DataFrame) -> list[str]:
    """Return who is not told apart by each rating, and where the two disagree in order."""
    if rated.empty:
        return []
    if rated["elo_low"].isna().any():
        sentences = ["One board does not tell anybody apart."]
    else:
        sentences = [_told_groups("By matches won (Elo)", rated, "elo_letters")]
        sentences.append(_told_groups("By points", rated, "points_letters"))
    if rated["is_separated"].any():
        sentences.append(
            "Somebody won or lost all matches: each pairing was given one drawn match, so that "
            "there is an Elo at all; its size says little."
        )
    if reversed_.empty:
        return [*sentences, "Elo and points put all in the same order."]
    pairs = [
        f"{row.by_elo} ahead of {row.by_points} by Elo ({signed(row.elo)}, "
        f"{_APART[bool(row.elo_apart)]}) but behind by points ({signed(-row.points)}, "
        f"{_APART[bool(row.points_apart)]})"
        for row in reversed_.head(MOST_REVERSALS).itertuples()
    ]
    more = len(reversed_) - len(pairs)
    return [
        *sentences,
        f"The two ratings disagree in order: {'; '.join(pairs)}"
        + (f"; and {more} pairs more." if more else "."),
    ]


_APART = {True: "told apart", False: "not told apart"}


def _told_groups(by: str, rated: pd.DataFrame, column: str) -> str:
    groups: dict[str, list[str]] = {}
    for name, letters in zip(rated["strategy"], rated[column], strict=True):
        for letter in re.findall(r"[a-z]\d*", letters):
            groups.setdefault(letter, []).append(name)
    level = [names for _, names in sorted(groups.items()) if len(names) > 1]
    if not level:
        return f"{by} all are told apart from one another."
    told = "; nor ".join(listed(names) for names in level)
    rest = "" if len(level) == 1 and len(level[0]) == len(rated) else " All other pairs are."
    return f"{by} these are not told apart from one another: {told}.{rest}"


def nash_words(moves: pd.DataFrame) -> str:
    """Return the mixture that nobody beats, in words."""
    used = moves[moves["nash_mass"] > 0.0005] if len(moves) else moves
    if used.empty:
        return ""
    if len(used) == 1:
        sole = used.iloc[0]
        sure = (
            f" ({percent(sole['in_support'], 1)} % of the draws of boards have it in the mixture)"
        )
        return (
            f"Nothing here beats {sole['strategy']}, so that one enters it alone"
            f"{sure if pd.notna(sole['in_support']) else ''}."
        )
    parts = [f"{percent(row.nash_mass, 1)} % {row.strategy}" for row in used.itertuples()]
    return f"The mixture that nothing here beats: {listed(parts)}."


def told_of_cycles(cyclic: pd.DataFrame, strategies: int) -> str:
    """Return what `field_tables.cyclic` says; nothing for no row."""
    if cyclic.empty:
        return ""
    row = cyclic.iloc[0]
    if pd.isna(row["share"]):
        return "Everybody is level with everybody: there is nothing that a rating could explain."
    share = f"Of the squared payoffs {100 * row['share']:.2f} % are explained by no rating"
    if pd.notna(row["by_luck"]):
        share += f" (by luck alone {100 * row['by_luck']:.2f} %)"
    if strategies < 3:
        return f"{share}. Two strategies make no cycle."
    if not row["cycles"]:
        return (
            f"{share}. There is no cycle of three: that share is sizes which no rating gets right, "
            "not order."
        )
    return (
        f"{share}. Cycles of three: {int(row['cycles']):,}, in {int(row['told_apart']):,} all "
        "three leads are told apart from zero. By their smallest lead:"
    )
