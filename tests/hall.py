"""The interval of a mean over units that are alike in size, slowly: Hall's cubic, solved."""

import numpy as np
from scipy import stats


def interval(units: np.ndarray, level: float = 0.95, few: float = 3.0) -> tuple[float, float]:
    """Return both ends: t + A t**2 / 3 + A**2 t**3 / 27 + A / 6 = +- Student's quantile."""
    values = np.asarray(units, float)
    n, off = len(values), values - values.mean()
    error = values.std(ddof=1) / np.sqrt(n)
    lean = (off**3).sum() / (off**2).sum() ** 1.5
    q = stats.t.ppf((1 + level) / 2, n - 1) * (1 + few / n**2)
    ends = []
    for wanted in (q, -q):
        roots = np.roots([lean**2 / 27, lean / 3, 1, lean / 6 - wanted])
        (t,) = roots[np.abs(roots.imag) < 1e-6].real
        if abs(t) < q:  # the short side: a quarter of the way
            t = (t + 3 * wanted) / 4
        ends.append(float(values.mean() - t * error))
    return ends[0], ends[1]
