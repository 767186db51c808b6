"""The engines beside one another: the same run on threads, in child processes and on Dask.

``python -m benchmarks.engines --matches 4000000 --rounds 5``

Runs alternate; what is printed is the median over the rounds of each engine's rate as a share of
the threads' rate in the same round. Starting a cluster or processes is not counted: the rate is
that of the matches between the first and the last block in the run's log.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from .endurance import PAIR, PROGRAM, blocks_of

ENGINES = ("auto", "processes", "dask")


def rate(engine: str, matches: int, folder: Path) -> tuple[float, str]:
    """Return matches a second of a run, and its digest."""
    words = ["tournament", *PAIR, "--matches", str(matches), "--keep", "none", "--json"]
    started = time.time()
    done = subprocess.run(
        [*PROGRAM, *words, "--engine", engine, "--log-level", "debug", "--out", str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    blocks = blocks_of(folder / "run.log", started)
    played = sum(n for _, n in blocks[1:])
    return played / (blocks[-1][0] - blocks[0][0]), json.loads(done.stdout)["digest"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=4_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rates: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    digests = set()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.rounds):
            for engine in ENGINES:
                place = Path(folder) / f"{engine}-{number}"
                found, digest = rate(engine, arguments.matches, place)
                rates[engine].append(found)
                digests.add(digest)
    for engine in ENGINES:
        shares = [a / b for a, b in zip(rates[engine], rates["auto"], strict=True)]
        print(
            f"{engine:10} best {max(rates[engine]):>9,.0f} matches/s   of threads: median "
            f"{statistics.median(shares):.3f} ({min(shares):.3f} to {max(shares):.3f})"
        )
    print("digests", "equal" if len(digests) == 1 else f"DIFFER: {digests}")


if __name__ == "__main__":
    main()
