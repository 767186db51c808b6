"""Whether a strategy keeps what every strategy must: one check for each promise.

Each check plays or asks the strategy, and returns what it saw or raises `FaultError`. They run in
a process that can be lost (`sim.child`): a strategy that never comes back fails there.
"""

import ast
import functools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..strategies.python import PythonStrategy
from ..strategies.registry import Entry, parse_entry
from ..strategies.sources import own_files
from .ask import HookError, answers, describe, with_hidden_permuted
from .match import Block, play_boards
from .questions import questions
from .rules import PRESETS, Rules
from .transcript import StrategyFailedError, play_transcript
from .view import Player

SEED = 20_240_229
TRIAL_SECONDS = 0.02
SECONDS_A_BOARD = 0.001  # of one that plays all boards; slower ones play fewer
OK, WARNING, FAIL, NOT_RUN = "ok", "warning", "fail", "not run"


class FaultError(Exception):
    """A promise that a strategy does not keep; the text says where."""


class DoubtError(Exception):
    """Something that may be no fault; the text says what it may lead to."""


@dataclass(frozen=True)
class Verdict:
    """What a check found: "ok", "warning", "fail" or "not run", and a sentence."""

    check: str
    status: str
    detail: str


@dataclass(frozen=True)
class Subject:
    """A strategy that is checked, and where the kernel says what it plays (`match.play_boards`)."""

    entry: Entry
    game: np.ndarray | None = None

    @functools.cached_property
    def player(self) -> Player:
        """What plays a seat."""
        return self.entry.player()

    @property
    def is_python(self) -> bool:
        """Whether it is plain Python, and not compiled."""
        return issubclass(self.entry.strategy, PythonStrategy)

    @functools.cached_property
    def pace(self) -> float:
        """Share of the usual number of boards that it can play in reasonable time, up to 1."""
        self.play(Rules(), 0, 1, "random")  # both are loaded then
        boards, seconds = 1, 0.0
        while seconds < TRIAL_SECONDS:
            boards *= 2
            started = time.perf_counter()
            self.play(Rules(), 0, boards, "random")
            seconds = time.perf_counter() - started
        return min(1.0, SECONDS_A_BOARD * boards / seconds)

    def boards(self, number: int) -> int:
        """Return a number of boards, less where it is slow."""
        return max(1, int(number * self.pace))

    @functools.cached_property
    def questions(self) -> np.ndarray:
        """What it is asked in matches against itself and random; FaultError where it fails."""
        me, other = self.player, _built_in("random")
        found = []
        for board in range(max(8, self.boards(40))):
            seats = [me] * 4 if board % 2 == 0 else [me, other] * 2
            try:
                match = play_transcript(
                    Rules(), seats, ["it", "other"] * 2, SEED, board, 0, self.game
                )
            except StrategyFailedError as error:
                raise FaultError(str(error)) from None
            asked = questions(match)
            found.append(asked[[seats[seat] is me for seat in asked["seat"]]])
        return np.concatenate(found)

    def where(self, question: Any) -> str:
        """Return where one of `questions` was asked, and how to look at it."""
        met = self.entry.text if question["match"] % 2 == 0 else "random"
        return (
            f"{describe(question)}: prummy match {self.entry.text} {met} --seed {SEED} --board "
            f"{question['match']} --explain"
        )

    def play(self, rules: Rules, first: int, boards: int, *opponent: str, **options: Any) -> Block:
        """Return boards of it against another strategy, or against itself.

        Raises FaultError where a strategy fails.
        """
        other = _built_in(opponent[0]) if opponent else self.player
        seats = [self.player, other] * 2
        block = play_boards(rules, seats, SEED, first, boards, game=self.game, **options)
        if block.failure is not None:
            failure = block.failure
            said = ", ".join(f"{k}={v}" for k, v in rules.to_dict().items()) or "the usual rules"
            raise FaultError(
                f"{failure.what} (against {opponent[0] if opponent else 'itself'}; rules: {said}; "
                f"seed {SEED}, board {failure.board}, rotation {failure.rotation}, deal "
                f"{failure.deal + 1}, seat {failure.seat})"
            )
        return block


@functools.cache
def _built_in(name: str) -> Player:
    return parse_entry(name).player()


def house_rules() -> list[Rules]:
    """Return the presets, each house rule's values one by one, and combinations of them."""
    table = {rank: place for place, rank in enumerate("23456789TJQKA*")}
    values: dict[str, list[Any]] = {"points": ["fives", table]}
    for rule in fields(Rules):
        about, usual = rule.metadata, cast(Any, rule.default)
        if rule.name in values:
            continue
        others = about["choices"] or (
            (not usual,) if isinstance(usual, bool) else (about["low"], usual + 1)
        )
        values[rule.name] = [value for value in others if value != usual]
    found = list(PRESETS.values())
    found += [Rules(**{name: value}) for name, some in values.items() for value in some]
    chance = random.Random(1)
    defaults = {rule.name: rule.default for rule in fields(Rules)}
    for _ in range(12):
        mixed = {k: chance.choice([defaults[k], *some]) for k, some in values.items()}
        found.append(Rules(**mixed))
    return found


def check_compiles(subject: Subject) -> str:
    """The hooks compile (plain Python: are there)."""
    _ = subject.player
    subject.entry.rater()
    if subject.is_python:
        return "plain Python: nothing to compile"
    return "draw, meld and discard compile"


def check_legal(subject: Subject) -> str:
    """Every action is legal, under every house rule; every deal comes to an end."""
    sets, decisions, turns = house_rules(), 0, 0
    for number, rules in enumerate(sets):
        boards = subject.boards(80 if number < len(PRESETS) else 40)
        for opponent in (["random"], []):
            block = subject.play(rules, 100 * number, boards, *opponent, checked=True)
            decisions += int(block.sides["decisions"].sum())
            turns = max(turns, int(block.deals["deal_turns"].max()))
    return (
        f"{decisions:,} decisions under {len(sets)} sets of house rules; the longest deal ended "
        f"after {turns} turns"
    )


def check_same_seed(subject: Subject) -> str:
    """The same seed gives the same play."""
    boards = subject.boards(200)
    first, again = (subject.play(Rules(), 0, boards, "random") for _ in range(2))
    _expect_same(
        first,
        again,
        "played twice, with the same seed: it hangs on something else, such as global random "
        "numbers (use random_below(view, n)) or the time",
    )
    return f"{len(first.rows)} matches played twice"


def check_fresh(subject: Subject) -> str:
    """Nothing is carried over from match to match: each is the same alone as in a row."""
    boards = subject.boards(80) + 1
    block = subject.play(Rules(), 0, boards, "random")
    for board in reversed(range(boards)):
        for rotation in (1, 0):
            alone = subject.play(Rules(), board, 1, "random", rotations=(rotation,))
            place = slice(2 * board + rotation, 2 * board + rotation + 1)
            before = Block(block.rows[place], block.sides[place], block.deals[place], None)
            _expect_same(before, alone, "played alone, after others than in a row")
    return f"{2 * boards} matches, in a row and each alone"


def check_alone(subject: Subject) -> str:
    """A seat decides by its own deal only, whatever other seats and deals were asked before it."""
    asked = subject.questions
    found = _answers(subject.player, asked, 1)
    for place in np.flatnonzero(found != asked["answer"])[:1]:
        raise FaultError(
            "another choice when each seat is asked alone: something is shared between seats or "
            f"carried from deal to deal ({subject.where(asked[place])})"
        )
    sittings = len(np.unique(asked[["match", "deal", "seat"]]))
    return f"{len(asked):,} decisions of {sittings} seats in a deal, each seat asked alone"


def check_hidden(subject: Subject) -> str:
    """What a seat cannot know changes no choice of it."""
    asked = subject.questions
    before = _answers(subject.player, asked, 1)
    for seed in (1, 2):
        after = _answers(subject.player, with_hidden_permuted(asked, seed), 1)
        for place in np.flatnonzero(before != after)[:1]:
            raise FaultError(
                "another choice when other hands and the stock are changed: "
                + subject.where(asked[place])
            )
    return f"{len(asked):,} decisions, twice with other hands and another stock"


def check_process(subject: Subject) -> str:
    """In another process it decides the same, and no index lies outside its array.

    There our own helpers are compiled with checks of their indices too, and Python puts the texts
    of a set into another order.
    """
    asked = subject.questions
    with tempfile.TemporaryDirectory(prefix="prummy-") as folder:
        path = Path(folder) / "questions"
        asked.tofile(path)
        done = subprocess.run(
            [sys.executable, "-P", "-m", f"{__package__}.ask", subject.entry.text, str(path)],
            env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONHASHSEED": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise FaultError(f"in another process: {(done.stderr.splitlines() or ['it crashed'])[-1]}")
    how = "" if subject.is_python else ", compiled with bounds checks"
    if done.stdout:
        raise FaultError(f"in another process{how}: {done.stdout}")
    return f"{len(asked):,} decisions in another process{how}"


def check_randomness(subject: Subject) -> str:
    """Chance comes from the seat's stream alone."""
    before = (random.getstate(), repr(np.random.get_state()))  # noqa: NPY002 (that is what is watched)
    subject.play(Rules(), 0, subject.boards(80), "greedy")
    if (random.getstate(), repr(np.random.get_state())) != before:  # noqa: NPY002
        raise FaultError(
            "draws from the global random numbers of Python or numpy, which the seed does not "
            "govern: use random_below(view, n)"
        )
    return "only the seat's own stream is drawn from"


_NUMERIC = ("np", "numpy", "math", "cmath", "scipy")
_APPROXIMATE = frozenset(
    (
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "power", "cbrt"),
        *("float_power", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "arcsin"),
        *("arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "gamma", "lgamma", "erf"),
        *("dot", "matmul", "vdot", "inner", "einsum", "tensordot", "linalg"),
    )
)


def check_arithmetic(subject: Subject) -> str:
    """The arithmetic is the same on every machine."""
    found = []
    for path in own_files(subject.entry.source):
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):  # a neighbour that is not imported
            continue
        for node in ast.walk(tree):
            for name in _approximate_names(node):
                found.append(f"{path.name}, line {node.lineno}: {name}")  # type: ignore[attr-defined]
    if found:
        raise DoubtError(
            f"{'; '.join(sorted(set(found))[:4])}: may round otherwise on another machine, and a "
            "choice that hangs on the last digit with it; compare with a margin, or use whole "
            "numbers"
        )
    return "nothing seen that rounds otherwise on another machine"


def _approximate_names(node: ast.AST) -> Iterator[str]:
    """Yield what a piece of source uses whose last digit may differ between machines."""
    if isinstance(node, ast.Attribute) and node.attr in _APPROXIMATE:
        if isinstance(node.value, ast.Name) and node.value.id in _NUMERIC:
            yield node.attr
    elif isinstance(node, ast.ImportFrom):
        if node.module in _NUMERIC:
            yield from (alias.name for alias in node.names if alias.name in _APPROXIMATE)
    elif isinstance(node, ast.BinOp):
        whole = isinstance(node.right, ast.Constant) and isinstance(node.right.value, int)
        if isinstance(node.op, ast.MatMult):
            yield "@"
        elif isinstance(node.op, ast.Pow) and not whole:
            yield "**"
    elif isinstance(node, ast.keyword) and node.arg == "fastmath":
        if not (isinstance(node.value, ast.Constant) and not node.value.value):
            yield "fastmath"


def check_speed(subject: Subject) -> str:
    """How fast it is, beside `greedy`."""
    rates = {}
    for name, player in (("it", subject.player), ("greedy", _built_in("greedy"))):
        boards = subject.boards(2000) if name == "it" else 2000
        best = np.inf
        clock = time.perf_counter if subject.is_python and name == "it" else time.thread_time
        for _ in range(3):
            started = clock()
            block = play_boards(Rules(), [player] * 4, SEED, 0, boards, game=subject.game)
            best = min(best, clock() - started)
        if block.failure is not None:
            raise FaultError(block.failure.what)
        rates[name] = (len(block.rows) / best, 1e9 * best / block.sides["decisions"].sum())
    rate, each = rates["it"]
    return (
        f"{rate:,.0f} matches/s against itself on one core ({each:,.0f} ns a decision; greedy: "
        f"{rates['greedy'][0]:,.0f} matches/s)"
    )


CHECKS: dict[str, Callable[[Subject], str]] = {
    "compiles": check_compiles,
    "legal": check_legal,
    "same seed": check_same_seed,
    "fresh": check_fresh,
    "alone": check_alone,
    "hidden": check_hidden,
    "process": check_process,
    "randomness": check_randomness,
    "arithmetic": check_arithmetic,
    "speed": check_speed,
}
"""The checks by name, in the order in which they are made."""

NEEDED = ("compiles", "legal", "same seed")
"""Those without which the others have nothing to go by."""


def run_check(name: str, subject: Subject) -> Verdict:
    """Return the verdict of one check; raises what is no finding (StrategyError for instance)."""
    try:
        return Verdict(name, OK, CHECKS[name](subject))
    except FaultError as failed:
        return Verdict(name, FAIL, str(failed))
    except DoubtError as warning:
        return Verdict(name, WARNING, str(warning))


def _expect_same(one: Block, other: Block, how: str) -> None:
    for part in ("rows", "sides", "deals"):
        if not np.array_equal(getattr(one, part), getattr(other, part)):
            differ = (one.sides != other.sides).any(axis=1) | (one.rows != other.rows)
            row = one.rows[int(np.argmax(differ))]
            raise FaultError(
                f"another match when {how}: seed {SEED}, board {row['board']}, rotation "
                f"{row['rotation']}"
            )


def _answers(player: Player, asked: np.ndarray, seed: int) -> np.ndarray:
    try:
        return answers(player, asked, seed)
    except HookError as error:
        raise FaultError(str(error)) from None
