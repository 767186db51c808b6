"""A good transcript with one random change: refused with TranscriptError, or good still."""

import copy
import json
from pathlib import Path
from typing import Any

import twin
from hypothesis import given, settings
from hypothesis import strategies as st

from persian_rummy.sim.transcript import TranscriptError, check_transcript

FILE = Path(__file__).parents[1] / "data" / "transcripts.jsonl"
GOOD = [json.loads(line) for line in FILE.read_text().splitlines()]

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 60),
    st.floats(),
    st.sampled_from(["", "S", "P", "K", "D2C", "T7H", "=7C7D7H", "-5H6H7H", "2C", "free"]),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.sampled_from(["deals", "jokers", "dealer"]), st.integers(0, 4), max_size=1),
)


def mutate(value: Any, draw: Any) -> Any:
    """Return a value with one random place of it changed, removed, doubled or swapped."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw(st.sampled_from(keys))
    inner = value[key]
    if isinstance(inner, list | dict) and inner and draw(st.integers(0, 5)):
        mutate(inner, draw)
        return value
    change = draw(st.sampled_from(["junk", "remove", "swap", "double", "near"]))
    other = draw(st.sampled_from(keys))
    if change == "remove":
        del value[key]
    elif change == "swap":
        value[key], value[other] = value[other], inner
    elif change == "double" and isinstance(value, list):
        value.insert(other, inner)
    elif change == "near" and isinstance(inner, int | str):
        value[key] = inner + 1 if isinstance(inner, int) else inner.replace("S", "H", 1)
    else:
        value[key] = draw(JUNK)
    return value


@given(st.data(), st.integers(0, len(GOOD) - 1))
@settings(max_examples=200)
def test_transcript__any_mutation__is_refused_or_still_valid(data, number):
    transcript = mutate(copy.deepcopy(GOOD[number]), data.draw)
    try:
        score = check_transcript(transcript)
    except TranscriptError:
        return
    assert twin.check_transcript(transcript) == score  # and then it is legal for the twin as well


def test_mutations__fixed_sample__both_hold_and_fail():
    """The fuzz is no use if every change is refused (or none)."""
    outcomes = set()
    for change in ({"seats": list("abcd")}, {"extra": 1}, {"score": [0, 0]}, {"deals": []}):
        try:
            check_transcript(GOOD[0] | change)
            outcomes.add((next(iter(change)), "holds"))
        except TranscriptError:
            outcomes.add((next(iter(change)), "refused"))
    assert outcomes == {
        ("seats", "holds"),
        ("extra", "holds"),
        ("score", "refused"),
        ("deals", "refused"),
    }
