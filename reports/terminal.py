"""Tables of results for the terminal."""

import math
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .metagame import Cycle, Metagame
from .ratings import Ratings
from .results import Results
from .stats import Interval
from .tables import crosstable, standings

_MOST_CYCLES = 10


def _with_half_width(row: dict[str, float], name: str, scale: float, digits: int) -> str:
    value = scale * row[name]
    if math.isnan(row[f"{name}_low"]):
        return f"{value:.{digits}f}"
    half = scale * (row[f"{name}_high"] - row[f"{name}_low"]) / 2
    return f"{value:.{digits}f} ± {half:.{digits}f}"


def print_tournament(results: Results, console: Console | None = None) -> None:
    """Print standings and, for three strategies or more, the crosstable of margins."""
    console = console or Console()
    table = Table(
        title=f"{results.manifest['matches']:,} matches, seed {results.plan.seed}",
        caption="± 95 % confidence, by boards; margin and score in points a match",
    )
    for heading, justify in (
        ("", "right"),
        ("strategy", "left"),
        ("matches", "right"),
        ("won %", "right"),
        ("margin", "right"),
        ("score", "right"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for place, row in enumerate(standings(results).to_dict("records"), start=1):
        table.add_row(
            str(place),
            str(row["strategy"]),
            f"{row['matches']:,}",
            _with_half_width(row, "win_share", 100, 2),
            _with_half_width(row, "margin", 1, 2),
            f"{row['score']:.1f}",
        )
    console.print(table)
    if len(results.names) > 2:
        console.print(_crosstable(results))


def _crosstable(results: Results) -> Table:
    margins = crosstable(results, "margin")
    shares = crosstable(results, "win_share")
    table = Table(title="row against column: margin (won %)")
    table.add_column("")
    for name in margins.columns:
        table.add_column(str(name), justify="right")
    for name in margins.index:
        cells = [
            ""
            if math.isnan(margins.loc[name, other])
            else f"{margins.loc[name, other]:+.1f} ({100 * shares.loc[name, other]:.1f})"
            for other in margins.columns
        ]
        table.add_row(str(name), *cells)
    return table


def print_ratings(elo: Ratings, points: Ratings, console: Console | None = None) -> None:
    """Print two ratings of a field, in the order of the first."""
    console = console or Console()
    table = Table(
        title="ratings",
        caption="± 95 % confidence of the lead on the field's mean, by boards that all share",
    )
    for heading, justify in (
        ("", "right"),
        ("strategy", "left"),
        ("Elo", "right"),
        ("points a match", "right"),
        ("not told apart from", "left"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    by_points = {row["strategy"]: row["rating"] for row in points.to_json()}
    for place, row in enumerate(elo.to_json(), start=1):
        name = row["strategy"]
        table.add_row(
            str(place),
            name,
            _with_ends(row["rating"]),
            _with_ends(by_points[name]),
            ", ".join(row["level_with"]),
        )
    console.print(table)
    if elo.is_separated:
        console.print(
            "Somebody won or lost all matches: each pairing was given one drawn match, so that "
            "there is an Elo at all; its size says little."
        )


def _with_ends(interval: dict[str, Any]) -> str:
    half = "" if interval["low"] is None else f" ± {(interval['high'] - interval['low']) / 2:.1f}"
    return f"{interval['estimate']:.1f}{half}"


def print_metagame(game: Metagame, console: Console | None = None) -> None:
    """Print the meta-game: whom to enter, what a population comes to, and who goes in a circle."""
    console = console or Console()
    by_share = game.of == "win_share"
    scale, unit = (100, "% of matches") if by_share else (1, "points a match")
    digits = 2 if by_share else 1
    table = Table(
        title=f"meta-game of {'win shares' if by_share else 'margins'}",
        caption=f"shares in %, rating in {unit}; "
        + (
            f"in brackets 95 % of {len(game.draws.masses):,} draws of boards; "
            "in support: in how many of them"
            if game.draws is not None
            else "no intervals: no draws, or a pairing with fewer than two groups of boards"
        ),
    )
    for heading, justify in (
        ("strategy", "left"),
        ("Nash %", "right"),
        ("in support", "right"),
        ("Nash rating", "right"),
        ("alpha-rank %", "right"),
        ("replicator", "right"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for k in game.order:
        support = game.in_support(k)
        table.add_row(
            game.names[k],
            _with_bounds(game.nash_mass(k), 100, 1),
            "" if support is None else f"{100 * support:.1f}",
            _with_bounds(game.nash_rating(k), scale, digits),
            _with_bounds(game.alpha_rank(k), 100, 1),
            f"{100 * game.course.averages[-1, k]:.1f}",
        )
    console.print(table)
    console.print(_told_of_cycles(game), highlight=False)
    for cycle in game.cycles[:_MOST_CYCLES]:
        console.print(f"  {_told_cycle(cycle, scale, digits)}", highlight=False)
    if len(game.cycles) > _MOST_CYCLES:
        console.print(f"  and {len(game.cycles) - _MOST_CYCLES:,} with a smaller least lead")


def _told_of_cycles(game: Metagame) -> str:
    if game.cyclic_share is None:
        return "Everybody is level with everybody: there is nothing that a rating could explain."
    share = f"Of the squared payoffs {100 * game.cyclic_share:.2f} % are explained by no rating"
    if game.cyclic_by_luck is not None:
        share += f" (by luck alone {100 * game.cyclic_by_luck:.2f} %)"
    if len(game.names) < 3:
        return f"{share}. Two strategies make no cycle."
    if not game.cycles:
        return (
            f"{share}. There is no cycle of three: that share is sizes which no rating gets right, "
            "not order."
        )
    apart = sum(all(cycle.told_apart) for cycle in game.cycles)
    return (
        f"{share}. Cycles of three: {len(game.cycles):,}, in {apart:,} all three leads are told "
        "apart from zero. By their smallest lead:"
    )


def _told_cycle(cycle: Cycle, scale: float, digits: int) -> str:
    links = []
    for name, lead, apart in zip(cycle.names, cycle.leads, cycle.told_apart, strict=True):
        doubt = "" if apart else "?"
        links.append(f"{escape(name)} > ({scale * lead.estimate:+.{digits}f}{doubt})")
    return f"{' '.join(links)} {escape(cycle.names[0])}"


def _with_bounds(interval: Interval, scale: float, digits: int) -> str:
    value = f"{scale * interval.estimate:z.{digits}f}"
    if interval.low is None or interval.high is None:
        return value
    low, high = scale * interval.low, scale * interval.high
    return f"{value} ({low:z.{digits}f} to {high:z.{digits}f})"
