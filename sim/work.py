"""What a worker does, be it a thread, a child process or a machine of a cluster: it plays blocks.

A worker is made from a `Job`, which is small and can be sent anywhere. Strategies travel by name
and hash: a worker that has another version of one, or none, refuses.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..strategies.registry import Entry, parse_entries
from .columns import to_columns
from .digest import rows_digest
from .errors import PrummyError
from .frozen import ENGINE_VERSION
from .match import Failure, play_boards
from .schedule import BoardBlock, Plan
from .storage import open_storage
from .store import Part, encode_rows, encode_sums
from .summary import PairingSummary, summarize
from .transcript import NO_ACTION, last_position


class RefusedError(PrummyError):
    """A worker that cannot play a job; the message says why."""


@dataclass(frozen=True)
class Job:
    """What a worker must know of a run.

    `strategies` are the manifest's records of the entries (`manifest.describe_entry`); `place` is
    where the run lies, None where the worker cannot reach it and sends its parts back.
    """

    plan: Plan
    strategies: tuple[Mapping[str, Any], ...]
    place: str | None

    def identity(self, pairing: int) -> dict[str, Any]:
        """Return all that decides the rows of a pairing beside the board."""
        return pairing_identity(self.plan, self.strategies, pairing)


@dataclass(frozen=True)
class Task:
    """A block to play, and whether its rows are kept or only their sums."""

    block: BoardBlock
    keep_rows: bool


@dataclass(frozen=True)
class Played:
    """What came of a task.

    `part` is where rows or sums were written; `data` what is still to be written there. With a
    `failure` there is neither, and nothing of the block counts.
    """

    task: Task
    summary: PairingSummary
    digest: int
    part: Part | None
    data: bytes | None
    failure: Failure | None
    seconds: float


def pairing_identity(
    plan: Plan, strategies: Sequence[Mapping[str, Any]], pairing: int
) -> dict[str, Any]:
    """Return all that decides the rows of a pairing beside the board, as it stands in its parts."""
    met = plan.pairings()[pairing]
    identity: dict[str, Any] = {"engine_version": ENGINE_VERSION}
    identity |= {"seed": plan.seed, "rules": plan.rules.to_dict()}
    for side, team in (("a", met.a), ("b", met.b)):
        players = [strategies[k] for k in plan.teams[team]]
        identity[side] = plan.team_names[team]
        identity[f"params_{side}"] = [player["params"] for player in players]
        identity[f"source_hash_{side}"] = [player["source_hash"] for player in players]
    return identity


def entries_of(strategies: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Return the entries of a manifest's records; raises RefusedError where one has changed.

    This loads the strategies' files, which runs their code.
    """
    try:
        entries = parse_entries(str(strategy["entry"]) for strategy in strategies)
    except PrummyError as error:
        raise RefusedError(str(error)) from None
    for entry, strategy in zip(entries, strategies, strict=True):
        if entry.source_hash != strategy["source_hash"]:
            raise RefusedError(
                f"strategy {entry.name} ({entry.text}) is not the version that the run began with"
            )
    return entries


class Worker:
    """Plays the blocks of a job in this process; may be shared by threads."""

    def __init__(self, job: Job, entries: Sequence[Entry] | None = None) -> None:
        self.job = job
        self.entries = entries or entries_of(job.strategies)
        self.pairings = job.plan.pairings()
        self.storage = None if job.place is None else open_storage(job.place)
        self.players = [entry.player() for entry in self.entries]

    def play(self, task: Task, game: np.ndarray | None = None) -> Played:
        """Play a block; write its part where the run's folder can be reached.

        `game` is as in `match.play_boards`.
        """
        started = time.monotonic()
        block, plan = task.block, self.job.plan
        result = play_boards(
            plan.rules,
            self._seats(block.pairing),
            plan.seed,
            block.first_board,
            block.n_boards,
            game=game,
        )
        if result.failure is not None:
            return failed(task, result.failure, time.monotonic() - started)
        identity = self.job.identity(block.pairing)
        columns = to_columns(result.rows, result.sides, result.deals)
        digest = rows_digest(columns, identity["a"], identity["b"])
        summary = summarize(columns, plan.rules.deals)
        if task.keep_rows:
            part, data = encode_rows(identity, block.first_board, columns, digest)
        else:
            ranges = [(block.first_board, block.n_boards)]
            part, data = encode_sums(identity, ranges, summary, digest)
        if self.storage is not None:
            self.storage.write(part.name, data)
        left = None if self.storage is not None else data
        return Played(task, summary, digest, part, left, None, time.monotonic() - started)

    def play_again(
        self,
        pairing: int,
        board: int,
        rotation: int,
        log: np.ndarray,
        game: np.ndarray | None = None,
    ) -> None:
        """Play a match again and fill `log` with its actions, as far as it comes."""
        plan = self.job.plan
        log[:] = NO_ACTION  # of an earlier match
        where = (plan.seed, board, 1, (rotation,))
        play_boards(plan.rules, self._seats(pairing), *where, log=log, game=game)

    def _seats(self, pairing: int) -> list[Any]:
        return [self.players[k] for k in self.job.plan.seats(self.pairings[pairing])]


def failed(task: Task, failure: Failure, seconds: float) -> Played:
    """Return the outcome of a block in which a strategy failed."""
    return Played(task, PairingSummary(), 0, None, None, failure, seconds)


def position_of(plan: Plan, failure: Failure, log: np.ndarray) -> dict[str, Any]:
    """Return the position in which a strategy failed, from the log of the match."""
    return last_position(plan.rules, plan.seed, failure.board, failure.deal, log)
