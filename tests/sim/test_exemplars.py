"""The matches that a run keeps whole: which ones, that they hold, and what is not kept."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command import run, run_json
from small_runs import read_rows, write_strategy

from persian_rummy.reports.results import load_results
from persian_rummy.sim.exemplars import EXEMPLARS, margin_of_a, sample_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.schedule import Plan
from persian_rummy.sim.store import RunFolder
from persian_rummy.sim.summary import EXTREMES, PairingSummary
from persian_rummy.sim.transcript import check_transcript

FIELD = ("greedy", "doubler", "random")


def kept(folder: Path, name: str) -> list[dict]:
    store = RunFolder(folder)
    return store.read_transcripts(name, store.read_manifest()["transcripts"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run of three pairings of 300 boards, rows kept."""
    place = tmp_path_factory.mktemp("kept") / "run"
    run("tournament", *FIELD, "--matches", "600", "--block", "64", "--out", str(place))
    return place


@pytest.fixture(scope="module")
def rows(folder: Path) -> pd.DataFrame:
    frame = read_rows(folder).astype({"score_a": "int64", "score_b": "int64"})
    frame["margin"] = frame["score_a"] - frame["score_b"]
    return frame


def test_extremes__of_a_run__are_those_of_its_rows(folder, rows):
    results = load_results(folder)
    for met, summary in results.played():
        mine = rows[(rows["a"] == results.names[met.a]) & (rows["b"] == results.names[met.b])]
        of = {
            "win_a": mine["margin"],
            "win_b": -mine["margin"],
            "closest": -mine["margin"].abs(),
            "longest": mine["turns"],
            "highest": mine[["score_a", "score_b"]].max(axis=1),
            "floats": mine["floats_a"] + mine["floats_b"],
            "doubling": mine[["double_points_a", "double_points_b"]].max(axis=1),
        }
        assert list(of) == list(EXTREMES)
        for name, values in of.items():
            first = mine[values == values.max()].iloc[0]  # rows are in the order of boards
            wanted = (values.max(), first["board"], first["rotation"])
            assert summary.extreme(name) == wanted


def test_extremes__merged_in_any_order__of_equals_the_first(folder):
    one, other = PairingSummary(), PairingSummary()
    one.extremes[:] = [5, 9, 0]
    other.extremes[:] = [5, 3, 1]
    other.extremes[0] = [4, 1, 0]
    for first, second in ((one, other), (other, one)):
        total = PairingSummary()
        total.merge(first)
        total.merge(second)
        assert total.extreme("win_a") == (5, 9, 0)
        assert total.extreme("longest") == (5, 3, 1)
    assert PairingSummary().extreme("longest") is None


def test_sample__is_the_first_boards_of_each_pairing__as_the_rows_say(folder, rows):
    boards = sample_boards(load_results(folder).plan)
    assert boards == 15  # a twentieth of 300
    told = kept(folder, "sample")
    assert len(told) == 3 * 2 * boards
    scores = rows.set_index(["a", "b", "board", "rotation"])["margin"]
    for transcript in told:
        assert check_transcript(transcript) == transcript["score"]
        where = tuple(transcript[key] for key in ("a", "b", "board", "rotation"))
        assert margin_of_a(transcript) == scores[where]
        side = transcript["a"] if transcript["rotation"] == 0 else transcript["b"]
        assert transcript["seats"][0] == transcript["seats"][2] == side


def test_exemplars__are_what_they_are_called(folder, rows):
    found = {t["exemplar"]: t for t in kept(folder, "exemplars")}
    assert list(found) == [name for name in EXEMPLARS if name in found]
    assert {"upset", "closest", "median", "longest", "highest"} <= set(found)
    margins = rows["margin"].abs()
    assert abs(margin_of_a(found["closest"])) == margins.min()
    assert max(found["highest"]["score"]) == rows[["score_a", "score_b"]].to_numpy().max()
    ends = sum(
        action[0] in "DPK" for deal in found["longest"]["deals"] for action in deal["actions"]
    )
    outs = found["longest"]["deals"]
    assert ends <= rows["turns"].max() <= ends + len(outs)
    upsets = []
    for _, mine in rows.groupby(["a", "b"]):
        worse = -np.sign(mine["margin"].sum())
        upsets.append((worse * mine["margin"]).max())
    assert abs(margin_of_a(found["upset"])) == max(upsets)
    sampled = [abs(margin_of_a(t)) for t in kept(folder, "sample")]
    middle = sorted(margins)[(len(margins) - 1) // 2]
    gap = abs(abs(margin_of_a(found["median"])) - middle)
    assert gap == min(abs(margin - middle) for margin in sampled)
    for name, transcript in found.items():
        check_transcript(transcript)
        text = json.dumps(transcript["deals"])
        assert (name != "jokers") or "=*C*D*H*S" in text


def test_kept__without_rows_and_in_other_blocks__is_the_same(folder, tmp_path):
    place = tmp_path / "run"
    run(
        *("tournament", *FIELD, "--matches", "600", "--keep", "none", "--block", "7"),
        *("--out", str(place), "--jobs", "2"),
    )
    for name in ("sample", "exemplars"):
        file = f"transcripts/{name}.jsonl.gz"
        assert (place / file).read_bytes() == (folder / file).read_bytes()


def test_kept__of_a_run_with_one_that_fails__leaves_it_out(tmp_path):
    bad = write_strategy(tmp_path, "Bad", discard="return -1")
    run("tournament", "greedy", "random", bad, "-n", "8", "--out", str(tmp_path / "run"), code=1)
    told = kept(tmp_path / "run", "sample")
    assert {(t["a"], t["b"]) for t in told} == {("greedy", "random")}


def test_kept__strategy_that_is_no_function_of_its_seed__is_said(tmp_path, caplog):
    """What comes out otherwise when it is played again is no exemplar of what was counted."""
    odd = write_strategy(tmp_path, "Odd")
    path = Path(odd.rpartition(":")[0])
    path.write_text(
        "import random\nfrom persian_rummy.strategies.python import PythonStrategy\n"
        "from persian_rummy.sim.cards import cards_of\n"
        "class Odd(PythonStrategy):\n    '''Throws anything.'''\n"
        "    def draw(self, view):\n        return -1 if view.stock_size > 0 else -2\n"
        "    def meld(self, view):\n        return 0\n"
        "    def discard(self, view):\n        return random.choice(cards_of(int(view.hand)))\n"
    )
    run("tournament", "greedy", odd, "-n", "20", "--out", str(tmp_path / "run"))
    assert "came out otherwise" in caplog.text


def test_kept__damaged__is_said_and_made_again(folder, tmp_path):
    place = tmp_path / "run"
    run("tournament", "greedy", "random", "-n", "40", "--out", str(place))
    file = place / "transcripts" / "sample.jsonl.gz"
    whole = file.read_bytes()
    file.write_bytes(gzip.compress(b"{}\n"))
    faults = run_json_code("runs", "check", str(place), code=1)["faults"]
    assert any("transcripts/sample.jsonl.gz" in fault for fault in faults)
    run("tournament", "--resume", "--out", str(place))
    assert file.read_bytes() == whole
    assert run_json("runs", "check", str(place))["valid"]


def run_json_code(*arguments: str, code: int) -> dict:
    return json.loads(run(*arguments, "--json", code=code))


def test_sample_boards__many_pairings__one_board_each_at_least():
    field = tuple(f"s{k}" for k in range(30))
    assert sample_boards(Plan(field, Rules(), 1, 10**6, "round-robin")) == 1
    assert sample_boards(Plan(field[:2], Rules(), 1, 10**6, "round-robin")) == 500
    assert sample_boards(Plan(field[:2], Rules(), 1, 3, "round-robin")) == 1
