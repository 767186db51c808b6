"""Figures in which lines run along the turns of a deal, or along the depth of the pile.

As in `figures`, no number is computed here but places on the canvas.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from . import style
from .numbers import number
from .style import Look

SHARE_SHOWN = 0.1  # of a strategy's deals that must get to a turn which is drawn
TAKES_SHOWN = 0.01  # of a strategy's takes that go so deep
LEAST_TAKES = 20  # whose points are drawn
MOST_COLOURS = 8  # strategies in colour, the best ones; the others are grey
FEW = 5  # strategies whose bands can be told apart


def course_figure(course: pd.DataFrame, back: pd.DataFrame, look: Look) -> Figure:
    """Return a side's score so far after each turn: from the start, and back from the end."""
    figure = _two_clocks(course, back, "score", look)
    for axes in figure.axes:
        axes.axhline(0, color=style.MUTED, linewidth=1, linestyle=(0, (3, 3)), zorder=1)
    _name_values(figure, "points, if it ended now", look)
    return figure


def hand_sizes_figure(course: pd.DataFrame, back: pd.DataFrame, look: Look) -> Figure:
    """Return how many cards a player holds after each turn: from the start, and from the end."""
    figure = _two_clocks(course, back, "cards", look)
    for axes in figure.axes:
        axes.set_ylim(bottom=0)
    _name_values(figure, "cards in a player's hand", look)
    return figure


def pile_takes_figure(takes: pd.DataFrame, look: Look) -> Figure:
    """Return how deep each strategy takes the pile, and the points laid in such a turn."""
    figure, (left, right) = _panels(look)
    often = takes[takes["share"] >= TAKES_SHOWN]
    _draw(left, often, "cards", "share", look, scale=100, marker="o")
    enough = often[often["takes"] >= LEAST_TAKES]
    if len(enough):
        _draw(right, enough, "cards", "points", look, marker="o")
    else:
        words = f"no depth has {LEAST_TAKES} takes"
        here = right.transAxes
        right.text(0.5, 0.5, words, transform=here, color=style.MUTED, ha="center", va="center")
        right.set_yticks([])
    left.set(title="How deep", ylabel="share of its takes, %")
    right.set(title="What they brought", ylabel="points laid in that turn")
    for axes in (left, right):
        axes.set_ylim(bottom=0)
        axes.set_xlim(0.6, often["cards"].max() + 0.4)
        axes.set_xlabel("cards taken at once")
        axes.xaxis.set_major_locator(MaxNLocator(12, steps=[1, 2, 5, 10], integer=True))
    _legend(figure, takes, look)
    return figure


def _two_clocks(course: pd.DataFrame, back: pd.DataFrame, value: str, look: Look) -> Figure:
    """Return a value by turn in two panels with one scale of values."""
    figure, (left, right) = _panels(look, sharey=True)
    _draw(left, _reached(course), "turn", value, look)
    lowest, highest = left.get_ylim()
    _draw(right, _reached(back), "turns_left", value, look)
    right.set_ylim(min(lowest, right.get_ylim()[0]), max(highest, right.get_ylim()[1]))
    right.invert_xaxis()
    left.set(title="From the start", xlabel="turns played, of all four players")
    right.set(title="Back from the end", xlabel="turns before the end of the deal")
    for axes in (left, right):
        axes.margins(x=0.02)
        axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10], integer=True))
    _legend(figure, course, look)
    return figure


def _reached(course: pd.DataFrame) -> pd.DataFrame:
    """Return the turns that enough of a strategy's deals get to."""
    all_deals = course.groupby("strategy", sort=False)["deals"].transform("max")
    return course[course["deals"] >= SHARE_SHOWN * all_deals]


def _panels(look: Look, sharey: bool = False) -> tuple[Figure, tuple[Axes, Axes]]:
    figure = look.figure(560 if look.narrow else 330)
    shape = (2, 1) if look.narrow else (1, 2)
    left, right = figure.subplots(*shape, sharey=sharey)
    for axes in (left, right):
        axes.grid(axis="y")
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 0)))
    return figure, (left, right)


def _name_values(figure: Figure, label: str, look: Look) -> None:
    for axes in figure.axes if look.narrow else figure.axes[:1]:
        axes.set_ylabel(label)


def _draw(
    axes: Axes,
    frame: pd.DataFrame,
    x: str,
    y: str,
    look: Look,
    scale: float = 1,
    marker: str = "",
) -> None:
    """Draw a line a strategy with a band for its intervals, the best strategy on top.

    The axis fits the lines: bands of few boards may go beyond it.
    """
    opacity = 0.16 if frame["strategy"].nunique() <= FEW else 0.08
    for place, (name, line) in enumerate(_lines(frame, look)):
        part, coloured = frame[frame["strategy"] == name], line["color"] != style.MUTED
        at, order = part[x].to_numpy(), 3 - place / 1000
        dots = marker if coloured else ""
        axes.plot(at, scale * part[y], **line, marker=dots, markersize=4, zorder=order)
        if coloured:  # below its lines, and fainter where there are many
            low, high = (scale * part[f"{y}_{end}"].to_numpy() for end in ("low", "high"))
            axes.fill_between(at, low, high, color=line["color"], alpha=opacity, linewidth=0)
    seen = np.concatenate([line.get_ydata() for line in axes.lines])
    room = 0.12 * (seen.max() - seen.min() or 1)
    axes.set_ylim(seen.min() - room, seen.max() + room)


def _lines(frame: pd.DataFrame, look: Look) -> Iterator[tuple[str, dict]]:
    """Yield the strategies of a frame in its order, each with the properties of its line."""
    for place, name in enumerate(frame["strategy"].unique()):
        if place >= MOST_COLOURS:
            yield name, {"color": style.MUTED, "linewidth": 1, "alpha": 0.7}
            continue
        colour, dash = look.colours[name], look.dash(name)
        yield name, {"color": colour, "linewidth": 1.8, "linestyle": dash}


def _legend(figure: Figure, frame: pd.DataFrame, look: Look) -> None:
    """Name the strategies above the panels; those that are grey together."""
    lines = list(_lines(frame, look))
    handles = [Line2D([], [], **line, label=look.label(name)) for name, line in lines]
    if len(lines) > MOST_COLOURS:
        grey = lines[-1][1]
        handles[MOST_COLOURS:] = [
            Line2D([], [], **grey, label=f"the other {len(lines) - MOST_COLOURS}")
        ]
    widest = max(7 * len(str(handle.get_label())) + 42 for handle in handles)
    columns = max(1, min(len(handles), (look.width - 10) // widest))
    figure.legend(handles=handles, loc="outside upper left", ncols=columns, handlelength=1.7)
