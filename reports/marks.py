"""What the figures of a report are made of: rows of dots with intervals, axes, cells, quantiles."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import blended_transform_factory

from . import style
from .numbers import number, signed
from .style import Look


@dataclass(frozen=True)
class FigureSpec:
    """A figure of the report: title, caption, the frames it is drawn from, and how.

    The caption's fields in braces are filled with texts by the page (see `page.caption_fields`).
    """

    title: str
    caption: str
    tables: tuple[str, ...]
    draw: Callable[..., Figure]


def two_panels(names: list[str], look: Look) -> tuple[Figure, Axes, Axes]:
    """Return a figure of two panels with a row a strategy, one above the other on a phone."""
    n = len(names)
    labels = [look.label(name) for name in names]
    if look.narrow:
        figure = look.figure(2 * (70 + 44 * n))
        left, right = figure.subplots(2, 1)
    else:
        figure = look.figure(74 + 32 * n)
        left, right = figure.subplots(1, 2)
    name_rows(left, labels, look)
    name_rows(right, labels if look.narrow else [""] * n, look)
    return figure, left, right


def score_axis(axes: Axes) -> None:
    """Give an axis of the scores of matches its name and its numbers."""
    axes.set_xlabel("score of a match, points")
    ticks(axes, number)


def match_margin_axis(axes: Axes) -> None:
    """Give an axis of the margins of matches its name, its zero and its numbers with signs."""
    axes.set_xlabel("margin of a match, points")
    axes.axvline(0, color=style.MUTED, linewidth=1, linestyle=(0, (3, 3)))
    ticks(axes, signed)


def dots(
    axes: Axes,
    frame: pd.DataFrame,
    value: str,
    colours: list[str],
    texts: list[str],
    scale: float = 1,
) -> None:
    """Draw estimates as dots and intervals as bars, row by row, with the value at their right."""
    rows = zip(frame[value], frame[f"{value}_low"], frame[f"{value}_high"], strict=True)
    for place, (middle, low, high) in enumerate(rows):
        colour, end = colours[place], middle
        if not np.isnan(low):
            axes.plot([scale * low, scale * high], [place, place], color=colour, linewidth=3)
            end = high
        axes.plot([scale * middle], [place], "o", color=colour, markersize=6.5, markeredgewidth=0)
        axes.annotate(
            texts[place],
            (scale * end, place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center_baseline",
            fontsize=11,
        )
    axes.grid(axis="x")


def margin_axis(axes: Axes, look: Look, panels: int = 1) -> None:
    """Give an axis of margins its zero, room for the values at the right, and signs."""
    low, high = axes.get_xlim()
    low, high = min(low, 0.0), max(high, 0.0)
    length = high - low or 1.0
    axes.set_xlim(low - 0.03 * length, high + length * 60 * panels / look.width)
    axes.axvline(0, color=style.MUTED, linewidth=1, linestyle=(0, (3, 3)))
    ticks(axes, signed)


def ticks(axes: Axes, text: Callable[[float, int], str]) -> None:
    """Put a few round ticks on the axis of values, written by `text` without digits."""
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: text(value, 0)))


def name_rows(
    axes: Axes, names: list[str], look: Look, foot: float = 0.5, head: float = 0.75
) -> None:
    """Label the rows 0, 1, … from the top: at the left, or on a phone above each row."""
    n = len(names)
    axes.set_ylim(n - 1 + foot, -head)
    axes.set_yticks([])
    if not look.narrow:
        axes.set_yticks(range(n), names)
        axes.tick_params(axis="y", labelcolor=style.INK, labelsize=12)
        return
    beside = blended_transform_factory(axes.transAxes, axes.transData)
    for place, name in enumerate(names):
        box = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1}
        axes.text(0, place - 0.3, name, transform=beside, va="bottom", fontsize=11.5, bbox=box)


def rectangle(corner: tuple[float, float], box: Mapping[str, object]) -> Patch:
    """Return a cell of a heat map from its lower corner; `box` says how it looks."""
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 0.96, 0.94, linewidth=0, **box)  # type: ignore[arg-type]


def quantile_strip(axes: Axes, row: pd.Series, y: float, colour: str) -> None:
    """Draw 5 to 95 % as a line, the middle half as a bar, and the median as a mark."""
    axes.plot([row[0.05], row[0.95]], [y, y], color=colour, linewidth=1.2)
    axes.plot([row[0.25], row[0.75]], [y, y], color=colour, linewidth=5, solid_capstyle="butt")
    axes.plot([row[0.5]], [y], "|", color=style.INK, markersize=9, markeredgewidth=2)
