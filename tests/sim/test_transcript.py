"""Transcripts: good ones hold, and each kind of fault is refused with its line or field."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import twin

from persian_rummy.sim.transcript import (
    TranscriptError,
    check_transcript,
    parse_transcripts,
    replay,
)

FILE = Path(__file__).parents[1] / "data" / "transcripts.jsonl"
LINES = FILE.read_text().splitlines()
GOOD = [json.loads(line) for line in LINES]
DECK = GOOD[0]["deals"][0]["deck"]
ACTIONS = GOOD[0]["deals"][0]["actions"]
MISSING = object()


def changed(path: str, value: Any, number: int = 0) -> dict[str, Any]:
    """Return a good transcript with the value at a path (`deals.0.score`) changed or removed."""
    transcript = copy.deepcopy(GOOD[number])
    *outer, last = [int(word) if word.isdigit() else word for word in path.split(".")]
    place = transcript
    for word in outer:
        place = place[word]
    if value is MISSING:
        del place[last]
    else:
        place[last] = value
    return transcript


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_file__is_the_whole():
    assert len(LINES) == 23
    assert sum(len(deal["actions"]) for good in GOOD for deal in good["deals"]) == 5148


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_good_transcript__holds(line):
    ((number, transcript),) = parse_transcripts([line])
    assert number == 1
    score = check_transcript(transcript)
    totals = [sum(deal["score"][team] for deal in transcript["deals"]) for team in (0, 1)]
    assert score == totals == json.loads(line)["score"]
    assert twin.check_transcript(transcript) == score


def test_replay__second_deal__knows_the_points_of_the_first():
    steps = list(replay(GOOD[0]))
    assert [step.deal for step in steps] == [0] * 79 + [1] * 90
    assert [step.index for step in steps] == [*range(79), *range(90)]
    assert list(steps[-1].table["match_points"][0]) == [216, 76]
    assert steps[-1].table["deal"][0] == 1


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("format", "persian-rummy", "format: 'persian-rummy' is not"),
        ("format", MISSING, "format: missing"),
        ("format", 1, "format: 1 is not text"),
        ("version", 2, "version: 2 is not 1"),
        ("version", 1.0, "version: 1.0 is not a whole number"),
        ("version", True, "version: True is not a whole number"),
        ("version", "1", "version: '1' is not"),
        ("version", MISSING, "version: missing"),
        ("rules", MISSING, "rules: missing"),
        ("rules", [], "rules: .* is not an object"),
        ("rules", {"min_runs": 4}, "rules: unknown rule 'min_runs'"),
        ("rules", {"min_run": 6}, "rules: rule min_run: 6"),
        ("rules", {"min_run": 3.0}, "rules: rule min_run: 3.0"),
        ("rules", {"jokers": 4.0}, "rules: rule jokers: 4.0"),
        ("rules", {"double_jokers": 1}, "rules: rule double_jokers: 1"),
        ("rules", {"out_bonus": 25.0}, "rules: rule out_bonus: 25.0"),
        ("rules", {"points": {"2": 2}}, "rules: rule points: the table lacks"),
        ("rules", {"deals": 3}, "deals: there are 2, the rules say 3"),
        ("rules", {"jokers": 0}, r"deals\[0\].deck: a deck has 52 cards"),
        ("seats", MISSING, "seats: missing"),
        ("seats", "abcd", "seats: 'abcd' is not a list"),
        ("seats", ["a", "b", "c"], "seats: not four names"),
        ("seats", ["a", "b", "c", "d", "e"], "seats: not four names"),
        ("seats", ["a", "b", "c", 4], "seats: not four names"),
        ("seats", ["a", "b", "c", ""], "seats: not four names"),
        ("seats", ["a", "b", "c", None], "seats: not four names"),
        ("deals", MISSING, "deals: missing"),
        ("deals", {}, "deals: {} is not a list"),
        ("deals", [], "deals: there are 0, the rules say 2"),
        ("deals", GOOD[0]["deals"][:1], "deals: there are 1, the rules say 2"),
        ("deals", GOOD[0]["deals"] * 2, "deals: there are 4, the rules say 2"),
        ("deals", GOOD[0]["deals"][::-1], r"deals\[1\].dealer: the deal passes to the left"),
        ("deals", [GOOD[0]["deals"][0]] * 2, r"deals\[1\].dealer: the deal passes to the left"),
        ("deals.1", None, r"deals\[1\]: a deal is a JSON object"),
        ("deals.0.dealer", MISSING, r"deals\[0\].dealer: missing"),
        ("deals.0.dealer", 4, r"deals\[0\].dealer: 4 is not a seat"),
        ("deals.0.dealer", -1, r"deals\[0\].dealer: -1 is not a seat"),
        ("deals.0.dealer", 3.0, r"deals\[0\].dealer: 3.0 is not a whole number"),
        ("deals.0.dealer", False, r"deals\[0\].dealer: False is not a whole number"),
        ("deals.0.dealer", 2, r"deals\[0\].score: \[216, 76\] is wrong, it is \[76, 216\]"),
        ("deals.1.dealer", 3, r"deals\[1\].dealer: the deal passes to the left"),
        ("deals.0.deck", MISSING, r"deals\[0\].deck: missing"),
        ("deals.0.deck", DECK.split(), r"deals\[0\].deck: .* is not text"),
        ("deals.0.deck", "", r"deals\[0\].deck: "),
        ("deals.0.deck", DECK.replace("7D", "TS"), r"deals\[0\].deck: TS is in the deck twice"),
        ("deals.0.deck", DECK + " 7D", r"deals\[0\].deck: .* this one 57"),
        ("deals.0.deck", DECK[3:], r"deals\[0\].deck: .* this one 55"),
        ("deals.0.deck", DECK.replace("7D", "1D"), r"deals\[0\].deck: '1D' is not a card"),
        ("deals.0.actions", MISSING, r"deals\[0\].actions: missing"),
        ("deals.0.actions", "S", r"deals\[0\].actions: 'S' is not a list"),
        ("deals.0.actions", [], r"deals\[0\].actions: the deal is not over"),
        ("deals.0.actions", ACTIONS[:-1], r"deals\[0\].actions: the deal is not over"),
        ("deals.0.actions", [*ACTIONS, "S"], r"deals\[0\].actions\[79\]: S .*the deal is over"),
        ("deals.0.actions.3", 5, r"deals\[0\].actions\[3\]: 5 is not text"),
        ("deals.0.actions.3", None, r"deals\[0\].actions\[3\]: None is not text"),
        ("deals.0.actions.3", "", r"deals\[0\].actions\[3\]: '' is not an action"),
        ("deals.0.actions.1", "=6S6H6C", r"actions\[1\]: '=6S6H6C': cards stand in ascending"),
        ("deals.0.actions.0", "D7D", r"actions\[0\]: D7D is illegal: .*RULES section 5\)"),
        ("deals.0.actions.0", "P", r"actions\[0\]: P is illegal: .*RULES section 5.4\)"),
        ("deals.0.actions.0", "T2C", r"actions\[0\]: T2C is illegal: .*RULES section 5.1\)"),
        ("deals.0.actions.1", "=6C6H6D", r"actions\[1\]: '=6C6H6D': cards stand in asc"),
        ("deals.0.actions.1", "=6C6H", r"actions\[1\]: =6C6H is illegal: .*RULES section 4\)"),
        ("deals.0.actions.1", "-6C6H6S", r"actions\[1\]: -6C6H6S is illegal: .*section 4\)"),
        ("deals.0.actions.1", "K", r"actions\[1\]: K is illegal: .*RULES section 8\)"),
        ("deals.0.score", [216, 77], r"deals\[0\].score: \[216, 77\] is wrong, it is \[216, 76\]"),
        ("deals.0.score", [216.0, 76.0], r"deals\[0\].score: .* is wrong"),
        ("deals.0.score", ["216", "76"], r"deals\[0\].score: .* is wrong"),
        ("deals.0.score", [216], r"deals\[0\].score: .* is wrong"),
        ("deals.0.score", [216, 76, 0], r"deals\[0\].score: .* is wrong"),
        ("deals.0.score", 216, r"deals\[0\].score: 216 is not a list"),
        ("deals.0.score", MISSING, r"deals\[0\].score: missing"),
        ("score", [176, 377], r"score: \[176, 377\] is wrong, it is \[377, 176\]"),
        ("score", [377, 176.0], "score: .* is wrong"),
        ("score", [377, True], "score: .* is wrong"),
        ("score", [377, float("nan")], "score: .* is wrong"),
        ("score", MISSING, "score: missing"),
        ("score", None, "score: None is not a list"),
    ],
)
def test_bad_transcript__each_fault__is_named_with_its_field(path, value, field):
    transcript = changed(path, value)
    with pytest.raises(TranscriptError, match=rf"^(deals\[0\]\.(?!deals))?{field}"):
        check_transcript(transcript)
    with pytest.raises(ValueError, match=r"."):
        twin.check_transcript(transcript)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        ("seed", -1, "seed: -1 is not from 0"),
        ("seed", 2**64, "seed: 18446744073709551616 is not from 0"),
        ("seed", 7.0, "seed: 7.0 is not a whole number"),
        ("board", True, "board: True is not a whole number"),
        ("rotation", 2, "rotation: 2 is not from 0 to 1"),
        ("rules", {"four_multiplier": 10**40}, "rules: rule four_multiplier: "),
    ],
)
def test_bad_transcript__what_the_twin_does_not_look_at__is_named_too(path, value, field):
    with pytest.raises(TranscriptError, match=f"^{field}"):
        check_transcript(changed(path, value))


def test_good_transcript__with_its_seed__holds():
    for path, value in (("seed", 2**64 - 1), ("board", 2**63 - 1), ("rotation", 1)):
        assert check_transcript(changed(path, value)) == [377, 176]


@pytest.mark.parametrize("path", ["format", "rules", "seats", "score", "deals.0.score", "seed"])
def test_bad_transcript__nested_to_the_limit__is_an_error_of_its_own(path):
    for depth in (*range(800, 1000, 3), 20_000):
        with pytest.raises(TranscriptError):
            check_transcript(changed(path, nested(depth)))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "line 1: the file holds no transcript"),
        (["", "  \n"], "line 1: the file holds no transcript"),
        (["{"], "line 1: not JSON"),
        ([LINES[0], "", "nonsense"], "line 3: not JSON"),
        ([LINES[0][:-1]], "line 1: not JSON"),
        ([LINES[0] + LINES[1]], "line 1: not JSON"),
        (["[]"], "line 1: a transcript is a JSON object"),
        (["null"], "line 1: a transcript is a JSON object"),
        ([LINES[0], '"text"'], "line 2: a transcript is a JSON object"),
        (['{"score": ' + "[" * 100_000], "line 1: not JSON"),
        (['{"score": ' + "1" * 5000 + "}"], "line 1: not JSON"),
        (["\ufeff" + LINES[0]], "line 1: not JSON"),
    ],
)
def test_lines__malformed__are_named(lines, message):
    with pytest.raises(TranscriptError, match=message):
        list(parse_transcripts(lines))


def test_lines__blank_ones_between__are_skipped_but_counted():
    parsed = list(parse_transcripts([LINES[0], "\n", LINES[1]]))
    assert parsed == [(1, GOOD[0]), (3, GOOD[1])]
