"""Every table equals what pandas makes of the rows of a real run."""

from pathlib import Path

import hall
import numpy as np
import pandas as pd
import pytest
from made_up_run import made_up_run
from scipy import stats
from small_runs import play, read_rows

from persian_rummy.reports import tables
from persian_rummy.reports.machine import pairing_json, sources_json, tournament_json
from persian_rummy.reports.results import Results, load_results
from persian_rummy.sim.columns import SIDE_COLUMNS
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.run import record_outcome
from persian_rummy.sim.store import RunFolder, StoreError

BOARDS = 90  # below 256: a group is a board
FIELD = ("greedy", "random", "miser")
RULES = Rules(exhausted="stock_empty", deals=3)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, pd.DataFrame]:
    """Return a run's results, read from its folder, and its rows from both sides.

    In `long`, each match stands twice: for each strategy with its opponent.
    """
    folder = tmp_path_factory.mktemp("tables") / "run"
    outcome = play(folder, *FIELD, boards=BOARDS, block=32, rules=RULES, seed=1)
    store = RunFolder(folder)
    record_outcome(store, store.read_manifest(), outcome)
    rows = read_rows(folder)
    names = [column.name for column in SIDE_COLUMNS]
    halves = []
    for side, other in ("ab", "ba"):
        half = rows[["board", "rotation", "turns"]].copy()
        half["strategy"], half["opponent"] = rows[side], rows[other]
        half["margin"] = rows[f"score_{side}"] - rows[f"score_{other}"]
        half[names] = rows[[f"{name}_{side}" for name in names]]
        for deal in (1, 2, 3):
            end = rows[f"deal_end_{deal}"]
            half[f"end_{deal}"] = end if side == "a" else end.replace({0: 1, 1: 0})
        halves.append(half)
    long = pd.concat(halves, ignore_index=True)
    long["share"] = (np.sign(long["margin"]) + 1) / 2
    return load_results(folder), long


def order(long: pd.DataFrame) -> list[str]:
    return list(long.groupby("strategy")["share"].mean().sort_values(ascending=False).index)


def test_pairings__as_from_the_rows(run):
    results, long = run
    table = tables.pairings(results)
    pairs = [("greedy", "random"), ("greedy", "miser"), ("random", "miser")]
    assert list(zip(table["a"], table["b"], strict=True)) == pairs
    for _, row in table.iterrows():
        mine = long[(long["strategy"] == row["a"]) & (long["opponent"] == row["b"])]
        assert (row["boards"], row["matches"]) == (BOARDS, 2 * BOARDS)
        signs = np.sign(mine["margin"])
        assert [row["wins"], row["draws"], row["losses"]] == [
            (signs == s).sum() for s in (1, 0, -1)
        ]
        assert row["margin"] == pytest.approx(mine["margin"].mean())
        low, high = hall.interval(mine.groupby("board")["margin"].mean())
        assert (row["margin_low"], row["margin_high"]) == pytest.approx((low, high))
        assert row["win_share"] == pytest.approx(mine["share"].mean())
        points = (2 * mine.groupby("board")["share"].sum()).astype(int)
        assert list(row[["LL", "LD", "WL+DD", "WD", "WW"]]) == [
            (points == p).sum() for p in range(5)
        ]


def test_pairings__more_than_256_boards__groups_of_boards_are_the_units(tmp_path):
    outcome = play(tmp_path / "run", "greedy", "random", boards=600, block=200)
    rows = read_rows(tmp_path / "run")
    margin = rows["score_a"] - rows["score_b"]
    groups = margin.groupby(rows["board"] % 256).agg(["sum", "size"])
    ratio = margin.mean()
    residuals = groups["sum"] - ratio * groups["size"]
    low, high = hall.interval(ratio + residuals * 256 / 1200)
    row = tables.pairings(Results(outcome.plan, {}, outcome.summaries)).iloc[0]
    assert row["margin"] == pytest.approx(ratio)
    assert (row["margin_low"], row["margin_high"]) == pytest.approx((low, high))
    # as wide as boards as units would make it, within what 256 units leave to chance
    boards = margin.groupby(rows["board"]).mean()
    assert (high - low) / 2 == pytest.approx(1.96 * boards.std() / np.sqrt(600), rel=0.15)


def test_standings__as_from_the_rows(run):
    results, long = run
    table = tables.standings(results)
    assert list(table["strategy"]) == order(long)
    for _, row in table.iterrows():
        mine = long[long["strategy"] == row["strategy"]]
        assert row["matches"] == len(mine) == 4 * BOARDS
        assert row["win_share"] == pytest.approx(mine["share"].mean())
        assert row["margin"] == pytest.approx(mine["margin"].mean())
        assert row["score"] == pytest.approx(mine["score"].mean())
        # the pairings share their boards: a unit is a board with the matches of both
        low, high = hall.interval(mine.groupby("board")["margin"].mean())
        assert (row["margin_low"], row["margin_high"]) == pytest.approx((low, high))
        assert row["win_share_low"] < row["win_share"] < row["win_share_high"]


def test_entry_sources__as_from_the_rows__add_up_to_the_margin(run):
    results, long = run
    columns = {label: column for column, label in tables.SOURCES.items()}
    other = long.rename(columns={"strategy": "opponent", "opponent": "strategy"})
    for entry, name in enumerate(results.names):
        found = tables.entry_sources(results, entry)
        mine, theirs = (frame[frame["strategy"] == name] for frame in (long, other))
        for label, interval in found.items():
            sign = -1 if label == "left in hands" else 1
            gap = sign * (mine[columns[label]].mean() - theirs[columns[label]].mean())
            assert interval.estimate == pytest.approx(gap)
            assert interval.low < interval.estimate < interval.high
        margin = tables.entry_margin(results, entry).estimate
        assert sum(part.estimate for part in found.values()) == pytest.approx(margin)
    rows = {row["strategy"]: row for row in sources_json(results)}
    assert rows["greedy"]["sources"]["sets"] == tables.entry_sources(results, 0)["sets"].to_json()


def test_win_share__interval__is_wilsons_at_the_effective_size(run):
    results, long = run
    for _, row in tables.pairings(results).iterrows():
        mine = long[(long["strategy"] == row["a"]) & (long["opponent"] == row["b"])]
        boards = mine.groupby("board")["share"].mean()
        share, t = boards.mean(), stats.t.ppf(0.975, BOARDS - 1)
        size = share * (1 - share) / (boards.var(ddof=1) / BOARDS)
        # Wilson: the values p with |share - p| = t sqrt(p (1 - p) / size)
        roots = np.roots([1 + t * t / size, -(2 * share + t * t / size), share * share])
        assert sorted([row["win_share_low"], row["win_share_high"]]) == pytest.approx(sorted(roots))


def test_meetings__both_sides__mirror_each_other(run):
    results, long = run
    table = tables.meetings(results)
    names = order(long)
    pairs = [(a, b) for a in names for b in names if a != b]
    assert list(zip(table["strategy"], table["opponent"], strict=True)) == pairs
    for _, row in table.iterrows():
        mine = long[(long["strategy"] == row["strategy"]) & (long["opponent"] == row["opponent"])]
        low, high = hall.interval(mine.groupby("board")["margin"].mean())
        assert row["margin"] == pytest.approx(mine["margin"].mean())
        assert (row["margin_low"], row["margin_high"]) == pytest.approx((low, high))
        assert row["wins"] == (mine["margin"] > 0).sum()
        assert row["losses"] == (mine["margin"] < 0).sum()
        assert row["win_share"] == pytest.approx(mine["share"].mean())
        assert row["win_share_low"] < row["win_share"] < row["win_share_high"]
        assert row["WW"] == (mine.groupby("board")["share"].sum() == 2).sum()
        assert row["turns"] == pytest.approx(mine["turns"].mean() / 3)
        assert row["told_apart"] == ("ahead" if low > 0 else "behind" if high < 0 else "level")
    better = tables.better_sides(table)
    assert len(better) == 3
    assert (better["margin"] >= 0).all()
    assert better["margin"].is_monotonic_decreasing


@pytest.mark.parametrize("value", ["margin", "win_share"])
def test_crosstable__as_from_the_rows(run, value):
    results, long = run
    column = {"margin": "margin", "win_share": "share"}[value]
    right = long.pivot_table(column, "strategy", "opponent")
    names = order(long)
    pd.testing.assert_frame_equal(
        tables.crosstable(results, value), right.loc[names, names], check_names=False
    )


def test_sources__as_from_the_rows_and_add_up_to_the_score(run):
    results, long = run
    table = tables.sources(results)
    assert list(table.index) == order(long)
    means = long.groupby("strategy").mean(numeric_only=True).loc[table.index]
    for column, name in tables.SOURCES.items():
        sign = -1 if column == "left_points" else 1
        np.testing.assert_allclose(table[name], sign * means[column])
    np.testing.assert_allclose(table[list(tables.SOURCES.values())].sum(axis=1), means["score"])


def test_events__as_from_the_rows(run):
    results, long = run
    table = tables.events(results)
    means = long.groupby("strategy").mean(numeric_only=True).loc[table.index]
    counted = [column.name for column in SIDE_COLUMNS if column.unit != "points"]
    for name in counted:
        np.testing.assert_allclose(table[name], means[name])
    np.testing.assert_allclose(table["cards_a_take"], means["cards_taken"] / means["takes"])


@pytest.mark.parametrize("quantity", ["score", "margin"])
def test_distribution__as_from_the_rows(run, quantity):
    results, long = run
    table = tables.distribution(results, quantity)
    assert list(table["strategy"].unique()) == order(long)
    for name, part in table.groupby("strategy"):
        counts = long[long["strategy"] == name][quantity].value_counts().sort_index()
        assert part["value"].tolist() == counts.index.tolist()
        assert part["count"].tolist() == counts.tolist()


def test_quantiles__of_the_scores__as_sorted_by_hand(run):
    results, long = run
    table = tables.quantiles(tables.distribution(results, "score"), (0.05, 0.5, 0.95))
    for name, row in table.iterrows():
        scores = np.sort(long[long["strategy"] == name]["score"])
        n = len(scores)  # 360: the smallest value that 5 % reach is the 18th
        assert (row[0.05], row[0.5], row[0.95]) == (scores[17], scores[179], scores[341])
        assert (row["mean"], row["sd"]) == pytest.approx((scores.mean(), scores.std()))
        assert n == 360


def test_bins__of_the_scores__hold_every_match_once(run):
    results, long = run
    table = tables.bins(tables.distribution(results, "score"))
    width = table["high"].iloc[0] - table["low"].iloc[0]
    for name, part in table.groupby("strategy"):
        scores = long[long["strategy"] == name]["score"]
        edges = [*part["low"], part["high"].iloc[-1]]
        counts, _ = np.histogram(scores - 0.0, [edge - 0.5 for edge in edges])
        np.testing.assert_allclose(part["share"], counts / len(scores))
        assert (np.diff(edges) == width).all()
        assert len(part) <= 100
        assert all(edge % width == 0 for edge in edges)


def test_deals__lengths_and_ends__as_from_the_rows(run):
    results, long = run
    ends = tables.deal_ends(results)
    labels = ["went out", "opponents went out", "stock exhausted", "cut off"]
    for name, row in ends.iterrows():
        mine = long[long["strategy"] == name][["end_1", "end_2", "end_3"]].to_numpy().ravel()
        np.testing.assert_allclose(row[labels], [(mine == code).mean() for code in range(4)])
    lengths = tables.deal_lengths(results)
    assert lengths["share"].sum() == pytest.approx(1)
    assert lengths["count"].sum() == 3 * 2 * BOARDS * 3
    total = (lengths["turns"] * lengths["count"]).sum()
    assert total == long["turns"].sum() / 2  # each match stands twice


def test_overview__counts_the_run(run):
    results, long = run
    view = tables.overview(results)
    assert (view["strategies"], view["pairings"]) == (3, 3)
    assert view["matches"] == view["planned_matches"] == 540
    assert view["deals"] == 1620
    assert view["turns_per_deal"] == pytest.approx(long["turns"].sum() / 2 / 1620)
    assert (view["boards_low"], view["boards_high"], view["planned_boards"]) == (90, 90, 90)
    assert (view["matches_low"], view["deals_high"], view["known"]) == (360, 1080, True)


def test_json__same_numbers_as_the_tables(run):
    results, _ = run
    printed = tournament_json(results)
    table = tables.standings(results)
    assert [row["strategy"] for row in printed["standings"]] == list(table["strategy"])
    for row, (_, line) in zip(printed["standings"], table.iterrows(), strict=True):
        assert row["matches"] == line["matches"]
        for name in ("margin", "win_share"):
            assert row[name]["estimate"] == line[name]
            assert (row[name]["low"], row[name]["high"]) == (
                line[f"{name}_low"],
                line[f"{name}_high"],
            )
            assert row[name]["level"] == 0.95
    for row, (_, line) in zip(
        pairing_json(results), tables.pairings(results).iterrows(), strict=True
    ):
        assert row["pairs"] == list(line[["LL", "LD", "WL+DD", "WD", "WW"]])
        assert sum(row["pairs"]) == row["boards"] == BOARDS


def test_load_results__unfinished_run__says_how_to_go_on(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.create(made_up_run(status="running").manifest)
    with pytest.raises(StoreError, match=f"--resume --out {folder.path} goes on with it"):
        load_results(folder.path)


def test_tables__nothing_counts__are_empty(tmp_path):
    outcome = play(tmp_path / "run", "greedy", "random", boards=3)
    empty = [type(summary)() for summary in outcome.summaries]
    results = Results(outcome.plan, {"status": "finished"}, empty)
    found = tables.report_tables(results)
    absent = found.pop("absent")  # says why
    assert set(absent["table"]) <= set(found)
    assert absent["why"].str.contains("no pairing|mixed teams").all()
    for name, table in found.items():
        assert len(table) == 0, name
    assert tables.overview(results)["matches"] == 0
    assert Path(tmp_path / "run").is_dir()
