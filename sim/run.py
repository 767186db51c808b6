"""The scheduler: plays what is missing of a plan, adds up what comes back, voids who failed."""

import json
import logging
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from dataclasses import asdict, dataclass, field
from threading import Event
from typing import Any

import numpy as np

from ..strategies.registry import Entry
from .columns import match_bytes
from .digest import MODULUS, digest_text
from .engines import Engine, EngineChoice, Players, open_engine
from .exemplars import Match, kept_matches
from .manifest import plan_of_manifest
from .match import Failure
from .schedule import BoardBlock, Coverage, Keep, Plan
from .store import (
    ROWS,
    SUMS,
    Contents,
    Part,
    PartError,
    RunFolder,
    encode_sums,
    identity_key,
)
from .summary import PairingSummary
from .work import Job, Played, Task, pairing_identity, position_of

BLOCK_SECONDS = 1.0  # how long a block should take
FIRST_BLOCK, LARGEST_BLOCK = 16, 65_536  # boards
BLOCK_BYTES = 2**26  # what the rows of a block take in memory, at most
GROWTH = 8  # a block is at most so many times as large as the last one
PACK_PARTS = 32  # so many parts of sums become one

_log = logging.getLogger(__name__)


@dataclass
class Tally:
    """What has been played of one pairing, and counts."""

    summary: PairingSummary = field(default_factory=PairingSummary)
    digest: int = 0
    boards: Coverage = field(default_factory=Coverage)

    def add(self, contents: Contents) -> None:
        """Add what a part holds; raises ValueError where some of its boards are there already."""
        for first, n in contents.ranges:
            if self.boards.overlaps(first, n):
                raise ValueError(f"boards {first} to {first + n - 1} are there already")
        for first, n in contents.ranges:
            self.boards.add(first, n)
        self.summary.merge(contents.summary)
        self.digest = (self.digest + contents.digest) % MODULUS


@dataclass
class Outcome:
    """What has been played of a plan so far: summaries and digest, failures, time."""

    plan: Plan
    tallies: list[Tally]
    failures: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    stopped: str | None = None
    """Why it is not finished: ``signal``, ``time``, ``matches``, ``shard``; None: it is."""

    @property
    def summaries(self) -> list[PairingSummary]:
        """The summaries of all pairings; void ones are empty."""
        return [tally.summary for tally in self.tallies]

    @property
    def digest(self) -> str:
        """The digest of all rows that count, 32 hexadecimal digits."""
        return digest_text(sum(tally.digest for tally in self.tallies) % MODULUS)

    @property
    def matches(self) -> int:
        """Matches that count."""
        return sum(summary.total("matches") for summary in self.summaries)


@dataclass(frozen=True)
class Stops:
    """When a run stops before it is finished: after so long, so many matches, outside a shard."""

    seconds: float | None = None
    matches: int | None = None
    shard: tuple[int, int] | None = None  # first board, and the one after the last


@dataclass
class Audit:
    """What the parts of a folder say: a tally and its parts for each pairing, and all faults."""

    tallies: list[Tally]
    sums: list[Tally]
    """What of that comes from parts of sums alone."""
    parts: list[list[Part]]
    faults: list[tuple[Part, str]] = field(default_factory=list)
    doubled: list[tuple[Part, str]] = field(default_factory=list)
    """Parts whose boards another one has: what is left of packing, or a copy."""
    strangers: list[str] = field(default_factory=list)
    """Files that belong to no pairing of the plan: of a changed strategy, or no parts at all."""


def audit(
    folder: RunFolder,
    plan: Plan,
    strategies: Sequence[Mapping[str, Any]],
    keep: Keep,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Audit:
    """Read and prove all parts of a folder, and add them up. No strategy's code is run.

    A part that is damaged does not count, nor one whose boards another one has already.
    `progress` is called with (matches read, matches in all).
    """
    identities = [pairing_identity(plan, strategies, k) for k in range(len(plan.pairings()))]
    place = {identity_key(identity): k for k, identity in enumerate(identities)}
    found = Audit(
        [Tally() for _ in identities], [Tally() for _ in identities], [[] for _ in identities]
    )
    parts, found.strangers = folder.parts()
    end = keep.end(plan)
    # Of parts of sums that overlap the larger one was packed from the smaller ones.
    parts.sort(key=lambda part: (part.kind, -part.n_boards if part.kind == SUMS else 0, part))
    read = 0
    for part in parts:
        pairing = place.get(part.key)
        wanted = (part.first_board < end) == (part.kind == ROWS)
        if pairing is None or not wanted or part.first_board + part.n_boards > plan.boards:
            found.strangers.append(part.name)
            continue
        try:
            contents = folder.read_part(part, identities[pairing], plan.rules.deals)
            found.tallies[pairing].add(contents)
        except PartError as error:
            found.faults.append((part, str(error)))
        except ValueError as error:
            found.doubled.append((part, f"{part.name} is doubled: {error}"))
        else:
            found.parts[pairing].append(part)
            if part.kind == SUMS:
                found.sums[pairing].add(contents)
        read += 2 * part.n_boards
        progress(min(read, plan.matches), plan.matches)
    return found


class Run:
    """Plays a plan into a folder.

    Parameters
    ----------
    folder : RunFolder
    manifest : dict
        The run's, as `describe_run` made it or as it was read.
    entries : sequence of Entry, in the order of the plan's names
    """

    def __init__(
        self, folder: RunFolder, manifest: Mapping[str, Any], entries: Sequence[Entry]
    ) -> None:
        self.folder = folder
        self.plan = plan_of_manifest(manifest)
        self.strategies = tuple(manifest["strategies"])
        self.keep = Keep.parse(manifest["keep"])
        self.entries = entries
        self.pairings = self.plan.pairings()
        self.tallies = [Tally() for _ in self.pairings]
        self.job = Job(self.plan, self.strategies, folder.storage.address)
        self.failures: dict[int, Failure] = {}  # the first of each pairing, by board

    def play(
        self,
        choice: EngineChoice,
        progress: Callable[[int, int], None],
        stop: Event,
        stops: Stops = Stops(),
        block_boards: int | None = None,
    ) -> Outcome:
        """Play all that is not on disk yet; return the outcome of all that is then.

        Nothing but the time depends on the engine or on `block_boards` (by default about a
        second's worth). `progress` is called with (matches done, matches in all). When `stop` is
        set, the blocks in flight are finished and the outcome is marked as stopped.
        """
        started = time.monotonic()
        found = audit(self.folder, self.plan, self.strategies, self.keep, progress)
        for part, why in found.faults:
            _log.warning("%s; its boards are played again", why)
            self.folder.storage.remove(part.name)
        for part, why in found.doubled:
            _log.info("%s; removed", why)
            self.folder.storage.remove(part.name)
        self.tallies, self.sums, self.parts = found.tallies, found.sums, found.parts
        outcome = Outcome(self.plan, self.tallies)
        with open_engine(choice, self.job, self.entries) as engine:
            dispatch = _Dispatch(self, engine.jobs, stops, block_boards)
            outcome.stopped = self._play_all(engine, dispatch, progress, stop)
            self._void(outcome, engine)
        outcome.seconds = time.monotonic() - started
        return outcome

    def _play_all(
        self,
        engine: Engine,
        dispatch: "_Dispatch",
        progress: Callable[[int, int], None],
        stop: Event,
    ) -> str | None:
        """Play task after task, never more than a few in flight; return why that ended early."""
        running: set[Future[Played]] = set()
        while True:
            while len(running) < 2 * engine.jobs and not stop.is_set():
                task = dispatch.next_task()
                if task is None:
                    break
                running.add(engine.submit(task))
            if not running:
                left = dispatch.why_ended()
                return "signal" if left and stop.is_set() else left
            finished, running = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
            engine.check()
            for future in finished:
                played = engine.result(future)
                self._take(played)
                dispatch.note_speed(played)
            progress(dispatch.matches_done(), self.plan.matches)

    def _take(self, played: Played) -> None:
        """Add what came of a block."""
        pairing = played.task.block.pairing
        if played.failure is not None:
            known = self.failures.get(pairing)
            name = self.plan.names[self._entry_of(pairing, played.failure)]
            _log.warning("%s: %s", name, played.failure.what)
            if known is None or played.failure.board < known.board:
                self.failures[pairing] = played.failure
            return
        assert played.part is not None
        if played.data is not None:
            self.folder.storage.write(played.part.name, played.data)
        block = played.task.block
        _log.debug(
            "block of pairing %d from board %d, %.3f s: %d matches",
            pairing,
            block.first_board,
            played.seconds,
            2 * block.n_boards,
        )
        contents = Contents([(block.first_board, block.n_boards)], played.summary, played.digest)
        self.tallies[pairing].add(contents)
        self.parts[pairing].append(played.part)
        if played.part.kind == SUMS:
            self.sums[pairing].add(contents)
            self._pack(pairing)

    def _pack(self, pairing: int) -> None:
        """Put the parts of sums of a pairing into one when there are many."""
        parts = [part for part in self.parts[pairing] if part.kind == SUMS]
        if len(parts) <= PACK_PARTS:
            return
        sums = self.sums[pairing]
        identity = self.job.identity(pairing)
        packed, data = encode_sums(identity, sums.boards.ranges, sums.summary, sums.digest)
        self.folder.storage.write(packed.name, data)
        for part in parts:
            self.folder.storage.remove(part.name)
        rows = [part for part in self.parts[pairing] if part.kind == ROWS]
        self.parts[pairing] = [*rows, packed]

    def keep_matches(
        self, manifest: dict[str, Any], outcome: Outcome, choice: EngineChoice
    ) -> None:
        """Play the matches that are kept whole again, and write their transcripts.

        The manifest is brought up to date.
        """
        with closing(Players(self.job, choice.limits, False, self.entries)) as players:

            def log_of(match: Match) -> np.ndarray:
                return players.play_again(match.pairing, match.board, match.rotation)

            all_ = self.plan.boards
            reached = [next(t.boards.gaps(0, all_), (all_, 0))[0] for t in outcome.tallies]
            kept = kept_matches(self.plan, outcome.summaries, reached, log_of)
        manifest["transcripts"] = self.folder.write_transcripts(kept)
        self.folder.write_manifest(manifest)

    def failed(self) -> dict[int, tuple[int, Failure]]:
        """Return who has failed: for each such entry the pairing and the failure that count.

        Failures are taken in the order of boards; one in a pairing that is void by then does not
        count. So it is the same whatever was played first.
        """
        found: dict[int, tuple[int, Failure]] = {}
        for pairing, failure in sorted(self.failures.items(), key=lambda f: (f[1].board, f[0])):
            if found.keys().isdisjoint(self.plan.seats(self.pairings[pairing])):
                found[self._entry_of(pairing, failure)] = (pairing, failure)
        return found

    def _void(self, outcome: Outcome, engine: Engine) -> None:
        """Take all pairings of a strategy that failed out of the results, with evidence."""
        self.folder.remove_evidence()
        failed = self.failed()
        for entry, (pairing, failure) in sorted(failed.items()):
            name = self.plan.names[entry]
            log = engine.players.play_again(pairing, failure.board, failure.rotation)
            path = self.folder.write_evidence(name, self._evidence(entry, pairing, failure, log))
            outcome.failures.append({"strategy": name, "kind": failure.why, "evidence": path})
        for index, met in enumerate(self.pairings):
            if not failed.keys().isdisjoint(self.plan.seats(met)):
                for part in self.parts[index]:
                    self.folder.storage.remove(part.name)
                self.tallies[index] = Tally()

    def _entry_of(self, pairing: int, failure: Failure) -> int:
        return self.plan.seats(self.pairings[pairing])[failure.player]

    def _evidence(
        self, entry: int, pairing: int, failure: Failure, log: np.ndarray
    ) -> dict[str, Any]:
        rules = [
            "--rule " + shlex.quote(f"{name}={json.dumps(value)}")
            for name, value in self.plan.rules.to_dict().items()
        ]
        seats: Sequence[int] = self.plan.seats(self.pairings[pairing])
        seats = seats[:2] if seats[:2] == seats[2:] else seats
        specs = [shlex.quote(self.entries[k].text) for k in seats]
        command = (
            f"prummy match {' '.join(specs)} --seed {self.plan.seed} --board {failure.board} "
            f"--rotation {failure.rotation} {' '.join(rules)}"
        )
        return {
            "strategy": self.plan.names[entry],
            "source_hash": self.entries[entry].source_hash,
            **asdict(failure),
            "seed": self.plan.seed,
            "position": position_of(self.plan, failure, log),
            "command": command.strip(),
        }


class _Dispatch:
    """Says which block is played next: all pairings keep in step, blocks fit their speed."""

    def __init__(self, run: Run, jobs: int, stops: Stops, block_boards: int | None) -> None:
        self.run = run
        self.jobs = jobs
        self.stops = stops
        self.block_boards = block_boards
        self.deadline = None if stops.seconds is None else time.monotonic() + stops.seconds
        self.left = None if stops.matches is None else stops.matches // 2
        self.first, self.end = stops.shard or (0, run.plan.boards)
        self.keep_end = run.keep.end(run.plan)
        self.most = max(1, BLOCK_BYTES // (2 * match_bytes(run.plan.rules.deals)))
        self.sent = [Coverage(list(tally.boards.ranges)) for tally in run.tallies]
        self.sizes = [FIRST_BLOCK for _ in run.tallies]
        self.ends = self._ends()

    def next_task(self) -> Task | None:
        """Return what is to be played next, None when there is nothing (for now)."""
        if self._limit() is not None:
            return None
        gaps = self._gaps(self.first, self.end)
        if not gaps:
            return None
        (first, pairing), n = min(gaps.items())
        fitting = self.sizes[pairing]
        size = self.block_boards or min(fitting, max(fitting // 8, self._fair_share()))
        n = min(n, size, self.most)
        if first < self.keep_end:
            n = min(n, self.keep_end - first)
        if self.left is not None:
            n = min(n, self.left)
            self.left -= n
        self.sent[pairing].add(first, n)
        return Task(BoardBlock(pairing, first, n), first < self.keep_end)

    def note_speed(self, played: Played) -> None:
        """Fit the size of a pairing's blocks to how long the last one took."""
        block = played.task.block
        if played.failure is not None:
            self.ends = self._ends()
            return
        fitting = int(block.n_boards * BLOCK_SECONDS / max(played.seconds, 1e-6))
        largest = min(LARGEST_BLOCK, GROWTH * block.n_boards)
        self.sizes[block.pairing] = max(1, min(fitting, largest))

    def why_ended(self) -> str | None:
        """Return why nothing more is played though the plan is not finished; None: it is."""
        if not self._gaps(0, self.run.plan.boards):
            return None
        return self._limit() or "shard"

    def matches_done(self) -> int:
        """Return how many matches are done, or need not be played since they are void."""
        plan = self.run.plan
        skipped = sum(plan.boards - end for end in self.ends if end < plan.boards)
        return 2 * min(
            skipped + sum(tally.boards.n_boards for tally in self.run.tallies),
            plan.matches // 2,
        )

    def _limit(self) -> str | None:
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return "time"
        return "matches" if self.left == 0 else None

    def _gaps(self, low: int, high: int) -> dict[tuple[int, int], int]:
        """Return each pairing's first gap between two boards: (first board, pairing) -> boards."""
        found = {}
        for pairing, sent in enumerate(self.sent):
            gap = next(sent.gaps(low, min(high, self.ends[pairing])), None)
            if gap is not None:
                found[(gap[0], pairing)] = gap[1]
        return found

    def _fair_share(self) -> int:
        """Return how large a block may be so that all jobs end at about the same time."""
        boards = (self.end - self.first) * len(self.sent)
        left = boards - sum(sent.n_boards for sent in self.sent)
        return max(FIRST_BLOCK, left // (2 * self.jobs))

    def _ends(self) -> list[int]:
        """Return, of each pairing, the first board that need not be played: who failed is void.

        The board of a failure itself is played by all: another failure there may come first.
        """
        ends = [self.run.plan.boards] * len(self.sent)
        failed = self.run.failed()
        for pairing, met in enumerate(self.run.pairings):
            who = set(self.run.plan.seats(met)) & failed.keys()
            boards = [failed[entry][1].board + 1 for entry in who]
            if pairing in self.run.failures:
                boards.append(self.run.failures[pairing].board)
            ends[pairing] = min([ends[pairing], *boards])
        return ends


def begin(folder: RunFolder, manifest: dict[str, Any]) -> None:
    """Write a manifest (which is brought up to date) as that of a run that is being played."""
    for name in ("digest", "matches", "summaries", "failures", "transcripts"):
        manifest.pop(name, None)
    manifest["status"] = "running"
    if folder.holds_run():
        folder.write_manifest(manifest)
    else:
        folder.create(manifest)


def record_outcome(folder: RunFolder, manifest: dict[str, Any], outcome: Outcome) -> None:
    """Write the summaries, and the manifest (which is brought up to date) as the run stands."""
    checksums = folder.write_summaries(outcome.summaries)
    manifest.update(
        {
            "status": "finished" if outcome.stopped is None else "interrupted",
            "digest": outcome.digest,
            "matches": outcome.matches,
            "seconds": round(manifest.get("seconds", 0.0) + outcome.seconds, 3),
            "failures": outcome.failures,
            "summaries": checksums,
            "transcripts": folder.write_transcripts({}),
        }
    )
    folder.write_manifest(manifest)
