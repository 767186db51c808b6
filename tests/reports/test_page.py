"""The report: self-contained, the same bytes, everything escaped, the frames' numbers."""

import dataclasses
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from made_up_run import ODD_NAMES, made_up_run
from markupsafe import escape
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports import page, style
from persian_rummy.reports.figures import FIGURES, drawable
from persian_rummy.reports.numbers import signed
from persian_rummy.reports.page import write_report
from persian_rummy.reports.pictures import Picture
from persian_rummy.reports.results import Results
from persian_rummy.reports.tables import report_tables
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.store import RunFolder, StoreError

NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


class Reader(HTMLParser):
    """Collects tags, addresses, and the text of the cells of each table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.cells: list[str] = []
        self.text = ""
        self.in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "srcset", "action", "data", "poster"):
                self.addresses.append(value or "")
            if name == "id":
                self.ids.append(value or "")
        if tag in ("td", "th"):
            self.cells.append("")
            self.in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.in_cell = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.in_cell:
            self.cells[-1] += data.strip()


@pytest.fixture(scope="module")
def run() -> Results:
    return made_up_run()


@pytest.fixture(scope="module")
def written(run: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(run, tmp_path_factory.mktemp("run") / "report")


def blanks(tables: dict[str, pd.DataFrame], *_: object) -> dict[str, Picture]:
    """Return all figures of a report with nothing drawn: what is drawn has its own tests."""
    return dict.fromkeys(drawable(tables), Picture(b"<svg/>", b"<svg/>", 1, 1, b""))


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write reports whose figures are blank."""
    monkeypatch.setattr(page, "draw_pictures", blanks)


def written_text(run: Results, tmp_path: Path) -> str:
    """Return the page of a run, with blank figures."""
    tables = report_tables(run)
    return page.render(run, tables, blanks(tables))


def test_page__needs_no_network(written: Path) -> None:
    text = written.read_text("utf-8")
    reader = Reader(text)
    assert not {"link", "iframe", "object", "embed"} & set(reader.tags)
    figures = len(list((written.parent / "svg").iterdir()))
    drawn = [a for a in reader.addresses if a.startswith("data:image/svg+xml")]
    assert len(drawn) == 4 * figures
    for address in drawn:
        assert not re.search(r"\s", address)  # a srcset ends an address there
        picture = unquote(address.partition(",")[2])
        assert ET.fromstring(picture).tag.endswith("svg")
        assert not re.search(r"@import|url\((?!#)", picture)
        assert set(re.findall(r"https?://[^\"' ]+", picture)) == NAMESPACES
        text = text.replace(str(escape(address)), "")
    for address in reader.addresses:
        if address.startswith("#"):
            assert address[1:] in reader.ids
        elif not address.startswith("data:"):
            assert (written.parent / address).is_file()
    assert not re.search(r"@import|url\(|https?://", text)
    assert len(text) < 1_000_000


def test_report__same_bytes_for_the_same_run(run: Results, written: Path, tmp_path: Path) -> None:
    again = write_report(made_up_run(), tmp_path / "elsewhere").parent
    files = sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file())
    assert files == sorted(
        p.relative_to(written.parent) for p in written.parent.rglob("*") if p.is_file()
    )
    tables = report_tables(run)
    assert len(files) == 1 + 2 * len(drawable(tables)) + len(tables)
    for name in files:
        assert (again / name).read_bytes() == (written.parent / name).read_bytes(), name


def test_page__escapes_every_name(tmp_path: Path) -> None:
    odd = made_up_run(ODD_NAMES, (3, 2, 1, 0), boards=3, failed=["greedy[pile_bias=40,x=1]"])
    odd.manifest["strategies"][0]["idea"] = "<i>idea</i>"
    odd.manifest["strategies"][1] |= {"version": "2<b>", "author": "Ann", "source": "a book"}
    text = written_text(odd, tmp_path)
    assert "version 2&lt;b&gt;, by Ann. a book" in text
    assert "<b>bold</b>&co" not in text
    assert "<i>idea</i>" not in text
    assert "<not>" not in text
    reader = Reader(text)
    for name in ODD_NAMES:
        assert name in reader.cells
    assert "{{ 7*7 }}{% x %}" in reader.text
    assert "a card <not> held" in reader.text


def test_report__has_every_figure_and_table(run: Results, written: Path) -> None:
    tables, text = report_tables(run), written.read_text("utf-8")
    of_teams = {"partners", "synergies"}
    assert drawable(tables) == [name for name in FIGURES if name not in of_teams]
    for name in drawable(tables):
        assert (written.parent / "png" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
        assert (written.parent / "svg" / f"{name}.svg").read_bytes()[:4] == b"<svg"
        assert f'id="figure-{name}"' in text
        assert f'alt="{FIGURES[name].title}. ' in text
        assert set(FIGURES[name].tables) <= tables.keys()


def test_csv__equals_the_frames(run: Results, written: Path) -> None:
    for name, frame in report_tables(run).items():
        named = not isinstance(frame.index, pd.RangeIndex)
        read = pd.read_csv(
            written.parent / "csv" / f"{name}.csv",
            index_col="strategy" if named else None,
        )
        expected = frame.rename(columns=str)
        expected.index.name = "strategy" if named else None
        pd.testing.assert_frame_equal(
            read, expected, rtol=1e-12, check_dtype=False, check_column_type=False
        )


def test_page__shows_the_numbers_of_the_frames(run: Results, written: Path) -> None:
    cells = Reader(written.read_text("utf-8")).cells
    tables = report_tables(run)
    first = tables["standings"].iloc[0]
    assert first["strategy"] == "strong"
    shown = (
        f"{100 * first['win_share']:.1f}"
        f"{100 * first['win_share_low']:.1f} to\xa0{100 * first['win_share_high']:.1f}"
    )
    assert shown in cells
    assert f"{first['score']:.1f}" in cells
    for met in tables["meetings"].to_dict("records"):
        cell = f"{signed(met['margin'])}{100 * met['win_share']:.1f} %"
        assert cell in cells, (met["strategy"], met["opponent"])
    for _, parts in tables["sources"].iterrows():
        assert signed(parts["runs"]) in cells
        assert signed(parts["left in hands"]) in cells
    for _, row in tables["score_quantiles"].iterrows():
        assert f"{row['sd']:.1f}" in cells
    assert f"{tables['events'].loc['weak', 'takes']:.2f}" in cells
    assert f"{100 * tables['deal_ends'].loc['weak', 'went out']:.1f}" in cells


def test_page__one_board_has_no_intervals(tmp_path: Path) -> None:
    text = written_text(made_up_run(boards=1), tmp_path)
    assert "one board is too few to say how sure that is" in text
    assert "clearly ahead of" not in text.split("</header>")[0]
    assert "nan" not in Reader(text).text.lower().split()
    assert not any("nan" in cell for cell in Reader(text).cells)


def test_page__void_run_says_so_and_has_no_figures(tmp_path: Path) -> None:
    void = made_up_run(("good", "bad"), (0, 0), failed=["bad"])
    text = write_report(void, tmp_path / "report").read_text("utf-8")
    assert "No match counts" in text
    assert "run/bad.json" in text
    assert "<figure" not in text
    assert drawable(report_tables(void)) == []
    assert list((tmp_path / "report" / "png").iterdir()) == []


def test_page__failed_strategy_is_named_and_not_ranked(tmp_path: Path) -> None:
    run = made_up_run(failed=["middle"])
    text = written_text(run, tmp_path)
    assert "middle failed and is out of this run" in text
    assert "2 of 3" in text
    assert list(report_tables(run)["standings"]["strategy"]) == ["strong", "weak"]


def test_page__interrupted_run_says_how_far_it_got(tmp_path: Path) -> None:
    run = made_up_run(status="interrupted")
    run = dataclasses.replace(run, plan=dataclasses.replace(run.plan, boards=100))
    assert "stopped after 240 of 600 matches" in Reader(written_text(run, tmp_path)).text


def test_page__names_house_rules_and_how_to_play_it_again(tmp_path: Path) -> None:
    rules = Rules(deals=1, double_jokers=False)
    run = made_up_run(("a b", "c"), (0, 0), boards=5, rules=rules, form="gauntlet")
    text = Reader(written_text(run, tmp_path)).text
    assert (
        "prummy tournament 'a b' c --matches 10 --seed 1 --format gauntlet "
        "--rule deals=1 --rule double_jokers=false"
    ) in text
    assert "deals = 1 (default 2)" in text


@pytest.mark.usefixtures("undrawn")
def test_write_report__replaces_an_earlier_report_whole(run: Results, tmp_path: Path) -> None:
    folder = write_report(run, tmp_path / "report").parent
    (folder / "png" / "stale.png").touch()
    write_report(made_up_run(("x", "y"), (0, 0), boards=3), folder)
    assert not (folder / "png" / "stale.png").exists()
    assert "<title>x" in (folder / "index.html").read_text() or "<title>y" in (
        folder / "index.html"
    ).read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_write_report__failed_write_leaves_the_earlier_report(
    run: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    small = made_up_run(("x", "y"), (0, 0), boards=3)
    before = write_report(small, tmp_path / "report").read_bytes()

    def fail(*_: object) -> str:
        raise error

    monkeypatch.setattr(page, "render", fail)
    with pytest.raises((StoreError, KeyboardInterrupt)) as caught:
        write_report(run, tmp_path / "report")
    if isinstance(error, OSError):
        assert "No space left on device" in str(caught.value)
    assert (tmp_path / "report" / "index.html").read_bytes() == before
    assert (tmp_path / "report" / "png" / "standings.png").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.usefixtures("undrawn")
def test_write_report__earlier_report_comes_back_when_the_exchange_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made_up_run(("x", "y"), (0, 0), boards=3)
    before = write_report(run, tmp_path / "report").read_bytes()
    rename = Path.rename

    def fail_on_the_new(path: Path, target: Path) -> Path:
        if path.name.endswith(".new"):
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_on_the_new)
    with pytest.raises(StoreError, match="Input/output error"):
        write_report(made_up_run(("p", "q"), (0, 0), boards=3), tmp_path / "report")
    assert (tmp_path / "report" / "index.html").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize("name", ["notes.txt", "index.html"])
def test_write_report__keeps_its_hands_off_other_folders(
    run: Results, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(StoreError, match="holds other things than a report"):
        write_report(run, tmp_path)
    assert (tmp_path / name).read_text() == "mine"
    with pytest.raises(StoreError, match="is a file"):
        write_report(run, tmp_path / name)


def test_colours__are_the_same_in_page_and_figures(run: Results, written: Path) -> None:
    text = written.read_text("utf-8")
    for name, colour in style.strategy_colours(run.names).items():
        assert f'style="--c: {colour}">{name}<' in text


def saved(run: Results, path: Path) -> Path:
    folder = RunFolder(path)
    folder.create(run.manifest)
    written = {
        "summaries": folder.write_summaries(run.summaries),
        "transcripts": folder.write_transcripts({"sample": run.sample}),
    }
    folder.write_manifest(run.manifest | written)
    return path


def test_command__writes_beside_the_run_and_says_where(tmp_path: Path) -> None:
    run = made_up_run(("x", "y"), (0, 0), boards=3)
    path = saved(run, tmp_path / "run")
    done = CliRunner().invoke(app, ["report", str(path)])
    assert (done.exit_code, done.stdout) == (0, f"{path / 'report' / 'index.html'}\n")
    out = tmp_path / "a" / "site"
    done = CliRunner().invoke(app, ["report", str(path), "--out", str(out), "--json"])
    figures = drawable(report_tables(run))
    assert json.loads(done.stdout) == {"page": str(out / "index.html"), "figures": figures}
    assert (out / "index.html").read_bytes() == (path / "report" / "index.html").read_bytes()


@pytest.mark.parametrize("status", [None, "running"])
def test_command__refuses_what_is_no_finished_run(tmp_path: Path, status: str | None) -> None:
    if status:
        saved(made_up_run(("x", "y"), (0, 0), boards=3, status=status), tmp_path / "run")
    done = CliRunner().invoke(app, ["report", str(tmp_path / "run")])
    assert done.exit_code == 2
    assert done.stderr.startswith("prummy: ")
    assert "Traceback" not in done.output
    assert not (tmp_path / "run" / "report").exists()
