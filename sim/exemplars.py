"""The matches of a run that are kept whole, as transcripts: a sample, and exemplars.

The *sample* is the first boards of each pairing, both rotations, which are as good as any
(`sim.seeds`): a report takes from it what only a match itself can tell, turn by turn. *Exemplars*
are chosen by the data: what is worth watching. Both are played again when a run ends.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .schedule import Plan
from .summary import Histogram, PairingSummary
from .transcript import TranscriptError, transcript_of_log

_log = logging.getLogger(__name__)

SAMPLE_MATCHES = 1000  # of all pairings together, at most
SAMPLE_SHARE = 0.05  # of all matches, at most, but one board of each pairing
JOKER_TRIES = 8  # matches that are looked through for four jokers

EXEMPLARS: dict[str, str] = {
    "upset": "the biggest upset: the worse of two wins by most",
    "closest": "the smallest margin",
    "median": "a match of the sample with the median margin",
    "longest": "the most turns",
    "highest": "the highest score of a side",
    "floater": "the most players that gave their last card and stayed in",
    "jokers": "four jokers laid at once",
}


@dataclass(frozen=True)
class Match:
    """Which match of a plan: its pairing, board and rotation."""

    pairing: int
    board: int
    rotation: int


def sample_boards(plan: Plan) -> int:
    """Return how many boards of each pairing are in the sample of a run."""
    pairings = max(1, len(plan.pairings()))
    return max(1, min(int(SAMPLE_SHARE * plan.boards), SAMPLE_MATCHES // (2 * pairings)))


def kept_matches(
    plan: Plan,
    summaries: Sequence[PairingSummary],
    reached: Sequence[int],
    log_of: Callable[[Match], np.ndarray],
) -> dict[str, list[dict[str, Any]]]:
    """Return the transcripts of ``"sample"`` and ``"exemplars"``.

    Each holds beside the fields of a transcript the names of both sides, ``"a"`` and ``"b"``; an
    exemplar also what it is an example of, ``"exemplar"``. A match that does not come out again
    as it was counted is left out, with a warning: its strategy is no function of its seed.

    Parameters
    ----------
    reached
        Of each pairing, how many boards from the first on have been played.
    log_of
        Plays a match again and returns the log of its actions.
    """

    def told(match: Match) -> Iterator[dict[str, Any]]:
        met = plan.pairings()[match.pairing]
        names = [plan.names[entry] for entry in plan.seats(met)]
        which = (plan.seed, match.board, match.rotation)
        try:
            transcript = transcript_of_log(plan.rules, names, *which, log_of(match))
        except TranscriptError as error:
            _log.warning("%s: board %d is not kept: %s", names, match.board, error)
        else:
            yield {**transcript, "a": plan.team_names[met.a], "b": plan.team_names[met.b]}

    sample = [
        transcript
        for pairing, boards in enumerate(reached)
        for board in range(min(boards, sample_boards(plan)))
        for rotation in (0, 1)
        for transcript in told(Match(pairing, board, rotation))
    ]
    exemplars = [
        {"exemplar": name, **transcript}
        for name, match, value in _extremes(summaries)
        for transcript in told(match)
        if _is_as_counted(name, transcript, value)
    ]
    exemplars += [{"exemplar": "median", **t} for t in _median(sample, summaries)]
    doublings = (transcript for match in _doublings(summaries) for transcript in told(match))
    exemplars += [{"exemplar": "jokers", **t} for t in filter(_has_four_jokers, doublings)][:1]
    exemplars.sort(key=lambda t: list(EXEMPLARS).index(t["exemplar"]))
    return {"sample": sample, "exemplars": exemplars}


def _is_as_counted(name: str, transcript: dict[str, Any], value: int) -> bool:
    """Return whether a match has the value for which it was chosen, as far as its scores tell."""
    values = {
        "upset": abs(margin_of_a(transcript)),
        "closest": -abs(margin_of_a(transcript)),
        "highest": max(transcript["score"]),
    }
    if values.get(name, value) == value:
        return True
    _log.warning("the match with %s came out otherwise when it was played again", EXEMPLARS[name])
    return False


def margin_of_a(transcript: dict[str, Any]) -> int:
    """Return the margin of side a in a transcript."""
    margin = int(transcript["score"][0] - transcript["score"][1])
    return -margin if transcript["rotation"] else margin


def _extremes(summaries: Sequence[PairingSummary]) -> Iterator[tuple[str, Match, int]]:
    """Yield the exemplars that the summaries name: which match it is, and its value."""
    kinds = {"closest": "closest", "longest": "longest", "highest": "highest", "floater": "floats"}
    upsets = []
    for pairing, summary in enumerate(summaries):
        if margin := summary.total("margin"):
            found = summary.extreme("win_b" if margin > 0 else "win_a")
            upsets += [(found[0], Match(pairing, *found[1:]))] if found and found[0] > 0 else []
    if upsets:
        value, match = max(upsets, key=_by_value)
        yield "upset", match, value
    for name, kind in kinds.items():
        for value, match in _ranked(summaries, kind)[:1]:
            if name != "floater" or value > 0:
                yield name, match, value


def _by_value(item: tuple[int, Match]) -> tuple[int, int, int, int]:
    """Return what orders matches by their value; of equals the first of the first pairing leads."""
    value, match = item
    return value, -match.pairing, -match.board, -match.rotation


def _ranked(summaries: Sequence[PairingSummary], kind: str) -> list[tuple[int, Match]]:
    """Return the extremes of a kind of all pairings, the largest value first."""
    found = [
        (its[0], Match(pairing, *its[1:]))
        for pairing, summary in enumerate(summaries)
        if (its := summary.extreme(kind)) is not None
    ]
    return sorted(found, key=_by_value, reverse=True)


def _doublings(summaries: Sequence[PairingSummary]) -> list[Match]:
    """Return the matches in which doubling brought most: four jokers bring more than any rank."""
    return [match for value, match in _ranked(summaries, "doubling") if value > 0][:JOKER_TRIES]


def _has_four_jokers(transcript: dict[str, Any]) -> bool:
    return any("=*C*D*H*S" in deal["actions"] for deal in transcript["deals"])


def _median(
    sampled: Sequence[dict[str, Any]], summaries: Sequence[PairingSummary]
) -> list[dict[str, Any]]:
    """Return the transcript of the sample whose margin is nearest to the median of all."""
    sizes = Histogram()
    for summary in summaries:
        margins = summary.histograms["margin"]
        sizes.add(np.abs(margins.values), margins.counts)
    if not sampled:
        return []
    place = np.searchsorted(np.cumsum(sizes.counts), (sizes.counts.sum() + 1) // 2)
    middle = int(sizes.values[place])
    return [min(sampled, key=lambda t: abs(abs(margin_of_a(t)) - middle))]
