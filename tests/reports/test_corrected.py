"""Margins less the luck of the draw: unbiased, less variable, and whether it saves time."""

import dataclasses

import numpy as np
import pytest
from command import fails, run, run_json
from small_runs import write_strategy

from persian_rummy.reports.corrected import (
    Correction,
    corrected_margin,
    cross_fitted,
    in_words,
)
from persian_rummy.reports.stats import Interval
from persian_rummy.sim.chance import Luck, play_with_luck
from persian_rummy.sim.match import Block
from persian_rummy.sim.rules import Rules
from persian_rummy.strategies.registry import parse_entry

PLANTED = np.array([3.0, -2.0, 0.5])


def played(a: str, b: str, boards: int, seed: int = 1) -> Luck:
    players = [parse_entry(text).player() for text in (a, b)] * 2
    return play_with_luck(Rules(), players, seed, boards)


def some_boards(luck: Luck, first: int, n: int) -> Luck:
    """Return a stretch of the boards."""
    matches, block = slice(2 * first, 2 * (first + n)), luck.block
    part = Block(block.rows[matches], block.sides[matches], block.deals[matches], None)
    return dataclasses.replace(luck, block=part, draws=luck.draws[first : first + n])


def test_cross_fitted__planted_weights__leave_the_rest():
    rng = np.random.default_rng(1)
    draws, rest = rng.normal(size=(4000, 3)), rng.normal(size=4000)
    left = cross_fitted(draws @ PLANTED + rest + 10, draws)
    assert left.mean() == pytest.approx(10, abs=0.06)
    assert left.std() == pytest.approx(rest.std(), rel=0.01)
    assert np.corrcoef(left, rest)[0, 1] > 0.998


def test_cross_fitted__what_is_taken_off_a_board__does_not_depend_on_its_half():
    rng = np.random.default_rng(2)
    draws, margins = rng.normal(size=(60, 3)), rng.normal(size=60)
    changed = margins.copy()
    changed[::2] += rng.normal(size=30)
    taken, after = margins - cross_fitted(margins, draws), changed - cross_fitted(changed, draws)
    assert taken[::2] == pytest.approx(after[::2])
    assert abs(taken[1::2] - after[1::2]).max() > 0.1


def test_corrected__of_play__agrees_with_the_plain_margin_and_varies_less():
    luck = played("greedy", "hunter", 2000)
    found = corrected_margin("greedy", "hunter", luck)
    margins = (luck.block.sides["score"] @ [1, -1]).reshape(-1, 2).sum(axis=1).astype(float)
    taken = margins - cross_fitted(margins, luck.draws.sum(axis=1))
    difference = found.plain.estimate - found.corrected.estimate
    assert difference == pytest.approx(taken.mean() / 2)
    assert abs(taken.mean()) < 3.5 * taken.std() / np.sqrt(2000)
    assert found.plain.estimate == pytest.approx(margins.mean() / 2)
    assert found.saved.low > 0.15
    assert found.saved.estimate == pytest.approx(1 - (margins - taken).var() / margins.var())
    narrower = (found.corrected.half_width / found.plain.half_width) ** 2
    assert narrower == pytest.approx(1 - found.saved.estimate, abs=0.08)


def test_corrected__entered_the_other_way_round__is_the_same():
    one = corrected_margin("greedy", "hunter", played("greedy", "hunter", 200))
    other = corrected_margin("hunter", "greedy", played("hunter", "greedy", 200))
    assert other.corrected.estimate == pytest.approx(-one.corrected.estimate)
    assert other.saved.estimate == pytest.approx(one.saved.estimate)


def coverage(boards: int, runs: int) -> float:
    """Return how often the corrected interval of a mirror of `random` holds 0, its true margin."""
    luck = played("random", "mirror=random", boards * runs)
    held = 0
    for index in range(runs):
        found = corrected_margin("a", "b", some_boards(luck, index * boards, boards)).corrected
        held += found.low <= 0 <= found.high
    return held / runs


def test_corrected__mirror_of_random__is_zero_in_95_of_100():
    """Within three errors of 120 runs, of the fewest boards that are allowed."""
    assert 0.89 <= coverage(100, 120) <= 1


@pytest.mark.long
def test_corrected__mirror_of_random__covers_closely():
    assert 0.936 <= coverage(300, 2000) <= 0.964


def test_corrected__of_a_strategy_and_its_twin__nothing_varies():
    found = corrected_margin("hunter", "twin", played("hunter", "twin=hunter", 100))
    assert (found.saved, found.seconds_saved) == (None, None)
    assert (found.plain.estimate, found.corrected.estimate) == pytest.approx((0, 0))
    assert in_words(found) == [
        "hunter against twin, 100 boards: nothing varies: 0.0 points a match on every board"
    ]


@pytest.mark.parametrize(
    ("play", "draws", "saved", "words"),
    [
        (0.040, 0.0002, 2.0 - 0.75 * 50 * 0.0402, "of 2 s (25 %), so that it is worth it"),
        (0.00002, 0.0001, 0.001 - 0.75 * 50 * 0.00012, "of 1 ms (350 %), so that it is not"),
    ],
)
def test_seconds_saved__a_quarter_of_the_variance__worked_out(play, draws, saved, words):
    margin = Interval(10.0, 4.0, 16.0)
    found = Correction("a", "b", 50, margin, margin, Interval(0.25, 0.2, 0.3), play, draws)
    assert found.seconds_saved == pytest.approx(saved)
    text = "\n".join(in_words(found))
    assert words in text
    assert ("play more boards instead" in text) == (saved < 0)


def test_command__plays_each_pair_by_the_rules_that_are_given():
    args = ("luck", "greedy", "hunter", "random", "--boards", "100", "--seed", "3")
    found = run_json(*args, "--rule", "jokers=0")["pairings"]
    assert [(p["a"], p["b"]) for p in found] == [
        ("greedy", "hunter"),
        ("greedy", "random"),
        ("hunter", "random"),
    ]
    players = [parse_entry(text).player() for text in ("greedy", "hunter")] * 2
    luck = play_with_luck(Rules(jokers=0), players, 3, 100)
    wanted = corrected_margin("greedy", "hunter", luck).to_json()
    for name in ("margin", "corrected_margin", "variance_saved"):
        assert found[0][name] == wanted[name]


def test_command__in_words__says_margins_and_time():
    text = run("luck", "greedy", "hunter", "--boards", "100")
    found = corrected_margin("greedy", "hunter", played("greedy", "hunter", 100))
    assert text.splitlines()[:2] == in_words(found)[:2]
    assert "for the same certainty" in text


def test_command__bad_input__is_told(tmp_path):
    assert "from 100 to 1000000" in fails("luck", "greedy", "hunter", "--boards", "99")
    assert "unknown strategy 'nobody'" in fails("luck", "greedy", "nobody")
    assert "--seed -1" in fails("luck", "greedy", "hunter", "--seed", "-1")
    bad = write_strategy(tmp_path, "Bad", discard="return -1")
    assert "Bad failed: discard answered -1" in fails("luck", "greedy", bad, "--boards", "100")
