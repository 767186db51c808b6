"""What becomes of a population of strategies: alpha-rank and the replicator dynamics.

Both look at a symmetric zero-sum game, an antisymmetric payoff matrix A.

**alpha-rank**: a population of m plays one strategy; now and then somebody tries another, which
dies out or takes over. With u = alpha m / (m - 1) A[i, j] a lone i takes over a population of j
with the probability

    (1 - exp(-u)) / (1 - exp(-m u)),    1 / m where u = 0,

and the shares of time that the population spends at each strategy are the stationary distribution
of this Markov chain. The larger alpha, the surer the better one takes over. In the limit only who
beats whom counts: all mass lies on the strategies that beat, directly or through others, all there
are. The chain is solved in logarithms without a subtraction (the GTH algorithm), so that
probabilities far below the smallest float do no harm.

**Replicator dynamics**: the share x_i of a strategy grows at the rate of its payoff,
d log x_i / dt = (A x)_i; the mean payoff is 0. With z the integral of x over time, log x is its
start and A z, so that z alone is integrated; the mixture is its softmax and cannot leave the
simplex. z / t is the average over time. No strategy takes more off that than log(1 / x_i(0)) / t,
so that it nears an equilibrium while the mixture itself may circle for ever.

Source: Omidshafiei et al., "alpha-Rank: Multi-agent evaluation by evolution" (2019), equations 6 to
9; Grassmann, Taksar and Heyman, "Regenerative analysis and steady state distributions for Markov
chains" (1985); Hofbauer, Sorin and Viossat, "Time average replicator and best-reply dynamics"
(2009).
"""

from dataclasses import dataclass

import numpy as np

POPULATION = 50
"""m: how many a population has. It decides how slow ties and defeats are, not who is ahead."""
DURATION = 200.0
"""How long the replicator dynamics run, in units of 1 / the largest payoff."""
_LIMIT = 1e3  # a larger u makes no difference: exp of minus this is 0


def alpha_rank(
    payoffs: np.ndarray, alpha: float | None = None, population: int = POPULATION
) -> np.ndarray:
    """Return the share of time that a population spends at each strategy.

    Parameters
    ----------
    payoffs : float64, shape (..., n, n)
        Antisymmetric games.
    alpha : float, optional
        Ranking intensity, above 0, per unit of payoff; None: the limit of a large alpha.
    population : int
        m, at least 2.

    Returns
    -------
    float64, shape (..., n)
    """
    if alpha is None:
        u = _LIMIT * np.sign(payoffs)
    else:
        u = np.clip(alpha * population / (population - 1) * payoffs, -_LIMIT, _LIMIT)
    return _stationary(np.swapaxes(_log_fixation(u, population), -1, -2))


def _log_fixation(u: np.ndarray, m: int) -> np.ndarray:
    """Return log((1 - exp(-u)) / (1 - exp(-m u))), which is -log m at 0."""
    size = np.abs(u)
    safe = np.where(size > 0, size, 1.0)
    of_better = np.log(-np.expm1(-safe)) - np.log(-np.expm1(-m * safe))
    found = of_better - np.where(u < 0, (m - 1) * size, 0.0)
    return np.where(size > 0, found, -np.log(m))


def _stationary(log_rates: np.ndarray) -> np.ndarray:
    """Return stationary distributions of chains with rates from i to j > 0, given as logarithms.

    States are taken out one by one, the last first: who went through one now goes past it.
    """
    rates = log_rates.copy()
    n = rates.shape[-1]
    for k in range(n - 1, 0, -1):
        leave = np.logaddexp.reduce(rates[..., k, :k], axis=-1)
        rates[..., :k, k] -= leave[..., None]
        past = rates[..., :k, k, None] + rates[..., k, None, :k]
        rates[..., :k, :k] = np.logaddexp(rates[..., :k, :k], past)
    logs = np.zeros(rates.shape[:-1])
    for k in range(1, n):
        logs[..., k] = np.logaddexp.reduce(logs[..., :k] + rates[..., :k, k], axis=-1)
    shares = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class Trajectory:
    """A course of the replicator dynamics.

    Attributes
    ----------
    times : float64, shape (points,)
        From 0, in units of 1 / payoff.
    mixtures : float64, shape (points, n)
    averages : float64, shape (points, n)
        Of the mixtures from the start to each time; at 0 the start.
    """

    times: np.ndarray
    mixtures: np.ndarray
    averages: np.ndarray


def replicator(
    payoffs: np.ndarray,
    start: np.ndarray | None = None,
    duration: float | None = None,
    points: int = 1001,
) -> Trajectory:
    """Return the course of the replicator dynamics.

    Parameters
    ----------
    payoffs : float64, shape (n, n)
        Antisymmetric.
    start : float64, shape (n,), optional
        A mixture; who is not in it never comes in. Without it, all in equal shares.
    duration : float, optional
        In units of 1 / payoff; without it `DURATION` over the largest payoff.
    points : int
        How many times, evenly spaced, at least 2.

    Raises
    ------
    ValueError
        For a start that is not a mixture.
    """
    from scipy.integrate import solve_ivp

    n = len(payoffs)
    first = np.full(n, 1 / n) if start is None else np.asarray(start, float)
    if first.shape != (n,) or first.min() < 0 or abs(first.sum() - 1) > 1e-9:
        raise ValueError(f"{first} is no mixture of {n} strategies")
    if duration is None:
        duration = DURATION / (float(np.abs(payoffs).max()) or 1.0)
    present = np.flatnonzero(first)
    game, logs = payoffs[np.ix_(present, present)], np.log(first[present])

    def mixture(z: np.ndarray) -> np.ndarray:
        grown = np.exp((exponents := logs + z @ game.T) - exponents.max(axis=-1, keepdims=True))
        return np.asarray(grown / grown.sum(axis=-1, keepdims=True))

    times = np.linspace(0.0, duration, points)
    course = solve_ivp(
        lambda _, z: mixture(z),
        (0.0, duration),
        np.zeros(len(present)),
        method="DOP853",
        t_eval=times,
        rtol=1e-8,
        atol=1e-8,
    ).y.T
    mixtures, averages = np.zeros((points, n)), np.zeros((points, n))
    mixtures[:, present] = mixture(course)
    averages[0] = first
    averages[1:, present] = course[1:] / times[1:, None]
    return Trajectory(times, mixtures, averages)
