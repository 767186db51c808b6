"""``prummy compare`` and ``prummy plan``: how much better one strategy is, and how long to play."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from . import common
from .engine import make_ready
from .playing import EXIT_INTERRUPTED, Playing, free_folder, play_out
from .settings import Settings, make_plan

if TYPE_CHECKING:
    from ..reports.comparison import Decision, Stop
    from ..sim.summary import PairingSummary

DEFAULT_BOARDS = 5_000
MOST_BOARDS = 100_000


def compare(
    entries: Annotated[
        list[str], typer.Argument(metavar="A B", help="The two strategies; A is judged.")
    ],
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
        int, typer.Option("--max-boards", help="Most boards for precision and sprt.")
    ] = MOST_BOARDS,
    elo0: Annotated[float, typer.Option("--elo0", help="sprt: A's advantage under H0.")] = 0.0,
    elo1: Annotated[float, typer.Option("--elo1", help="sprt: A's advantage under H1.")] = 5.0,
    alpha: Annotated[float, typer.Option("--alpha", help="sprt: error if H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="sprt: error if H1 is true.")] = 0.05,
    model: Annotated[
        str, typer.Option("--model", help="sprt: normalized or logistic Elo.")
    ] = "normalized",
    seed: common.SeedOption = 1,
    rules: common.RulesOption = None,
    rule: common.RuleOption = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Folder of the run, or a URL.", show_default="runs/TIME"),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", help="Blocks at a time.", show_default="all cores")
    ] = None,
    json_: common.JsonOption = False,
) -> None:
    """Say by how much one strategy is better than another, and whether that is luck.

    Looks that may end it happen at fixed numbers of boards, in the boards' order, so that the
    verdict does not depend on threads; after such looks the interval shown is one that holds at
    all of them at once.

    Exit code 0: there is a verdict, whichever; 1: a strategy failed; 130: stopped by Ctrl-C.

    Examples
    --------
      prummy compare my_bot.py:MyBot greedy

      prummy compare new=v2/bot.py:Bot old=v1/bot.py:Bot --stop precision=2

      prummy compare hunter doubler --stop sprt --elo0 0 --elo1 10
    """
    with common.user_errors():
        common.check_seed(seed)
        if len(entries) != 2:
            raise common.BadInputError("compare takes two strategies: prummy compare A B")
        from ..reports.sprt import Sprt

        test = Sprt(elo0, elo1, alpha, beta, model)
        rule_ = _parse_stop(stop or f"boards={DEFAULT_BOARDS}", max_boards, test)
        settings = Settings(
            strategies=entries,
            matches=2 * rule_.boards,
            seed=seed,
            rules=rules,
            rule=rule or [],
            out=out,
            jobs=jobs,
        )
        settings.check()
        summary, decision, names, place = _play(settings, rule_)
    from ..reports.comparison import comparison_json, in_words

    a, b = names
    if json_:
        found = comparison_json(a, b, summary, rule_, decision)
        common.print_json({**found, "folder": place})
    else:
        for line in in_words(a, b, summary, rule_, decision):
            typer.echo(line)
        typer.echo(f"run folder {place}")
    if decision.why == STOPPED_BY_HAND:
        raise typer.Exit(EXIT_INTERRUPTED)


STOPPED_BY_HAND = "stopped by hand"


def _play(settings: Settings, stop: "Stop") -> "tuple[PairingSummary, Decision, list[str], str]":
    """Play from look to look until there is a verdict."""
    from ..reports.comparison import Decision, decide
    from ..sim.manifest import describe_run, plan_to_dict
    from ..sim.store import RunFolder

    plan, entries = make_plan(settings)
    folder = RunFolder(settings.out or free_folder())
    folder.check_is_free()
    make_ready(entries)
    manifest = describe_run(plan, entries, "all", sys.argv[1:], __version__)
    decision = Decision(None, "")
    with folder.storage.lock():
        for boards in stop.looks():
            manifest["plan"] = plan_to_dict(replace(plan, boards=boards))
            outcome = play_out(Playing(folder, manifest, entries, settings))
            if manifest["failures"]:
                _leave(manifest["failures"][0])
            (summary,) = outcome.summaries
            if outcome.stopped is not None:
                if not summary.total("boards"):
                    raise typer.Exit(EXIT_INTERRUPTED)
                decision = Decision("inconclusive", STOPPED_BY_HAND)
                break
            decision = decide(summary, stop)
            if decision.verdict is not None:
                break
    return summary, decision, list(plan.names), folder.place


def _leave(failure: dict[str, Any]) -> None:
    """Say that a strategy failed, and leave: a void pairing has no verdict."""
    common.note(
        f"{failure['strategy']} failed, so that nothing can be said: {failure['kind']} (evidence: "
        f"{failure['evidence']})"
    )
    raise typer.Exit(common.FAILED)


def _parse_stop(text: str, max_boards: int, test: Any) -> "Stop":
    """Return the rule that --stop says; raises BadInputError."""
    from ..reports.comparison import Stop

    name, _, value = text.partition("=")
    if not 2 <= max_boards <= 10**9:
        raise common.BadInputError(f"--max-boards {max_boards}: give a number from 2")
    if name == "sprt" and not value:
        return Stop(max_boards, sprt=test)
    if name == "boards" and value.isdecimal() and 2 <= int(value) <= 10**9:
        return Stop(int(value))
    if name == "precision":
        try:
            points = float(value)
        except ValueError:
            points = 0.0
        if 0 < points < float("inf"):
            return Stop(max_boards, precision=points)
    raise common.BadInputError(
        f"--stop {text!r}: write boards=5000, precision=2 (points a match) or sprt"
    )


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
        from ..reports.comparison import board_deviation, boards_needed
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
