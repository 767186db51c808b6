"""The command `prummy`: parses, calls, prints."""

from typing import Annotated

import typer

from . import __version__

app = typer.Typer(name="prummy", no_args_is_help=True)


def _print_version(wanted: bool) -> None:
    """Print the version and stop, when it was asked for."""
    if wanted:
        typer.echo(f"prummy {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Persian Rummy: play matches, compare strategies, write reports."""
