"""Runs for tests: a plan played into a folder, its rows read back, strategies written to files."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from threading import Event
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from persian_rummy.sim.rules import Rules
from persian_rummy.sim.run import Engine, Outcome, describe_run
from persian_rummy.sim.schedule import Plan
from persian_rummy.sim.store import RunFolder
from persian_rummy.strategies.registry import parse_entries

DULL_DRAW = "return -1 if view.stock_size > 0 else -2"
DULL_MELD = "return 0"
DULL_DISCARD = "return trailing_zeros(view.hand)"


def make_engine(
    folder: Path,
    *specs: str,
    boards: int = 48,
    seed: int = 1,
    rules: Rules | None = None,
    format_: str = "round-robin",
    block: int = 16,
) -> Engine:
    """Return an engine on a folder, which is made unless it holds a run."""
    entries = parse_entries(specs)
    names = tuple(entry.name for entry in entries)
    plan = Plan(names, rules or Rules(), seed, boards, format_, block)
    run = RunFolder(folder)
    if not run.manifest_file.exists():
        run.create(describe_run(plan, entries, ["test"], "0"))
    return Engine(plan, entries, run)


def play(folder: Path, *specs: str, jobs: int = 1, stop_after: int = 0, **plan: Any) -> Outcome:
    """Play a run (`make_engine`), or as many blocks of it as `stop_after` says; 0: all."""
    stop = Event()
    calls: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        calls.append((done, total))
        if len(calls) == stop_after:
            stop.set()

    return make_engine(folder, *specs, **plan).run(jobs, progress, stop)


def read_rows(folder: Path) -> pd.DataFrame:
    """Return all rows of a run in order of pairing, board and rotation, with a and b by name."""
    frames = []
    for part in sorted((folder / "matches").glob("part-*.parquet")):
        table = pq.read_table(part)
        about = json.loads(table.schema.metadata[b"prummy"])
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
