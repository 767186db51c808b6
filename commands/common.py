"""What all commands share: options, errors as one line, output, progress."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from ..sim.errors import PrummyError

BAD_INPUT = 2
FAILED = 1

RulesOption = Annotated[
    str | None,
    typer.Option("--rules", help="A preset (persian, rummy500) or a TOML file of house rules."),
]
RuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="NAME=VALUE",
        help="One house rule, for instance min_run=4; may be repeated.",
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Master seed; the same seed gives the same decks.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]

MAX_SEED = 2**64 - 1


class BadInputError(PrummyError):
    """A command line that says something impossible."""


@contextmanager
def user_errors(code: int = BAD_INPUT) -> Iterator[None]:
    """Turn errors that a person can act on into a message and an exit code, without traceback."""
    try:
        yield
    except PrummyError as error:
        typer.echo(f"prummy: {error}", err=True)
        raise typer.Exit(code) from None


def check_seed(seed: int) -> None:
    """Refuse a seed that does not fit in 64 bits."""
    if not 0 <= seed <= MAX_SEED:
        raise BadInputError(f"--seed {seed}: give a whole number from 0 to {MAX_SEED}")


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(value, allow_nan=False, ensure_ascii=False))


def note(message: str) -> None:
    """Say something to the person at the terminal, apart from the results."""
    typer.echo(message, err=True)


class Progress:
    """A bar with rate and ETA on stderr, from two seconds on, and only on a terminal.

    Parameters
    ----------
    unit : str
        What is counted, in the plural.
    """

    WAIT_SECONDS = 2.0

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.started = time.monotonic()
        self.bar: Any = None

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` are done."""
        if not sys.stderr.isatty() or time.monotonic() - self.started < self.WAIT_SECONDS:
            return
        if self.bar is None:
            self._start(total)
        rate = done / (time.monotonic() - self.started)
        self.bar.update(self.task, completed=done, rate=f"{rate:,.0f}")

    def _start(self, total: int) -> None:
        from rich import progress
        from rich.console import Console

        self.bar = progress.Progress(
            progress.BarColumn(),
            progress.TextColumn("{task.percentage:3.0f}%"),
            progress.TextColumn(f"{{task.completed:,.0f}}/{{task.total:,.0f}} {self.unit}"),
            progress.TextColumn("{task.fields[rate]}/s"),
            progress.TextColumn("ETA"),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.bar.add_task("", total=total, rate="")
        self.bar.start()

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None
