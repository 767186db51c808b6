"""Tables of results for the terminal."""

import math
from typing import Any

from rich.console import Console
from rich.table import Table

from .field_tables import cyclic
from .field_words import MOST_CYCLES, told_of_cycles
from .luck import LEAD, PARTS, SERIES, PairingLuck, Shares, field_luck, remarks, run_luck
from .metagame import Cycle, Metagame
from .results import Results
from .seats import EFFECTS
from .stats import Interval
from .tables import crosstable, standings

_MOST_ORDERS = 12  # of the orders of mixed teams


def _with_half_width(row: dict[str, float], name: str, scale: float, digits: int) -> str:
    value = scale * row[name]
    if math.isnan(row[f"{name}_low"]):
        return f"{value:.{digits}f}"
    half = scale * (row[f"{name}_high"] - row[f"{name}_low"]) / 2
    return f"{value:.{digits}f} ± {half:.{digits}f}"


def print_tournament(results: Results, console: Console | None = None) -> None:
    """Print standings and, for three strategies or more, the crosstable of margins."""
    console = console or Console(markup=False)
    rows = [
        [
            str(place),
            str(row["strategy"]),
            f"{row['matches']:,}",
            _with_half_width(row, "win_share", 100, 2),
            _with_half_width(row, "margin", 1, 2),
            f"{row['score']:.1f}",
        ]
        for place, row in enumerate(standings(results).to_dict("records"), start=1)
    ]
    _print_table(
        console,
        f"{results.manifest['matches']:,} matches, seed {results.plan.seed}",
        ["", "strategy", "matches", "won %", "margin", "score"],
        rows,
        "± 95 % confidence, by boards; margin and score in points a match",
        left=(1,),
    )
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


def print_ratings(found: dict[str, Any], console: Console | None = None) -> None:
    """Print what `prummy ratings --json` says, in the order of Elo."""
    console = console or Console(markup=False)
    by_points = {row["strategy"]: row["rating"] for row in found["points"]}
    rows = [
        [
            str(place),
            row["strategy"],
            _with_ends(row["rating"]),
            _with_ends(by_points[row["strategy"]]),
            ", ".join(row["level_with"]),
        ]
        for place, row in enumerate(found["elo"], start=1)
    ]
    _print_table(
        console,
        "ratings",
        ["", "strategy", "Elo", "points a match", "not told apart from"],
        rows,
        "± 95 % confidence of the lead on the field's mean, by boards that all share",
        left=(1, 4),
    )
    for better, worse in found["disagree"]:
        console.print(f"Elo rates {better} above {worse}, points the other way round.")
    if found["separated"]:
        console.print(
            "Somebody won or lost all matches: each pairing was given one drawn match, so that "
            "there is an Elo at all; its size says little."
        )


def print_sources(found: list[dict[str, Any]], console: Console | None = None) -> None:
    """Print what `prummy sources --json` says."""
    console = console or Console(markup=False)
    labels = list(found[0]["sources"]) if found else []
    rows = [
        [row["strategy"], *map(_with_ends, row["sources"].values()), _with_ends(row["margin"])]
        for row in found
    ]
    title = "what makes the margin, points a match more than the opponents"
    _print_table(console, title, ["strategy", *labels, "margin"], rows)


def print_partners(found: dict[str, Any], console: Console | None = None) -> None:
    """Print what `prummy partners --json` says: strategies, synergies, seats and dealers."""
    console = console or Console(markup=False)
    drawn = "drawn_margin" in found["strategies"][0]
    columns = ["own strength", "as a partner"] + ["by the draw", "won % by the draw"] * drawn
    rows = [
        [row["strategy"], _with_ends(row["own"]), _with_ends(row["as_partner"])]
        + ([_with_ends(row["drawn_margin"]), _with_ends(row["drawn_share"], 100)] if drawn else [])
        for row in found["strategies"]
    ]
    _print_table(console, "strategies, points a match", ["strategy", *columns], rows)
    rows = [[" & ".join(row["pair"]), _with_ends(row["synergy"])] for row in found["synergies"]]
    _print_table(
        console, "what two score beyond the mean of their own kinds", ["pair", "synergy"], rows
    )
    rows = [[name, _with_ends(value)] for name, value in found["first_dealers"].items()]
    _print_table(
        console, "what a team gains when its first deals first", ["team", "points a match"], rows
    )
    largest = sorted(found["orders"], key=lambda row: -abs(row["effect"]["estimate"]))[
        :_MOST_ORDERS
    ]
    rows = [[row["a"], row["b"], _with_ends(row["effect"])] for row in largest]
    title = "what p & q gain against r & s when they act in the order p r q s rather than r p s q"
    if len(rows) < len(found["orders"]):
        title += f" (the largest; --json has all {len(found['orders'])})"
    _print_table(console, title, ["p & q", "r & s", "points a match"], rows)
    for name, value in found["effects"].items():
        scale = 100 if name.endswith("share") else 1
        console.print(f"{EFFECTS[name]}: {_with_ends(value, scale)}{' %' * (scale == 100)}")
    console.print(
        "Ratings of teams leave over "
        f"{100 * found['unexplained']:.1f} % of the pairings' squared margins."
    )
    console.print("± 95 % confidence, by boards that all share.")


def print_luck(results: Results, console: Console | None = None) -> None:
    """Print luck and skill of a run (`reports.luck`): pairing by pairing, and the field."""
    console = console or Console()
    lucks, (shares, upsets) = run_luck(results), field_luck(results)
    rows = [[f"{luck.a} – {luck.b}", *_shares_cells(luck.shares)] for luck in lucks]
    if len(lucks) > 1:
        rows.append(["the field", *_shares_cells(shares)])
    headings = ["pairing", "margin of a match", *(f"{part} %" for part in PARTS)]
    _print_table(console, "what decides a match", headings, rows)
    rows = [_upsets_cells(luck) for luck in lucks]
    headings = ["better > worse", "boards", "95 %", "match", "drawn", "board"]
    headings += [str(n) for n in SERIES]
    _print_table(console, "boards to a sure lead; what the worse side wins, %", headings, rows)
    if upsets is not None and len(lucks) > 1:
        lost, level = upsets.match_lost.to_json(), upsets.match_level.to_json()
        console.print(
            f"in the field the worse side wins {_with_ends(lost, 100)} % of the matches, "
            f"{_with_ends(level, 100)} % are drawn"
        )
    for remark in [remark for luck in lucks for remark in remarks(luck)]:
        console.print(remark)
    console.print(
        "± 95 % confidence, by boards. Margin of a match: root of its mean square, points. Boards: "
        f"until the better side leads on the total score with a chance of {100 * LEAD:g} %. Match, "
        "board: % of which the worse side wins, a board by its two matches; drawn: % of matches. "
        f"{' and '.join(map(str, SERIES))}: chance, %, that the worse side leads on the total "
        "score after so many boards."
    )


def _shares_cells(shares: Shares) -> list[str]:
    deviation = _with_ends(shares.deviation.to_json())
    parts = [shares.parts.get(part) for part in PARTS]
    return [deviation, *("–" if p is None else _with_ends(p.to_json(), 100) for p in parts)]


def _upsets_cells(luck: PairingLuck) -> list[str]:
    upsets, lead = luck.upsets, luck.lead
    if upsets is None:
        return [f"{luck.a} = {luck.b}", *("–" for _ in range(5 + len(SERIES)))]
    told, span = "1" if lead is None else f"{lead.estimate:,.0f}", ""
    if lead is not None and lead.low is not None and lead.high is not None:
        span = f"{lead.low:,.0f}–{'∞' if math.isinf(lead.high) else f'{lead.high:,.0f}'}"
    shares = (upsets.match_lost, upsets.match_level, upsets.board_lost)
    chances = [luck.behind.get(n) for n in SERIES]
    return [
        f"{luck.better} > {luck.worse}",
        told,
        span,
        *(f"{100 * share.estimate:.1f}" for share in shares),
        *("0.0" if c is None else f"{100 * c.estimate:.1f}" for c in chances),
    ]


def _print_table(
    console: Console,
    title: str,
    headings: list[str],
    rows: list[list[str]],
    caption: str | None = None,
    left: tuple[int, ...] = (0,),
) -> None:
    """Print a table whose columns are numbers, but those at the places `left`."""
    table = Table(title=title, caption=caption)
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place in left else "right")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _with_ends(interval: dict[str, Any], scale: float = 1) -> str:
    estimate, low, high = (interval[name] for name in ("estimate", "low", "high"))
    half = "" if low is None else f" ± {scale * (high - low) / 2:.1f}"
    return f"{scale * estimate:.1f}{half}"


def print_metagame(game: Metagame, console: Console | None = None) -> None:
    """Print the meta-game: whom to enter, what a population comes to, and who goes in a circle."""
    console = console or Console(markup=False)
    by_share = game.of == "win_share"
    scale, unit = (100, "% of matches") if by_share else (1, "points a match")
    digits = 2 if by_share else 1
    rows = []
    for k in game.order:
        support = game.in_support(k)
        rows.append(
            [
                game.names[k],
                _with_bounds(game.nash_mass(k), 100, 1),
                "" if support is None else f"{100 * support:.1f}",
                _with_bounds(game.nash_rating(k), scale, digits),
                _with_bounds(game.alpha_rank(k), 100, 1),
                f"{100 * game.course.averages[-1, k]:.1f}",
            ]
        )
    _print_table(
        console,
        f"meta-game of {'win shares' if by_share else 'margins'}",
        ["strategy", "Nash %", "in support", "Nash rating", "alpha-rank %", "replicator"],
        rows,
        f"shares in %, rating in {unit}; "
        + (
            f"in brackets 95 % of {len(game.draws.masses):,} draws of boards; "
            "in support: in how many of them"
            if game.draws is not None
            else "no intervals: no draws, or a pairing with fewer than two groups of boards"
        ),
    )
    console.print(told_of_cycles(cyclic(game), len(game.names)), highlight=False)
    for cycle in game.cycles[:MOST_CYCLES]:
        console.print(f"  {_told_cycle(cycle, scale, digits)}", highlight=False)
    if len(game.cycles) > MOST_CYCLES:
        console.print(f"  and {len(game.cycles) - MOST_CYCLES:,} with a smaller least lead")


def _told_cycle(cycle: Cycle, scale: float, digits: int) -> str:
    links = []
    for name, lead, apart in zip(cycle.names, cycle.leads, cycle.told_apart, strict=True):
        doubt = "" if apart else "?"
        links.append(f"{name} > ({scale * lead.estimate:+.{digits}f}{doubt})")
    return f"{' '.join(links)} {cycle.names[0]}"


def _with_bounds(interval: Interval, scale: float, digits: int) -> str:
    value = f"{scale * interval.estimate:z.{digits}f}"
    if interval.low is None or interval.high is None:
        return value
    low, high = scale * interval.low, scale * interval.high
    return f"{value} ({low:z.{digits}f} to {high:z.{digits}f})"
