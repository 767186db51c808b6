"""What all commands share: options, errors as one line, output, progress."""

import json
import sys
import time
from collections import deque
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
    RATE_SECONDS = 30.0

    def __init__(self, unit: str) -> None:
        self.unit = unit
        self.started = time.monotonic()
        self.bar: Any = None
        self.steps: deque[tuple[float, int]] = deque()

    @property
    def is_shown(self) -> bool:
        """Whether there is, or should be, a bar."""
        return sys.stderr.isatty() and time.monotonic() - self.started >= self.WAIT_SECONDS

    def update(self, done: int, total: int, expected: int | None = None, told: str = "") -> None:
        """Show that `done` of `total` are done.

        `expected` is what will probably be done in the end, where that may be less than `total`;
        `told` is said beside the bar.
        """
        rate = self._rate(done)
        if not self.is_shown:
            return
        if self.bar is None:
            self._start()
        end = total if expected is None else min(expected, total)
        most = f"{total:,}" if expected is None else f"at most {total:,}"
        self.bar.update(
            self.task,
            total=end,
            completed=done,
            text=f"{done:,} of {most} {self.unit}",
            rate=f"{rate:,.0f}/s" if rate else "",
            eta=_clock((end - done) / rate) if rate else "-",
            told=told,
        )

    def _rate(self, done: int) -> float:
        """Return how many a second are done, over the last half minute."""
        now = time.monotonic()
        self.steps.append((now, done))
        while now - self.steps[0][0] > self.RATE_SECONDS and len(self.steps) > 2:
            self.steps.popleft()
        since, before = self.steps[0]
        return (done - before) / (now - since) if now > since else 0.0

    def _start(self) -> None:
        from rich import progress
        from rich.console import Console

        columns = ("{text}", "{rate}", "ETA {eta}", "{told}")
        texts = [column.replace("{", "{task.fields[").replace("}", "]}") for column in columns]
        self.bar = progress.Progress(
            progress.BarColumn(),
            progress.TextColumn("{task.percentage:3.0f}%"),
            *(progress.TextColumn(text, markup=False) for text in texts),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.bar.add_task("", text="", rate="", eta="", told="")
        self.bar.start()

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None


def _clock(seconds: float) -> str:
    """Return a time as hours, minutes and seconds: 1:02:03."""
    minutes, seconds = divmod(round(max(0.0, seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
