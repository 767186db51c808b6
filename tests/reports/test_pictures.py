"""All figures at once: the same whoever draws them, and drawn whatever becomes of the helper."""

import sys

import pandas as pd
import pytest
from made_up_run import made_up_run

from persian_rummy.reports import pictures, style
from persian_rummy.reports.figures import FIGURES, drawable
from persian_rummy.reports.pictures import Picture, draw_pictures
from persian_rummy.reports.tables import report_tables

NAMES = ["middle", "strong", "weak"]
SOME = ("standings", "sources", "deal_lengths", "course", "seats")


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    """Return the tables of a report; those of most figures are empty, so that five are drawn."""
    found = report_tables(made_up_run())
    drawn = {table for name in SOME for table in FIGURES[name].tables}
    return {name: frame if name in drawn else frame.iloc[:0] for name, frame in found.items()}


@pytest.fixture(scope="module")
def alone(tables: dict[str, pd.DataFrame]) -> dict[str, Picture]:
    """Return the pictures that one process draws."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures.os, "cpu_count", lambda: 1)
        patch.setattr(pictures.subprocess, "run", None)
        return draw_pictures(tables, style.strategy_colours(NAMES))


def test_pictures__of_two_processes__are_those_of_one(
    tables: dict[str, pd.DataFrame], alone: dict[str, Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures.os, "cpu_count", lambda: 2)
    helped = []
    elsewhere = pictures._draw_elsewhere

    def spy(names, *rest):
        helped.append((list(names), elsewhere(names, *rest)))
        return helped[-1][1]

    monkeypatch.setattr(pictures, "_draw_elsewhere", spy)
    both = draw_pictures(tables, style.strategy_colours(NAMES))
    names = drawable(tables)
    assert list(both) == list(alone) == names
    assert both == alone
    [(asked, drawn)] = helped
    assert list(drawn) == asked == names[-round(pictures.HELPER_SHARE * len(names)) :]


@pytest.mark.parametrize("program", ["/no/such/python", "/bin/false", "/bin/true"])
def test_pictures__helper_that_fails__are_drawn_here(
    tables: dict[str, pd.DataFrame],
    alone: dict[str, Picture],
    monkeypatch: pytest.MonkeyPatch,
    program: str,
) -> None:
    monkeypatch.setattr(pictures.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(sys, "executable", program)
    assert draw_pictures(tables, style.strategy_colours(NAMES)) == alone


def test_pictures__have_the_sizes_they_say(alone: dict[str, Picture]) -> None:
    for picture in alone.values():
        assert f'width="{style.WIDE}" height="{picture.wide_height}'.encode() in picture.wide
        assert f'width="{style.NARROW}" height="{picture.narrow_height}'.encode() in picture.narrow
        assert picture.png.startswith(b"\x89PNG")
