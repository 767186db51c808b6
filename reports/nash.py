"""Nash averaging: the equilibrium of a symmetric zero-sum game that favours nobody needlessly.

A game of n strategies is its payoff matrix A, antisymmetric: A[i, j] is what i takes off j. Its
equilibria are the mixtures x against which no strategy takes anything,

    X = {x >= 0, sum x = 1, A x <= 0},

and Nash averaging takes that of the highest entropy, which is unique and treats strategies alike
that play alike. It is found in two steps.

1. By Tucker's theorem there is y >= 0 with A y <= 0 and y - A y > 0: in each place exactly one of
   y and -A y is zero. One linear program finds it. The places where y is not are the support S of
   the equilibrium sought; all equilibria lie within S, and have A x = 0 there.
2. Within S the entropy is strictly concave and y is an inner point, so that an interior-point
   method runs on sure ground. Where A has one null vector within S nothing is left to choose.

Both are proven in the result: by what a strategy could still take, and by Lagrange's bound on the
entropy. Many games at once (resampling) go through the simplex method on all of them together;
those whose equilibrium it cannot prove to be the only one go through the two steps.

Source: Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating evaluation" (2018), section 3; Tucker,
"Dual systems of homogeneous linear relations" (1956); Dantzig, "A proof of the equivalence of the
programming problem and the game problem" (1951).
"""

from dataclasses import dataclass

import numpy as np

from ..sim.errors import PrummyError

TOLERANCE = 1e-8
"""Regret and entropy gap that are taken for zero, where the largest payoff is 1."""
_GRAINS = (0.0, 1e-6, 1e-5, 1e-4)
"""To what payoffs are rounded, one after the other, where the numbers do not allow a proof."""
_RANK = 1e-10
_NEAR = 1e-6
_STEPS = 200


class NashError(PrummyError, ArithmeticError):
    """A game whose equilibrium the numbers do not allow to prove."""


@dataclass(frozen=True)
class Equilibrium:
    """The Nash equilibrium of the highest entropy, with its proof.

    Attributes
    ----------
    mixture : float64, shape (n,)
        The share of each strategy; exactly 0 outside the support.
    ratings : float64, shape (n,)
        What each strategy takes off the mixture: 0 in the support, at most 0 elsewhere.
    entropy : float
        Of the mixture, nats.
    regret : float
        The most that a strategy takes off the mixture, in payoffs: at an equilibrium 0.
    entropy_gap : float
        The entropy of no equilibrium is higher by more than this, nats.
    """

    mixture: np.ndarray
    ratings: np.ndarray
    entropy: float
    regret: float
    entropy_gap: float


def nash_average(payoffs: np.ndarray) -> Equilibrium:
    """Return the equilibrium of the highest entropy of a game.

    Parameters
    ----------
    payoffs : float64, shape (n, n)
        Antisymmetric, finite.

    Raises
    ------
    NashError
        When regret and gap do not come below `TOLERANCE`, by payoffs whose sizes differ too much.
    """
    scale = float(np.abs(payoffs).max()) or 1.0
    game = payoffs / scale
    for grain in _GRAINS:
        try:
            mixture, gap = _proven(np.round(game / grain) * grain if grain else game)
        except (NashError, np.linalg.LinAlgError):
            continue
        ratings = game @ mixture
        if ratings.max() <= TOLERANCE + grain and gap <= TOLERANCE:
            regret = max(0.0, scale * float(ratings.max()))
            return Equilibrium(mixture, scale * ratings, _entropy(mixture), regret, gap)
    least = np.abs(payoffs[payoffs != 0]).min()
    raise NashError(
        "the Nash equilibrium cannot be told: payoffs differ too much in size, "
        f"from {least:.1g} to {scale:.1g}"
    )


def nash_averages(games: np.ndarray) -> np.ndarray:
    """Return the mixtures of `nash_average` of many games.

    Parameters
    ----------
    games : float64, shape (games, n, n)
        Antisymmetric, finite.

    Returns
    -------
    float64, shape (games, n)
    """
    mixtures, is_only = _vertices(games)
    for place in np.flatnonzero(~is_only):
        mixtures[place] = nash_average(games[place]).mixture
    return mixtures


def _proven(game: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the equilibrium of the highest entropy, and by how much another's could be higher."""
    vertex, is_only = _vertices(game[None])
    if is_only[0]:
        return vertex[0], 0.0
    inner = _inner_point(game)
    support = np.flatnonzero(inner > -game @ inner)
    own, others = game[np.ix_(support, support)], np.delete(game[:, support], support, axis=0)
    part, bounds = _most_even(own, others, inner[support] / inner[support].sum())
    mixture = np.zeros(len(game))
    mixture[support] = part
    return mixture, max(0.0, _entropy_bound(own, others, part, bounds) - _entropy(mixture))


def _entropy(mixture: np.ndarray) -> float:
    """Return the entropy of a mixture, nats."""
    part = mixture[mixture > 0]
    return abs(float(part @ np.log(part)))


def _inner_point(game: np.ndarray) -> np.ndarray:
    """Return y >= 0 with game y <= 0 and y - game y >= 1: Tucker's theorem says that there is."""
    from scipy.optimize import linprog

    n = len(game)
    found = linprog(
        np.ones(n),
        A_ub=np.vstack([game, game - np.eye(n)]),
        b_ub=np.repeat([0.0, -1.0], n),
        method="highs",
    )
    if found.x is None:
        raise NashError(found.message)
    return np.asarray(found.x)


def _most_even(
    own: np.ndarray, others: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return x of the highest entropy with own x = 0, others x <= 0, sum x = 1; and multipliers.

    `start` is an inner point, but for rounding. A primal-dual interior-point method runs in the
    directions that the equations leave, with one multiplier a row of `others`; at its end the
    rows that hold x back become equations, so that x is as exact as they are.
    """
    equations = np.vstack([own, np.ones(len(start))])
    left, sizes, right = np.linalg.svd(equations)
    rank = int((sizes > _RANK * sizes[0]).sum())
    free = right[rank:].T
    error = equations @ start
    error[-1] -= 1
    x = start - right[:rank].T @ (left.T[:rank] @ error / sizes[:rank])
    slack = -others @ x
    if min(x.min(), slack.min(initial=np.inf)) <= 0:
        raise NashError("rounding leaves no inner point")
    n_bounds = max(1, len(others))
    bounds = 1 / (n_bounds * slack)
    if not free.size:
        return x, np.zeros(len(others))
    toll = others @ free
    for _ in range(_STEPS):
        target = 0.1 * float(slack @ bounds) / n_bounds
        slope = free.T @ np.log(x) + toll.T @ (target / slack)
        curve = free.T @ (free / x[:, None]) + toll.T @ (toll * (bounds / slack)[:, None])
        step = -np.linalg.solve(curve, slope)
        dx, rise = free @ step, toll @ step
        dbounds = (target + bounds * rise) / slack - bounds
        size = min(_reach(x, dx), _reach(slack, -rise), _reach(bounds, dbounds))
        x, slack, bounds = x + size * dx, slack - size * rise, bounds + size * dbounds
        if np.abs(dx / x).max() < _NEAR and slack @ bounds < _NEAR**2:
            break
    if len(others):
        x, _ = _most_even(np.vstack([own, others[slack < bounds]]), others[:0], x)
    return x, bounds


def _reach(at: np.ndarray, by: np.ndarray) -> float:
    """Return how much of a step, at most all, leaves positive numbers positive."""
    falling = by < 0
    return min(1.0, 0.95 * float((at[falling] / -by[falling]).min(initial=np.inf)))


def _entropy_bound(own: np.ndarray, others: np.ndarray, x: np.ndarray, bounds: np.ndarray) -> float:
    """Return a bound on the entropy of all equilibria, by Lagrange: log sum exp of multipliers."""
    load = others.T @ bounds
    design = np.column_stack([own.T, np.ones(len(x))])
    equal = np.linalg.lstsq(design, -np.log(x) - load, rcond=_RANK)[0][:-1]
    exponents = -own.T @ equal - load
    top = exponents.max()
    return float(top + np.log(np.exp(exponents - top).sum()))


def _vertices(games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an equilibrium of each game, and whether it is proven to be the one sought.

    It is where it is the only one, but for how strategies that are alike in all games share theirs.
    """
    scale = np.abs(games).max(axis=(1, 2), keepdims=True)
    scaled = games / np.where(scale > 0, scale, 1) + 0.0  # no zero has a sign
    kinds: dict[bytes, int] = {}
    rows = scaled.transpose(1, 0, 2)
    alike = np.array([kinds.setdefault(row.tobytes(), len(kinds)) for row in rows])
    _, first, number = np.unique(alike, return_index=True, return_counts=True)
    small, is_only = _simplex(scaled[:, first[:, None], first])
    mixtures = (small / number)[:, alike]
    regret = (scaled @ mixtures[:, :, None]).max(axis=(1, 2))
    return mixtures, is_only & (regret <= _RANK)


def _simplex(games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an equilibrium of each game, payoffs from -1 to 1, and whether it is the only one.

    The simplex method on max sum v, B v <= 1, v >= 0, where B is the game with 2 added to all
    payoffs: x = v / sum v. The tableau of a game is shape (n + 1, n + 1), last the constraints'
    right side and the objective. An optimum with no zero in either is the only one.
    """
    n_games, n, _ = games.shape
    tableau = np.ones((n_games, n + 1, n + 1))
    tableau[:, :n, :n] = games + 2
    tableau[:, n, :n] = -1
    tableau[:, n, n] = 0
    rows = np.tile(np.arange(n, 2 * n), (n_games, 1))  # n + i: the slack of constraint i
    columns = np.tile(np.arange(n), (n_games, 1))
    for _ in range(4 * n):
        active = np.flatnonzero((tableau[:, n, :n] < -_RANK).any(axis=1))
        if not active.size:
            break
        here = np.arange(active.size)
        t = tableau[active]
        column = t[:, n, :n].argmin(axis=1)
        entering = t[here, :, column].copy()
        steep = entering[:, :n] > _RANK
        ratio = np.where(steep, t[:, :n, n] / np.where(steep, entering[:, :n], 1), np.inf)
        row = ratio.argmin(axis=1)
        pivot = entering[here, row][:, None]
        leaving = t[here, row] / pivot
        t -= entering[:, :, None] * leaving[:, None, :]
        t[here, :, column] = -entering / pivot
        t[here, row] = leaving
        t[here, row, column] = 1 / pivot[:, 0]
        tableau[active] = t
        swapped = rows[active, row], columns[active, column]
        columns[active, column], rows[active, row] = swapped
    ends = np.concatenate([tableau[:, :n, n], tableau[:, n, :n]], axis=1)
    values = np.zeros((n_games, 2 * n))
    np.put_along_axis(values, rows, tableau[:, :n, n], axis=1)
    mixtures = values[:, :n] / values[:, :n].sum(axis=1, keepdims=True)
    return mixtures, ends.min(axis=1) > _RANK
