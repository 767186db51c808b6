"""Runs that lie on disk: proven, put together, tidied. No strategy's code is loaded for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .manifest import check_engine, plan_of_manifest
from .run import Audit, Outcome, audit, begin, record_outcome
from .schedule import Coverage, Keep
from .store import Part, RunFolder, StoreError

Progress = Callable[[int, int], None]


@dataclass
class Report:
    """What was found in a run's folder; without faults it is whole and says what it says."""

    parts: int
    matches: int
    digest: str
    faults: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)


def check_run(folder: RunFolder, progress: Progress = lambda done, total: None) -> Report:
    """Prove all files of a run; raises StoreError where there is no manifest to go by."""
    manifest = folder.read_manifest()
    found = _audit(folder, manifest, progress)
    outcome = Outcome(plan_of_manifest(manifest), found.tallies)
    report = Report(
        sum(len(parts) for parts in found.parts),
        outcome.matches,
        outcome.digest,
        [why for _, why in (*found.faults, *found.doubled)],
        [*found.strangers, *folder.temporary()],
    )
    if manifest["status"] == "running":
        report.faults.append("the run was not ended: it was killed, or is being played just now")
        return report
    for failure in manifest["failures"]:
        if not _is_there(folder, failure["evidence"]):
            report.faults.append(f"the evidence of {failure['strategy']}'s failure is missing")
    if manifest["status"] == "finished":
        report.faults += _missing(manifest, found)
    for name in ("sample", "exemplars"):
        try:
            folder.read_transcripts(name, manifest["transcripts"])
        except StoreError as error:
            report.faults.append(str(error))
    try:
        summaries = folder.read_summaries(len(found.tallies), manifest["summaries"])
    except StoreError as error:
        report.faults.append(str(error))
    else:
        for pairing, (written, tally) in enumerate(zip(summaries, found.tallies, strict=True)):
            if not written.equals(tally.summary) and not report.faults:
                report.faults.append(f"the summary of {_pair(manifest, pairing)} is not its parts'")
    for name, value in (("digest", report.digest), ("matches", report.matches)):
        if manifest[name] != value and not report.faults:
            report.faults.append(f"the manifest's {name} is {manifest[name]}, its parts' {value}")
    return report


def _audit(folder: RunFolder, manifest: dict[str, Any], progress: Progress) -> Audit:
    check_engine(manifest, folder.place)
    plan = plan_of_manifest(manifest)
    return audit(folder, plan, manifest["strategies"], Keep.parse(manifest["keep"]), progress)


def _is_there(folder: RunFolder, evidence: str) -> bool:
    return evidence.rpartition("/")[2] in folder.storage.names("failures")


def _missing(manifest: dict[str, Any], found: Audit) -> list[str]:
    """Return what is missing of a finished run, a line for each gap of a pairing that counts."""
    plan = plan_of_manifest(manifest)
    void = {failure["strategy"] for failure in manifest["failures"]}
    lines = []
    for pairing, (met, tally) in enumerate(zip(plan.pairings(), found.tallies, strict=True)):
        if {plan.names[entry] for entry in plan.seats(met)} & void:
            continue
        for first, n in tally.boards.gaps(0, plan.boards):
            pair = _pair(manifest, pairing)
            lines.append(f"boards {first} to {first + n - 1} of {pair} are missing")
    return lines


def _pair(manifest: dict[str, Any], pairing: int) -> str:
    plan = plan_of_manifest(manifest)
    met = plan.pairings()[pairing]
    return f"{plan.team_names[met.a]} with {plan.team_names[met.b]}"


def orphans(folder: RunFolder) -> list[str]:
    """Return the names of files that belong to no pairing of a run, or were never finished."""
    found = _audit(folder, folder.read_manifest(), lambda done, total: None)
    return [*found.strangers, *folder.temporary()]


def merge_runs(
    shards: Sequence[RunFolder], target: RunFolder, progress: Progress
) -> dict[str, Any]:
    """Make a new run of the parts of several of one plan; return its manifest.

    A strategy that failed in a shard has no pairing in it either; which that is, and what no shard
    has, is found when one goes on with the run.

    Raises
    ------
    StoreError
        When they are not of one plan and version, one of them is damaged, or two have the same
        boards. Nothing is made then.
    """
    target.check_is_free()
    manifests = [shard.read_manifest() for shard in shards]
    first = manifests[0]
    for shard, manifest in zip(shards, manifests, strict=True):
        for name in ("plan", "keep", "strategies", "engine_version"):
            if _identity(manifest, name) != _identity(first, name):
                raise StoreError(
                    f"{shard.place} is of another run than {shards[0].place}: its {name} differs"
                )
    plan = plan_of_manifest(first)
    failed = {f["strategy"] for m in manifests for f in m.get("failures", [])}
    void = [{plan.names[entry] for entry in plan.seats(met)} & failed for met in plan.pairings()]
    places: dict[Part, RunFolder] = {}
    boards = [Coverage() for _ in void]
    for shard, its in zip(shards, manifests, strict=True):
        found = _audit(shard, its, progress)
        for _, why in (*found.faults, *found.doubled):
            raise StoreError(f"{shard.place}: {why}")
        for pairing, parts in enumerate(found.parts):
            for part in parts:
                if part not in places and not void[pairing]:
                    places[part] = shard
        for pairing, tally in enumerate(found.tallies):
            new = [r for r in tally.boards.ranges if r not in boards[pairing].ranges]
            for board, n in new:
                if boards[pairing].overlaps(board, n):
                    raise StoreError(
                        f"the shards overlap: {shard.place} has boards {board} to {board + n - 1} "
                        f"of {_pair(first, pairing)} in part beside another"
                    )
                boards[pairing].add(board, n)
    manifest = {**first, "seconds": sum(m.get("seconds", 0) for m in manifests)}
    with target.storage.lock():
        begin(target, manifest)
        for part, shard in sorted(places.items()):
            target.storage.write(part.name, shard.storage.read(part.name))
        whole = _audit(target, manifest, progress)
        outcome = Outcome(plan, whole.tallies)
        if _missing({**manifest, "failures": []}, whole):
            outcome.stopped = "shard"
        record_outcome(target, manifest, outcome)
    return manifest


def _identity(manifest: dict[str, Any], name: str) -> Any:
    """Return what must be equal in two shards: of a strategy not where its file lies."""
    if name != "strategies":
        return manifest[name]
    return [{k: v for k, v in s.items() if k != "entry"} for s in manifest["strategies"]]
