"""The example of a plug-in, installed: it is listed, checked and plays like any other."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def prummy(tmp_path_factory):
    """Return what runs `prummy` where the plug-in is installed, and returns the JSON it prints."""
    place = tmp_path_factory.mktemp("plugin")
    shutil.copytree(EXAMPLE, place / "source")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--target", place / "site"]
    subprocess.run([*pip, *options, place / "source"], check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(place / "site")}
    main = "from persian_rummy.cli import app; app()"

    def run(*arguments: str, code: int = 0):
        done = subprocess.run(
            [sys.executable, "-c", main, *arguments, "--json"],
            env=environment,
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    return run


def test_plugin__installed__is_listed_with_the_others(prummy):
    listed = {row["name"]: row for row in prummy("strategies")}
    assert listed["cautious"]["idea"].startswith("Takes the pile for what it brings")
    assert listed["cautious"]["author"] == "the authors of prummy"
    assert "greedy" in listed


def test_plugin__in_a_tournament__plays_by_its_name(prummy, tmp_path):
    run = str(tmp_path / "run")
    found = prummy("tournament", "cautious[thrift=0.02]", "random", "--matches", "200", "-o", run)
    assert found["failures"] == []
    (pairing,) = found["pairings"]
    assert (pairing["a"], pairing["matches"]) == ("cautious[thrift=0.02]", 200)
    assert pairing["win_share"]["low"] > 0.5
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    (entry, _) = manifest["strategies"]
    assert (entry["version"], entry["built_in"]) == ("1.0", False)


@pytest.mark.long
def test_plugin__checked__keeps_all(prummy):
    verdicts = prummy("strategies", "check", "cautious")
    assert {verdict["status"] for verdict in verdicts} == {"ok"}
