"""How numbers are written for people: thousands separators, true minus signs, one sign rule.

A margin always bears its sign, + for ahead. What is unknown is a dash.
"""

import math

import pandas as pd

UNKNOWN = "–"
MOST_DIGITS = 3


def count(value: float) -> str:
    """Return a whole number: 12,000."""
    return f"{value:,.0f}"


def number(value: float | None, digits: int = 1) -> str:
    """Return a number with a sign only when it is negative: 376.8, −3.1."""
    if value is None or math.isnan(value):
        return UNKNOWN
    text = f"{abs(value):,.{digits}f}"
    return f"−{text}" if value < 0 and float(text.replace(",", "")) else text


def signed(value: float | None, digits: int = 1) -> str:
    """Return a number with its sign: +159.7, −3.1, 0.0."""
    text = number(value, digits)
    if text == UNKNOWN or text.startswith("−"):
        return text
    return f"+{text}" if float(text.replace(",", "")) else text


def with_half_width(value: float, half: float | None, with_sign: bool = True) -> str:
    """Return an estimate and its half width: +68.5 ± 3.1, with digits that show the latter.

    Where the half width is unknown, or 0 since nothing varied, there is the estimate alone.
    """
    write = signed if with_sign else number
    if not half:
        return write(value)
    digits = _digits([half])
    return f"{write(value, digits)} ± {number(half, digits)}"


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share, 0 to 1, in per cent without the sign: 73.9."""
    return number(None if share is None else 100 * share, digits)


def span(low: float, high: float, digits: int, with_sign: bool = True) -> str:
    """Return the two ends of an interval: +156.9 to +162.4; a dash when they are unknown."""
    write = signed if with_sign else number
    if math.isnan(low) or math.isnan(high):
        return UNKNOWN
    return f"{write(low, digits)} to\N{NO-BREAK SPACE}{write(high, digits)}"


def share_digits(frame: pd.DataFrame) -> int:
    """Return how many digits behind the point win shares in per cent need: see `margin_digits`."""
    return interval_digits(frame, "win_share", scale=100)


def interval_digits(frame: pd.DataFrame, value: str, scale: float = 1) -> int:
    """Return how many digits behind the point show the narrowest half width of a column."""
    return _digits(_half_widths(frame, value, scale))


def margin_digits(frame: pd.DataFrame) -> int:
    """Return how many digits behind the point a frame's margins need.

    One at least, as many as show the narrowest interval's half width, and so many that an end
    which is not zero is not written as zero.
    """
    if frame.empty:
        return 1
    ends = frame[["margin_low", "margin_high"]].abs().to_numpy(dtype=float).ravel()
    return _digits([*_half_widths(frame, "margin"), *ends])


def _half_widths(frame: pd.DataFrame, value: str, scale: float = 1) -> list[float]:
    if frame.empty:
        return []
    return list(scale * (frame[f"{value}_high"] - frame[f"{value}_low"]) / 2)


def _digits(sizes: list[float]) -> int:
    sizes = [size for size in sizes if size > 1e-9]  # neither 0 nor unknown
    needed = -math.floor(math.log10(min(sizes))) if sizes else 1
    return min(max(1, needed), MOST_DIGITS)
