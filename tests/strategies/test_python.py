"""Strategies in plain Python: the same rules, the same matches, failures that say where."""

import re
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from house import spread
from small_runs import play, rows_of

from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.strategies.base import StrategyError
from persian_rummy.strategies.registry import parse_entry

EXAMPLE = Path(__file__).parents[2] / "examples" / "python_greedy.py"
DULL = """\
from persian_rummy.strategies import Param, PythonStrategy


class Bot(PythonStrategy):
    \"\"\"Does what a test wants.\"\"\"

    params = (Param("least", 3.0, low=0, high=9, doc="what a test wants"),)

    def __init__(self):
        self.turns = 0

    def draw(self, view):
        return -1 if view.stock_size > 0 else -2

    def meld(self, view):
        return 0

    def discard(self, view):
        BODY
"""


def write(folder: Path, body: str = "return int(view.hand).bit_length() - 1") -> str:
    """Write a Python strategy whose discard has this body; return its entry."""
    path = folder / "bot.py"
    path.write_text(DULL.replace("BODY", dedent(body).strip().replace("\n", "\n        ")))
    return f"{path}:Bot"


def player(text: str):
    return parse_entry(text).player()


def test_example__all_house_rules__plays_the_matches_of_the_compiled_one():
    python, compiled = player(f"{EXAMPLE}:PythonGreedy"), player("greedy")
    other = player("random")
    for number, rules in enumerate([Rules(), *spread(12)]):
        blocks = [play_boards(rules, [one, other] * 2, 5, number, 2) for one in (python, compiled)]
        assert blocks[0].failure is None, (rules, blocks[0].failure)
        for part in ("rows", "sides", "deals"):
            assert np.array_equal(*(getattr(block, part) for block in blocks)), rules


def test_example__parameter__is_the_compiled_ones():
    specs = (f"{EXAMPLE}:PythonGreedy[pile_bias=-15]", "greedy[pile_bias=-15]", "greedy")
    blocks = [play_boards(Rules(), [player(spec), player("random")] * 2, 5, 0, 6) for spec in specs]
    assert np.array_equal(blocks[0].sides, blocks[1].sides)
    assert not np.array_equal(blocks[0].sides, blocks[2].sides)


def test_run__with_a_python_strategy__has_the_rows_of_the_compiled_one(tmp_path):
    outcome = play(tmp_path / "run", f"P={EXAMPLE}:PythonGreedy", "greedy", "random", boards=8)
    assert outcome.failures == []
    some, others = (rows_of(tmp_path / "run", name, "random") for name in ("P", "greedy"))
    assert some.drop(columns=["a"]).equals(others.drop(columns=["a"]))


def test_param_values__are_the_parameters_by_name(tmp_path):
    body = """
    assert self.param_values == {"least": 4.0}, self.param_values
    return int(view.hand).bit_length() - 1
    """
    block = play_boards(Rules(), [player(write(tmp_path, body) + "[least=4]")] * 4, 1, 0, 1)
    assert block.failure is None


def test_object__is_made_anew_for_each_seat_and_deal(tmp_path):
    """A counter of its own turns never passes what one seat can have in one deal."""
    body = """
    self.turns += 1
    assert self.turns == int(view.discarded[view.seat]).bit_count() + 1
    return int(view.hand).bit_length() - 1
    """
    block = play_boards(Rules(), [player(write(tmp_path, body))] * 4, 1, 0, 5)
    assert block.failure is None
    assert block.rows["turns"].min() > 50  # so that the counters have counted


def test_view__what_is_written_to_it__changes_nothing(tmp_path):
    body = """
    card = int(view.hand).bit_length() - 1
    view.hand, view.points[0], view.rules.out_bonus, view.bound = 1, 500, 77, 3
    return card
    """
    written, plain = tmp_path / "written", tmp_path / "plain"
    written.mkdir()
    plain.mkdir()
    specs = (write(written, body), write(plain))
    blocks = [play_boards(Rules(), [player(spec)] * 4, 1, 0, 5) for spec in specs]
    assert blocks[0].failure is None
    assert np.array_equal(blocks[0].sides, blocks[1].sides)


def test_random_below__moves_the_private_stream(tmp_path):
    body = """
    from persian_rummy.sim.view import nth_card, count, random_below
    return nth_card(view.hand, random_below(view, count(view.hand)))
    """
    bot = player(write(tmp_path, body))
    first, again = (play_boards(Rules(), [bot] * 4, 1, 0, 5) for _ in range(2))
    other = play_boards(Rules(), [bot] * 4, 2, 0, 5)
    assert first.failure is None
    assert np.array_equal(first.sides, again.sides)
    assert not np.array_equal(first.sides, other.sides)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("x = 1\nraise ValueError('boo')", r"raised ValueError: boo \(bot\.py, line 20\)"),
        ("return 1.5", "raised TypeError: .*float"),
        ("import json\nreturn json.loads('x')", r"raised JSONDecodeError: .* \(bot\.py, line 20\)"),
        ("return None", "raised TypeError: .*NoneType"),
        ("return 2**70", "raised OverflowError: an answer has at most 64 bits"),
        ("return -1", "not all of the cards are in the player's hand"),
        ("import sys\nsys.exit(3)", "raised SystemExit: 3"),
        ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
    ],
)
def test_hook__that_fails__is_told_with_its_line(tmp_path, body, says):
    block = play_boards(Rules(), [player(write(tmp_path, body)), player("greedy")] * 2, 1, 0, 3)
    assert block.failure is not None
    assert block.failure.hook == "discard"
    assert block.failure.player in (0, 2)
    assert re.search(says, block.failure.why)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def draw(self, view)", "def draw(self)", r"draw takes \['self'\], not \(self, view\)"),
        ("def meld(self, view)", "def lay(self, view)", "lacks a method 'meld'"),
        (
            "    def draw(self, view)",
            "    @staticmethod\n    def draw(view)",
            "lacks a method 'draw'",
        ),
        ("    params =", "    version = 2\n    params =", "Bot.version is no text"),
        (
            "def __init__(self)",
            "def __init__(self, size)",
            "__init__ wants size; it is",
        ),
        ("    params =", "    work_size = 8\n    params =", "keeps what it needs in self"),
        ("    params =", "    idea = 'x'\n    params =", "Bot.idea: the base class has a method"),
    ],
)
def test_class__wrongly_declared__says_what_is_right(tmp_path, old, new, says):
    spec = write(tmp_path)
    path = Path(spec.rpartition(":")[0])
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(StrategyError, match=says):
        parse_entry(spec)
