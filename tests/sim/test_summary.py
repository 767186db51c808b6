"""Summaries against a computation with pandas, row by row, from made-up rows."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from persian_rummy.sim.columns import DEAL_COLUMNS, SIDE_COLUMNS, column_names
from persian_rummy.sim.summary import (
    GROUP_COLUMNS,
    HISTOGRAMS,
    Histogram,
    PairingSummary,
    summarize,
)

SIDES = [f"{column.name}_{side}" for side in "ab" for column in SIDE_COLUMNS]


def made_up(first: int, boards: int, deals: int = 2, seed: int = 0, spread: int = 4) -> dict:
    """Return columns of some boards with random values; a small spread makes many draws."""
    rng = np.random.default_rng([seed, first, boards])
    columns = {
        name: rng.integers(-spread, spread, 2 * boards).astype(np.int32)
        for name in column_names(deals)
    }
    columns["board"] = np.repeat(np.arange(first, first + boards), 2)
    columns["dealer"] = (columns["board"] % 4).astype(np.int32)
    columns["rotation"] = np.tile(np.array([0, 1], np.int32), boards)
    for deal in range(1, deals + 1):
        columns[f"deal_end_{deal}"] = rng.integers(0, 4, 2 * boards).astype(np.int32)
    return columns


def by_group(columns: dict, deals: int) -> pd.DataFrame:
    """Return the sums over board mod 256 by pandas, in the words of GROUP_COLUMNS."""
    rows = pd.DataFrame(columns).astype("int64")
    rows["matches"] = 1
    rows["margin"] = rows["score_a"] - rows["score_b"]
    rows["margin_0"] = rows["margin"].where(rows["rotation"] == 0, 0)
    dealt_by_a = rows["dealer"].isin([0, 2]) == (rows["rotation"] == 0)
    rows["first_dealer_margin"] = rows["margin"].where(dealt_by_a, -rows["margin"])
    rows["first_dealer_half_wins"] = np.sign(rows["first_dealer_margin"]) + 1
    rows["dealer_margin"] = 0
    for deal in range(deals):
        gap = rows[f"deal_score_a_{deal + 1}"] - rows[f"deal_score_b_{deal + 1}"]
        rows["dealer_margin"] += gap.where(dealt_by_a == (deal % 2 == 0), -gap)
    rows["margin_squared"] = rows["margin"] ** 2
    rows["wins"] = (rows["score_a"] > rows["score_b"]).astype(int)
    rows["draws"] = (rows["score_a"] == rows["score_b"]).astype(int)
    rows["losses"] = (rows["score_a"] < rows["score_b"]).astype(int)
    boards = rows.groupby("board").sum()
    results = rows.groupby("board")[["wins", "draws"]].sum()
    classes = {(0, 0): 0, (0, 1): 1, (1, 0): 2, (0, 2): 2, (1, 1): 3, (2, 0): 4}  # wins, draws
    pair = results.apply(lambda row: classes[row["wins"], row["draws"]], axis=1)
    for index in range(5):
        boards[f"pairs_{index}"] = (pair == index).astype(int)
    boards["boards"] = 1
    boards["board_margin_squared"] = boards["margin"] ** 2
    boards["board_share_squared"] = (2 * boards["wins"] + boards["draws"]) ** 2
    groups = boards.groupby(boards.index % 256).sum()
    return groups.reindex(range(256), fill_value=0)[list(GROUP_COLUMNS)]


@pytest.mark.parametrize(("first", "boards"), [(0, 1), (0, 256), (250, 12), (511, 600), (7, 0)])
@pytest.mark.parametrize("deals", [1, 3])
def test_groups__made_up_rows__as_by_pandas(first, boards, deals):
    columns = made_up(first, boards, deals)
    summary = summarize(columns, deals)
    expected = by_group(columns, deals) if boards else np.zeros((256, len(GROUP_COLUMNS)))
    np.testing.assert_array_equal(summary.groups, expected)
    assert summary.groups.dtype == np.int64


@pytest.mark.parametrize("deals", [1, 3])
def test_histograms__made_up_rows__count_every_value(deals):
    columns = made_up(3, 40, deals)
    histograms = summarize(columns, deals).histograms
    assert set(histograms) == set(HISTOGRAMS)
    margin = columns["score_a"] - columns["score_b"]
    quantities = {"score_a": [columns["score_a"]], "score_b": [columns["score_b"]]}
    quantities["margin"] = [margin]
    for column in DEAL_COLUMNS:
        quantities[column.name] = [columns[f"{column.name}_{k + 1}"] for k in range(deals)]
    for name, histogram in histograms.items():
        counted = pd.Series(np.concatenate(quantities[name])).value_counts().sort_index()
        assert list(histogram.values) == list(counted.index)
        assert list(histogram.counts) == list(counted)


def test_pairs__each_pair_of_results__in_its_class():
    scores = [(0, 1, 0, 1), (0, 1, 5, 5), (1, 0, 0, 1), (5, 5, 5, 5), (5, 5, 1, 0), (1, 0, 1, 0)]
    columns = made_up(0, 6)
    columns["score_a"] = np.array([[a1, a2] for a1, _, a2, _ in scores]).ravel()
    columns["score_b"] = np.array([[b1, b2] for _, b1, _, b2 in scores]).ravel()
    summary = summarize(columns, 2)
    assert summary.pairs() == [1, 1, 2, 1, 1]
    # boards 2 and 3 are both in the middle class, and both are one match in two
    assert [summary.total(name) for name in ("wins", "draws", "losses")] == [4, 4, 4]
    assert summary.total("board_share_squared") == 0 + 1 + 4 + 4 + 9 + 16
    assert summary.column("wins")[:6].tolist() == [0, 0, 1, 0, 1, 2]


@given(st.lists(st.integers(1, 300), min_size=1, max_size=5), st.integers(0, 1000), st.randoms())
def test_merge__parts_in_any_order__is_the_summary_of_the_whole(sizes, first, random):
    whole = made_up(first, sum(sizes))
    cuts = np.cumsum([0, *sizes])
    parts = list(pairwise(cuts))
    random.shuffle(parts)
    total = PairingSummary()
    for low, high in parts:
        part = {name: column[2 * low : 2 * high] for name, column in whole.items()}
        total.merge(summarize(part, 2))
    expected = summarize(whole, 2)
    np.testing.assert_array_equal(total.groups, expected.groups)
    for name, histogram in expected.histograms.items():
        np.testing.assert_array_equal(total.histograms[name].values, histogram.values)
        np.testing.assert_array_equal(total.histograms[name].counts, histogram.counts)


def test_sums__beyond_32_bits__are_exact():
    columns = made_up(0, 40_000, 1)
    columns["score_a"] = np.full(80_000, 2_000_000_000, np.int32)
    columns["score_b"] = np.full(80_000, 1_999_930_000, np.int32)
    summary = summarize(columns, 1)
    assert summary.total("score_a") == 80_000 * 2_000_000_000
    assert summary.total("margin") == 80_000 * 70_000
    assert summary.total("margin_squared") == 80_000 * 70_000**2
    assert summary.total("board_margin_squared") == 40_000 * 140_000**2
    columns["score_b"] = -columns["score_b"]  # the margin itself does not fit 32 bits
    assert summarize(columns, 1).total("margin") == 80_000 * 3_999_930_000


def test_merge__many_matches__counts_beyond_32_bits():
    summary = summarize(made_up(0, 256), 2)
    start = summary.total("turns")
    for _ in range(40):
        summary.merge(summary)
    assert summary.total("matches") == 512 * 2**40
    assert summary.total("turns") == start * 2**40
    assert int(summary.histograms["margin"].counts.sum()) == 512 * 2**40


def test_histogram__adding__unsorted_and_repeated_values():
    histogram = Histogram()
    histogram.add(np.array([5, -2, 5]), np.array([1, 2, 3]))
    histogram.add(np.array([-2, 9]), np.array([10, 1]))
    assert histogram.values.tolist() == [-2, 5, 9]
    assert histogram.counts.tolist() == [12, 4, 1]


def test_group_columns__hold_every_side_column():
    assert set(SIDES) <= set(GROUP_COLUMNS)
    assert PairingSummary().groups.shape == (256, len(GROUP_COLUMNS))
