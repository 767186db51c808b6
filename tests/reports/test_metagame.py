"""The meta-game: payoffs by hand, cycles, what luck makes, resampling, fields that are no game."""

import io
import json
import math
from itertools import combinations

import numpy as np
import pytest
from made_up_run import field_of, made_up_run
from rich.console import Console
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports.metagame import MetagameError, metagame
from persian_rummy.reports.ratings import RatingsError
from persian_rummy.reports.results import Results
from persian_rummy.reports.tables import pairing_margin, pairing_share
from persian_rummy.reports.terminal import print_metagame

PAIRS = [(0, 1), (0, 2), (1, 2)]
CIRCLE = {(0, 1): [6, 6, 6, 6], (0, 2): [2, 2, 2, 2], (1, 2): [6, 6, 6, 6]}
"""Of 8 matches a group: each of three wins three quarters against the next."""


def noisy(leads: np.ndarray, seed: int, groups: int = 64, matches: int = 100) -> Results:
    """Return a run of shares 1/2 + leads[i, j], with luck."""
    rng = np.random.default_rng(seed)
    pairs = combinations(range(len(leads)), 2)
    wins = {(i, j): rng.binomial(matches, 0.5 + leads[i, j], groups) for i, j in pairs}
    return field_of(len(leads), wins, matches=matches)


def additive(*worth: float) -> np.ndarray:
    return np.subtract.outer(worth, worth)


def printed(game) -> str:
    console = Console(width=250, file=io.StringIO())
    print_metagame(game, console)
    return console.file.getvalue()


def test_payoffs__are_shares_less_a_half_both_ways():
    game = metagame(field_of(3, CIRCLE, matches=8), samples=0)
    wanted = [[0, 0.25, -0.25], [-0.25, 0, 0.25], [0.25, -0.25, 0]]
    assert game.payoffs == pytest.approx(np.array(wanted))
    drawn = field_of(2, {(0, 1): [6]}, matches=8)
    drawn.summaries[0].groups[0, :5] = [4, 8, 4, 3, 1]  # boards, matches, wins, draws, losses
    assert metagame(drawn, samples=0).payoffs[0, 1] == pytest.approx(5.5 / 8 - 0.5)


def test_circle_of_three__everything_is_uniform_and_all_of_it_cyclic():
    game = metagame(field_of(3, CIRCLE, matches=8), samples=0)
    for shares in (game.nash.mixture, game.alpha_ranks, game.course.averages[-1]):
        assert shares == pytest.approx(np.full(3, 1 / 3))
    assert game.cyclic_share == pytest.approx(1)
    assert game.cyclic_by_luck == pytest.approx(0)
    (cycle,) = game.cycles
    assert cycle.names == ("a", "b", "c")
    assert [lead.estimate for lead in cycle.leads] == [0.25, 0.25, 0.25]


def test_circle_of_three__the_other_way_round__is_told_in_its_order():
    wins = {pair: [8 - won for won in by_group] for pair, by_group in CIRCLE.items()}
    (cycle,) = metagame(field_of(3, wins, matches=8), samples=0).cycles
    assert cycle.names == ("a", "c", "b")


def test_cycles__leads_are_those_of_the_pairings_and_doubt_is_shown():
    leads = np.array([[0, 0.1, -0.1], [0, 0, 0.004], [0, 0, 0]])
    run = noisy(leads, 3)
    (cycle,) = metagame(run, samples=0).cycles
    shares = [pairing_share(summary) for summary in run.summaries]
    assert cycle.leads[0].low == pytest.approx(shares[0].low - 0.5)
    assert cycle.leads[1].high == pytest.approx(shares[2].high - 0.5)
    assert cycle.leads[2].low == pytest.approx(0.5 - shares[1].high)
    assert cycle.told_apart == (True, False, True)
    text = printed(metagame(run, samples=0))
    assert "Cycles of three: 1, in 0 all three leads are told apart" in text
    assert f"b > ({100 * cycle.leads[1].estimate:+.2f}?) c" in text


def test_cycles__of_seven_each_beating_the_next_three__are_all_told_the_largest_first():
    """By 0.1, 0.2 and 0.3. Steps of a cycle add up to 7: 1 + 3 + 3 and 2 + 2 + 3."""
    n = 7
    leads = np.zeros((n, n))
    for i in range(n):
        for step, lead in ((1, 0.1), (2, 0.2), (3, 0.3)):
            leads[i, (i + step) % n], leads[(i + step) % n, i] = lead, -lead
    wins = {(i, j): [round(50 + 100 * leads[i, j])] * 2 for i, j in combinations(range(n), 2)}
    game = metagame(field_of(n, wins, matches=100), samples=0)
    assert len(game.cycles) == 14
    least = [min(lead.estimate for lead in cycle.leads) for cycle in game.cycles]
    assert least == pytest.approx([0.2] * 7 + [0.1] * 7)
    assert game.nash.mixture == pytest.approx(np.full(n, 1 / n))


def test_additive_field__has_no_cyclic_share_and_no_cycles():
    leads = additive(0.1, 0.05, 0, -0.15)
    wins = {(i, j): [50 + 100 * leads[i, j]] * 4 for i, j in combinations(range(4), 2)}
    game = metagame(field_of(4, wins, matches=100), samples=0)
    assert game.cyclic_share == pytest.approx(0, abs=1e-20)
    assert game.cycles == ()
    assert list(game.nash.mixture) == [1, 0, 0, 0]
    assert game.nash.ratings == pytest.approx([0, -0.05, -0.1, -0.25])
    assert "There is no cycle of three" in printed(game)


def test_cyclic_by_luck__is_what_an_additive_field_shows_on_average():
    leads = additive(0.03, 0.01, 0, -0.01, -0.03)
    games = [metagame(noisy(leads, seed), samples=0) for seed in range(30)]
    found = np.mean([game.cyclic_share for game in games])
    expected = np.mean([game.cyclic_by_luck for game in games])
    assert 0.02 < expected < 0.2
    assert found == pytest.approx(expected, rel=0.25)


def test_rating_intervals__beside_a_champion__are_those_of_the_shares_against_it():
    run = noisy(additive(0.3, 0.1, 0), 5, groups=256)
    game = metagame(run, samples=4000)
    assert game.in_support(0) == 1
    for entry, summary in ((1, run.summaries[0]), (2, run.summaries[1])):
        share, rating = pairing_share(summary), game.nash_rating(entry)
        assert rating.estimate == pytest.approx(0.5 - share.estimate)
        assert rating.low == pytest.approx(0.5 - share.high, abs=0.06 * 2 * share.half_width)
        assert rating.high == pytest.approx(0.5 - share.low, abs=0.06 * 2 * share.half_width)
    assert game.nash_mass(0).to_json() == {"estimate": 1, "low": 1, "high": 1, "level": 0.95}


def test_support__of_two__is_the_chance_that_the_lead_is_above_zero():
    run = noisy(additive(0.002, 0), 9, groups=256)
    share = pairing_share(run.summaries[0])
    error = share.half_width / 1.97
    chance = 0.5 * math.erfc((0.5 - share.estimate) / error / math.sqrt(2))
    game = metagame(run, samples=4000)
    assert 0.6 < chance < 0.99
    assert game.in_support(0) == pytest.approx(chance, abs=0.02)
    assert game.in_support(0) + game.in_support(1) == pytest.approx(1)


def test_draws__all_pairings_share_the_weights_of_the_boards():
    """b and c did the same on each board but for a lead: their ratings move together."""
    rng = np.random.default_rng(6)
    won = rng.binomial(100, 0.8, 64)
    wins = {(0, 1): won, (0, 2): won - 10, (1, 2): [50] * 64}
    game = metagame(field_of(3, wins, matches=100), samples=50)
    ratings = game.draws.ratings
    assert np.ptp(ratings[:, 1]) > 0.01
    assert ratings[:, 2] - ratings[:, 1] == pytest.approx(np.full(50, 0.1))


def test_same_run__same_draws_and_in_any_order_of_entry():
    leads = np.array([[0, 0.02, -0.03, 0.1], [0, 0, 0.02, 0.1], [0, 0, 0, 0.1], [0] * 4])
    run = noisy(leads, 8)
    one, again = metagame(run, samples=100), metagame(run, samples=100)
    assert one.to_json() == again.to_json()
    turned = {}
    for (i, j), summary in zip(combinations(range(4), 2), run.summaries, strict=True):
        turned[3 - j, 3 - i] = summary.column("losses")[:64]
    other = metagame(field_of(4, turned, matches=100), samples=100)
    for entry in range(4):
        for value in ("nash_mass", "nash_rating", "alpha_rank"):
            mine, theirs = getattr(one, value)(entry), getattr(other, value)(3 - entry)
            assert mine.estimate == pytest.approx(theirs.estimate, abs=1e-9)
            assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_margins__are_a_game_in_points():
    margins = {(0, 1): [80] * 4, (0, 2): [-160] * 4, (1, 2): [40] * 4}
    run = field_of(3, {pair: [4] * 4 for pair in PAIRS}, margins, matches=8)
    game = metagame(run, of="margin", samples=0)
    assert list(game.payoffs[0]) == [0, 10, -20]
    assert game.nash.mixture == pytest.approx(np.array([5, 20, 10]) / 35)
    assert game.cycles[0].leads[0] == pairing_margin(run.summaries[0])
    assert "+10.0" in printed(game)
    assert metagame(run, samples=0).cyclic_share is None


@pytest.mark.parametrize(("groups", "samples"), [(1, 100), (4, 0)])
def test_one_group_of_boards_or_no_samples__no_intervals_and_says_so(groups, samples):
    run = field_of(3, {pair: won[:groups] for pair, won in CIRCLE.items()}, matches=8)
    game = metagame(run, samples=samples)
    assert game.draws is None
    found = json.loads(json.dumps(game.to_json(), allow_nan=False))
    assert found["samples"] == 0
    assert found["strategies"][0]["in_support"] is None
    assert found["strategies"][0]["nash_mass"]["low"] is None
    assert "no intervals" in printed(game)


def test_all_level__is_said():
    game = metagame(field_of(3, {pair: [4, 4] for pair in PAIRS}, matches=8))
    assert game.nash.mixture == pytest.approx(np.full(3, 1 / 3))
    assert (game.cyclic_share, game.cyclic_by_luck) == (None, None)
    assert "Everybody is level with everybody" in printed(game)


def test_gauntlet__is_refused_by_who_never_met():
    run = made_up_run(("top", "one", "two", "three"), (9, 0, 0, 0), form="gauntlet")
    with pytest.raises(MetagameError, match="never met: one and two; one and three; two and three"):
        metagame(run)


def test_gauntlet__of_many__names_five_and_counts_the_rest():
    run = made_up_run("abcdefg", range(7), form="gauntlet")
    with pytest.raises(
        MetagameError, match=r"b and c; b and d; b and e; b and f; b and g; and 10 more$"
    ):
        metagame(run)


def test_who_failed__is_left_out():
    run = made_up_run(("good", "bad", "ugly"), (9, 0, 0), failed=("bad",))
    assert metagame(run, samples=5).names == ("good", "ugly")
    with pytest.raises(RatingsError, match="no pairing counts"):
        metagame(made_up_run(("good", "bad"), (9, 0), failed=("bad",)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"of": "wins"}, "win_share and margin"),
        ({"samples": -1}, "-1 samples"),
        ({"alpha": 0.0}, "alpha 0"),
        ({"alpha": math.nan}, "alpha nan"),
        ({"alpha": math.inf}, "alpha inf"),
    ],
)
def test_options__that_make_no_sense__are_refused(options, message):
    with pytest.raises(MetagameError, match=message):
        metagame(field_of(3, CIRCLE, matches=8), **options)


def test_command__is_the_game_of_a_run(tmp_path):
    place = str(tmp_path / "run")
    tournament = ["tournament", "greedy", "random", "hunter", "--matches", "80", "-o", place]
    CliRunner().invoke(app, tournament)
    found = json.loads(CliRunner().invoke(app, ["metagame", place, "--json"]).stdout)
    assert [row["strategy"] for row in found["strategies"]] == ["hunter", "greedy", "random"]
    assert found["strategies"][0]["nash_mass"]["estimate"] == 1
    assert found["strategies"][2]["alpha_rank"]["estimate"] == 0
    assert (found["samples"], found["alpha"], found["of"]) == (1000, None, "win_share")
    assert found["payoffs"][0][1] == -found["payoffs"][1][0] > 0
    soft = CliRunner().invoke(app, ["metagame", place, "--alpha", "0.1", "--json"])
    assert json.loads(soft.stdout)["strategies"][2]["alpha_rank"]["estimate"] > 0.01
    text = CliRunner().invoke(app, ["metagame", place, "--samples", "10"]).stdout
    assert "95 % of 10 draws" in text
    refused = CliRunner().invoke(app, ["metagame", place, "--alpha", "-1"])
    assert refused.exit_code == 2
    assert "alpha -1: give a number above 0" in refused.stderr
