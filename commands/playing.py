"""How a run is begun, gone on with and ended: what `tournament` and `run` share."""

import logging
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import typer

from .. import __version__
from ..sim.errors import PrummyError
from . import common
from .engine import make_ready
from .settings import SettingError, Settings, check_sums, make_plan

if TYPE_CHECKING:
    from ..sim.run import Outcome
    from ..sim.schedule import Plan
    from ..sim.store import RunFolder
    from ..strategies.registry import Entry

EXIT_LIMIT = 3
EXIT_INTERRUPTED = 130

_log = logging.getLogger(__name__)


class Playing:
    """A run that is being played: its folder, its manifest, what plays it and how."""

    def __init__(
        self,
        folder: "RunFolder",
        manifest: dict[str, Any],
        entries: "Sequence[Entry]",
        settings: Settings,
    ) -> None:
        from ..sim.run import Run

        self.folder = folder
        self.manifest = manifest
        self.entries = entries
        self.settings = settings
        self.run: Run = Run(folder, manifest, entries)

    @property
    def to_continue(self) -> str:
        """The command that goes on with the run, under the same limits of strategies."""
        from ..sim.manifest import resume_command

        words: list[str] = []
        for name in ("shard", "engine", "scheduler", "max_memory", "deal_time"):
            value = getattr(self.settings, name)
            if value is not None:
                words += [f"--{name.replace('_', '-')}", value]
        command = resume_command(self.manifest, self.folder.place)
        return f"{command} {shlex.join(words)}".strip()


def play_new(settings: Settings, as_json: bool) -> None:
    """Begin a run and play it; nothing is made until all is right."""
    from ..sim.manifest import describe_run
    from ..sim.store import RunFolder

    plan, entries = make_plan(settings)
    folder = RunFolder(settings.out or free_folder())
    folder.check_is_free()
    make_ready(entries)
    manifest = describe_run(plan, entries, settings.keep_text(), sys.argv[1:], __version__)
    with folder.storage.lock():
        _play(Playing(folder, manifest, entries, settings), as_json)


def free_folder() -> str:
    """Return a folder for this run: runs/ and the time, with a number if that is taken."""
    stem = time.strftime("%Y%m%d-%H%M%S")
    names = (stem if not n else f"{stem}-{n}" for n in range(1000))
    return next(str(path) for path in (Path("runs") / n for n in names) if not path.exists())


def play_on(settings: Settings, as_json: bool) -> None:
    """Go on with the run in a folder; what is said of it must be what it is."""
    with opened_as_before(settings, "--resume") as playing:
        asked, matches = settings.matches, 2 * playing.run.plan.boards
        if asked not in (None, matches):
            raise another(settings, f"matches {matches}, not {asked}", "more: --extend; ")
        _play(playing, as_json)


@contextmanager
def opened_as_before(settings: Settings, option: str) -> "Iterator[Playing]":
    """Give the run of --out, locked, to be played by the strategies and rules that it began with.

    Raises
    ------
    BadInputError
        Where the settings say other ones, or a strategy's source has changed.
    """
    with _opened(settings, option) as (folder, manifest):
        entries = _entries_of(manifest)
        _same_plan(settings, manifest)
        for entry, strategy in zip(entries, manifest["strategies"], strict=True):
            if entry.source_hash != strategy["source_hash"]:
                raise common.BadInputError(
                    f"strategy {entry.name} has changed since the run in {folder.place} began: its "
                    "rows would come from two versions; play its pairings anew with --extend, or "
                    "begin a run in another folder"
                )
        texts = [entry.text for entry in entries]
        if settings.all_strategies() not in ([], texts):
            raise another(
                settings, f"entries {texts}, not {settings.all_strategies()}", "more: --extend; "
            )
        make_ready(entries)
        yield Playing(folder, manifest, entries, settings)


def play_more(settings: Settings, as_json: bool) -> None:
    """Extend a run: further strategies, more boards, what a changed strategy invalidates."""
    from ..sim.manifest import describe_entry, plan_to_dict
    from ..strategies.registry import parse_entries

    with _opened(settings, "--extend") as (folder, manifest):
        plan = _same_plan(settings, manifest)
        known = [strategy["entry"] for strategy in manifest["strategies"]]
        more = [text for text in settings.all_strategies() if text not in known]
        entries = parse_entries([*known, *more])
        boards = plan.boards if settings.matches is None else settings.matches // 2
        if boards < plan.boards:
            raise SettingError(
                "matches",
                f"{settings.matches}: the run in {folder.place} has {2 * plan.boards} already, and "
                "is extended to that number or more",
            )
        if "stop" in manifest and boards > plan.boards:
            manifest["stop"] |= {"boards": boards, "extended_after": plan.boards}
        plan = replace(plan, names=tuple(entry.name for entry in entries), boards=boards)
        check_sums(plan)
        make_ready(entries)
        for entry, strategy in zip(entries, manifest["strategies"], strict=False):
            if entry.source_hash != strategy["source_hash"]:
                common.note(
                    f"{entry.name} has changed since it was played: its pairings are played anew "
                    f"(prummy runs gc {shlex.quote(folder.place)} removes the old rows)"
                )
        manifest.update(
            {
                "command": sys.argv[1:],
                "plan": plan_to_dict(plan),
                "strategies": [describe_entry(entry) for entry in entries],
            }
        )
        _play(Playing(folder, manifest, entries, settings), as_json)


@contextmanager
def _opened(settings: Settings, option: str) -> "Iterator[tuple[RunFolder, dict[str, Any]]]":
    """Give the folder of --out, locked, and its manifest."""
    from ..sim.manifest import check_engine
    from ..sim.store import RunFolder

    if settings.out is None:
        raise common.BadInputError(f"{option} needs --out FOLDER, the run to go on with")
    folder = RunFolder(settings.out)
    check_engine(folder.read_manifest(), folder.place)
    with folder.storage.lock():
        yield folder, folder.read_manifest()  # as it is now that nobody else writes it


def _entries_of(manifest: dict[str, Any]) -> "list[Entry]":
    from ..strategies.registry import parse_entries

    return parse_entries(strategy["entry"] for strategy in manifest["strategies"])


def another(settings: Settings, what: str, hint: str = "") -> common.BadInputError:
    """Return the error that the run of --out is not the one that the settings say."""
    return common.BadInputError(
        f"{settings.out} is another run, with {what}; {hint}leave the option out, or begin a run "
        "in another folder"
    )


def _same_plan(settings: Settings, manifest: dict[str, Any]) -> "Plan":
    """Return the plan of a run; raises BadInputError where the settings say another one."""
    from ..sim.manifest import plan_of_manifest

    plan = plan_of_manifest(manifest)
    if settings.rules is not None or settings.rule:
        if settings.house_rules() != plan.rules:
            raise another(settings, f"house rules {plan.rules.to_dict() or 'persian'}")
    same = {"seed": plan.seed, "format": plan.format, "keep": manifest["keep"]}
    for name, value in same.items():
        asked = getattr(settings, name)
        if asked not in (None, value):
            raise another(settings, f"{name} {value}, not {asked}")
    return plan


def _play(playing: Playing, as_json: bool) -> None:
    """Play a run, print its results, and leave with the right code."""
    if playing.settings.report:
        _ = playing.folder.path  # where a report cannot be written is said at once
    Thread(target=_load_reports, args=(as_json, playing.settings.report), daemon=True).start()
    outcome = play_out(playing)
    keep_matches(playing, outcome)
    _finish(playing, outcome, as_json)


def play_out(playing: Playing) -> "Outcome":
    """Play what is missing of a run, with progress and a clean stop (`play_to_end`)."""
    progress = common.Progress("matches")
    try:
        with stop_on_signals() as stop:
            return play_to_end(playing, progress.update, stop)
    finally:
        progress.close()


def play_to_end(playing: Playing, progress: Callable[[int, int], None], stop: Event) -> "Outcome":
    """Play what is missing until `stop` is set, with a log; record how the run stands.

    `progress` is called with (matches done, matches in all).
    """
    from ..sim.run import begin, record_outcome

    folder, settings = playing.folder, playing.settings
    with folder.writing():
        begin(folder, playing.manifest)
    with _logging(folder, settings.log_level or "info"):
        _log.info("prummy %s", shlex.join(sys.argv[1:]))
        try:
            outcome = playing.run.play(
                settings.choice(),
                progress,
                stop,
                settings.stops(playing.run.plan.boards),
                settings.block,
            )
            record_outcome(folder, playing.manifest, outcome)
        except OSError as error:
            raise common.BadInputError(
                f"cannot write to {folder.place}: {error.strerror or error}; what was played is "
                f"kept, go on with: {playing.to_continue}"
            ) from None
        except PrummyError as error:
            raise common.BadInputError(
                f"{error}; what was played is kept, go on with: {playing.to_continue}"
            ) from None
        _log.info(
            "%s: %d matches, %.1f s, digest %s",
            outcome.stopped or "finished",
            outcome.matches,
            outcome.seconds,
            outcome.digest,
        )
    return outcome


def keep_matches(playing: Playing, outcome: "Outcome") -> None:
    """Write transcripts of some matches into the folder of a run that has ended."""
    if outcome.stopped in ("signal", "shard"):  # whoever wants to leave does not wait for it
        return
    try:
        playing.run.keep_matches(playing.manifest, outcome, playing.settings.choice())
    except (OSError, PrummyError) as error:
        common.note(f"prummy: no transcripts are kept: {error}")


@contextmanager
def _logging(folder: "RunFolder", level: str) -> Iterator[None]:
    """Write what happens to run.log in the run's folder; warnings to standard error too."""
    from ..sim.storage import LocalStorage

    logger = logging.getLogger(__package__.partition(".")[0])
    told = StringIO()
    file: logging.Handler = logging.StreamHandler(told)
    with suppress(OSError):  # a log that cannot be written must not end the run
        if isinstance(folder.storage, LocalStorage):
            file = logging.FileHandler(folder.storage.path / "run.log", encoding="utf-8")
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    file.setLevel(level.upper())
    terminal = logging.StreamHandler()
    terminal.setFormatter(logging.Formatter("prummy: %(message)s"))
    terminal.setLevel(logging.WARNING)
    logging.raiseExceptions = False
    logger.setLevel(min(file.level, terminal.level))
    logger.propagate = False
    for handler in (file, terminal):
        logger.addHandler(handler)
    try:
        yield
    finally:
        for handler in (file, terminal):
            logger.removeHandler(handler)
            with suppress(OSError):
                handler.close()
        if told.getvalue():
            before = b""
            with suppress(OSError):
                before = folder.storage.read("run.log")
            with suppress(OSError):
                folder.storage.write("run.log", before + told.getvalue().encode())


@contextmanager
def stop_on_signals() -> Iterator[Event]:
    """Give an event that the first Ctrl-C or SIGTERM sets; a second one leaves at once."""
    stop = Event()

    def handle(number: int, frame: object) -> None:
        if stop.is_set():
            if sys.stderr.isatty():
                os.write(2, b"\x1b[?25h")  # the cursor, which the bar has hidden
            os._exit(EXIT_INTERRUPTED)
        stop.set()
        common.note("stopping when the blocks in flight are finished; once more stops at once")

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _load_reports(as_json: bool, with_report: bool) -> None:
    """Load what shows the results, which takes two seconds, while the matches are played."""
    from ..reports import results  # noqa: F401

    if not as_json:
        from ..reports import terminal  # noqa: F401
    if with_report:
        from ..reports import page  # noqa: F401


def _finish(playing: Playing, outcome: "Outcome", as_json: bool) -> None:
    """Print the results, write the report when asked for, and leave with the right code."""
    from ..reports.machine import tournament_json
    from ..reports.results import Results, load_results
    from ..reports.terminal import print_tournament

    folder, manifest, settings = playing.folder, playing.manifest, playing.settings
    results = Results(outcome.plan, manifest, outcome.summaries)
    if as_json:
        common.print_json({**tournament_json(results), "folder": folder.place})
    else:
        print_tournament(results)
    page = None
    if settings.report and outcome.matches:
        from ..reports.page import write_report

        if sys.stderr.isatty():
            common.note("writing the report ...")
        page = write_report(load_results(folder.place), folder.path / "report")
    say = common.note if as_json else typer.echo
    for failure in manifest["failures"]:
        common.note(
            f"{failure['strategy']} failed, its pairings are void: {failure['kind']} "
            f"(evidence: {failure['evidence']})"
        )
    say(f"digest {outcome.digest}   run folder {folder.place}")
    if page is not None:
        say(f"report {page}")
    elif outcome.matches:
        say(f"report: prummy report {shlex.quote(folder.place)}")
    played = f"{outcome.matches:,} of {outcome.plan.matches:,} matches"
    if outcome.stopped == "shard":
        say(
            f"shard {settings.shard} is played ({played}); put all shards together with: "
            "prummy runs merge SHARD... --out RUN"
        )
    elif outcome.stopped is not None:
        why = {"time": " by --max-time", "matches": " by --max-matches"}.get(outcome.stopped, "")
        common.note(f"stopped{why} after {played}; go on with: {playing.to_continue}")
        raise typer.Exit(EXIT_INTERRUPTED if outcome.stopped == "signal" else EXIT_LIMIT)
    if manifest["failures"]:
        raise typer.Exit(common.FAILED)
