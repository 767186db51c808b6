"""What is asked of somebody's strategy beside a run, in a child that can be lost: `sim.child`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .chance import Luck
from .child import Child, ChildError, GoneError, Limits
from .conformance import CHECKS, FAIL, NEEDED, NOT_RUN, Verdict
from .errors import PrummyError
from .rules import Rules
from .summary import PairingSummary
from .transcript import StrategyFailedError


def play_transcript_apart(
    rules: Rules,
    entries: Sequence[str],
    names: Sequence[str],
    seed: int,
    board: int,
    rotation: int,
    limits: Limits,
) -> dict[str, Any]:
    """Return what `transcript.play_transcript` does, played in a child by entries as texts."""
    child = Child(rules, limits)
    try:
        found: dict[str, Any] = child.ask(
            "transcript", rules, tuple(entries), tuple(names), seed, board, rotation
        )
    except GoneError as gone:
        failure = child.failure(str(gone))
        raise StrategyFailedError(names[failure.player], failure) from None
    finally:
        child.close()
    return found


def explain_apart(
    transcript: dict[str, Any], entries: Sequence[str], limits: Limits
) -> list[dict[str, Any]]:
    """Return what `explain.explained` does; the strategies, entries as texts, rate in a child."""
    child = Child(Rules(), limits)
    try:
        found: list[dict[str, Any]] = child.ask("explain", transcript, tuple(entries))
    except GoneError as gone:
        raise ChildError(f"the decisions could not be explained: rate {gone}") from None
    finally:
        child.close()
    return found


def profiles_apart(
    entries: Sequence[str], against: str, rules: Rules, seed: int, boards: int, limits: Limits
) -> Iterator[dict[str, Any]]:
    """Yield what `profile.profile` returns for each entry, a text, all played in one child."""
    child = Child(rules, limits)
    try:
        for entry in entries:
            try:
                yield child.ask("profile", entry, against, rules, seed, boards)
            except GoneError as gone:
                raise ChildError(f"{entry} against {against}: a strategy {gone}") from None
    finally:
        child.close()


def trial_apart(
    entries: Sequence[str], rules: Rules, seed: int, boards: int, limits: Limits
) -> tuple[PairingSummary, float]:
    """Return the summary of some boards of two entries, as texts, and the seconds they took."""
    child = Child(rules, limits)
    try:
        found: tuple[PairingSummary, float] = child.ask("trial", entries, rules, seed, boards)
    except GoneError as gone:
        raise ChildError(f"{' against '.join(entries)}: a strategy {gone}") from None
    finally:
        child.close()
    return found


def luck_apart(
    pairs: Iterable[Sequence[str]], rules: Rules, seed: int, boards: int, limits: Limits
) -> Iterator[Luck]:
    """Yield what `chance.play_with_luck` returns for each two entries, as texts, in one child."""
    child = Child(rules, limits)
    try:
        for pair in pairs:
            try:
                yield child.ask("luck", pair, rules, seed, boards)
            except GoneError as gone:
                raise ChildError(f"{' against '.join(pair)}: a strategy {gone}") from None
    finally:
        child.close()


def check_apart(entry: str, limits: Limits) -> Iterator[Verdict]:
    """Yield the verdict of each check of `conformance`, made in a child.

    Without hooks that compile and play by the rules the others have nothing to go by: then they
    are not run.
    """
    child = Child(Rules(), limits)
    stopped = ""
    try:
        for name in CHECKS:
            if stopped:
                yield Verdict(name, NOT_RUN, stopped)
                continue
            verdict = _checked(child, entry, name)
            yield verdict
            if verdict.status == FAIL and (name in NEEDED or not child.is_alive):
                stopped = f"mend {name} first"
    finally:
        child.close()


def _checked(child: Child, entry: str, name: str) -> Verdict:
    try:
        verdict: Verdict = child.ask("check", entry, name)
        return verdict
    except GoneError as gone:
        try:
            failure = child.failure(str(gone))
        except ChildError as error:
            return Verdict(name, FAIL, str(error))
        return Verdict(
            name, FAIL, f"{failure.what} (board {failure.board}, deal {failure.deal + 1})"
        )
    except PrummyError as error:  # it does not load or compile
        return Verdict(name, FAIL, str(error))
