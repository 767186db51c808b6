"""Memory of a run does not grow with its matches."""

import resource
import subprocess
import sys

import pytest

LIMIT_MIB = 700


@pytest.mark.long
def test_memory__ten_million_matches__stays_under_the_limit(tmp_path):
    command = [sys.executable, "-c", "from persian_rummy.cli import app; app()", "tournament"]
    command += ["greedy", "random", "--matches", "10000000", "--out", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "10,000,000 matches" in done.stdout
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    assert 100 < peak < LIMIT_MIB
