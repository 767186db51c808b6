"""The luck of draws: zero in the mean, exactly and in play, and worked out by hand."""

import numpy as np
import pytest
from position import Position, ids
from small_runs import write_strategy

from persian_rummy.sim import chance
from persian_rummy.sim.chance import FEATURES, add_luck, card_worth, play_with_luck
from persian_rummy.sim.deal import apply_action, start_deal
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.melds import KIND_SHIFT, STOCK
from persian_rummy.sim.rules import PRESETS, Rules
from persian_rummy.sim.seeds import deck_key, shuffle
from persian_rummy.sim.state import PLAYING, new_state
from persian_rummy.sim.transcript import empty_log
from persian_rummy.strategies.registry import parse_entry

HOUSES = {
    "persian": Rules(),
    "no jokers": Rules(jokers=0),
    "free top": Rules(top_card="free"),
    "rummy500": PRESETS["rummy500"],
}


def players(a: str, b: str) -> list:
    return [parse_entry(a).player(), parse_entry(b).player()] * 2


def worth_of(position: Position, card: str) -> dict[str, float]:
    worth = np.full(len(FEATURES), np.nan)
    card_worth(position.table, position.hidden, ids(card)[0], worth)
    return dict(zip(FEATURES, worth.tolist(), strict=True))


def test_card_worth__a_position_worked_out_by_hand():
    """A swing of 25 + 5 + 20 - 10 = 40; three cards in the stock, so that 24 of 27 are gone."""
    hands = ("7C7D9H", "2C3C", "KS", "KDQD")
    position = Position(hands, pile="KH7S", stock="7H8HKC")
    nothing = dict.fromkeys(FEATURES, 0.0)
    gone = 24 / 27
    assert worth_of(position, "7H") == pytest.approx(
        {**nothing, "nearly_out": 40, "laid": 21, "idle": -2, "late": 7 * gone}
        | {"thrown": 7, "takeable": 7}
    )
    assert worth_of(position, "8H") == pytest.approx(
        {**nothing, "idle": 1, "late": 8 * gone, "beside": 8}
    )
    assert worth_of(position, "KC") == pytest.approx(
        {**nothing, "idle": 1, "late": 10 * gone, "thrown": 10, "kept_from": 10}
    )


def test_card_worth__going_out_and_pairs():
    position = Position(("7C7D", "7S", "", "7H3C"), stock="*C5D", sets="5C5H5S")
    assert worth_of(position, "5D")["nearly_out"] == 0  # two sevens are idle
    one = Position(("9C", "9S", "", "9H3C"), stock="9D5D", sets="5C5H5S")
    assert worth_of(one, "9D") == pytest.approx(
        dict.fromkeys(FEATURES, 0.0) | {"idle": 1, "late": 9 * 25 / 27, "pair": 9, "kept_from": 18}
    )
    nobody = Position(("", "9S", "2C", "9H3C"), stock="5D6D", sets="5C5H5S")
    assert worth_of(nobody, "5D")["out"] == 25 + 9 + 12 - 2
    assert worth_of(nobody, "6D")["out"] == 0


@pytest.mark.parametrize("house", HOUSES)
def test_add_luck__every_card_that_might_come__sums_to_zero(house):
    """Whichever card of the stock lies on top, in every position; its order is not looked at."""
    rules, found = HOUSES[house], np.zeros(len(FEATURES))
    log = empty_log(rules)
    play_boards(rules, players("hunter", "greedy"), 3, 0, 1, (0,), log=log)
    deck = np.zeros(rules.pack_size, np.uint8)
    shuffle(deck, rules.pack_size, deck_key(np.uint64(3), 0, 0))
    table, hidden = (array[0] for array in new_state(rules))
    start_deal(table, hidden, deck, 0)
    worth = np.zeros(len(FEATURES))
    for action in log:
        if table["status"] != PLAYING:
            break
        if int(action >> KIND_SHIFT) == STOCK:
            first, kept = int(hidden["next_card"]), hidden["deck"].copy()
            total = np.zeros(len(FEATURES))
            for place in range(first, rules.pack_size):
                stock = kept[first : rules.pack_size]
                top = place - first
                luck, again = np.zeros((2, len(FEATURES)))
                hidden["deck"][first : rules.pack_size] = np.roll(stock, -top)
                add_luck(table, hidden, 1.0, worth, luck)
                rest = np.delete(stock, top)[::-1]
                hidden["deck"][first : rules.pack_size] = np.r_[stock[top], rest]
                add_luck(table, hidden, -1.0, worth, again)
                assert luck == pytest.approx(-again, abs=1e-9)
                total += luck
                found += abs(luck)
            hidden["deck"] = kept
            assert total == pytest.approx(0, abs=1e-9)
        apply_action(table, hidden, action)
    assert table["status"] != PLAYING
    assert (found > 0).sum() >= 8  # so that the zeros above say something


@pytest.mark.parametrize("house", HOUSES)
def test_luck__of_many_boards__is_zero_in_the_mean(house):
    """Each rotation by itself, by Hotelling's T^2: beyond 35 once in ten thousand seeds."""
    luck = play_with_luck(HOUSES[house], players("hunter", "greedy"), 5, 1200)
    for rotation in (0, 1):
        draws = luck.draws[:, rotation]
        used = draws[:, draws.std(axis=0) > 0]
        assert used.shape[1] >= 9
        mean, covariance = used.mean(axis=0), np.cov(used.T) / len(used)
        assert mean @ np.linalg.solve(covariance, mean) < 36
        assert (abs(mean) < 4 * np.sqrt(np.diag(covariance))).all()


def test_luck__of_a_strategy_and_its_twin__comes_back_with_the_other_sign():
    luck = play_with_luck(Rules(), players("hunter", "twin=hunter"), 1, 40)
    assert luck.draws[:, 0] == pytest.approx(-luck.draws[:, 1])
    assert (luck.draws.std(axis=(0, 1)) > 0).all()


def test_play_with_luck__by_few_or_many_boards_at_once__is_the_same(monkeypatch):
    rules, seats = Rules(deals=3), players("hunter", "random")
    whole = play_with_luck(rules, seats, 9, 20)
    monkeypatch.setattr(chance, "LOGGED_DEALS", 7)
    parts = play_with_luck(rules, seats, 9, 20)
    assert (whole.draws == parts.draws).all()
    plain = play_boards(rules, seats, 9, 0, 20)
    for name in ("rows", "sides", "deals"):
        assert (getattr(parts.block, name) == getattr(plain, name)).all()
    assert parts.play_seconds > 0
    assert parts.draws_seconds > 0


def test_play_with_luck__a_strategy_fails__says_so(tmp_path):
    bad = write_strategy(tmp_path, "Bad", discard="return -1")
    failure = play_with_luck(Rules(), players("greedy", bad), 1, 200).block.failure
    assert failure is not None
    assert failure.player in (1, 3)
