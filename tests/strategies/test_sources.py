"""What a strategy is made of: the neighbours that it imports and no others."""

import subprocess
import sys
from pathlib import Path

import pytest
from small_runs import write_strategy

from persian_rummy.strategies.registry import BUILT_IN, find_class
from persian_rummy.strategies.sources import OURS, data_hash, is_built_in, own_files

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


def test_own_files__of_a_package__are_all_of_it(tmp_path):
    for name in (
        "bots/__init__",
        "bots/nets/__init__",
        "bots/nets/bot",
        "bots/nets/value",
        "bots/x",
    ):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    (tmp_path / "other.py").write_text("x = 1\n")
    found = own_files(str(tmp_path / "bots" / "nets" / "bot.py"))
    assert found == sorted((tmp_path / "bots").rglob("*.py"))
    assert len(found) == 5


def data_hash_of(folder: Path, name: str, data: str) -> str:
    spec = write_strategy(folder, name)
    path = Path(spec.rpartition(":")[0])
    path.write_text(path.read_text() + f"\n\ndef helper():\n    return 1\n\n\n{data}\n")
    cls, source = find_class(spec)
    return data_hash(cls, source)


def test_data_hash__of_arrays_in_tuples__is_of_all_their_values(tmp_path):
    one, two = (
        data_hash_of(tmp_path, f"Bot{k}", f"W = (np.zeros(3000), np.arange(3000) == {k})")
        for k in (1500, 1501)
    )
    assert one != two
    assert data_hash_of(tmp_path, "Bot3", "W = (np.zeros(3000), np.arange(3000) == 1500)") == one
    near = [data_hash_of(tmp_path, f"Near{k}", f"W = (1.0, (0.1 + {k}e-16,))") for k in (0, 1)]
    assert near[0] != near[1]


def test_data_hash__of_functions_in_tuples__does_not_hang_on_where_they_lie(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    path = Path(spec.rpartition(":")[0])
    path.write_text(path.read_text() + "\n\ndef helper():\n    return 1\n\n\nALL = (helper, 3)\n")
    program = "import sys; from persian_rummy.strategies.registry import parse_entry\n"
    program += "print(parse_entry(sys.argv[1]).source_hash)"
    command = [sys.executable, "-c", program, spec]
    hashes = {
        subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)
    }
    assert len(hashes) == 1
    assert hashes != {""}


@pytest.mark.parametrize("name", BUILT_IN)
def test_own_files__of_a_built_in__hold_its_base_and_no_other_player(name):
    _, source = find_class(name)
    names = {path.stem for path in own_files(source)}
    assert {name, "base"} <= names
    assert names.isdisjoint(set(BUILT_IN) - {name}) or name in ("doubler", "hunter", "miser")
    assert all(path.parent == OURS for path in own_files(source))
    assert is_built_in(source)
    assert not is_built_in("somewhere/greedy.py")
