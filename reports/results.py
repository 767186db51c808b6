"""What a run found: its manifest and summaries, read from its folder or fresh from the engine."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..sim.manifest import plan_of_manifest
from ..sim.schedule import Pairing, Plan
from ..sim.store import RunFolder, StoreError
from ..sim.summary import PairingSummary


@dataclass(frozen=True)
class Results:
    """A run's plan, manifest and summaries (one a pairing; void pairings are empty)."""

    plan: Plan
    manifest: dict[str, Any]
    summaries: list[PairingSummary]
    exemplars: list[dict[str, Any]] = field(default_factory=list)
    """Transcripts of matches worth watching (`sim.exemplars`)."""
    sample: list[dict[str, Any]] = field(default_factory=list)
    """Transcripts of the first boards of each pairing."""

    @property
    def names(self) -> tuple[str, ...]:
        """The teams' names in their order: those of the entries, but for mixed teams."""
        return self.plan.team_names

    def played(self) -> Iterator[tuple[Pairing, PairingSummary]]:
        """Yield the pairings that count, with their summaries."""
        for pairing, summary in zip(self.plan.pairings(), self.summaries, strict=True):
            if summary.total("boards"):
                yield pairing, summary

    def sides_of(self, entry: int) -> Iterator[tuple[str, int, PairingSummary]]:
        """Yield (side, opponent, summary) of each pairing that an entry plays in."""
        for pairing, summary in self.played():
            if pairing.a == entry:
                yield "a", pairing.b, summary
            elif pairing.b == entry:
                yield "b", pairing.a, summary

    def side_groups(self, entry: int, name: str) -> np.ndarray:
        """Return a side's column summed over the entry's pairings, by group of boards."""
        total = np.zeros(256, np.int64)
        for side, _, summary in self.sides_of(entry):
            total += summary.column(f"{name}_{side}")
        return total

    def groups(self, entry: int, name: str) -> np.ndarray:
        """Return a column of matches or boards summed over the entry's pairings, by group."""
        total = np.zeros(256, np.int64)
        for _, _, summary in self.sides_of(entry):
            total += summary.column(name)
        return total


def load_results(place: str | Path) -> Results:
    """Return what a run's folder holds; raises StoreError when that cannot be read."""
    folder = RunFolder(place)
    manifest = folder.read_manifest()
    if manifest.get("status") == "running":
        raise StoreError(
            f"the run in {place} was not finished: "
            f"prummy tournament --resume --out {place} goes on with it"
        )
    plan = plan_of_manifest(manifest)
    summaries = folder.read_summaries(len(plan.pairings()), manifest["summaries"])
    kept = (folder.read_transcripts(n, manifest["transcripts"]) for n in ("exemplars", "sample"))
    return Results(plan, manifest, summaries, *kept)
