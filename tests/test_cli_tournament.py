"""``prummy tournament`` where all is well: its JSON, its manifest, its folders."""

import json
import math
import re
from pathlib import Path
from typing import Any

from command import run, run_json

from persian_rummy import __version__
from persian_rummy.strategies.registry import BUILT_IN

INTERVAL = {"estimate", "low", "high", "level"}


def is_interval(value: Any) -> bool:
    """Return whether a value is an interval of DESIGN.md that holds its estimate."""
    return (
        set(value) >= INTERVAL
        and value["level"] == 0.95
        and value["low"] <= value["estimate"] <= value["high"]
    )


def test_tournament__json__has_the_fixed_keys(tmp_path):
    spec = ["tournament", "greedy", "random", "x=hunter[fear=3]", "-n", "60", "--seed", "2"]
    found = run_json(*spec, "--out", str(tmp_path / "run"))
    assert set(found) >= {"digest", "matches", "seconds", "standings", "pairings", "failures"}
    assert (found["matches"], found["failures"]) == (180, [])
    assert re.fullmatch("[0-9a-f]{32}", found["digest"])
    shares = [row["win_share"]["estimate"] for row in found["standings"]]
    assert shares == sorted(shares, reverse=True)
    assert {row["strategy"] for row in found["standings"]} == {"greedy", "random", "x"}
    assert [(row["a"], row["b"]) for row in found["pairings"]] == [
        ("greedy", "random"), ("greedy", "x"), ("random", "x")
    ]  # fmt: skip
    for row in found["standings"] + found["pairings"]:
        assert is_interval(row["margin"])
        assert is_interval(row["win_share"])
    assert all(row["boards"] == 30 == sum(row["pairs"]) for row in found["pairings"])


def test_tournament__manifest__says_what_was_run(tmp_path):
    text = run("tournament", "greedy", "random", "-n", "40", "--out", str(tmp_path / "run"))
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert f"digest {manifest['digest']}   run folder {tmp_path / 'run'}" in text
    assert (manifest["status"], manifest["matches"]) == ("finished", 40)
    assert manifest["plan"] == {
        "names": ["greedy", "random"], "rules": {}, "seed": 1, "boards": 20, "format": "round-robin"
    }  # fmt: skip
    assert [row["params"] for row in manifest["strategies"]] == [{"pile_bias": 0.0}, {}]
    assert manifest["versions"]["prummy"] == __version__
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "manifest.json", "matches", "summary", "transcripts", "run.log", ".lock"
    }  # fmt: skip


def test_tournament__all_and_gauntlet__who_meets_whom(tmp_path):
    every = run_json("tournament", "--all", "-n", "2", "--out", str(tmp_path / "all"))
    assert len(every["pairings"]) == math.comb(len(BUILT_IN), 2)
    arguments = ["--format", "gauntlet", "-n", "2", "--out", str(tmp_path / "gauntlet")]
    one = run_json("tournament", "b=miser", "greedy", "random", *arguments)
    assert [(row["a"], row["b"]) for row in one["pairings"]] == [("b", "greedy"), ("b", "random")]


def test_tournament__without_out__makes_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, second = (run_json("tournament", "greedy", "random", "-n", "2") for _ in range(2))
    assert first["digest"] == second["digest"]
    assert first["folder"] != second["folder"]
    assert Path(first["folder"]).parent == Path("runs")


def test_tournament__one_board__has_no_interval(tmp_path):
    found = run_json("tournament", "greedy", "random", "-n", "2", "--out", str(tmp_path / "run"))
    margin = found["pairings"][0]["margin"]
    assert (margin["low"], margin["high"]) == (None, None)
    assert found["pairings"][0]["boards"] == 1
