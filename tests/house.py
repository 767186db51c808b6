"""House rules for tests: a fixed spread of combinations in which every value occurs."""

from random import Random
from typing import Any

from persian_rummy.sim.rules import PRESETS, Rules

VALUES: dict[str, list[Any]] = {
    "points": ["pips", "fives", {rank: 3 * k for k, rank in enumerate("23456789TJQKA*")}],
    "out_bonus": [25, 0, 100],
    "four_multiplier": [2, 1, 3],
    "double_jokers": [True, False],
    "min_run": [3, 4, 5],
    "jokers": [4, 0],
    "last_discard": ["float", "forbidden", "goes_out"],
    "top_card": ["bound", "free"],
    "bound_in": ["any", "new_meld"],
    "exhausted": ["four_passes", "first_pass", "stock_empty"],
    "deals": [2, 1, 3],
}
"""The values that the spread draws from, the default first."""


def spread(number: int) -> list[Rules]:
    """Return the presets, and then combinations, the same in every call; every value occurs."""
    rng = Random(8)
    made = list(PRESETS.values())
    columns = {name: rng.sample(values * number, number) for name, values in VALUES.items()}
    for index in range(number - len(made)):
        made.append(Rules(**{name: column[index] for name, column in columns.items()}))
    return made


def brief(rules: Rules) -> str:
    """Return what differs from the defaults, for the name of a test."""
    values = rules.to_dict().items()
    return ",".join(f"{k}={'table' if isinstance(v, dict) else v}" for k, v in values) or "persian"
