"""The run's folder: whole files or none, and nothing is taken for what it is not."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from persian_rummy.sim.columns import column_names
from persian_rummy.sim.digest import digest_text, rows_digest
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.run import plan_of_manifest
from persian_rummy.sim.schedule import BoardBlock, Plan
from persian_rummy.sim.store import RunFolder, StoreError, plan_to_dict
from persian_rummy.sim.summary import PairingSummary, summarize

BLOCK = BoardBlock(3, 20, 5)
PAIR = {"a": "a", "b": "b", "seed": 7, "rules": {"min_run": 4}}


def made_up(first: int = 20, boards: int = 5, deals: int = 2) -> dict[str, np.ndarray]:
    """Return columns with random values for some boards."""
    rng = np.random.default_rng(first)
    columns = {
        name: rng.integers(-99, 99, 2 * boards).astype(np.int32) for name in column_names(deals)
    }
    return columns | {"board": np.repeat(np.arange(first, first + boards), 2)}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """Return the folder of a new run."""
    run = RunFolder(tmp_path / "runs" / "new")
    run.create({"status": "running"})
    return run


def write(folder: RunFolder, columns: dict[str, np.ndarray], block: BoardBlock = BLOCK) -> int:
    """Write a part; return its digest."""
    digest = rows_digest(columns, "a", "b")
    folder.write_part(block, columns, PAIR, digest)
    return digest


def leftovers(path: Path) -> list[str]:
    """Return what temporary files there are."""
    return [file.name for file in path.rglob("*") if "tmp" in file.name]


def test_part__written__is_read_back(folder):
    columns = made_up()
    digest = write(folder, columns)
    found, found_digest = folder.read_part(BLOCK, 2, PAIR)
    assert found_digest == digest
    assert list(found) == column_names(2)
    for name, column in columns.items():
        np.testing.assert_array_equal(found[name], column)
    path = folder.path / "matches" / "part-0003-000000000020.parquet"
    assert [file.name for file in folder.matches.iterdir()] == [path.name]
    table = pq.read_table(path)
    assert table.num_rows == 10
    assert table.schema.field("board").type == pa.int64()
    others = {table.schema.field(name).type for name in table.column_names if name != "board"}
    assert others == {pa.int32()}
    about = json.loads(table.schema.metadata[b"prummy"])
    assert about == {**PAIR, "n_boards": 5, "digest": digest_text(digest)}


@pytest.mark.parametrize(
    ("block", "deals", "other"),
    [
        (BoardBlock(3, 20, 4), 2, {}),
        (BoardBlock(3, 20, 6), 2, {}),
        (BoardBlock(3, 21, 5), 2, {}),
        (BoardBlock(2, 20, 5), 2, {}),
        (BLOCK, 3, {}),
        (BLOCK, 2, {"a": "b", "b": "a"}),
        (BLOCK, 2, {"b": "c"}),
        (BLOCK, 2, {"seed": 8}),
        (BLOCK, 2, {"rules": {}}),
        (BLOCK, 2, {"engine": 1}),
    ],
)
def test_part__asked_for_as_another__is_none(folder, block, deals, other):
    write(folder, made_up())
    assert folder.read_part(block, deals, PAIR | other) is None
    assert folder.read_part(BLOCK, 2, PAIR) is not None


@pytest.mark.parametrize("about", [b"", b"{", b"[]", b"null", b'{"digest": 1}', b"\xff"])
def test_part__with_damaged_metadata__is_none(folder, about):
    write(folder, made_up())
    path = folder.part(BLOCK)
    pq.write_table(pq.read_table(path).replace_schema_metadata({b"prummy": about}), path)
    assert folder.read_part(BLOCK, 2, PAIR) is None


@pytest.mark.parametrize("values", [["x"] * 10, [1.5] * 10, [[1]] * 10, [None] * 10])
def test_part__with_a_column_of_another_type__is_none(folder, values):
    write(folder, made_up())
    table = pq.read_table(folder.part(BLOCK))
    place = table.column_names.index("turns")
    pq.write_table(table.set_column(place, "turns", [values]), folder.part(BLOCK))
    assert folder.read_part(BLOCK, 2, PAIR) is None


def test_part__written_while_the_disk_is_full__keeps_the_old(folder, monkeypatch):
    digest = write(folder, made_up())

    def full(table: Any, where: Any, **options: Any) -> None:
        Path(where).write_bytes(b"PAR1 half a file")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        write(folder, made_up(first=40))
    assert folder.read_part(BLOCK, 2, PAIR)[1] == digest
    assert leftovers(folder.path) == []


def test_part__killed_before_the_new_name__keeps_the_old(folder, monkeypatch):
    digest = write(folder, made_up())

    def killed(path: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        folder.write_part(BLOCK, made_up(first=40), PAIR, 1)
    assert folder.read_part(BLOCK, 2, PAIR)[1] == digest


def test_drop_parts__of_a_pairing__leaves_the_others(folder):
    for block in (BLOCK, BoardBlock(3, 25, 5), BoardBlock(33, 20, 5)):
        write(folder, made_up(block.first_board), block)
    folder.drop_parts(3)
    assert [part.name for part in folder.matches.iterdir()] == ["part-0033-000000000020.parquet"]


def test_summaries__written__are_read_back(folder):
    summaries = [summarize(made_up(first, boards), 2) for first, boards in ((0, 300), (7, 1))]
    summaries.insert(1, PairingSummary())  # a void pairing
    folder.write_summaries(summaries)
    found = folder.read_summaries(3)
    for ours, its in zip(summaries, found, strict=True):
        np.testing.assert_array_equal(ours.groups, its.groups)
        for name, histogram in ours.histograms.items():
            np.testing.assert_array_equal(histogram.values, its.histograms[name].values)
            np.testing.assert_array_equal(histogram.counts, its.histograms[name].counts)
    found[0].merge(found[2])  # what was read can be added to
    assert found[0].total("boards") == 301
    assert leftovers(folder.path) == []


def test_summaries__of_nothing__are_read_back(folder):
    folder.write_summaries([PairingSummary(), PairingSummary()])
    assert [summary.total("matches") for summary in folder.read_summaries(2)] == [0, 0]


@pytest.mark.parametrize("name", ["groups.parquet", "histograms.parquet"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"PAR1")])
def test_summaries__damaged__say_how_to_make_them_again(folder, name, damage):
    folder.write_summaries([PairingSummary()])
    damage(folder.summary / name)
    with pytest.raises(StoreError, match=f"--resume --out {folder.path} makes them again"):
        folder.read_summaries(1)


def test_summaries__of_another_number_of_pairings__are_refused(folder):
    folder.write_summaries([PairingSummary()])
    with pytest.raises(StoreError, match="cannot be read"):
        folder.read_summaries(2)


def test_evidence__any_name__stays_in_the_folder(folder):
    path = folder.write_evidence("../../x[a=1]:Bot", {"why": "so"})
    assert path.parent == folder.path / "failures"
    assert json.loads(path.read_text()) == {"why": "so"}


def test_evidence__of_names_that_differ__lies_in_files_that_differ(folder):
    names = ["a+b", "a_b", "a-b", "ü", "u", "a%2Bb", "a/b", "greedy[pile_bias=3]", "greedy"]
    paths = [folder.write_evidence(name, {"name": name}) for name in names]
    assert [json.loads(path.read_text())["name"] for path in paths] == names
    assert paths[-2].name == "greedy[pile_bias=3].json"


def test_manifest__written__is_read_back_as_the_same_plan(folder):
    plan = Plan(("a", "ü[x=1]"), Rules(min_run=4, points="fives"), 2**64 - 1, 7, "gauntlet", 3)
    folder.write_manifest({"plan": plan_to_dict(plan), "block_boards": 3})
    manifest = folder.read_manifest()
    assert (manifest["format"], manifest["version"]) == ("prummy-run", 1)
    assert plan_of_manifest(manifest) == plan
    assert leftovers(folder.path) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "is not the manifest of a run"),
        ('{"version": 1}', "is not the manifest of a run"),
        ('{"format": "prummy-run", "version": 2}', "written by another version"),
    ],
)
def test_manifest__damaged__is_refused(folder, text, says):
    folder.manifest_file.write_text(text)
    with pytest.raises(StoreError, match=says):
        folder.read_manifest()


@pytest.mark.parametrize("lost", ["plan", "block_boards", "names", "rules", "seed", "boards"])
def test_plan_of_manifest__something_missing__is_refused(folder, lost):
    plan = plan_to_dict(Plan(("a", "b"), Rules(), 1, 7, "gauntlet", 3))
    manifest = {"plan": {k: v for k, v in plan.items() if k != lost}, "block_boards": 3}
    manifest.pop(lost, None)
    with pytest.raises(StoreError, match=f"the manifest is damaged: .*{lost}"):
        plan_of_manifest(manifest)


def test_create__folder_with_a_run__is_refused(folder):
    with pytest.raises(StoreError, match="holds a run already: go on with it by --resume"):
        RunFolder(folder.path).create({})


def test_create__folder_with_other_files__is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="is not empty and holds no run"):
        RunFolder(tmp_path).create({})
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("below", ["", "run", "deep/run"])
def test_create__file_in_the_way__is_refused(tmp_path, below):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError, match="cannot write to"):
        RunFolder(tmp_path / "file" / below).create({})
    assert (tmp_path / "file").read_text() == "mine"


def test_create__empty_folder__is_taken(tmp_path):
    RunFolder(tmp_path).create({"status": "running"})
    assert RunFolder(tmp_path).read_manifest()["status"] == "running"


def test_read_manifest__no_run__says_so(tmp_path):
    with pytest.raises(StoreError, match="holds no run"):
        RunFolder(tmp_path / "nowhere").read_manifest()
