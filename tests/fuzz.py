"""Fuzzing of all readers, guided by coverage: ``python tests/fuzz.py --inputs 1000000``.

Needs atheris (``pip install atheris``). Each reader of `readers.py` is run in a process of its own,
since libFuzzer takes a process over; it begins with the reader's valid inputs. What a reader does
wrong is written, once a place of the program, to a folder that is named at the end: the input, and
beside it what happened. Exit code 1 when there was any such fault.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

MEMORY_MB = 4096
INSTRUMENTED = ["persian_rummy", "tomllib"]
COMPILED = {  # by numba, which does not read code that atheris has changed
    "sim": "bits deal digest invariants jit kernel lent match melds perft seeds state view",
    "strategies": "closer counter doubler feeder greedy helpers hunter miser random runner sentinel"
    " setter sprinter staller toolkit",
}


@dataclass
class Found:
    """What came of fuzzing one reader."""

    reader: str
    inputs: int = 0
    seconds: float = 0.0
    coverage: tuple[int, int] | None = None  # with the valid inputs only, and at the end
    faults: list[Path] = field(default_factory=list)
    broken: str = ""  # why the process ended, if not because it was done

    def line(self) -> str:
        """Return a line for people."""
        rate = self.inputs / self.seconds if self.seconds else 0
        grown = "unknown" if self.coverage is None else "{} to {}".format(*self.coverage)
        return (
            f"{self.reader:16} {self.inputs:>9,} inputs {self.seconds:8.1f} s {rate:8,.0f}/s  "
            f"coverage {grown:14} {len(self.faults)} faults{self.broken and '; ' + self.broken}"
        )


def fuzz(reader: str, inputs: int, seconds: int, seed: int, folder: Path) -> Found:
    """Fuzz one reader in a process of its own; leave its faults in a folder."""
    place = folder / reader
    place.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, "--child", reader, "--save", str(place)]
    command += ["--inputs", str(inputs), "--seconds", str(seconds), "--seed", str(seed)]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="prummy-fuzz-") as spare:
        ended = subprocess.run(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, "TMPDIR": spare},
        )
    found = Found(reader, seconds=time.monotonic() - started)
    states = re.findall(r"^#(\d+)\s+(\w+)\s+cov: (\d+)", ended.stderr, re.MULTILINE)
    if states:
        found.inputs = max(int(number) for number, _, _ in states)
        first = next((int(cov) for _, what, cov in states if what == "INITED"), int(states[0][2]))
        found.coverage = (first, int(states[-1][2]))
    if total := re.search(r"stat::number_of_executed_units:\s*(\d+)", ended.stderr):
        found.inputs = int(total[1])
    # ".txt" beside a fault says what it is; libFuzzer writes crash-, timeout- and oom- files itself
    found.faults = sorted(path for path in place.iterdir() if path.suffix != ".txt")
    if ended.returncode:
        found.broken = f"the process ended with code {ended.returncode}"
        (place / "output.txt").write_text(ended.stderr)
    return found


def child(name: str, inputs: int, seconds: int, seed: int, save: Path) -> None:
    """Be the process that fuzzes one reader; does not come back."""
    import atheris

    excluded = [
        f"persian_rummy.{folder}.{module}"
        for folder, modules in COMPILED.items()
        for module in modules.split()
    ]
    with atheris.instrument_imports(include=INSTRUMENTED, exclude=excluded):
        import readers
    atheris.instrument_func(readers.parse_position)
    reader = next(reader for reader in readers.READERS if reader.name == name)
    corpus = readers.scratch() / "corpus"
    corpus.mkdir()
    for number, data in enumerate(reader.seeds()):
        (corpus / f"valid-{number}").write_bytes(data)
        assert readers.fault_of(reader, data, alarm=False) is None  # and all is compiled now
    words = readers.scratch() / "words.txt"
    coded = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in reader.words)
    words.write_text("".join(f'"{word}"\n' for word in coded if word))
    known: set[str] = set()

    def one(data: bytes) -> None:
        fault = readers.fault_of(reader, data, alarm=False)
        if fault is None or (kind := fault.partition(": ")[0]) in known:
            return
        known.add(kind)
        stem = re.sub(r"[^\w.]+", "-", kind)
        (save / stem).write_bytes(data)
        (save / f"{stem}.txt").write_text(fault + "\n", errors="backslashreplace")

    def mutate(data: bytes, size: int, number: int) -> bytes:
        random = Random(number)
        if random.randrange(2):
            return bytes(atheris.Mutate(data, size))
        return readers.mutate(data, random)[:size]

    arguments = [
        sys.argv[0],
        f"-runs={inputs}",
        f"-max_total_time={seconds}",
        f"-max_len={reader.longest}",
        f"-seed={seed}",
        f"-timeout={readers.HANGS_AFTER}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={save}/",
        *([f"-dict={words}"] if reader.words else []),
        "-len_control=0",
        "-print_final_stats=1",
        str(corpus),
    ]
    atheris.Setup(arguments, one, custom_mutator=mutate)
    atheris.Fuzz()


def shares(inputs: int, readers: list[Any]) -> dict[str, int]:
    """Return how many inputs each reader has, by name."""
    total = sum(reader.share for reader in readers)
    return {reader.name: max(1, -(-inputs * reader.share // total)) for reader in readers}


def main() -> int:
    """Fuzz the readers one after the other; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000, help="inputs in all")
    parser.add_argument("--seconds", type=int, default=0, help="most seconds for each; 0: no limit")
    parser.add_argument("--reader", action="append", help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="folder for faults; a new one where not given")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.inputs, options.seconds, options.seed, options.save)
        return 0
    from readers import READERS

    chosen = [r for r in READERS if options.reader is None or r.name in options.reader]
    if not chosen or len(chosen) < len(options.reader or ()):
        parser.error(f"the readers are {', '.join(reader.name for reader in READERS)}")
    folder = options.save or Path(tempfile.mkdtemp(prefix="prummy-faults-"))
    all_found = []
    for name, inputs in shares(options.inputs, chosen).items():
        found = fuzz(name, inputs, options.seconds, options.seed, folder)
        print(found.line(), flush=True)
        all_found.append(found)
    faults = [fault for found in all_found for fault in found.faults]
    for fault in faults:
        told = fault.with_name(fault.name + ".txt")
        print(f"  {fault}: {told.read_text().strip() if told.exists() else 'ended the process'}")
    inputs = sum(found.inputs for found in all_found)
    seconds = sum(found.seconds for found in all_found)
    print(f"{inputs:,} inputs, {len(all_found)} readers, {seconds:.0f} s, {len(faults)} faults")
    return 1 if faults or any(found.broken for found in all_found) else 0


if __name__ == "__main__":
    sys.exit(main())
