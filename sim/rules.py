"""The house rules (RULES section 8): names, values, presets, and the record the core reads."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from .cards import FIRST_JOKER, N_RANKS, RANKS
from .errors import PrummyError, shown
from .toml import read_toml

FLOAT, FORBIDDEN, GOES_OUT = range(3)  # last_discard
FOUR_PASSES, FIRST_PASS, STOCK_EMPTY = range(3)  # exhausted
FREE_TURN_LIMIT = 200  # turns of a deal under top_card = free

NO_LIMIT = 2**62

N_PLANES = 24
MAX_MATCH_POINTS = 10_000_000
MAX_DEALS = 1000  # a match is played, logged and told as a whole

RULES_DTYPE = np.dtype(
    [
        ("deals", "i8"),
        ("pack_size", "i8"),
        ("min_run", "i8"),
        ("out_bonus", "i8"),
        ("four_multiplier", "i8"),
        ("double_jokers", "i8"),
        ("last_discard", "i8"),
        ("top_free", "i8"),
        ("new_meld", "i8"),
        ("exhausted", "i8"),
        ("rank_points", "i8", (N_RANKS,)),
        ("turn_limit", "i8"),  # a deal is cut off after so many turns
        ("usual", "i8"),  # 1: what may be taken and discarded is as by default
        ("rising", "i8"),  # 1: no card is worth more than one of a higher rank
        ("n_planes", "i8"),
        ("planes", "u8", (N_PLANES,)),
    ],
    align=True,
)
"""The rules as the core reads them. `rank_points` are the points of a card by its rank. Plane k is
the mask of the cards whose points have bit k set, so that the points of any mask are a few
population counts (`melds.points_of`)."""

POINT_TABLES: dict[str, tuple[int, ...]] = {
    "pips": (2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 15, 20),
    "fives": (5, 5, 5, 5, 5, 5, 5, 5, 10, 10, 10, 10, 15, 20),
}


class RulesError(PrummyError, ValueError):
    """A house rule that does not exist, or a value that it cannot have."""


def _rule(
    default: Any,
    meaning: str,
    choices: tuple[Any, ...] = (),
    low: int | None = None,
    high: int = MAX_MATCH_POINTS,
) -> Any:
    about = {"doc": meaning, "choices": choices, "low": low, "high": high}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Rules:
    """The house rules of a match, checked when made; raises `RulesError`.

    `points` is ``"pips"``, ``"fives"``, or a table with the points of each of ``23456789TJQKA*``.
    """

    deals: int = _rule(2, "deals in a match; the deal passes to the left", low=1, high=MAX_DEALS)
    points: str | Mapping[str, int] = _rule(
        "pips", "points of the cards: pips, fives (2-9 count 5 each) or a table", ("pips", "fives")
    )
    out_bonus: int = _rule(25, "points for going out", low=0)
    four_multiplier: int = _rule(2, "factor for four of a kind laid as one play; 1: off", low=1)
    double_jokers: bool = _rule(True, "whether four jokers at once are multiplied too")
    min_run: int = _rule(3, "shortest run that may be laid without touching another", (3, 4, 5))
    jokers: int = _rule(4, "jokers in the pack", (4, 0))
    last_discard: str = _rule(
        "float",
        "discarding one's last card: float (stay in play), forbidden, or goes_out",
        ("float", "forbidden", "goes_out"),
    )
    top_card: str = _rule(
        "bound",
        "the top card of the pile taken alone: bound like any other, or free (not bound, "
        f"but not discarded in that turn; the deal is cut off after {FREE_TURN_LIMIT} turns)",
        ("bound", "free"),
    )
    bound_in: str = _rule(
        "any",
        "the play with the bound card: any play, or new_meld (a set or run by itself)",
        ("any", "new_meld"),
    )
    exhausted: str = _rule(
        "four_passes",
        "what ends a deal whose stock is empty: four passes, the first pass, or the end of the "
        "turn that emptied it",
        ("four_passes", "first_pass", "stock_empty"),
    )

    def __post_init__(self) -> None:
        for item in fields(self):
            _check(item.name, getattr(self, item.name), item.metadata)
        worst = self.largest_score()
        if worst > MAX_MATCH_POINTS:
            raise RulesError(
                f"rules: a match could score {worst:,} points; the limit is {MAX_MATCH_POINTS:,} "
                "(smaller points, four_multiplier, out_bonus or deals)"
            )

    @property
    def pack_size(self) -> int:
        """Cards in the pack: 56, or 52 without jokers."""
        return FIRST_JOKER + self.jokers

    def rank_points(self) -> tuple[int, ...]:
        """Return the points of one card of each of the fourteen ranks."""
        if isinstance(self.points, str):
            return POINT_TABLES[self.points]
        return tuple(self.points[rank] for rank in RANKS)

    def pack_points(self) -> int:
        """Return W, the points of the whole pack (RULES section 6)."""
        return 4 * sum(self.rank_points()[: self.pack_size // 4])

    def largest_score(self) -> int:
        """Return a bound on what a side can score in a match, or lose."""
        return self.deals * (self.pack_points() * self.four_multiplier + self.out_bonus)

    def to_dict(self) -> dict[str, Any]:
        """Return the house rules that differ from the defaults, ready for JSON."""
        default = Rules()
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in ((item.name, getattr(self, item.name)) for item in fields(self))
            if value != getattr(default, name)
        }

    def record(self) -> np.ndarray:
        """Return the rules as an array of one `RULES_DTYPE` record."""
        record = np.zeros(1, RULES_DTYPE)
        record["deals"] = self.deals
        record["pack_size"] = self.pack_size
        record["min_run"] = self.min_run
        record["out_bonus"] = self.out_bonus
        record["four_multiplier"] = self.four_multiplier
        record["double_jokers"] = self.double_jokers
        record["last_discard"] = ("float", "forbidden", "goes_out").index(self.last_discard)
        record["top_free"] = self.top_card == "free"
        record["new_meld"] = self.bound_in == "new_meld"
        record["exhausted"] = ("four_passes", "first_pass", "stock_empty").index(self.exhausted)
        points = self.rank_points()
        record["rank_points"] = points
        record["turn_limit"] = FREE_TURN_LIMIT if self.top_card == "free" else NO_LIMIT
        record["usual"] = (
            self.min_run == 3
            and self.top_card == "bound"
            and self.bound_in == "any"
            and self.last_discard != "forbidden"
        )
        record["rising"] = list(points) == sorted(points)
        record["n_planes"] = max(points).bit_length()
        for plane in range(max(points).bit_length()):
            ranks = (0xF << 4 * rank for rank in range(len(points)) if points[rank] >> plane & 1)
            record["planes"][0, plane] = sum(ranks)
        return record


def _check(name: str, value: Any, about: Mapping[str, Any]) -> None:
    """Raise RulesError unless `value` is one that the house rule `name` can have."""
    if name == "points" and isinstance(value, Mapping):
        _check_point_table(value)
    elif name == "double_jokers":
        if not isinstance(value, bool):
            raise RulesError(f"rule double_jokers: {shown(value)} is neither true nor false")
    elif about["choices"]:
        # 1 is not true, and 4.0 is not 4
        if not any(type(value) is type(choice) and value == choice for choice in about["choices"]):
            wanted = ", ".join(str(choice) for choice in about["choices"])
            more = " or a table of points" if name == "points" else ""
            raise RulesError(f"rule {name}: {shown(value)} is not one of {wanted}{more}")
    elif not _is_whole(value, about["low"], about["high"]):
        wanted = f"a whole number from {about['low']} to {about['high']:,}"
        raise RulesError(f"rule {name}: {shown(value)} is not {wanted}")


def _is_whole(value: Any, low: int, high: int) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and low <= value <= high


def _check_point_table(table: Mapping[str, Any]) -> None:
    if missing := [rank for rank in RANKS if rank not in table]:
        raise RulesError(f"rule points: the table lacks {' '.join(missing)}")
    if extra := [str(key) for key in table if key not in tuple(RANKS)]:
        raise RulesError(f"rule points: the table has unknown ranks {' '.join(extra)}")
    for rank, value in table.items():
        if not _is_whole(value, 0, MAX_MATCH_POINTS):
            wanted = f"a whole number from 0 to {MAX_MATCH_POINTS:,}"
            raise RulesError(f"rule points: {rank} is {shown(value)}, not {wanted}")


PRESETS = {
    "persian": Rules(),
    "rummy500": Rules(
        jokers=0, four_multiplier=1, last_discard="goes_out", out_bonus=0, exhausted="first_pass"
    ),
}


def rules_from_dict(values: Mapping[str, Any], base: Rules | None = None) -> Rules:
    """Return `base` (the defaults) with some house rules changed; raises `RulesError`."""
    names = [item.name for item in fields(Rules)]
    for name in values:
        if name not in names:
            near = get_close_matches(str(name), names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise RulesError(f"unknown rule {shown(name)}; {hint}")
    try:
        return replace(base or Rules(), **values)
    except TypeError as error:  # an unhashable or uncomparable value
        raise RulesError(f"rules: {error}") from None


def rules_from_toml(path: Path) -> Rules:
    """Return the rules of a TOML file: house rules by name, `preset` for what they start from."""
    try:
        _, values = read_toml(path, f"rules file {path}")
    except PrummyError as error:
        raise RulesError(str(error)) from None
    try:
        return _rules_of_table(values)
    except RulesError as error:
        raise RulesError(f"rules file {path}: {error}") from None


def _rules_of_table(values: Mapping[str, Any]) -> Rules:
    changed = {name: value for name, value in values.items() if name != "preset"}
    return rules_from_dict(changed, _preset(values.get("preset", "persian")))


def _preset(name: Any) -> Rules:
    if not isinstance(name, str) or name not in PRESETS:
        raise RulesError(f"unknown preset {shown(name)}; there are {', '.join(PRESETS)}")
    return PRESETS[name]


def parse_rules(source: str | Mapping[str, Any] | None, assignments: Iterable[str] = ()) -> Rules:
    """Return the rules that a command line names.

    Parameters
    ----------
    source
        A preset's name, the path of a TOML file, or what such a file holds; None for the defaults.
    assignments
        Texts such as ``min_run=4``, applied in order on top of `source`. A table of points is
        written as JSON: ``points={"2": 2, ...}``.
    """
    if isinstance(source, Mapping):
        rules = _rules_of_table(source)
    elif source is None or source in PRESETS:
        rules = PRESETS[source or "persian"]
    elif source.endswith(".toml") or os.path.exists(source):
        rules = rules_from_toml(Path(source))
    else:
        raise RulesError(
            f"unknown rules {shown(source)}: give a preset ({', '.join(PRESETS)}) or a TOML file"
        )
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals:
            raise RulesError(f"--rule {text!r}: write NAME=VALUE, for instance min_run=4")
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = value.strip()
        rules = rules_from_dict({name.strip(): parsed}, rules)
    return rules


def describe_rules() -> list[dict[str, Any]]:
    """Return each house rule's name, default, choices and meaning, in the order of RULES."""
    default = asdict(Rules())
    return [
        {
            "rule": item.name,
            "default": default[item.name],
            "values": list(item.metadata["choices"]) or [f"from {item.metadata['low']}"]
            if item.name != "double_jokers"
            else [True, False],
            "meaning": item.metadata["doc"],
        }
        for item in fields(Rules)
    ]
