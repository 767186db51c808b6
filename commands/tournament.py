"""``prummy tournament``: many matches between several strategies, into a run's folder."""

import os
import shlex
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from . import common
from .engine import make_ready

if TYPE_CHECKING:
    from ..sim.run import Engine, Outcome
    from ..sim.schedule import Plan
    from ..sim.store import RunFolder
    from ..strategies.registry import Entry

EXIT_INTERRUPTED = 130
DEFAULT_MATCHES = 10_000


def tournament(
    entries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STRATEGY...",
            help="Two or more: name, name\\[param=value], path/to/file.py:Class, label=...",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Enter all built-in strategies beside those named.")
    ] = False,
    matches: Annotated[
        int | None,
        typer.Option(
            "--matches",
            "-n",
            help="Matches of each pairing, an even number.",
            show_default=str(DEFAULT_MATCHES),
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Master seed: same seed, same decks.", show_default="1"),
    ] = None,
    rules: common.RulesOption = None,
    rule: common.RuleOption = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="round-robin: all pairs; gauntlet: the first against each other.",
            show_default="round-robin",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Threads.", show_default="all cores")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the run.", show_default="runs/TIME"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder of --out.")
    ] = False,
    block: Annotated[
        int | None,
        typer.Option("--block", help="Boards a block, the unit of work.", show_default="by size"),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write the HTML report when the run ends.")
    ] = False,
    json_: common.JsonOption = False,
) -> None:
    """Play strategies against each other and say who is better by how much.

    Every pairing plays the same boards: the same decks and dealers, once in each seating, so
    that luck cancels. Results depend on the seed, never on threads, blocks or who else is entered.

    Examples
    --------
      prummy tournament greedy hunter --matches 100000

      prummy tournament --all --matches 20000 --seed 7 --out runs/all --report

      prummy tournament greedy old=v1/bot.py:Bot new=v2/bot.py:Bot --format gauntlet

      prummy tournament --resume --out runs/all
    """
    with common.user_errors():
        _check_numbers(matches, seed, jobs, block)
        wanted = {
            "entries": _with_all(entries or [], every),
            "matches": matches,
            "seed": seed,
            "rules": rules,
            "rule": rule,
            "format": format_,
            "block": block,
        }
        begin = _resumed if resume else _fresh
        folder, engine, manifest = begin(out, wanted)
        Thread(target=_load_reports, args=(json_, report), daemon=True).start()
        outcome = _play(folder, engine, manifest, jobs)
        _finish(folder, outcome, manifest, json_, report)


def _with_all(entries: list[str], every: bool) -> list[str]:
    if not every:
        return entries
    from ..strategies.registry import BUILT_IN

    return [*entries, *(name for name in BUILT_IN if name not in entries)]


def _check_numbers(
    matches: int | None, seed: int | None, jobs: int | None, block: int | None
) -> None:
    if matches is not None and (matches <= 0 or matches % 2):
        raise common.BadInputError(
            f"--matches {matches}: give an even number from 2 (each board is played twice, "
            "the teams changing seats)"
        )
    if seed is not None:
        common.check_seed(seed)
    if jobs is not None and jobs < 1:
        raise common.BadInputError(f"--jobs {jobs}: give a whole number from 1")
    if block is not None and block < 1:
        raise common.BadInputError(f"--block {block}: give a whole number from 1")


def _make_plan(wanted: dict[str, Any]) -> "tuple[Plan, list[Entry]]":
    """Return the plan and entries of a command line, checked as a whole."""
    from ..sim.rules import parse_rules
    from ..sim.schedule import FORMATS, Plan, default_block, largest_sum, pairings_of
    from ..strategies.registry import parse_entries

    house = parse_rules(wanted["rules"], wanted["rule"] or ())
    format_ = wanted["format"] or "round-robin"
    if format_ not in FORMATS:
        raise common.BadInputError(f"--format {format_!r}: there are {' and '.join(FORMATS)}")
    if len(wanted["entries"]) < 2:
        raise common.BadInputError(
            "a tournament needs two strategies or more, for instance: "
            "prummy tournament greedy random (`prummy strategies` lists them)"
        )
    entries = parse_entries(wanted["entries"])
    boards = (wanted["matches"] or DEFAULT_MATCHES) // 2
    n_pairings = len(pairings_of(len(entries), format_))
    plan = Plan(
        names=tuple(entry.name for entry in entries),
        rules=house,
        seed=1 if wanted["seed"] is None else wanted["seed"],
        boards=boards,
        format=format_,
        block_boards=wanted["block"] or default_block(boards, n_pairings),
    )
    if largest_sum(plan) >= 2**63:
        raise common.BadInputError(
            "with rules that score so many points, so many matches cannot be added up exactly: "
            "play fewer, or with smaller points"
        )
    return plan, entries


def _fresh(out: Path | None, wanted: dict[str, Any]) -> "tuple[RunFolder, Engine, dict[str, Any]]":
    """Return the folder, engine and manifest of a new run; nothing is made until all is right."""
    from ..sim.store import RunFolder

    plan, entries = _make_plan(wanted)
    folder = RunFolder(out or _free_folder())
    folder.check_is_free()
    make_ready(entries)
    from ..sim.run import Engine, describe_run

    manifest = describe_run(plan, entries, sys.argv[1:], __version__)
    folder.create(manifest)
    return folder, Engine(plan, entries, folder), manifest


def _free_folder() -> Path:
    """Return a folder for this run: runs/ and the time, with a number if that is taken."""
    stem = time.strftime("%Y%m%d-%H%M%S")
    names = (stem if not n else f"{stem}-{n}" for n in range(1000))
    return next(path for path in (Path("runs") / name for name in names) if not path.exists())


def _resumed(
    out: Path | None, wanted: dict[str, Any]
) -> "tuple[RunFolder, Engine, dict[str, Any]]":
    """Return the folder, engine and manifest of a run that goes on; it must be the same run."""
    from ..sim.frozen import ENGINE_VERSION
    from ..sim.run import Engine, plan_of_manifest
    from ..sim.store import RunFolder
    from ..strategies.registry import parse_entries

    if out is None:
        raise common.BadInputError("--resume needs --out FOLDER, the run to go on with")
    folder = RunFolder(out)
    manifest = folder.read_manifest()
    plan = plan_of_manifest(manifest)
    entries = parse_entries(strategy["entry"] for strategy in manifest["strategies"])
    same = {
        "entries": [entry.text for entry in entries],
        "matches": 2 * plan.boards,
        "seed": plan.seed,
        "format": plan.format,
        "block": plan.block_boards,
    }
    if wanted["rules"] is not None or wanted["rule"]:
        asked, _ = _make_plan({**wanted, **same})
        if asked.rules != plan.rules:
            raise common.BadInputError(
                f"{out} is another run, with house rules {plan.rules.to_dict() or 'persian'}; "
                "leave the option out, or begin a run in another folder"
            )
    for name, value in same.items():
        if wanted[name] not in (None, [], value):
            raise common.BadInputError(
                f"{out} is another run, with {name} {value}, not {wanted[name]}; leave the "
                "option out, or begin a run in another folder"
            )
    if manifest.get("engine_version") != ENGINE_VERSION:
        raise common.BadInputError(
            f"{out} was played by engine {manifest.get('engine_version', 'of no version')}, this "
            f"is engine {ENGINE_VERSION}, which deals or counts otherwise; begin a run in another "
            "folder"
        )
    for entry, strategy in zip(entries, manifest["strategies"], strict=True):
        if entry.source_hash != strategy["source_hash"]:
            raise common.BadInputError(
                f"strategy {entry.name} has changed since the run in {out} began: its rows "
                "would come from two versions; begin a run in another folder"
            )
    make_ready(entries)
    return folder, Engine(plan, entries, folder), manifest


def _play(
    folder: "RunFolder", engine: "Engine", manifest: dict[str, Any], jobs: int | None
) -> "Outcome":
    """Play, with progress and a clean stop; leave the manifest as the run stands then."""
    progress = common.Progress("matches")
    stop = Event()
    try:
        with _stop_on_signals(stop):
            outcome = engine.run(jobs or os.cpu_count() or 1, progress.update, stop)
    except OSError as error:
        raise common.BadInputError(
            f"cannot write to {folder.path}: {error.strerror}; what was played is kept, "
            f"go on with: {_how_to_continue(folder)}"
        ) from None
    finally:
        progress.close()
    manifest.update(
        {
            "status": "interrupted" if outcome.interrupted else "finished",
            "digest": outcome.digest,
            "matches": outcome.matches,
            "seconds": round(manifest.get("seconds", 0.0) + outcome.seconds, 3),
            "failures": outcome.failures,
        }
    )
    folder.write_manifest(manifest)
    return outcome


@contextmanager
def _stop_on_signals(stop: Event) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM set `stop`, and a second one leave at once."""

    def handle(number: int, frame: object) -> None:
        if stop.is_set():
            os._exit(EXIT_INTERRUPTED)
        stop.set()
        common.note("stopping when the blocks in flight are finished; once more stops at once")

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _how_to_continue(folder: "RunFolder") -> str:
    return f"prummy tournament --resume --out {shlex.quote(str(folder.path))}"


def _load_reports(as_json: bool, with_report: bool) -> None:
    """Load what shows the results, which takes two seconds, while the matches are played."""
    from ..reports import results  # noqa: F401

    if not as_json:
        from ..reports import terminal  # noqa: F401
    if with_report:
        from ..reports import page  # noqa: F401


def _finish(
    folder: "RunFolder",
    outcome: "Outcome",
    manifest: dict[str, Any],
    as_json: bool,
    with_report: bool,
) -> None:
    """Print the results, write the report when asked for, and leave with the right code."""
    from ..reports.machine import tournament_json
    from ..reports.results import Results
    from ..reports.terminal import print_tournament

    results = Results(outcome.plan, manifest, outcome.summaries)
    if as_json:
        common.print_json({**tournament_json(results), "folder": str(folder.path)})
    else:
        print_tournament(results)
    page = None
    if with_report and outcome.matches:
        from ..reports.page import write_report

        if sys.stderr.isatty():
            common.note("writing the report ...")
        page = write_report(results, folder.report)
    say = common.note if as_json else typer.echo
    for failure in manifest["failures"]:
        common.note(
            f"{failure['strategy']} failed, its pairings are void: {failure['kind']} "
            f"(evidence: {failure['evidence']})"
        )
    say(f"digest {outcome.digest}   run folder {folder.path}")
    if page is not None:
        say(f"report {page}")
    elif outcome.matches:
        say(f"report: prummy report {shlex.quote(str(folder.path))}")
    if outcome.interrupted:
        common.note(
            f"stopped after {outcome.matches:,} of {outcome.plan.matches:,} matches; "
            f"go on with: {_how_to_continue(folder)}"
        )
        raise typer.Exit(EXIT_INTERRUPTED)
    if manifest["failures"]:
        raise typer.Exit(common.FAILED)
