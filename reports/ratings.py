"""Ratings of a field: Bradley-Terry (Elo) from shares won, and a points model from margins.

With w_p the matches of pairing p = (i, j) that i won (a draw half) and n_p its matches, the first
fits n_p s(t_i - t_j), s the logistic function, to w_p by maximum likelihood; the second fits
n_p (m_i - m_j) to the sums of margins by least squares. Both are on a scale on which the field's
mean, or an anchor, is 0; Elo is 400 / ln 10 times t.

Errors respect that the matches of a board are dependent, and that all pairings share the boards:
boards are taken together in the groups of `sim.summary` (board mod 256), what a group adds to the
slope of the likelihood is one observation, u_g, and the covariance is the sandwich

    H+ (G / (G - 1) sum_g u_g u_g') H+

with H the information and G the groups. Intervals are those of `stats.interval_of` from G units;
for points moved for the skewness of the groups' parts, H+ u_g. With few boards it happens that all
end alike, and the sandwich is empty; so Elo's covariance has `FLOOR` / G of H+ added, which is that
of independent matches, and where somebody won or lost all, that of independent boards, 2 H+.
Ratings do not depend on the order of the matches.

Source: Bradley and Terry, "Rank analysis of incomplete block designs" (1952); Liang and Zeger,
"Longitudinal data analysis using generalized linear models" (1986); Morel, Bokossa and
Neerchal, "Small sample correction for the variance of GEE estimators" (2003), for adding a share of
the model's covariance; Holm, "A simple sequentially rejective multiple test procedure" (1979).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..sim.errors import PrummyError
from .results import Results
from .stats import LEVEL, Interval, interval_of, lean_of

ELO_A_UNIT = 400 / math.log(10)
VIRTUAL_MATCHES = 1.0
"""Drawn matches that each pairing is given where somebody wins, or loses, all it plays."""
FLOOR = 0.5
"""Of the covariance of independent matches, what is added to the sandwich over one group."""
_STEPS = 200


class RatingsError(PrummyError, ValueError):
    """A field that cannot be rated."""


@dataclass(frozen=True)
class Ratings:
    """Ratings of strategies on one scale, in the order of the run's entries.

    Attributes
    ----------
    names : tuple of str
    values : float64, shape (n,)
        The anchor's, or the mean, is 0.
    covariance : float64, shape (n, n)
        Of the values about the field's mean: only differences have a meaning.
    degrees : int
        Degrees of freedom of the errors: groups of boards less one.
    is_separated : bool
        Whether somebody won or lost all, so that without virtual draws there were no estimate.
    parts : float64, shape (n, groups), optional
        What each group of boards adds to the errors of the values, for the skewness of intervals.
    """

    names: tuple[str, ...]
    values: np.ndarray
    covariance: np.ndarray
    degrees: int
    is_separated: bool
    parts: np.ndarray | None = None

    @property
    def order(self) -> list[int]:
        """The places of the entries, best first."""
        return sorted(range(len(self.names)), key=lambda k: (-self.values[k], k))

    def contrast(self, weights: np.ndarray, level: float = LEVEL) -> Interval:
        """Return a weighted sum of ratings, weights of sum 0: float64, shape (n,)."""
        error = math.sqrt(max(0.0, weights @ self.covariance @ weights))
        parts = None if self.parts is None else weights @ self.parts
        return self._interval(float(weights @ self.values), error, parts, level)

    def difference(self, one: int, other: int, level: float = LEVEL) -> Interval:
        """Return the rating of one entry above another's."""
        weights = np.zeros(len(self.names))
        weights[one], weights[other] = 1, -1
        return self.contrast(weights, level)

    def error(self, one: int, other: int) -> float:
        """Return the standard error of a difference."""
        c = self.covariance
        return math.sqrt(max(0.0, c[one, one] + c[other, other] - 2 * c[one, other]))

    def interval(self, entry: int, level: float = LEVEL) -> Interval:
        """Return the rating of an entry; the interval is that of its lead on the field's mean."""
        error = math.sqrt(max(0.0, self.covariance[entry, entry]))
        parts = None if self.parts is None else self.parts[entry]
        return self._interval(float(self.values[entry]), error, parts, level)

    def _interval(
        self, estimate: float, error: float, parts: np.ndarray | None, level: float
    ) -> Interval:
        if self.degrees < 1:
            return Interval(estimate, None, None, level)
        lean = 0.0 if parts is None else lean_of(parts)
        return interval_of(estimate, error, self.degrees + 1, lean, level)

    def above(self, one: int, other: int) -> float | None:
        """Return the chance, by Student's law, that one is rated above another in truth."""
        from scipy.special import stdtr

        error = self.error(one, other)
        if self.degrees < 1 or error == 0:
            return None
        return float(stdtr(self.degrees, (self.values[one] - self.values[other]) / error))

    def told_apart(self, level: float = LEVEL) -> np.ndarray:
        """Return which pairs are told apart, by Holm's method over all pairs: bool, (n, n)."""
        n = len(self.names)
        pairs = [(i, j) for i in range(n) for j in range(i)]
        chances = [self.above(i, j) for i, j in pairs]
        values = [1.0 if c is None else 2 * min(c, 1 - c) for c in chances]
        apart = np.zeros((n, n), bool)
        for rank, place in enumerate(np.argsort(values, kind="stable")):
            if values[place] > (1 - level) / (len(pairs) - rank):
                break
            i, j = pairs[place]
            apart[i, j] = apart[j, i] = True
        return apart

    def groups(self) -> list[list[int]]:
        """Return the largest groups within which nobody is told apart, the best entry's first.

        Two entries share a group if and only if they are not told apart; one that is told apart
        from all others is a group of its own. Found by insertion and absorption: each pair that is
        told apart splits the groups that hold both, and a group within another is dropped.

        Source: Piepho, "An algorithm for a letter-based representation of all-pairwise
        comparisons" (2004).
        """
        apart, order = self.told_apart(), self.order
        groups = [frozenset(order)]
        for place, one in enumerate(order):
            for other in order[place + 1 :]:
                if not apart[one, other]:
                    continue
                split = [group for group in groups if {one, other} <= group]
                groups = [group for group in groups if group not in split]
                for part in (group - {k} for group in split for k in (one, other)):
                    if not any(part <= group for group in groups):
                        groups = [group for group in groups if not group <= part] + [part]
        ranks = sorted(sorted(order.index(k) for k in group) for group in groups)
        return [[order[rank] for rank in group] for group in ranks]

    def letters(self) -> list[str]:
        """Return the letters of each entry's groups (`groups`), in the order of the entries."""
        found = [""] * len(self.names)
        for number, group in enumerate(self.groups()):
            for k in group:
                found[k] += _letter(number)
        return found

    def to_json(self) -> list[dict[str, Any]]:
        """Return the ratings, best first, each with whom it is not told apart from.

        Two share a letter of their `letters` where they are not told apart.
        """
        apart, order, letters = self.told_apart(), self.order, self.letters()
        return [
            {
                "strategy": self.names[k],
                "rating": self.interval(k).to_json(),
                "level_with": [self.names[m] for m in order if m != k and not apart[k, m]],
                "letters": letters[k],
            }
            for k in order
        ]


@dataclass(frozen=True)
class Field:
    """Who met whom, and what came of it: float64 arrays, shape (pairs, groups of boards).

    `pairs` are places in `names`; `won` and `margins` are those of the first of a pair.
    """

    names: tuple[str, ...]
    pairs: list[tuple[int, int]]
    matches: np.ndarray
    won: np.ndarray
    margins: np.ndarray


def _letter(number: int) -> str:
    """Return a, b, …, z for 0 to 25, then a1, b1 and so on."""
    return chr(ord("a") + number % 26) + (str(number // 26) if number > 25 else "")


def elo_ratings(results: Results, anchor: str | None = None) -> Ratings:
    """Return Elo ratings from the shares of matches won, of all whose matches count.

    Raises
    ------
    RatingsError
        For a field that falls into parts that never met, and an anchor that is not in it.
    """
    field = _rateable(results)
    design, matches, won = _design(field), field.matches, field.won
    is_separated = not _has_estimate(field)
    if is_separated:
        extra = VIRTUAL_MATCHES * matches / matches.sum(axis=1, keepdims=True)
        matches, won = matches + extra, won + extra / 2
    strength = np.zeros(len(field.names))
    for _ in range(_STEPS):
        share = 1 / (1 + np.exp(-design @ strength))
        weight = matches.sum(axis=1) * share * (1 - share)
        information = design.T @ (weight[:, None] * design)
        slope = design.T @ (won.sum(axis=1) - matches.sum(axis=1) * share)
        step = _inverse(information) @ slope
        strength += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-12:
            break
    scores = design.T @ (won - matches * share[:, None])
    floor = 2.0 if is_separated else FLOOR / scores.shape[1]
    return _rated(
        field.names, anchor, ELO_A_UNIT, strength, information, scores, is_separated, floor
    )


def points_ratings(results: Results, anchor: str | None = None) -> Ratings:
    """Return ratings in points a match from the margins; raises like `elo_ratings`."""
    field = _rateable(results)
    design, matches = _design(field), field.matches
    information = design.T @ (matches.sum(axis=1)[:, None] * design)
    slope = design.T @ field.margins.sum(axis=1)
    strength = _inverse(information) @ slope
    scores = design.T @ (field.margins - matches * (design @ strength)[:, None])
    return _rated(field.names, anchor, 1.0, strength, information, scores, False, 0.0)


def field_of(results: Results) -> Field:
    """Return the strategies whose matches count, and what came of their pairings.

    Raises
    ------
    RatingsError
        Where no pairing counts.
    """
    played = list(results.played())
    if not played:
        raise RatingsError("no pairing counts, so that there is nothing to rate")
    entries = sorted({entry for met, _ in played for entry in (met.a, met.b)})
    names = tuple(results.names[entry] for entry in entries)
    pairs = [(entries.index(met.a), entries.index(met.b)) for met, _ in played]

    def columns(name: str) -> np.ndarray:
        return np.array([summary.column(name) for _, summary in played], float)

    used = columns("matches").sum(axis=0) > 0
    won = columns("wins") + columns("draws") / 2
    return Field(
        names, pairs, columns("matches")[:, used], won[:, used], columns("margin")[:, used]
    )


def _rateable(results: Results) -> Field:
    """Return a field that has a common scale."""
    field = field_of(results)
    parts = _parts(len(field.names), [*field.pairs, *(pair[::-1] for pair in field.pairs)])
    if len(parts) > 1:
        told = "; ".join(", ".join(field.names[k] for k in part) for part in parts)
        raise RatingsError(f"these never met, so that no scale holds them all: {told}")
    return field


def _design(field: Field) -> np.ndarray:
    """Return the matrix of the pairings, 1 for a and -1 for b: float64, shape (pairs, n)."""
    design = np.zeros((len(field.pairs), len(field.names)))
    for row, (a, b) in enumerate(field.pairs):
        design[row, a], design[row, b] = 1, -1
    return design


def _inverse(information: np.ndarray) -> np.ndarray:
    """Return the pseudoinverse H+ of an information, which is blind only to a common shift.

    With J all ones, (H + c J)^-1 = H+ + J / (c n**2), for any c above 0.
    """
    n = len(information)
    c = float(np.trace(information)) / n**2
    return np.linalg.inv(information + c) - 1 / (c * n**2)


def _rated(
    names: tuple[str, ...],
    anchor: str | None,
    scale: float,
    strength: np.ndarray,
    information: np.ndarray,
    scores: np.ndarray,
    is_separated: bool,
    floor: float,
) -> Ratings:
    """Return ratings from a fit and what each group of boards adds to its slope.

    `floor` is that of Elo, in H+; for points, 0, the skewness of the groups' parts is kept.
    """
    groups = scores.shape[1]
    bread = _inverse(information)
    meat = scores @ scores.T * (groups / (groups - 1) if groups > 1 else 1.0)
    zero = float(strength.mean())
    if anchor is not None:
        if anchor not in names:
            raise RatingsError(f"anchor {anchor!r} is not one of {', '.join(names)}")
        zero = float(strength[names.index(anchor)])
    covariance = scale**2 * (bread @ meat @ bread + floor * bread)
    values = scale * (strength - zero)
    parts = None if floor else bread @ scores
    return Ratings(names, values, covariance, groups - 1, is_separated, parts)


def _parts(n: int, arrows: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the parts of a graph within which everybody is reached from everybody."""
    reached = np.eye(n, dtype=bool)
    for tail, head in arrows:
        reached[tail, head] = True
    for _ in range(n.bit_length()):
        reached = reached @ reached
    together = reached & reached.T
    return [
        list(part) for part in sorted({tuple(np.flatnonzero(row).tolist()) for row in together})
    ]


def _has_estimate(field: Field) -> bool:
    """Return whether everybody has scored, by way of others, against everybody."""
    won, matches = field.won.sum(axis=1), field.matches.sum(axis=1)
    scored = [pair for pair, share in zip(field.pairs, won, strict=True) if share > 0]
    lost = zip(field.pairs, won, matches, strict=True)
    scored += [pair[::-1] for pair, share, all_ in lost if share < all_]
    return len(_parts(len(field.names), scored)) == 1
