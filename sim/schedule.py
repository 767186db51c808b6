"""Who plays whom on which boards: the plan of a tournament, and the blocks it is played in."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from .rules import Rules

FORMATS = ("round-robin", "gauntlet")
MAX_BLOCK = 8192
MIN_BLOCK = 64


@dataclass(frozen=True)
class Pairing:
    """Two entries that meet: the indices of a (seats 0 and 2 in rotation 0) and b."""

    a: int
    b: int


@dataclass(frozen=True)
class BoardBlock:
    """Consecutive boards of a pairing: the unit of work, of progress and of a part on disk."""

    pairing: int
    first_board: int
    n_boards: int


@dataclass(frozen=True)
class Plan:
    """All that decides a run's results, and the size of its blocks, which does not.

    `names` are the entries' in their order; `boards` is the number of boards of each pairing, each
    of which is two matches.
    """

    names: tuple[str, ...]
    rules: Rules
    seed: int
    boards: int
    format: str
    block_boards: int

    def pairings(self) -> list[Pairing]:
        """Return the pairings, in order."""
        return pairings_of(len(self.names), self.format)

    def blocks(self) -> Iterator[BoardBlock]:
        """Yield all blocks, board by board: all pairings keep in step."""
        n_pairings = len(self.pairings())
        for first in range(0, self.boards, self.block_boards):
            for pairing in range(n_pairings):
                yield BoardBlock(pairing, first, min(self.block_boards, self.boards - first))

    @property
    def matches(self) -> int:
        """Matches of the whole plan."""
        return 2 * self.boards * len(self.pairings())


def largest_sum(plan: Plan) -> int:
    """Return a bound on the largest sum in a summary: squared margins of all boards."""
    return plan.boards * (4 * plan.rules.largest_score()) ** 2


def pairings_of(n_entries: int, format_: str) -> list[Pairing]:
    """Return a format's pairings: all pairs in order, or the first entry against each other."""
    pairs = combinations(range(n_entries), 2)
    return [Pairing(a, b) for a, b in pairs if format_ != "gauntlet" or a == 0]


def default_block(boards: int, n_pairings: int) -> int:
    """Return boards a block: some 32 blocks a run or more, and no block of over a second."""
    return max(MIN_BLOCK, min(MAX_BLOCK, -(-boards * n_pairings // 32)))
