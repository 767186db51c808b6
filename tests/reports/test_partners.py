"""Partnerships and seats: made-up fields with known strengths, and the rows of a real run."""

import json

import numpy as np
import pandas as pd
import pytest
from command import fails, run_json
from command import run as command
from made_up_run import made_up_run
from small_runs import read_rows
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports.partners import partnerships
from persian_rummy.reports.ratings import RatingsError, points_ratings
from persian_rummy.reports.results import Results, load_results
from persian_rummy.reports.seats import first_dealers, order_effects, seat_effects
from persian_rummy.reports.stats import difference_interval, interval_of, lean_of, mean_interval
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.schedule import Plan
from persian_rummy.sim.summary import GROUP_COLUMNS, PairingSummary

COLUMNS = list(GROUP_COLUMNS)
OWN = (40.0, 10.0, -20.0, -30.0)
SYNERGY = {(0, 1): 6.0, (0, 2): -4.0, (0, 3): 8.0, (1, 2): 0.0, (1, 3): 2.0, (2, 3): -10.0}


def run_of(n: int, **values: np.ndarray) -> Results:
    """Return a run of all teams of n strategies, one board a group, with these columns by team.

    A value of (teams, groups) says what each team brings; the column is the difference of two.
    """
    plan = Plan(tuple("abcdefgh"[:n]), Rules(), 1, 64, "partners")
    summaries = []
    for met in plan.pairings():
        summary = PairingSummary()
        put = {"boards": 1, "matches": 2}
        put |= {name: brings[met.a] - brings[met.b] for name, brings in values.items()}
        for name, column in put.items():
            summary.groups[:64, COLUMNS.index(name)] = column
        summaries.append(summary)
    return Results(plan, made_up_run().manifest, summaries)


def worth(n: int) -> np.ndarray:
    """Return what each team of n strategies is worth, by `OWN` and `SYNERGY`."""
    teams = Plan(tuple("abcd"[:n]), Rules(), 1, 1, "partners").teams
    return np.array([OWN[p] + OWN[q] + SYNERGY.get((p, q), 0.0) for p, q in teams])


def test_partnerships__field_with_known_strengths__are_recovered():
    noise = np.random.default_rng(1).integers(-9, 10, (10, 64))
    noise -= noise.mean(axis=1).astype(int)[:, None]
    brings = np.round(1000 * worth(4))[:, None] * 2 + noise
    found = partnerships(run_of(4, margin=brings))
    assert found.names == ("a", "b", "c", "d")
    own = [interval.estimate / 1000 for interval in found.own]
    assert own == pytest.approx(np.array(OWN) - np.mean(OWN), abs=0.01)
    for pair, wanted in SYNERGY.items():
        assert found.synergy[pair].estimate / 1000 == pytest.approx(wanted, abs=0.01)
    for k in range(4):
        mean = np.mean([s for pair, s in SYNERGY.items() if k in pair])
        assert found.as_partner[k].estimate / 1000 == pytest.approx(own[k] + mean, abs=0.02)
    assert found.unexplained < 1e-4


def test_partnerships__of_two__synergy_has_the_error_of_its_contrast():
    """With two strategies: what the mixed team scores against both pure ones, halved twice."""
    rng = np.random.default_rng(2)
    run = run_of(2, margin=rng.integers(-90, 90, (3, 64)))
    ratings = points_ratings(run)
    synergy = partnerships(run).synergy[0, 1]
    weights = np.array([-0.5, 1.0, -0.5])
    assert synergy.estimate == pytest.approx(weights @ ratings.values)
    error = np.sqrt(weights @ ratings.covariance @ weights)
    wanted = interval_of(synergy.estimate, error, 64, lean_of(weights @ ratings.parts))
    assert (synergy.low, synergy.high) == pytest.approx((wanted.low, wanted.high))
    assert synergy.half_width == pytest.approx(1.998 * error, rel=0.02)  # Student, 63 degrees


def test_synergy__simulated_boards_that_all_share__cover_the_truth():
    """The interval holds the truth in 92 to 98 of a hundred of 300 runs (3 standard errors)."""
    rng = np.random.default_rng(5)
    true = worth(3)
    held = []
    for _ in range(300):
        luck = rng.gamma(2, 30, (6, 64)) - 60  # skewed, its own of every team, the same for all
        found = partnerships(run_of(3, margin=np.round(2 * (true[:, None] + luck)).astype(int)))
        held += [
            found.synergy[pair].low <= SYNERGY[pair] <= found.synergy[pair].high
            for pair in found.synergy
        ]
    assert 0.92 <= np.mean(held) <= 0.98


def test_drawn__of_fewer_than_four__is_unknown():
    rng = np.random.default_rng(3)
    assert partnerships(run_of(3, margin=rng.integers(-9, 9, (6, 64)))).drawn_margin is None


def test_partnerships__another_format__is_refused():
    with pytest.raises(RatingsError, match="--format partners"):
        partnerships(made_up_run())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, pd.DataFrame, str]:
    """Return a real run of all teams of four strategies: results, rows, place."""
    folder = tmp_path_factory.mktemp("teams") / "run"
    field = ("greedy", "random", "miser", "hunter", "--format", "partners")
    command("tournament", *field, "--matches", "40", "--out", str(folder))
    rows = read_rows(folder).astype(dict.fromkeys(("score_a", "score_b", "dealer"), "int64"))
    rows["margin"] = rows["score_a"] - rows["score_b"]
    return load_results(folder), rows, str(folder)


def by_board(rows: pd.DataFrame, values: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return sums and counts of some values of rows, by board."""
    grouped = values.groupby(rows["board"])
    return grouped.sum().to_numpy(), grouped.count().to_numpy()


def test_drawn__real_run__is_the_mean_over_tables_of_four(run):
    results, rows, _ = run
    found = partnerships(results)
    players = rows["a"].str.split(" & ").tolist(), rows["b"].str.split(" & ").tolist()
    four = np.array([len({*a, *b}) == 4 for a, b in zip(*players, strict=True)])
    for k, name in enumerate(found.names):
        side = np.array([1 if name in a else -1 for a in players[0]])
        mine = rows[four]
        wanted = mean_interval(*by_board(mine, mine["margin"] * side[four]))
        assert found.drawn_margin[k].estimate == pytest.approx(wanted.estimate)
        assert found.drawn_margin[k].low == pytest.approx(wanted.low)
        won = (np.sign(mine["margin"] * side[four]) + 1).mean() / 2
        assert found.drawn_share[k].estimate == pytest.approx(won)


def test_seat_effects__real_run__are_those_of_its_rows(run):
    results, rows, _ = run
    found = seat_effects(results)
    a_deals = (rows["dealer"] + rows["rotation"]) % 2 == 0
    of_dealer = rows["margin"].where(a_deals, -rows["margin"])
    wanted = mean_interval(*by_board(rows, of_dealer))
    assert found["first_dealer_margin"].estimate == pytest.approx(wanted.estimate)
    assert found["first_dealer_margin"].high == pytest.approx(wanted.high)
    share = (np.sign(of_dealer) + 1).mean() / 2
    assert found["first_dealer_share"].estimate == pytest.approx(share)
    first = (rows["deal_score_a_1"] - rows["deal_score_b_1"]) * np.where(a_deals, 1, -1)
    second = (rows["deal_score_a_2"] - rows["deal_score_b_2"]) * np.where(a_deals, -1, 1)
    dealing = pd.concat([first, second]).mean()
    assert found["dealer_margin"].estimate == pytest.approx(dealing)
    mixed = [rows[side].map(lambda name: len(set(name.split(" & "))) == 2) for side in "ab"]
    one_order = rows[~(mixed[0] & mixed[1])]
    seats_02 = one_order["margin"].where(one_order["rotation"] == 0, -one_order["margin"])
    assert found["seat_margin"].estimate == pytest.approx(seats_02.mean())


def test_first_dealers_and_orders__real_run__are_those_of_its_rows(run):
    results, rows, _ = run
    team = "greedy & hunter"
    parts = {0: [], 1: []}
    for side in "ab":
        mine = rows[rows[side] == team]
        player = (mine["dealer"] ^ mine["rotation"]).to_numpy()  # who deals, by seat in rotation 0
        margin = mine["margin"] if side == "a" else -mine["margin"]
        for who in (0, 1):
            parts[who].append(margin[player == (0 if side == "a" else 1) + 2 * who])
    together = [pd.concat(parts[who]) for who in (0, 1)]
    boards = [by_board(rows.loc[values.index], values) for values in together]
    wanted = difference_interval(*boards[0], *boards[1])
    found = first_dealers(results)[team]
    assert found.estimate == pytest.approx(together[0].mean() - together[1].mean())
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))

    other = "random & miser"
    orders = order_effects(results)
    assert len(orders) == 15  # pairs of the six mixed teams
    met = rows[(rows["a"] == team) & (rows["b"] == other)]
    gap = met[met["rotation"] == 0]["margin"].mean() - met[met["rotation"] == 1]["margin"].mean()
    assert orders[team, other].estimate == pytest.approx(gap)


def test_difference_interval__two_samples__is_welchs():
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(4)
    x, y = rng.normal(3, 1, 12), rng.normal(1, 5, 30)
    wanted = ttest_ind(x, y, equal_var=False).confidence_interval()
    found = difference_interval(x, np.ones(12), y, np.ones(30))
    assert found.estimate == pytest.approx(x.mean() - y.mean())
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


def test_command__terminal_and_json__say_the_same(run):
    results, _, place = run
    found = run_json("partners", place)
    wanted = partnerships(results)
    best = max(range(4), key=lambda k: wanted.own[k].estimate)
    assert found["strategies"][0]["strategy"] == wanted.names[best]
    assert found["strategies"][0]["own"] == wanted.own[best].to_json()
    told = CliRunner().invoke(app, ["partners", place], env={"COLUMNS": "200"}).output
    for row in found["strategies"]:
        half = (row["as_partner"]["high"] - row["as_partner"]["low"]) / 2
        assert f"{row['as_partner']['estimate']:.1f} ± {half:.1f}" in told
    assert "NaN" not in json.dumps(found)


def test_command__a_run_without_mixed_teams__says_what_to_play(tmp_path):
    place = str(tmp_path / "run")
    command("tournament", "greedy", "random", "--matches", "4", "--out", place)
    assert "--format partners" in fails("partners", place)
