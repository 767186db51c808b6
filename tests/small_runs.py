"""Runs for tests: a plan played into a folder, its rows read back, strategies written to files."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from threading import Event
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from persian_rummy.sim.engines import EngineChoice
from persian_rummy.sim.manifest import describe_run
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.run import Outcome, Run, Stops
from persian_rummy.sim.schedule import Plan
from persian_rummy.sim.store import ROWS, SUMS, RunFolder
from persian_rummy.strategies.registry import parse_entries

DULL_DRAW = "return -1 if view.stock_size > 0 else -2"
DULL_MELD = "return 0"
DULL_DISCARD = "return trailing_zeros(view.hand)"


def make_run(
    folder: Path | str,
    *specs: str,
    boards: int = 48,
    seed: int = 1,
    rules: Rules | None = None,
    format_: str = "round-robin",
    keep: str = "all",
) -> Run:
    """Return what plays a run in a folder, which is made unless it holds one."""
    entries = parse_entries(specs)
    names = tuple(entry.name for entry in entries)
    plan = Plan(names, rules or Rules(), seed, boards, format_)
    run = RunFolder(folder)
    manifest = describe_run(plan, entries, keep, ["test"], "0")
    if not run.holds_run():
        run.create(manifest)
    return Run(run, manifest, entries)


def play(
    folder: Path | str,
    *specs: str,
    jobs: int = 1,
    block: int | None = 16,
    stop_after: int = 0,
    engine: EngineChoice | None = None,
    stops: Stops | None = None,
    **plan: Any,
) -> Outcome:
    """Play a run (`make_run`), or as many blocks of it as `stop_after` says; 0: all."""
    stop = Event()
    calls: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) == stop_after:
            stop.set()

    choice = engine or EngineChoice(jobs=jobs)
    return make_run(folder, *specs, **plan).play(choice, progress, stop, stops or Stops(), block)


def parts_of(folder: Path) -> list[Path]:
    """Return the parts of a run, sorted by name."""
    return sorted(path for kind in (ROWS, SUMS) for path in (folder / kind).glob("part-*.parquet"))


def read_rows(folder: Path) -> pd.DataFrame:
    """Return all rows of a run in order of pairing, board and rotation, with a and b by name."""
    frames = []
    for part in sorted((folder / "matches").glob("part-*.parquet")):
        table = pq.read_table(part)
        about = json.loads(table.schema.metadata[b"prummy"])["identity"]
        frames.append(table.to_pandas().assign(a=about["a"], b=about["b"]))
    rows = pd.concat(frames, ignore_index=True)
    return rows.sort_values(["a", "b", "board", "rotation"], ignore_index=True)


def rows_of(folder: Path, a: str, b: str) -> pd.DataFrame:
    """Return the rows of one pairing, in order of board and rotation."""
    rows = read_rows(folder)
    return rows[(rows["a"] == a) & (rows["b"] == b)].reset_index(drop=True)


def write_strategy(
    folder: Path,
    name: str,
    draw: str = DULL_DRAW,
    meld: str = DULL_MELD,
    discard: str = DULL_DISCARD,
    more: str = "",
) -> str:
    """Write a strategy with hooks of these bodies to a folder of its own; return its entry.

    What is not given is dull: it draws from the stock, lays nothing, throws its lowest card.
    """
    place = folder / name.lower()
    place.mkdir(parents=True)
    hooks = {"draw": draw, "meld": meld, "discard": discard}
    lines = [
        "import numpy as np",
        "from persian_rummy.sim.bits import trailing_zeros",
        "from persian_rummy.strategies.base import Param, Strategy",
        "",
        f"class {name}(Strategy):",
        '    """Does what a test wants."""',
        *("    " + line for line in dedent(more).splitlines()),
    ]
    for hook, body in hooks.items():
        lines += ["    @staticmethod", f"    def {hook}(view, params, work):"]
        lines += ["        " + line for line in dedent(body).strip().splitlines()]
    path = place / f"{name.lower()}.py"
    path.write_text("\n".join(lines) + "\n")
    return f"{path}:{name}"


def write_with_helper(folder: Path) -> str:
    """Write the dull strategy Bot, which imports bot/helper.py; return its entry."""
    spec = write_strategy(folder, "Bot")
    (folder / "bot" / "helper.py").write_text("x = 1\n")
    path = Path(spec.rpartition(":")[0])
    path.write_text("import helper\n" + path.read_text())
    return spec
