"""The core and its twin play one deal side by side; any difference is an AssertionError.

Every message ends with the position as an object of perft.json, so that it can be replayed.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import twin

from persian_rummy.sim.cards import TEXTS, mask_of, pack, parse_card
from persian_rummy.sim.deal import (
    MAX_ACTIONS,
    apply_action,
    deal_score,
    hand_of,
    legal_actions,
    start_deal,
    why_illegal,
)
from persian_rummy.sim.invariants import points_are_conserved, state_is_ok
from persian_rummy.sim.notation import action_text, parse_action
from persian_rummy.sim.reasons import LEGAL, REASONS
from persian_rummy.sim.rules import rules_from_dict
from persian_rummy.sim.state import CUT_OFF, EXHAUSTED, PLAYING, WENT_OUT, new_state

SEATS = range(4)


def shuffled(rng: Random, jokers: int) -> list[str]:
    """Return the texts of a shuffled pack."""
    deck = [TEXTS[card] for card in pack(jokers)]
    rng.shuffle(deck)
    return deck


def gather(deck: list[str], rank: str, place: int) -> None:
    """Bring the four cards of a rank into one hand: deal them to the player at a place."""
    for round_, card in enumerate(card for card in tuple(deck) if card[0] == rank):
        here, there = deck.index(card), place + 4 * round_
        deck[here], deck[there] = deck[there], deck[here]


def mask(cards: set[str] | list[str]) -> int:
    """Return the mask of card texts."""
    return mask_of(parse_card(card) for card in cards)


class _Twin(twin.Deal):
    """The twin, which finds the legal actions of a position once only: it is slow."""

    _found: list[str] | None = None

    def legal_actions(self) -> list[str]:
        if self._found is None:
            self._found = super().legal_actions()
        return self._found

    def apply(self, action: str) -> None:
        super().apply(action)
        self._found = None


class Pair:
    """One deal in the core and in the twin."""

    def __init__(self, rules: dict[str, Any], dealer: int, deck: list[str]) -> None:
        self.start = {"rules": rules, "dealer": dealer, "deck": " ".join(deck)}
        self.after: list[str] = []
        self.twin = _Twin(rules, dealer, deck)
        self._arrays = new_state(rules_from_dict(rules))  # records do not keep them alive
        self.table, self.hidden = self._arrays[0][0], self._arrays[1][0]
        cards = np.array([parse_card(card) for card in deck], np.uint8)
        start_deal(self.table, self.hidden, cards, dealer)
        self._buffer = np.zeros(MAX_ACTIONS, np.uint64)
        self.discarded: list[list[str]] = [[], [], [], []]
        self.pile_by = [4]
        self.legal = self.check()

    def legal_texts(self) -> list[str]:
        """Return the core's legal actions as sorted texts."""
        n = legal_actions(self.table, self._buffer)
        return sorted(action_text(action) for action in self._buffer[:n])

    def apply(self, text: str) -> None:
        """Play an action in both, and compare all there is."""
        self._book(text)
        self.twin.apply(text)
        apply_action(self.table, self.hidden, parse_action(text))
        self.after.append(text)
        self.legal = self.check()

    def _book(self, text: str) -> None:
        """Keep the records of who discarded what, which the twin does not."""
        if text[0] == "D":
            self.discarded[self.twin.seat].append(text[1:])
            self.pile_by.append(self.twin.seat)
        elif text[0] == "T":
            del self.pile_by[self.twin.pile.index(text[1:]) :]

    def check(self) -> list[str]:
        """Compare the position, the legal actions and, at the end, the score; return the legal."""
        legal = self.twin.legal_actions()
        ours, its = self._core_position(), self._twin_position()
        for name in its:
            assert ours[name] == its[name], self._difference(name, ours[name], its[name])
        assert self.legal_texts() == legal, self._difference("legal", self.legal_texts(), legal)
        assert state_is_ok(self.table, self.hidden), self._difference("state_is_ok", False, True)
        conserved = points_are_conserved(self.table, self.hidden)
        assert conserved, self._difference("points_are_conserved", False, True)
        if self.twin.over:
            score = [deal_score(self.table, self.hidden, team) for team in (0, 1)]
            assert score == self.twin.score(), self._difference("score", score, self.twin.score())
        return legal

    def check_reason(self, text: str) -> None:
        """Compare whether the core and the legal actions call an action legal."""
        code = why_illegal(self.table, parse_action(text))
        right = text in self.legal
        assert (code == LEGAL) == right, self._difference(f"why_illegal({text})", code, right)
        assert code == LEGAL or code in REASONS, self._difference("code", code, "one of REASONS")

    def _core_position(self) -> dict[str, Any]:
        table, hidden = self.table, self.hidden
        size, stock_at = table["pile_size"], hidden["next_card"]
        return {
            "hands": [int(hand_of(table, hidden, seat)) for seat in SEATS],
            "pile": [TEXTS[card] for card in table["pile"][:size]],
            "pile_by": list(table["pile_by"][:size]),
            "pile_mask": int(table["pile_mask"]),
            "beneath": [int(table["beneath"][card]) for card in table["pile"][:size]],
            "stock": [
                TEXTS[card] for card in hidden["deck"][stock_at : stock_at + table["stock_size"]]
            ],
            "sets": int(table["sets_mask"]),
            "runs": int(table["runs_mask"]),
            "bound": int(table["bound"]),
            "free_top": None if table["status"] else int(table["free_top"]),
            "known": [int(cards) for cards in table["known"]],
            "discarded": [int(cards) for cards in table["discarded"]],
            "points": list(table["points"]),
            "doubled": int(hidden["doubled"]),
            "passes": int(table["passes"]),
            "turns": int(table["turns"]),
            "status": int(table["status"]),
            "out_seat": int(table["out_seat"]),
            "seat": int(table["seat"]),
            "dealer": int(table["dealer"]),
            "drawn": None if table["status"] else bool(table["phase"]),
            "counts": list(table["counts"]),
        }

    def _twin_position(self) -> dict[str, Any]:
        deal = self.twin
        went_out = deal.out_seat is not None
        ended_mid_turn = went_out and self.after[-1][0] in "=-"
        status = WENT_OUT if went_out else CUT_OFF if deal.cut_off else EXHAUSTED
        free_top = -1 if deal.free_card is None else parse_card(deal.free_card)
        return {
            "hands": [mask(hand) for hand in deal.hands],
            "pile": deal.pile,
            "pile_by": self.pile_by,
            "pile_mask": mask(deal.pile),
            "beneath": [mask(deal.pile[:index]) for index in range(len(deal.pile))],
            "stock": deal.stock,
            "sets": mask(deal.sets_on_table()),
            "runs": mask(deal.runs_on_table()),
            "bound": -1 if deal.bound is None else parse_card(deal.bound),
            "free_top": None if deal.over else free_top,
            "known": [mask(cards) for cards in deal.known()],
            "discarded": [mask(cards) for cards in self.discarded],
            "points": deal.melded,
            "doubled": deal.doubled,
            "passes": deal.passes,
            "turns": deal.turns + ended_mid_turn,  # the twin does not count the turn cut short
            "status": status if deal.over else PLAYING,
            "out_seat": deal.out_seat if went_out else -1,
            "seat": deal.seat,
            "dealer": deal.dealer,
            "drawn": None if deal.over else deal.drawn,
            "counts": [len(hand) for hand in deal.hands],
        }

    def _difference(self, what: str, ours: Any, its: Any) -> str:
        position = json.dumps({**self.start, "after": self.after})
        return f"{what}: core {ours}, twin {its}\n{position}"
