"""The figures of a profile, beside those that somebody else counts."""

import json

import pytest
from small_runs import write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.sim import profile as profile_module
from persian_rummy.sim.profile import MEASURES, profile
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import StrategyFailedError, play_transcript
from persian_rummy.strategies.registry import parse_entry

DEAL = {
    "dealer": 0,
    "actions": [
        *("S", "DKS"),  # seat 1 throws ten points ...
        *("TKS", "=KCKDKS", "D2C"),  # ... and seat 2 takes them
        *("S", "-5H6H7H", "D3C"),  # seat 3
        *("S", "DAS"),  # seat 0
        *("TAS", "=ACADAS", "D*C"),  # seat 1 lays at its second turn
        *("S", "D4C"),
        *("S", "=9C9D9H"),  # seat 3 goes out
    ],
}


def told(rotation: int) -> dict[str, float]:
    match = {"rotation": rotation, "deals": [DEAL]}
    return profile_module._told([match], Rules())


def test_told__a_deal_worked_out_by_hand__has_the_figures():
    """Rotation 1: the strategy sits at seats 1 and 3; rotation 0: at 0 and 2."""
    assert told(1) == {
        "first play": pytest.approx((2 + 1) / 2),
        "thrown": pytest.approx((10 + 3 + 20) / 3),
        "thrown and taken": pytest.approx(100 / 3),
    }
    assert told(0) == {
        "first play": 1,  # seat 2; seat 0 never lays
        "thrown": pytest.approx((2 + 15 + 4) / 3),
        "thrown and taken": pytest.approx(100 / 3),
    }


def test_profile__what_the_kernel_counts__is_what_the_transcripts_say():
    boards, rules = 10, Rules()
    hunter, greedy = parse_entry("hunter"), parse_entry("greedy")
    found = profile(hunter, greedy, rules, 3, boards)
    players, names = [hunter.player(), greedy.player()] * 2, ["hunter", "greedy"] * 2
    takes = stock = outs = deals = taken = 0
    plays = dict.fromkeys(("sets", "runs", "lay-offs", "doubles"), 0)
    for board in range(boards):
        for rotation in (0, 1):
            match = play_transcript(rules, players, names, 3, board, rotation)
            for deal in match["deals"]:
                deals += 1
                turns = list(profile_module._turns(deal))
                pile = [deal["deck"].split()[28]]
                for seat, actions in turns:
                    mine = match["seats"][seat] == "hunter"
                    if actions[0][0] == "T":
                        depth = len(pile) - pile.index(actions[0][1:])
                        del pile[-depth:]
                        taken += mine * depth
                    if actions[-1][0] == "D":
                        pile.append(actions[-1][1:])
                    if mine:
                        takes += actions[0][0] == "T"
                        stock += actions[0] == "S"
                        for text in actions:
                            cards = (len(text) - 1) // 2
                            if text[0] == "=" and cards >= 3:
                                plays["sets"] += 1
                                plays["doubles"] += cards == 4
                            elif text[0] in "=-":
                                plays["runs" if cards >= 3 else "lay-offs"] += 1
                seat, last = turns[-1]
                outs += match["seats"][seat] == "hunter" and last[-1][0] in "=-"
    assert found["takes"] == pytest.approx(100 * takes / (takes + stock))
    assert found["cards a take"] == pytest.approx(taken / takes)
    for name, number in plays.items():
        assert found[name] == pytest.approx(number / (2 * boards)), name
    assert found["went out"] == pytest.approx(100 * outs / deals)
    assert [measure.name for measure in MEASURES] == list(found)
    assert all(0 < found[f"{hook} hook"] < 1e6 for hook in ("draw", "meld", "discard"))


def test_profile__nothing_to_count__is_none(tmp_path):
    """The dull strategy never takes the pile, and never lays a card."""
    dull = parse_entry(write_strategy(tmp_path, "Dull"))
    found = profile(dull, parse_entry("random"), Rules(), 1, 4)
    assert found["takes"] == 0
    assert found["cards a take"] is None
    assert found["first play"] is None
    assert found["sets"] == 0


def test_profile__a_strategy_that_fails__is_said(tmp_path):
    bad = parse_entry(write_strategy(tmp_path, "Bad", discard="return -1"))
    with pytest.raises(StrategyFailedError, match="Bad failed: discard answered -1"):
        profile(bad, parse_entry("random"), Rules(), 1, 4)
    result = CliRunner().invoke(app, ["strategies", "profile", "greedy", "--against", bad.text])
    assert result.exit_code == 2
    assert "Bad failed: discard answered -1" in result.stderr


@pytest.mark.long
def test_command__json_and_table__hold_all_measures():
    command = ["strategies", "profile", "hunter", "--boards", "20"]
    found = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert next(iter(found)) == "hunter"
    assert {"greedy", "random", "setter"} <= set(found)
    printed = CliRunner().invoke(app, command, env={"COLUMNS": "160"}).stdout
    for measure in MEASURES:
        assert measure.name in printed
        assert set(found["hunter"]) == {measure.name for measure in MEASURES}
    assert f"{found['hunter']['takes']:.4g}" in printed
