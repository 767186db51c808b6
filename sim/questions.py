"""What the strategies of a match were asked: each call of a hook, read off its transcript."""

from typing import Any

import numpy as np

from .ask import QUESTION_DTYPE
from .deal import MAX_ACTIONS, legal_actions
from .melds import CARDS_MASK, DISCARD, KIND_SHIFT, PASS, RUN, SET, STOCK
from .seeds import match_key, seat_key
from .state import DRAWING
from .transcript import replay
from .view import DRAW_PASS, DRAW_STOCK, NOTHING, pile_index

DRAW, MELD, DISCARD_HOOK = range(3)
NO_MELD = np.uint64(2**64 - 1)
"""The action that stands for the answer `NOTHING` of the hook meld, which is none of the game."""


def questions(transcript: dict[str, Any]) -> np.ndarray:
    """Return the questions of a match (QUESTION_DTYPE) in the order in which they were asked.

    A hook is asked only where there is a choice. `stream` is right where the transcript says from
    which seed and board it was played; `match` is the board.

    Raises
    ------
    TranscriptError
        Where the transcript does not hold.
    """
    seed, board, rotation = (transcript.get(name, 0) for name in ("seed", "board", "rotation"))
    key = np.uint64(match_key(np.uint64(seed), board, rotation))
    found = []
    for step in replay(transcript):
        for hook, answer in _asked(step.table[0], step.action):
            question = np.zeros(1, QUESTION_DTYPE)
            seat = int(step.table["seat"][0])
            question["match"], question["deal"], question["seat"] = board, step.deal, seat
            question["hook"], question["answer"] = hook, answer
            skipped = hook == MELD and answer == NOTHING
            question["action"] = NO_MELD if skipped else step.action
            question["stream"] = seat_key(key, step.deal, seat)
            question["table"], question["hidden"] = step.table, step.hidden
            found.append(question)
    return np.concatenate(found) if found else np.zeros(0, QUESTION_DTYPE)


def _asked(table: Any, action: np.uint64) -> list[tuple[int, int]]:
    """Return the calls (hook, answer) that led to an action."""
    kind, card = int(action >> KIND_SHIFT), int(action & CARDS_MASK).bit_length() - 1
    if table["phase"] == DRAWING:
        if table["takeable"] == 0:
            return []
        if kind in (STOCK, PASS):
            return [(DRAW, DRAW_STOCK if kind == STOCK else DRAW_PASS)]
        return [(DRAW, int(pile_index(table, card)))]
    if kind in (SET, RUN):
        return [(MELD, int(action))]
    asked = [(MELD, NOTHING)] if table["playable"] != 0 else []
    if kind == DISCARD:
        asked.append((DISCARD_HOOK, card))
    return asked


def alternatives(question: Any) -> list[np.uint64]:
    """Return the actions that the rules allow where a question was asked, `NO_MELD` among them."""
    actions = np.zeros(MAX_ACTIONS, np.uint64)
    n = legal_actions(question["table"], actions)
    discards = [action for action in actions[:n] if int(action >> KIND_SHIFT) == DISCARD]
    others = [action for action in actions[:n] if int(action >> KIND_SHIFT) != DISCARD]
    if question["hook"] == DISCARD_HOOK:
        return discards
    if question["hook"] == MELD and question["table"]["bound"] < 0:
        return [*(a for a in others if int(a >> KIND_SHIFT) in (SET, RUN)), NO_MELD]
    return others
