"""What holds for every built-in strategy, proved for each."""

import ast
from pathlib import Path

import numpy as np
import pytest
from numba import types
from position import Position
from scipy import stats
from small_runs import write_strategy

from persian_rummy.sim.conformance import CHECKS, OK, Subject, run_check
from persian_rummy.sim.deal import MAX_ACTIONS, legal_actions
from persian_rummy.sim.jit import compile_hook
from persian_rummy.sim.match import Block, play_boards
from persian_rummy.sim.notation import action_kind, action_text, make_action, parse_action
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.state import TABLE_DTYPE
from persian_rummy.sim.transcript import play_transcript, replay
from persian_rummy.sim.view import HOOK_SIGNATURE, Player
from persian_rummy.strategies import base
from persian_rummy.strategies.registry import BUILT_IN, find_class, parse_entry

every_strategy = pytest.mark.parametrize("name", BUILT_IN)


def player(name: str) -> Player:
    return parse_entry(name).player()


def play(name: str, first: int = 0, boards: int = 30, **options) -> Block:
    """Return boards of a strategy against random."""
    rules = options.pop("rules", Rules())
    pair = [player(name), player("random")]
    return play_boards(rules, pair * 2, options.pop("seed", 11), first, boards, **options)


def same(one: Block, other: Block) -> bool:
    """Return whether two blocks have the same rows in every column."""
    return all(
        np.array_equal(getattr(one, part), getattr(other, part))
        for part in ("rows", "sides", "deals")
    )


@every_strategy
def test_conformance__every_check__is_kept(name):
    """What `prummy strategies check` asks of everybody's; in another process: the long form."""
    subject = Subject(parse_entry(name))
    found = [run_check(check, subject) for check in CHECKS if check != "process"]
    assert {verdict.status for verdict in found} == {OK}, found


@pytest.mark.long
@every_strategy
def test_conformance__in_another_process_with_bounds_checks__is_kept(name):
    found = run_check("process", Subject(parse_entry(name)))
    assert found.status == OK, found


@every_strategy
def test_play__another_seed__is_another_match(name):
    differ = (play(name).sides["score"] != play(name, seed=12).sides["score"]).any(axis=1)
    assert differ.mean() > 0.9  # whole matches differ, not only the first


@every_strategy
def test_hooks__any_position__leave_the_view_as_it_is(name):
    hooks, params = player(name).hooks, parse_entry(name).params
    work = np.zeros(1000, np.int64)
    fields = [field for field in TABLE_DTYPE.names if field != "rng"]
    asked = 0
    match = play_transcript(Rules(deals=4), [player(name)] * 4, [name] * 4, 2, 5, 0)
    for step in replay(match):
        kind = action_text(step.action)[0]
        hook = {"S": 0, "T": 0, "P": 0, "=": 1, "-": 1, "D": 2}[kind]
        seen = step.table.copy()
        hooks[hook](seen[0], params, work)
        for field in fields:
            assert np.array_equal(seen[field], step.table[field]), field
        asked += 1
    assert asked > 200


RATED = [name for name in BUILT_IN if hasattr(find_class(name)[0], "rate")]


@pytest.mark.parametrize("name", RATED)
def test_rate__of_what_the_hooks_choose__is_the_highest_of_its_kind(name):
    entry = parse_entry(name)
    signature = types.float64(*HOOK_SIGNATURE.args[:2], types.uint64)
    rate = compile_hook(entry.strategy.rate, signature)
    actions = np.zeros(MAX_ACTIONS, np.uint64)
    choices = 0
    for board in range(3):
        players = [player(name), player("random")] * 2
        match = play_transcript(Rules(), players, [name, "random"] * 2, 2, board, 0)
        for step in replay(match):
            table = step.table[0]
            if table["seat"] & 1:
                continue
            legal = actions[: legal_actions(table, actions)]
            rated = {action_text(a): rate(table, entry.params, a) for a in legal}
            assert {text[0] for text, worth in rated.items() if np.isnan(worth)} <= set("=-K")
            chosen = action_text(step.action)
            if chosen[0] in "STPD":
                kind = "D" if chosen[0] == "D" else "STP"
                others = {worth for text, worth in rated.items() if text[0] in kind}
                assert rated[chosen] == max(others)
                choices += len(others) > 1
    assert choices > 60


@every_strategy
def test_class__is_declared_truthfully(name):
    cls, source = find_class(name)
    base.check_class(cls, name)
    assert Path(source).name == f"{name}.py"
    assert cls.__name__.lower() == name
    assert 20 < len(cls.idea()) <= 100
    assert cls.idea().endswith((".", ":")) or ":" in cls.idea()
    assert len({param.name for param in cls.params}) == len(cls.params)
    for param in cls.params:
        assert param.low <= param.default <= param.high
        assert param.low < param.high
        assert param.doc


PARAMS = [
    (name, param.name, param.low, param.high)
    for name in BUILT_IN
    for param in find_class(name)[0].params
]


@pytest.mark.parametrize(("name", "param", "low", "high"), PARAMS)
def test_param__at_its_bounds__changes_play(name, param, low, high):
    default = play(name, boards=150)
    others = [play(f"{name}[{param}={value}]", boards=150) for value in (low, high)]
    assert not all(same(default, other) for other in others)
    assert not same(*others)


@pytest.mark.parametrize(("name", "param", "low", "high"), PARAMS)
def test_param__at_its_default__is_the_default(name, param, low, high):
    default = next(p.default for p in find_class(name)[0].params if p.name == param)
    assert same(play(name), play(f"{name}[{param}={default}]"))


def test_built_in__holds_every_file_that_defines_a_strategy():
    found = set()
    for path in Path(base.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and any(
                isinstance(each, ast.Name) and each.id == "Strategy" for each in node.bases
            ):
                found.add(path.stem)
    assert found - {"python"} == set(BUILT_IN)  # that one is a base class


def uniform(position: Position, after_draw: bool, draws: int = 12_000) -> float:
    """Return the p-value of random's first action being uniform over the legal ones."""
    hooks, work = player("random").hooks, np.zeros(1000, np.int64)
    counts = dict.fromkeys(position.legal(), 0)
    nothing = np.zeros(0)
    for seed in range(draws):
        view = position.arrays[0].copy()
        view["rng"] = np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
        if not after_draw:
            answer = hooks[0](view[0], nothing, work)
            taken = position.table["pile"][answer] if answer >= 0 else None
            texts = {-1: "S", -2: "P"}
            counts[texts.get(answer) or action_text(make_action(1, 1 << int(taken)))] += 1
            continue
        play = hooks[1](view[0], nothing, work)
        if play == 0:
            play = make_action(
                action_kind(parse_action("D2C")), 1 << hooks[2](view[0], nothing, work)
            )
        counts[action_text(play)] += 1
    return stats.chisquare(list(counts.values())).pvalue


def test_random__draw__is_uniform_over_the_legal_ones():
    hand = ("7C7D8HKSKHQSAS", "2C", "3D", "4H")
    position = Position(hand, pile="7HTS9H4CKDQD", stock="5C5D")
    assert position.legal() == ["S", "T7H", "TKD"]
    assert uniform(position, after_draw=False) > 0.001


def test_random__after_the_draw__is_uniform_over_plays_and_discards():
    position = Position(("7C7D7H7S5D6D2S", "2C", "3D", "4H"), stock="5C5H", drawn=True)
    # the four sevens and four threes of them, the run 5-6-7, and seven discards
    assert len(position.legal()) == 5 + 1 + 7
    assert uniform(position, after_draw=True) > 0.001


def test_random__card_bound__is_uniform_over_the_plays_that_hold_it():
    position = Position(("7C7D7H7S5D6D2S", "2C", "3D", "4H"), stock="5C5H", drawn=True)
    position.table["bound"] = 4 * 5 + 1  # 7D
    assert len(position.legal()) == 1 + 3 + 1
    assert uniform(position, after_draw=True) > 0.001


def test_uniform__of_a_biased_player__is_refused(monkeypatch, tmp_path):
    """The chi-square test sees a bias of 1.3 to 1."""
    body = "return 0 if view.rng >> np.uint64(40) & np.uint64(7) < np.uint64(3) else -1"
    biased = write_strategy(tmp_path, "Biased", draw=body)
    monkeypatch.setitem(globals(), "player", lambda name: parse_entry(biased).player())
    position = Position(("7C7D8HKSKHQSAS", "2C", "3D", "4H"), pile="7H", stock="5C5D")
    assert position.legal() == ["S", "T7H"]
    assert uniform(position, after_draw=False) < 1e-6
