"""The generalised sequential probability ratio test on outcomes of pairs.

Two hypotheses on how much better *a* is, elo0 < elo1, are weighed by the log-likelihood ratio
(LLR) of the counts under the most likely distributions that fulfil each: with p the observed
shares, n sum p_i log(p1_i / p0_i). Under the *logistic* model a hypothesis fixes the expected
score; under the *normalized* one, which does not depend on how often boards are drawn, it fixes the
distance from equality in standard deviations. H1 is accepted at or above log((1 - beta) / alpha),
H0 at or below log(beta / (1 - alpha)): between them nothing is said.

The distribution of most likelihood with sum p_i a_i = 0 is q_i = p_i / (1 + theta a_i), where theta
solves sum p_i a_i / (1 + theta a_i) = 0. For a fixed t-value, which is no linear condition, the
condition is made linear at the last solution, and solved again until it stands still.

Source: Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a
distribution", propositions 1.1 and 1.2, and "Normalized Elo" (cantate.be/Fishtest); Wald,
"Sequential Tests of Statistical Hypotheses" (1945).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .pairs import (
    ELO_SCALE,
    SCORES,
    Pairs,
    PairsError,
    elo,
    likelihood_of_superiority,
    mean_and_variance,
    normalized_elo,
    score_of_elo,
)

MODELS = ("normalized", "logistic")
ACCEPT_H1, ACCEPT_H0, CONTINUE = "H1", "H0", "continue"
_STEPS = 100
_STILL = 1e-10


@dataclass(frozen=True)
class Sprt:
    """A test: the two hypotheses, in Elo of a model, and its two errors.

    `alpha` is the chance to accept H1 when H0 is true, `beta` that to accept H0 when H1 is.
    """

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"

    def __post_init__(self) -> None:
        """Raise PairsError for what cannot be tested."""
        if self.model not in MODELS:
            raise PairsError(f"model {self.model!r}: there are {', '.join(MODELS)}")
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise PairsError(f"elo0 = {self.elo0:g}, elo1 = {self.elo1:g}: elo0 is the smaller one")
        if max(abs(self.elo0), abs(self.elo1)) > 1000:
            raise PairsError("elo0 and elo1 lie between -1000 and 1000")
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not 0 < value < 0.5:
                raise PairsError(f"{name} = {value:g}: an error lies between 0 and 0.5")

    @property
    def lower(self) -> float:
        """At or below this, H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At or above this, H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, pairs: Pairs) -> float:
        """Return the log-likelihood ratio of H1 to H0; finite, whatever the counts."""
        counts = pairs.regular
        shares = counts / counts.sum()
        ends = [self._most_likely(shares, value) for value in (self.elo0, self.elo1)]
        return float(counts.sum() * (shares @ np.log(ends[1] / ends[0])))

    def state(self, pairs: Pairs) -> str:
        """Return "H1", "H0" or "continue"."""
        llr = self.llr(pairs)
        return ACCEPT_H1 if llr >= self.upper else ACCEPT_H0 if llr <= self.lower else CONTINUE

    def to_json(self, pairs: Pairs) -> dict[str, Any]:
        """Return what ``prummy sprt --json`` prints."""
        return {
            "llr": self.llr(pairs),
            "lower": self.lower,
            "upper": self.upper,
            "state": self.state(pairs),
            "elo": elo(pairs).to_json(),
            "normalized_elo": normalized_elo(pairs).to_json(),
            "los": likelihood_of_superiority(pairs),
            "boards": pairs.boards,
            "pairs": list(pairs.counts),
        }

    def _most_likely(self, shares: np.ndarray, value: float) -> np.ndarray:
        """Return the most likely distribution under which *a* is so much better."""
        if self.model == "logistic":
            return _constrained(shares, SCORES - score_of_elo(value))
        return _with_t_value(shares, math.sqrt(2) * value / ELO_SCALE)


def _constrained(shares: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the distribution of most likelihood under which `values` have the mean 0.

    They must lie on both sides of 0.
    """
    from scipy.optimize import brentq

    least, most = -1 / values.max(), -1 / values.min()
    margin = 1e-12 * (most - least)

    def slope(theta: float) -> float:
        return float(shares @ (values / (1 + theta * values)))

    theta = brentq(slope, least + margin, most - margin, xtol=1e-15, rtol=1e-14, maxiter=500)
    return shares / (1 + theta * values)


def _with_t_value(shares: np.ndarray, t: float) -> np.ndarray:
    """Return the distribution of most likelihood whose (mean - 1/2) / deviation is t."""
    found = np.full(5, 0.2)
    for _ in range(_STEPS):
        mean, variance = mean_and_variance(found)
        deviation = math.sqrt(variance)
        bend = 1 + ((mean - SCORES) / deviation) ** 2
        before, found = found, _constrained(shares, SCORES - 0.5 - t * deviation * bend / 2)
        if np.abs(found - before).max() < _STILL:
            break
    return found
