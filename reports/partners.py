"""Partnerships: what a strategy is worth to itself, to other partners, and which pairs get on.

It takes a run of the format ``partners``, in which every two strategies make a team (also one with
itself) and all teams meet. With T_pq the rating of a team in points (`ratings.points_ratings`: a
pairing's expected margin is the difference of its two teams', so that opponents count by their
own ratings),

- a strategy's *own* strength is T_pp / 2, what each of two copies of it brings;
- its strength *as a partner* is the mean over the others q of T_pq - T_qq / 2: what it brings
  beside those that are not like it;
- the *synergy* of two is T_pq - (T_pp + T_qq) / 2: what they score together beyond the mean of
  their own kinds, so that strength as a partner is own strength and the mean of one's synergies.

Strengths are points a match above the mean of all own strengths. All of them are contrasts of the
ratings, with the errors that these have by the boards that all pairings share. In the breeding of
plants this is a diallel: general and specific combining ability, and heterosis.

*By the draw* is what a strategy scores when partners are drawn (RULES section 2) among four
different strategies of the field: every partner, seat and dealer is as likely as any other.

Source: Griffing, "Concept of general and specific combining ability in relation to diallel
crossing systems" (1956), method 2; Gardner and Eberhart, "Analysis and interpretation of the
variety cross diallel and related populations" (1966), for contrasts with the parents.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..sim.summary import N_GROUPS
from .ratings import Ratings, RatingsError, points_ratings
from .results import Results
from .stats import Interval, mean_interval, share_interval


@dataclass(frozen=True)
class Partnerships:
    """What came of a run of the format ``partners``; points a match, strategies by their place.

    Attributes
    ----------
    names : tuple of str
        The strategies whose teams all count.
    own, as_partner : lists of Interval
    synergy : dict of Interval by (p, q), p before q
    drawn_margin, drawn_share : lists of Interval, or None
        Margin a match and share of matches won by the draw; None with fewer than four strategies.
    unexplained : float
        Share of the pairings' squared margins that the teams' ratings leave over, 0 to 1.
    """

    names: tuple[str, ...]
    own: list[Interval]
    as_partner: list[Interval]
    synergy: dict[tuple[int, int], Interval]
    drawn_margin: list[Interval] | None
    drawn_share: list[Interval] | None
    unexplained: float

    def to_json(self) -> dict[str, Any]:
        """Return what ``prummy partners --json`` prints of it, the best own strength first."""
        order = sorted(range(len(self.names)), key=lambda k: (-self.own[k].estimate, k))
        rows = []
        for k in order:
            row: dict[str, Any] = {
                "strategy": self.names[k],
                "own": self.own[k].to_json(),
                "as_partner": self.as_partner[k].to_json(),
            }
            if self.drawn_margin is not None and self.drawn_share is not None:
                row["drawn_margin"] = self.drawn_margin[k].to_json()
                row["drawn_share"] = self.drawn_share[k].to_json()
            rows.append(row)
        pairs = sorted(self.synergy.items(), key=lambda item: (-item[1].estimate, item[0]))
        return {
            "strategies": rows,
            "synergies": [
                {"pair": [self.names[p], self.names[q]], "synergy": interval.to_json()}
                for (p, q), interval in pairs
            ],
            "unexplained": self.unexplained,
        }


def partnerships(results: Results) -> Partnerships:
    """Return what a run of teams says of its strategies as partners.

    Strategies with a void team are left out.

    Raises
    ------
    RatingsError
        For a run of another format, and one in which fewer than two strategies count.
    """
    if results.plan.format != "partners":
        raise RatingsError(
            "only a run of mixed teams tells partners apart: prummy tournament A B C --format "
            "partners"
        )
    ratings = points_ratings(results)
    place = {name: k for k, name in enumerate(ratings.names)}
    team = {
        players: place[name]
        for players, name in zip(results.plan.teams, results.names, strict=True)
        if name in place
    }
    entries = [p for p in range(len(results.plan.names)) if (p, p) in team]
    if len(entries) < 2:
        raise RatingsError("fewer than two strategies count, so that there are no partners")
    n = len(entries)
    pure = np.zeros((n, len(place)))
    for k, p in enumerate(entries):
        pure[k, team[p, p]] = 1
    together = {
        (k, m): _row(team[entries[k], entries[m]], len(place)) for m in range(n) for k in range(m)
    }
    synergy = {
        (k, m): ratings.contrast(row - (pure[k] + pure[m]) / 2) for (k, m), row in together.items()
    }
    zero = pure.mean(axis=0) / 2
    beside = np.zeros((n, len(place)))
    for (k, m), row in together.items():
        beside[k] += (row - pure[m] / 2) / (n - 1)
        beside[m] += (row - pure[k] / 2) / (n - 1)
    margins, shares = _drawn(results, entries)
    return Partnerships(
        tuple(results.plan.names[p] for p in entries),
        [ratings.contrast(pure[k] / 2 - zero) for k in range(n)],
        [ratings.contrast(beside[k] - zero) for k in range(n)],
        synergy,
        margins,
        shares,
        _unexplained(results, ratings),
    )


def _row(place: int, size: int) -> np.ndarray:
    row = np.zeros(size)
    row[place] = 1
    return row


def _drawn(
    results: Results, entries: list[int]
) -> tuple[list[Interval] | None, list[Interval] | None]:
    """Return margins and shares of the pairings of four different strategies."""
    if len(entries) < 4:
        return None, None
    sums = {entry: np.zeros((3, N_GROUPS), np.int64) for entry in entries}
    boards = dict.fromkeys(entries, 0)
    for met, summary in results.played():
        seats = results.plan.seats(met)
        if len(set(seats)) < 4:
            continue
        margin, matches = summary.column("margin"), summary.column("matches")
        half_wins = 2 * summary.column("wins") + summary.column("draws")
        for seat, entry in enumerate(seats):
            is_b = seat % 2
            sums[entry] += [
                -margin if is_b else margin,
                2 * matches - half_wins if is_b else half_wins,
                matches,
            ]
            boards[entry] = max(boards[entry], summary.total("boards"))
    margins = [mean_interval(sums[p][0], sums[p][2]) for p in entries]
    shares = [share_interval(sums[p][1], 2 * sums[p][2], boards[p]) for p in entries]
    return margins, shares


def _unexplained(results: Results, ratings: Ratings) -> float:
    """Return the share of the pairings' squared margins that the ratings leave over."""
    place = {name: k for k, name in enumerate(ratings.names)}
    left = total = 0.0
    for met, summary in results.played():
        matches = summary.total("matches")
        mean = summary.total("margin") / matches
        a, b = (ratings.values[place[results.names[team]]] for team in (met.a, met.b))
        left += matches * (mean - (a - b)) ** 2
        total += matches * mean**2
    return float(left / total) if total else 0.0
