"""perft: the number of sequences of legal actions from a position (RULES section 7)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .cards import parse_deck
from .deal import MAX_ACTIONS, apply_action, legal_actions, start_deal, why_illegal
from .errors import PrummyError, shown
from .jit import jit_apart
from .notation import parse_action
from .reasons import REASONS
from .rules import RulesError, rules_from_dict
from .state import HIDDEN_DTYPE, PLAYING, TABLE_DTYPE, new_state

MAX_DEPTH = 1000


class PositionError(PrummyError, ValueError):
    """A position of a perft file that is not well formed or not reached by legal actions."""


@dataclass(frozen=True)
class Position:
    """A position to count from: arrays of one record each, the depth, and the count if given."""

    table: np.ndarray
    hidden: np.ndarray
    depth: int
    nodes: int | None


@jit_apart
def count_sequences(tables: Any, hiddens: Any, actions: Any, left: Any, depth: int) -> int:
    """Count depth-first; level d of the arrays is the position after d actions."""
    nodes = 0
    level = 0
    left[0] = legal_actions(tables[0], actions[0])
    while level >= 0:
        if depth == 0 or tables[level].status != PLAYING:
            nodes += 1
            level -= 1
        elif level == depth - 1 and left[level] > 0:
            nodes += left[level]
            level -= 1
        elif left[level] == 0:
            level -= 1
        else:
            left[level] -= 1
            action = actions[level, left[level]]
            tables[level + 1] = tables[level]
            hiddens[level + 1] = hiddens[level]
            apply_action(tables[level + 1], hiddens[level + 1], action)
            level += 1
            left[level] = legal_actions(tables[level], actions[level])
    return nodes


def perft(table: np.ndarray, hidden: np.ndarray, depth: int) -> int:
    """Return the number of sequences of `depth` legal actions from a position.

    A sequence that ends the deal earlier counts once.

    Parameters
    ----------
    table, hidden
        Arrays of one record each (`sim.state.new_state`); left as they are.
    depth : int
        Number of actions, from 0 to `MAX_DEPTH`.
    """
    tables = np.zeros(depth + 1, TABLE_DTYPE)
    hiddens = np.zeros(depth + 1, HIDDEN_DTYPE)
    tables[0], hiddens[0] = table[0], hidden[0]
    actions = np.zeros((depth + 1, MAX_ACTIONS), np.uint64)
    return int(count_sequences(tables, hiddens, actions, np.zeros(depth + 1, np.int64), depth))


def parse_position(entry: Any, where: str) -> Position:
    """Return the position of one entry of a perft file.

    Parameters
    ----------
    entry : dict
        ``{"rules", "dealer", "deck", "after", "depth", "nodes"}``; `nodes` may be left out, `rules`
        and `after` are empty then.
    where : str
        What messages begin with.

    Raises
    ------
    PositionError
        With the field at fault.
    """
    if not isinstance(entry, dict):
        raise PositionError(f"{where}: not a JSON object")
    for name, kind in (("dealer", int), ("deck", str), ("depth", int)):
        value = entry.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise PositionError(f"{where}: {name}: {shown(value)} is not what belongs here")
    if entry["dealer"] not in range(4) or not 0 <= entry["depth"] <= MAX_DEPTH:
        raise PositionError(
            f"{where}: dealer is a seat from 0 to 3, depth a number from 0 to {MAX_DEPTH}"
        )
    nodes = entry.get("nodes")
    if nodes is not None and (isinstance(nodes, bool) or not isinstance(nodes, int)):
        raise PositionError(f"{where}: nodes: {shown(nodes)} is not a whole number")
    given, after = entry.get("rules", {}), entry.get("after", [])
    if not isinstance(given, dict) or not isinstance(after, list):
        raise PositionError(f"{where}: rules is an object, after a list of actions")
    try:
        rules = rules_from_dict(given)
        deck = parse_deck(entry["deck"], rules.jokers)
    except (RulesError, ValueError) as error:
        raise PositionError(f"{where}: {error}") from None
    table, hidden = new_state(rules)
    start_deal(table[0], hidden[0], np.array(deck, np.uint8), entry["dealer"])
    for index, text in enumerate(after):
        try:
            action = parse_action(text) if isinstance(text, str) else parse_action(repr(text))
        except ValueError as error:
            raise PositionError(f"{where}: after[{index}]: {error}") from None
        if code := why_illegal(table[0], action):
            raise PositionError(f"{where}: after[{index}]: {text} is illegal: {REASONS[code]}")
        apply_action(table[0], hidden[0], action)
    return Position(table, hidden, entry["depth"], nodes)
