"""Rounds that alternate between players of the same blocks, and what follows from their times.

A machine that others share may be half as fast from one second to the next. So everything that is
compared takes turns in short rounds: a ratio is the median over the rounds of the ratios within
each, a rate that of the best round. What plays on one thread is timed by that thread's own time on
the processor, in which other programs' turns do not count.
"""

import functools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.view import Player
from persian_rummy.strategies.registry import parse_entry

from .yardstick import load
from .yardstick import play as play_by

SEED = 1
Block = tuple[np.ndarray, np.ndarray, np.ndarray]
PlayBlock = Callable[[str, int, int], Block]
"""Plays (strategy against itself, first board, boards) and returns rows, sides, deals."""


@functools.cache
def player(name: str) -> Player:
    """Return the compiled player of a strategy."""
    return parse_entry(name).player()


def by_kernel(name: str, first_board: int, n_boards: int) -> Block:
    """Play a block by the package's kernel, on this thread."""
    block = play_boards(Rules(), (player(name),) * 4, SEED, first_board, n_boards)
    return block.rows, block.sides, block.deals


def by_yardstick(library: Any) -> PlayBlock:
    """Return what plays a block by a yardstick's library, on this thread."""
    function = load(library)
    return lambda name, first, n_boards: play_by(function, name, name, SEED, first, n_boards)


def equal(some: Block, others: Block) -> bool:
    """Return whether two blocks are equal, value for value."""
    return all(np.array_equal(one, other) for one, other in zip(some, others, strict=True))


def take_turns(
    rounds: int, runs: dict[str, Callable[[], Any]], clock: Callable[[], float]
) -> dict[str, list[float]]:
    """Return the seconds, by a clock, of each run in each round; every other one goes backwards."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds):
        names = list(runs) if number % 2 == 0 else list(runs)[::-1]
        for name in names:
            started = clock()
            runs[name]()
            times[name].append(clock() - started)
    return times


def compare(name: str, rounds: int, n_boards: int, players: dict[str, PlayBlock]) -> dict[str, Any]:
    """Return rates of all players of a strategy against itself, and the kernel's ratio to each.

    Parameters
    ----------
    players
        By name; the first is the kernel.
    """
    block = players["kernel"](name, 0, n_boards)
    times = take_turns(
        rounds,
        {who: functools.partial(play, name, 0, n_boards) for who, play in players.items()},
        time.thread_time,
    )
    matches, turns = len(block[0]), int(block[0]["turns"].sum())
    decisions = int(block[1]["decisions"].sum())
    found: dict[str, Any] = {"pair": f"{name} v {name}", "turns_per_match": turns / matches}
    for who, seconds in times.items():
        best = min(seconds)
        found[who] = {
            "matches_per_s": matches / best,
            "ns_per_turn": 1e9 * best / turns,
            "decisions_per_s": decisions / best,
            "kernel_ratio": ratio(seconds, times["kernel"]),
        }
    return found


def ratio(seconds: Sequence[float], of: Sequence[float]) -> float:
    """Return how many times as fast as the first the second was: the median over the rounds."""
    return statistics.median(one / other for one, other in zip(seconds, of, strict=True))


class Reference:
    """Another process that plays blocks on one thread, when told to."""

    def __init__(self, name: str) -> None:
        command = [sys.executable, "-m", "benchmarks.kernel", "--worker", name]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.wait()

    def start(self, n_boards: int) -> None:
        """Begin to play."""
        assert self._process.stdin is not None
        print(n_boards, file=self._process.stdin, flush=True)

    def wait(self) -> None:
        """Wait until it has played (or is ready to)."""
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise RuntimeError("the reference process has ended")

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def work(name: str) -> None:
    """Play as many boards as each line of the standard input says; say when they are played."""
    by_kernel(name, 0, 10)
    print("ready", flush=True)
    for line in sys.stdin:
        by_kernel(name, 0, int(line))
        print("played", flush=True)


def threads(name: str, rounds: int, n_boards: int) -> dict[str, Any]:
    """Return how much two threads of one process play, as a multiple of what one could.

    One thread is what each of two independent processes plays that run at the same time, so that
    a machine on which others work does not decide.
    """
    references = [Reference(name), Reference(name)]

    def two_processes() -> None:
        for reference in references:
            reference.start(n_boards)
        for reference in references:
            reference.wait()

    by_kernel(name, 0, 10)
    with ThreadPoolExecutor(2) as pool:
        times = take_turns(
            rounds,
            {
                "threads": lambda: list(pool.map(lambda _: by_kernel(name, 0, n_boards), range(2))),
                "processes": two_processes,
            },
            time.perf_counter,
        )
    for reference in references:
        reference.close()
    return {
        "pair": f"{name} v {name}",
        "matches_per_s": 4 * n_boards / min(times["threads"]),
        "scaling": 2 * ratio(times["processes"], times["threads"]),
    }
