"""The engine: what decides a run's results, and what does not."""

import os
import shutil
from pathlib import Path
from threading import Event

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from small_runs import make_run, parts_of, play, read_rows, rows_of

from persian_rummy.sim.cards import deck_text
from persian_rummy.sim.check import check_run
from persian_rummy.sim.engines import EngineChoice
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.run import Stops, record_outcome
from persian_rummy.sim.schedule import Keep
from persian_rummy.sim.storage import LocalStorage
from persian_rummy.sim.store import RunFolder, identity_key
from persian_rummy.sim.transcript import play_transcript
from persian_rummy.strategies.registry import parse_entries, parse_entry

FIELD = ("greedy", "random", "hunter")


def decks(seed: int, boards: int, rotation: int = 0) -> list[str]:
    """Return the decks of all deals of some boards, out of transcripts."""
    players = [entry.player() for entry in parse_entries(["random", "greedy"])] * 2
    names = ["a", "b", "a", "b"]
    return [
        deal["deck"]
        for board in range(boards)
        for deal in play_transcript(Rules(), players, names, seed, board, rotation)["deals"]
    ]


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, pd.DataFrame, Path]:
    """Return digest, rows and folder of a run of 48 boards in blocks of 16."""
    folder = tmp_path_factory.mktemp("reference") / "run"
    outcome = play(folder, *FIELD)
    assert (outcome.matches, outcome.failures, outcome.stopped) == (3 * 2 * 48, [], None)
    return outcome.digest, read_rows(folder), folder


@pytest.mark.parametrize(
    ("jobs", "block"), [(2, 16), (7, 16), (1, 3), (2, 5), (7, 64), (1, 48), (2, None)]
)
def test_run__other_jobs_and_blocks__same_rows_and_digest(tmp_path, reference, jobs, block):
    outcome = play(tmp_path / "run", *FIELD, jobs=jobs, block=block)
    assert outcome.digest == reference[0]
    pd.testing.assert_frame_equal(read_rows(tmp_path / "run"), reference[1])


def test_run__rows__are_each_board_in_both_rotations(reference):
    for _, pairing in reference[1].groupby(["a", "b"]):
        assert list(pairing["board"]) == [board for board in range(48) for _ in (0, 1)]
        assert list(pairing["rotation"]) == [0, 1] * 48
        assert list(pairing["dealer"]) == [board % 4 for board in range(48) for _ in (0, 1)]


def test_run__rows__are_the_matches_that_transcripts_show(reference):
    for a, b in (("greedy", "random"), ("random", "hunter")):
        players = [parse_entry(name).player() for name in (a, b)] * 2
        rows = rows_of(reference[2], a, b)
        for match in (0, 1, 62, 95):
            row = rows.iloc[match]
            shown = play_transcript(Rules(), players, [a, b] * 2, 1, match // 2, match % 2)
            assert [row["score_a"], row["score_b"]] == shown["score"][:: 1 - 2 * (match % 2)]


@pytest.mark.parametrize("keep", ["none", "sample=20", "sample=64", "sample=1000000"])
@pytest.mark.parametrize("block", [7, 16, None])
def test_run__fewer_rows_kept__same_digest_and_sums(tmp_path, reference, keep, block):
    outcome = play(tmp_path / "run", *FIELD, keep=keep, block=block)
    assert (outcome.digest, outcome.matches) == (reference[0], 288)
    whole = play(tmp_path / "whole", *FIELD)
    for ours, its in zip(outcome.summaries, whole.summaries, strict=True):
        assert ours.equals(its)
    kept = {"none": 0, "sample=20": 10, "sample=64": 32}.get(keep, 48)
    if kept:
        first = reference[1][reference[1]["board"] < kept].reset_index(drop=True)
        pd.testing.assert_frame_equal(read_rows(tmp_path / "run"), first)
    else:
        assert not (tmp_path / "run" / "matches").exists()
    resumed = play(tmp_path / "run", *FIELD, keep=keep)
    assert resumed.digest == reference[0]


@pytest.mark.parametrize(
    "text", ["", "All", "sample", "sample=", "sample=0", "sample=-1", "none=3"]
)
def test_keep__anything_else__is_refused(text):
    with pytest.raises(ValueError, match="is not all, none or sample=MATCHES"):
        Keep.parse(text)


def test_run__many_parts_of_sums__become_few(tmp_path, monkeypatch, reference):
    monkeypatch.setattr("persian_rummy.sim.run.PACK_PARTS", 4)
    outcome = play(tmp_path / "run", *FIELD, keep="sample=8", block=2)
    assert outcome.digest == reference[0]
    parts = [path.parent.name for path in parts_of(tmp_path / "run")]
    assert parts.count("matches") == 3 * 2
    assert 3 <= parts.count("sums") <= 3 * 5
    assert check_run(RunFolder(tmp_path / "run")).faults != []  # no manifest says it is finished
    assert play(tmp_path / "run", *FIELD, keep="sample=8").digest == reference[0]


def test_run__killed_between_packing_and_tidying__counts_no_board_twice(
    tmp_path, monkeypatch, reference
):
    monkeypatch.setattr("persian_rummy.sim.run.PACK_PARTS", 4)
    monkeypatch.setattr(LocalStorage, "remove", lambda self, name: None)
    play(tmp_path / "run", *FIELD, keep="none", block=2)
    monkeypatch.undo()
    before = parts_of(tmp_path / "run")
    assert len(before) > 3 * 24
    resumed = play(tmp_path / "run", *FIELD, keep="none", stop_after=1)
    assert (resumed.digest, resumed.matches, resumed.stopped) == (reference[0], 288, None)
    assert len(parts_of(tmp_path / "run")) < len(before)


@pytest.mark.parametrize(("jobs", "stop_after"), [(1, 1), (1, 4), (2, 1), (2, 3)])
@pytest.mark.parametrize("keep", ["all", "sample=40"])
def test_run__stopped__goes_on_with_the_same_digest(tmp_path, reference, jobs, stop_after, keep):
    first = play(tmp_path / "run", *FIELD, jobs=jobs, stop_after=stop_after, keep=keep)
    assert first.stopped == "signal"
    assert 0 < first.matches < 288
    kept = {part: part.stat().st_ino for part in parts_of(tmp_path / "run")}
    on_disk = sum(int(part.name.split("-")[3]) for part in kept)
    assert 2 * on_disk == first.matches  # what is counted is what is on disk
    second = play(tmp_path / "run", *FIELD, jobs=jobs, keep=keep)
    assert second.stopped is None
    assert (second.digest, second.matches) == (reference[0], 288)
    assert all(part.stat().st_ino == node for part, node in kept.items())  # not played again


def test_run__stopped_before_it_begins__holds_nothing(tmp_path, reference):
    stop = Event()
    stop.set()
    run = make_run(tmp_path / "run", *FIELD)
    outcome = run.play(EngineChoice(), lambda done, total: None, stop)
    assert (outcome.stopped, outcome.matches) == ("signal", 0)
    assert play(tmp_path / "run", *FIELD).digest == reference[0]


@pytest.mark.parametrize(
    ("stops", "why", "matches"),
    [
        (Stops(matches=50), "matches", 50),
        (Stops(matches=287), "matches", 286),
        (Stops(matches=288), None, 288),
        (Stops(matches=10**9), None, 288),
        (Stops(seconds=0.0), "time", 0),
        (Stops(seconds=1e9), None, 288),
        (Stops(shard=(10, 20)), "shard", 60),
        (Stops(shard=(0, 48)), None, 288),
        (Stops(matches=12, shard=(10, 20)), "matches", 12),
    ],
)
def test_run__limits__stop_there_and_it_goes_on(tmp_path, reference, stops, why, matches):
    first = play(tmp_path / "run", *FIELD, stops=stops, block=5)
    assert (first.stopped, first.matches) == (why, matches)
    assert play(tmp_path / "run", *FIELD).digest == reference[0]


def test_run__pairings__keep_in_step(tmp_path):
    outcome = play(tmp_path / "run", *FIELD, stops=Stops(matches=120), block=4)
    assert [tally.boards.ranges for tally in outcome.tallies] == [[(0, 20)]] * 3


def truncate(part: Path, other: Path) -> None:
    os.truncate(part, part.stat().st_size // 2)


def empty(part: Path, other: Path) -> None:
    part.write_bytes(b"")


def flip(part: Path, other: Path) -> None:
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 4
    part.write_bytes(data)


def swap(part: Path, other: Path) -> None:
    aside = part.with_suffix(".aside")
    part.rename(aside)
    other.rename(part)
    aside.rename(other)


def remove(part: Path, other: Path) -> None:
    part.unlink()


def overwrite(part: Path, other: Path) -> None:
    shutil.copy(other, part)


def double(part: Path, other: Path) -> None:
    words = part.name.split("-")
    words[2] = "000000000017"
    shutil.copy(part, part.with_name("-".join(words)))


@pytest.mark.parametrize("keep", ["all", "none"])
@pytest.mark.parametrize("damage", [truncate, empty, flip, swap, remove, overwrite, double])
@pytest.mark.parametrize("other", [("greedy", "random", 32), ("random", "hunter", 16)])
def test_run__damaged_part__is_found_and_it_alone_is_played_again(
    tmp_path, reference, damage, other, keep
):
    folder = tmp_path / "run"
    run = make_run(folder, *FIELD, keep=keep)
    record_outcome(
        run.folder, manifest := run.folder.read_manifest(), play(folder, *FIELD, keep=keep)
    )
    assert check_run(run.folder).faults == []
    by_place = {
        (manifest["plan"]["names"][met.a], manifest["plan"]["names"][met.b], part.first_board): part
        for index, met in enumerate(run.pairings)
        for part in run.folder.parts()[0]
        if part.key == identity_key(run.job.identity(index))
    }
    hurt = folder / by_place["greedy", "random", 16].name
    written = {path: path.stat().st_mtime_ns for path in parts_of(folder)}
    damage(hurt, folder / by_place[other].name)
    faults = check_run(run.folder).faults
    named = "000000000017" if damage is double else hurt.name
    if damage is remove:
        named = "boards 16 to 31 of greedy with random are missing"
    assert any(named in fault for fault in faults), faults
    assert play(folder, *FIELD, keep=keep).digest == reference[0]
    again = {hurt, folder / by_place[other].name} if damage is swap else {hurt}
    for path, when in written.items():
        same = path.stat().st_mtime_ns == when
        assert same == (path not in again or damage is double), path
    assert check_run(run.folder).faults == []


def test_run__others_entered_beside__same_rows(tmp_path, reference):
    play(tmp_path / "two", "greedy", "random")
    play(tmp_path / "gauntlet", "greedy", "miser", "random", format_="gauntlet")
    alone = rows_of(reference[2], "greedy", "random")
    assert len(alone) == 96
    pd.testing.assert_frame_equal(rows_of(tmp_path / "two", "greedy", "random"), alone)
    pd.testing.assert_frame_equal(rows_of(tmp_path / "gauntlet", "greedy", "random"), alone)
    met = read_rows(tmp_path / "gauntlet")[["a", "b"]].drop_duplicates()
    assert met.values.tolist() == [["greedy", "miser"], ["greedy", "random"]]


def test_run__another_label__same_play(tmp_path, reference):
    play(tmp_path / "run", "x=greedy", "y=random")
    ours = rows_of(tmp_path / "run", "x", "y").drop(columns=["a", "b"])
    alone = rows_of(reference[2], "greedy", "random").drop(columns=["a", "b"])
    pd.testing.assert_frame_equal(ours, alone)


def test_run__another_seed__another_digest_and_other_rows(tmp_path, reference):
    other = play(tmp_path / "run", *FIELD, seed=2)
    assert other.digest != reference[0]
    rows = read_rows(tmp_path / "run")
    same = (rows["score_a"] == reference[1]["score_a"]).mean()
    assert same < 0.2  # by chance a score comes up again


def test_decks__seeds_boards_and_deals__all_differ():
    seeds = [0, 1, 2, 2**63, 2**64 - 1]
    all_decks = [deck for seed in seeds for deck in decks(seed, 40)]
    assert len(set(all_decks)) == len(all_decks) == len(seeds) * 40 * 2


def test_decks__both_rotations_and_other_players__are_the_same():
    assert decks(1, 6, rotation=0) == decks(1, 6, rotation=1)
    player = parse_entry("hunter").player()
    match = play_transcript(Rules(), [player] * 4, ["h"] * 4, 1, 5, 1)
    assert [deal["deck"] for deal in match["deals"]] == decks(1, 6)[10:]
    assert deck_text(range(56)) != match["deals"][0]["deck"]


def test_run__twice_the_boards__the_first_half_is_unchanged(tmp_path, reference):
    shutil.copytree(reference[2], tmp_path / "extended")
    extended = play(tmp_path / "extended", *FIELD, boards=96)
    fresh = play(tmp_path / "fresh", *FIELD, boards=96, block=96)
    assert extended.digest == fresh.digest != reference[0]
    rows = read_rows(tmp_path / "fresh")
    first = rows[rows["board"] < 48].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, reference[1])


def test_run__mirror_of_greedy__margin_is_zero_on_every_board(tmp_path):
    play(tmp_path / "run", "a=greedy", "b=greedy", boards=200, block=64)
    rows = read_rows(tmp_path / "run")
    margin = (rows["score_a"] - rows["score_b"]).to_numpy().reshape(-1, 2)
    assert not margin.sum(axis=1).any()
    assert np.count_nonzero(margin[:, 0]) > 190  # but the matches are not drawn


def test_run__mirror_of_random__is_a_fair_game_of_chance(tmp_path):
    play(tmp_path / "run", "a=random", "b=random", boards=2000, block=500)
    rows = read_rows(tmp_path / "run")
    margin = (rows["score_a"] - rows["score_b"]).to_numpy().reshape(-1, 2)
    boards = margin.sum(axis=1) / 2
    assert np.count_nonzero(boards) > 1900  # the seats' streams differ between rotations
    assert np.unique(boards).size > 100
    turns = rows["turns"].to_numpy().reshape(-1, 2)
    assert (turns[:, 0] != turns[:, 1]).mean() > 0.8
    low, high = stats.ttest_1samp(boards, 0).confidence_interval(0.999)
    assert low < 0 < high
