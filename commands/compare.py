"""``prummy compare`` and ``prummy plan``: how much better one strategy is, and how long to play."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from . import common
from .engine import make_ready
from .playing import (
    EXIT_INTERRUPTED,
    Playing,
    another,
    free_folder,
    keep_matches,
    opened_as_before,
    play_to_end,
    stop_on_signals,
)
from .settings import Settings, make_plan

if TYPE_CHECKING:
    from ..reports.comparison import Comparison
    from ..reports.stopping import Stop

DEFAULT_BOARDS = 5_000
MOST_BOARDS = 100_000


def compare(
    entries: Annotated[
        list[str] | None,
        typer.Argument(metavar="A B", help="The two strategies; A is judged."),
    ] = None,
    stop: Annotated[
        str | None,
        typer.Option(
            "--stop",
            help="boards=N: after so many; precision=POINTS: when the margin is known to ± so many "
            "points; sprt: when the test of --elo0 against --elo1 is decided.",
            show_default=f"boards={DEFAULT_BOARDS}",
        ),
    ] = None,
    max_boards: Annotated[
        int | None,
        typer.Option(
            "--max-boards",
            help="Most boards for precision and sprt.",
            show_default=str(MOST_BOARDS),
        ),
    ] = None,
    elo0: Annotated[
        float | None,
        typer.Option("--elo0", help="sprt: A's advantage under H0.", show_default="0"),
    ] = None,
    elo1: Annotated[
        float | None,
        typer.Option("--elo1", help="sprt: A's advantage under H1.", show_default="5"),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", help="sprt: error if H0 is true.", show_default="0.05"),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option("--beta", help="sprt: error if H1 is true.", show_default="0.05"),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="sprt: normalized or logistic Elo.", show_default="normalized"
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Master seed: same seed, same decks.", show_default="1"),
    ] = None,
    rules: common.RulesOption = None,
    rule: common.RuleOption = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Folder of the run, or a URL.", show_default="runs/TIME"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the comparison in the folder of --out.")
    ] = False,
    extend: Annotated[
        bool,
        typer.Option(
            "--extend",
            help="Play on, beyond its end, the comparison in the folder of --out: to --stop "
            "boards=N, a smaller precision, or more --max-boards.",
        ),
    ] = False,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Play nothing: compare two strategies of the run in this folder, or at this URL.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Blocks at a time.", show_default="all cores")
    ] = None,
    json_: common.JsonOption = False,
) -> None:
    """Say by how much one strategy is better than another, and whether that is luck.

    Looks that may end it happen at fixed numbers of boards, in the boards' order, so that the
    verdict does not depend on threads or interruptions; after such looks the interval shown is one
    that holds at all of them at once. So it is when a comparison is extended after it had ended.

    Exit code 0: there is a verdict, whichever; 1: a strategy failed; 2: bad input, or it could not
    go on; 130: stopped by Ctrl-C. What was played is kept.

    Examples
    --------
      prummy compare my_bot.py:MyBot greedy

      prummy compare new=v2/bot.py:Bot old=v1/bot.py:Bot --stop precision=2

      prummy compare hunter doubler --stop sprt --elo0 0 --elo1 10 --out runs/first

      prummy compare --resume --out runs/first

      prummy compare --extend --out runs/first --stop boards=20000

      prummy compare --run runs/demo hunter greedy
    """
    with common.user_errors():
        if (run is not None) + resume + extend > 1:
            raise common.BadInputError(
                "--resume goes on with a comparison as it is, --extend plays beyond its end, "
                "--run plays nothing: give one of them"
            )
        test = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "model": model}
        asked = _Asked(stop, max_boards, {k: v for k, v in test.items() if v is not None})
        settings = Settings(
            strategies=entries or [], seed=seed, rules=rules, rule=rule or [], out=out, jobs=jobs
        )
        settings.check()
        if run is not None:
            comparison, place = _of_run(run, settings, asked), run
        else:
            begin = _go_on if resume else _play_more if extend else _play_new
            comparison, place = begin(settings, asked)
    if json_:
        common.print_json({**comparison.to_json(), "folder": place})
    else:
        for line in comparison.in_words():
            typer.echo(line)
        typer.echo(f"run folder {place}")
    if run is None and comparison.decision.by_hand:
        raise typer.Exit(EXIT_INTERRUPTED)


@dataclass(frozen=True)
class _Asked:
    """What the command line says of when to stop; None, or nothing, where it does not."""

    stop: str | None
    max_boards: int | None
    test: dict[str, Any]

    @property
    def is_nothing(self) -> bool:
        return self.stop is None and self.max_boards is None and not self.test

    def rule(self, known: "Stop | None" = None) -> "Stop":
        """Return the rule, what is not said being as in a known one; raises BadInputError."""
        from ..reports.sprt import Sprt
        from ..reports.stopping import Stop

        if self.max_boards is not None and not 2 <= self.max_boards <= 10**9:
            raise common.BadInputError(f"--max-boards {self.max_boards}: give a number from 2")
        old = known or Stop(DEFAULT_BOARDS)
        rule = old if self.stop is None else self._parsed(old)
        if rule.sprt is not None:
            rule = replace(rule, sprt=replace(old.sprt or Sprt(), **self.test))
        elif self.test:
            raise common.BadInputError(f"--{min(self.test)} goes with --stop sprt only")
        if self.max_boards is None:
            return rule
        if not rule.is_sequential and (known is None or self.stop is not None):
            raise common.BadInputError(
                "--max-boards goes with --stop precision=POINTS or sprt; "
                f"for a fixed number: --stop boards={self.max_boards}"
            )
        return replace(rule, boards=self.max_boards)

    def _parsed(self, old: "Stop") -> "Stop":
        """Return the rule that --stop says; its test, and where it says none its boards, are old's.

        Raises BadInputError.
        """
        from ..reports.sprt import Sprt
        from ..reports.stopping import Stop

        name, _, value = str(self.stop).partition("=")
        most = old.boards if old.is_sequential else MOST_BOARDS
        if name == "sprt" and not value:
            return Stop(most, sprt=old.sprt or Sprt())
        if name == "boards" and value.isdecimal() and 2 <= int(value) <= 10**9:
            return Stop(int(value))
        if name == "precision":
            try:
                points = float(value)
            except ValueError:
                points = 0.0
            if 0 < points < float("inf"):
                return Stop(most, precision=points)
        raise common.BadInputError(
            f"--stop {self.stop!r}: write boards=5000, precision=2 (points a match) or sprt"
        )


def _of_run(place: str, settings: Settings, asked: _Asked) -> "Comparison":
    """Return the comparison of two strategies of a run that has been played."""
    given = {"seed": settings.seed, "rules": settings.rules, "rule": settings.rule or None}
    given |= {"out": settings.out, "jobs": settings.jobs, "stop": asked.stop}
    given |= {"max-boards": asked.max_boards, **asked.test}
    if name := next((name for name, value in given.items() if value is not None), None):
        raise common.BadInputError(f"--run plays nothing, so that it does not go with --{name}")
    from ..reports.comparison import compare_run
    from ..reports.results import load_results

    results = load_results(place)
    names = settings.strategies or list(results.names)
    if len(names) != 2:
        raise common.BadInputError(
            f"name two of the run's strategies: prummy compare --run {shlex.quote(place)} A B; "
            f"it has {', '.join(results.names)}"
        )
    return compare_run(results, *names)


def _play_new(settings: Settings, asked: _Asked) -> "tuple[Comparison, str]":
    """Begin a comparison and play it; nothing is made until all is right."""
    from ..sim.manifest import describe_run
    from ..sim.store import RunFolder

    if len(settings.strategies) != 2:
        raise common.BadInputError("compare takes two strategies: prummy compare A B")
    stop = asked.rule()
    settings.matches = 2 * stop.boards
    plan, entries = make_plan(settings)
    folder = RunFolder(settings.out or free_folder())
    folder.check_is_free()
    make_ready(entries)
    manifest = describe_run(plan, entries, "all", sys.argv[1:], __version__)
    with folder.storage.lock():
        return _play(Playing(folder, manifest, entries, settings), stop, since=0), folder.place


def _go_on(settings: Settings, asked: _Asked) -> "tuple[Comparison, str]":
    """Go on with a comparison, at the look that it was on its way to."""
    with opened_as_before(settings, "--resume") as playing:
        stop = _rule_of(playing)
        wanted = asked.rule(stop)
        if wanted != stop and wanted != replace(stop, extended_after=0):
            raise another(settings, f"stop {stop.in_full}, not {wanted.in_full}", "")
        since = playing.run.plan.boards
        return _play(playing, stop, since), playing.folder.place


def _play_more(settings: Settings, asked: _Asked) -> "tuple[Comparison, str]":
    """Play a comparison that has ended beyond its end."""
    from ..reports.comparison import decide
    from ..sim.manifest import resume_command

    if asked.test or asked.stop == "sprt":
        raise common.BadInputError(
            "--extend: the hypotheses of a test are fixed before the first look; --max-boards lets "
            "the run's own test go on"
        )
    if asked.is_nothing:
        raise common.BadInputError("--extend: say how far, by --stop boards=N or --max-boards N")
    with opened_as_before(settings, "--extend") as playing:
        folder, manifest = playing.folder, playing.manifest
        known, boards = _rule_of(playing), playing.run.plan.boards
        if manifest["status"] != "finished":
            raise common.BadInputError(
                f"the comparison in {folder.place} has not ended; first: "
                f"{resume_command(manifest, folder.place)}"
            )
        stop = replace(asked.rule(known), extended_after=boards)
        if stop.boards <= boards:
            raise common.BadInputError(
                f"{folder.place} has {boards} boards already, and is extended to more"
            )
        (summary,) = folder.read_summaries(1, manifest["summaries"])
        if stop.is_sequential and decide(summary, stop).verdict is not None:
            raise common.BadInputError(
                f"--stop {stop.text} has ended the comparison in {folder.place} already; play on "
                "by --stop boards=N"
            )
        manifest["command"] = sys.argv[1:]
        return _play(playing, stop, since=boards + 1), folder.place


def _rule_of(playing: Playing) -> "Stop":
    """Return when a comparison stops, by its manifest; raises BadInputError for another run."""
    from ..reports.stopping import Stop

    place = shlex.quote(playing.folder.place)
    if "stop" not in playing.manifest or len(playing.entries) != 2:
        raise common.BadInputError(
            f"{playing.folder.place} is a tournament's: go on with it by prummy tournament, or "
            f"compare two of its strategies by prummy compare --run {place} A B"
        )
    return Stop.of_manifest(playing.manifest)


def _play(begun: Playing, stop: "Stop", since: int) -> "Comparison":
    """Play from look to look, those from `since` boards on, until there is a verdict."""
    from ..reports.comparison import Comparison, Decision, decide, stopped_by_hand

    manifest, decision = begun.manifest, Decision(None, "")
    manifest["stop"] = stop.to_manifest()
    progress = common.Progress("boards")
    try:
        with stop_on_signals() as stopped:
            for boards in stop.looks(since):
                manifest["plan"]["boards"] = boards
                playing = Playing(begun.folder, manifest, begun.entries, begun.settings)
                outcome = play_to_end(playing, _watched(playing, stop, progress), stopped)
                (summary,) = outcome.summaries
                if manifest["failures"] or outcome.stopped is not None:
                    break
                decision = decide(summary, stop)
                if decision.verdict is not None:
                    break
    finally:
        progress.close()
    if manifest["failures"]:
        _leave(manifest["failures"][0])
    if outcome.stopped is not None:
        played = summary.total("boards")
        common.note(
            f"stopped after {played:,} of at most {stop.boards:,} boards; go on with: "
            f"{begun.to_continue}"
        )
        if not played:
            raise typer.Exit(EXIT_INTERRUPTED)
        decision = stopped_by_hand(summary)
    keep_matches(playing, outcome)
    a, b = playing.run.plan.names
    return Comparison(a, b, summary, stop, decision)


def _watched(
    playing: Playing, stop: "Stop", progress: common.Progress
) -> Callable[[int, int], None]:
    """Return what shows how far a comparison is: all of it, not the part up to the next look."""
    from ..reports.stopping import expected_boards, seen_so_far

    def update(done: int, total: int) -> None:
        summary = playing.run.tallies[0].summary
        played = summary.total("boards")
        if not played:
            return  # what is on disk is being read
        if progress.is_shown:
            expected = expected_boards(summary, stop) if stop.is_sequential else None
            progress.update(played, stop.boards, expected, seen_so_far(summary, stop))
        else:
            progress.update(played, stop.boards)

    return update


def _leave(failure: dict[str, Any]) -> None:
    """Say that a strategy failed, and leave: a void pairing has no verdict."""
    common.note(
        f"{failure['strategy']} failed, so that nothing can be said: {failure['kind']} (evidence: "
        f"{failure['evidence']})"
    )
    raise typer.Exit(common.FAILED)


def plan(
    effect: Annotated[
        float, typer.Option("--effect", help="The margin that you want to see, points a match.")
    ],
    entries: Annotated[
        list[str] | None,
        typer.Argument(metavar="[A B]", help="Two strategies that are like those to be compared."),
    ] = None,
    power: Annotated[
        float, typer.Option("--power", help="How likely it is to be seen, if it is there.")
    ] = 0.9,
    boards: Annotated[int, typer.Option("--boards", help="Boards of the trial.")] = 500,
    seed: common.SeedOption = 1,
    rules: common.RulesOption = None,
    rule: common.RuleOption = None,
    json_: common.JsonOption = False,
) -> None:
    """Say how many boards, and about how many seconds, show an effect of so many points.

    A trial tells how much a board's margin varies between two strategies, and how fast they are.

    Examples
    --------
      prummy plan --effect 5 --power 0.9

      prummy plan my_bot.py:MyBot greedy --effect 2
    """
    with common.user_errors():
        common.check_seed(seed)
        if not 0 < abs(effect) < 1e6:
            raise common.BadInputError(f"--effect {effect:g}: give a number of points, not 0")
        if not 0 < power < 1:
            raise common.BadInputError(f"--power {power:g}: give a number between 0 and 1")
        if not 10 <= boards <= 1_000_000:
            raise common.BadInputError(f"--boards {boards}: give a number from 10 to 1000000")
        from ..sim.rules import parse_rules
        from ..strategies.registry import parse_entries

        entered = parse_entries(entries or ("greedy", "hunter"))
        if len(entered) != 2:
            raise common.BadInputError("plan takes two strategies, or none for greedy and hunter")
        make_ready(entered)
        from ..reports.comparison import boards_needed
        from ..reports.stopping import board_deviation
        from ..sim.apart import trial_apart
        from ..sim.child import Limits

        house, texts = parse_rules(rules, rule or ()), [entry.text for entry in entered]
        summary, seconds = trial_apart(texts, house, seed, boards, Limits())
        deviation = board_deviation(summary)
        if not deviation:
            raise common.BadInputError("nothing varies between these two: any board shows it all")
    needed = boards_needed(deviation, effect, power)
    found = {
        "boards": needed,
        "matches": 2 * needed,
        "seconds": needed * seconds / boards,
        "effect": effect,
        "power": power,
        "board_deviation": deviation,
    }
    if json_:
        common.print_json(found)
    else:
        names = " and ".join(entry.name for entry in entered)
        typer.echo(
            f"{needed:,} boards ({2 * needed:,} matches), on one core {found['seconds']:.3g} s"
        )
        typer.echo(
            f"to see {effect:g} points a match with a chance of {100 * power:g} %: between {names} "
            f"the margin of a board varies by {deviation:.1f} points (standard deviation)"
        )
