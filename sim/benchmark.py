"""Speed of the kernel on this machine: matches, turns and decisions a second."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..strategies.registry import parse_entry
from .match import Block, play_boards
from .rules import Rules
from .view import Player

PAIRS = (("greedy", "greedy"), ("random", "random"))
ROUNDS = 12  # short ones: a busy neighbour comes and goes by the second

_LOAD = (
    "import time; t = time.perf_counter()\n"
    "from persian_rummy.strategies.registry import parse_entry\n"
    "for name in ('greedy', 'random'): parse_entry(name).player()\n"
    "print(time.perf_counter() - t)\n"
)


def _play(players: tuple[Player, ...], boards: int, threads: int) -> tuple[list[Block], float]:
    """Play `boards` boards on each of some threads; return blocks and seconds."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda _: None, range(threads)))
        started = time.perf_counter()
        calls = [
            pool.submit(play_boards, Rules(), players, 1, thread * boards, boards)
            for thread in range(threads)
        ]
        blocks = [call.result() for call in calls]
        return blocks, time.perf_counter() - started


def _row(pair: str, threads: int, blocks: list[Block], seconds: float) -> dict[str, Any]:
    matches = sum(len(block.rows) for block in blocks)
    turns = sum(int(block.rows["turns"].sum()) for block in blocks)
    decisions = sum(int(block.sides["decisions"].sum()) for block in blocks)
    return {
        "pair": pair,
        "threads": threads,
        "matches_per_s": matches / seconds,
        "turns_per_match": turns / matches,
        "ns_per_turn": 1e9 * seconds * threads / turns,
        "decisions_per_s": decisions / seconds,
    }


def measure(seconds: float, say: Callable[[str], None]) -> dict[str, Any]:
    """Return speeds by pair and threads, and the seconds to compile and to load.

    Parameters
    ----------
    seconds : float
        Least time for each row, over all rounds.
    say
        Called with a line on what is happening.
    """
    cores = os.cpu_count() or 1
    best: dict[tuple[str, int], dict[str, Any]] = {}
    for _ in range(ROUNDS):
        for a, b in PAIRS:
            players = (parse_entry(a).player(), parse_entry(b).player()) * 2
            _, once = _play(players, 500, 1)
            boards = max(500, int(500 * seconds / ROUNDS / once))
            for threads in sorted({1, cores}):
                name = f"{a} v {b}"
                row = _row(name, threads, *_play(players, boards, threads))
                known = best.get((name, threads))
                if known is None or row["matches_per_s"] > known["matches_per_s"]:
                    best[name, threads] = row
    say("compiling once more in an empty cache ...")
    compile_s, load_s = _start_times()
    return {"results": list(best.values()), "compile_s": compile_s, "load_s": load_s}


def _start_times() -> tuple[float, float]:
    """Return seconds until two strategies are ready in new processes: cold, then warm."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PRUMMY_CACHE_DIR": folder}
        times = [
            float(
                subprocess.run(
                    [sys.executable, "-c", _LOAD],
                    env=environment,
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout
            )
            for _ in range(2)
        ]
    return times[0], times[1]
