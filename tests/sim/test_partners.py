"""Runs of mixed teams: who sits where, that nothing else changes a result, and failures."""

import json
import shlex
from pathlib import Path

import pytest
from command import run_json
from small_runs import make_run, play, read_rows, rows_of, write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.sim.child import Children, Limits
from persian_rummy.sim.engines import EngineChoice
from persian_rummy.sim.match import Failure
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import play_transcript
from persian_rummy.strategies.registry import parse_entries

FIELD = ("greedy", "random", "miser")


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run of six teams."""
    folder = tmp_path_factory.mktemp("teams") / "run"
    play(folder, *FIELD, boards=8, format_="partners")
    return folder


def test_rows__of_mixed_teams__are_the_matches_of_four_seats(teams):
    """Rotation 0: a's first, b's first, a's second, b's second; rotation 1: sides change seats."""
    rows = rows_of(teams, "greedy & miser", "random & miser")
    assert len(rows) == 16
    entries = parse_entries(["greedy", "random", "miser"])
    greedy, random, miser = (entry.player() for entry in entries)
    for board, rotation in ((0, 0), (5, 0), (5, 1)):
        at = [greedy, random, miser, miser]
        told = play_transcript(Rules(), at, ["g", "r", "m", "m2"], 1, board, rotation)
        order = ["g", "r", "m", "m2"] if rotation == 0 else ["r", "g", "m2", "m"]
        assert told["seats"] == order
        row = rows[(rows["board"] == board) & (rows["rotation"] == rotation)].iloc[0]
        score = [int(row["score_a"]), int(row["score_b"])]
        assert told["score"] == (score if rotation == 0 else score[::-1])


def test_rows__of_teams_of_one_kind__are_those_of_a_round_robin(teams, tmp_path):
    play(tmp_path / "run", "greedy", "random", boards=8)
    alone = rows_of(tmp_path / "run", "greedy", "random").drop(columns=["a", "b"])
    here = rows_of(teams, "greedy & greedy", "random & random").drop(columns=["a", "b"])
    assert here.equals(alone)


def test_rows__engine_and_others_entered__change_nothing(teams, tmp_path):
    other = tmp_path / "run"
    outcome = play(other, "greedy", "random", boards=8, format_="partners", jobs=2, block=3)
    mixed = ("greedy & greedy", "greedy & random")
    assert rows_of(other, *mixed).equals(rows_of(teams, *mixed))
    apart = EngineChoice("processes")
    again = play(tmp_path / "apart", "greedy", "random", boards=8, format_="partners", engine=apart)
    assert again.digest == outcome.digest


def test_extend__one_more_strategy__plays_only_its_teams(tmp_path):
    place = str(tmp_path / "run")
    base = ("tournament", "--matches", "8", "--out", place)
    run_json(*base, "greedy", "random", "--format", "partners")
    parts = {path.name for path in (tmp_path / "run" / "matches").iterdir()}
    assert len(parts) == 3
    run_json("tournament", "--extend", "--out", place, "miser")
    grown = {path.name for path in (tmp_path / "run" / "matches").iterdir()}
    assert parts < grown
    assert len(grown) == 15
    result = CliRunner().invoke(app, ["runs", "check", place])
    assert result.exit_code == 0, result.output


def test_failure__in_a_mixed_team__voids_all_its_teams_and_can_be_replayed(tmp_path):
    bad = write_strategy(tmp_path, "Bad", discard="return -1")
    outcome = play(tmp_path / "run", "greedy", bad, "miser", boards=4, format_="partners")
    assert [failure["strategy"] for failure in outcome.failures] == ["Bad"]
    plan = outcome.plan
    for met, summary in zip(plan.pairings(), outcome.summaries, strict=True):
        void = "Bad" in {plan.names[entry] for entry in plan.seats(met)}
        assert summary.total("boards") == (0 if void else 4)
    assert set(read_rows(tmp_path / "run")["a"]) == {"greedy & greedy", "greedy & miser"}
    evidence = json.loads(Path(outcome.failures[0]["evidence"]).read_text())
    words = shlex.split(evidence["command"])
    assert len([word for word in words[2:] if word in ("greedy", "miser", bad)]) in (2, 4)
    result = CliRunner().invoke(app, words[1:])
    assert result.exit_code == 1
    assert "Bad failed" in result.output


def test_failure__crash_of_one_of_four__is_laid_to_the_nearest_that_is_not_ours(tmp_path):
    """A built-in's own code does not crash: who acted last before it, and is not ours, has."""
    own = write_strategy(tmp_path, "Own")
    run = make_run(tmp_path / "run", "greedy", own, boards=4, format_="partners")
    children = Children(run.job, Limits())
    seats = [run.plan.seats(met) for met in run.pairings]
    assert seats == [(0, 0, 0, 1), (0, 1, 0, 1), (0, 1, 1, 1)]
    for pairing, four in enumerate(seats):
        for player in range(4):
            failure = Failure(player, 0, 1, 0, player ^ 1, "draw", None, "crashed")
            blamed = children._blamed(pairing, failure)
            last = next(k for k in (player, player - 1, player - 2, player - 3) if four[k] == 1)
            assert (blamed.player, blamed.seat) == (last % 4, (last % 4) ^ 1)
            assert (blamed == failure) == (four[player] == 1)
