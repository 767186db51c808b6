"""The examples of docs/statistics.md are run as they stand, and make the program's own figures."""

import re
from pathlib import Path
from typing import Any

import pytest
from command import run_json

TEXT = (Path(__file__).parents[1] / "docs" / "statistics.md").read_text()
FROM_ROWS, FROM_PYTHON = re.findall(r"runs this block.*?-->\n```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture(scope="module", params=[70, 600])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder of a run; 70 boards are units, 600 are taken together in groups."""
    folder = str(tmp_path_factory.mktemp("run") / "run")
    words = ["hunter", "doubler", "--stop", f"boards={request.param}", "--seed", "6"]
    assert run_json("compare", *words, "--out", folder)["boards"] == request.param
    return folder


def executed(code: str, run: str) -> dict[str, Any]:
    names: dict[str, Any] = {"run": run}
    exec(compile(code, "docs/statistics.md", "exec"), names)
    return names


def test_from_the_rows__makes_the_figures_of_compare_and_tournament(run):
    found = executed(FROM_ROWS, run)["found"]
    compared = run_json("compare", "--run", run)
    (pairing,) = run_json("tournament", "--resume", "--out", run)["pairings"]
    assert found["pairs"] == compared["pairs"] == pairing["pairs"]
    for printed in (compared, pairing):
        for name in found.keys() & printed.keys() - {"pairs"}:
            wanted = [printed[name][end] for end in ("estimate", "low", "high")]
            assert found[name] == pytest.approx(wanted, abs=1e-9), name
    assert found.keys() <= compared.keys()
    assert {"margin", "win_share", "pairs"} <= pairing.keys()


def test_from_python__has_the_figures_of_compare(run):
    names = executed(FROM_PYTHON, run)
    compared = run_json("compare", "--run", run)
    del compared["folder"]
    assert names["comparison"] == compared
    assert names["ours"] == {name: compared[name] for name in names["ours"]}
    assert names["ratings"].names == ("hunter", "doubler")
