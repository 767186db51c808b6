"""Measure the kernel: ``python -m benchmarks.kernel``, from the checkout.

Needs g++, and PyPI's `ziglang` for clang; what is absent is left out and said so.
"""

import json
import sys
from typing import Annotated, Any

import typer

from .speed import by_kernel, by_yardstick, compare, equal, threads, work
from .yardstick import COMPILERS, STRATEGIES, YardstickError, build


def main(
    rounds: Annotated[
        int, typer.Option(min=1, help="rounds, of which all that is compared has one")
    ] = 40,
    boards: Annotated[int, typer.Option(min=10, help="boards a round")] = 2000,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    worker: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Compare the kernel with the same algorithm in C++, and two threads with two processes.

    First both play the same boards, which must come out equal, value for value.
    """
    if worker:
        return work(worker)
    players: dict[str, Any] = {"kernel": by_kernel}
    for compiler in COMPILERS:
        try:
            players[compiler] = by_yardstick(build(compiler))
        except YardstickError as error:
            print(f"without {compiler}: {error}", file=sys.stderr)
    for name in STRATEGIES:
        for who, play in players.items():
            if not equal(by_kernel(name, 0, boards), play(name, 0, boards)):
                print(f"{name} v {name}: {who} plays other matches", file=sys.stderr)
                raise typer.Exit(1)
    found: dict[str, Any] = {
        "pairs": [compare(name, rounds, boards, players) for name in STRATEGIES],
        "threads": threads(STRATEGIES[0], rounds, boards),
    }
    if as_json:
        print(json.dumps(found, indent=1))
        return None
    for pair in found["pairs"]:
        print(f"{pair['pair']}, {pair['turns_per_match']:.1f} turns a match")
        for who in players:
            row = pair[who]
            print(
                f"  {who:7} {row['matches_per_s']:>9,.0f} matches/s {row['ns_per_turn']:6.1f} ns a "
                f"turn {row['decisions_per_s'] / 1e6:6.1f} M decisions/s"
                + (f"   kernel: {row['kernel_ratio']:.2f} of it" if who != "kernel" else "")
            )
    both = found["threads"]
    print(
        f"{both['pair']}, two threads: {both['matches_per_s']:,.0f} matches/s, "
        f"{both['scaling']:.2f} x one of two processes that play at the same time"
    )
    return None


typer.run(main)
