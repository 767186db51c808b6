"""``prummy strategies``: what there is to play with."""

import textwrap
from typing import Annotated, Any

import typer

from . import common

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
