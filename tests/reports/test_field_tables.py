"""The tables of the field are what the JSON says, and the page and its figures show them."""

import json
import re
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up_run import field_of, made_up_run
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports import style
from persian_rummy.reports.field_tables import field_tables
from persian_rummy.reports.field_words import rating_words
from persian_rummy.reports.figures import FIGURES, draw_figure, drawable
from persian_rummy.reports.metagame import metagame
from persian_rummy.reports.numbers import interval_digits, number, signed
from persian_rummy.reports.page import render
from persian_rummy.reports.pictures import Picture, _draw_one, colours_of
from persian_rummy.reports.ratings import Ratings, elo_ratings, points_ratings
from persian_rummy.reports.results import Results
from persian_rummy.reports.tables import distribution, ecdf, report_tables
from persian_rummy.sim.store import RunFolder

CIRCLE = {(0, 1): [7, 6, 6, 7], (1, 2): [6, 7, 6, 6], (0, 2): [2, 1, 2, 2]}


@pytest.fixture(scope="module")
def teams() -> Results:
    return made_up_run(tuple("pqrs"), tuple(range(10)), boards=6, form="partners")


@pytest.fixture(scope="module")
def run() -> Results:
    return made_up_run(tuple("wxyz"), (20, 18, 0, -40), boards=20)


class Tables(HTMLParser):
    """Collects the text of the cells of each row of the tables, by their labels."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: dict[str, list[list[str]]] = {}
        self.label = ""
        self.in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.label = dict(attrs).get("aria-label") or self.label
        if tag == "tr":
            self.rows.setdefault(self.label, []).append([])
        if tag in ("td", "th"):
            self.rows[self.label][-1].append("")
        self.in_cell = tag in ("td", "th") or (self.in_cell and tag in ("b", "span", "br"))

    def handle_endtag(self, tag: str) -> None:
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.rows[self.label][-1][-1] += data.strip()


def saved(results: Results, path: Path) -> str:
    folder = RunFolder(path)
    folder.create(results.manifest)
    written = {
        "summaries": folder.write_summaries(results.summaries),
        "transcripts": folder.write_transcripts({"sample": results.sample}),
    }
    folder.write_manifest(results.manifest | written)
    return str(path)


def printed(*words: str) -> dict:
    return json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)


def page_of(results: Results) -> str:
    """Return the page of a run, with nothing drawn in its figures."""
    tables = report_tables(results)
    blank = Picture(b"<svg/>", b"<svg/>", 1, 1, b"")
    return render(results, tables, dict.fromkeys(drawable(tables), blank))


def same_interval(row: dict, name: str, interval: dict) -> None:
    ends = [interval[end] for end in ("estimate", "low", "high")]
    assert [row[name], row[f"{name}_low"], row[f"{name}_high"]] == ends


def test_letters__shared_if_and_only_if_not_told_apart():
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 9):
        values = rng.normal(size=n)
        ratings = Ratings(tuple("abcdefghi"[:n]), values, np.eye(n) / 40, 30, False)
        apart, letters = ratings.told_apart(), ratings.letters()
        for i, j in combinations(range(n), 2):
            assert bool(set(letters[i]) & set(letters[j])) != apart[i, j]
        groups = [set(group) for group in ratings.groups()]
        assert not any(one < other for one in groups for other in groups)
        assert "a" in letters[ratings.order[0]]


def test_ratings__are_those_of_the_command(run: Results, tmp_path: Path):
    tables = field_tables(run)
    found = printed("ratings", saved(run, tmp_path / "run"))
    rows = {row["strategy"]: row for row in tables["ratings"].to_dict("records")}
    assert list(rows) == [row["strategy"] for row in found["elo"]]
    for name in ("elo", "points"):
        for wanted in found[name]:
            row = rows[wanted["strategy"]]
            same_interval(row, name, wanted["rating"])
            assert row[f"{name}_letters"] == wanted["letters"]
            level = {
                other
                for other in rows
                if set(rows[other][f"{name}_letters"]) & set(wanted["letters"])
            } - {wanted["strategy"]}
            assert level == set(wanted["level_with"])


def test_reversals__who_wins_more_but_by_less():
    wins = {(0, 1): [6] * 8, (0, 2): [6, 5] * 4, (1, 2): [5, 6] * 4}
    margins = {(0, 1): [-40, -44] * 4, (0, 2): [10, 12] * 4, (1, 2): [90, 92] * 4}
    tables = field_tables(field_of(3, wins, margins, matches=10))
    row = tables["reversals"].iloc[0]
    assert (row["by_elo"], row["by_points"], row["points_apart"]) == ("a", "b", True)
    rated = tables["ratings"].set_index("strategy")
    assert row["points"] == pytest.approx(rated.loc["b", "points"] - rated.loc["a", "points"])
    told = rating_words(tables["ratings"], tables["reversals"])[-1]
    assert told.startswith("The two ratings disagree in order: a ahead of b by Elo (+")


@pytest.mark.parametrize("quantity", ["score", "margin"])
def test_ecdf__shares_at_or_below_each_value(run: Results, quantity: str):
    counts = distribution(run, quantity)
    found = ecdf(counts)
    for name, part in counts.groupby("strategy"):
        matches = np.repeat(part["value"], part["count"])
        one = found[found["strategy"] == name]
        wanted = [(matches <= value).mean() for value in one["value"]]
        assert list(one["share"]) == pytest.approx(wanted)
        assert one["share"].iloc[-1] == 1


def test_partners_and_seats__are_those_of_the_command(teams: Results, tmp_path: Path):
    tables = field_tables(teams)
    found = printed("partners", saved(teams, tmp_path / "run"))
    rows = tables["partners"].to_dict("records")
    assert len(rows) == len(found["strategies"]) == 4
    for row, wanted in zip(rows, found["strategies"], strict=True):
        assert row["strategy"] == wanted["strategy"]
        for name in ("own", "as_partner", "drawn_margin", "drawn_share"):
            same_interval(row, name, wanted[name])
    rows = tables["synergies"].to_dict("records")
    for row, wanted in zip(rows, found["synergies"], strict=True):
        assert [row["strategy"], row["partner"]] == wanted["pair"]
        same_interval(row, "synergy", wanted["synergy"])
    rows = tables["seats"].to_dict("records")
    assert [row["effect"] for row in rows] == list(found["effects"])
    for row in rows:
        same_interval(row, "value", found["effects"][row["effect"]])


def test_metagame__is_that_of_the_command(tmp_path: Path):
    results = field_of(3, CIRCLE, matches=8)
    tables = field_tables(results)
    found = metagame(results).to_json()
    for row, wanted in zip(tables["metagame"].to_dict("records"), found["strategies"], strict=True):
        assert row["strategy"] == wanted["strategy"]
        for name in ("nash_mass", "nash_rating", "alpha_rank"):
            same_interval(row, name, wanted[name])
        assert row["in_support"] == wanted["in_support"]
        assert row["replicator"] == wanted["replicator"]["average"]
    ((cycle,), wanted) = tables["cycles"].to_dict("records"), found["cycles"][0]
    assert [cycle[place] for place in "abc"] == wanted["strategies"]
    for name, payoff in zip(("a_over_b", "b_over_c", "c_over_a"), wanted["payoffs"], strict=True):
        same_interval(cycle, name, payoff)
    assert tables["cyclic"]["share"].item() == found["cyclic_share"]
    course = tables["replicator"]
    sums = course.groupby("time")["share"].sum()
    assert list(sums) == pytest.approx([1] * len(sums))
    last = course[course["time"] == course["time"].max()].set_index("strategy")["share"]
    wanted = {row["strategy"]: row["replicator"]["last"] for row in found["strategies"]}
    assert last.to_dict() == wanted
    assert course["time"].max() == found["duration"]


def test_page__shows_the_numbers_of_the_json(run: Results, teams: Results):
    for results in (run, teams):
        tables = report_tables(results)
        rows = Tables(page_of(results)).rows
        elo = {row["strategy"]: row for row in elo_ratings(results).to_json()}
        points = {row["strategy"]: row for row in points_ratings(results).to_json()}
        digits = {name: interval_digits(tables["ratings"], name) for name in ("elo", "points")}
        assert [row[0] for row in rows["Ratings"][1:]] == list(elo)
        for name, *cells in rows["Ratings"][1:]:
            for row, its, cell, letters in (
                (elo[name], "elo", *cells[:2]),
                (points[name], "points", *cells[2:]),
            ):
                ends = [signed(row["rating"][end], digits[its]) for end in ("low", "high")]
                estimate = signed(row["rating"]["estimate"], digits[its])
                assert cell == f"{estimate}{ends[0]} to\xa0{ends[1]}"
                assert letters == row["letters"]
        for row in rows["Standings"][1:]:
            assert row[-1] == elo[row[1]]["letters"]
        game = metagame(results).to_json()["strategies"]
        for (name, mass, _, rank, _), wanted in zip(rows["As a game"][1:], game, strict=True):
            assert name == wanted["strategy"]
            assert mass.startswith(number(100 * wanted["nash_mass"]["estimate"], 1))
            assert rank.startswith(number(100 * wanted["alpha_rank"]["estimate"], 1))
        assert len(rows["Dealers and seats"]) == 1 + len(tables["seats"])
        assert ("Partners" in rows) == (results is teams)
    assert len(rows["Synergies"]) == 1 + 6


@pytest.mark.parametrize("width", [style.WIDE, style.NARROW])
def test_figures__of_teams__in_their_width_and_the_same_bytes(teams: Results, width: int):
    tables = report_tables(teams)
    look = style.Look(width, colours_of(teams))
    for name in ("partners", "synergies", "seats", "replicator"):
        assert name in drawable(tables)
        with style.drawing():
            one, other = (style.svg_bytes(draw_figure(name, tables, look)) for _ in range(2))
        assert one == other
        assert f'width="{width}"'.encode() in one


def test_ecdf_figure__curves_and_dots_stand_at_the_shares(run: Results):
    tables = report_tables(run)
    with style.drawing():
        axes = draw_figure("margin_ecdf", tables, style.Look(style.WIDE, colours_of(run))).axes[0]
    curves = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    wanted = tables["margin_ecdf"]
    for name, line in zip(tables["margin_quantiles"].index, curves, strict=True):
        one = wanted[wanted["strategy"] == name]
        assert list(line.get_xdata())[1:-1] == list(one["value"])
        assert list(line.get_ydata())[1:-1] == pytest.approx(list(100 * one["share"]))


ALONE = {"ratings": "never met", "metagame": "never met", "replicator": "never met"}


@pytest.mark.parametrize(
    ("results", "absent"),
    [
        (made_up_run(("x", "y"), (0, 0), boards=3), {"replicator": "three strategies or more"}),
        (made_up_run(("x", "y"), (0, 0), failed=["y"]), dict.fromkeys(ALONE, "no pairing counts")),
        (made_up_run(tuple("abcd"), (0,) * 4, boards=1), {}),
        (
            made_up_run(tuple("abcd"), (0,) * 4, boards=3, form="gauntlet"),
            {"metagame": "never met", "replicator": "never met"},
        ),
        (field_of(4, {(0, 1): [1, 1], (2, 3): [1, 1]}), ALONE),
        (field_of(3, {pair: [1, 1, 1] for pair in CIRCLE}), {}),
    ],
    ids=["one pairing", "void", "one board", "gauntlet", "parts", "level"],
)
def test_odd_runs__say_what_there_is_not(results: Results, absent: dict[str, str]):
    tables = field_tables(results)
    why = dict(zip(tables["absent"]["table"], tables["absent"]["why"], strict=True))
    empty = {name for name in why if tables[name].empty}
    assert empty == set(why)
    assert {"partners", "synergies", *absent} <= set(why)
    assert {"ratings", "metagame", "replicator"} & set(why) == set(absent)
    for name, words in absent.items():
        assert words in why[name]


@pytest.mark.parametrize("kind", ["one board", "gauntlet", "one pairing"])
def test_page__odd_runs__in_plain_words(kind: str):
    results = {
        "one board": made_up_run(boards=1),
        "gauntlet": made_up_run(tuple("abcd"), (0,) * 4, boards=3, form="gauntlet"),
        "one pairing": made_up_run(("x", "y"), (0, 0), boards=3),
    }[kind]
    text = page_of(results)
    words = {
        "one board": "One board does not tell anybody apart.",
        "gauntlet": "There is no such game here: a meta-game needs all pairs",
        "one pairing": "No figure: the course of a mixture is drawn for three strategies or more.",
    }
    assert words[kind] in text
    assert not re.search(r">[−+]?nan\b", text)


def test_plot__writes_the_reports_bytes(run: Results, tmp_path: Path):
    place = saved(run, tmp_path / "run")
    picture = _draw_one("ratings", report_tables(run), colours_of(run))
    reports = {"png": picture.png, "svg": picture.wide}
    for ending in ("png", "svg", "pdf", "pdf"):
        out = tmp_path / f"a.{ending}"
        done = CliRunner().invoke(app, ["plot", "ratings", place, "-o", str(out)])
        assert (done.exit_code, done.stdout) == (0, f"{out}\n")
        if ending != "pdf":
            assert out.read_bytes() == reports[ending]
    once = (tmp_path / "a.pdf").read_bytes()
    assert once.startswith(b"%PDF")
    assert b"Date" not in once
    words = ["plot", "ratings", place, "-o", str(tmp_path / "b.svg"), "--narrow"]
    assert printed(*words) == {"figure": "ratings", "file": str(tmp_path / "b.svg")}
    assert b'width="340"' in (tmp_path / "b.svg").read_bytes()
    assert [row["figure"] for row in printed("plot", "--list")] == list(FIGURES)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("standing", "RUN", "-o", "x.png"), "did you mean standings?"),
        (("standings", "RUN", "-o", "x.jpg"), ".png, .svg, .pdf"),
        (("standings", "RUN", "-o", "no/x.png"), "cannot write to no/x.png: No such file"),
        (("synergies", "RUN", "-o", "x.png"), "only a run of mixed teams"),
        (("standings",), "say what, of which run and where to"),
        (("standings", "nowhere", "-o", "x.png"), "nowhere"),
    ],
)
def test_plot__errors__say_what_to_do(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    place = saved(made_up_run(("x", "y"), (0, 0), boards=3), tmp_path / "run")
    done = CliRunner().invoke(app, ["plot", *(place if w == "RUN" else w for w in words)])
    assert done.exit_code == 2
    assert done.stderr.startswith("prummy: ")
    assert told in done.stderr
    assert not list(tmp_path.glob("x.*"))


def test_tables__are_never_none_of_a_column_that_is_asked_for(run: Results):
    for name, frame in field_tables(run).items():
        assert isinstance(frame, pd.DataFrame), name
        assert len(frame.columns), name
