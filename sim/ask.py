"""A strategy's hooks asked outside of a match: question by question, as often as one likes.

A *question* is one call of a hook; `sim.questions` reads those of a match off its transcript. All
questions of one seat in one deal are a *sitting*; it begins with empty memory and the seat's own
random stream, and its answers must not depend on anything else.

``python -m persian_rummy.sim.ask STRATEGY FILE`` asks those of a file again, in a process of its
own, where the compiler may have other settings; it prints what went wrong, or nothing. It needs no
kernel, which would be compiled with those settings too.
"""

import os
import sys
from typing import Any

import numpy as np

from ..strategies.registry import parse_entry
from .state import HIDDEN_DTYPE, NO_CARD, TABLE_DTYPE
from .view import HOOK_NAMES, Player

QUESTION_DTYPE = np.dtype(
    [
        ("match", "i8"),  # the board
        ("deal", "i8"),
        ("seat", "i8"),
        ("hook", "i8"),  # 0: draw, 1: meld, 2: discard
        ("action", "u8"),  # what was played, 2**64 - 1 where nothing was laid
        ("answer", "i8"),  # what the hook answered
        ("stream", "u8"),  # state of the seat's random stream when the deal began
        ("hidden", HIDDEN_DTYPE),
        ("table", TABLE_DTYPE),
    ],
    align=True,
)
"""One call of a hook: where, what was answered, and the position, in which `table` is the view."""


class HookError(Exception):
    """A hook that raised; the text says which and what."""


def answers(player: Player, questions: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return the answers (int64) of a player to questions, all of its sittings in random order.

    Parameters
    ----------
    player : Player
    questions : QUESTION_DTYPE array
        In the order in which they were asked.
    seed : int
        Of the order.

    Raises
    ------
    HookError
    """
    found = np.zeros(len(questions), np.int64)
    who = questions[["match", "deal", "seat"]]
    _, sitting_of = np.unique(who, return_inverse=True)
    n_sittings = int(sitting_of.max(initial=-1)) + 1
    for sitting in np.random.default_rng(seed).permutation(n_sittings):
        chosen = np.flatnonzero(sitting_of == sitting)
        found[chosen] = _sit(player, questions[chosen])
    return found


def _sit(player: Player, questions: np.ndarray) -> list[int]:
    """Return the answers to the questions of one sitting."""
    work = np.zeros(player.work_size, np.int64)
    stream = questions["stream"][0]
    found = []
    for place in range(len(questions)):
        view = questions["table"][place : place + 1]  # where hidden lies before it
        view["rng"] = stream
        hook = int(questions["hook"][place])
        try:
            found.append(int(player.hooks[hook](view[0], player.params, work)))
        except Exception as error:
            raise HookError(f"{HOOK_NAMES[hook]} raised {type(error).__name__}: {error}") from None
        stream = view["rng"][0]
    return found


def with_hidden_permuted(questions: np.ndarray, seed: int) -> np.ndarray:
    """Return the questions with what the seat cannot know dealt anew: other hands, stock, streams.

    Cards that a player is known to hold stay where they are.
    """
    rng = np.random.default_rng(seed)
    permuted = questions.copy()
    for place in range(len(permuted)):
        _permute(permuted[place : place + 1], rng)
    return permuted


def _permute(question: np.ndarray, rng: np.random.Generator) -> None:
    table, hidden = question["table"][0], question["hidden"][0]
    seat = int(table["seat"])
    known = [int(cards) for cards in table["known"]]
    seen = int(table["hand"] | table["sets_mask"] | table["runs_mask"] | table["pile_mask"])
    for cards in known:
        seen |= cards
    size = int(table["rules"]["pack_size"])
    unseen = rng.permutation([card for card in range(size) if not seen >> card & 1]).tolist()
    for other in range(4):
        if other == seat:
            continue
        n_unknown = int(table["counts"][other]) - known[other].bit_count()
        drawn = [unseen.pop() for _ in range(n_unknown)]
        hidden["hands"][other] = known[other] | sum(1 << card for card in drawn)
        hidden["streams"][other] = rng.integers(2**64, dtype=np.uint64)
    n_stock = int(table["stock_size"])
    dealt = [card for card in range(size) if card not in set(unseen[:n_stock])]
    hidden["deck"][: size - n_stock] = rng.permutation(dealt)[: size - n_stock]
    hidden["deck"][size - n_stock : size] = unseen[:n_stock]
    hidden["next_card"] = size - n_stock


def describe(question: Any) -> str:
    """Return where a question was asked, for a message."""
    bound = int(question["table"]["bound"])
    about = "" if bound == NO_CARD else ", a card bound"
    return (
        f"{HOOK_NAMES[int(question['hook'])]} on board {question['match']}, deal "
        f"{question['deal'] + 1}, turn {question['table']['turns'] + 1}, seat "
        f"{question['seat']}{about}"
    )


def main(entry: str, path: str) -> None:
    """Ask the questions of a file again; print the first thing that goes wrong.

    What the strategy itself prints goes to standard error.
    """
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    questions = np.fromfile(path, QUESTION_DTYPE)
    try:
        found = answers(parse_entry(entry).player(), questions)
    except HookError as error:
        said.write(str(error))
    else:
        for place in np.flatnonzero(found != questions["answer"])[:1]:
            said.write(f"another answer: {describe(questions[place])}")
    said.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
