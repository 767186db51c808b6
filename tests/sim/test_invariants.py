"""The checks of a position: sound ones pass, and each kind of damage is seen."""

from random import Random

import pytest
from pair import Pair, shuffled

from persian_rummy.sim.invariants import cards_are_whole, points_are_conserved, state_is_ok


def played() -> Pair:
    """Return a deal in which something lies everywhere, with a draw just made."""
    rng = Random(5)
    pair = Pair({}, 0, shuffled(rng, 4))
    while not (pair.twin.melds and pair.twin.drawn and len(pair.twin.pile) > 2):
        pair.apply(rng.choice(pair.legal))
    return pair


PLAYED = played()


def damaged(field: str, value: object, index: int | None = None) -> tuple[bool, bool, bool]:
    """Return what the three checks say of the position with one field changed."""
    table, hidden = (array.copy() for array in PLAYED._arrays)
    record = table if field in table.dtype.names else hidden
    if index is None:
        record[field][0] = value
    else:
        record[field][0, index] = value
    checks = (state_is_ok, cards_are_whole, points_are_conserved)
    return tuple(bool(check(table[0], hidden[0])) for check in checks)


def test_checks__sound_position__hold():
    table = PLAYED.table
    assert min(table["stock_size"], table["pile_size"]) > 1
    assert table["sets_mask"] or table["runs_mask"]
    assert damaged("turns", 5) == (True, True, True)


def other_seat() -> int:
    return (int(PLAYED.table["seat"]) + 1) % 4


HAND = int(PLAYED.table["hand"])
PILE = int(PLAYED.table["pile_mask"])
LOWEST = HAND & -HAND
NEXT = int(PLAYED.hidden["hands"][other_seat()])


@pytest.mark.parametrize(
    ("field", "value", "index"),
    [
        ("hand", HAND & ~LOWEST, None),  # a card is lost
        ("hand", HAND | PILE & -PILE, None),  # a card is in two places
        ("hand", HAND | NEXT & -NEXT, None),
        ("hands", NEXT | LOWEST, other_seat()),
        ("pile_mask", PILE | LOWEST, None),
        ("pile_size", int(PLAYED.table["pile_size"]) - 1, None),
        ("pile", PLAYED.table["pile"][1], 0),
        ("beneath", 0, PLAYED.table["pile"][1]),
        ("stock_size", int(PLAYED.table["stock_size"]) - 1, None),
        ("next_card", int(PLAYED.hidden["next_card"]) - 1, None),
        ("counts", 0, other_seat()),
        ("known", PILE, 0),
        ("sets_mask", int(PLAYED.table["sets_mask"]) | LOWEST, None),
        ("runs_mask", int(PLAYED.table["runs_mask"]) | LOWEST, None),
        ("bound", int(PLAYED.table["pile"][0]), None),
        ("points", -1, 0),
        ("doubled", 1, None),
    ],
)
def test_state_is_ok__damaged__says_no(field, value, index):
    assert not damaged(field, value, index)[0]


def test_cards_are_whole__swapped_for_another__is_seen_by_the_count():
    assert not damaged("hand", HAND & ~LOWEST | NEXT & -NEXT)[1]


def test_points_are_conserved__points_wrong__says_no():
    points = int(PLAYED.table["points"][0])
    assert damaged("points", points + 1, 0) == (False, True, False)
    assert damaged("doubled", int(PLAYED.hidden["doubled"]) + 1) == (False, True, False)
