"""What a run found: its manifest and summaries, read from its folder or fresh from the engine."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..sim.columns import SIDE_COLUMNS
from ..sim.errors import PrummyError
from ..sim.manifest import plan_of_manifest, resume_command
from ..sim.schedule import Pairing, Plan
from ..sim.store import RunFolder, StoreError
from ..sim.summary import (
    EXTREMES,
    GROUP_COLUMNS,
    N_GROUPS,
    NO_MATCH,
    PAIRS,
    Histogram,
    PairingSummary,
)


class ResultsError(PrummyError, ValueError):
    """Something asked of a run that is not in it."""


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
        yield from self._counted

    @cached_property
    def _counted(self) -> list[tuple[Pairing, PairingSummary]]:
        pairs = zip(self.plan.pairings(), self.summaries, strict=True)
        return [(pairing, summary) for pairing, summary in pairs if summary.total("boards")]

    def summary_of(self, a: str, b: str) -> PairingSummary:
        """Return the summary of two that met, seen from a's side, whichever came first.

        Raises
        ------
        ResultsError
            For a name that is not in the run, and for two whose matches do not count.
        """
        for name in (a, b):
            if name not in self.names:
                near = get_close_matches(name, self.names, n=3)
                hint = f"did you mean {' or '.join(near)}?" if near else "it has "
                hint += "" if near else ", ".join(self.names)
                raise ResultsError(f"{name!r} is not in this run; {hint}")
        entries = self.names.index(a), self.names.index(b)
        for pairing, summary in self.played():
            if (pairing.a, pairing.b) == entries:
                return summary
            if (pairing.b, pairing.a) == entries:
                return mirrored(summary)
        raise ResultsError(f"no match between {a} and {b} counts: {self._why_none(*entries)}")

    def _why_none(self, *entries: int) -> str:
        """Say why two have no matches that count."""
        if set(entries) not in ({met.a, met.b} for met in self.plan.pairings()):
            return f"they do not meet in this run ({self.plan.format})"
        players = {self.plan.names[k] for entry in entries for k in self.plan.teams[entry]}
        for failure in self.manifest["failures"]:
            if failure["strategy"] in players:
                return (
                    f"{failure['strategy']} failed, so that the pairing is void: "
                    f"{failure['kind']} (evidence: {failure['evidence']})"
                )
        return "none was played"

    def sides_of(self, entry: int) -> Iterator[tuple[str, int, PairingSummary]]:
        """Yield (side, opponent, summary) of each pairing that an entry plays in."""
        for pairing, summary in self.played():
            if pairing.a == entry:
                yield "a", pairing.b, summary
            elif pairing.b == entry:
                yield "b", pairing.a, summary

    def side_groups(self, entry: int, name: str) -> np.ndarray:
        """Return a side's column summed over the entry's pairings, by group of boards."""
        total = np.zeros(N_GROUPS, np.int64)
        for side, _, summary in self.sides_of(entry):
            total += summary.column(f"{name}_{side}")
        return total

    def groups(self, entry: int, name: str) -> np.ndarray:
        """Return a column of matches or boards summed over the entry's pairings, by group."""
        total = np.zeros(N_GROUPS, np.int64)
        for _, _, summary in self.sides_of(entry):
            total += summary.column(name)
        return total


def mirrored(summary: PairingSummary) -> PairingSummary:
    """Return the summary of the same matches with a and b changed: b was entered first."""
    column = {name: summary.column(name) for name in GROUP_COLUMNS}
    other = {"wins": "losses", "losses": "wins"}
    other |= {f"pairs_{index}": f"pairs_{len(PAIRS) - 1 - index}" for index in range(len(PAIRS))}
    for side in SIDE_COLUMNS:
        other |= {f"{side.name}_a": f"{side.name}_b", f"{side.name}_b": f"{side.name}_a"}
    groups = {name: column[other.get(name, name)] for name in GROUP_COLUMNS}
    groups["margin"] = -column["margin"]
    groups["margin_0"] = column["margin_0"] - column["margin"]  # rotation 1 is now rotation 0
    half_wins = 2 * column["wins"] + column["draws"]
    groups["board_share_squared"] = (  # a board's four half-wins less those of a
        16 * column["boards"] - 8 * half_wins + column["board_share_squared"]
    )
    ends = summary.histograms["deal_end"]
    values = {
        "margin": -summary.histograms["margin"].values,
        "deal_end": np.where(ends.values < 2, 1 - ends.values, ends.values),
    }
    swap = {"score_a": "score_b", "score_b": "score_a"}
    swap |= {f"deal_{name}": f"deal_{its}" for name, its in swap.items()}
    histograms = {name: Histogram() for name in summary.histograms}
    for name, histogram in histograms.items():
        its = summary.histograms[swap.get(name, name)]
        histogram.add(values.get(name, its.values), its.counts)
    its_wins = {"win_a": "win_b", "win_b": "win_a"}
    places = [list(EXTREMES).index(its_wins.get(name, name)) for name in EXTREMES]
    extremes = summary.extremes[places]
    extremes[:, 2] ^= extremes[:, 0] != NO_MATCH  # rotation 1 is now rotation 0
    return PairingSummary(np.stack(list(groups.values()), axis=1), histograms, extremes)


def load_results(place: str | Path) -> Results:
    """Return what a run's folder holds; raises StoreError when that cannot be read."""
    folder = RunFolder(place)
    manifest = folder.read_manifest()
    if manifest.get("status") == "running":
        raise StoreError(
            f"the run in {place} was not finished: "
            f"{resume_command(manifest, str(place))} goes on with it"
        )
    plan = plan_of_manifest(manifest)
    summaries = folder.read_summaries(len(plan.pairings()), manifest["summaries"])
    kept = (folder.read_transcripts(n, manifest["transcripts"]) for n in ("exemplars", "sample"))
    return Results(plan, manifest, summaries, *kept)
