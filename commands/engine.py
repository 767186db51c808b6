"""``prummy warm`` and ``prummy signature``: the compiled core, made ready and identified."""

import subprocess
import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from . import common

if TYPE_CHECKING:
    from ..strategies.registry import Entry

_COMPILE = """
import sys
from persian_rummy.strategies.registry import parse_entry
for text in sys.argv[1:]:
    parse_entry(text).player()
"""


def make_ready(entries: "list[Entry]") -> None:
    """Compile what is to be played; with nothing cached, kernel and strategies side by side.

    The compiler lets only one thread in at a time. So a process of its own compiles the strategies
    from the first on, and this one, once it has the kernel, from the last on; what the other has
    compiled is loaded from its cache.
    """
    from ..sim.jit import drop_old_caches, is_cold

    if is_cold():
        common.note("compiling the core and the strategies, once (up to a minute) ...")
        drop_old_caches()
        texts = [entry.text for entry in entries]
        with subprocess.Popen(
            [sys.executable, "-P", "-c", _COMPILE, *texts],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ):
            from ..sim import kernel  # noqa: F401  (compiles when it is loaded)

            for entry in reversed(entries):
                entry.player()
    for entry in entries:
        entry.player()


def warm(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(help="Strategies to compile too, for instance my_bot.py:MyBot."),
    ] = None,
) -> None:
    """Compile the core and all built-in strategies now, so that later commands start at once.

    A match is played, told, checked and counted, since some of the core is compiled at first use.

    What is compiled is kept in a cache (PRUMMY_CACHE_DIR, by default the user's); it is made anew
    when the program or a strategy changes.

    Examples
    --------
      prummy warm

      prummy warm my_bot.py:MyBot
    """
    started = time.perf_counter()
    with common.user_errors():
        from ..sim.jit import cache_root
        from ..strategies.registry import BUILT_IN, parse_entries

        entries = parse_entries([*BUILT_IN, *(strategies or [])])
        make_ready(entries)
        from ..sim.chance import play_with_luck
        from ..sim.frozen import signature as count_matches
        from ..sim.rules import Rules
        from ..sim.transcript import check_transcript, play_transcript

        names = [entry.name for entry in entries[:4]]
        players = [entry.player() for entry in entries[:4]]
        check_transcript(play_transcript(Rules(), players, names, 1, 0, 0))
        play_with_luck(Rules(), players, 1, 1)
        count_matches()
        common.note(f"ready in {time.perf_counter() - started:.1f} s; cached in {cache_root()}")


def signature(json_: common.JsonOption = False) -> None:
    """Print the engine's version and one number over fixed matches of all built-in strategies.

    The number is the same on every machine. It changes only when somebody plays otherwise, or
    when cards are dealt otherwise.

    Example:

      prummy signature --json
    """
    with common.user_errors():
        from ..strategies.registry import BUILT_IN, parse_entries

        make_ready(parse_entries(BUILT_IN))
        from ..sim.frozen import ENGINE_VERSION
        from ..sim.frozen import signature as found

        number = found()
    if json_:
        common.print_json({"engine_version": ENGINE_VERSION, "signature": number})
    else:
        typer.echo(f"engine {ENGINE_VERSION}, signature {number}")
