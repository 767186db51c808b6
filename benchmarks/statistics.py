"""All statistics of a large field: seconds and memory of each command, from summaries alone.

``python -m benchmarks.statistics``

Plays a round robin of 30 strategies (the built-in ones and `greedy` with other parameters) of ten
million matches, whose rows are not kept, into a temporary folder or the one of ``--run``, which is
played when it is not there. Prints one JSON object: of each command the seconds by the clock and
by CPU time, and the highest resident memory (bytes); and of all together. Exit code 1 when together
they take more than 30 s of CPU time, or one of them more than 1 GB.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-c", "from persian_rummy.cli import app; app()"]
COMMANDS = ("ratings", "metagame", "luck", "sources", "compare")
SECONDS, MEMORY = 30.0, 1_000_000_000
ENTRIES, MATCHES = 30, 10_000_000


def field() -> list[str]:
    """Return 30 entries: all built-in strategies, then `greedy` with other parameters."""
    from persian_rummy.strategies.registry import BUILT_IN

    more = ENTRIES - len(BUILT_IN)
    return [*BUILT_IN, *(f"greedy[pile_bias={bias}]" for bias in range(1, more + 1))]


def play(folder: Path) -> None:
    """Play the run, unless it is there."""
    if folder.exists() and any(folder.iterdir()):
        return
    pairings = ENTRIES * (ENTRIES - 1) // 2
    matches = 2 * -(-MATCHES // (2 * pairings))
    words = ["tournament", *field(), "--matches", str(matches), "--keep", "none"]
    subprocess.run([*PROGRAM, *words, "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)


def measure(command: str, folder: Path) -> dict[str, Any]:
    """Return what a command on a run takes."""
    words = ["--run", str(folder), "hunter", "doubler"] if command == "compare" else [str(folder)]
    started = time.monotonic()
    process = subprocess.Popen(
        [*PROGRAM, command, *words, "--json"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    text = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    if status:
        sys.exit(f"prummy {command} ended with {status}")
    json.loads(text)
    cpu = used.ru_utime + used.ru_stime
    return {"seconds": round(seconds, 2), "cpu": round(cpu, 2), "memory": used.ru_maxrss * 1024}


def main() -> None:
    """Measure, print, and leave with the verdict."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--run", type=Path, help="folder of the run")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.run or Path(temporary) / "run"
        play(folder)
        found: dict[str, Any] = {command: measure(command, folder) for command in COMMANDS}
    found["together"] = {
        "seconds": round(sum(each["seconds"] for each in found.values()), 2),
        "cpu": round(sum(each["cpu"] for each in found.values()), 2),
        "memory": max(each["memory"] for each in found.values()),
    }
    print(json.dumps(found, indent=2))
    together = found["together"]
    sys.exit(together["cpu"] > SECONDS or together["memory"] > MEMORY)


if __name__ == "__main__":
    main()
