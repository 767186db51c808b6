"""What a run can be told, by options or by the keys of a file, and how the texts are read."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..sim.errors import shown
from . import common

if TYPE_CHECKING:
    from ..sim.engines import EngineChoice
    from ..sim.rules import Rules
    from ..sim.run import Stops
    from ..sim.schedule import Plan
    from ..strategies.registry import Entry

DEFAULT_MATCHES = 10_000
MAX_JOBS = 4096
MAX_BLOCK = 1_000_000  # boards, that is some gigabytes of rows at a time
LOG_LEVELS = ("debug", "info", "warning", "error")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_BYTES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


class SettingError(common.BadInputError):
    """A setting that cannot be; `name` is the option without its dashes, or the key of a file.

    `why` says what is wrong with it; where that is another module's message, which says it all,
    `whole` is true.
    """

    def __init__(self, name: str, why: str, whole: bool = False) -> None:
        self.name = name
        self.why = why
        super().__init__(why if whole else f"--{name} {why}")


@dataclass
class Settings:
    """All that decides and steers a run, unchecked; None (or nothing) where it was not said."""

    strategies: list[str] = field(default_factory=list)
    all: bool = False
    matches: int | None = None
    seed: int | None = None
    rules: Any = None  # a preset, a TOML file, or a table of house rules
    rule: list[str] = field(default_factory=list)
    format: str | None = None
    keep: str | None = None
    out: str | None = None
    report: bool = False
    jobs: int | None = None
    engine: str | None = None
    scheduler: str | None = None
    block: int | None = None
    shard: str | None = None
    max_time: str | None = None
    max_matches: int | None = None
    max_memory: str | None = None
    deal_time: str | None = None
    log_level: str | None = None

    def check(self) -> None:
        """Raise SettingError for the first setting that cannot be; no strategy is loaded."""
        if self.matches is not None and (self.matches <= 0 or self.matches % 2):
            raise SettingError(
                "matches",
                f"{shown(self.matches)}: give an even number from 2 (each board is played twice, "
                "the teams changing seats)",
            )
        if self.seed is not None and not 0 <= self.seed <= common.MAX_SEED:
            raise SettingError(
                "seed", f"{shown(self.seed)}: give a whole number from 0 to {common.MAX_SEED}"
            )
        for name, most in (("jobs", MAX_JOBS), ("block", MAX_BLOCK)):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= most:
                raise SettingError(name, f"{shown(value)}: give a whole number from 1 to {most:,}")
        from ..sim.engines import ENGINES
        from ..sim.schedule import FORMATS

        for name, choices in (("format", FORMATS), ("engine", ENGINES), ("log-level", LOG_LEVELS)):
            value = getattr(self, name.replace("-", "_"))
            if value is not None and value not in choices:
                raise SettingError(name, f"{shown(value)}: there are {', '.join(choices)}")
        if self.scheduler is not None and self.engine not in (None, "dask"):
            raise SettingError(
                "scheduler", f"{shown(self.scheduler)}: goes with --engine dask only"
            )
        self.keep_text()
        self.stops(1)
        self.choice()
        self.house_rules()

    def all_strategies(self) -> list[str]:
        """Return the entries as texts, with the built-in ones where `all` says so."""
        if not self.all:
            return self.strategies
        from ..strategies.registry import BUILT_IN

        return [*self.strategies, *(name for name in BUILT_IN if name not in self.strategies)]

    def keep_text(self) -> str:
        """Return which rows are kept (`schedule.Keep`); raises SettingError."""
        from ..sim.schedule import Keep

        try:
            Keep.parse(self.keep or "all")
        except ValueError as error:
            raise SettingError("keep", str(error)) from None
        return self.keep or "all"

    def house_rules(self) -> "Rules":
        """Return the rules; raises SettingError."""
        from ..sim.rules import RulesError, parse_rules

        try:
            return parse_rules(self.rules, self.rule)
        except RulesError as error:
            name = "rules" if self.rules is not None else "rule"
            raise SettingError(name, str(error), whole=True) from None

    def stops(self, boards: int) -> "Stops":
        """Return when a run of so many boards stops early; raises SettingError."""
        from ..sim.run import Stops
        from ..sim.schedule import shard_of

        if self.max_matches is not None and (self.max_matches < 2):
            raise SettingError(
                "max-matches", f"{shown(self.max_matches)}: give a whole number from 2"
            )
        seconds = _amount("max-time", self.max_time, _SECONDS, "90s, 10m, 2h or 1d")
        shard = None
        if self.shard is not None:
            match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", self.shard, re.ASCII)
            number, of = (int(part) for part in match.groups()) if match else (0, 0)
            if not 1 <= number <= of:
                raise SettingError(
                    "shard", f"{shown(self.shard)}: write K/N, the K-th of N shards, as 1/4"
                )
            shard = shard_of(boards, number, of)
        return Stops(seconds, self.max_matches, shard)

    def choice(self) -> "EngineChoice":
        """Return the engine and its limits; raises SettingError."""
        import os

        from ..sim.child import Limits
        from ..sim.engines import EngineChoice

        given = {
            "memory": _amount("max-memory", self.max_memory, _BYTES, "800MB or 2GB"),
            "deal_seconds": _amount("deal-time", self.deal_time, _SECONDS, "10s or 2m"),
        }
        limits = Limits(**{name: value for name, value in given.items() if value is not None})
        kind = self.engine or ("dask" if self.scheduler else "auto")
        return EngineChoice(kind, self.jobs or os.cpu_count() or 1, self.scheduler, limits)


def make_plan(settings: Settings) -> "tuple[Plan, list[Entry]]":
    """Return the plan and entries of a new run; raises SettingError and StrategyError.

    This loads the strategies' files.
    """
    from ..sim.schedule import Plan
    from ..strategies.base import StrategyError
    from ..strategies.registry import parse_entries

    entered = settings.all_strategies()
    if len(entered) < 2:
        raise common.BadInputError(
            "a tournament needs two strategies or more, for instance: "
            "prummy tournament greedy random (`prummy strategies` lists them)"
        )
    try:
        entries = parse_entries(entered)
    except StrategyError as error:
        raise SettingError("strategies", str(error), whole=True) from None
    plan = Plan(
        names=tuple(entry.name for entry in entries),
        rules=settings.house_rules(),
        seed=1 if settings.seed is None else settings.seed,
        boards=(settings.matches or DEFAULT_MATCHES) // 2,
        format=settings.format or "round-robin",
    )
    check_sums(plan)
    return plan, entries


def check_sums(plan: "Plan") -> None:
    """Raise SettingError for a plan whose sums could not be exact."""
    from ..sim.schedule import largest_sum

    if largest_sum(plan) >= 2**63:
        raise SettingError(
            "matches",
            f"{2 * plan.boards}: with rules that score so many points, so many matches cannot be "
            "added up exactly: play fewer, or with smaller points",
        )


def _amount(name: str, text: str | None, units: dict[str, int], examples: str) -> Any:
    """Return the number that a text such as ``2GB`` or ``90s`` means; None for None."""
    if text is None:
        return None
    unit = "[smhd]?" if units is _SECONDS else "[kmgt]?"
    end = "" if units is _SECONDS else "b?"
    number = r"\d{1,12}(?:\.\d{1,6})?"
    match = re.fullmatch(rf"({number})\s*({unit}){end}", text.strip().lower(), re.ASCII)
    if match is None or match[2] not in units or not float(match[1]):
        raise SettingError(name, f"{shown(text)}: write for instance {examples}")
    value = float(match[1]) * units[match[2]]
    return value if units is _SECONDS else int(value)
