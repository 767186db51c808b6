"""A match decision by decision: what each strategy saw, what it could do, what it thought of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..strategies.registry import Entry
from .ask import describe
from .cards import card_text, mask_text
from .errors import PrummyError
from .match import raised
from .notation import action_text
from .questions import NO_MELD, alternatives, questions
from .state import NO_CARD
from .view import HOOK_NAMES


class RateError(PrummyError):
    """A strategy's ``rate`` that raised; the message says what, and about which action."""


def explained(transcript: dict[str, Any], entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the decisions of a match in order, ready for JSON.

    A decision is where a hook was asked: ``deal`` and ``turn`` (from 1), ``seat``, ``strategy``,
    ``hook``; ``saw``, the view in words of RULES section 7; ``legal``, a list of ``{"action",
    "rating"}``, the best rated first (None where the strategy does not say); ``chosen``. The action
    "" is to lay nothing more.

    Parameters
    ----------
    transcript
        Of a match that these strategies played.
    entries
        Four, by seat in rotation 0.
    """
    rotation = transcript.get("rotation", 0)
    raters = [entries[seat ^ rotation].rater() for seat in range(4)]
    found = []
    for question in questions(transcript):
        seat = int(question["seat"])
        options = alternatives(question)
        rate = raters[seat]
        legal = []
        for action in options:
            try:
                legal.append((_text(action), _rated(rate, question, action)))
            except Exception as error:  # somebody's own
                who = f"{transcript['seats'][seat]}.rate, asked about {_text(action)}"
                raise RateError(f"{who}: {raised(error)} ({describe(question)})") from None
        legal.sort(key=lambda option: np.inf if option[1] is None else -option[1])
        found.append(
            {
                "deal": int(question["deal"]) + 1,
                "turn": int(question["table"]["turns"]) + 1,
                "seat": seat,
                "strategy": transcript["seats"][seat],
                "hook": HOOK_NAMES[int(question["hook"])],
                "saw": _seen(question["table"]),
                "legal": [{"action": text, "rating": rating} for text, rating in legal],
                "chosen": _text(question["action"]),
            }
        )
    return found


def _rated(rate: Any, question: Any, action: np.uint64) -> float | None:
    """Return what a strategy says of an action; None where it does not rate it."""
    if rate is None or action == NO_MELD:
        return None
    rating = float(rate(question["table"], action))
    return rating if np.isfinite(rating) else None


def _text(action: np.uint64) -> str:
    return "" if action == NO_MELD else action_text(action)


def _seen(view: Any) -> dict[str, Any]:
    """Return what a view tells."""
    others = [seat for seat in range(4) if seat != view["seat"] and view["known"][seat]]
    bound = int(view["bound"])
    return {
        "hand": mask_text(int(view["hand"])),
        "sets": mask_text(int(view["sets_mask"])),
        "runs": mask_text(int(view["runs_mask"])),
        "pile": " ".join(card_text(int(card)) for card in view["pile"][: view["pile_size"]]),
        "stock": int(view["stock_size"]),
        "counts": view["counts"].tolist(),
        "known": {str(seat): mask_text(int(view["known"][seat])) for seat in others},
        "points": view["points"].tolist(),
        "bound": None if bound == NO_CARD else card_text(bound),
    }
