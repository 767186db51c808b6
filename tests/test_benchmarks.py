"""The benchmark of the kernel: the yardstick plays the same matches, and not far ahead of it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEAST_RATIO = 0.5  # of the yardstick's speed, in time on the processor: 0.7 to 0.9 under any load


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_kernel__beside_the_yardstick__plays_the_same_and_keeps_up():
    command = [sys.executable, "-m", "benchmarks.kernel", "--rounds", "15", "--boards", "1000"]
    done = subprocess.run(
        [*command, "--json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr  # 1: other matches
    pairs = json.loads(done.stdout)["pairs"]
    assert [pair["pair"] for pair in pairs] == [
        "greedy v greedy",
        "random v random",
        "hunter v hunter",
    ]
    for pair in pairs:
        assert pair["g++"]["kernel_ratio"] > LEAST_RATIO, pair
