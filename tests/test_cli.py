"""The command line where all is well: every command, its help, and its JSON for machines."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from command import run, run_json
from small_runs import read_rows, write_strategy
from typer.testing import CliRunner

from persian_rummy import __version__
from persian_rummy.cli import app
from persian_rummy.sim import benchmark
from persian_rummy.sim.jit import cache_root
from persian_rummy.sim.rules import Rules
from persian_rummy.strategies.registry import BUILT_IN

DATA = Path(__file__).parent / "data"


def commands() -> list[list[str]]:
    """Return every command of the program, those of groups as two words."""
    found = []
    for name, command in typer.main.get_command(app).commands.items():
        found.append([name])
        found += [[name, sub] for sub in getattr(command, "commands", {})]
    return found


def test_commands__are_these():
    assert {words[0] for words in commands()} >= {
        "tournament", "report", "match", "verify", "perft", "draw", "rules", "strategies", "bench"
    }  # fmt: skip


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_help__every_command__shows_an_example(words):
    text = re.sub(r"\s+", " ", run(*words, "--help"))
    assert re.search(rf"Examples?:? (.* )?prummy {' '.join(words)} ", text)


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help__of_the_program__lists_the_commands(flag):
    text = run(flag)
    for words in commands():
        assert words[0] in text


def test_version__is_printed():
    assert run("--version") == f"prummy {__version__}\n"


def test_match__two_strategies__sit_opposite_and_change_seats():
    match = run_json("match", "greedy", "random", "--seed", "7", "--board", "3")
    assert (match["format"], match["version"]) == ("persian-rummy-transcript", 1)
    assert match["seats"] == ["greedy", "random", "greedy", "random"]
    assert (match["seed"], match["board"], match["rotation"]) == (7, 3, 0)
    assert [deal["dealer"] for deal in match["deals"]] == [3, 0]
    assert match["rules"] == {}
    turned = run_json("match", "greedy", "random", "--seed", "7", "--board", "3", "--rotation", "1")
    assert turned["seats"] == ["random", "greedy", "random", "greedy"]
    assert [deal["deck"] for deal in turned["deals"]] == [deal["deck"] for deal in match["deals"]]


def test_match__four_strategies__sit_in_their_order():
    names = ["greedy", "random", "hunter", "m=miser"]
    match = run_json("match", *names)
    assert match["seats"] == ["greedy", "random", "hunter", "m"]
    assert run_json("match", *names, "--rotation", "1")["seats"] == [
        "random", "greedy", "m", "hunter"
    ]  # fmt: skip


def test_match__house_rules__are_in_the_transcript():
    match = run_json("match", "greedy", "random", "--rules", "rummy500", "--rule", "min_run=4")
    assert match["rules"] == {
        "jokers": 0,
        "four_multiplier": 1,
        "last_discard": "goes_out",
        "out_bonus": 0,
        "exhausted": "first_pass",
        "min_run": 4,
    }


def test_match__of_a_tournament__is_the_match_on_that_board(tmp_path):
    run("tournament", "greedy", "random", "-n", "20", "--seed", "5", "--out", str(tmp_path / "r"))
    rows = read_rows(tmp_path / "r")
    for board, rotation in ((0, 0), (6, 1), (9, 0)):
        spot = ["--seed", "5", "--board", str(board), "--rotation", str(rotation)]
        match = run_json("match", "greedy", "random", *spot)
        row = rows[(rows["board"] == board) & (rows["rotation"] == rotation)].iloc[0]
        sides = ["score_a", "score_b"] if rotation == 0 else ["score_b", "score_a"]
        assert match["score"] == [row[side] for side in sides]


def test_match__piped_to_verify__holds():
    text = run("match", "greedy", "random", "--json")
    assert "1 transcript, every action legal" in run("verify", "-", stdin=text)
    assert json.loads(run("verify", "-", "--json", stdin=2 * text)) == {
        "valid": True, "transcripts": 2, "error": None
    }  # fmt: skip


def test_verify__file_of_good_transcripts__all_hold():
    assert "23 transcripts, every action legal" in run("verify", str(DATA / "transcripts.jsonl"))


def test_perft__file_with_counts__comes_out():
    found = run_json("perft", str(DATA / "perft.json"))
    given = json.loads((DATA / "perft.json").read_text())
    assert found == [{"depth": entry["depth"], "nodes": entry["nodes"]} for entry in given]
    assert run("perft", str(DATA / "perft.json")).count("as given") == len(given)
    assert {
        row["nodes"] for row in run_json("perft", str(DATA / "perft.json"), "--depth", "0")
    } == {1}


def test_strategies__listed_and_shown():
    listed = run_json("strategies")
    assert [row["name"] for row in listed] == list(BUILT_IN)
    assert all(set(row) >= {"name", "idea", "params"} and row["idea"] for row in listed)
    bias = listed[1]["params"][0]
    assert (bias["name"], bias["default"], bias["low"], bias["high"]) == ("pile_bias", 0, -200, 200)
    assert all(row["name"] in run("strategies") for row in listed)
    assert "pile_bias = 0  (-200 to 200)" in run("strategies", "show", "greedy")
    assert run_json("strategies", "show", "greedy")["file"].endswith("greedy.py")


def test_strategies_show__of_a_file__says_its_idea(tmp_path):
    spec = write_strategy(tmp_path, "Bot", more='params = (Param("x", 1, 0, 2, "a number"),)')
    shown = run_json("strategies", "show", spec)
    assert shown["idea"] == "Does what a test wants."
    assert shown["params"][0]["doc"] == "a number"


def test_rules__listed__are_those_of_the_rules():
    rows = {row["rule"]: row for row in run_json("rules", "--rules", "rummy500")}
    assert set(rows) == set(Rules.__dataclass_fields__)
    assert (rows["jokers"]["value"], rows["jokers"]["default"]) == (0, 4)
    assert rows["last_discard"]["values"] == ["float", "forbidden", "goes_out"]
    assert "goes_out *" in run("rules", "--rules", "rummy500")


def test_rules__toml_file__starts_from_its_preset(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text(
        'preset = "rummy500"\nmin_run = 4\n[points]\n'
        + "".join(f'"{rank}" = {value}\n' for value, rank in enumerate("23456789TJQKA*"))
    )
    match = run_json("match", "random", "greedy", "--rules", str(path), "--rule", "jokers=4")
    assert (match["rules"]["min_run"], match["rules"]["exhausted"]) == (4, "first_pass")
    assert "jokers" not in match["rules"]
    assert match["rules"]["points"]["*"] == 13
    assert "1 transcript" in run("verify", "-", stdin=json.dumps(match))


def test_draw__four_names__are_seated_by_their_cards():
    seated = run_json("draw", "Ann", "Bob", "Cid", "Dot", "--seed", "3")
    assert sorted(seated["seats"]) == ["Ann", "Bob", "Cid", "Dot"]
    first = seated["rounds"][0]
    order = sorted(first, key=lambda name: "A23456789TJQK*".index(first[name][0]))
    if len(seated["rounds"]) == 1:
        assert seated["seats"] == [order[0], order[2], order[1], order[3]]
    assert f"seat 0: {seated['seats'][0]} (team 0, first dealer)" in run(
        "draw", "Ann", "Bob", "Cid", "Dot", "--seed", "3"
    )
    assert len({run("draw", *"ABCD", "--seed", str(seed)) for seed in range(12)}) > 6


def test_bench__json__has_the_fixed_keys(monkeypatch):
    monkeypatch.setattr(benchmark, "_start_times", lambda: (9.5, 0.25))  # compiles for long
    found = run_json("bench", "--seconds", "0.05")
    assert (found["compile_s"], found["load_s"]) == (9.5, 0.25)
    keys = {"pair", "threads", "matches_per_s", "turns_per_match", "ns_per_turn", "decisions_per_s"}
    for row in found["results"]:
        assert set(row) >= keys
        assert 20 < row["turns_per_match"] < 150
        turns_per_s = row["matches_per_s"] * row["turns_per_match"]
        assert row["ns_per_turn"] == pytest.approx(1e9 * row["threads"] / turns_per_s)
        assert row["decisions_per_s"] > 1.5 * turns_per_s  # a discard, and every other turn more
    assert {row["pair"] for row in found["results"]} == {"greedy v greedy", "random v random"}
    assert "compile 9.5 s cold" in run("bench", "--seconds", "0.05")


def test_warm__with_a_file__compiles_it_and_says_where(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    result = CliRunner().invoke(app, ["warm", spec])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "ready in " in result.stderr
    assert str(cache_root()) in result.stderr
    result = CliRunner().invoke(app, ["warm", "gredy"])
    assert result.exit_code == 2
    assert "did you mean greedy" in result.stderr


def test_warm__empty_cache__leaves_nothing_to_compile(tmp_path):
    environment = {**os.environ, "PRUMMY_CACHE_DIR": str(tmp_path / "cache")}

    def compiled(*arguments: str) -> set[str]:
        program = [sys.executable, "-c", "from persian_rummy.cli import app; app()"]
        subprocess.run(
            [*program, *arguments], env=environment, cwd=tmp_path, check=True, capture_output=True
        )
        return {path.name for path in (tmp_path / "cache").rglob("*.nbc")}

    all_of_it = compiled("warm")
    assert any(name.startswith("kernel.play_block") for name in all_of_it)
    assert compiled("match", "greedy", "miser") == all_of_it
    assert compiled("tournament", "hunter", "doubler", "--matches", "20") == all_of_it


@pytest.mark.long
def test_bench__start_times__cold_is_slower_than_warm():
    found = run_json("bench", "--seconds", "0.05")
    assert found["compile_s"] > 2 * found["load_s"] > 0
