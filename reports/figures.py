"""The figures of a report: each takes frames of `tables`, and returns a figure.

`FIGURES` names them all. No number is computed here but places on the canvas.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from . import style
from .field_figures import FIELD_FIGURES
from .lines import course_figure, hand_sizes_figure, pile_takes_figure
from .marks import (
    FigureSpec,
    dots,
    margin_axis,
    match_margin_axis,
    name_rows,
    quantile_strip,
    rectangle,
    score_axis,
    ticks,
    two_panels,
)
from .numbers import margin_digits, number, percent, share_digits, signed
from .style import Look


def standings_figure(standings: pd.DataFrame, look: Look) -> Figure:
    """Return win share and margin of each strategy with intervals, best on top."""
    figure, left, right = two_panels(list(standings["strategy"]), look)
    colours = [look.colours[name] for name in standings["strategy"]]
    digits = share_digits(standings)
    shares = [percent(value, digits) for value in standings["win_share"]]
    dots(left, standings, "win_share", colours, shares, scale=100)
    left.set(title="Matches won, %", xlim=(-3, 116), xticks=range(0, 101, 20))
    left.axvline(50, color=style.MUTED, linewidth=1, linestyle=(0, (3, 3)))
    digits = margin_digits(standings)
    margins = [signed(value, digits) for value in standings["margin"]]
    dots(right, standings, "margin", colours, margins)
    right.set(title="Margin, points a match")
    margin_axis(right, look, panels=1 if look.narrow else 2)
    return figure


def pairings_figure(pairings: pd.DataFrame, look: Look) -> Figure:
    """Return the margin of each pairing with its interval, from the side that is ahead."""
    figure = look.figure(62 + (42 if look.narrow else 26) * len(pairings))
    axes = figure.subplots()
    colours = [look.colours[name] for name in pairings["strategy"]]
    digits = margin_digits(pairings)
    texts = [signed(value, digits) for value in pairings["margin"]]
    dots(axes, pairings, "margin", colours, texts)
    margin_axis(axes, look)
    pairs = zip(pairings["strategy"], pairings["opponent"], strict=True)
    name_rows(axes, [f"{look.label(a)} – {look.label(b)}" for a, b in pairs], look)
    axes.set_xlabel("margin, points a match")
    return figure


def crosstable_figure(shares: pd.DataFrame, margins: pd.DataFrame, look: Look) -> Figure:
    """Return the win share and margin of each row's strategy against each column's."""
    n = len(shares)
    cell = min(72.0, (look.width - 130) / n)
    figure = look.figure(46 * n + 90 if n < 7 else 46 * n + 150)
    axes = figure.subplots()
    for row, name in enumerate(shares.index):
        for column, other in enumerate(shares.columns):
            share, margin = shares.loc[name, other], margins.loc[name, other]
            corner = (column - 0.48, row - 0.47)
            if np.isnan(share):
                box = {"facecolor": style.GRID, "alpha": 0.45}
                axes.add_patch(rectangle(corner, box))
                continue
            colour = style.AHEAD if share >= 0.5 else style.BEHIND
            box = {"facecolor": colour, "alpha": 0.06 + 0.5 * abs(2 * share - 1)}
            axes.add_patch(rectangle(corner, box))
            big = 13 if cell > 45 else 10
            axes.text(column, row - 0.06, percent(share, 1), ha="center", va="bottom", fontsize=big)
            axes.text(
                column, row + 0.06, signed(margin, 1), ha="center", va="top", fontsize=big - 2.5
            )
    labels = [style.shortened(name, 16 if look.narrow else 22) for name in shares.index]
    axes.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    axes.set_yticks(range(n), labels)
    axes.set_xticks(range(n), labels)
    axes.xaxis.tick_top()
    axes.tick_params(axis="both", length=0, labelcolor=style.INK)
    if max(map(len, labels)) * 7 > cell:
        axes.tick_params(axis="x", labelrotation=40)
        for label in axes.get_xticklabels():
            label.set(ha="left", rotation_mode="anchor")
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def scores_figure(bins: pd.DataFrame, quantiles: pd.DataFrame, look: Look) -> Figure:
    """Return how the scores of each strategy's matches are spread."""
    figure = _ridges(bins, quantiles, look)
    score_axis(figure.axes[0])
    return figure


def margins_figure(bins: pd.DataFrame, quantiles: pd.DataFrame, look: Look) -> Figure:
    """Return how the margins of each strategy's matches are spread; right of zero it won."""
    figure = _ridges(bins, quantiles, look)
    match_margin_axis(figure.axes[0])
    return figure


def _ridges(bins: pd.DataFrame, quantiles: pd.DataFrame, look: Look) -> Figure:
    """Return a row a strategy: a histogram (one scale for all), under it the quantiles."""
    names = list(quantiles.index)
    figure = look.figure(56 + (78 if look.narrow else 72) * len(names))
    axes = figure.subplots()
    axes.grid(axis="x")
    tallest = bins["share"].max()
    for place, name in enumerate(names):
        colour = look.colours[name]
        part = bins[bins["strategy"] == name]
        edges = [*part["low"], part["high"].iloc[-1]]
        heights = place - 0.72 * part["share"].to_numpy() / tallest
        axes.stairs(heights, edges, baseline=place, fill=True, color=colour, alpha=0.42)
        axes.stairs(heights, edges, baseline=place, color=colour, linewidth=1.1)
        axes.plot([edges[0], edges[-1]], [place, place], color=style.GRID, linewidth=1)
        quantile_strip(axes, quantiles.loc[name], place + 0.1, colour)
    axes.set_xlim(bins["low"].min(), bins["high"].max())
    name_rows(axes, [look.label(name) for name in names], look, foot=0.32)
    return figure


def sources_figure(sources: pd.DataFrame, look: Look) -> Figure:
    """Return the parts of each strategy's score: bars to both sides of zero, a mark at the sum."""
    parts = sources.drop(columns="score")
    figure = _stacked(parts, style.PART_COLOURS, look, text=lambda value: number(abs(value), 0))
    axes = figure.axes[0]
    for place, score in enumerate(sources["score"]):
        axes.plot([score], [place + 0.4], "^", color=style.INK, markersize=6, markeredgewidth=0)
        axes.annotate(
            f"score {number(score, 0)}",
            (score, place + 0.4),
            xytext=(7, 0),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=11,
            fontweight="bold",
        )
    axes.axvline(0, color=style.INK, linewidth=1)
    axes.set_xlabel("points a match")
    axes.grid(axis="x")
    ticks(axes, signed)
    return figure


def deal_ends_figure(ends: pd.DataFrame, look: Look) -> Figure:
    """Return the shares of each strategy's deals by how they ended."""
    used = ends.loc[:, (ends > 0).any()]
    figure = _stacked(100 * used, style.END_COLOURS, look, text=lambda value: f"{value:.0f} %")
    axes = figure.axes[0]
    axes.set(xlim=(0, 100))
    axes.set_xlabel("share of its deals, %")
    return figure


def _stacked(
    frame: pd.DataFrame, colours: Mapping[str, str], look: Look, text: Callable[[float], str]
) -> Figure:
    """Return a row an index: positive values stacked to the right of zero, negative to the left."""
    columns = [name for name in frame.columns if (frame[name] != 0).any()]
    height = 74 if look.narrow else 58
    figure = look.figure(66 + height * len(frame) + (18 * (len(columns) // 3)) * look.narrow)
    axes = figure.subplots()
    for place, (_, row) in enumerate(frame.iterrows()):
        for name, left, value in _stack(row[columns]):
            axes.barh(place, value, left=left, height=0.5, color=colours[name])
    low, high = axes.get_xlim()
    axes.set_xlim(low, high)
    pixels = (look.width - (30 if look.narrow else 140)) / (high - low)
    for place, (_, row) in enumerate(frame.iterrows()):
        for name, left, value in _stack(row[columns]):
            shown = text(value)
            if abs(value) * pixels > 7.5 * len(shown):
                colour = style.text_on(colours[name])
                middle = left + value / 2
                axes.text(middle, place, shown, color=colour, ha="center", va="center", fontsize=11)
            if left + value != 0:
                end = [left + value, left + value]
                axes.plot(end, [place - 0.25, place + 0.25], color=style.PAPER, linewidth=1)
    name_rows(axes, [look.label(name) for name in frame.index], look, foot=0.62, head=0.62)
    handles = [Patch(facecolor=colours[name], label=name) for name in columns]
    figure.legend(
        handles=handles, loc="outside upper left", ncols=3 if look.narrow else len(columns)
    )
    return figure


def _stack(row: pd.Series) -> Iterator[tuple[str, float, float]]:
    """Yield (name, where it begins, value) of each part of a bar."""
    ends = {True: 0.0, False: 0.0}
    for name, value in row.items():
        if value:
            yield str(name), ends[value > 0], float(value)
            ends[value > 0] += float(value)


def deal_lengths_figure(lengths: pd.DataFrame, quantiles: pd.DataFrame, look: Look) -> Figure:
    """Return how many turns deals last, over all pairings."""
    figure = look.figure(240)
    axes = figure.subplots()
    shares = 100 * lengths["share"]
    axes.bar(lengths["turns"], shares, width=0.86, color=style.PART_COLOURS["sets"])
    axes.set_ylim(-0.12 * shares.max(), 1.06 * shares.max())
    row = quantiles.iloc[0]
    quantile_strip(axes, row, -0.06 * shares.max(), style.MUTED)
    axes.grid(axis="y")
    axes.set(xlabel="turns of a deal", ylabel="share of deals, %")
    axes.spines["bottom"].set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= 1.06 * shares.max()])
    axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10], integer=True))
    return figure


def doubles_figure(doubles: pd.DataFrame, look: Look) -> Figure:
    """Return how often each strategy laid four of a rank at once, and the points of these sets."""
    fours = doubles[doubles["laid"] == "four at once"]
    figure, left, right = two_panels(list(fours["strategy"]), look)
    colours = [look.colours[name] for name in fours["strategy"]]
    for axes, value, digits in ((left, "plays", 2), (right, "points", 1)):
        dots(axes, fours, value, colours, [number(x, digits) for x in fours[value]])
        highest = fours[f"{value}_high"].fillna(fours[value]).max() or 1.0
        axes.set_xlim(-0.03 * highest, highest * (1 + 60 * (1 if look.narrow else 2) / look.width))
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    left.set(title="Four at once, a match")
    right.set(title="Points of these, a match")
    return figure


def jokers_figure(jokers: pd.DataFrame, look: Look) -> Figure:
    """Return what became of the jokers that each strategy held."""
    order = jokers["strategy"].unique()
    fates = jokers.pivot(index="strategy", columns="fate", values="jokers").loc[order]
    figure = _stacked(fates[list(style.FATE_COLOURS)], style.FATE_COLOURS, look, text=number)
    figure.axes[0].set_xlabel("jokers a match")
    return figure


FIGURES: dict[str, FigureSpec] = {
    "standings": FigureSpec(
        "Standings",
        "Share of matches won (a draw counts half) and margin, over all opponents of a strategy. "
        "n = {matches_each} matches a strategy; {interval}{hidden}. "
        "The dashed lines are even play.",
        ("standings",),
        standings_figure,
    ),
    "pairings": FigureSpec(
        "Margin of each pairing",
        "From the side that is ahead, points a match. n = {boards_each} a pairing, two "
        "matches each; {interval}. A bar that crosses the dashed line does not tell the two apart.",
        ("pairings",),
        pairings_figure,
    ),
    "crosstable": FigureSpec(
        "Row against column",
        "Share of matches won (large) and margin in points a match (small) of the row's strategy "
        "against the column's. n = {boards_each} a pairing, two matches each.",
        ("crosstable_win_share", "crosstable_margin"),
        crosstable_figure,
    ),
    "sources": FigureSpec(
        "Where points come from",
        "Points a match, over all opponents; n = {matches_each} matches a strategy. What lies "
        "right of zero less what lies left of it is the score, marked by the triangle.",
        ("sources",),
        sources_figure,
    ),
    "scores": FigureSpec(
        "Scores of matches",
        "Every match counted; n = {matches_each} matches a strategy, bars {score_bin} points "
        "wide, heights on one scale. Under each: median, middle half, and 5 to 95 %.",
        ("score_bins", "score_quantiles"),
        scores_figure,
    ),
    "margins": FigureSpec(
        "Margins of matches",
        "Own score less the opponents'; right of the dashed line the match was won. "
        "n = {matches_each} matches a strategy, bars {margin_bin} points wide, heights on one "
        "scale. Under each: median, middle half, and 5 to 95 %.",
        ("margin_bins", "margin_quantiles"),
        margins_figure,
    ),
    "deal_lengths": FigureSpec(
        "Length of deals",
        "Turns of all four players together, all pairings; n = {deals} deals. Under the bars: "
        "median, middle half, and 5 to 95 %.",
        ("deal_lengths", "deal_length_quantiles"),
        deal_lengths_figure,
    ),
    "deal_ends": FigureSpec(
        "How deals end",
        "Shares of the deals that a strategy played in; n = {deals_each} deals a strategy.",
        ("deal_ends",),
        deal_ends_figure,
    ),
    "course": FigureSpec(
        "The course of a deal",
        "Points that a side has on the table less those in its two hands, after each turn: what "
        "the deal would score if it ended then, the {out_bonus} for going out aside. "
        "{sample}; {bands}. Lines end where fewer than a tenth of a strategy's deals get to.",
        ("course", "course_back"),
        course_figure,
    ),
    "hand_sizes": FigureSpec(
        "Cards in hand",
        "Mean number of cards in a player's hand after each turn, both players of a side. "
        "{sample}; {bands}. Lines end where fewer than a tenth of a strategy's deals get to.",
        ("course", "course_back"),
        hand_sizes_figure,
    ),
    "pile_takes": FigureSpec(
        "Takes from the pile",
        "Of all its takes, how many brought a strategy so many cards, and the mean points that it "
        "put on the table in such a turn. {sample} and {takes_each} takes; {bands}. "
        "Depths of less than 1 % of its takes are left out, points of fewer than 20 takes too.",
        ("pile_takes",),
        pile_takes_figure,
    ),
    "doubles": FigureSpec(
        "Four at once",
        "Four of a rank laid in one play, jokers aside: how often, and the points of these plays "
        "(multiplied by {multiplier}). {sample}; {bars}.",
        ("doubles",),
        doubles_figure,
    ),
    "jokers": FigureSpec(
        "What became of jokers",
        "Jokers that a side laid, discarded, or was left with when a deal was over; one that was "
        "discarded and taken again counts twice. {sample}.",
        ("jokers",),
        jokers_figure,
    ),
    **FIELD_FIGURES,
}


def drawable(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return the names of the figures whose tables have rows."""
    return [
        name for name, spec in FIGURES.items() if all(len(tables[table]) for table in spec.tables)
    ]


def why_absent(name: str, tables: Mapping[str, pd.DataFrame]) -> str:
    """Return why a run does not have one of `FIGURES`."""
    absent = tables["absent"]
    told = absent[absent["table"].isin(FIGURES[name].tables)]
    return str(told["why"].iloc[0]) if len(told) else "no match of it counts"


def draw_figure(name: str, tables: Mapping[str, pd.DataFrame], look: Look) -> Figure:
    """Return one of `FIGURES`; to be called, and its figure written, inside `style.drawing`."""
    spec = FIGURES[name]
    return spec.draw(*(tables[table] for table in spec.tables), look)
