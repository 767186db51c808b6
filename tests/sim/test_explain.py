"""A match decision by decision: as many as hooks were called, each choice among the legal ones."""

import json

import numpy as np
import pytest
import twin
from small_runs import write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.sim.apart import explain_apart, play_transcript_apart
from persian_rummy.sim.child import Limits
from persian_rummy.sim.explain import explained
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import play_transcript
from persian_rummy.strategies.base import StrategyError
from persian_rummy.strategies.registry import parse_entry

HOOKS = {"draw": "STP", "meld": "=-", "discard": "D"}


def explain(names: list[str], rules: Rules, board: int = 3, rotation: int = 1):
    entries = [parse_entry(name) for name in names]
    players = [entry.player() for entry in entries]
    transcript = play_transcript(rules, players, names, 7, board, rotation)
    return transcript, explained(transcript, entries)


@pytest.mark.parametrize(
    "rules", [Rules(), Rules(top_card="free", last_discard="forbidden"), Rules(bound_in="new_meld")]
)
def test_decisions__are_all_calls_of_hooks_and_every_choice_is_legal(rules):
    names = ["greedy", "random", "hunter", "doubler"]
    transcript, decisions = explain(names, rules)
    players = [parse_entry(name).player() for name in names]
    block = play_boards(rules, players, 7, 3, 1, (1,))
    assert len(decisions) == block.sides["decisions"].sum()
    said = {(deal, text) for deal, d in enumerate(transcript["deals"], 1) for text in d["actions"]}
    for decision in decisions:
        actions = [option["action"] for option in decision["legal"]]
        assert len(set(actions)) == len(actions)
        assert decision["chosen"] in actions
        if decision["hook"] == "draw":
            assert ("S" if decision["saw"]["stock"] else "P") in actions
            assert "" not in actions
        if decision["chosen"]:
            assert decision["chosen"][0] in HOOKS[decision["hook"]]
            assert (decision["deal"], decision["chosen"]) in said
        assert decision["strategy"] == transcript["seats"][decision["seat"]]
        hand = {decision["saw"]["hand"][at : at + 2] for at in range(0, 112, 2)} - {""}
        if decision["hook"] == "discard":
            assert decision["chosen"][1:] in hand


def test_decisions__where_a_bound_card_waits__do_not_offer_to_stop():
    _, decisions = explain(["hunter"] * 4, Rules())
    bound = [d for d in decisions if d["saw"]["bound"]]
    assert len(bound) > 3
    for decision in bound:
        assert decision["hook"] == "meld"
        for option in decision["legal"]:
            assert decision["saw"]["bound"] in option["action"]


@pytest.mark.parametrize("name", ["setter", "sentinel", "feeder"])
def test_ratings__the_choice_is_rated_highest_and_stands_first(name):
    _, decisions = explain([name] * 4, Rules())
    rated = 0
    for decision in decisions:
        ratings = {option["action"]: option["rating"] for option in decision["legal"]}
        numbers = [rating for rating in ratings.values() if rating is not None]
        assert numbers == sorted(numbers, reverse=True)
        if decision["hook"] != "meld":
            assert ratings[decision["chosen"]] == max(numbers)
            rated += 1
    assert rated > 20


def test_rate__of_a_file__is_shown_and_asked_in_a_child(tmp_path):
    rate = "@staticmethod\ndef rate(view, params, action):\n    return params[0] + 0.5"
    more = f"params = (Param('x', 2.0, 0, 9, 'x'),)\n{rate}"
    spec = write_strategy(tmp_path, "Bot", more=more)
    texts = [spec + "[x=3]", "greedy"] * 2
    names = ["Bot", "greedy"] * 2
    transcript = play_transcript_apart(Rules(), texts, names, 1, 0, 0, Limits())
    decisions = explain_apart(transcript, texts, Limits())
    for decision in decisions:
        wanted = {3.5} if decision["strategy"] == "Bot" else {None}
        assert {o["rating"] for o in decision["legal"] if o["action"]} == wanted
    assert {decision["strategy"] for decision in decisions} == {"Bot", "greedy"}


def test_ratings__in_the_other_rotation__are_those_of_who_sits_there(tmp_path):
    """Rotation 1: the first strategy sits at seats 1 and 3."""
    rate = "@staticmethod\ndef rate(view, params, action):\n    return 7.0"
    spec = write_strategy(tmp_path, "Bot", more=rate)
    for rotation, seats in ((0, {0, 2}), (1, {1, 3})):
        _, decisions = explain([spec, "greedy"] * 2, Rules(), rotation=rotation)
        rated = {d["seat"] for d in decisions if d["legal"][0]["rating"] == 7.0}
        assert rated == seats


@pytest.mark.parametrize("rules", [Rules(), Rules(top_card="free"), Rules(bound_in="new_meld")])
def test_decisions__are_those_of_the_twin_by_the_book(rules):
    """It finds where there was a choice, and all that the rules allowed there."""
    transcript, decisions = explain(["random", "hunter"] * 2, rules)
    told = iter(decisions)
    for number, deal in enumerate(transcript["deals"], start=1):
        book = twin.Deal(twin.full_rules(rules.to_dict()), deal["dealer"], deal["deck"].split())
        for text in deal["actions"]:
            for hook, chosen in _asked(book, text):
                decision = next(told)
                assert (decision["deal"], decision["seat"]) == (number, book.seat)
                assert (decision["hook"], decision["chosen"]) == (hook, chosen)
                stop = {""} if hook == "meld" and book.bound is None else set()
                wanted = {action for action in book.legal_actions() if action[0] in HOOKS[hook]}
                assert {option["action"] for option in decision["legal"]} == wanted | stop
                saw = decision["saw"]
                assert saw["pile"].split() == list(book.pile)
                assert saw["counts"] == [len(hand) for hand in book.hands]
                assert saw["stock"] == len(book.stock)
                assert saw["points"] == list(book.melded)
            book.apply(text)
    assert next(told, None) is None


def _asked(book: twin.Deal, action: str) -> list[tuple[str, str]]:
    """Return the (hook, choice) of which an action is the outcome, by docs/strategies.md."""
    legal = book.legal_actions()
    if action[0] in "STP":
        return [("draw", action)] if any(text[0] == "T" for text in legal) else []
    if action[0] in "=-":
        return [("meld", action)]
    asked = [("meld", "")] if any(text[0] in "=-" for text in legal) else []
    return asked + ([("discard", action)] if action[0] == "D" else [])


def test_rate__that_raises__is_told_with_action_and_place(tmp_path):
    rate = "@staticmethod\ndef rate(view, params, action):\n    raise ValueError('boo')"
    spec = write_strategy(tmp_path, "Bot", more=rate)
    result = CliRunner().invoke(app, ["match", "greedy", spec, "--explain"])
    assert result.exit_code == 2
    assert "Bot.rate, asked about " in result.stderr
    assert "raised ValueError: boo" in result.stderr
    assert "on board 0, deal 1" in result.stderr


@pytest.mark.parametrize(
    ("rate", "says"),
    [
        ("def rate(view, params, action):\n    return 1.0", "lacks a static method 'rate'"),
        ("@staticmethod\ndef rate(view, action):\n    return 1.0", "rate takes"),
    ],
)
def test_rate__wrongly_declared__is_refused(tmp_path, rate, says):
    with pytest.raises(StrategyError, match=says):
        parse_entry(write_strategy(tmp_path, "Bot", more=rate))


def test_rate__that_does_not_compile__is_told_with_its_line(tmp_path):
    rate = "@staticmethod\ndef rate(view, params, action):\n    return no_such_name"
    spec = write_strategy(tmp_path, "Bot", more=rate)
    result = CliRunner().invoke(app, ["match", "greedy", spec, "--explain"])
    assert result.exit_code == 2
    assert "Bot.rate does not compile" in result.stderr
    assert "no_such_name" in result.stderr


def test_match_explain__prints_what_it_tells_as_json():
    command = ["match", "setter", "greedy", "--seed", "7", "--board", "3", "--explain"]
    decisions = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    lines = CliRunner().invoke(app, command).stdout.splitlines()
    heads = [line for line in lines if line.startswith("deal ")]
    assert len(heads) == len(decisions) > 30
    first = decisions[0]
    assert heads[0] == (
        f"deal 1, turn {first['turn']}, seat {first['seat']} {first['strategy']}: {first['hook']}"
    )
    assert lines[1].startswith(f"  hand   {first['saw']['hand']}")
    marked = [line for line in lines if line.startswith("  > ")]
    assert len(marked) == len(decisions)
    chosen = [d["chosen"] or "no more melds" for d in decisions]
    assert [line[4:20].strip() for line in marked] == [text[:16] for text in chosen]
    assert np.isfinite([o["rating"] for d in decisions for o in d["legal"] if o["rating"]]).all()
