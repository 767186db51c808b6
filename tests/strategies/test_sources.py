"""What a strategy is made of: the neighbours that it imports and no others."""

from pathlib import Path

import pytest

from persian_rummy.strategies.registry import BUILT_IN, find_class
from persian_rummy.strategies.sources import OURS, is_built_in, own_files

FILES = {
    "plain": "x = 1\n",
    "direct": "import plain\n",
    "named": "from plain import x\n",
    "aliased": "import plain as p, named as n\n",
    "inside": "def f():\n    import direct\n    return direct\n",
    "chain": "if True:\n    from inside import f\n",
    "star": "from direct import *\n",
    "dotted": "import os.path, json\n",
    "circle": "import round\n",
    "round": "import circle, plain\n",
    "dynamic": "import importlib\nplain = importlib.import_module('plain')\n",
    "builtin": "plain = __import__('plain')\n",
    "broken": "def f(:\n",
    "nul": "x = 1\0\n",
}
ALONE, ALL = (), tuple(sorted(FILES))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("plain", ALONE),
        ("direct", ("plain",)),
        ("named", ("plain",)),
        ("aliased", ("named", "plain")),
        ("inside", ("direct", "plain")),
        ("chain", ("direct", "inside", "plain")),
        ("star", ("direct", "plain")),
        ("dotted", ALONE),
        ("circle", ("plain", "round")),
        ("dynamic", ALL),
        ("builtin", ALL),
        ("broken", ALL),
        ("nul", ALL),
    ],
)
def test_own_files__are_those_that_are_imported(folder, name, others):
    found = own_files(str(folder / f"{name}.py"))
    assert {path.stem for path in found} == {name, *others}
    assert found == sorted(found)


def test_own_files__of_a_package__are_found_by_any_name(tmp_path):
    package = tmp_path / "bots"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in ("one", "two", "three", "other"):
        (package / f"{name}.py").write_text("x = 1\n")
    (package / "bot.py").write_text(
        "from . import one\nfrom .two import x\nfrom bots.three import x as y\n"
    )
    found = own_files(str(package / "bot.py"))
    assert [path.stem for path in found] == ["bot", "one", "three", "two"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_own_files__of_a_built_in__hold_its_base_and_no_other_player(name):
    _, source = find_class(name)
    names = {path.stem for path in own_files(source)}
    assert {name, "base"} <= names
    assert names.isdisjoint(set(BUILT_IN) - {name}) or name in ("doubler", "hunter", "miser")
    assert all(path.parent == OURS for path in own_files(source))
    assert is_built_in(source)
    assert not is_built_in("somewhere/greedy.py")
