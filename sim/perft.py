"""perft: the number of sequences of legal actions from a position (RULES section 7)."""

from typing import Any

import numpy as np

from .deal import MAX_ACTIONS, apply_action, legal_actions
from .jit import jit
from .state import HIDDEN_DTYPE, PLAYING, TABLE_DTYPE


@jit
def _count(tables: Any, hiddens: Any, actions: Any, left: Any, depth: int) -> int:
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
        Number of actions, from 0.
    """
    tables = np.zeros(depth + 1, TABLE_DTYPE)
    hiddens = np.zeros(depth + 1, HIDDEN_DTYPE)
    tables[0], hiddens[0] = table[0], hidden[0]
    actions = np.zeros((depth + 1, MAX_ACTIONS), np.uint64)
    return int(_count(tables, hiddens, actions, np.zeros(depth + 1, np.int64), depth))
