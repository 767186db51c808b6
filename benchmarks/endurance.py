"""A long run, watched: memory and rate over time, and what it leaves on disk.

``python -m benchmarks.endurance --matches 100000000 --plot docs/endurance.png``

Prints one JSON object: matches, seconds, the highest resident memory (bytes) of the whole run and
of its first half, the rate (matches a second), the last quarter's rate as a share of the first
one's by the clock and by CPU time, the size of the run's folder, and whether `prummy runs check`
finds it whole. Exit code 1 when memory, folder or check is not as promised; the rate of a shared
machine is shown and not judged.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil

PROGRAM = [sys.executable, "-c", "from persian_rummy.cli import app; app()"]
PAIR = ("greedy", "b=greedy[pile_bias=1]")
SAMPLE_SECONDS = 0.5
MEMORY, FOLDER = 800_000_000, 50_000_000  # bytes, at most


@dataclass(frozen=True)
class Sample:
    """A moment of the run: seconds since its start, bytes of resident memory, CPU seconds."""

    seconds: float
    memory: int
    cpu: float


def endure(matches: int, folder: Path, keep: str = "none") -> dict[str, Any]:
    """Play a run in a process of its own and return what was seen of it."""
    words = ["tournament", *PAIR, "--matches", str(matches), "--keep", keep, "--json"]
    process = subprocess.Popen(
        [*PROGRAM, *words, "--log-level", "debug", "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    started, wall = time.monotonic(), time.time()
    about = psutil.Process(process.pid)
    samples: list[Sample] = []
    while process.poll() is None:
        try:
            times = about.cpu_times()
            memory = about.memory_info().rss
        except psutil.Error:
            break
        if memory:
            used = times.user + times.system
            samples.append(Sample(time.monotonic() - started, memory, used))
        time.sleep(SAMPLE_SECONDS)
    assert process.stdout is not None
    told = json.loads(process.stdout.read())
    process.wait()
    blocks = blocks_of(folder / "run.log", wall)
    checked = subprocess.run(
        [*PROGRAM, "runs", "check", str(folder), "--json"], capture_output=True
    )
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {
        "matches": told["matches"],
        "seconds": told["seconds"],
        "digest": told["digest"],
        "peak_memory": max(sample.memory for sample in samples),
        "peak_memory_first_half": max(s.memory for s in samples[: len(samples) // 2]),
        "rate": told["matches"] / told["seconds"],
        "late_rate": late_rate(blocks, [(s.seconds, s.seconds) for s in samples]),
        "late_rate_by_cpu": late_rate(blocks, [(s.seconds, s.cpu) for s in samples]),
        "folder_bytes": size - (folder / "run.log").stat().st_size,
        "whole": json.loads(checked.stdout)["valid"],
        "samples": [[round(s.seconds, 1), s.memory] for s in samples],
    }


def blocks_of(log: Path, started: float) -> list[tuple[float, int]]:
    """Return when each block was done (seconds since the start) and its matches, from run.log."""
    blocks = []
    for line in log.read_text().splitlines():
        if " DEBUG block " in line:
            words = line.split()
            when = datetime.strptime(" ".join(words[:2]), "%Y-%m-%d %H:%M:%S,%f").timestamp()
            blocks.append((when - started, int(words[-2])))
    return blocks


def late_rate(blocks: list[tuple[float, int]], clock: list[tuple[float, float]]) -> float:
    """Return the rate of the last quarter of the blocks' time as a share of the first one's.

    `clock` maps seconds since the start to the seconds by which a rate is meant.
    """
    first, last = blocks[0][0], blocks[-1][0]
    quarter = (last - first) / 4

    def rate(low: float, high: float) -> float:
        played = sum(n for when, n in blocks if low < when <= high)
        return played / (at(high) - at(low))

    def at(seconds: float) -> float:
        return next((value for when, value in clock if when >= seconds), clock[-1][1])

    return rate(last - quarter, last) / rate(first, first + quarter)


def plot(found: dict[str, Any], file: Path) -> None:
    """Draw memory over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    seconds, memory = zip(*found["samples"], strict=True)
    axes.plot(seconds, [value / 1e6 for value in memory], linewidth=1)
    axes.set(xlabel="seconds", ylabel="resident memory, MB", ylim=(0, None))
    axes.set_title(f"{found['matches']:,} matches in one run")
    figure.savefig(file, dpi=110, metadata={"Software": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100_000_000)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = endure(arguments.matches, Path(folder) / "run")
    if arguments.plot:
        plot(found, arguments.plot)
    del found["samples"]
    print(json.dumps(found, indent=2))
    flat = found["peak_memory"] < 1.1 * found["peak_memory_first_half"]
    small = found["peak_memory"] < MEMORY and found["folder_bytes"] < FOLDER
    sys.exit(not (flat and small and found["whole"]))


if __name__ == "__main__":
    main()
