"""Strategies in files: what is wrong with one is said with its line, and an edit is seen."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from position import Position
from small_runs import write_strategy, write_with_helper
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.strategies.base import StrategyError
from persian_rummy.strategies.registry import parse_entry


def test_file__class_that_is_missing__names_those_it_has(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    path = spec.rpartition(":")[0]
    with pytest.raises(StrategyError, match=r"has no class 'Bat'; it has Bot$"):
        parse_entry(f"{path}:Bat")
    Path(path).write_text("x = 1\n")
    with pytest.raises(StrategyError, match="has no class 'Bot'; it has no Strategy class"):
        parse_entry(spec)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = (\n\ndef f(:\n", r"bot\.py, line \d: "),
        ("import numpy\nimport no_such_module\n", "No module named 'no_such_module'"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(0)\n", "cannot be loaded: SystemExit: 0"),
        ("Bot = 3\n", r"bot\.py: 3 is not a Strategy class"),
        ("class Bot:\n    pass\n", "Bot is not a Strategy class"),
        ("x = '\udcff'\n", r"bot\.py"),
    ],
)
def test_file__broken__says_where(tmp_path, text, says):
    path = tmp_path / "bot.py"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    for _ in range(2):  # a file that failed once fails again, rather than counting as loaded
        with pytest.raises(StrategyError, match=says):
            parse_entry(f"{path}:Bot")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def draw(view, params, work)", "def draw(view, params)", r"takes \['view', 'params'\]"),
        ("def meld", "def lay", "lacks a static method 'meld'"),
        (
            "    @staticmethod\n    def discard",
            "    def discard",
            "lacks a static method 'discard'",
        ),
        ('    """Does what a test wants."""\n', "", "no docstring that says its idea"),
        ("    @staticmethod", "    work_size = -1\n    @staticmethod", "work_size is -1"),
        ("    @staticmethod", "    work_size = 2.5\n    @staticmethod", "work_size is 2.5"),
        ("    @staticmethod", "    work_size = 10**9\n    @staticmethod", "the most is 10000000"),
        ("    @staticmethod", "    params = (3,)\n    @staticmethod", "no tuple of Param"),
        (
            "    @staticmethod",
            "    params = (Param('x', 1.0, 0, 2, 'no comma'))\n    @staticmethod",
            "no tuple of Param",
        ),
    ],
)
def test_file__wrongly_declared__says_what_is_right(tmp_path, old, new, says):
    spec = write_strategy(tmp_path, "Bot")
    path = Path(spec.rpartition(":")[0])
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(StrategyError, match=says):
        parse_entry(spec)


HEAD = """\
def helper(view):
    return 1


class Thing:
    size = 1


LIST = [1, 2]
NAMES = {"a": 1}
"""


@pytest.mark.parametrize(
    ("body", "line", "says", "instead"),
    [
        ("x = 1\nreturn no_such_name", 2, "no_such_name", "import it, or define it"),
        ("return view.no_such_field", 1, "there is no field 'no_such_field'", "docs/strategies.md"),
        ("return view.stock_siz", 1, "there is no field 'stock_siz'", "did you mean stock_size"),
        ("x = view.hand\nreturn open('f')", 2, "open", ""),
        ("if view.deal == 0:\n    return 1", None, "must return a whole number", "end every way"),
        ("return (1, 2)", 1, "must return a whole number", "end every way"),
        ("return 'seven'", 1, "must return a whole number", "end every way"),
        ("x = 2.5\nreturn x", 2, "is a float, not a whole number", "the play or the card"),
        ("return view.pile[params[0]]", 1, "this one is a float", "np.int64(x)"),
        ("return max(view.counts, 3)", 1, "max is called with what it cannot", "a loop"),
        ("for c in view.hand:\n    return c\nreturn 0", 1, "not a list of cards", "trailing_zeros"),
        ("return np.int64(params.least)", 1, "are arrays, without names", "params[0]"),
        ("return self.x", 1, "hooks have no self", "PythonStrategy"),
        ("points = view.points\npoints += 1\nreturn 0", None, "only to be read", "copy what you"),
        ("view.hand = 3\nreturn 0", 1, "only to be read", "copy what you"),
        (
            "x = 1\nreturn helper(view)",
            2,
            "helper is a plain Python function",
            "@jit above its def",
        ),
        ("return Thing().size", 1, "Thing is a class", "or a PythonStrategy"),
        ("return NAMES['a']", 1, "NAMES is of a kind", "an array: np.array"),
        ("return LIST[0]", 1, "LIST is of a kind", "an array: np.array"),
        ("return bin(3)", 1, "compiled code has no bin", "popcount"),
        ("import os\nreturn 0", 1, "an import inside", "at the top of the file"),
        ("x = 0\nglobal LIST\nLIST = 1\nreturn 0", 3, "cannot change what lies", "keep it in work"),
        ("return any(x > 1 for x in range(3))", 1, "has no generators", "a loop"),
        ("with open('f') as f:\n    return 1", 1, "has no `with`", "at the top of the file"),
        (
            "b = 0\nif view.deal:\n    b = (1, 2)\nreturn b",
            None,
            "b is of one type",
            "np.int64(-1)",
        ),
        ("xs = []\nreturn len(xs)", None, "xs is an empty list", "a mask"),
        ("return view.hand.bit_count()", 1, "numpy's uint64", "popcount(mask)"),
        ("return max((1, 2), key=lambda x: x)", 1, "no functions as arguments", "a loop that"),
        ("x = '%d' % view.hand\nreturn 0", 1, "next to nothing with text", "--explain"),
        ("return np.random.randint(3)", None, "not governed by the seed", "random_below"),
    ],
)
def test_hook__that_does_not_compile__names_the_authors_line(tmp_path, body, line, says, instead):
    spec = write_strategy(tmp_path, "Bot", discard=body)
    path = Path(spec.rpartition(":")[0])
    path.write_text(HEAD + path.read_text())
    with pytest.raises(StrategyError) as caught:
        parse_entry(spec).player()
    message = str(caught.value)
    assert message.startswith("Bot.discard does not compile: ")
    assert says in message
    assert instead in message.splitlines()[-1]
    assert "Traceback" not in message
    assert len(message.splitlines()) <= 4
    if line:
        lines = path.read_text().splitlines()
        start = next(n for n, text in enumerate(lines, 1) if "def discard" in text)
        source = body.splitlines()[line - 1].strip()
        assert f'{path.name}", line {start + line}: {source}' in message


WRITES = (
    "view.hand = np.uint64(0)",
    "view.points[0] += 100",
    "view.known[:] = np.uint64(1)",
    "view.points = np.zeros(2, np.int64)",
    "view.rules.out_bonus = 1000",
    "view['hand'] = np.uint64(0)",
    "points = view.points; points[view.seat & 1] += 100",
    "rules = view.rules; rules.out_bonus = 1000",
    "planes = view.rules.planes; planes[0] = np.uint64(0)",
    "seen = view; seen.hand = np.uint64(0)",
    "for known in (view.known, view.discarded): known[0] = np.uint64(0)",
    "first = view.points[:1]; first[0] = 100",
    "view.points.reshape((1, 2))[0, 0] = 100",
    "view.points.fill(100)",
    "view.pile.sort()",
    "params[0] = 100.0",
    "grow(view.points)",
)


@pytest.mark.parametrize("write", WRITES)
def test_hook__that_writes_to_what_it_is_shown__is_refused_with_its_line(tmp_path, write):
    spec = write_strategy(tmp_path, "Bot", draw=f"x = 1\n{write}\nreturn -1")
    path = Path(spec.rpartition(":")[0])
    helper = "from persian_rummy.sim.jit import jit\n@jit\ndef grow(array):\n    array[0] += 1\n"
    path.write_text(helper + path.read_text())
    lines = path.read_text().splitlines()
    at = next(number for number, text in enumerate(lines, 1) if write in text)
    with pytest.raises(StrategyError) as caught:
        parse_entry(spec).player()
    assert str(caught.value).startswith(
        "Bot.draw does not compile: view, params and what lies outside the hook are only to be "
        f'read\n  at File "{path}", line {at}: '
    )


@pytest.mark.parametrize("hook", ["draw", "meld", "discard"])
def test_hook__that_uses_global_randomness__is_refused_each_time(tmp_path, hook):
    spec = write_strategy(tmp_path, "Bot", **{hook: "return chance()"})
    path = Path(spec.rpartition(":")[0])
    helper = "from persian_rummy.sim.jit import jit\n"
    helper += "@jit\ndef chance():\n    return np.random.randint(3)\n"
    path.write_text(path.read_text().replace("\nclass", f"\n{helper}\nclass"))
    for _ in range(2):  # the second time, what was compiled the first time must not be loaded
        with pytest.raises(
            StrategyError, match=rf"Bot\.{hook} does not compile: np\.random is not"
        ):
            parse_entry(spec).player()


def test_hook__that_changes_a_copy__is_welcome(tmp_path):
    body = "mine = view.pile.copy()\nmine.sort()\nmine[0] = 0\nreturn trailing_zeros(view.hand)"
    spec = write_strategy(tmp_path, "Bot", discard=body)
    assert discard_of(spec, 0b1100) == 2


def test_hook__that_writes_to_its_memory__is_welcome(tmp_path):
    body = "work[0] += 1\nreturn trailing_zeros(view.hand)"
    spec = write_strategy(tmp_path, "Bot", discard=body, more="work_size = 3")
    assert parse_entry(spec).player().work_size == 3


OUTSIDE = {
    "index 1000000": ("return view.pile[1_000_000]", "IndexError"),
    "index of work": ("return work[work.size]", "IndexError"),
    "write to work": ("work[work.size] = 1\nreturn 0", "IndexError"),
    "in a helper": ("return at(view.points, 2)", "IndexError"),
    "too far down": ("return view.points[-3]", "IndexError"),
    "division": ("return 7 // view.deal", "ZeroDivisionError"),
    "remainder": ("return 7 % view.deal", "ZeroDivisionError"),
    "pile_index": ("return pile_index(view, 56)", "IndexError: no card"),
    "taken_with": ("return np.int64(taken_with(view, -1))", "IndexError: no card"),
    "plays": ("return plays(view, work)", "ValueError: plays wants room"),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_hook__outside_of_what_there_is__raises(tmp_path, name):
    body, says = OUTSIDE[name]
    spec = write_strategy(tmp_path, "Bot", draw=body)
    path = Path(spec.rpartition(":")[0])
    helper = "from persian_rummy.sim.jit import jit\n"
    helper += "from persian_rummy.sim.view import pile_index, plays, taken_with\n"
    helper += "@jit\ndef at(array, place):\n    return array[place]\n"
    path.write_text(helper + path.read_text())
    result = CliRunner().invoke(app, ["match", spec, "random", "--seed", "1"])
    assert result.exit_code == 1
    assert f"Bot failed: draw raised {says}" in result.stderr


def discard_of(spec: str, hand: int) -> int:
    """Return what a strategy would throw from a hand."""
    position = Position(drawn=True)
    position.table["hand"] = hand
    entry = parse_entry(spec)
    return entry.player().hooks[2](position.table, entry.params, np.zeros(9, np.int64))


def write_helped(folder: Path, answer: str) -> str:
    """Write a strategy whose discard is chosen by a helper beside it."""
    spec = write_strategy(folder, "Bot", discard="return choose(view.hand)")
    path = Path(spec.rpartition(":")[0])
    path.write_text("from helper import choose\n" + path.read_text())
    helper = "from persian_rummy.sim.bits import leading_zeros, trailing_zeros\n"
    helper += "from persian_rummy.sim.jit import jit\n\n@jit\ndef choose(hand):\n"
    (path.parent / "helper.py").write_text(f"{helper}    return {answer}\n")
    return spec


def test_file__edited__gives_the_new_behaviour(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    path = Path(spec.rpartition(":")[0])
    before = parse_entry(spec)
    assert discard_of(spec, 0b1100) == 2
    text = path.read_text()
    path.write_text(text.replace("trailing_zeros(view.hand)", "trailing_zeros(view.hand) + 1"))
    assert discard_of(spec, 0b1100) == 3
    assert parse_entry(spec).source_hash != before.source_hash
    path.write_text(text)
    assert discard_of(spec, 0b1100) == 2
    assert parse_entry(spec).source_hash == before.source_hash


def test_helper__edited__gives_the_new_behaviour(tmp_path):
    spec = write_helped(tmp_path, "trailing_zeros(hand)")
    before = parse_entry(spec).source_hash
    assert discard_of(spec, 0b1100) == 2
    shutil.rmtree(tmp_path)
    write_helped(tmp_path, "63 - leading_zeros(hand)")
    assert discard_of(spec, 0b1100) == 3
    assert parse_entry(spec).source_hash != before


@pytest.mark.parametrize("place", ["strategy", "helper"])
@pytest.mark.parametrize("loads", ["np.load(HERE / 'w.npy')[0]", "np.load(HERE / 'w.npy')"])
def test_data__read_when_the_file_is_loaded__are_part_of_the_strategy(tmp_path, place, loads):
    """As by a new process each time: what is compiled is loaded again, and must be what it was."""
    code = """
        import sys, numpy as np
        from persian_rummy.strategies.registry import parse_entry
        from position import Position
        entry = parse_entry(sys.argv[1])
        position = Position(drawn=True)
        answer = entry.player().hooks[2](position.table, entry.params, np.zeros(9, np.int64))
        print(answer, entry.source_hash)
    """
    discard = "return choose(0)" if place == "helper" else "return W" + "[0]" * ("[0]" not in loads)
    spec = write_strategy(tmp_path, "Bot", discard=discard)
    path = Path(spec.rpartition(":")[0])
    data = (
        f"import numpy as np\nfrom pathlib import Path\nHERE = Path(__file__).parent\nW = {loads}\n"
    )
    helper = "from persian_rummy.sim.jit import jit\n@jit\ndef choose(place):\n    return "
    if place == "helper":
        (path.parent / "helper.py").write_text(
            data + helper + ("W\n" if "[0]" in loads else "W[place]\n")
        )
        data = "from helper import choose\n"
    path.write_text(data + path.read_text())
    found = []
    for weight in (3, 7, 3):
        np.save(path.parent / "w.npy", np.array([weight, 1]))
        done = subprocess.run(
            [sys.executable, "-c", dedent(code), spec],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        found.append(done.stdout.split())
    assert [answer for answer, _ in found] == ["3", "7", "3"]
    assert found[0] == found[2]
    assert found[0][1] != found[1][1]


def test_helpers__of_one_name_in_two_folders__each_has_its_own(tmp_path):
    lowest = write_helped(tmp_path / "v1", "trailing_zeros(hand)")
    highest = write_helped(tmp_path / "v2", "63 - leading_zeros(hand)")
    for _ in range(2):
        assert discard_of(lowest, 0b1110) == 1
        assert discard_of(highest, 0b1110) == 3


def test_source_hash__of_the_same_files_in_two_folders__is_the_same(tmp_path):
    one, two = (write_with_helper(tmp_path / name) for name in ("one", "two"))
    first = parse_entry(one).source_hash
    assert parse_entry(two).source_hash == first
    helper = tmp_path / "two" / "bot" / "helper.py"
    helper.write_text(helper.read_text() + "x = 2\n")
    assert parse_entry(two).source_hash != first == parse_entry(one).source_hash


def test_helper__broken__is_named(tmp_path):
    spec = write_helped(tmp_path, "trailing_zeros(hand")
    with pytest.raises(StrategyError, match=r"helper\.py, line 6: "):
        parse_entry(spec)
