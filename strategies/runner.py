"""The strategy `runner`."""

from typing import Any

from ..sim.bits import ZERO, bit, trailing_zeros
from ..sim.jit import jit
from ..sim.melds import points_of, run_cards, run_layoffs
from ..sim.view import play_run, taken_with
from .base import Param, Strategy
from .toolkit import (
    best_discard,
    best_draw,
    near_in_suit,
    next_play,
    rating,
    risk,
    stretch_of,
)


@jit
def worth_of_runs(view: Any, params: Any, cards: Any) -> float:
    """Return what a hand holds in runs, lay-offs on runs, and neighbours in suit."""
    down = run_cards(cards, view.rules.min_run) | run_layoffs(cards, view.runs_mask)
    near = cards & near_in_suit(cards) & ~down
    return points_of(down, view.rules) + params[0] * points_of(near, view.rules)


@jit
def worth_of_take(view: Any, params: Any, card: int) -> float:
    """Return what taking a pile card adds to the runs and neighbours."""
    cards = view.hand | taken_with(view, card)
    return worth_of_runs(view, params, cards) - worth_of_runs(view, params, view.hand)


@jit
def worth_of_discard(view: Any, params: Any, card: int) -> float:
    """Return what throwing a card takes from the runs, and may give the next player."""
    rest = worth_of_runs(view, params, view.hand & ~bit(card))
    danger = params[1] * risk(view, view.seat + 1, card)
    return rest - worth_of_runs(view, params, view.hand) - danger


class Runner(Strategy):
    """Collects runs: keeps neighbours in suit, and throws what has none.

    A hand is worth the points of its runs, of its lay-offs on runs, and part of the points of its
    neighbours. A take is worth what it adds to that, a discard what it leaves of it, unless the
    next player may bind the card. Runs go down before sets, since a run takes any number of cards
    at both ends, its own later ones too. It fails because those ends are open to everybody, because
    a run never doubles, and at the ace and the two, where it has one end only.
    """

    params = (
        Param("near", 0.5, 0, 3, "worth of a point beside others of its suit, to one in a run"),
        Param("fear", 2.0, 0, 20, "cost of a point that the next player may bind"),
    )

    @staticmethod
    def draw(view, params, work):
        return best_draw(view, params, worth_of_take)

    @staticmethod
    def meld(view, params, work):
        runs = run_cards(view.hand, view.rules.min_run)
        if view.bound < 0 and runs != ZERO:
            return play_run(stretch_of(view.hand, trailing_zeros(runs)))
        return next_play(view, ZERO)

    @staticmethod
    def discard(view, params, work):
        return best_discard(view, params, worth_of_discard)

    @staticmethod
    def rate(view, params, action):
        return rating(view, params, action, worth_of_take, worth_of_discard)
