"""The stale cache trap: an edit of any source is seen, also by functions of other files."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba

from persian_rummy.sim import jit

HELPER = "from .jit import jit\n\n@jit\ndef helper(x):\n    return x + {number}\n"
CALLER = (
    "from .helper import helper\nfrom .jit import jit\n\n"
    "@jit\ndef caller(x):\n    return 10 * helper(x)\n"
)
RUN = """
from persian_rummy.sim import jit
from persian_rummy.sim.caller import caller
print(jit.__file__, caller(4), sum(caller.stats.cache_hits.values()))
"""


def copy_package(folder: Path) -> Path:
    """Copy what compiles to a package of its own, with a caller and a helper in two files."""
    package = folder / "persian_rummy"
    for name in ("sim", "strategies"):
        shutil.copytree(
            jit.PACKAGE_DIR / name, package / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(jit.PACKAGE_DIR / "__init__.py", package)
    (package / "sim" / "caller.py").write_text(CALLER)
    return package


def run_caller(folder: Path) -> tuple[int, int]:
    """Return `caller(4)` and the hits of the cache, in a process of its own."""
    environment = os.environ | {
        "PRUMMY_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    result = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    file, value, hits = result.stdout.split()
    assert Path(file).is_relative_to(folder)
    return int(value), int(hits)


def test_helper__edited_in_another_file__gives_the_new_result(tmp_path):
    package = copy_package(tmp_path)
    helper = package / "sim" / "helper.py"
    helper.write_text(HELPER.format(number=1))
    assert run_caller(tmp_path) == (50, 0)
    assert run_caller(tmp_path) == (50, 1)  # the cache does work
    helper.write_text(HELPER.format(number=2))
    assert run_caller(tmp_path) == (60, 0)
    helper.write_text(HELPER.format(number=1))
    assert run_caller(tmp_path) == (50, 1)


def test_is_cold__only_the_kernel_of_this_checkout_counts(tmp_path, monkeypatch):
    kernel = jit.PACKAGE_DIR / "sim" / "kernel.py"
    ours = jit._CacheLocator.get_suitable_cache_subpath(str(kernel))
    monkeypatch.setattr(jit, "_CORE_CACHE", tmp_path)
    assert jit.is_cold()
    for place in ("sim_of_another_checkout", ours):
        assert jit.is_cold()
        (tmp_path / place).mkdir()
        (tmp_path / place / "kernel.play_block-1.py311.nbi").touch()
    assert not jit.is_cold()


def test_jit__private_function_of_a_users_file__can_be_called_from_python():
    @jit.jit
    def _helper(x):
        return x + 1

    # Called without its Python face it would crash the process, so the option is looked at first.
    assert not _helper.targetoptions.get("no_cpython_wrapper")
    assert _helper(1) == 2


def test_source_hash__content_or_name__change_it(tmp_path):
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("a = 1\n")
    two.write_text("b = 1\n")
    first = jit.source_hash([one, two])
    assert len(first) == 16
    assert jit.source_hash([two, one]) == jit.source_hash([one, two, one]) == first
    assert jit.source_hash([one]) != first
    two.write_text("b = 2\n")
    assert jit.source_hash([one, two]) != first
    two.write_text("b = 1\n")
    assert jit.source_hash([one, two]) == first
    assert jit.source_hash([one, two.rename(tmp_path / "three.py")]) != first


def test_cache_dir__flags_and_files__change_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PRUMMY_CACHE_DIR", str(tmp_path))
    file = tmp_path / "bot.py"
    file.write_text("a = 1\n")
    first = jit._cache_dir([file])
    assert first.parent == tmp_path
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    checked = jit._cache_dir([file])
    monkeypatch.undo()
    monkeypatch.setenv("PRUMMY_CACHE_DIR", str(tmp_path))
    file.write_text("a = 2\n")
    assert len({first, checked, jit._cache_dir([file])}) == 3


def test_core_files__are_all_that_compiled_code_may_use():
    names = {file.relative_to(jit.PACKAGE_DIR).as_posix() for file in jit._core_files()}
    compiled = {
        file.relative_to(jit.PACKAGE_DIR).as_posix()
        for folder in ("sim", "strategies", "reports", "commands")
        for file in (jit.PACKAGE_DIR / folder).rglob("*.py")
        if "\n@jit" in file.read_text() or "(Strategy)" in file.read_text()
    }
    assert {"sim/melds.py", "sim/deal.py", "strategies/greedy.py"} <= compiled <= names


def test_cache_for__a_users_file__has_a_cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PRUMMY_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "bot.py"
    before, seen = numba.config.CACHE_DIR, []
    for content in ("a = 1\n", "a = 2\n"):
        file.write_text(content)
        with jit.cache_for([file]):
            seen.append(numba.config.CACHE_DIR)
            assert Path(seen[-1]).is_dir()
        assert before == numba.config.CACHE_DIR
    assert len({before, *seen}) == 3


def test_drop_old_caches__removes_own_unused_folders_only(tmp_path, monkeypatch):
    monkeypatch.setenv("PRUMMY_CACHE_DIR", str(tmp_path))
    old = time.time() - (jit.KEEP_CACHES_DAYS + 1) * 86400
    for name in ("0123456789abcdef", "fedcba9876543210", "holiday-photos"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("")
    for name in ("0123456789abcdef", "holiday-photos"):
        os.utime(tmp_path / name, (old, old))
    jit.drop_old_caches()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "fedcba9876543210",
        "holiday-photos",
    ]
