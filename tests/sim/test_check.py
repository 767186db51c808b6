"""Runs on disk: whatever is wrong with one is found and named, shards add up, orphans go."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile import write_hostile
from small_runs import make_run, parts_of, play, read_rows, write_strategy

from persian_rummy.sim.check import check_run, merge_runs, orphans
from persian_rummy.sim.errors import PrummyError
from persian_rummy.sim.run import Stops, record_outcome
from persian_rummy.sim.schedule import shard_of
from persian_rummy.sim.store import RunFolder, StoreError

FIELD = ("greedy", "random", "hunter")


def finished(folder: Path, *specs: str, **options: object) -> RunFolder:
    """Return a run that is played and recorded."""
    outcome = play(folder, *specs, **options)
    run = RunFolder(folder)
    record_outcome(run, run.read_manifest(), outcome)
    return run


@pytest.fixture(scope="module", params=["all", "sample=30"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return finished(tmp_path_factory.mktemp("whole") / "run", *FIELD, keep=request.param)


def copy_of(run: RunFolder, place: Path) -> RunFolder:
    shutil.copytree(run.path, place)
    return RunFolder(place)


def test_check__whole_run__has_no_fault(whole):
    found = check_run(whole)
    manifest = whole.read_manifest()
    assert (found.faults, found.orphans) == ([], [])
    assert (found.digest, found.matches) == (manifest["digest"], 288)
    assert found.parts == len(parts_of(whole.path))


def test_check__any_file_truncated_flipped_or_gone__is_named(whole, tmp_path):
    files = [*parts_of(whole.path), *sorted((whole.path / "summary").iterdir())]
    assert len(files) >= 11
    for number, original in enumerate(files):
        for damage in ("flip", "cut", "gone"):
            run = copy_of(whole, tmp_path / f"{number}-{damage}")
            path = run.path / original.relative_to(whole.path)
            data = bytearray(path.read_bytes())
            if damage == "flip":
                data[number * 37 % len(data)] ^= 16
                path.write_bytes(data)
            elif damage == "cut":
                path.write_bytes(data[:-1])
            else:
                path.unlink()
            faults = check_run(run).faults
            first = int(path.name.split("-")[2]) if "part" in path.name else 0
            named = path.name if damage != "gone" or "part" not in path.name else f"boards {first} "
            assert any(named in fault for fault in faults), (path.name, damage, faults)


def test_check__part_copied_under_any_other_name__is_named(whole, tmp_path):
    run = copy_of(whole, tmp_path / "run")
    part = parts_of(run.path)[0]
    words = part.name.split("-")
    for place, word in ((1, "f" * 16), (2, "0" * 11 + "9"), (3, "0" * 11 + "9"), (0, "copy")):
        other = part.with_name("-".join([*words[:place], word, *words[place + 1 :]]))
        shutil.copy(part, other)
        found = check_run(run)
        name = f"{part.parent.name}/{other.name}"
        assert name in found.orphans or any(name in fault for fault in found.faults)
        assert found.digest == check_run(whole).digest
        other.unlink()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda m: m | {"digest": "0" * 32}, "the manifest's digest is 0000"),
        (lambda m: m | {"matches": 286}, "the manifest's matches is 286"),
        (lambda m: m | {"status": "running"}, "the run was not ended"),
        (lambda m: m | {"plan": m["plan"] | {"seed": 2}}, "boards 0 to 47 of greedy with random"),
        (lambda m: m | {"plan": m["plan"] | {"boards": 49}}, "boards 48 to 48 of greedy with"),
        (
            lambda m: m | {"failures": [{"strategy": "x", "kind": "so", "evidence": "a/x.json"}]},
            "the evidence",
        ),
        (lambda m: m | {"summaries": {}}, "summary/groups.parquet is damaged"),
    ],
)
def test_check__manifest_that_says_other_than_the_parts__is_named(
    whole, tmp_path, change: Callable[[dict], dict], says
):
    run = copy_of(whole, tmp_path / "run")
    run.write_manifest(change(run.read_manifest()))
    assert any(says in fault for fault in check_run(run).faults)


def test_check__summaries_of_other_parts__are_named(whole, tmp_path):
    run = copy_of(whole, tmp_path / "run")
    other = finished(tmp_path / "other", *FIELD, seed=9)
    for name in ("groups", "histograms", "extremes"):
        shutil.copy(other.path / f"summary/{name}.parquet", run.path / "summary")
    run.write_manifest(run.read_manifest() | {"summaries": other.read_manifest()["summaries"]})
    assert "the summary of greedy with random is not its parts'" in check_run(run).faults


@pytest.mark.parametrize("keep", ["all", "none", "sample=50"])
@pytest.mark.parametrize("n_shards", [1, 2, 5])
def test_merge__shards__are_exactly_the_run_of_one_machine(tmp_path, keep, n_shards):
    right = finished(tmp_path / "right", *FIELD, keep=keep)
    shards = [
        finished(
            tmp_path / f"shard{number}",
            *FIELD,
            keep=keep,
            block=7 + number,
            stops=Stops(shard=shard_of(48, number, n_shards)),
        )
        for number in range(1, n_shards + 1)
    ]
    target = RunFolder(tmp_path / "merged")
    told = merge_runs(shards[::-1], target, lambda done, total: None)
    wanted = right.read_manifest()
    for name in ("status", "digest", "matches", "plan"):
        assert told[name] == target.read_manifest()[name] == wanted[name]
    assert (target.path / "summary/groups.parquet").read_bytes() == (
        right.path / "summary/groups.parquet"
    ).read_bytes()
    assert check_run(target).faults == []
    if keep == "all":
        assert read_rows(target.path).equals(read_rows(right.path))


def test_merge__a_shard_is_lacking__the_rest_can_be_played(tmp_path):
    right = finished(tmp_path / "right", *FIELD)
    shards = [
        finished(tmp_path / str(k), *FIELD, stops=Stops(shard=shard_of(48, k, 3))) for k in (1, 3)
    ]
    target = RunFolder(tmp_path / "merged")
    told = merge_runs(shards, target, lambda done, total: None)
    assert (told["status"], told["matches"]) == ("interrupted", 192)
    assert play(target.path, *FIELD).digest == right.read_manifest()["digest"]


def test_merge__the_same_shard_twice__counts_once(tmp_path):
    shard = finished(tmp_path / "a", *FIELD, stops=Stops(shard=(0, 16)))
    told = merge_runs([shard, shard], RunFolder(tmp_path / "m"), lambda done, total: None)
    assert told["matches"] == 3 * 32


def test_merge__shards_that_overlap__are_refused(tmp_path):
    one = finished(tmp_path / "a", *FIELD, stops=Stops(shard=(0, 20)))
    two = finished(tmp_path / "b", *FIELD, stops=Stops(shard=(10, 48)))
    with pytest.raises(StoreError, match=r"the shards overlap: .*b has boards 10 to 47 of greedy"):
        merge_runs([one, two], RunFolder(tmp_path / "m"), lambda done, total: None)
    assert not (tmp_path / "m").exists()


def test_merge__strategy_that_failed_in_one_shard__counts_in_none(tmp_path):
    spec = write_hostile(tmp_path, "Cheats")  # on board 8
    right = finished(tmp_path / "right", *FIELD, spec)
    shards = [
        finished(tmp_path / str(k), *FIELD, spec, stops=Stops(shard=shard_of(48, k, 2)))
        for k in (1, 2)
    ]
    told = merge_runs(shards, RunFolder(tmp_path / "m"), lambda done, total: None)
    assert (told["status"], told["matches"]) == ("interrupted", 288)
    merged = finished(tmp_path / "m", *FIELD, spec)
    wanted = right.read_manifest()
    assert merged.read_manifest()["digest"] == wanted["digest"] == told["digest"]
    assert [f["strategy"] for f in merged.read_manifest()["failures"]] == ["Cheats"]


def test_check__run_of_another_engine__is_refused_and_nothing_called_an_orphan(
    tmp_path, monkeypatch
):
    run = finished(tmp_path / "run", "greedy", "random")
    monkeypatch.setattr("persian_rummy.sim.manifest.ENGINE_VERSION", 2)
    for look in (check_run, orphans):
        with pytest.raises(PrummyError, match="was played by engine 1, this is engine 2"):
            look(run)


@pytest.mark.parametrize(
    ("other", "differs"),
    [({"seed": 2}, "plan"), ({"boards": 50}, "plan"), ({"keep": "none"}, "keep")],
)
def test_merge__of_different_plans__is_refused(tmp_path, other, differs):
    one = finished(tmp_path / "a", "greedy", "random", stops=Stops(shard=(0, 20)))
    two = finished(tmp_path / "b", "greedy", "random", **other, stops=Stops(shard=(20, 48)))
    with pytest.raises(StoreError, match=f"is of another run than .*: its {differs} differs"):
        merge_runs([one, two], RunFolder(tmp_path / "m"), lambda done, total: None)
    assert not (tmp_path / "m").exists()


def test_merge__damaged_shard__is_refused(tmp_path):
    one = finished(tmp_path / "a", "greedy", "random")
    parts_of(one.path)[1].write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="is damaged"):
        merge_runs([one], RunFolder(tmp_path / "m"), lambda done, total: None)


def test_orphans__of_a_changed_strategy_and_half_files__are_all_and_no_others(tmp_path):
    spec = write_strategy(tmp_path, "Bot")
    run = finished(tmp_path / "run", "greedy", "random", spec)
    assert orphans(run) == []
    path = Path(spec.rpartition(":")[0])
    path.write_text(path.read_text() + "# another thought\n")
    changed = make_run(tmp_path / "elsewhere", "greedy", "random", spec)
    run.write_manifest(run.read_manifest() | {"strategies": list(changed.strategies)})
    run.storage.write("matches/.part-x.parquet.1-2.tmp", b"half")
    gone = orphans(run)
    assert len(gone) == 2 * 3 + 1
    for name in gone:
        run.storage.remove(name)
    assert orphans(run) == []
    names = {tuple(row) for row in read_rows(run.path)[["a", "b"]].values.tolist()}
    assert names == {("greedy", "random")}


def test_check__and_merge__run_no_strategy(tmp_path):
    """A run whose strategy file is gone, or would not load, is checked and merged all the same."""
    spec = write_strategy(tmp_path, "Bot")
    run = finished(tmp_path / "run", spec, "random")
    Path(spec.rpartition(":")[0]).write_text("raise SystemExit('run by mistake')\n")
    assert check_run(run).faults == []
    told = merge_runs([run], RunFolder(tmp_path / "m"), lambda done, total: None)
    assert json.loads((tmp_path / "m/manifest.json").read_text())["digest"] == told["digest"]
