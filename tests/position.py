"""Positions put together by hand: what lies where, and then actions as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from persian_rummy.sim.cards import mask_of, parse_card
from persian_rummy.sim.deal import (
    MAX_ACTIONS,
    apply_action,
    begin_turn,
    deal_score,
    hand_of,
    has_drawn,
    legal_actions,
    put_on_pile,
    start_deal,
    why_illegal,
)
from persian_rummy.sim.notation import action_text, parse_action
from persian_rummy.sim.reasons import LEGAL
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.state import new_state


def ids(text: str) -> list[int]:
    """Return the ids of cards written one after another, `"7C7D"`."""
    return [parse_card(text[at : at + 2]) for at in range(0, len(text), 2)]


class Position:
    """A position of the core; seat 0 is to act unless said otherwise.

    The cards that are not named are nowhere, so the whole is no position of a real deal.
    """

    def __init__(
        self,
        hands: tuple[str, str, str, str] = ("", "", "", ""),
        pile: str = "",
        stock: str = "",
        sets: str = "",
        runs: str = "",
        drawn: bool = False,
        **house: Any,
    ) -> None:
        self.arrays = new_state(Rules(**house))
        self.table, self.hidden = (array[0] for array in self.arrays)
        start_deal(self.table, self.hidden, np.arange(56, dtype=np.uint8), 3)
        masks = [mask_of(ids(hand)) for hand in hands]
        self.hidden["hands"] = masks
        self.table["counts"] = [len(hand) // 2 for hand in hands]
        self.table["pile_size"], self.table["pile_mask"] = 0, 0
        for card in ids(pile):
            put_on_pile(self.table, self.hidden, card, 0)
        self.table["sets_mask"], self.table["runs_mask"] = mask_of(ids(sets)), mask_of(ids(runs))
        size = int(self.table["rules"]["pack_size"])
        self.table["stock_size"] = len(stock) // 2
        self.hidden["next_card"] = size - len(stock) // 2
        self.hidden["deck"][self.hidden["next_card"] : size] = ids(stock)
        begin_turn(self.table, self.hidden, 0)
        if drawn:
            has_drawn(self.table)

    def legal(self) -> list[str]:
        """Return the legal actions as sorted texts."""
        buffer = np.zeros(MAX_ACTIONS, np.uint64)
        n = legal_actions(self.table, buffer)
        return sorted(action_text(action) for action in buffer[:n])

    def why(self, action: str) -> int:
        """Return the reason why an action is illegal, or `LEGAL`."""
        return int(why_illegal(self.table, parse_action(action)))

    def play(self, actions: str) -> Position:
        """Play actions separated by spaces, each of which must be legal."""
        for action in actions.split():
            assert self.why(action) == LEGAL, action
            assert action in self.legal()
            apply_action(self.table, self.hidden, parse_action(action))
        return self

    def hand(self, seat: int) -> int:
        """Return the mask of a seat's hand."""
        return int(hand_of(self.table, self.hidden, seat))

    def score(self) -> list[int]:
        """Return both teams' score."""
        return [int(deal_score(self.table, self.hidden, team)) for team in (0, 1)]
