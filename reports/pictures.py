"""The figures of a report as bytes, drawn by two processes side by side where there are two cores.

Each takes half a second in its three forms, and Python draws one at a time.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pandas as pd

from . import style
from .figures import FIGURES, draw_figure, drawable
from .results import Results

HELPER_SHARE = 0.4  # of the figures: less than half, since it has to start first


@dataclass(frozen=True)
class Picture:
    """A figure as SVG for wide and for narrow screens, with its heights in pixels, and as PNG."""

    wide: bytes
    narrow: bytes
    wide_height: int
    narrow_height: int
    png: bytes


def colours_of(results: Results) -> dict[str, str]:
    """Return the colours of a run's teams and, where these are mixed, of its strategies."""
    names = results.names, results.plan.names
    return style.strategy_colours(names[0]) | style.strategy_colours(names[1])


def draw_pictures(
    tables: Mapping[str, pd.DataFrame], colours: Mapping[str, str]
) -> dict[str, Picture]:
    """Return the figures of a report whose tables have rows, in the order of `FIGURES`.

    Parameters
    ----------
    tables
        The frames of `tables.report_tables`.
    colours
        The strategies' colours, by name.
    """
    names = drawable(tables)
    here = (
        len(names) - round(HELPER_SHARE * len(names)) if (os.cpu_count() or 1) > 1 else len(names)
    )
    with ThreadPoolExecutor(1) as pool:
        others = pool.submit(_draw_elsewhere, names[here:], tables, colours)
        pictures = _draw(names[:here], tables, colours)
    return pictures | (others.result() or _draw(names[here:], tables, colours))


def _draw_elsewhere(
    names: Sequence[str], tables: Mapping[str, pd.DataFrame], colours: Mapping[str, str]
) -> dict[str, Picture]:
    """Return some figures, drawn by another process; none when that does not work here."""
    if not names:
        return {}
    try:
        done = subprocess.run(
            [sys.executable, "-c", f"from {__name__} import _draw_for_another as f; f()"],
            input=pickle.dumps((names, dict(tables), colours)),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        pictures: dict[str, Picture] = pickle.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, EOFError, pickle.UnpicklingError):
        return {}
    return pictures


def _draw_for_another() -> None:
    """Draw what another process asks for on standard input, and answer on standard output."""
    sys.stdout.buffer.write(pickle.dumps(_draw(*pickle.load(sys.stdin.buffer))))


def _draw(
    names: Sequence[str], tables: Mapping[str, pd.DataFrame], colours: Mapping[str, str]
) -> dict[str, Picture]:
    return {name: _draw_one(name, tables, dict(colours)) for name in names}


def _draw_one(name: str, tables: Mapping[str, pd.DataFrame], colours: dict[str, str]) -> Picture:
    with style.drawing():
        wide, narrow = (
            draw_figure(name, tables, style.Look(width, colours))
            for width in (style.WIDE, style.NARROW)
        )
        return Picture(
            wide=style.svg_bytes(wide),
            narrow=style.svg_bytes(narrow),
            wide_height=round(72 * wide.get_figheight()),
            narrow_height=round(72 * narrow.get_figheight()),
            png=style.png_bytes(wide, FIGURES[name].title),
        )


def figure_file(
    name: str,
    tables: Mapping[str, pd.DataFrame],
    colours: Mapping[str, str],
    ending: str,
    width: int = style.WIDE,
) -> bytes:
    """Return one figure as the bytes of a file, of a kind in `style.FILES`."""
    with style.drawing():
        figure = draw_figure(name, tables, style.Look(width, dict(colours)))
        return style.FILES[ending](figure, FIGURES[name].title)
