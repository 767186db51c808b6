"""What the helpers for strategies cost: ``python -m benchmarks.helpers``.

Each helper is called in a compiled loop over positions of matches between built-in strategies, as a
hook would call it. What is printed is nanoseconds a call: the mean over the positions, and of the
rounds the best, in time on the processor. The helpers take turns in each round. A second table is
of `best_melds` for random hands of so many cards: the mean over the hands, and the slowest one.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from persian_rummy.sim.bits import ZERO, trailing_zeros, without_lowest
from persian_rummy.sim.cards import mask_of
from persian_rummy.sim.jit import jit
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import play_transcript, replay
from persian_rummy.strategies import helpers
from persian_rummy.strategies.helpers import (
    best_melds,
    cards_left,
    discard_risk,
    discard_safety,
    double_chance,
    holds_chance,
    holds_for_certain,
    meldable,
    partner,
    take_brings,
    unseen,
)
from persian_rummy.strategies.registry import parse_entry

PLAYERS = ("hunter", "random", "greedy", "doubler")
POSITIONS = 256  # they stay in the processor's cache, as a view does
PASSES, ROUNDS = 20, 50
HAND_SIZES = (7, 10, 15, 20, 30, 40, 50)
HANDS, HAND_PASSES, HAND_ROUNDS = 500, 100, 15

ASKED: dict[str, Callable[..., Any]] = {
    "meldable": lambda view, out: np.int64(meldable(view.hand, view.rules)),
    "best_melds": lambda view, out: best_melds(view.hand, view.rules, out)[0],
    "cards_left": lambda view, out: cards_left(view),
    "holds_for_certain": lambda view, out: np.int64(holds_for_certain(view, partner(view))),
    "holds_chance": lambda view, out: holds_chance(view, partner(view), 30),
    "discard_risk": lambda view, out: discard_risk(view, partner(view), 30),
    "discard_safety": lambda view, out: discard_safety(view, 30),
    "double_chance": lambda view, out: double_chance(view, 5, 10),
    "unseen": lambda view, out: np.int64(unseen(view)),
    "partner": lambda view, out: partner(view),
}


def positions(takeable: bool) -> np.ndarray:
    """Return views spread over some matches: before a draw with a choice, or after a draw."""
    players = [parse_entry(name).player() for name in PLAYERS]
    found = []
    for board in range(40):
        match = play_transcript(Rules(), players, PLAYERS, 1, board, 0)
        for step in replay(match):
            drawn = step.table["phase"][0] == 1
            if step.table["takeable"][0] if takeable else drawn:
                found.append(step.table.copy())
    every = np.concatenate(found)
    return every[np.linspace(0, len(every) - 1, POSITIONS).astype(int)]


def loop_over(ask: Callable[..., Any]) -> Any:
    """Return a compiled loop that asks something of each view and returns (sum, calls)."""
    asked = jit(ask)

    @jit
    def loop(tables: Any, passes: int, out: Any) -> Any:
        total = 0.0
        for _ in range(passes):
            for at in range(tables.size):
                total += asked(tables[at], out)
        return total, passes * tables.size

    return loop


@jit
def take_each(tables: Any, passes: int, out: Any) -> Any:
    """Ask `take_brings` of every card that may be taken; return (sum, calls)."""
    total, calls = 0.0, 0
    for _ in range(passes):
        for at in range(tables.size):
            wanted = tables[at].takeable
            while wanted != ZERO:
                total += take_brings(tables[at], trailing_zeros(wanted))[1]
                wanted = without_lowest(wanted)
                calls += 1
    return total, calls


@jit
def meld_each(hands: Any, passes: int, rules: Any, out: Any) -> Any:
    """Ask `best_melds` of every hand; return the sum of the points."""
    total = 0
    for _ in range(passes):
        for at in range(hands.size):
            total += best_melds(hands[at], rules, out)[0]
    return total


def of_hands(n_cards: int) -> tuple[float, float]:
    """Return nanoseconds of `best_melds` for hands of so many cards: (mean, of the slowest)."""
    rng = np.random.default_rng(n_cards)
    packs = [rng.choice(56, n_cards, replace=False) for _ in range(HANDS)]
    hands = np.array([mask_of(cards.tolist()) for cards in packs], np.uint64)
    rules, out = Rules().record(), np.zeros(helpers.MAX_MELDS, np.int64)
    mean, each = np.inf, np.full(HANDS, np.inf)
    for _ in range(HAND_ROUNDS):
        mean = min(mean, _seconds(hands, rules, out) / HANDS)
        for at in range(HANDS):
            each[at] = min(each[at], _seconds(hands[at : at + 1], rules, out))
    return 1e9 * mean, 1e9 * float(each.max())


def _seconds(hands: np.ndarray, rules: np.ndarray, out: np.ndarray) -> float:
    """Return the seconds that asking each of some hands once takes."""
    started = time.thread_time()
    meld_each(hands, HAND_PASSES, rules[0], out)
    return (time.thread_time() - started) / HAND_PASSES


def main() -> None:
    drawn, drawing = positions(False), positions(True)
    out = np.zeros(helpers.MAX_MELDS, np.int64)
    loops = {name: (loop_over(ask), drawn) for name, ask in ASKED.items()}
    loops["take_brings"] = (take_each, drawing)
    for loop, tables in loops.values():
        loop(tables, 1, out)  # compiles it
    best = dict.fromkeys(loops, np.inf)
    for _ in range(ROUNDS):
        for name, (loop, tables) in loops.items():
            started = time.thread_time_ns()
            _, calls = loop(tables, PASSES, out)
            best[name] = min(best[name], (time.thread_time_ns() - started) / calls)
    cards = [int(hand).bit_count() for hand in drawn["hand"]]
    print(
        f"{POSITIONS} positions; hands of {min(cards)} to {max(cards)} cards, {np.mean(cards):.1f}"
    )
    print("\n| helper | ns a call |\n|---|---|")
    for name, nanoseconds in best.items():
        print(f"| `{name}` | {nanoseconds:.1f} |")
    print(f"\n| cards in hand | `best_melds`, ns a call | the slowest of {HANDS} hands |")
    print("|---|---|---|")
    for n_cards in HAND_SIZES:
        mean, slowest = of_hands(n_cards)
        print(f"| {n_cards} | {mean:,.0f} | {slowest:,.0f} |")


if __name__ == "__main__":
    main()
