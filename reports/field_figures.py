"""Figures of a field as a whole: ratings, distribution functions, seats, partners, meta-game.

Each takes frames of `field_tables` or `tables`, and returns a figure; `figures.FIGURES` holds them.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from . import style
from .marks import (
    FigureSpec,
    dots,
    margin_axis,
    match_margin_axis,
    name_rows,
    rectangle,
    score_axis,
    ticks,
)
from .numbers import interval_digits, number, signed
from .style import Look

MOST_CURVES = 12
"""How many distribution functions one figure holds: the first of the standings."""
_CURVE_PLACES = 160  # where a step curve is seen: one place in four pixels


def ratings_figure(ratings: pd.DataFrame, look: Look) -> Figure:
    """Return both ratings of each strategy with intervals, the highest Elo on top."""
    n = len(ratings)
    if look.narrow:
        figure = look.figure(2 * (70 + 44 * n))
        axes = figure.subplots(2, 1)
    else:
        figure = look.figure(74 + 32 * n)
        axes = figure.subplots(1, 2)
    names = [look.label(name) for name in ratings["strategy"]]
    colours = [look.colours[name] for name in ratings["strategy"]]
    for panel, value, title in zip(axes, ("elo", "points"), ("Elo", "Points a match"), strict=True):
        digits = interval_digits(ratings, value)
        letters = zip(ratings[value], ratings[f"{value}_letters"], strict=True)
        texts = [f"{signed(middle, digits)} {letter}" for middle, letter in letters]
        dots(panel, ratings, value, colours, texts)
        panel.set(title=title)
        margin_axis(panel, look, panels=1 if look.narrow else 3)
    name_rows(axes[0], names, look)
    name_rows(axes[1], names if look.narrow else [""] * n, look)
    return figure


def score_ecdf_figure(curves: pd.DataFrame, quantiles: pd.DataFrame, look: Look) -> Figure:
    """Return the share of each strategy's matches at or below each score."""
    figure = _curves(curves, quantiles, look)
    score_axis(figure.axes[0])
    return figure


def margin_ecdf_figure(curves: pd.DataFrame, quantiles: pd.DataFrame, look: Look) -> Figure:
    """Return the share of each strategy's matches at or below each margin."""
    figure = _curves(curves, quantiles, look)
    match_margin_axis(figure.axes[0])
    return figure


def _curves(curves: pd.DataFrame, quantiles: pd.DataFrame, look: Look) -> Figure:
    """Return step curves, with dots at the quantiles, named in the order of their medians."""
    shown = quantiles.iloc[:MOST_CURVES]
    columns = 2 if look.narrow else 4
    figure = look.figure(330 + 18 * -(-len(shown) // columns))
    axes = figure.subplots()
    drawn = curves[curves["strategy"].isin(shown.index)]
    first, last = drawn["value"].min(), drawn["value"].max()
    margin = 0.02 * (last - first) or 1.0
    places = np.linspace(first - margin, last + margin, _CURVE_PLACES)
    levels = [level for level in quantiles.columns if not isinstance(level, str)]
    handles = {}
    for name, row in shown.iterrows():
        one = drawn[drawn["strategy"] == name]
        colour, dash = look.colours[str(name)], look.dash(str(name))
        x, y = one["value"].to_numpy(float), one["share"].to_numpy()
        how = "steps-post"
        if len(x) > _CURVE_PLACES:  # the steps are smaller than what is seen
            at = np.searchsorted(x, places, side="right")
            x, y, how = places, np.concatenate([[0.0], y])[at], "default"
        ends = [places[0], *x, places[-1]], [0.0, *(100 * y), 100.0]
        axes.plot(*ends, drawstyle=how, color=colour, linewidth=1.6, linestyle=dash)
        axes.plot(row[levels], [100 * level for level in levels], "o", color=colour, markersize=4)
        label = look.label(str(name))
        handles[name] = Line2D([], [], color=colour, linewidth=2, linestyle=dash, label=label)
    order = shown[0.5].sort_values(kind="stable").index
    figure.legend(
        handles=[handles[name] for name in order],
        loc="outside upper left",
        ncols=columns,
        handlelength=1.6,
    )
    axes.set(xlim=(places[0], places[-1]), ylim=(0, 100), yticks=[100 * level for level in levels])
    axes.set_ylabel("matches at or below, %")
    axes.grid()
    return figure


def seats_figure(seats: pd.DataFrame, look: Look) -> Figure:
    """Return what dealing and seats are worth: in points, and the share of matches won."""
    is_share = seats["effect"].str.endswith("share")
    parts = [seats[~is_share], seats[is_share]]
    rows = [len(part) for part in parts]
    figure = look.figure(150 + (46 if look.narrow else 34) * sum(rows))
    panels = figure.subplots(2, 1, height_ratios=[count + 0.6 for count in rows])
    for axes, part, scale, write, even in zip(
        panels, parts, (1, 100), (signed, number), (0, 50), strict=True
    ):
        digits = interval_digits(part, "value", scale)
        texts = [write(scale * value, digits) for value in part["value"]]
        dots(axes, part, "value", [style.PART_COLOURS["sets"]] * len(part), texts, scale)
        low, high = axes.get_xlim()
        reach = max(even - low, high - even) or 1.0
        axes.set_xlim(even - 1.1 * reach, even + 1.1 * reach * (1.5 if look.narrow else 1.25))
        axes.axvline(even, color=style.MUTED, linewidth=1, linestyle=(0, (3, 3)))
        name_rows(axes, [_SEAT_ROWS[effect] for effect in part["effect"]], look)
    ticks(panels[0], lambda value, _: signed(value, interval_digits(parts[0], "value") - 1))
    panels[0].set(title="Margin, points")
    panels[1].set(title="Matches won, %")
    return figure


_SEAT_ROWS = {
    "dealer_margin": "dealing, a deal",
    "first_dealer_margin": "dealing first, a match",
    "first_dealer_share": "dealing first",
    "seat_margin": "seats 0 and 2, a match",
}


def partners_figure(partners: pd.DataFrame, look: Look) -> Figure:
    """Return own strength, strength as a partner, and by the draw, side by side by strategy."""
    kinds = {name: kind for name, kind in _STRENGTHS.items() if name in partners}
    n = len(partners)
    figure = look.figure(96 + (76 if look.narrow else 62) * n)
    axes = figure.subplots()
    apart = 0.24
    for place, row in enumerate(partners.to_dict("records")):
        colour = look.colours[row["strategy"]]
        for number_, (name, (marker, filled, _)) in enumerate(kinds.items()):
            y = place + apart * (number_ - (len(kinds) - 1) / 2)
            if not np.isnan(row[f"{name}_low"]):
                ends = [row[f"{name}_low"], row[f"{name}_high"]]
                axes.plot(ends, [y, y], color=colour, linewidth=2.4)
            axes.plot(
                [row[name]],
                [y],
                marker,
                markersize=7,
                color=colour,
                markerfacecolor=colour if filled else style.PAPER,
                markeredgewidth=1.6,
            )
            end = row[name] if np.isnan(row[f"{name}_high"]) else row[f"{name}_high"]
            axes.annotate(
                signed(row[name], interval_digits(partners, name)),
                (end, y),
                xytext=(8, 0),
                textcoords="offset points",
                va="center_baseline",
                fontsize=10.5,
            )
    axes.grid(axis="x")
    margin_axis(axes, look)
    name_rows(axes, [look.label(name) for name in partners["strategy"]], look, 0.55, 0.75)
    axes.set_xlabel("points a match")
    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=marker,
            markersize=7,
            color=style.MUTED,
            markerfacecolor=style.MUTED if filled else style.PAPER,
            markeredgewidth=1.6,
            label=label,
        )
        for marker, filled, label in kinds.values()
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=1 if look.narrow else 3)
    return figure


_STRENGTHS = {
    "own": ("o", True, "own strength, a player"),
    "as_partner": ("o", False, "as a partner of others"),
    "drawn_margin": ("D", True, "margin by the draw"),
}


def synergies_figure(synergies: pd.DataFrame, look: Look) -> Figure:
    """Return a heat map of what two score together beyond the mean of their own kinds."""
    names = list(dict.fromkeys([*synergies["strategy"], *synergies["partner"]]))
    names.sort(key=list(look.colours).index)
    place = {name: k for k, name in enumerate(names)}
    n = len(names)
    figure = look.figure(46 * n + 110)
    axes = figure.subplots()
    largest = synergies["synergy"].abs().max() or 1.0
    for k in range(n):
        axes.add_patch(rectangle((k - 0.48, k - 0.47), {"facecolor": style.GRID, "alpha": 0.45}))
    for met in synergies.to_dict("records"):
        value, ends = met["synergy"], (met["synergy_low"], met["synergy_high"])
        colour = style.AHEAD if value >= 0 else style.BEHIND
        box = {"facecolor": colour, "alpha": 0.06 + 0.5 * abs(value) / largest}
        is_known = ends[0] > 0 or ends[1] < 0
        pair = place[met["strategy"]], place[met["partner"]]
        for x, y in (pair, pair[::-1]):
            axes.add_patch(rectangle((x - 0.48, y - 0.47), box))
            text = signed(value, 1) + ("" if is_known else " ?")
            big = 12 if (look.width - 130) / n > 45 else 9.5
            axes.text(x, y, text, ha="center", va="center", fontsize=big)
    labels = [style.shortened(name, 16 if look.narrow else 22) for name in names]
    axes.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    axes.set_yticks(range(n), labels)
    axes.set_xticks(range(n), labels)
    axes.xaxis.tick_top()
    axes.tick_params(axis="both", length=0, labelcolor=style.INK)
    if max(map(len, labels)) * 7 > (look.width - 130) / n:
        axes.tick_params(axis="x", labelrotation=40)
        for label in axes.get_xticklabels():
            label.set(ha="left", rotation_mode="anchor")
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def replicator_figure(course: pd.DataFrame, look: Look) -> Figure:
    """Return the shares of a population over time as bands, the highest Nash mass on top."""
    names = list(dict.fromkeys(course["strategy"]))
    n = len(names)
    figure = look.figure(max(260, 22 * n + 70))
    axes = figure.subplots()
    times = course["time"].to_numpy()[: len(course) // n]
    shares = 100 * course["share"].to_numpy().reshape(n, -1)[::-1]  # from the foot
    tops = np.cumsum(shares, axis=0)
    for name, top, share in zip(names[::-1], tops, shares, strict=True):
        colour = look.colours[name]
        axes.fill_between(
            np.sqrt(times), top - share, top, facecolor=colour, edgecolor=style.PAPER, linewidth=0.7
        )
    labels = [look.label(name) for name in names]
    axes.set(xlim=(0, times[-1] ** 0.5), ylim=(0, 100))
    axes.set_yticks([100 - 100 * (k + 0.5) / n for k in range(n)], labels)
    axes.tick_params(axis="y", labelcolor=style.INK)
    ends = axes.secondary_yaxis("right")
    seen = [k for k in range(n) if shares[k, -1] >= 5]
    ends.set_yticks(
        [tops[k, -1] - shares[k, -1] / 2 for k in seen],
        [f"{number(shares[k, -1], 0)} %" for k in seen],
    )
    ends.spines["right"].set_visible(False)
    round_ = [t for power in range(6) for t in (10**power, 3 * 10**power) if t <= times[-1]]
    axes.xaxis.set_major_locator(FixedLocator([0.0, *np.sqrt(round_)]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value**2, 0)))
    axes.set_xlabel("time")
    return figure


FIELD_FIGURES: dict[str, FigureSpec] = {
    "ratings": FigureSpec(
        "Ratings",
        "Elo from matches won, and points a match from margins; 0 is the field's mean. "
        "n = {matches_each} matches a strategy; bars are 95 % intervals of the lead on that mean, "
        "where the boards allow one. Two that share a letter are not told apart.",
        ("ratings",),
        ratings_figure,
    ),
    "score_ecdf": FigureSpec(
        "Scores, added up",
        "The share of matches{curves} that ended with at most so many points; the further right "
        "a curve, the higher the scores. n = {matches_each} matches a strategy. Dots: 5, 25, 50, "
        "75 and 95 %. Names stand in the order of the medians, the lowest first.",
        ("score_ecdf", "score_quantiles"),
        score_ecdf_figure,
    ),
    "margin_ecdf": FigureSpec(
        "Margins, added up",
        "The share of matches{curves} with at most such a margin; where a curve crosses the "
        "dashed line stands the share of matches not won. n = {matches_each} matches a strategy. "
        "Dots: 5, 25, 50, 75 and 95 %. Names stand in the order of the medians, the lowest first.",
        ("margin_ecdf", "margin_quantiles"),
        margin_ecdf_figure,
    ),
    "seats": FigureSpec(
        "What dealing and seats are worth",
        "Over all pairings, n = {matches} matches; {interval}. The dashed lines are no effect.",
        ("seats",),
        seats_figure,
    ),
    "partners": FigureSpec(
        "Own strength and strength as a partner",
        "Points a match above the mean of all own strengths; by the draw, the margin of the team. "
        "n = {boards_each} a pairing of teams, two matches each; bars: 95 % intervals by boards.",
        ("partners",),
        partners_figure,
    ),
    "synergies": FigureSpec(
        "Who gets on with whom",
        "What two score together beyond the mean of their own kinds, points a match; ? where the "
        "95 % interval holds zero. n = {boards_each} a pairing of teams, two matches each.",
        ("synergies",),
        synergies_figure,
    ),
    "replicator": FigureSpec(
        "What a population would come to",
        "Shares of a population that begins in equal parts and in which what wins more spreads "
        "(replicator dynamics); n = {boards_each} a pairing stand behind it. Time is in units of "
        "one over a win share, and its axis is drawn in square roots: the beginning is wider.",
        ("replicator",),
        replicator_figure,
    ),
}
