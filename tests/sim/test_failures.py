"""Strategies that fail: void for them, nothing changes for the others, and it can be replayed."""

import json
import random
import shlex
from collections.abc import Iterator
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pandas as pd
import pytest
from command import run_json
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_runs import make_run, play, read_rows, rows_of, write_strategy
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.sim.engines import Engine, EngineChoice
from persian_rummy.sim.match import Failure, play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.run import Run
from persian_rummy.sim.schedule import Pairing
from persian_rummy.sim.store import Part
from persian_rummy.sim.summary import PairingSummary
from persian_rummy.sim.transcript import StrategyFailedError, play_transcript
from persian_rummy.sim.work import Played, Task, failed
from persian_rummy.strategies.registry import parse_entry

LATER = "view.deal == 1 and view.match_points[0] > 230"  # seed 1: first on board 8
TAKES = """
cards = takeable(view)
if cards != np.uint64(0):
    return pile_index(view, trailing_zeros(cards))
return -1 if view.stock_size > 0 else -2
"""
HELPERS = "from persian_rummy.sim.view import pile_index, play_run, play_set, takeable\n"

# hook at fault, its body, another hook's, why it is illegal
ILLEGAL = {
    "BeyondPile": ("draw", "return view.pile_size", "", "not in the pile"),
    "BelowPile": ("draw", "return -3", "", "not in the pile"),
    "PassesEarly": ("draw", "return -2", "", "only when the stock is empty"),
    "DrawsFromNothing": ("draw", "return -1", "", "the stock is empty"),
    "TakesIdle": ("draw", "return 0", "", "no play with this card"),
    "PlaysOthers": (
        "meld",
        "return play_set(np.uint64(0b111) & ~view.hand)",
        "",
        "in the player's",
    ),
    "PlaysNoSet": ("meld", "return play_set(view.hand)", "", "neither a set"),
    "PlaysNoRun": ("meld", "return play_run(view.hand)", "", "neither a run"),
    "PlaysNoKind": ("meld", "return np.int64(view.hand)", "", "no action of the game"),
    "ForgetsBound": ("meld", "return 0", TAKES, "must hold the bound card"),
    "ThrowsOthers": ("discard", "return trailing_zeros(~view.hand)", "", "in the player's hand"),
    "ThrowsNothing": ("discard", "return -1", "", "in the player's hand"),
    "ThrowsBeyond": ("discard", "return 56", "", "in the player's hand"),
}


def write(folder: Path, name: str) -> str:
    """Write one of the illegal strategies; return its entry."""
    hook, body, draw, _ = ILLEGAL[name]
    spec = write_strategy(folder, name, **({"draw": draw} if draw else {}) | {hook: body})
    path = Path(spec.rpartition(":")[0])
    path.write_text(HELPERS + path.read_text())
    return spec


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, pd.DataFrame]:
    """Return digest and rows of a run of those who do not fail."""
    folder = tmp_path_factory.mktemp("clean") / "run"
    outcome = play(folder, "greedy", "random", boards=24, block=8)
    return outcome.digest, read_rows(folder)


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the entry of a strategy that fails on some boards only."""
    body = f"return -1 if {LATER} else trailing_zeros(view.hand)"
    return write_strategy(tmp_path_factory.mktemp("later"), "Later", discard=body)


@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal_answer__is_refused_and_named(tmp_path, name):
    spec = write(tmp_path, name)
    result = CliRunner().invoke(app, ["match", spec, "random", "--seed", "1"])
    hook, _, _, why = ILLEGAL[name]
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{name} failed: {hook} answered" in result.stderr
    assert why in result.stderr


@pytest.mark.parametrize("place", ["last", "first"])
def test_failure__voids_its_pairings_and_no_others(tmp_path, clean, later, place):
    field = ("greedy", "random", later) if place == "last" else (later, "greedy", "random")
    outcome = play(tmp_path / "run", *field, boards=24, block=8)
    assert [failure["strategy"] for failure in outcome.failures] == ["Later"]
    assert outcome.digest == clean[0]
    assert outcome.matches == 48
    pd.testing.assert_frame_equal(read_rows(tmp_path / "run"), clean[1])
    for pairing, summary in zip(outcome.plan.pairings(), outcome.summaries, strict=True):
        names = {outcome.plan.names[pairing.a], outcome.plan.names[pairing.b]}
        counts = [summary.total(name) for name in ("boards", "matches", "wins", "draws", "losses")]
        assert counts[:2] == ([0, 0] if "Later" in names else [24, 48])
        assert sum(counts[2:]) == counts[1]  # a void match is no win, draw or loss


@pytest.mark.parametrize(("jobs", "block"), [(1, 8), (2, 1), (2, 5), (7, 24)])
def test_failure__evidence__is_the_same_for_jobs_and_blocks(tmp_path, clean, later, jobs, block):
    outcome = play(tmp_path / "run", later, "greedy", "random", boards=24, jobs=jobs, block=block)
    assert outcome.digest == clean[0]
    evidence = json.loads((tmp_path / "run" / "failures" / "Later.json").read_text())
    # the first board, in the order of boards, of the first pairing on which it fails
    assert (evidence["board"], evidence["rotation"]) == first_failure(later) == (8, 1)
    assert (evidence["hook"], evidence["answer"], evidence["deal"]) == ("discard", -1, 1)
    assert evidence["seat"] % 2 == evidence["rotation"]
    assert evidence["player"] in (0, 2)


def first_failure(spec: str) -> tuple[int, int]:
    """Return board and rotation of the first failure against greedy, found match by match."""
    players = [parse_entry(name).player() for name in (spec, "greedy")] * 2
    for board in range(24):
        for rotation in range(2):
            if play_boards(Rules(), players, 1, board, 1, (rotation,)).failure is not None:
                return board, rotation
    raise AssertionError("it never fails")


class _AnyOrder(Executor):
    """Plays tasks at once and in no time, but says so in an order of its own."""

    def __init__(self, rng: random.Random, fails: dict[int, tuple[int, int]]) -> None:
        self.rng = rng
        self.fails = fails  # of a pairing: the board of its failure, and whose it is (0: a, 1: b)
        self.waiting: list[tuple[Future[Played], Task]] = []
        self.played: list[Task] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Played]:
        future: Future[Played] = Future()
        self.waiting.append((future, args[0]))
        if len(self.waiting) > 6 or self.rng.random() < 0.3:
            self.say_some()
        return future

    def say_some(self) -> None:
        self.rng.shuffle(self.waiting)
        while self.waiting:
            future, task = self.waiting.pop()
            self.played.append(task)
            future.set_result(self._played(task))

    def _played(self, task: Task) -> Played:
        block = task.block
        board, player = self.fails.get(block.pairing, (-1, 0))
        if block.first_board <= board < block.first_board + block.n_boards:
            return failed(task, Failure(player, board, 0, 0, player, "draw", 0, "it does"), 0.1)
        part = Part("0" * 16, block.first_board, block.n_boards, "0" * 16, "matches")
        return Played(task, PairingSummary(), 1, part, None, None, 0.1)


def void_by_the_book(
    pairings: list[Pairing], fails: dict[int, tuple[int, int]]
) -> dict[int, tuple[int, int]]:
    """Return who fails, with board and pairing: board by board, pairing by pairing."""
    found: dict[int, tuple[int, int]] = {}
    for board in range(40):
        for index, met in enumerate(pairings):
            where, player = fails.get(index, (-1, 0))
            if where == board and met.a not in found and met.b not in found:
                found[(met.a, met.b)[player]] = (board, index)
    return found


@given(
    st.dictionaries(st.integers(0, 5), st.tuples(st.integers(0, 39), st.integers(0, 1))),
    st.integers(0, 2**32),
    st.integers(1, 50),
    st.integers(1, 4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_failures__whatever_is_played_first__void_the_same(
    tmp_path_factory, monkeypatch, fails, seed, block, jobs
):
    field = ("greedy", "random", "hunter", "miser")
    run = make_run(tmp_path_factory.mktemp("any") / "run", *field, boards=40)
    executor = _AnyOrder(random.Random(seed), fails)

    @contextmanager
    def opened(*arguments: Any) -> Iterator[Engine]:
        yield Engine(executor, lambda task: None, jobs, None)  # type: ignore[arg-type]

    def waited(running: Any, **options: Any) -> Any:
        executor.say_some()
        return wait(running, **options)

    monkeypatch.setattr("persian_rummy.sim.run.open_engine", opened)
    monkeypatch.setattr("persian_rummy.sim.run.wait", waited)
    monkeypatch.setattr(Run, "_void", lambda self, outcome, engine: None)
    outcome = run.play(EngineChoice(), lambda done, total: None, Event(), block_boards=block)
    assert outcome.stopped is None
    right = void_by_the_book(run.pairings, fails)
    assert {e: (f.board, index) for e, (index, f) in run.failed().items()} == right
    for index, met in enumerate(run.pairings):
        if met.a not in right and met.b not in right:
            assert outcome.tallies[index].boards.ranges == [(0, 40)]
    blocks = [(task.block.pairing, task.block.first_board) for task in executor.played]
    assert len(set(blocks)) == len(blocks)  # nothing is played twice


@pytest.mark.parametrize(
    ("field", "seed", "rotation", "rules"),
    [
        (("b={}", "greedy"), 1, 1, Rules()),
        (("random", "b={}"), 3, 0, Rules(min_run=4, deals=3, points="fives")),
    ],
)
def test_failure__command_of_the_evidence__replays_it(
    tmp_path, later, field, seed, rotation, rules
):
    specs = [spec.format(later) for spec in field]
    outcome = play(tmp_path / "run", *specs, boards=24, rules=rules, seed=seed)
    path = Path(outcome.failures[0]["evidence"])
    evidence = json.loads(path.read_text())
    program, *arguments = shlex.split(evidence["command"])
    result = CliRunner().invoke(app, arguments)
    assert (program, result.exit_code) == ("prummy", 1)
    position = tmp_path / "position.json"
    position.write_text(json.dumps([{**evidence["position"], "depth": 1}]))
    moves = run_json("perft", str(position))[0]["nodes"]
    assert moves >= 1  # the position is one, and a legal action was there
    assert result.stderr == (
        f"prummy: b failed: discard answered -1: {evidence['why']} (board {evidence['board']}, "
        f"rotation {evidence['rotation']}, deal {evidence['deal'] + 1}, seat {evidence['seat']})\n"
    )
    assert evidence["why"] == outcome.failures[0]["kind"]
    assert (evidence["seed"], evidence["rotation"]) == (seed, rotation)
    assert evidence["board"] >= 8


def test_failure__of_two__each_is_void_with_its_own_evidence(tmp_path, clean, later):
    other = write_strategy(tmp_path, "Other", discard=f"return 56 if {LATER} else 0")
    outcome = play(tmp_path / "run", later, "greedy", f"{other}", "random", boards=24, block=8)
    assert [failure["strategy"] for failure in outcome.failures] == ["Later", "Other"]
    assert outcome.digest == clean[0]
    answers = [json.loads(Path(f["evidence"]).read_text())["answer"] for f in outcome.failures]
    assert answers[0] == -1


def test_failure__of_all__leaves_nothing_that_counts(tmp_path, later):
    outcome = play(tmp_path / "run", later, "greedy", boards=24)
    assert (outcome.matches, outcome.digest) == (0, "0" * 32)
    assert not list((tmp_path / "run" / "matches").glob("*"))
    assert outcome.stopped is None


def test_failure__resumed__stays_the_same(tmp_path, clean, later):
    field = (later, "greedy", "random")
    first = play(tmp_path / "run", *field, boards=24, block=4, stop_after=3)
    assert first.stopped == "signal"
    outcome = play(tmp_path / "run", *field, boards=24, block=4)
    whole = play(tmp_path / "whole", *field, boards=24, block=4)
    assert outcome.digest == whole.digest == clean[0]
    names = [{k: v for k, v in f.items() if k != "evidence"} for f in outcome.failures]
    assert names == [{k: v for k, v in f.items() if k != "evidence"} for f in whole.failures]


@pytest.mark.parametrize("hook", ["draw", "meld", "discard"])
def test_exception_in_a_hook__is_the_failure_of_its_strategy(tmp_path, clean, hook):
    body = f"if {LATER}:\n    raise ValueError('boo')\n"
    rest = {
        "draw": "return -1 if view.stock_size > 0 else -2",
        "meld": "return 0",
        "discard": "return trailing_zeros(view.hand)",
    }
    spec = write_strategy(tmp_path, "Raises", **{hook: body + rest[hook]})
    outcome = play(tmp_path / "run", "greedy", spec, "random", boards=24, block=8, jobs=2)
    assert outcome.digest == clean[0]
    assert [failure["strategy"] for failure in outcome.failures] == ["Raises"]
    source = Path(spec.rpartition(":")[0]).read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if "boo" in text)
    assert outcome.failures[0]["kind"] == f"raised ValueError: boo (raises.py, line {line})"
    evidence = json.loads(Path(outcome.failures[0]["evidence"]).read_text())
    assert (evidence["hook"], evidence["deal"], evidence["player"] % 2) == (hook, 1, 1)
    result = CliRunner().invoke(app, shlex.split(evidence["command"])[1:])
    assert result.exit_code == 1
    assert "raised ValueError: boo" in result.stderr
    assert rows_of(tmp_path / "run", "greedy", "random").equals(clean[1])


def test_failure__in_a_mixed_team__names_the_one_who_failed(later):
    names = ["random", "greedy", "hunter", "b"]
    players = [parse_entry(name).player() for name in (*names[:3], later)]
    boards = (play_boards(Rules(), players, 1, board, 1, (0,)).failure for board in range(200))
    first = next(failure.board for failure in boards if failure is not None)
    with pytest.raises(StrategyFailedError, match=r"^b failed: discard answered -1") as raised:
        play_transcript(Rules(), players, names, 1, first, 0)
    assert raised.value.failure.seat == 3


# numba lets `flat` and `ascontiguousarray` write to an array that is only to be read
DAMAGE = {
    "points": "view.points.flat[view.seat & 1] += 1",
    "counts": "view.counts.flat[(view.seat + 1) & 3] = 40",
    "rules": "view.rules.planes.flat[0] = np.uint64(0)",
    "rank points": "np.ascontiguousarray(view.rules.rank_points)[3] = 100",
    "parameters": "params.flat[0] += 1.0",
}


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("what", DAMAGE)
def test_damage__seen_when_the_deal_ends__is_laid_at_the_right_door(tmp_path, what, place):
    body = f"{DAMAGE[what]}\nreturn trailing_zeros(view.hand)"
    names = ["greedy", "random", "hunter", "miser"]
    more = "params = (Param('x', 1.0, 0, 9, 'a number'),)"
    names[place] = write_strategy(tmp_path, "Cheat", discard=body, more=more)
    players = [parse_entry(name).player() for name in names]
    for rotation in range(2):
        failure = play_boards(Rules(), players, 5, 0, 3, (rotation,)).failure
        assert failure is not None
        assert (failure.player, failure.seat) == (place, place ^ rotation)
        assert (failure.hook, failure.board, failure.deal) == ("discard", 0, 0)
        assert "damaged the position" in failure.what
    assert players[place].params.tolist() == [1.0]
