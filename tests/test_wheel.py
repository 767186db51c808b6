"""The wheel holds the package and nothing else, and works where the repository is not."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("commands", "reports", "sim", "strategies")
VERSION = re.search(r'__version__ = "(.+)"', (ROOT / "__init__.py").read_text())[1]


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command away from this checkout, and return what it printed; it must succeed."""
    # No search path of this checkout, and nothing that makes the help text coloured.
    odd = ("PYTHON", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS")
    env = {name: value for name, value in os.environ.items() if not name.startswith(odd)}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what git has or would add, so that nothing else can slip into the wheel."""
    copy = tmp_path_factory.mktemp("source")
    listed = run("git", "ls-files", "-co", "--exclude-standard", "-z", cwd=ROOT).split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, cwd=source)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel in a fresh environment that borrows this one's dependencies."""
    place = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", place, cwd=place)
    python = place / "bin" / "python"
    # A folder named in a .pth is searched, but its own .pth files are not read: the editable
    # install of this checkout stays out.
    (site_packages,) = place.glob("lib/python3*/site-packages")
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site_packages / "borrowed.pth").write_text("".join(f"{folder}\n" for folder in borrowed))
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, wheel, cwd=place)
    return place


def test_wheel__holds_exactly_the_package(source: Path, wheel: Path) -> None:
    info = f"prummy-{VERSION}.dist-info"
    expected = {"persian_rummy/__init__.py", "persian_rummy/cli.py"}
    for folder in FOLDERS:
        modules = (source / folder).rglob("*.py")
        expected |= {f"persian_rummy/{path.relative_to(source).as_posix()}" for path in modules}
    for folder in ("reports", "strategies"):
        templates = [p for p in (source / folder / "templates").rglob("*") if p.is_file()]
        assert templates
        expected |= {f"persian_rummy/{path.relative_to(source).as_posix()}" for path in templates}
    metadata = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt")
    expected |= {f"{info}/{name}" for name in (*metadata, "licenses/LICENSE")}
    held = zipfile.ZipFile(wheel).namelist()
    assert sorted(held) == sorted(expected)


def test_wheel__puts_nothing_generic_beside_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
        seconds = {name.split("/")[1] for name in archive.namelist() if name.startswith("persian")}
    assert tops == {"persian_rummy", f"prummy-{VERSION}.dist-info"}
    assert seconds == {"__init__.py", "cli.py", *FOLDERS}


def test_installed__package_comes_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "import persian_rummy, persian_rummy.sim as s; print(persian_rummy.__file__, s.__file__)"
    files = run(installed / "bin" / "python", "-c", code, cwd=tmp_path).split()
    (package,) = installed.glob("lib/python3*/site-packages/persian_rummy")
    assert files == [str(package / "__init__.py"), str(package / "sim" / "__init__.py")]


def test_installed__command_runs_from_another_directory(installed: Path, tmp_path: Path) -> None:
    command = installed / "bin" / "prummy"
    assert run(command, "--version", cwd=tmp_path).strip() == f"prummy {VERSION}"
    assert "Usage: prummy" in run(command, "--help", cwd=tmp_path)
