"""Luck and skill: components of known size, twins, how long it takes, and who wins by luck."""

import json
import math

import numpy as np
import pytest
from command import fails, run, run_json
from made_up_run import made_up_run
from small_runs import play

from persian_rummy.reports.comparison import variance_saved
from persian_rummy.reports.luck import (
    PARTS,
    boards_to_lead,
    chance_behind,
    field_luck,
    luck_json,
    pairing_luck,
    remarks,
    run_luck,
    shares_of,
)
from persian_rummy.reports.results import Results, load_results
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.summary import GROUP_COLUMNS, PairingSummary
from persian_rummy.strategies.registry import parse_entry

COLUMNS = list(GROUP_COLUMNS)


def summary_of(margins: np.ndarray) -> PairingSummary:
    """Return the sums of boards whose two margins of a are the rows of an array."""
    margins = np.rint(margins).astype(np.int64)
    half_wins = np.sign(margins) + 1
    sums = {
        "boards": np.ones(len(margins)),
        "matches": np.full(len(margins), 2),
        "wins": (half_wins == 2).sum(axis=1),
        "draws": (half_wins == 1).sum(axis=1),
        "losses": (half_wins == 0).sum(axis=1),
        "margin": margins.sum(axis=1),
        "margin_squared": (margins**2).sum(axis=1),
        "board_margin_squared": margins.sum(axis=1) ** 2,
        **{f"pairs_{k}": half_wins.sum(axis=1) == k for k in range(5)},
    }
    summary = PairingSummary()
    for name, values in sums.items():
        at = np.arange(len(margins)) % 256
        np.add.at(summary.groups, (at, COLUMNS.index(name)), values.astype(np.int64))
    return summary


def boards_of(
    rng: np.random.Generator, n: int, skill: float, seats: float, suits: float, course: float
) -> np.ndarray:
    """Return margins with a mean and three deviations: seats', strategies' on a board, matches'."""
    seat, suit = seats * rng.normal(size=(n, 1)), suits * rng.normal(size=(n, 1))
    return skill + suit + seat * [1, -1] + course * rng.normal(size=(n, 2))


TRUTH = {"cards": 3200 / 6900, "skill": 400 / 6900, "play": 3300 / 6900}
"""Of skill 20, seats 60, suits 20, course 50: 60^2 - 20^2, 20^2 and the rest of the mean square."""


def simulated(rng: np.random.Generator, n: int) -> PairingSummary:
    return summary_of(boards_of(rng, n, skill=20, seats=60, suits=20, course=50))


def test_shares__components_of_known_size__are_found():
    shares = shares_of([simulated(np.random.default_rng(1), 400_000)])
    assert shares.deviation.estimate == pytest.approx(math.sqrt(6900), rel=0.005)
    for part in PARTS:
        assert shares.parts[part].estimate == pytest.approx(TRUTH[part], abs=0.005)
    assert sum(shares.parts[part].estimate for part in PARTS) == pytest.approx(1)


@pytest.mark.parametrize("boards", [200, 1024])
def test_intervals__of_components_of_known_size__cover_them(boards):
    """95 of 100, within three errors of 500 runs."""
    rng, runs = np.random.default_rng(2), 500
    covered = dict.fromkeys(PARTS, 0)
    for _ in range(runs):
        parts = shares_of([simulated(rng, boards)]).parts
        for part in PARTS:
            covered[part] += parts[part].low <= TRUTH[part] <= parts[part].high
    for part in PARTS:
        assert 0.92 <= covered[part] / runs <= 0.98, part


def test_shares__of_a_few_boards__are_those_of_all_pairs_of_boards():
    margins = np.array([[30, -10], [5, 5], [-80, 70], [12, -40]])
    shares = shares_of([summary_of(margins)])
    means = margins.mean(axis=1)
    pairs = [means[i] * means[j] for i in range(4) for j in range(4) if i != j]
    skill, whole = np.mean(pairs), (margins**2).mean()
    wanted = {"skill": skill, "cards": skill - (margins[:, 0] * margins[:, 1]).mean()}
    wanted["play"] = 2 * means.var(ddof=1)
    for part in PARTS:
        assert shares.parts[part].estimate == pytest.approx(wanted[part] / whole)
    assert shares.deviation.estimate == pytest.approx(math.sqrt(whole))


def test_shares__no_skill__is_zero_in_the_mean():
    """The square of the mean margin would be a fortieth of the mean square too high."""
    rng = np.random.default_rng(4)
    found = [
        shares_of([summary_of(boards_of(rng, 20, 0, 0, 0, 100))]).parts["skill"].estimate
        for _ in range(1500)
    ]
    assert abs(np.mean(found)) < 3 * np.std(found) / math.sqrt(len(found))
    assert min(found) < 0


def test_shares__strategies_that_boards_suit__cards_below_zero_and_said():
    margins = boards_of(np.random.default_rng(5), 500, skill=40, seats=10, suits=60, course=20)
    luck = pairing_luck("a", "b", summary_of(margins))
    assert luck.shares.parts["cards"].high < 0
    (remark,) = remarks(luck)
    assert "go to the same side rather than to the same seats" in remark
    few = boards_of(np.random.default_rng(5), 40, skill=40, seats=10, suits=20, course=60)
    (remark,) = remarks(pairing_luck("a", "b", summary_of(few)))
    assert "within its error of 0" in remark


def test_shares__of_a_strategy_and_its_twin__are_all_cards():
    entries = parse_entry("hunter"), parse_entry("twin=hunter")
    block = play_boards(Rules(), [entry.player() for entry in entries] * 2, 1, 0, 100)
    margins = block.sides["score"] @ [1, -1]
    luck = pairing_luck("hunter", "twin", summary_of(margins.reshape(-1, 2)))
    for part, share in (("cards", 1), ("skill", 0), ("play", 0)):
        interval = luck.shares.parts[part]
        assert (interval.estimate, interval.low, interval.high) == pytest.approx((share,) * 3)
    assert (luck.better, luck.upsets, luck.lead) == (None, None, None)
    assert remarks(luck) == [
        "hunter against twin: level on the total score, so that neither is better"
    ]
    json.dumps(luck.to_json(), allow_nan=False)


def test_cards__of_the_variance_about_the_mean__is_what_boards_save():
    summary = simulated(np.random.default_rng(6), 5000)
    parts = shares_of([summary]).parts
    saved = parts["cards"].estimate / (1 - parts["skill"].estimate)
    assert saved == pytest.approx(variance_saved(summary), abs=0.001)


def test_pairing__seen_from_the_other_side__says_the_same():
    margins = boards_of(np.random.default_rng(7), 300, 15, 50, 20, 60)
    one = pairing_luck("a", "b", summary_of(margins)).to_json()
    other = pairing_luck("b", "a", summary_of(-margins)).to_json()
    assert one["better"] == other["better"] == "a"
    assert one["margin"]["estimate"] == -other["margin"]["estimate"]
    for name in ("shares", "upsets", "lead_boards", "worse_leads"):
        assert json.dumps(one[name]) == json.dumps(other[name])


def test_field__is_the_mean_of_its_pairings_by_their_mean_squares():
    results = made_up_run(boards=300)
    lucks, (shares, upsets) = run_luck(results), field_luck(results)
    weights = np.array([luck.shares.deviation.estimate**2 for luck in lucks])
    assert shares.deviation.estimate == pytest.approx(math.sqrt(weights.mean()))
    for part in PARTS:
        parts = [luck.shares.parts[part].estimate for luck in lucks]
        assert shares.parts[part].estimate == pytest.approx(weights @ parts / weights.sum())
    lost = [luck.upsets.match_lost.estimate for luck in lucks]
    assert upsets.match_lost.estimate == pytest.approx(np.mean(lost))


def test_field__pairings_that_share_the_boards__are_no_more_sure_than_one():
    """Two pairings with the very same margins know no more than one of them."""
    results = made_up_run(("p", "q", "r"), (0, 0, 0), boards=300)
    (one,) = Results(results.plan, results.manifest, results.summaries[:1]).summaries
    alone, twice = shares_of([one]), shares_of([one, one])
    for part in PARTS:
        assert twice.parts[part] == pytest.approx(alone.parts[part]) or (
            twice.parts[part].half_width == pytest.approx(alone.parts[part].half_width)
        )


def test_boards_to_lead__skewed_boards__lead_as_often_as_is_said():
    """Margins of boards with mean 3 and deviation 30: 271 boards, and 16 % behind after 100."""
    assert boards_to_lead(0.1) == 271
    assert chance_behind(0.1, 100) == pytest.approx(0.158655, abs=1e-6)
    rng = np.random.default_rng(8)
    boards = 15 * rng.gamma(4, 1, (20_000, 271)) - 60 + 3
    assert (boards.sum(axis=1) > 0).mean() == pytest.approx(0.95, abs=0.01)
    assert (boards[:, :100].sum(axis=1) < 0).mean() == pytest.approx(0.1587, abs=0.02)


@pytest.mark.parametrize(
    ("effect", "boards"), [(5.0, 1), (1.0, 3), (0.0, math.inf), (-1, math.inf)]
)
def test_boards_to_lead__odd_effects(effect, boards):
    assert boards_to_lead(effect) == boards


def test_lead__interval_that_holds_zero__has_no_end():
    margins = boards_of(np.random.default_rng(9), 400, 1, 0, 0, 100)
    luck = pairing_luck("a", "b", summary_of(margins))
    assert luck.margin.low < 0 < luck.margin.high
    assert luck.lead.low < luck.lead.estimate < luck.lead.high == math.inf
    found = luck.to_json()
    assert found["lead_boards"]["high"] is None
    assert not found["told_apart"]
    assert found["worse_leads"]["100"]["low"] < 0.5 < found["worse_leads"]["100"]["high"]
    assert any("it is not sure that" in remark for remark in remarks(luck))


def test_lead__of_a_known_effect__is_in_its_interval():
    """Mean 25, deviation of a board's mean margin 50: (1.645 x 2)^2, rounded up."""
    margins = boards_of(np.random.default_rng(10), 4000, 25, 0, 0, 50 * math.sqrt(2))
    luck = pairing_luck("a", "b", summary_of(margins))
    assert luck.lead.low <= 11 <= luck.lead.high
    chance = luck.behind[10]
    assert chance.low <= 0.5 * math.erfc(math.sqrt(10) * 0.5 / math.sqrt(2)) <= chance.high


def test_upsets__counted_by_hand__draws_apart():
    """Boards for a: two won, one lost and drawn, one split, one of two draws."""
    margins = [[90, 80], [70, 60], [-10, 0], [40, -20], [0, 0]]
    for sign, better in ((1, "a"), (-1, "b")):
        luck = pairing_luck("a", "b", summary_of(sign * np.array(margins)))
        assert (luck.better, luck.worse) == (better, "ab".replace(better, ""))
        upsets = luck.upsets
        assert upsets.match_lost.estimate == pytest.approx(2 / 10)
        assert upsets.match_level.estimate == pytest.approx(3 / 10)
        assert upsets.board_lost.estimate == pytest.approx(1 / 5)
        assert upsets.board_level.estimate == pytest.approx(2 / 5)


def test_pairing__of_one_board__says_that_it_is_too_few():
    luck = pairing_luck("a", "b", summary_of(np.array([[30, 10]])))
    assert luck.shares.parts == {}
    assert luck.lead is None
    assert remarks(luck) == ["a against b: there is nothing to share out: one board is too few"]
    json.dumps(luck.to_json(), allow_nan=False)


def test_pairing__always_the_same_margin__leads_after_one_board():
    luck = pairing_luck("a", "b", summary_of(np.full((10, 2), -7)))
    assert luck.shares.parts["skill"].estimate == pytest.approx(1)
    assert (luck.better, luck.lead, luck.is_told_apart) == ("b", None, True)
    assert remarks(luck) == ["a against b: the margin of a board does not vary: b leads after one"]


def test_pairing__all_level__has_nothing_to_share_out():
    luck = pairing_luck("a", "b", summary_of(np.zeros((10, 2))))
    assert remarks(luck)[0].endswith("there is nothing to share out: all matches end level")
    json.dumps(luck.to_json(), allow_nan=False)


def test_command__of_a_run__says_what_the_functions_say(tmp_path):
    place = str(tmp_path / "run")
    run("tournament", "random", "greedy", "hunter", "--matches", "64", "-o", place)
    found = run_json("luck", place)
    assert found == json.loads(json.dumps(luck_json(load_results(place))))
    assert [(p["a"], p["better"]) for p in found["pairings"]][-1] == ("greedy", "hunter")
    text = run("luck", place)
    skill = found["pairings"][0]["shares"]["skill"]["estimate"]
    assert f"{100 * skill:.1f} ±" in text
    assert "the field" in text


def test_command__what_is_no_run__is_told_what_would_be(tmp_path):
    assert "strategies to play are two or more" in fails("luck", str(tmp_path / "none"))
    assert "greedy holds no run" in fails("luck", "greedy")
    place = str(tmp_path / "run")
    play(place, "random", "greedy", boards=2)
    for option in (["--boards", "200"], ["--seed", "2"], ["--rule", "jokers=0"]):
        assert "is a run that was played" in fails("luck", place, *option)
    assert "was not finished" in fails("luck", place)
