"""The report of a run: one HTML file that needs no network, with its figures and tables beside it.

What the page shows comes from `tables.report_tables`; here it is put in order, given words and
written. The same run gives the same bytes.
"""

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from ..sim.columns import SIDE_COLUMNS
from ..sim.rules import Rules
from ..sim.store import StoreError
from . import numbers, style
from .field_figures import MOST_CURVES
from .field_words import field_parts
from .figures import FIGURES
from .pictures import Picture, colours_of, draw_pictures
from .results import Results
from .tables import LEVELS, overview, report_tables
from .text import as_csv
from .verdict import listed, verdict
from .viewer import as_json, script, watched

PAGE = "index.html"
FOLDERS = ("png", "svg", "csv")
GENERATOR = "prummy report"
_AS_THEY_ARE = "/:;=,.()*!@$?+-_~'"  # what an address in a srcset holds as it is


def write_report(
    results: Results, folder: Path, tables: dict[str, pd.DataFrame] | None = None
) -> Path:
    """Write ``index.html`` and ``png/``, ``svg/`` and ``csv/``; return the page's path.

    The folder is new, empty, or holds an earlier report, which is replaced as a whole once the
    new one is complete. `tables` are those of `tables.report_tables`, where they are there already.

    Raises
    ------
    StoreError
        When the folder holds anything else, or cannot be written.
    """
    tables = report_tables(results) if tables is None else tables
    with _replacing(folder) as temporary:
        for name in FOLDERS:
            (temporary / name).mkdir()
        pictures = draw_pictures(tables, colours_of(results))
        for name, picture in pictures.items():
            (temporary / "png" / f"{name}.png").write_bytes(picture.png)
            (temporary / "svg" / f"{name}.svg").write_bytes(picture.wide)
        for name, frame in tables.items():
            (temporary / "csv" / f"{name}.csv").write_text(as_csv(frame), encoding="utf-8")
        page = render(results, tables, pictures)
        (temporary / PAGE).write_text(page, encoding="utf-8")
    return folder / PAGE


def write_match(transcript: dict[str, Any], file: Path) -> None:
    """Write a page that shows one match, step by step, to a file.

    Raises StoreError when that cannot be written.
    """
    script_text, script_hash = script()
    page = (
        _environment()
        .get_template("match.html.j2")
        .render(
            generator=GENERATOR,
            match=watched(transcript),
            matches_json=as_json([watched(transcript)]),
            script=script_text,
            script_hash=script_hash,
        )
    )
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot write to {file}: {error.strerror}") from None


def render(results: Results, tables: dict[str, pd.DataFrame], pictures: dict[str, Picture]) -> str:
    """Return the page of a run from its tables and from pictures of its figures."""
    about = overview(results)
    matches = [watched(transcript) for transcript in results.exemplars]
    script_text, script_hash = script()
    words = _caption_fields(about, tables) | _sample_words(tables, results.plan.rules)
    figures = {
        name: {
            **_addresses(pictures[name]),
            "title": FIGURES[name].title,
            "caption": FIGURES[name].caption.format(**words),
            "tables": FIGURES[name].tables,
        }
        for name in pictures
    }
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            generator=GENERATOR,
            matches=matches,
            matches_json=as_json(matches),
            script=script_text,
            script_hash=script_hash,
            names=results.names,
            manifest=results.manifest,
            plan=results.plan,
            about=about,
            words=words,
            verdict=verdict(results, tables["standings"], tables["meetings"]),
            figures=figures,
            standings=tables["standings"].to_dict("records"),
            pairings=tables["pairings"].to_dict("records"),
            meetings=_by_pair(tables["meetings"]),
            parts=[name for name in tables["sources"].columns if name != "score"],
            sources=tables["sources"].to_dict("index"),
            quantiles={
                name: tables[f"{name}_quantiles"].to_dict("index")
                for name in ("score", "margin", "deal_length")
            },
            levels=LEVELS,
            events=_events(tables["events"], results.plan.rules),
            habits=tables["habits"].to_dict("records"),
            ends=tables["deal_ends"].to_dict("index"),
            end_names=_end_names(tables["deal_ends"], results.plan.rules),
            digits=_digits(tables),
            **field_parts(tables),
            span=numbers.span,
            colours=colours_of(results),
            part_colours=style.PART_COLOURS,
            end_colours=style.END_COLOURS,
            heat=_heat,
            rules=_rules(results),
            command=shlex.join(["prummy", *results.manifest["command"]]),
            reproduce=_reproduce(results),
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        count=numbers.count,
        number=numbers.number,
        signed=numbers.signed,
        percent=numbers.percent,
        listed=listed,
        shown=_shown,
    )
    return environment


def _addresses(picture: Picture) -> dict[str, str]:
    """Return a figure's data addresses (wide or narrow, light or dark), widths and heights."""
    return {
        "wide": _address(picture.wide),
        "wide_dark": _address(style.dark(picture.wide)),
        "wide_width": str(style.WIDE),
        "wide_height": str(picture.wide_height),
        "narrow": _address(picture.narrow),
        "narrow_dark": _address(style.dark(picture.narrow)),
        "narrow_width": str(style.NARROW),
        "narrow_height": str(picture.narrow_height),
    }


def _address(svg: bytes) -> str:
    """Return an SVG as a data address: in percent-encoding, which is shorter than base 64."""
    return f"data:image/svg+xml,{quote(svg, safe=_AS_THEY_ARE)}"


def _low_to_high(about: dict[str, Any], name: str) -> str:
    return _range(about[f"{name}_low"], about[f"{name}_high"])


def _range(low: float, high: float) -> str:
    if low == high:
        return numbers.count(low)
    return f"{numbers.count(low)} to {numbers.count(high)}"


def _caption_fields(about: dict[str, Any], tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    """Return the texts for the fields of captions."""
    words = {f"{name}_each": _low_to_high(about, name) for name in ("matches", "boards", "deals")}
    words["boards_each"] += " board" if about["boards_high"] == 1 else " boards"
    words["deals"] = numbers.count(about["deals"])
    words["matches"] = numbers.count(about["matches"])
    if about["known"]:
        words["interval"] = f"bars are {100 * about['level']:.0f} % intervals by boards"
        words["hidden"] = "; where no bar shows, it is narrower than the dot"
    else:
        words["interval"] = "no intervals, since one board does not show its spread"
        words["hidden"] = ""
    more = len(tables["standings"]) > MOST_CURVES
    words["curves"] = f" of the first {MOST_CURVES} of the standings" if more else ""
    for name in ("score", "margin"):
        widths = tables[f"{name}_bins"]["high"] - tables[f"{name}_bins"]["low"]
        words[f"{name}_bin"] = numbers.count(widths.iloc[0]) if len(widths) else ""
    return words


def _sample_words(tables: dict[str, pd.DataFrame], rules: Rules) -> dict[str, str]:
    """Return the texts for the fields of captions that tell of the sample."""
    habits, takes = tables["habits"], tables["pile_takes"]
    words = {"out_bonus": str(rules.out_bonus), "multiplier": str(rules.four_multiplier)}
    boards = int(habits["boards"].max()) if len(habits) else 0
    each = (habits["deals"].min(), habits["deals"].max()) if len(habits) else (0, 0)
    first = "board" if boards == 1 else f"{numbers.count(boards)} boards"
    matches = numbers.count(habits["matches"].sum() / 2)
    words["sampled"] = f"the first {first} of each pairing, both rotations: {matches} matches"
    words["sample"] = f"Sample of {matches} matches, n = {_range(*each)} deals a strategy"
    taken = takes.groupby("strategy")["takes"].sum()
    words["takes_each"] = _range(taken.min(), taken.max()) if len(taken) else ""
    known = "95 % intervals by boards"
    unknown = "no intervals, since one board does not show its spread"
    words["bands"] = f"bands are {known}" if boards > 1 else unknown
    words["bars"] = f"bars are {known}" if boards > 1 else unknown
    return words


def _by_pair(meetings: pd.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["strategy"], row["opponent"]): row for row in meetings.to_dict("records")}


def _digits(tables: dict[str, pd.DataFrame]) -> dict[str, dict[str, int]]:
    """Return the digits behind the point of the columns with intervals."""
    return {
        table: {
            "margin": numbers.margin_digits(tables[table]),
            "win_share": numbers.share_digits(tables[table]),
        }
        for table in ("standings", "meetings")
    }


def _events(events: pd.DataFrame, rules: Rules) -> list[dict[str, Any]]:
    """Return a row a kind of event that happened: what it is, and its count a match for each."""
    docs = {c.name: c.doc.replace("min_run", str(rules.min_run)) for c in SIDE_COLUMNS}
    docs["cards_a_take"] = "cards taken at a time (cards a take, not a match)"
    return [
        {"doc": docs[name][0].upper() + docs[name][1:], "values": events[name].to_dict()}
        for name in events.columns
        if events[name].any()
    ]


def _end_names(ends: pd.DataFrame, rules: Rules) -> list[str]:
    """Return the ways to end that can occur: only some house rules cut deals off."""
    return [name for name in ends.columns if name != "cut off" or rules.top_card == "free"]


def _heat(share: float) -> str:
    """Return the colour of a cell, through which the paper and the text are seen."""
    colour = style.AHEAD if share >= 0.5 else style.BEHIND
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {0.06 + 0.5 * abs(2 * share - 1):.3f})"


def _rules(results: Results) -> list[dict[str, Any]]:
    changed = results.plan.rules.to_dict()
    return [
        {
            "name": item.name,
            "value": _shown(changed.get(item.name, getattr(results.plan.rules, item.name))),
            "doc": item.metadata["doc"],
            "changed": item.name in changed,
            "default": _shown(item.default),
        }
        for item in fields(Rules)
    ]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _reproduce(results: Results) -> str:
    """Return a command that plays the same run again, whole, into a new folder."""
    plan = results.plan
    words = ["prummy", "tournament", *(s["entry"] for s in results.manifest["strategies"])]
    words += ["--matches", str(2 * plan.boards), "--seed", str(plan.seed)]
    if plan.format != "round-robin":
        words += ["--format", plan.format]
    for name, value in plan.rules.to_dict().items():
        words += ["--rule", f"{name}={json.dumps(value)}"]
    return shlex.join(words)


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """Give a new folder beside `folder` to write into, and put it in its place at the end."""
    folder = folder.resolve()
    old, new = (folder.with_name(f".{folder.name}.{os.getpid()}.{end}") for end in ("old", "new"))
    try:
        _check_is_ours(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        new.mkdir()
        yield new
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
    except OSError as error:
        raise StoreError(f"cannot write the report to {folder}: {error.strerror}") from None
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)


def _check_is_ours(folder: Path) -> None:
    """Raise StoreError when a folder holds anything but a report."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise StoreError(f"{folder} is a file: name a folder for the report")
    held = {path.name for path in folder.iterdir()}
    page = folder / PAGE
    if held and not (
        held <= {PAGE, *FOLDERS}
        and page.is_file()
        and GENERATOR in page.read_text(encoding="utf-8", errors="replace")[:1000]
    ):
        raise StoreError(f"{folder} holds other things than a report: name another folder by --out")
