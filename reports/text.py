"""Tables as text: for the terminal with sparklines, as Markdown, CSV, and plain values."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table

from .numbers import UNKNOWN

SPARKS = "▁▂▃▄▅▆▇█"
SPARK_WIDTH = 14


def as_csv(frame: pd.DataFrame) -> str:
    """Return a table as CSV; an index of names is its first column, strategy."""
    named = _has_names(frame)
    return str(
        frame.to_csv(index=named, index_label="strategy" if named else None, lineterminator="\n")
    )


def as_markdown(frame: pd.DataFrame) -> str:
    """Return a table as Markdown, numbers rounded to what can be read, text as it is."""
    headings, rights, rows = _for_people(frame)
    lines = [headings, ["--:" if right else ":--" for right in rights], *rows]
    return "".join(f"| {' | '.join(_escaped(cell) for cell in line)} |\n" for line in lines)


def as_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a table as a list of objects, as JSON can hold it: what is unknown is None."""
    flat = _flat(frame)
    return [
        {str(name): _plain(value) for name, value in zip(flat.columns, row, strict=True)}
        for row in flat.itertuples(index=False)
    ]


def sparklines(tables: Mapping[str, pd.DataFrame]) -> dict[str, dict[str, str]]:
    """Return, for the tables of quantiles of distributions, a sparkline by strategy."""
    found: dict[str, dict[str, str]] = {}
    for name in ("score", "margin"):
        bins = tables[f"{name}_bins"]
        tallest = bins["share"].max() if len(bins) else 0
        found[f"{name}_quantiles"] = {
            str(strategy): _spark(part["share"].to_list(), tallest)
            for strategy, part in bins.groupby("strategy", sort=False)
        }
    return found


def print_frame(
    title: str,
    frame: pd.DataFrame,
    sparks: Mapping[str, str] | None = None,
    console: Console | None = None,
) -> None:
    """Print a table; `sparks` are put behind the names of its first column."""
    console = console or Console(markup=False)
    headings, rights, rows = _for_people(frame)
    table = Table(title=title)
    for heading, right in zip(headings, rights, strict=True):
        table.add_column(heading, justify="right" if right else "left")
    if sparks:
        table.add_column("distribution", no_wrap=True)
    for row in rows:
        table.add_row(*row, *([sparks.get(row[0], "")] if sparks else []))
    console.print(table)


def _for_people(frame: pd.DataFrame) -> tuple[list[str], list[bool], list[list[str]]]:
    """Return headings, which columns are of numbers, and cells; an interval is one column."""
    flat = _flat(frame)
    ends = {name: (f"{name}_low", f"{name}_high") for name in map(str, flat.columns)}
    ends = {name: two for name, two in ends.items() if set(two) <= set(flat.columns)}
    names = [name for name in flat.columns if not any(name in two for two in ends.values())]
    rights = [pd.api.types.is_numeric_dtype(flat[name]) for name in names]
    rows = []
    for row in flat.to_dict("records"):
        cells = [_cell(row[name]) for name in names]
        for place, name in enumerate(names):
            if name in ends:
                low, high = (_cell(row[end], _digits(row[name])) for end in ends[name])
                cells[place] += f" ({low} to {high})" if low != UNKNOWN else ""
        rows.append(cells)
    return [str(name) for name in names], rights, rows


def _spark(shares: list[float], tallest: float) -> str:
    """Return a distribution as a line of bars, neighbouring bins taken together."""
    step = math.ceil(len(shares) / SPARK_WIDTH)
    heights = [max(shares[k : k + step]) for k in range(0, len(shares), step)]
    top = len(SPARKS) - 1
    return "".join(" " if h == 0 else SPARKS[round(top * h / tallest)] for h in heights)


def _has_names(frame: pd.DataFrame) -> bool:
    return not isinstance(frame.index, pd.RangeIndex)


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index of names is its first column."""
    return frame.rename_axis("strategy").reset_index() if _has_names(frame) else frame


def _plain(value: Any) -> Any:
    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value


def _cell(value: Any, digits: int | None = None) -> str:
    """Return a value for people, with so many digits behind the point (`_digits`)."""
    plain = _plain(value)
    if plain is None:
        return UNKNOWN
    if isinstance(plain, float):
        return f"{plain:,.{_digits(plain) if digits is None else digits}f}"
    return f"{plain:,}" if isinstance(plain, int) else str(plain)


def _digits(value: float) -> int:
    """Return how many digits behind the point show four digits that count."""
    if pd.isna(value) or value == 0:
        return 0
    return max(0, 3 - math.floor(math.log10(abs(value))))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
