"""``prummy strategies``: what there is to play with, and a kit for those who write their own."""

import shlex
import textwrap
from pathlib import Path
from typing import Annotated, Any

import typer

from . import common
from .engine import make_ready

app = typer.Typer()


@app.callback(invoke_without_command=True)
def list_strategies(context: typer.Context, json_: common.JsonOption = False) -> None:
    """List all built-in and installed strategies with their idea and parameters.

    Examples
    --------
      prummy strategies

      prummy strategies show greedy

      prummy strategies --json
    """
    if context.invoked_subcommand is not None:
        return
    with common.user_errors():
        from ..strategies.registry import all_classes

        described = [_describe(name, cls) for name, cls in all_classes()]
    if json_:
        common.print_json(described)
        return
    width = max(len(strategy["name"]) for strategy in described)
    for strategy in described:
        params = ", ".join(f"{p['name']}={p['default']:g}" for p in strategy["params"])
        suffix = f"  [{params}]" if params else ""
        typer.echo(f"{strategy['name']:<{width}}  {strategy['idea']}{suffix}")


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="A strategy's name, or path/to/file.py:Class.")],
    json_: common.JsonOption = False,
) -> None:
    """Show one strategy: its idea in full, its parameters and their bounds.

    Examples
    --------
      prummy strategies show greedy

      prummy strategies show my_bot.py:MyBot
    """
    with common.user_errors():
        from ..strategies.registry import find_class

        cls, source = find_class(name)
    described = _describe(name, cls) | {"file": source}
    if json_:
        common.print_json(described)
        return
    typer.echo(f"{name}\n")
    typer.echo(described["doc"])
    if described["params"]:
        typer.echo("\nParameters, as in " + f"{name}[{described['params'][0]['name']}=...]")
        for param in described["params"]:
            bounds = f"{param['low']:g} to {param['high']:g}"
            typer.echo(f"  {param['name']} = {param['default']:g}  ({bounds})  {param['doc']}")
    typer.echo("")
    for key in ("version", "author", "source", "file"):
        if described[key]:
            typer.echo(f"{key.capitalize()}: {described[key]}")


@app.command("new")
def new(
    file: Annotated[str, typer.Argument(help="The file to write, for instance my_bot.py.")],
    python: Annotated[
        bool, typer.Option("--python", help="Plain Python instead of compiled functions.")
    ] = False,
) -> None:
    """Write a strategy that works, with comments, to start from.

    Examples
    --------
      prummy strategies new my_bot.py

      prummy strategies new thinker.py --python
    """
    with common.user_errors():
        from ..strategies.scaffold import write_strategy

        entry = shlex.quote(write_strategy(Path(file), python))
    typer.echo(f"wrote {file}; next:")
    typer.echo(f"  prummy strategies check {entry}")
    typer.echo(f"  prummy tournament greedy {entry} --matches {1000 if python else 100_000}")


@app.command("check")
def check(
    entry: Annotated[
        str, typer.Argument(metavar="STRATEGY", help="path/to/file.py:Class, or any other name.")
    ],
    deal_time: Annotated[
        str, typer.Option("--deal-time", help="Time for one deal, above which it has failed.")
    ] = "10s",
    json_: common.JsonOption = False,
) -> None:
    """Check that a strategy keeps what every strategy must: one line for each promise.

    It is played under all house rules and asked the same again alone, in another order, and with
    what it cannot know changed. Exit code 0: it keeps all; 1: it does not. A warning is no failure.

    Examples
    --------
      prummy strategies check my_bot.py:MyBot

      prummy strategies check "my_bot.py:MyBot[least=20]" --json
    """
    from .settings import Settings

    with common.user_errors():
        from ..strategies.registry import parse_entry

        limits = Settings(deal_time=deal_time).choice().limits
        parse_entry(entry)
        make_ready([parse_entry(name) for name in ("greedy", "random")])
        from ..sim.apart import check_apart
        from ..sim.conformance import FAIL

        found = []
        for verdict in check_apart(entry, limits):
            found.append(verdict)
            if not json_:
                _print_verdict(verdict)
    if json_:
        common.print_json([vars(verdict) for verdict in found])
    if any(verdict.status == FAIL for verdict in found):
        raise typer.Exit(common.FAILED)


@app.command("profile")
def profile(
    entry: Annotated[
        str, typer.Argument(metavar="STRATEGY", help="path/to/file.py:Class, or any other name.")
    ],
    against: Annotated[str, typer.Option("--against", help="Whom it meets.")] = "greedy",
    boards: Annotated[int, typer.Option("--boards", help="Boards, of two matches each.")] = 500,
    seed: common.SeedOption = 1,
    rules: common.RulesOption = None,
    rule: common.RuleOption = None,
    json_: common.JsonOption = False,
) -> None:
    """Tell how a strategy plays: what it takes, lays and throws, and how long its hooks think.

    Beside it the built-in strategies, on the same boards against the same opponent. Who is better
    is for `prummy tournament` to say.

    Examples
    --------
      prummy strategies profile my_bot.py:MyBot

      prummy strategies profile hunter --against doubler --rules rummy500
    """
    with common.user_errors():
        common.check_seed(seed)
        if not 1 <= boards <= 1_000_000:
            raise common.BadInputError(f"--boards {boards}: give a number from 1 to 1000000")
        from ..sim.rules import parse_rules

        house = parse_rules(rules, rule or ())
        from ..strategies.registry import BUILT_IN, parse_entries

        entered = parse_entries([entry, *(name for name in BUILT_IN if name != entry)])
        make_ready([one for one in entered if one.is_built_in])
        from ..sim.apart import profiles_apart
        from ..sim.child import Limits

        progress = common.Progress("strategies")
        found: dict[str, dict[str, Any]] = {}
        texts = [one.text for one in entered]
        for figures in profiles_apart(texts, against, house, seed, boards, Limits()):
            found[entered[len(found)].name] = figures
            progress.update(len(found), len(entered))
        progress.close()
    if json_:
        common.print_json(found)
    else:
        _print_profiles(found, against)


def _print_profiles(found: dict[str, dict[str, Any]], against: str) -> None:
    """Print a strategy's figures beside the range of the others'."""
    from rich.console import Console
    from rich.table import Table

    from ..sim.profile import MEASURES, TOLD_BOARDS

    name, *others = found
    table = Table("", "", f"{name}", "built-in: least", "most", title=f"against {against}")
    for measure in MEASURES:
        ranked = sorted(
            (found[other][measure.name], other)
            for other in others
            if found[other][measure.name] is not None
        )
        ends = [f"{value:.4g}  {other}" for value, other in (ranked[0], ranked[-1])]
        value = found[name][measure.name]
        table.add_row(measure.name, measure.unit, "-" if value is None else f"{value:.4g}", *ends)
    Console().print(table)
    typer.echo(f"* of the first {TOLD_BOARDS} boards")


def _print_verdict(verdict: Any) -> None:
    lines = verdict.detail.splitlines() or [""]
    typer.echo(f"{verdict.status:8} {verdict.check:10}  {lines[0]}")
    for line in lines[1:]:
        typer.echo(" " * 21 + line)


def _describe(name: str, cls: Any) -> dict[str, Any]:
    return {
        "name": name,
        **cls.about(),
        "doc": textwrap.dedent("    " + (cls.__doc__ or "").strip()),
        "params": [
            {"name": p.name, "default": p.default, "low": p.low, "high": p.high, "doc": p.doc}
            for p in cls.params
        ],
    }
