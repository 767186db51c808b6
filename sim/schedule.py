"""Who plays whom on which boards: the plan of a tournament, and sets of boards."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from .rules import Rules

FORMATS = ("round-robin", "gauntlet", "partners")


@dataclass(frozen=True)
class Pairing:
    """Two teams that meet: the indices in `Plan.teams` of a (seats 0 and 2 in rotation 0) and b."""

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
    """All that decides a run's results, beside what its strategies do.

    `names` are the entries' in their order; `boards` is the number of boards of each pairing, each
    of which is two matches. A team is two players of one entry, but in the format ``partners``,
    where every two entries make a team, also an entry with itself. Who sits where evens out: the
    dealer goes round, and the second match of a board turns the order of the seats round.
    """

    names: tuple[str, ...]
    rules: Rules
    seed: int
    boards: int
    format: str

    @property
    def teams(self) -> tuple[tuple[int, int], ...]:
        """Return each team's two players, as indices of `names`."""
        return teams_of(len(self.names), self.format)

    @property
    def team_names(self) -> tuple[str, ...]:
        """Return what results call the teams: by their entry, or as ``one & other``."""
        if self.format != "partners":
            return self.names
        return tuple(f"{self.names[one]} & {self.names[other]}" for one, other in self.teams)

    def pairings(self) -> tuple[Pairing, ...]:
        """Return the pairings, in order."""
        return pairings_of(len(self.teams), self.format)

    def seats(self, pairing: Pairing) -> tuple[int, int, int, int]:
        """Return who sits at each seat in rotation 0, as indices of `names`."""
        (one, its_partner), (other, other_partner) = self.teams[pairing.a], self.teams[pairing.b]
        return one, other, its_partner, other_partner

    @property
    def matches(self) -> int:
        """Matches of the whole plan."""
        return 2 * self.boards * len(self.pairings())


@dataclass(frozen=True)
class Keep:
    """The rows of the first `boards` boards of each pairing; None: all.

    Boards are alike whatever their numbers (`sim.seeds`), so the first ones are a fair sample.
    """

    boards: int | None

    @classmethod
    def parse(cls, text: str) -> "Keep":
        """Return what ``all``, ``none`` or ``sample=MATCHES`` means; raises ValueError."""
        name, equals, number = text.partition("=")
        if name == "sample" and equals and number.isascii() and number.isdigit():
            if len(number) < 19 and int(number):
                return cls(-(-int(number) // 2))
        if text not in ("all", "none"):
            raise ValueError(f"{text!r} is not all, none or sample=MATCHES")
        return cls(None if text == "all" else 0)

    def end(self, plan: Plan) -> int:
        """Return the first board whose rows are not kept."""
        return plan.boards if self.boards is None else min(self.boards, plan.boards)


@dataclass
class Coverage:
    """A set of boards: sorted ranges (first board, number), none of which touch or overlap."""

    ranges: list[tuple[int, int]] = field(default_factory=list)

    def add(self, first: int, n: int) -> None:
        """Add boards; raises ValueError where some of them are there already."""
        if n <= 0:
            raise ValueError(f"{n} boards")
        if self.overlaps(first, n):
            raise ValueError(f"boards {first} to {first + n - 1} are partly there already")
        place = bisect_left(self.ranges, (first, 0))
        before = self.ranges[place - 1] if place else None
        after = self.ranges[place] if place < len(self.ranges) else None
        low, high = place, place
        if before is not None and sum(before) == first:
            first, n, low = before[0], before[1] + n, place - 1
        if after is not None and first + n == after[0]:
            n, high = n + after[1], place + 1
        self.ranges[low:high] = [(first, n)]

    def overlaps(self, first: int, n: int) -> bool:
        """Return whether some of these boards are there."""
        return next(self.gaps(first, first + n), None) != (first, n)

    def gaps(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges from board `low` to before `high` that are not there, in order."""
        place = bisect_left(self.ranges, (low + 1, 0))
        at = max(low, sum(self.ranges[place - 1])) if place else low
        while at < high:
            first, n = self.ranges[place] if place < len(self.ranges) else (high, 0)
            if at < first:
                yield at, min(first, high) - at
            at, place = first + n, place + 1
            if n == 0:
                return

    @property
    def n_boards(self) -> int:
        """Boards in the set."""
        return sum(n for _, n in self.ranges)


def shard_of(boards: int, number: int, n_shards: int) -> tuple[int, int]:
    """Return the boards (first, end) of one of `n_shards` shards (from 1) of a plan."""
    return boards * (number - 1) // n_shards, boards * number // n_shards


def largest_sum(plan: Plan) -> int:
    """Return a bound on the largest sum in a summary: squared margins of all boards."""
    return plan.boards * (4 * plan.rules.largest_score()) ** 2


@lru_cache
def teams_of(n_entries: int, format_: str) -> tuple[tuple[int, int], ...]:
    """Return a format's teams: each entry with itself, or every two (`Plan`)."""
    if format_ == "partners":
        return tuple(combinations_with_replacement(range(n_entries), 2))
    return tuple((entry, entry) for entry in range(n_entries))


@lru_cache
def pairings_of(n_teams: int, format_: str) -> tuple[Pairing, ...]:
    """Return a format's pairings: all pairs in order, or the first team against each other."""
    pairs = combinations(range(n_teams), 2)
    return tuple(Pairing(a, b) for a, b in pairs if format_ != "gauntlet" or a == 0)
