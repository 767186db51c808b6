"""Runs that are killed or run out of disk at any moment: nothing is lost, nothing counts twice."""

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command import run_json
from small_runs import parts_of

from persian_rummy.sim.check import check_run
from persian_rummy.sim.store import RunFolder

KILLING = str(Path(__file__).with_name("killing.py"))
PROGRAM = [sys.executable, "-c", "from persian_rummy.cli import app; app()"]
SMALL = ["greedy", "random", "miser", "-n", "40", "--block", "5", "--jobs", "1", "--seed", "8"]


def words_of(folder: Path, keep: str) -> list[str]:
    return ["tournament", *SMALL, "--keep", keep, "--out", str(folder), "--json"]


def go_on(folder: Path, words: list[str]) -> Any:
    """Resume a run, or begin it where it was killed before it was one."""
    if not (folder / "manifest.json").exists():
        return run_json(*words[:-1])
    return run_json("tournament", "--resume", "--out", str(folder))


def same_run(folder: Path, right: Path) -> None:
    """Assert that a run is in all that counts another one."""
    ours, its = RunFolder(folder), RunFolder(right)
    for name in ("digest", "matches", "status"):
        assert ours.read_manifest()[name] == its.read_manifest()[name]
    for name in ("groups", "histograms"):
        file = f"summary/{name}.parquet"
        assert (folder / file).read_bytes() == (right / file).read_bytes()
    assert check_run(ours).faults == []
    assert rows_in(folder) == rows_in(right)


def rows_in(folder: Path) -> int:
    return sum(int(p.name.split("-")[3]) for p in parts_of(folder) if p.parent.name == "matches")


def kill_at(step: int, folder: Path, keep: str) -> str:
    done = subprocess.run(
        [sys.executable, KILLING, str(step), *words_of(folder, keep)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == (0 if step == 0 else -9), (step, done.stderr)
    return done.stderr


def kill_at_steps(folder: Path, keep: str, choose: Any) -> None:
    told = kill_at(0, folder / "right", keep)
    match = re.search(r"steps (\d+)", told)
    assert match is not None
    steps = int(match[1])
    assert steps > 20
    for step in choose(steps):
        place = folder / f"killed-{step}"
        kill_at(step, place, keep)
        go_on(place, words_of(place, keep))
        same_run(place, folder / "right")


def test_run__killed_at_some_steps_of_its_writing__ends_the_same(tmp_path):
    rng = random.Random(1)
    kill_at_steps(tmp_path, "sample=20", lambda n: [1, n - 1, *rng.sample(range(2, n - 1), 2)])


@pytest.mark.long
def test_run__killed_at_every_step_of_its_writing__ends_the_same(tmp_path):
    kill_at_steps(tmp_path, "sample=20", lambda n: range(1, n + 1))


@pytest.mark.long
@pytest.mark.parametrize(
    "entered", [["greedy", "miser"], ["greedy", "random", "--engine=processes"]]
)
def test_run__killed_at_50_random_moments__ends_the_same(tmp_path, entered):
    words = ["tournament", *entered, "-n", "150000", "--seed", "3", "--block", "2000"]
    right = tmp_path / "right"
    started = time.monotonic()
    subprocess.run([*PROGRAM, *words, "--out", str(right)], check=True, capture_output=True)
    whole = time.monotonic() - started
    rng = random.Random(1)
    killed = 0
    for number in range(50):
        folder = tmp_path / str(number)
        keep = ["all", "none", "sample=1000"][number % 3]
        process = subprocess.Popen(
            [*PROGRAM, *words, "--keep", keep, "--out", str(folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(whole * (number + rng.random()) / 50)  # at any moment, start and end too
        process.kill()
        killed += process.wait() == -9
        go_on(folder, [*words, "--keep", keep, "--out", str(folder), "--json"])
        ours, its = RunFolder(folder), RunFolder(right)
        assert ours.read_manifest()["digest"] == its.read_manifest()["digest"]
        for name in ("groups", "histograms"):
            file = f"summary/{name}.parquet"
            assert (folder / file).read_bytes() == (right / file).read_bytes()
        assert check_run(ours).faults == []
        assert rows_in(folder) == {"all": 75_000, "none": 0}.get(keep, 500)
    assert killed >= 40


@pytest.mark.long
def test_run__disk_is_full__says_so_and_goes_on_when_there_is_room(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root only")
    try:
        words = ["tournament", "greedy", "random", "-n", "20000", "--block", "500", "--seed", "3"]
        right = run_json(*words, "--out", str(tmp_path / "right"))
        for extra in ([], ["--engine", "processes"]):
            folder = disk / f"run{len(extra)}"
            done = subprocess.run(
                [*PROGRAM, *words, *extra, "--out", str(folder)], capture_output=True, text=True
            )
            assert done.returncode == 2
            assert (
                "No space left on device; what was played is kept, go on with: prummy"
                in done.stderr
            )
            assert "Traceback" not in done.stderr
            kept = parts_of(folder)
            assert kept
            subprocess.run(["mount", "-o", "remount,size=50M", str(disk)], check=True)
            found = run_json("tournament", "--resume", "--out", str(folder))
            assert found["digest"] == right["digest"]
            assert set(kept) <= set(parts_of(folder))
            assert check_run(RunFolder(folder)).faults == []
            used = sum(p.stat().st_size for p in disk.rglob("*") if p.is_file())
            size = f"remount,size={used // 1024 + 300}k"
            subprocess.run(["mount", "-o", size, str(disk)], check=True)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
