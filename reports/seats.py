"""What dealer and seats are worth, and in mixed teams who deals first and who sits behind whom.

Rules and schedule treat all seats alike, so that seats by themselves are worth 0 in truth: what is
seen of it tells how far luck carries. Between two mixed teams (p with q, r with s) the order
counts: a player takes what the one before him throws. In rotation 0 they act in the order p r q s,
in rotation 1 in the order r p s q, so that each team has either order once a board.
"""

from typing import Any

import numpy as np

from ..sim.schedule import Pairing
from ..sim.summary import N_GROUPS, PairingSummary
from .results import Results
from .stats import Interval, difference_interval, mean_interval, share_interval

EFFECTS = {
    "dealer_margin": "margin of the dealing team, points a deal",
    "first_dealer_margin": "margin of the team that deals first, points a match",
    "first_dealer_share": "share of matches won by the team that deals first",
    "seat_margin": "margin of the team at seats 0 and 2, points a match, where the order is one",
}


def seat_effects(results: Results) -> dict[str, Interval]:
    """Return `EFFECTS` over all pairings that count, as far as they can be told."""
    sums = np.zeros((6, N_GROUPS), np.int64)
    boards = 0
    for met, summary in results.played():
        names = ("matches", "dealer_margin", "first_dealer_margin", "first_dealer_half_wins")
        sums[:4] += [summary.column(name) for name in names]
        if not _has_two_orders(results, met):
            sums[4] += 2 * summary.column("margin_0") - summary.column("margin")
            sums[5] += summary.column("matches")
        boards = max(boards, summary.total("boards"))
    matches, dealer, first, half_wins, seat, seated = sums
    if not matches.any():
        return {}
    found = {
        "dealer_margin": mean_interval(dealer, results.plan.rules.deals * matches),
        "first_dealer_margin": mean_interval(first, matches),
        "first_dealer_share": share_interval(half_wins, 2 * matches, boards),
    }
    if seated.any():
        found["seat_margin"] = mean_interval(seat, seated)
    return found


def _has_two_orders(results: Results, met: Pairing) -> bool:
    """Return whether both teams are mixed, so that it matters who sits behind whom."""
    one, other, its_partner, other_partner = results.plan.seats(met)
    return one != its_partner and other != other_partner


def order_effects(results: Results) -> dict[tuple[str, str], Interval]:
    """Return, of each pairing of two mixed teams, what the order of rotation 0 is worth to a.

    With a = p & q and b = r & s: the margin of a where the four act in the order p r q s less that
    where they act in the order r p s q, points a match. Empty for a run without mixed teams.
    """
    return {
        (results.names[met.a], results.names[met.b]): mean_interval(
            2 * summary.column("margin_0") - summary.column("margin"), summary.column("boards")
        )
        for met, summary in results.played()
        if _has_two_orders(results, met)
    }


def first_dealers(results: Results) -> dict[str, Interval]:
    """Return, of each mixed team, what it gains when the first of its two deals first.

    That is its mean margin in those matches less that in which the second of the two deals first,
    points a match. Empty for a run without mixed teams, and with fewer than four boards.
    """
    found = {}
    for team, (one, other) in enumerate(results.plan.teams):
        if one == other:
            continue
        sums = np.zeros((2, 2, N_GROUPS), np.int64)  # who deals; margins and matches
        for side, _, summary in results.sides_of(team):
            for who in (0, 1):
                sums[who] += _dealt_by(summary, side, who)
        if all(sums[who, 1].any() for who in (0, 1)):
            found[results.names[team]] = difference_interval(*sums[0], *sums[1])
    return found


def _dealt_by(summary: PairingSummary, side: str, who: int) -> np.ndarray:
    """Return margin of a side, and matches, by group, where one of its two players deals first.

    In a group of boards the first dealer is the same seat throughout, group mod 4, so that each
    player of the four deals first in one rotation or in none.
    """
    margins = np.array(
        [summary.column("margin_0"), summary.column("margin") - summary.column("margin_0")]
    )
    found = np.zeros((2, N_GROUPS), np.int64)
    player = (0 if side == "a" else 1) + 2 * who  # its seat in rotation 0
    for rotation in (0, 1):
        mine = np.arange(N_GROUPS) % 4 == player ^ rotation
        found[0] += np.where(mine, margins[rotation], 0)
        found[1] += np.where(mine, summary.column("boards"), 0)
    return found if side == "a" else found * np.array([[-1], [1]])


def seats_json(results: Results) -> dict[str, Any]:
    """Return what ``prummy partners --json`` prints of seats and dealers."""
    return {
        "effects": {name: value.to_json() for name, value in seat_effects(results).items()},
        "first_dealers": {name: value.to_json() for name, value in first_dealers(results).items()},
        "orders": [
            {"a": a, "b": b, "effect": value.to_json()}
            for (a, b), value in order_effects(results).items()
        ],
    }
