"""The state of one deal: a record of what the seat to act may know, and one of what it may not.

`TABLE_DTYPE` holds the hand of the seat to act and all that lies open; it is what the hooks of a
strategy are given (`sim/view`), and the legal actions are a function of it alone.
`HIDDEN_DTYPE` holds the other hands and the deck. The rules of play, which change both, stand
in `sim/deal`.

A record must outlive its use in compiled code: allocate arrays of one record in Python
(`new_state`) and pass ``array[0]``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import from_dtype

from .rules import RULES_DTYPE, Rules

DRAWING, MELDING = range(2)  # phase of a turn
PLAYING, WENT_OUT, EXHAUSTED, CUT_OFF = range(4)  # how a deal stands or ended
NO_CARD = -1


@dataclass(frozen=True)
class Field:
    """One field of the table record: its name, numpy type, shape, and a sentence."""

    name: str
    dtype: Any
    doc: str
    shape: tuple[int, ...] = ()


TABLE_FIELDS = (
    Field("hand", "u8", "mask of the cards in the hand of the seat to act"),
    Field("sets_mask", "u8", "cards that lie in sets on the table"),
    Field("runs_mask", "u8", "cards that lie in runs on the table"),
    Field("pile_mask", "u8", "cards that lie in the pile"),
    Field("known", "u8", "for each seat, cards it took from the pile and still holds", (4,)),
    Field("discarded", "u8", "for each seat, cards it has discarded in this deal", (4,)),
    Field(
        "takeable", "u8", "before the draw, pile cards that may be taken, each with all above it"
    ),
    Field(
        "playable", "u8", "after the draw, cards of the hand that some play could hold (none bound)"
    ),
    Field("pile_size", "i8", "cards in the pile"),
    Field("stock_size", "i8", "cards in the stock"),
    Field("counts", "i8", "cards in the hand of each seat", (4,)),
    Field("points", "i8", "points each team put on the table in this deal", (2,)),
    Field("match_points", "i8", "points each team scored in the deals before", (2,)),
    Field("seat", "i8", "the seat to act, 0 to 3; seats 0 and 2 are team 0"),
    Field("dealer", "i8", "the seat that dealt"),
    Field("deal", "i8", "number of the deal in its match, from 0"),
    Field("turns", "i8", "turns finished in this deal"),
    Field("passes", "i8", "passes in a row"),
    Field("phase", "i8", "0: to draw, 1: to meld and discard"),
    Field("bound", "i8", "id of the bound card that the next play must hold, or -1"),
    Field("free_top", "i8", "id of the card that was taken free and may not be discarded, or -1"),
    Field("status", "i8", "0: playing, 1: somebody went out, 2: stock exhausted, 3: cut off"),
    Field("out_seat", "i8", "the seat that went out, or -1"),
    Field("rng", "u8", "state of the private random stream of the seat to act (`random_below`)"),
    Field("pile", "u1", "card ids of the pile, the oldest first", (56,)),
    Field(
        "pile_by",
        "u1",
        "for each pile card, the seat that discarded it; 4: turned up",
        (56,),
    ),
    Field("beneath", "u8", "for each card id in the pile, the pile cards beneath it", (56,)),
    Field("rules", RULES_DTYPE, "the house rules (`sim.rules.RULES_DTYPE`)"),
)
"""What the seat to act may know, declared once: for the record, for the docs, and for checks."""

TABLE_DTYPE = np.dtype([(f.name, f.dtype, f.shape) for f in TABLE_FIELDS], align=True)

HIDDEN_DTYPE = np.dtype(
    [
        ("above", "u8", (57, 8)),  # for the pile's first n cards: `melds.cover`, and two unused
        ("hands", "u8", (4,)),  # the seat to act: as it was before its turn
        ("deck", "u1", (56,)),
        ("next_card", "i8"),  # place in the deck of the card that is drawn next
        ("streams", "u8", (4,)),  # states of the seats' private random streams
        ("doubled", "i8"),  # d of RULES section 6: what doubling added so far
    ],
    align=True,
)

TABLE_TYPE = from_dtype(TABLE_DTYPE)
HIDDEN_TYPE = from_dtype(HIDDEN_DTYPE)


def new_state(rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Return (table, hidden), arrays of one record each, with the rules filled in."""
    table = np.zeros(1, TABLE_DTYPE)
    table["rules"] = rules.record()
    return table, np.zeros(1, HIDDEN_DTYPE)
