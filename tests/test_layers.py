"""Imports point down the table `[tool.prummy.layers]` of pyproject.toml, and nowhere else."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "persian_rummy"
FOLDERS = ("sim", "strategies", "reports", "commands")
TABLE = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["prummy"]["layers"]
HEIGHT = {layer: height for height, layer in enumerate(TABLE["order"])}
TABLE_PLACE = "order in [tool.prummy.layers] of pyproject.toml"


@dataclass(frozen=True)
class Import:
    """One imported name: `from numba import njit` is `numba.njit`."""

    line: int
    target: str  # dotted; of a module of ours, the path below the package ("" is the package)
    ours: bool
    relative: bool
    at_load: bool  # it runs when the module is loaded, not when a function is called


def violations(files: dict[str, str]) -> list[str]:
    """Say what each file (path below the root -> source) imports against the table."""
    imports = {_module(path): list(_imports(path, files)) for path in sorted(files)}
    paths = {_module(path): path for path in files}
    found: list[str] = []
    for module, its_imports in imports.items():
        path = paths[module]
        layer = _layer(module)
        is_bare_package = path in ("__init__.py", "sim/__init__.py")
        if layer is None and not is_bare_package:
            found.append(f"{path}: {module} is in no layer; add it at its height to {TABLE_PLACE}")
            continue
        for item in its_imports:
            wrong = [_numba_fault(module, item)]
            if is_bare_package and item.ours:
                wrong.append("is loaded with everything below it, so it imports nothing of ours")
            elif item.ours:
                wrong += [_form_fault(item), _direction_fault(module, layer, item)]
            found += [f"{path}:{item.line}: {fault}" for fault in wrong if fault]
        found += _heavy_faults(module, imports, paths)
    return found


def _module(path: str) -> str:
    """`sim/cards.py` -> `sim.cards`, `sim/__init__.py` -> `sim`, `__init__.py` -> ``."""
    return path.removesuffix("__init__.py").removesuffix(".py").strip("/").replace("/", ".")


def _layer(module: str) -> str | None:
    """The entry of the table that is `module` or a folder above it."""
    parts = module.split(".")
    heads = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((head for head in heads if head in HEIGHT), None)


def _imports(path: str, files: dict[str, str]) -> Iterator[Import]:
    """Every import of a file, at whatever depth."""
    folder = path.split("/")[:-1]

    def visit(node: ast.AST, at_load: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import numba.types` binds numba, so that numba.njit is at hand as well.
                name = alias.name if alias.asname else alias.name.split(".")[0]
                yield _absolute(node.lineno, alias.name, name, at_load)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield _absolute(node.lineno, name, name, at_load)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) + 1 - node.level]
            outside = node.level > len(folder) + 1
            stem = ([f"above {PACKAGE}"] if outside else base) + (node.module or "").split(".")
            stem = [part for part in stem if part]
            for alias in node.names:
                full = "/".join([*stem, alias.name])
                is_module = full in FOLDERS or {f"{full}.py", f"{full}/__init__.py"} & files.keys()
                is_layer = full.replace("/", ".") in HEIGHT
                target = full.split("/") if is_module or is_layer else stem
                yield Import(node.lineno, ".".join(target), True, True, at_load)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.body:
                yield from visit(child, False)
            for child in node.orelse:
                yield from visit(child, at_load)
        else:
            in_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from visit(child, at_load and not in_function)

    yield from visit(ast.parse(files[path], path), True)


def _absolute(line: int, full: str, bound: str, at_load: bool) -> Import:
    top, _, rest = full.partition(".")
    if top == PACKAGE:
        return Import(line, rest, True, False, at_load)
    ours = top in (*FOLDERS, "cli")
    return Import(line, full if ours else bound, ours, False, at_load)


def _form_fault(item: Import) -> str | None:
    if not item.relative:
        return f"imports {item.target or PACKAGE} by an absolute name; write it relative (from ..)"
    return None


def _direction_fault(module: str, layer: str | None, item: Import) -> str | None:
    if item.target == "":
        return None  # the package itself holds its version and imports nothing
    below = _layer(item.target)
    if below is None:
        return f"imports {item.target}, which is in no layer; name a module of {TABLE_PLACE}"
    if layer is None or below == layer:
        return None
    if HEIGHT[below] > HEIGHT[layer]:
        return f"{module} imports {item.target}, which lies above it"
    ceiling = TABLE["ceiling"].get(layer)
    if ceiling and HEIGHT[below] > HEIGHT[ceiling]:
        return f"{module} imports {item.target}; {layer} sees {ceiling} and below"
    return None


def _numba_fault(module: str, item: Import) -> str | None:
    if item.ours or item.target.split(".")[0] != "numba" or module in TABLE["numba"]:
        return None
    if module not in TABLE["numba_types"]:
        return f"{module} imports {item.target}; only {', '.join(TABLE['numba'])} imports numba"
    names = TABLE["numba_type_names"]
    if item.target.split(".")[1:2] not in [[name] for name in names]:
        return f"{module} imports {item.target}; of numba it may have {', '.join(names)}"
    return None


def _heavy_faults(
    module: str, imports: dict[str, list[Import]], paths: dict[str, str]
) -> list[str]:
    """What a quick module loads slowly, with the way by which it does."""
    if _layer(module) not in TABLE["light"]:
        return []
    found, seen, ways = [], {module}, [[module]]
    for way in ways:  # grows while it is read: breadth first, so the shortest way is found
        for item in imports.get(way[-1], []):
            top = item.target.split(".")[0]
            if not item.at_load or item.target in seen:
                continue
            if not item.ours and top in TABLE["heavy"] and top not in seen:
                by = "".join(f", by way of {step}" for step in way[1:])
                found.append(
                    f"{paths[module]}: imports {top} when loaded{by}; import it in a function"
                )
                seen.add(top)
            elif item.ours:
                seen.add(item.target)
                ways.append([*way, item.target])
    return found


def test_tree__imports_point_down() -> None:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    paths += ROOT.glob("*.py")
    files = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    assert {"__init__.py", "cli.py", "sim/__init__.py"} <= files.keys()
    assert violations(files) == []


def test_cli__loads_nothing_heavy() -> None:
    code = f"import sys, {PACKAGE}.cli; print(*sorted({set(TABLE['heavy'])} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("sim/deal.py", "from .cards import RANKS\nfrom . import melds\nfrom .jit import kernel"),
        ("sim/jit.py", "from numba import njit\nimport numba"),
        ("sim/bits.py", "from numba import types\nfrom numba.extending import overload"),
        ("sim/run.py", "from ..strategies.registry import find\nfrom .match import play"),
        ("strategies/hunter.py", "from ..sim.deal import legal\nfrom .base import Strategy"),
        ("strategies/base.py", "from ..sim import view\nimport numpy as np"),
        ("reports/pages.py", "from .tables import rows\nfrom . import figures\nimport pandas"),
        ("commands/play.py", "from .. import __version__\ndef f():\n  import pandas"),
        ("cli.py", "from . import __version__, commands\ndef f():\n  from .sim.run import run"),
        ("cli.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import pandas"),
    ],
)
def test_violations__none_in_good_source(path: str, source: str) -> None:
    assert violations({path: source}) == []


@pytest.mark.parametrize(
    ("path", "source", "fault"),
    [
        ("sim/cards.py", "from .deal import act", "sim/cards.py:1: sim.cards imports sim.deal,"),
        ("sim/cards.py", "\nfrom . import deal", "sim/cards.py:2: sim.cards imports sim.deal,"),
        ("sim/view.py", "def f():\n  from ..sim.match import play", "imports sim.match, which lie"),
        ("sim/match.py", "from ..strategies.base import X", "strategies.base, which lies above"),
        ("sim/run.py", "from .. import reports", "imports reports, which lies above it"),
        ("sim/run.py", "from .. import sim", "imports sim, which is in no layer; name a module"),
        ("sim/run.py", "from ..sim import *", "imports sim, which is in no layer; name a module"),
        ("reports/x.py", "from ..cli import app", "reports.x imports cli, which lies above"),
        ("strategies/x.py", "from ..sim.match import play", "strategies sees sim.view and below"),
        ("strategies/x.py", "from ..sim.run import run", "strategies.x imports sim.run, which"),
        ("sim/novel.py", "", "sim.novel is in no layer; add it at its height to order in"),
        ("sim/novel/part.py", "", "sim.novel.part is in no layer; add it"),
        ("setup.py", "", "setup is in no layer; add it"),
        ("sim/__init__.py", "from .cards import RANKS", "it imports nothing of ours"),
        ("__init__.py", "from .cli import app", "it imports nothing of ours"),
        ("sim/deal.py", "from persian_rummy.sim.cards import R", "sim.cards.R by an absolute name"),
        ("sim/deal.py", "import persian_rummy", "imports persian_rummy by an absolute name"),
        ("sim/deal.py", "import sim.cards", "imports sim.cards by an absolute name"),
        ("sim/deal.py", "from ... import x", "imports above persian_rummy"),
        (
            "sim/deal.py",
            "from numba import njit",
            "imports numba.njit; only sim.jit, sim.lent imports numba",
        ),
        (
            "sim/deal.py",
            "from numba import types",
            "imports numba.types; only sim.jit, sim.lent imports",
        ),
        (
            "strategies/x.py",
            "import numba as nb",
            "imports numba; only sim.jit, sim.lent imports numba",
        ),
        ("sim/bits.py", "from numba import njit", "numba.njit; of numba it may have carray"),
        ("sim/view.py", "import numba.types", "imports numba; of numba it may have carray"),
        ("cli.py", "import pandas as pd", "cli.py: imports pandas when loaded; import it in a"),
        ("cli.py", "try:\n  from scipy import stats\nexcept E: ...", "cli.py: imports scipy when"),
        ("commands/x.py", "import matplotlib.pyplot", "commands/x.py: imports matplotlib when"),
        ("commands/x.py", "class A:\n  import numba.types", "imports numba when loaded; import"),
    ],
)
def test_violations__found_in_bad_source(path: str, source: str, fault: str) -> None:
    assert fault in "\n".join(violations({path: source}))


def test_violations__heavy_import_by_way_of_another_module() -> None:
    files = {
        "cli.py": "from .commands import play\nfrom .commands.play import run",
        "commands/play.py": "from ..sim.run import run",
        "sim/run.py": "import pandas",
    }
    assert violations(files) == [
        "cli.py: imports pandas when loaded, by way of commands.play, by way of sim.run; "
        "import it in a function",
        "commands/play.py: imports pandas when loaded, by way of sim.run; import it in a function",
    ]
