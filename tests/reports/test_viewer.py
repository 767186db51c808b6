"""The match viewer's data: moving the cards that it names gives the positions of the rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from persian_rummy.reports.viewer import TITLES, as_json, script, watched
from persian_rummy.sim.cards import cards_of
from persian_rummy.sim.deal import hand_of
from persian_rummy.sim.exemplars import EXEMPLARS
from persian_rummy.sim.transcript import TranscriptError, replay

TRANSCRIPTS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "transcripts.jsonl").read_text().splitlines()
]


def moved(deal: dict[str, Any], count: int) -> dict[str, Any]:
    """Return the position after some steps of a deal of the viewer, by moving cards alone."""
    hands = [set(hand) for hand in deal["hands"]]
    pile, stock = list(deal["pile"]), deal["stock"]
    table: dict[str, set[int]] = {"=": set(), "-": set()}
    for seat, letter, cards, *_ in deal["steps"][:count]:
        stock -= letter == "S"
        if letter == "T":
            assert pile[-len(cards) :] == cards
            del pile[-len(cards) :]
        if letter in "ST":
            hands[seat] |= set(cards)
        else:
            assert set(cards) <= hands[seat]
            hands[seat] -= set(cards)
        if letter == "D":
            pile += cards
        if letter in table:
            table[letter] |= set(cards)
    return {"hands": hands, "pile": pile, "stock": stock, "sets": table["="], "runs": table["-"]}


@pytest.mark.parametrize("place", range(0, len(TRANSCRIPTS), max(1, len(TRANSCRIPTS) // 12)))
def test_watched__every_position__is_that_of_the_rules(place):
    transcript = TRANSCRIPTS[place]
    shown = watched(transcript)
    assert [deal["score"] for deal in shown["deals"]] == [d["score"] for d in transcript["deals"]]
    for step in replay(transcript):
        deal, table, hidden = shown["deals"][step.deal], step.table[0], step.hidden[0]
        position = moved(deal, step.index)
        hands = [set(cards_of(int(hand_of(table, hidden, seat)))) for seat in range(4)]
        assert position["hands"] == hands
        pile = [int(card) for card in table["pile"][: int(table["pile_size"])]]
        assert (position["pile"], position["stock"]) == (pile, int(table["stock_size"]))
        assert position["sets"] == set(cards_of(int(table["sets_mask"])))
        assert position["runs"] == set(cards_of(int(table["runs_mask"])))
        if step.index:
            seat, _, _, words, *points, turn = deal["steps"][step.index - 1]
            assert points == [int(value) for value in table["points"]]
            assert words
            assert 0 <= seat < 4
            assert turn >= int(table["turns"])
    assert all(deal["end"] for deal in shown["deals"])


def test_watched__a_transcript_that_does_not_hold__is_refused():
    wrong = json.loads(json.dumps(TRANSCRIPTS[0]))
    wrong["deals"][0]["score"][0] += 1
    with pytest.raises(TranscriptError, match=r"deals\[0\]\.score"):
        watched(wrong)


def test_as_json__hostile_names__cannot_end_the_script_element():
    names = ["</script><script>x()", "<!--", "a\u2028b", "&amp;"]
    text = as_json([{"seats": names}])
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == [{"seats": names}]


def test_titles__of_all_exemplars():
    assert list(TITLES) == list(EXEMPLARS)


def test_script__hash__is_that_of_its_text():
    import base64
    import hashlib

    text, digest = script()
    wanted = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert digest == f"'sha256-{wanted}'"
