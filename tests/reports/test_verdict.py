"""Words and number formats of a report, and the tables behind them, on hand-made cases."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from made_up_run import made_up_run

from persian_rummy.reports.numbers import margin_digits, number, share_digits, signed, span
from persian_rummy.reports.tables import (
    better_sides,
    bins,
    distribution,
    meetings,
    pairings,
    quantiles,
    standings,
)
from persian_rummy.reports.verdict import listed, verdict


def run_of(*names: str, form: str = "round-robin"):
    run = made_up_run(names, range(len(names)), boards=2)
    return dataclasses.replace(run, plan=dataclasses.replace(run.plan, format=form))


def frames(margins: dict[tuple[str, str], tuple[float, float, float]], order: str):
    """Return standings in this order, and meetings with these margins and their mirror images."""
    table = pd.DataFrame(
        {
            "strategy": list(order),
            "matches": 1000,
            **dict.fromkeys(("win_share", "win_share_low", "win_share_high"), 0.5),
            **{"margin": 10.0, "margin_low": 9.0, "margin_high": 11.0},
        }
    )
    rows = []
    for (one, two), (middle, low, high) in margins.items():
        rows.append((one, two, middle, low, high))
        rows.append((two, one, -middle, -high, -low))
    met = pd.DataFrame(
        rows, columns=["strategy", "opponent", "margin", "margin_low", "margin_high"]
    )
    signs = (met["margin_low"] > 0).astype(int) - (met["margin_high"] < 0).astype(int)
    met["told_apart"] = signs.map({1: "ahead", 0: "level", -1: "behind"})
    return table, met


def test_verdict__clear_leader() -> None:
    table, met = frames(
        {("A", "B"): (5, 2, 8), ("A", "C"): (9, 6, 12), ("B", "C"): (3, 1, 5)}, "ABC"
    )
    words = verdict(run_of("A", "B", "C"), table, met)
    assert words.headline == "A is clearly ahead of both others"
    assert words.sentences == [
        "A won 50.0 % of its 1,000 matches, draws counting half (95 % interval 50.0 to\xa050.0 %), "
        "with a margin of +10.0 points a match (+9.0 to\xa0+11.0).",
        "It is clearly ahead of B (+5.0 points a match, from +2.0 to\xa0+8.0) and "
        "C (+9.0, from +6.0 to\xa0+12.0).",
    ]


def test_verdict__leader_that_is_not_told_apart() -> None:
    table, met = frames(
        {("A", "B"): (5, -1, 11), ("A", "C"): (9, 6, 12), ("B", "C"): (3, 1, 5)}, "ABC"
    )
    words = verdict(run_of("A", "B", "C"), table, met)
    assert words.headline == "A leads, but cannot be told apart from B"
    assert words.sentences[1] == (
        "It leads B (+5.0 points a match, from −1.0 to\xa0+11.0), "
        "but the interval holds zero: that may be luck."
    )
    assert "clearly ahead of C (" in words.sentences[2]
    assert "B" not in words.sentences[2]


def test_verdict__leader_that_lost_to_another_and_a_level_pair_below() -> None:
    table, met = frames(
        {("A", "B"): (-5, -8, -2), ("A", "C"): (9, 6, 12), ("C", "B"): (1, -1, 3)}, "ABC"
    )
    words = verdict(run_of("A", "B", "C"), table, met)
    assert words.headline == "A has the best record, but B is clearly ahead of it"
    assert "It is clearly behind B (−5.0 points a match" in words.sentences[1]
    assert words.sentences[-1] == "This run does not tell C from B."


def test_verdict__gauntlet_speaks_of_the_first_entry_only() -> None:
    table, met = frames({("A", "B"): (-5, -8, -2), ("A", "C"): (9, 6, 12)}, "BAC")
    words = verdict(run_of("A", "B", "C", form="gauntlet"), table, met)
    assert words.headline == "A is clearly ahead of C and clearly behind B"
    assert "In a gauntlet the others meet only A" in words.sentences[-1]


def test_verdict__level_pair_is_not_called_behind() -> None:
    table, met = frames({("A", "B"): (-1, -3, 1)}, "AB")
    words = verdict(run_of("A", "B"), table, met)
    assert words.headline == "A leads, but cannot be told apart from B"
    assert not any("clearly" in sentence for sentence in words.sentences)


def test_listed() -> None:
    assert [listed(list(x)) for x in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


@pytest.mark.parametrize(
    ("value", "plain", "with_sign"),
    [
        (1234.56, "1,234.6", "+1,234.6"),
        (-1234.56, "−1,234.6", "−1,234.6"),
        (-0.04, "0.0", "0.0"),
        (0.0, "0.0", "0.0"),
        (float("nan"), "–", "–"),
        (None, "–", "–"),
    ],
)
def test_numbers(value: float | None, plain: str, with_sign: str) -> None:
    assert (number(value), signed(value)) == (plain, with_sign)


def test_span__unknown_is_a_dash() -> None:
    assert span(-1.0, 2.0, 1) == "−1.0 to\xa0+2.0"
    assert span(float("nan"), float("nan"), 1) == "–"


def test_digits__show_narrow_intervals_and_the_sign_of_an_end() -> None:
    def of(low: float, high: float) -> pd.DataFrame:
        return pd.DataFrame({"margin_low": [low], "margin_high": [high]})

    assert margin_digits(of(100.0, 106.0)) == 1
    assert margin_digits(of(100.00, 100.06)) == 2
    assert margin_digits(of(0.03, 4.0)) == 2  # "0.0 to +4.0" would hold zero
    assert margin_digits(of(np.nan, np.nan)) == 1
    shares = pd.DataFrame({"win_share_low": [0.5], "win_share_high": [0.501]})
    assert share_digits(shares) == 2


def test_meetings__are_mirror_images_and_agree_with_pairings() -> None:
    run = made_up_run()
    met = meetings(run).set_index(["strategy", "opponent"])
    assert list(met.index) == [
        (one, two)
        for one in ("strong", "middle", "weak")
        for two in ("strong", "middle", "weak")
        if one != two
    ]
    for row in pairings(run).to_dict("records"):
        ours, theirs = met.loc[row["a"], row["b"]], met.loc[row["b"], row["a"]]
        for name in ("margin_low", "win_share_high", "wins", "LL", "WD", "boards"):
            assert ours[name] == row[name]
        assert theirs["margin_high"] == -row["margin_low"]
        assert theirs["win_share_low"] == 1 - row["win_share_high"]
        assert (theirs["losses"], theirs["WW"]) == (row["wins"], row["LL"])
        assert ours["turns"] == theirs["turns"]
        assert {ours["told_apart"], theirs["told_apart"]} == {"ahead", "behind"}


def test_better_sides__one_row_a_pairing_from_the_side_ahead() -> None:
    sides = better_sides(meetings(made_up_run()))
    pairs = list(zip(sides["strategy"], sides["opponent"], strict=True))
    assert pairs[0] == ("strong", "weak")
    assert sorted(pairs[1:]) == [("middle", "weak"), ("strong", "middle")]
    assert sides["margin"].is_monotonic_decreasing
    assert (sides["margin"] > 0).all()
    even = pd.DataFrame({"strategy": ["a", "b"], "opponent": ["b", "a"], "margin": [0.0, -0.0]})
    assert better_sides(even)["strategy"].tolist() == ["a"]


def test_bins__round_width_shares_and_empty_bins() -> None:
    frame = pd.DataFrame(
        {"strategy": ["x", "x", "x", "y"], "value": [-3, 0, 19, 7], "count": [1, 2, 1, 5]}
    )
    binned = bins(frame, most=4)
    assert binned["low"].tolist() == [-10, 0, 10] * 2
    assert binned["high"].tolist() == [0, 10, 20] * 2
    assert binned["share"].tolist() == [0.25, 0.5, 0.25, 0, 1, 0]


def test_quantiles__smallest_value_that_reaches_the_level() -> None:
    frame = pd.DataFrame({"strategy": "x", "value": range(1, 141), "count": 1})
    row = quantiles(frame, (0.05, 0.5)).loc["x"]
    assert (row[0.05], row[0.5]) == (7, 70)  # 0.05 * 140 is a little above 7 in floats


def test_distribution__in_the_order_of_the_standings_with_every_match() -> None:
    run = made_up_run(boards=300)
    spread = distribution(run, "margin")
    table = standings(run)
    assert spread["strategy"].unique().tolist() == table["strategy"].tolist()
    for name, part in spread.groupby("strategy"):
        row = table.set_index("strategy").loc[name]
        assert part["count"].sum() == row["matches"]
        mean = (part["value"] * part["count"]).sum() / row["matches"]
        assert mean == pytest.approx(row["margin"])
        assert part["value"].is_monotonic_increasing
        assert part["value"].is_unique
