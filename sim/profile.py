"""How a strategy plays, in figures: what it takes, lays and throws, and how long its hooks think.

Figures are means over matches, both players of a team together, without intervals: they describe a
way of playing. Who is better is for a tournament to say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..strategies.registry import Entry
from .cards import parse_card
from .match import Block, play_boards, seconds_of_hook
from .questions import questions
from .rules import Rules
from .transcript import StrategyFailedError, play_transcript
from .view import HOOK_NAMES

TOLD_BOARDS = 10  # boards whose matches are looked at action by action
TIMED_MATCHES = 4


@dataclass(frozen=True)
class Measure:
    """One figure of a profile: its name, unit and meaning."""

    name: str
    unit: str
    doc: str


MEASURES = (
    Measure("takes", "% of draws", "draws from the pile, where it has drawn at all"),
    Measure("cards a take", "cards", "how deep it takes the pile"),
    Measure("sets", "a match", "sets laid"),
    Measure("runs", "a match", "runs laid"),
    Measure("lay-offs", "a match", "other plays"),
    Measure("doubles", "a match", "four of a kind at once"),
    Measure("went out", "% of deals", "deals in which one of its players went out"),
    Measure("left in hands", "points a match", "what stayed in its hands"),
    Measure("first play", "turn *", "own turn of a deal in which a player first lays something"),
    Measure("thrown", "points a card *", "what the cards are worth that it discards"),
    Measure("thrown and taken", "% of discards *", "after which the next opponent takes the pile"),
    *(Measure(f"{name} hook", "ns a call", f"time for one call of {name}") for name in HOOK_NAMES),
)
"""The figures of a profile, in the order in which they are shown."""


def profile(
    entry: Entry,
    against: Entry,
    rules: Rules,
    seed: int,
    boards: int,
    game: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the figures of a strategy (`MEASURES`, by name) in matches against another.

    None where there is nothing to count, and for the time of a hook that was never asked, or
    that raises when it is asked out of turn. `game` is as in `match.play_boards`.

    Raises
    ------
    StrategyFailedError
        Where one of them fails.
    """
    players = [entry.player(), against.player()] * 2
    names = [entry.name, against.name] * 2
    block = play_boards(rules, players, seed, 0, boards, game=game)
    if block.failure is not None:
        raise StrategyFailedError(names[block.failure.player], block.failure)
    matches = [
        play_transcript(rules, players, names, seed, board, rotation, game)
        for board in range(min(boards, TOLD_BOARDS))
        for rotation in (0, 1)
    ]
    found = _counted(block, rules) | _told(matches, rules)
    return found | _timed(entry, matches[:TIMED_MATCHES])


def _counted(block: Block, rules: Rules) -> dict[str, float | None]:
    """Return the figures that the kernel counts."""
    side, n = block.sides[:, 0], len(block.rows)
    total = {name: int(side[name].sum()) for name in side.dtype.names or ()}
    draws = total["takes"] + total["stock_draws"]
    return {
        "takes": _share(100 * total["takes"], draws),
        "cards a take": _share(total["cards_taken"], total["takes"]),
        "sets": total["sets"] / n,
        "runs": total["runs"] / n,
        "lay-offs": total["layoffs"] / n,
        "doubles": total["doubles"] / n,
        "went out": 100 * total["outs"] / (n * rules.deals),
        "left in hands": total["left_points"] / n,
    }


def _told(matches: Sequence[dict[str, Any]], rules: Rules) -> dict[str, float | None]:
    """Return the figures that only the actions of matches tell."""
    worth = rules.record()["rank_points"][0]
    first, thrown, taken = [], [], 0
    for match in matches:
        mine = match["rotation"]
        for deal in match["deals"]:
            turns = list(_turns(deal))
            for seat in (mine, mine + 2):
                own = [actions for who, actions in turns if who == seat]
                laid = [n for n, actions in enumerate(own, 1) if _lays(actions)]
                first += laid[:1]
            for (seat, actions), after in zip(turns, [*turns[1:], (0, ["-"])], strict=True):
                if seat & 1 == mine and actions[-1][0] == "D":
                    thrown.append(worth[parse_card(actions[-1][1:]) // 4])
                    taken += after[1][0][0] == "T"
    return {
        "first play": _share(sum(first), len(first)),
        "thrown": _share(float(sum(thrown)), len(thrown)),
        "thrown and taken": _share(100 * taken, len(thrown)),
    }


def _turns(deal: dict[str, Any]) -> Iterator[tuple[int, list[str]]]:
    """Yield (seat, actions) of each turn of a deal of a transcript."""
    seat, actions = (deal["dealer"] + 1) & 3, list[str]()
    for text in deal["actions"]:
        if text[0] in "STP" and actions:
            yield seat, actions
            seat, actions = (seat + 1) & 3, []
        actions.append(text)
    yield seat, actions


def _lays(actions: Sequence[str]) -> bool:
    return any(text[0] in "=-" for text in actions)


def _timed(entry: Entry, matches: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Return how long the hooks take for what they were asked in some matches."""
    asked = np.concatenate([questions(match) for match in matches])
    found: dict[str, float | None] = {}
    for hook, name in enumerate(HOOK_NAMES):
        tables = np.ascontiguousarray(asked["table"][asked["hook"] == hook])
        seconds = seconds_of_hook(entry.player(), hook, tables) if len(tables) else None
        found[f"{name} hook"] = None if seconds is None else 1e9 * seconds
    return found


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
