"""The match viewer: transcripts as what a page needs to show them step by step.

The page moves cards and nothing else: which ones, whose turn it is, the points and the words all
come from here, by `sim.transcript.replay`, which checks every action.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from ..sim.cards import cards_of
from ..sim.deal import apply_action, hand_of
from ..sim.melds import STOCK, TAKE
from ..sim.notation import action_cards, action_kind, action_text
from ..sim.state import PLAYING
from ..sim.transcript import replay
from .narrate import action_words, end_words

TITLES = {
    "upset": "Biggest upset",
    "closest": "Closest match",
    "median": "A median match",
    "longest": "Longest match",
    "highest": "Highest score",
    "floater": "Most floats",
    "jokers": "Four jokers at once",
}
"""What the exemplars of `sim.exemplars` are called."""


def watched(transcript: dict[str, Any]) -> dict[str, Any]:
    """Return a match for the viewer; raises TranscriptError where the transcript does not hold.

    ``"deals"``: for each the dealer, ``"hands"`` (card ids of the four seats), ``"pile"``,
    ``"stock"`` (how many), ``"steps"``, ``"end"`` (words) and ``"score"``. A step is [seat, letter
    of the action (RULES section 7), ids of the cards that move, words, points of team 0 and of
    team 1 on the table, turn]: S moves a card from the stock to the hand, T from the pile to the
    hand, = and - from the hand to the table, D from the hand to the pile.
    """
    deals: list[dict[str, Any]] = []
    for step in replay(transcript):
        table, hidden = step.table[0], step.hidden[0]
        if step.index == 0:
            deals.append(
                {
                    "dealer": int(table["dealer"]),
                    "hands": [cards_of(int(hand_of(table, hidden, seat))) for seat in range(4)],
                    "pile": [int(table["pile"][0])],
                    "stock": int(table["stock_size"]),
                    "steps": [],
                    "end": "",
                    "score": transcript["deals"][step.deal]["score"],
                }
            )
        seat, turn = int(table["seat"]), int(table["turns"]) + 1
        after, hidden_after = step.table.copy(), step.hidden.copy()
        apply_action(after[0], hidden_after[0], step.action)
        moved = _moved(step.action, table, hidden, after[0])
        points = [int(value) for value in after[0]["points"]]
        words = action_words(step, after[0])
        letter = action_text(step.action)[0]
        deals[-1]["steps"].append([seat, letter, moved, words, *points, turn])
        if after[0]["status"] != PLAYING:
            deals[-1]["end"] = end_words(after[0])
    told = {key: transcript.get(key) for key in ("seats", "score", "seed", "board", "rotation")}
    kind = transcript.get("exemplar")
    return {**told, "id": kind or "match", "title": TITLES.get(kind or "", ""), "deals": deals}


def _moved(action: np.uint64, table: Any, hidden: Any, after: Any) -> list[int]:
    """Return the ids of the cards that an action moves."""
    kind = action_kind(action)
    if kind == STOCK:
        return [int(hidden["deck"][int(hidden["next_card"])])]
    if kind == TAKE:
        return [
            int(card) for card in table["pile"][int(after["pile_size"]) : int(table["pile_size"])]
        ]
    return action_cards(action)


def as_json(matches: Sequence[dict[str, Any]]) -> str:
    """Return matches as JSON that may stand in a script element, whatever the names in it."""
    text = json.dumps(list(matches), separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def script() -> tuple[str, str]:
    """Return the script of a page, and its hash as a content security policy names it."""
    text = files(__package__).joinpath("templates/report.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return text, f"'sha256-{digest}'"
