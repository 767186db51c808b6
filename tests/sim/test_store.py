"""A run on disk: what is written is read back, and what is damaged is never taken for whole."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from persian_rummy.sim.columns import column_names
from persian_rummy.sim.digest import digest_text, rows_digest
from persian_rummy.sim.manifest import (
    ManifestError,
    check_manifest,
    plan_of_manifest,
    plan_to_dict,
)
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.schedule import Plan
from persian_rummy.sim.storage import LocalStorage
from persian_rummy.sim.store import (
    ROWS,
    SUMS,
    Part,
    PartError,
    RunFolder,
    StoreError,
    encode_rows,
    encode_sums,
)
from persian_rummy.sim.summary import PairingSummary, summarize

PAIR = {"a": "a", "b": "b", "seed": 7, "rules": {"min_run": 4}}


def manifest_of(plan: Plan) -> dict[str, Any]:
    """Return the manifest of a run that begins, of strategies that there need not be."""
    strategy = {"entry": "x", "idea": "An idea.", "params": {"p": 0.5}, "built_in": True}
    strategy |= {"version": "1", "author": "", "source": ""}
    return {
        "status": "running",
        "command": ["tournament"],
        "created": "2030-01-02T03:04:05Z",
        "plan": plan_to_dict(plan),
        "keep": "all",
        "strategies": [{"name": name, "source_hash": "0" * 16, **strategy} for name in plan.names],
        "engine_version": 1,
        "versions": {"prummy": "0"},
        "machine": {"cores": 2},
    }


MANIFEST = manifest_of(Plan(("a", "b"), Rules(), 1, 2, "round-robin"))


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


def write_rows(folder: RunFolder, columns: dict[str, np.ndarray]) -> Part:
    digest = rows_digest(columns, "a", "b")
    part, data = encode_rows(PAIR, int(columns["board"][0]), columns, digest)
    folder.storage.write(part.name, data)
    return part


def write_sums(folder: RunFolder, *blocks: tuple[int, int]) -> Part:
    summary, digest = PairingSummary(), 0
    for first, n in blocks:
        summary.merge(summarize(made_up(first, n), 2))
        digest += rows_digest(made_up(first, n), "a", "b")
    part, data = encode_sums(PAIR, blocks, summary, digest)
    folder.storage.write(part.name, data)
    return part


def rewritten(folder: RunFolder, part: Part, data: bytes) -> Part:
    """Put other contents in the place of a part's, under a name whose checksum is right."""
    from persian_rummy.sim.store import _checksum

    other = Part(part.key, part.first_board, part.n_boards, _checksum(data), part.kind)
    folder.storage.remove(part.name)
    folder.storage.write(other.name, data)
    return other


def leftovers(path: Path) -> list[str]:
    """Return what temporary files there are."""
    return [file.name for file in path.rglob("*") if "tmp" in file.name]


def test_rows__written__are_read_back(folder):
    columns = made_up()
    part = write_rows(folder, columns)
    found = folder.read_part(part, PAIR, 2)
    assert (found.ranges, found.digest) == ([(20, 5)], rows_digest(columns, "a", "b"))
    assert found.summary.equals(summarize(columns, 2))
    assert folder.parts() == ([part], [])
    table = pq.read_table(folder.path / part.name)
    assert table.column_names == column_names(2)
    for name, column in columns.items():
        np.testing.assert_array_equal(table[name].to_numpy(), column)
    assert table.num_rows == 10
    assert table.schema.field("board").type == pa.int64()
    others = {table.schema.field(name).type for name in table.column_names if name != "board"}
    assert others == {pa.int32()}
    about = json.loads(table.schema.metadata[b"prummy"])
    assert about == {
        "identity": PAIR,
        "first_board": 20,
        "n_boards": 5,
        "digest": digest_text(found.digest),
    }


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 600))
def test_sums__of_any_boards__are_read_back(tmp_path_factory, sizes, first):
    folder = RunFolder(tmp_path_factory.mktemp("sums"))
    blocks = []
    for n in sizes:
        blocks.append((first, n))
        first += n + 3
    part = write_sums(folder, *blocks)
    assert (part.kind, part.n_boards) == (SUMS, sum(sizes))
    found = folder.read_part(part, PAIR, 2)
    assert found.ranges == blocks
    whole = PairingSummary()
    for block in blocks:
        whole.merge(summarize(made_up(*block), 2))
    assert found.summary.equals(whole)
    assert found.digest == sum(rows_digest(made_up(*b), "a", "b") for b in blocks) % 2**128


@pytest.mark.parametrize("kind", [ROWS, SUMS])
@pytest.mark.parametrize("other", [{"a": "b", "b": "a"}, {"b": "c"}, {"seed": 8}, {"engine": 1}])
def test_part__of_another_pairing__is_refused(folder, kind, other):
    part = write_rows(folder, made_up()) if kind == ROWS else write_sums(folder, (20, 5))
    with pytest.raises(PartError, match="it was written under another name"):
        folder.read_part(part, PAIR | other, 2)
    folder.read_part(part, PAIR, 2)


@pytest.mark.parametrize("kind", [ROWS, SUMS])
def test_part__any_byte_flipped_or_cut_off__is_damaged(folder, kind):
    part = write_rows(folder, made_up()) if kind == ROWS else write_sums(folder, (20, 5))
    data = folder.storage.read(part.name)
    step = max(1, len(data) // 400)
    for place in range(0, len(data), step):
        for broken in (
            data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :],
            data[:place],
        ):
            (folder.path / part.name).write_bytes(broken)
            with pytest.raises(PartError, match="is damaged: its contents differ"):
                folder.read_part(part, PAIR, 2)
    folder.storage.write(part.name, data)
    folder.read_part(part, PAIR, 2)


def test_part__missing__says_so(folder):
    part = write_rows(folder, made_up())
    folder.storage.remove(part.name)
    with pytest.raises(PartError, match="is missing"):
        folder.read_part(part, PAIR, 2)


@pytest.mark.parametrize("about", [b"", b"{", b"[]", b"null", b'{"digest": 1}', b"\xff"])
@pytest.mark.parametrize("kind", [ROWS, SUMS])
def test_part__with_damaged_metadata__is_damaged(folder, about, kind):
    part = write_rows(folder, made_up()) if kind == ROWS else write_sums(folder, (20, 5))
    table = pq.read_table(folder.path / part.name).replace_schema_metadata({b"prummy": about})
    pq.write_table(table, folder.path / "other")
    part = rewritten(folder, part, (folder.path / "other").read_bytes())
    with pytest.raises(PartError, match="is damaged"):
        folder.read_part(part, PAIR, 2)


@pytest.mark.parametrize("values", [["x"] * 10, [1.5] * 10, [[1]] * 10, [None] * 10])
def test_rows__with_a_column_of_another_type__are_damaged(folder, values):
    part = write_rows(folder, made_up())
    table = pq.read_table(folder.path / part.name)
    place = table.column_names.index("turns")
    pq.write_table(table.set_column(place, "turns", [values]), folder.path / "other")
    part = rewritten(folder, part, (folder.path / "other").read_bytes())
    with pytest.raises(PartError, match="is damaged"):
        folder.read_part(part, PAIR, 2)


@pytest.mark.parametrize("change", ["score", "board", "fewer"])
def test_rows__other_than_their_digest_or_name__are_damaged(folder, change):
    part = write_rows(folder, made_up())
    table = pq.read_table(folder.path / part.name)
    if change == "fewer":
        table = table.slice(0, 8)
    else:
        name = "score_a" if change == "score" else "board"
        values = table[name].to_numpy().copy()
        values[3] += 1
        place = table.column_names.index(name)
        table = table.set_column(place, table.schema.field(place), [values])
    pq.write_table(table, folder.path / "other")
    part = rewritten(folder, part, (folder.path / "other").read_bytes())
    with pytest.raises(PartError, match="its rows"):
        folder.read_part(part, PAIR, 2)


def test_sums__of_other_boards_than_they_name__are_damaged(folder):
    part, data = encode_sums(PAIR, [(20, 6)], summarize(made_up(), 2), 0)
    folder.storage.write(part.name, data)
    with pytest.raises(PartError, match="its sums are not of the boards it names"):
        folder.read_part(part, PAIR, 2)


def test_parts__other_files__are_named(folder):
    part = write_rows(folder, made_up())
    folder.storage.write("matches/notes.txt", b"mine")
    folder.storage.write(part.name.replace(".parquet", " (copy).parquet"), b"")
    folder.storage.write("sums/.half.1-2.tmp", b"half")
    found, others = folder.parts()
    assert found == [part]
    assert sorted(others) == sorted(
        ["matches/notes.txt", part.name.replace(".parquet", " (copy).parquet")]
    )
    assert folder.temporary() == ["sums/.half.1-2.tmp"]
    assert folder.size() > len(folder.storage.read(part.name))


def test_summaries__written__are_read_back(folder):
    summaries = [summarize(made_up(first, boards), 2) for first, boards in ((0, 300), (7, 1))]
    summaries.insert(1, PairingSummary())  # a void pairing
    checksums = folder.write_summaries(summaries)
    found = folder.read_summaries(3, checksums)
    assert all(ours.equals(its) for ours, its in zip(summaries, found, strict=True))
    found[0].merge(found[2])  # what was read can be added to
    assert found[0].total("boards") == 301
    assert leftovers(folder.path) == []


def test_summaries__of_nothing__are_read_back(folder):
    checksums = folder.write_summaries([PairingSummary(), PairingSummary()])
    found = folder.read_summaries(2, checksums)
    assert [summary.total("matches") for summary in found] == [0, 0]


@pytest.mark.parametrize("name", ["groups.parquet", "histograms.parquet"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"PAR1")])
def test_summaries__damaged__say_how_to_make_them_again(folder, name, damage):
    checksums = folder.write_summaries([PairingSummary()])
    damage(folder.path / "summary" / name)
    with pytest.raises(StoreError, match=f"--resume --out {folder.path} makes them again"):
        folder.read_summaries(1, checksums)


def test_summaries__of_an_earlier_state__are_refused(folder):
    folder.write_summaries([PairingSummary()])
    checksums = folder.write_summaries([summarize(made_up(), 2)])
    folder.write_summaries([PairingSummary()])
    with pytest.raises(StoreError, match="is damaged: it differs from its checksum"):
        folder.read_summaries(1, checksums)


def test_summaries__of_another_number_of_pairings__are_refused(folder):
    checksums = folder.write_summaries([PairingSummary()])
    with pytest.raises(StoreError, match="cannot be read"):
        folder.read_summaries(2, checksums)


def test_evidence__any_name__stays_in_the_folder(folder):
    path = Path(folder.write_evidence("../../x[a=1]:Bot", {"why": "so"}))
    assert path.parent == folder.path / "failures"
    assert json.loads(path.read_text()) == {"why": "so"}


def test_evidence__of_names_that_differ__lies_in_files_that_differ(folder):
    names = ["a+b", "a_b", "a-b", "ü", "u", "a%2Bb", "a/b", "greedy[pile_bias=3]", "greedy"]
    paths = [Path(folder.write_evidence(name, {"name": name})) for name in names]
    assert [json.loads(path.read_text())["name"] for path in paths] == names
    assert paths[-2].name == "greedy[pile_bias=3].json"


def test_evidence__of_very_long_names__is_written_and_told_apart(folder):
    names = ["x" * 5000 + end for end in "ab"]
    paths = [Path(folder.write_evidence(name, {"name": name})) for name in names]
    assert [json.loads(path.read_text())["name"] for path in paths] == names


def test_part__that_cannot_be_read_just_now__is_not_called_damaged(folder, monkeypatch):
    part = write_rows(folder, made_up())

    def broken(storage: LocalStorage, name: str) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(LocalStorage, "read", broken)
    with pytest.raises(StoreError, match="cannot be read: Input/output error") as raised:
        folder.read_part(part, PAIR, 2)
    assert not isinstance(raised.value, PartError)


def test_manifest__written__is_read_back_as_the_same_plan(folder):
    plan = Plan(("a", "ü[x=1]"), Rules(min_run=4, points="fives"), 2**64 - 1, 7, "gauntlet")
    folder.write_manifest(manifest_of(plan))
    manifest = folder.read_manifest()
    assert (manifest["format"], manifest["version"]) == ("prummy-run", 4)
    assert plan_of_manifest(manifest) == plan
    assert leftovers(folder.path) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "is not the manifest of a run"),
        ('{"version": 1}', "is not the manifest of a run"),
        ('{"format": "prummy-run", "version": 1}', "written by another version"),
        ('{"format": "prummy-run", "version": 4}', "was changed or damaged"),
    ],
)
def test_manifest__damaged__is_refused(folder, text, says):
    (folder.path / "manifest.json").write_text(text)
    with pytest.raises(StoreError, match=says):
        folder.read_manifest()


def test_manifest__edited__is_refused(folder):
    folder.write_manifest(MANIFEST | {"seconds": 1.5})
    path = folder.path / "manifest.json"
    text = path.read_text()
    for old, new in (("00", "01"), ("1.5", "1.6"), ("running", "finished"), ('"version": 4', "")):
        path.write_text(text.replace(old, new, 1))
        with pytest.raises(StoreError, match=r"manifest\.json"):
            folder.read_manifest()
    path.write_text(json.dumps(json.loads(text)))  # another layout says the same
    assert folder.read_manifest()["seconds"] == 1.5


def places_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where the values of a JSON object stand that have to be there."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if path not in ENDLESS and "params" not in path:
            yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places_of(inner, (*path, key))


ENDLESS = (
    ("plan", "rules"),
    ("versions",),
    ("machine",),
    ("summaries",),
    ("transcripts",),
)  # any names
WHOLE = {**MANIFEST, "status": "finished", "digest": "0" * 32, "matches": 4, "seconds": 1.5}
WHOLE |= {"failures": [{"strategy": "a", "kind": "why", "evidence": "a.json"}]}
WHOLE |= {"summaries": {}, "transcripts": {}}


@pytest.mark.parametrize("place", list(places_of(WHOLE)), ids=str)
@pytest.mark.parametrize("other", [None, "gone", [1], {"x": 1}, True, -1, float("inf"), "text"])
def test_manifest__of_another_form__is_refused_and_the_field_named(folder, place, other):
    manifest = json.loads(json.dumps(WHOLE))
    inner = manifest
    for key in place[:-1]:
        inner = inner[key]
    if other != "gone":
        inner[place[-1]] = other
    elif isinstance(inner, dict):
        del inner[place[-1]]
    else:
        inner[place[-1]] = None
    if fits(WHOLE, place, other):
        return
    with pytest.raises(ManifestError) as raised:
        check_manifest(manifest)
    assert str(place[0]) in str(raised.value)


def fits(manifest: Any, place: tuple[Any, ...], other: Any) -> bool:
    """Return whether a value may stand in a place, as far as its type says that."""
    right = manifest
    for key in place:
        right = right[key]
    free_text = place[-1] not in ("status", "format", "keep") and place[:2] != ("plan", "names")
    if isinstance(right, str):
        return isinstance(other, str) and other != "gone" and free_text and place[-1] != "name"
    if isinstance(right, float):
        return other == -1 and not isinstance(other, bool)
    if place in (("matches",), ("engine_version",)):
        return other == -1 and not isinstance(other, bool)
    if isinstance(right, bool):
        return other is True
    return place[-1] in ("params", "machine") and other == {"x": 1}


def test_manifest__the_whole_one__is_fine():
    check_manifest(WHOLE)
    check_manifest(MANIFEST)


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
    RunFolder(tmp_path).create(MANIFEST)
    assert RunFolder(tmp_path).read_manifest()["status"] == "running"


def test_read_manifest__no_run__says_so(tmp_path):
    with pytest.raises(StoreError, match="holds no run"):
        RunFolder(tmp_path / "nowhere").read_manifest()
