"""``prummy bench``: how fast the kernel plays on this machine."""

from typing import Annotated

import typer

from . import common


def bench(
    seconds: Annotated[
        float, typer.Option("--seconds", help="Least time to measure for each row.")
    ] = 2.0,
    json_: common.JsonOption = False,
) -> None:
    """Measure the kernel, strategies called by pointer, all checks and counters on.

    Each pair plays on one thread and on all; rows take turns, and the best of twelve short rounds
    counts, so that a busy moment of the machine does not decide. Times to compile (cold) and to
    load (warm) are those of a new process.

    Example:

      prummy bench --json
    """
    with common.user_errors():
        if not 0 < seconds <= 600:
            raise common.BadInputError(f"--seconds {seconds:g}: give a number above 0, up to 600")
        from ..sim.benchmark import measure

        measured = measure(seconds, common.note if not json_ else lambda text: None)
    if json_:
        common.print_json(measured)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("pair", "threads", "matches/s", "turns a match", "ns a turn", "decisions/s")
    for row in measured["results"]:
        table.add_row(
            row["pair"],
            str(row["threads"]),
            f"{row['matches_per_s']:,.0f}",
            f"{row['turns_per_match']:.1f}",
            f"{row['ns_per_turn']:.1f}",
            f"{row['decisions_per_s']:,.0f}",
        )
    Console().print(table)
    typer.echo(f"compile {measured['compile_s']:.1f} s cold, load {measured['load_s']:.2f} s warm")
