"""The engine: what decides a run's results, and what does not."""

import os
import shutil
from pathlib import Path
from threading import Event

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import stats
from small_runs import make_engine, play, read_rows, rows_of

from persian_rummy.sim.cards import deck_text
from persian_rummy.sim.rules import Rules
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
    assert (outcome.matches, outcome.failures, outcome.interrupted) == (3 * 2 * 48, [], False)
    return outcome.digest, read_rows(folder), folder


@pytest.mark.parametrize(("jobs", "block"), [(2, 16), (7, 16), (1, 3), (2, 5), (7, 64), (1, 48)])
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


@pytest.mark.parametrize(("jobs", "stop_after"), [(1, 1), (1, 4), (2, 1), (2, 3)])
def test_run__stopped__goes_on_with_the_same_digest(tmp_path, reference, jobs, stop_after):
    first = play(tmp_path / "run", *FIELD, jobs=jobs, stop_after=stop_after)
    assert first.interrupted
    assert 0 < first.matches < 288
    kept = {
        part: part.stat().st_ino for part in (tmp_path / "run" / "matches").glob("part-*.parquet")
    }
    assert 32 * len(kept) == first.matches  # what is counted is what is on disk
    second = play(tmp_path / "run", *FIELD, jobs=jobs)
    assert not second.interrupted
    assert (second.digest, second.matches) == (reference[0], 288)
    pd.testing.assert_frame_equal(read_rows(tmp_path / "run"), reference[1])
    assert all(part.stat().st_ino == node for part, node in kept.items())  # not played again


def test_run__stopped_before_it_begins__holds_nothing(tmp_path, reference):
    stop = Event()
    stop.set()
    outcome = make_engine(tmp_path / "run", *FIELD).run(1, lambda done, total: None, stop)
    assert (outcome.interrupted, outcome.matches) == (True, 0)
    assert play(tmp_path / "run", *FIELD).digest == reference[0]


def truncate(part: Path, other: Path) -> None:
    os.truncate(part, part.stat().st_size // 2)


def empty(part: Path, other: Path) -> None:
    part.write_bytes(b"")


def scribble(part: Path, other: Path) -> None:
    data = bytearray(part.read_bytes())
    data[200:220] = bytes(20)
    part.write_bytes(data)


def swap(part: Path, other: Path) -> None:
    aside = part.with_suffix(".aside")
    part.rename(aside)
    other.rename(part)
    aside.rename(other)


def remove(part: Path, other: Path) -> None:
    part.unlink()


def change_a_score(part: Path, other: Path) -> None:
    table = pq.read_table(part)
    scores = table["score_a"].to_numpy().copy()
    scores[3] += 1
    place = table.column_names.index("score_a")
    pq.write_table(table.set_column(place, table.schema.field(place), [scores]), part)


def lose_rows(part: Path, other: Path) -> None:
    pq.write_table(pq.read_table(part).slice(0, 30), part)


def lose_metadata(part: Path, other: Path) -> None:
    pq.write_table(pq.read_table(part).replace_schema_metadata(None), part)


@pytest.mark.parametrize(
    "damage",
    [truncate, empty, scribble, swap, remove, change_a_score, lose_rows, lose_metadata],
)
@pytest.mark.parametrize("other", ["part-0001-000000000016", "part-0000-000000000032"])
def test_run__damaged_part__is_played_again(tmp_path, reference, damage, other):
    shutil.copytree(reference[2], tmp_path / "run")
    parts = tmp_path / "run" / "matches"
    damage(parts / "part-0000-000000000016.parquet", parts / f"{other}.parquet")
    assert play(tmp_path / "run", *FIELD).digest == reference[0]
    pd.testing.assert_frame_equal(read_rows(tmp_path / "run"), reference[1])


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
