"""Figures show what their frames hold, in the same bytes each time, and leave no trace."""

import re
import sys
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pandas as pd
import pytest
from made_up_run import ODD_NAMES, made_up_run
from matplotlib.figure import Figure

from persian_rummy.reports import style
from persian_rummy.reports.figures import FIGURES, draw_figure, drawable
from persian_rummy.reports.style import Look
from persian_rummy.reports.tables import report_tables

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    return report_tables(made_up_run())


def draw(name: str, tables: dict[str, pd.DataFrame], width: int = style.WIDE) -> Figure:
    order = sorted(tables["standings"]["strategy"])
    with style.drawing():
        return draw_figure(name, tables, Look(width, style.strategy_colours(order)))


def svg(name: str, tables: dict[str, pd.DataFrame], width: int = style.WIDE) -> bytes:
    order = sorted(tables["standings"]["strategy"])
    with style.drawing():
        return style.svg_bytes(
            draw_figure(name, tables, Look(width, style.strategy_colours(order)))
        )


def texts(picture: bytes) -> list[str]:
    return [str(node.text) for node in ET.fromstring(picture).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def odd_runs() -> list[dict[str, pd.DataFrame]]:
    runs = (
        made_up_run(("one", "two"), (0, 0), boards=1),
        made_up_run(tuple("abcdefghi"), range(9), boards=3, form="gauntlet"),
        made_up_run(tuple("abcdefghi"), range(9), boards=1),
    )
    return [report_tables(run) for run in runs]


@pytest.mark.parametrize("width", [style.WIDE, style.NARROW])
@pytest.mark.parametrize("name", FIGURES)
def test_figure__draws_any_run_in_its_width(
    name: str, width: int, odd_runs: list[dict[str, pd.DataFrame]]
) -> None:
    for run in odd_runs:
        if name not in drawable(run):
            continue
        picture = svg(name, run, width)
        assert ET.fromstring(picture).get("width") == str(width)
        assert len(texts(picture)) > 3


OF_ENTRIES = [name for name in FIGURES if name not in ("partners", "synergies")]
"""Figures of every run, not only of mixed teams (`test_field_tables`)."""


@pytest.mark.parametrize("name", OF_ENTRIES)
def test_figure__same_bytes_for_the_same_frames_only(
    name: str, tables: dict[str, pd.DataFrame]
) -> None:
    assert svg(name, tables) == svg(name, tables)
    other = report_tables(made_up_run(strengths=(61, 0, -60)))
    if any(not tables[table].equals(other[table]) for table in FIGURES[name].tables):
        assert svg(name, tables) != svg(name, other)
    with style.drawing():
        look = Look(style.WIDE, style.strategy_colours(["middle", "strong", "weak"]))
        pngs = [style.png_bytes(draw_figure(name, tables, look), "A title") for _ in range(2)]
    assert pngs[0] == pngs[1]
    assert pngs[0].startswith(b"\x89PNG")


def test_drawing__leaves_no_setting_behind(tables: dict[str, pd.DataFrame]) -> None:
    def settings() -> dict[str, object]:  # asking for the backend would choose one
        names = [name for name in matplotlib.rcParams if name != "backend"]
        return {name: matplotlib.rcParams[name] for name in names}

    before, loaded = settings(), "matplotlib.pyplot" in sys.modules
    matplotlib.rcParams["font.size"] = 31  # a setting of somebody else's
    try:
        strange = svg("standings", tables)
        assert matplotlib.rcParams["font.size"] == 31
    finally:
        matplotlib.rcParams["font.size"] = before["font.size"]
    assert strange == svg("standings", tables)
    assert settings() == before
    assert ("matplotlib.pyplot" in sys.modules) == loaded


def test_svg__holds_no_date_and_no_address(tables: dict[str, pd.DataFrame]) -> None:
    picture = svg("scores", tables).decode()
    assert "dc:date" not in picture
    outside = set(re.findall(r"https?://[^\"' ]+", picture))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


@pytest.mark.parametrize("width", [style.WIDE, style.NARROW])
@pytest.mark.parametrize(
    "name", [n for n in OF_ENTRIES if n not in ("deal_lengths", "pairings", "crosstable", "seats")]
)
def test_figure__writes_names_as_they_are(name: str, width: int) -> None:
    run = made_up_run(ODD_NAMES, (0, 1, 2, 3), boards=3)
    shown = texts(svg(name, report_tables(run), width))
    assert {"<b>bold</b>&co", 'a $x_1$ "q"', "{{ 7*7 }}{% x %}"} <= set(shown)


def test_standings__dots_and_bars_stand_at_the_estimates(tables: dict[str, pd.DataFrame]) -> None:
    frame = tables["standings"]
    shares, margins = draw("standings", tables).axes
    for place, row in enumerate(frame.to_dict("records")):
        for axes, value, scale in ((shares, "win_share", 100), (margins, "margin", 1)):
            dots = [line for line in axes.lines if line.get_marker() == "o"]
            assert dots[place].get_xdata()[0] == pytest.approx(scale * row[value])
            bars = [line for line in axes.lines if len(set(line.get_ydata())) == 1]
            bars = [line for line in bars if len(line.get_xdata()) == 2]
            ends = [scale * row[f"{value}_low"], scale * row[f"{value}_high"]]
            assert list(bars[place].get_xdata()) == pytest.approx(ends)


def test_standings__no_bars_without_intervals() -> None:
    figure = draw("standings", report_tables(made_up_run(boards=1)))
    lines = [line for axes in figure.axes for line in axes.lines]
    assert all(len(line.get_xdata()) == 1 or line.get_linestyle() != "-" for line in lines)


def test_sources__bars_add_up_to_the_score(tables: dict[str, pd.DataFrame]) -> None:
    axes = draw("sources", tables).axes[0]
    sums = np.zeros(3)
    for bar in axes.patches:
        sums[round(bar.get_y() + bar.get_height() / 2)] += bar.get_width()
    assert sums == pytest.approx(tables["sources"]["score"].to_numpy())
    marks = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "^"]
    assert marks == pytest.approx(list(tables["sources"]["score"]))


def test_deal_ends__bars_fill_the_whole(tables: dict[str, pd.DataFrame]) -> None:
    axes = draw("deal_ends", tables).axes[0]
    first = [bar for bar in axes.patches if round(bar.get_y() + bar.get_height() / 2) == 0]
    expected = 100 * tables["deal_ends"].iloc[0]
    assert [bar.get_width() for bar in first] == pytest.approx(list(expected[expected > 0]))
    assert sum(bar.get_width() for bar in first) == pytest.approx(100)


def test_crosstable__cells_hold_both_values(tables: dict[str, pd.DataFrame]) -> None:
    shown = texts(svg("crosstable", tables))
    share = tables["crosstable_win_share"].loc["strong", "weak"]
    assert f"{100 * share:.1f}" in shown
    assert f"+{tables['crosstable_margin'].loc['strong', 'weak']:.1f}" in shown
    assert f"−{tables['crosstable_margin'].loc['strong', 'weak']:.1f}" in shown


def test_scores__areas_are_shares_of_matches(tables: dict[str, pd.DataFrame]) -> None:
    axes = draw("scores", tables).axes[0]
    filled = [patch for patch in axes.patches if patch.get_fill()]
    shares = tables["score_bins"].groupby("strategy", sort=False)["share"].max()
    heights = [place - patch.get_data().values.min() for place, patch in enumerate(filled)]
    assert np.array(heights) / max(heights) == pytest.approx(shares.to_numpy() / shares.max())


def test_dark__changes_ink_and_nothing_else(tables: dict[str, pd.DataFrame]) -> None:
    light = svg("standings", tables)
    dark = style.dark(light)
    assert style.INK.encode() in light
    assert style.INK.encode() not in dark
    colour = style.STRATEGY_COLOURS[0].encode()
    assert light.count(colour) == dark.count(colour) > 0
    assert texts(light) == texts(dark)


def test_strategy_colours__follow_the_entries_not_the_standings() -> None:
    assert style.strategy_colours(["b", "a"]) == {
        "b": style.STRATEGY_COLOURS[0],
        "a": style.STRATEGY_COLOURS[1],
    }
    assert len(style.strategy_colours([str(k) for k in range(20)])) == 20


@pytest.mark.parametrize(
    ("name", "most", "expected"),
    [("greedy", 6, "greedy"), ("abcdefgh", 5, "ab…gh"), ("greedy[x=10]", 8, "gree…10]")],
)
def test_shortened__keeps_both_ends(name: str, most: int, expected: str) -> None:
    assert style.shortened(name, most) == expected


def test_text_on__is_light_on_dark_and_dark_on_light() -> None:
    assert style.text_on("#000000") == style.text_on("#2f7396") != style.text_on("#ffffff")


def test_dash__strategies_that_share_a_colour__differ():
    names = [f"s{k}" for k in range(2 * len(style.STRATEGY_COLOURS) + 1)]
    look = style.Look(style.WIDE, style.strategy_colours(names))
    looks = [(look.colours[name], str(look.dash(name))) for name in names]
    assert len(set(looks)) == len(names)
    assert {look.dash(name) for name in names[: len(style.STRATEGY_COLOURS)]} == {"-"}
