"""perft: the independent program's counts, and positions counted by hand."""

import json
from pathlib import Path

import numpy as np
import pytest
from position import Position

from persian_rummy.sim.cards import parse_deck
from persian_rummy.sim.deal import apply_action, start_deal
from persian_rummy.sim.notation import parse_action
from persian_rummy.sim.perft import perft
from persian_rummy.sim.rules import rules_from_dict
from persian_rummy.sim.state import new_state

FILE = Path(__file__).parents[1] / "data" / "perft.json"
ENTRIES = json.loads(FILE.read_text())


def test_perft_file__is_the_whole():
    assert len(ENTRIES) == 51
    assert sum(entry["nodes"] for entry in ENTRIES) == 118_389


@pytest.mark.parametrize("entry", ENTRIES, ids=range(len(ENTRIES)))
def test_perft__file__counts_come_out(entry):
    rules = rules_from_dict(entry["rules"])
    table, hidden = new_state(rules)
    deck = np.array(parse_deck(entry["deck"], rules.jokers), np.uint8)
    start_deal(table[0], hidden[0], deck, entry["dealer"])
    for text in entry["after"]:
        apply_action(table[0], hidden[0], parse_action(text))
    before = table.copy(), hidden.copy()
    assert perft(table, hidden, entry["depth"]) == entry["nodes"]
    assert (table, hidden) == before  # the position is left as it was


def sevens() -> Position:
    """Return four sevens in hand after the draw, with a stock of three and idle others."""
    return Position(("7C7D7H7S", "2C3D", "", ""), stock="9SJHKD", drawn=True)


@pytest.mark.parametrize(
    ("depth", "nodes"),
    [
        (0, 1),
        # the four sevens, four triples, four discards
        (1, 1 + 4 + 4),
        # out with four: over. A triple: lay off the fourth (over), or discard it. A discard: the
        # next player draws (nothing can be bound).
        (2, 1 + 4 * 2 + 4 * 1),
        # a triple, and the seven discarded: the next player draws, or takes it for the set.
        # Drew the nine: he discards one of three.
        (3, 1 + 4 * (1 + 2) + 4 * 3),
        # after the triple and S: three discards; after T: the lay-off. After a seven's discard, S
        # and a discard: the next player draws only.
        (4, 1 + 4 * (1 + 3 + 1) + 4 * 3),
    ],
)
def test_perft__four_sevens__as_counted_by_hand(depth, nodes):
    position = sevens()
    assert perft(*position.arrays, depth) == nodes
    assert len(position.legal()) == 9


def test_perft__only_passes_left__ends_after_four():
    position = Position(("2C", "3D", "4H", "5S"), pile="9C")
    assert [perft(*position.arrays, depth) for depth in range(7)] == [1] * 7
    position.play("P P P P")
    assert [perft(*position.arrays, depth) for depth in range(3)] == [1] * 3
