"""The engine: plays the blocks of a plan on threads, writes their parts, adds up summaries."""

import json
import os
import platform
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from itertools import islice
from threading import Event
from typing import Any

import numpy as np

from ..strategies.registry import Entry
from .columns import to_columns
from .digest import MODULUS, digest_text, rows_digest
from .frozen import ENGINE_VERSION
from .match import Failure, play_boards
from .rules import rules_from_dict
from .schedule import BoardBlock, Pairing, Plan
from .store import RunFolder, StoreError, plan_to_dict
from .summary import PairingSummary, summarize
from .view import Player


@dataclass
class Outcome:
    """What has been played of a plan so far: summaries and digest, failures, time."""

    plan: Plan
    summaries: list[PairingSummary]
    pairing_digests: list[int]
    failures: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def digest(self) -> str:
        """The digest of all rows that count, 32 hexadecimal digits."""
        return digest_text(sum(self.pairing_digests) % MODULUS)

    @property
    def matches(self) -> int:
        """Matches that count."""
        return sum(summary.total("matches") for summary in self.summaries)


@dataclass(frozen=True)
class _Played:
    block: BoardBlock
    summary: PairingSummary
    digest: int
    failure: Failure | None


class Engine:
    """Plays a plan into a folder.

    Parameters
    ----------
    plan : Plan
    entries : sequence of Entry, in the order of `plan.names`
    folder : RunFolder
        Made by `create`, or that of an earlier run of the same plan.
    """

    def __init__(self, plan: Plan, entries: Sequence[Entry], folder: RunFolder) -> None:
        self.plan = plan
        self.entries = entries
        self.folder = folder
        self.pairings: list[Pairing] = plan.pairings()
        self.players: list[Player] = [entry.player() for entry in entries]
        self.first_failures: dict[int, tuple[BoardBlock, Failure]] = {}

    def run(self, jobs: int, progress: Callable[[int, int], None], stop: Event) -> Outcome:
        """Play all blocks that are not on disk yet; return the outcome of all that are then.

        Nothing but the time depends on `jobs`, the number of threads. `progress` is called with
        (matches done, matches in all). When `stop` is set, the blocks in flight are finished and
        the outcome is marked as interrupted.
        """
        started = time.monotonic()
        outcome = Outcome(
            self.plan,
            [PairingSummary() for _ in self.pairings],
            [0 for _ in self.pairings],
        )
        done = 0
        for played in self._play_all(jobs, stop):
            if played.failure is not None:
                self._note_failure(played.block, played.failure)
            else:
                pairing = played.block.pairing
                outcome.summaries[pairing].merge(played.summary)
                outcome.pairing_digests[pairing] += played.digest
            done += 2 * played.block.n_boards
            progress(done, self.plan.matches)
        outcome.interrupted = done < self.plan.matches
        self._void(outcome)
        outcome.seconds = time.monotonic() - started
        self.folder.write_summaries(outcome.summaries)
        return outcome

    def _play_all(self, jobs: int, stop: Event) -> Iterator[_Played]:
        """Yield blocks as they are finished, never more than a few in flight."""
        blocks = self.plan.blocks()
        running: set[Future[_Played]] = set()
        with ThreadPoolExecutor(jobs) as pool:
            while True:
                if not stop.is_set():
                    more = islice(blocks, 2 * jobs - len(running))
                    running |= {pool.submit(self._play, block) for block in more}
                if not running:
                    return
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield future.result()

    def _play(self, block: BoardBlock) -> _Played:
        """Return a block's outcome, from its part where it is on disk and whole."""
        first = self.first_failures.get(block.pairing)
        if first is not None and first[0].first_board < block.first_board:
            return _Played(block, PairingSummary(), 0, first[1])
        pairing = self.pairings[block.pairing]
        a, b = self.plan.names[pairing.a], self.plan.names[pairing.b]
        deals = self.plan.rules.deals
        identity = pairing_identity(self.plan, self.entries[pairing.a], self.entries[pairing.b])
        stored = self.folder.read_part(block, deals, identity)
        if stored is not None:
            columns, digest = stored
            return _Played(block, summarize(columns, deals), digest, None)
        team_a, team_b = self.players[pairing.a], self.players[pairing.b]
        result = play_boards(
            self.plan.rules,
            (team_a, team_b, team_a, team_b),
            self.plan.seed,
            block.first_board,
            block.n_boards,
        )
        if result.failure is not None:
            return _Played(block, PairingSummary(), 0, result.failure)
        columns = to_columns(result.rows, result.sides, result.deals)
        digest = rows_digest(columns, a, b)
        self.folder.write_part(block, columns, identity, digest)
        return _Played(block, summarize(columns, deals), digest, None)

    def _note_failure(self, block: BoardBlock, failure: Failure) -> None:
        """Keep the first failure of a pairing in the order of boards, whatever came in first."""
        known = self.first_failures.get(block.pairing)
        if known is None or failure.board < known[1].board:
            self.first_failures[block.pairing] = (block, failure)

    def _void(self, outcome: Outcome) -> None:
        """Take all pairings of a strategy that failed out of the results, with evidence."""
        failed: dict[int, tuple[int, Failure]] = {}
        for index, (_, failure) in sorted(self.first_failures.items()):
            pairing = self.pairings[index]
            entry = pairing.a if failure.player % 2 == 0 else pairing.b
            failed.setdefault(entry, (index, failure))
        for entry, (index, failure) in sorted(failed.items()):
            evidence = self._evidence(entry, self.pairings[index], failure)
            path = self.folder.write_evidence(self.plan.names[entry], evidence)
            outcome.failures.append(
                {"strategy": self.plan.names[entry], "kind": failure.why, "evidence": str(path)}
            )
        for index, pairing in enumerate(self.pairings):
            if pairing.a in failed or pairing.b in failed:
                outcome.summaries[index] = PairingSummary()
                outcome.pairing_digests[index] = 0
                self.folder.drop_parts(index)

    def _evidence(self, entry: int, pairing: Pairing, failure: Failure) -> dict[str, Any]:
        rules = [
            "--rule " + shlex.quote(f"{name}={json.dumps(value)}")
            for name, value in self.plan.rules.to_dict().items()
        ]
        specs = [shlex.quote(self.entries[k].text) for k in (pairing.a, pairing.b)]
        command = (
            f"prummy match {' '.join(specs)} --seed {self.plan.seed} --board {failure.board} "
            f"--rotation {failure.rotation} {' '.join(rules)}"
        )
        return {
            "strategy": self.plan.names[entry],
            **asdict(failure),
            "seed": self.plan.seed,
            "command": command.strip(),
        }


def pairing_identity(plan: Plan, a: Entry, b: Entry) -> dict[str, Any]:
    """Return all that decides the rows of a pairing beside the board, as it stands in its parts."""
    identity: dict[str, Any] = {"engine_version": ENGINE_VERSION}
    identity |= {"seed": plan.seed, "rules": plan.rules.to_dict()}
    for side, entry in (("a", a), ("b", b)):
        identity[side] = entry.name
        identity[f"params_{side}"] = entry.param_values()
        identity[f"source_hash_{side}"] = entry.source_hash
    return identity


def describe_run(
    plan: Plan, entries: Sequence[Entry], command: Sequence[str], version: str
) -> dict[str, Any]:
    """Return the manifest of a run that begins."""
    return {
        "status": "running",
        "command": list(command),
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "plan": plan_to_dict(plan),
        "block_boards": plan.block_boards,
        "strategies": [
            {
                "name": entry.name,
                "entry": entry.text,
                "idea": entry.strategy.idea(),
                "params": entry.param_values(),
                "source_hash": entry.source_hash,
            }
            for entry in entries
        ],
        "engine_version": ENGINE_VERSION,
        "versions": {
            "prummy": version,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "machine": {"system": platform.platform(), "cores": os.cpu_count()},
    }


def plan_of_manifest(manifest: dict[str, Any]) -> Plan:
    """Return the plan of a run from its manifest; raises StoreError for a damaged one."""
    try:
        plan = manifest["plan"]
        return Plan(
            names=tuple(plan["names"]),
            rules=rules_from_dict(plan["rules"]),
            seed=plan["seed"],
            boards=plan["boards"],
            format=plan["format"],
            block_boards=manifest["block_boards"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"the manifest is damaged: {error}") from None
