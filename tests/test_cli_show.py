"""`prummy show`: the report's tables in every form say the same."""

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pytest
from command import fails, run, run_json

from persian_rummy.reports.results import load_results
from persian_rummy.reports.tables import report_tables
from persian_rummy.reports.text import SPARKS, as_markdown, as_records, sparklines


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("show") / "run"
    field = ("greedy[pile_bias=3]", "hunter", "random")
    run("tournament", *field, "--matches", "40", "--out", str(place), "--report")
    return place


def test_show__json__holds_every_number_of_every_table(folder):
    found = run_json("show", str(folder), "all")
    tables = report_tables(load_results(folder))
    assert list(found) == list(tables)
    for name, frame in tables.items():
        flat = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index(drop=True)
        rows = [{k: row[k] for k in map(str, flat.columns)} for row in found[name]]
        for row, (_, wanted) in zip(rows, flat.iterrows(), strict=True):
            assert list(row.values()) == [None if pd.isna(v) else v for v in wanted]
    assert "NaN" not in json.dumps(found)


def test_show__csv__is_the_file_of_the_report(folder):
    text = run("show", str(folder), "meetings", "--format", "csv")
    assert text == (folder / "report" / "csv" / "meetings.csv").read_text()
    assert len(list(csv.DictReader(io.StringIO(text)))) == 6


def test_show__markdown__names_and_intervals(folder):
    lines = run("show", str(folder), "standings", "--format", "md").splitlines()
    assert lines[0] == "| strategy | matches | win_share | margin | score |"
    assert lines[1] == "| :-- | --: | --: | --: | --: |"
    row = next(line for line in lines if "greedy[pile_bias=3]" in line)
    wanted = report_tables(load_results(folder))["standings"].set_index("strategy")
    its = wanted.loc["greedy[pile_bias=3]"]
    assert f"{its['margin']:.2f} ({its['margin_low']:.2f} to {its['margin_high']:.2f})" in row


def test_show__terminal__has_names_in_brackets_and_sparklines(folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = run("show", str(folder))
    assert "greedy[pile_bias=3]" in text
    assert any(spark in text for spark in SPARKS)


def test_sparklines__tallest_bin_of_all__has_the_tallest_bar():
    tables = {}
    for name in ("score", "margin"):
        shares = {"a": [0.1, 0.4, 0.5], "b": [0.0, 1.0, 0.0]}
        tables[f"{name}_bins"] = pd.DataFrame(
            [
                {"strategy": who, "low": k, "high": k + 1, "share": share}
                for who, its in shares.items()
                for k, share in enumerate(its)
            ]
        )
    assert sparklines(tables)["score_quantiles"] == {"a": "▂▄▅", "b": " █ "}


def test_markdown__hostile_text__stays_in_its_cell():
    frame = pd.DataFrame({"name": ["a|b", "c\nd", "<script>"], "x": [1, 2_000_000, 3]})
    lines = as_markdown(frame).splitlines()
    assert lines[2:] == ["| a\\|b | 1 |", "| c d | 2,000,000 |", "| <script> | 3 |"]


def test_markdown__unknown_interval__is_left_out():
    nan = float("nan")
    frame = pd.DataFrame({"x": [1.5, 2.5], "x_low": [1.0, nan], "x_high": [2.0, nan]})
    assert as_markdown(frame).splitlines()[2:] == ["| 1.500 (1.000 to 2.000) |", "| 2.500 |"]


def test_records__unknown__is_none():
    assert as_records(pd.DataFrame({"x": [float("nan"), 1.5]})) == [{"x": None}, {"x": 1.5}]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("standing",), "did you mean standings"),
        (("zzz",), "there are all, standings"),
        (("standings", "--format", "xml"), "there are rich, md, csv, json"),
    ],
)
def test_show__what_there_is_not__says_what_there_is(folder, arguments, says):
    assert says in fails("show", str(folder), *arguments)
