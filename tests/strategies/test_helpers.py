"""Helpers for authors, by hand and compared with slow and obvious twins.

What can be laid is found in two ways: by playing every sequence of legal plays (`ways_to_lay`), and
for hands too big for that by an integer program over all melds and lay-offs (`most_laid`).
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, islice, permutations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from position import Position, ids
from scipy.optimize import Bounds, LinearConstraint, milp

from persian_rummy.sim.cards import RANKS, TEXTS, cards_of, mask_of, mask_text, pack, parse_card
from persian_rummy.sim.deal import (
    MAX_ACTIONS,
    apply_action,
    hand_of,
    legal_actions,
    start_deal,
    top_is_free,
)
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.melds import (
    CARDS_MASK,
    MAX_PLAYS,
    four_bonus,
    legal_plays,
    playable_cards,
    points_of,
)
from persian_rummy.sim.notation import action_text, parse_action
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.state import new_state
from persian_rummy.strategies import helpers, toolkit
from persian_rummy.strategies.registry import parse_entry

NONE = np.uint64(0)
STRANGE = {rank: 7 * at % 12 for at, rank in enumerate(RANKS)}  # some 0, not rising
HOUSES: list[dict[str, Any]] = [
    {},
    {"min_run": 4, "points": "fives"},
    {"min_run": 5, "bound_in": "new_meld"},
    {"four_multiplier": 1, "bound_in": "new_meld"},
    {"four_multiplier": 3, "double_jokers": False, "top_card": "free"},
    {"min_run": 4, "jokers": 0, "bound_in": "new_meld", "last_discard": "forbidden"},
    {"points": STRANGE, "four_multiplier": 1},
    {"points": STRANGE, "four_multiplier": 3, "min_run": 5},
    {"four_multiplier": 0},  # no house rule has it; the helpers do not mind
    {"four_multiplier": 0, "points": STRANGE, "double_jokers": False, "min_run": 4},
]
houses = st.integers(0, len(HOUSES) - 1)
KINDS = "STP=-DK"
TENDENCIES = {"even": {}, "melds": {"=": 50, "-": 50}, "hoards": {"T": 50, "=": 0.05, "-": 0.05}}


@cache
def record(house: int) -> np.ndarray:
    """Return an array of one record of the rules."""
    values = dict(HOUSES[house])
    multiplier = values.pop("four_multiplier", 2)
    made = Rules(**values, four_multiplier=max(1, multiplier)).record()
    made["four_multiplier"] = multiplier
    return made


def mask(text: str) -> np.uint64:
    """Return the mask of cards written one after another."""
    return np.uint64(mask_of(ids(text)))


def dense(least: int, most: int, ranks: int) -> st.SearchStrategy[np.uint64]:
    """Return hands out of few neighbouring ranks, where sets and runs want the same cards."""
    return st.integers(0, 14 - ranks).flatmap(
        lambda low: st.lists(
            st.integers(4 * low, 4 * (low + ranks) - 1), min_size=least, max_size=most, unique=True
        ).map(lambda cards: np.uint64(mask_of(cards)))
    )


small_hands = st.one_of(dense(5, 11, 4), dense(6, 13, 6), dense(0, 14, 14))
big_hands = st.one_of(dense(14, 28, 9), dense(20, 40, 14))


def ways_to_lay(
    hand: Any, sets: Any, runs: Any, rules: Any, must: Any = NONE
) -> dict[tuple[int, int], int]:
    """Return the most points with which each (cards in sets, cards in runs) can be laid.

    All sequences of legal plays are tried. With `must` the first play holds that card.
    """
    found, todo = {(0, 0): 0}, [(0, 0)]
    buffer = np.zeros(MAX_PLAYS, np.uint64)
    while todo:
        state = min(todo, key=lambda laid: sum(laid).bit_count())  # all ways to it are known
        todo.remove(state)
        down = [np.uint64(laid) for laid in state]
        bound = must if state == (0, 0) else NONE
        left = hand & ~(down[0] | down[1])
        n = legal_plays(left, bound, sets | down[0], runs | down[1], rules, buffer)
        for play in buffer[:n].copy():
            cards, in_set = int(play & CARDS_MASK), action_text(play)[0] == "="
            new = (state[0] | cards, state[1]) if in_set else (state[0], state[1] | cards)
            points = found[state] + points_of(np.uint64(cards), rules) + four_bonus(play, rules)
            if new not in found:
                todo.append(new)
            found[new] = max(found.get(new, 0), points)
    if must != NONE:
        del found[0, 0]
    return found


def best_ways(ways: dict[tuple[int, int], int]) -> tuple[int, int, set[int]]:
    """Return (points, cards, every mask of cards laid) of the ways with most points, then cards."""
    points = max(ways.values())
    laid = {sum(way) for way, worth in ways.items() if worth == points}
    cards = max(some.bit_count() for some in laid)
    return points, cards, {some for some in laid if some.bit_count() == cards}


def pieces(hand: set[int], sets: set[int], runs: set[int], min_run: int) -> list[tuple[int, ...]]:
    """Return all melds and whole lay-offs that could be made of a hand."""
    found = []
    for rank in range(14):
        mine = [card for card in range(4 * rank, 4 * rank + 4) if card in hand]
        least = 1 if any(card // 4 == rank for card in sets) else 3
        found += [some for n in range(least, 5) for some in combinations(mine, n)]
    for low in range(52):
        for length in range(1, 14):
            run = tuple(range(low, low + 4 * length, 4))
            if run[-1] < 52 and hand.issuperset(run):
                if length >= min_run or {low - 4, run[-1] + 4} & runs:
                    found.append(run)
    return found


def most_laid(hand: Any, sets: Any, runs: Any, rules: Any) -> tuple[int, int]:
    """Return (most points, most cards) that can be laid, by integer programs."""
    cards = cards_of(hand)
    every = pieces(set(cards), set(cards_of(sets)), set(cards_of(runs)), int(rules["min_run"]))
    if not every:
        return 0, 0
    holds = np.array([[card in piece for piece in every] for card in cards], float)
    points = []
    for piece in every:
        four = len(piece) == 4 and piece[0] // 4 == piece[3] // 4
        doubles = four and (piece[0] < 52 or rules["double_jokers"])
        factor = max(1, int(rules["four_multiplier"])) if doubles else 1
        points.append(factor * sum(int(rules["rank_points"][card // 4]) for card in piece))
    answers = []
    for worth in (points, [len(piece) for piece in every]):
        answer = milp(
            -np.array(worth, float),
            constraints=LinearConstraint(holds, ub=np.ones(len(cards))),
            integrality=np.ones(len(every)),
            bounds=Bounds(0, 1),
        )
        answers.append(round(-answer.fun))
    return answers[0], answers[1]


def lay_best(hand: Any, rules: Any) -> tuple[int, int]:
    """Return (points, cards) of `best_melds`, each of its plays legal when its turn comes."""
    out = np.zeros(helpers.MAX_MELDS, np.int64)
    buffer = np.zeros(MAX_PLAYS, np.uint64)
    points, n_plays = helpers.best_melds(hand, rules, out)
    table, left, total = [NONE, NONE], hand, 0
    for play in out[:n_plays].view(np.uint64):
        n = legal_plays(left, NONE, table[0], table[1], rules, buffer)
        assert play in buffer[:n], action_text(play)
        cards = play & CARDS_MASK
        total += points_of(cards, rules) + four_bonus(play, rules)
        table[action_text(play)[0] == "-"] |= cards
        left &= ~cards
    assert total == points
    assert not out[n_plays:].any()
    return points, int(hand).bit_count() - int(left).bit_count()


def deal_of(house: int, seed: int, tendency: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the positions (table, hidden) of a deal played at random, the end left out."""
    rng = Random(seed)
    weights = {kind: TENDENCIES[tendency].get(kind, 1) for kind in KINDS}
    table, hidden = new_state(Rules())
    table["rules"] = record(house)
    deck = pack(4 if table["rules"]["pack_size"][0] == 56 else 0)
    rng.shuffle(deck)
    start_deal(table[0], hidden[0], np.array(deck, np.uint8), rng.randrange(4))
    buffer = np.zeros(MAX_ACTIONS, np.uint64)
    while n := legal_actions(table[0], buffer):
        yield table.copy(), hidden.copy()
        texts = [action_text(action) for action in buffer[:n]]
        chosen = rng.choices(texts, [weights[text[0]] for text in texts])[0]
        apply_action(table[0], hidden[0], parse_action(chosen))


@st.composite
def positions(draw: Any, field: str = "hand") -> tuple[np.ndarray, np.ndarray]:
    """Return a position (table, hidden) of a random deal in which a field, a mask, is not empty."""
    tendency = draw(st.sampled_from(sorted(TENDENCIES)))
    deal = deal_of(draw(houses), draw(st.integers(0, 10**6)), tendency)
    after = draw(st.integers(0, 100))
    for number, position in enumerate(deal):
        found = position
        if number >= after and position[0][field][0]:
            break
    return found  # the last one, where the deal ends before


@st.composite
def crowded(draw: Any) -> np.ndarray:
    """Return a table, made up, on which hand, pile and melds are of few ranks; nothing drawn."""
    low = 4 * draw(st.integers(0, 8))
    n_runs, a_set = draw(st.integers(0, 2)), draw(st.booleans())
    of_set = 4 * draw(st.integers(0, 5)) + low
    table = {of_set, of_set + 1, of_set + 2} if a_set else set()
    sets = mask_of(table)
    for _ in range(n_runs):
        first = low + draw(st.integers(0, 15))
        if first + 8 < 52 and not {first, first + 4, first + 8} & table:
            table |= {first, first + 4, first + 8}
    runs = mask_of(table) & ~sets
    cards = [c for c in draw(st.permutations(range(low, low + 24))) if c not in table]
    n_hand, n_pile = draw(st.integers(0, 8)), draw(st.integers(1, 4))
    hand, pile = cards[:n_hand], cards[n_hand : n_hand + n_pile]
    house = dict(HOUSES[draw(houses)])
    house.pop("four_multiplier", None)
    position = Position(
        ("".join(TEXTS[card] for card in hand), "", "", ""),
        pile="".join(TEXTS[card] for card in pile),
        stock=draw(st.sampled_from(["", "*S"])),
        sets=mask_text(sets),
        runs=mask_text(runs),
        **house,
    )
    table = position.arrays[0].copy()
    table["rules"]["four_multiplier"] = draw(st.integers(0, 3))
    return table


@given(st.one_of(small_hands, big_hands), houses)
def test_meldable__any_cards__are_those_of_some_meld(hand, house):
    rules = record(house)[0]
    every = pieces(set(cards_of(hand)), set(), set(), int(rules["min_run"]))
    assert set(cards_of(helpers.meldable(hand, rules))) == {c for piece in every for c in piece}


@given(small_hands, houses)
@settings(max_examples=300)
def test_best_melds__small_hand__is_the_best_of_all_sequences_of_plays(hand, house):
    rules = record(house)[0]
    points, cards, _ = best_ways(ways_to_lay(hand, NONE, NONE, rules))
    assert lay_best(hand, rules) == (points, cards)


@given(big_hands, houses)
@settings(max_examples=120)
def test_best_melds__big_hand__is_that_of_an_integer_program(hand, house):
    rules = record(house)[0]
    assert lay_best(hand, rules)[0] == most_laid(hand, NONE, NONE, rules)[0]


@pytest.mark.parametrize(
    ("hand", "house", "points", "plays"),
    [
        ("7C7D7H7S2D", {}, 56, "=7C7D7H7S"),
        ("7C7D7H7S8H9H", {}, 56, "=7C7D7H7S"),  # above 21 + 24
        ("7C7D7H7S8H9H", {"four_multiplier": 1}, 45, "=7C7D7S -7H8H9H"),
        ("7C7D7H7S", {"four_multiplier": 0}, 28, "=7D7H7S =7C"),
        ("7C7D7H8H9HTHJH", {}, 58, "=7C7D7H -8H9HTHJH"),
        ("7C7D7H8H9H", {}, 24, "-7H8H9H"),  # above 21
        ("5H6H7H7C7D", {}, 21, "=7C7D7H"),  # above 18
        ("5H6H7H7C7D", {"min_run": 4}, 21, "=7C7D7H"),
        ("*C*D*H*S", {}, 160, "=*C*D*H*S"),
        ("*C*D*H*S", {"double_jokers": False}, 80, "=*C*D*H*S"),
        ("QSKSAS2S", {}, 35, "-QSKSAS"),
        ("2C3C4C", {"points": dict.fromkeys(RANKS, 0)}, 0, "-2C3C4C"),  # cards decide
        ("", {}, 0, ""),
    ],
)
def test_best_melds__by_hand(hand, house, points, plays):
    house = dict(house)
    multiplier = house.pop("four_multiplier", 2)
    rules = Rules(**house).record()
    rules["four_multiplier"] = multiplier
    out = np.zeros(helpers.MAX_MELDS, np.int64)
    found, n = helpers.best_melds(mask(hand), rules[0], out)
    assert (found, " ".join(action_text(play) for play in out[:n].view(np.uint64))) == (
        points,
        plays,
    )


def test_best_melds__whole_pack__fits_in_max_melds():
    rules = Rules().record()
    rules["four_multiplier"] = 0
    out = np.zeros(helpers.MAX_MELDS, np.int64)
    points, n = helpers.best_melds(np.uint64(2**56 - 1), rules[0], out)
    assert (points, n) == (476, helpers.MAX_MELDS)
    with pytest.raises(ValueError, match="MAX_MELDS"):
        helpers.best_melds(NONE, rules[0], out[1:])


@given(crowded())
@settings(max_examples=300)
def test_cards_left__crowded_table__is_the_fewest_of_all_sequences_of_plays(table):
    hand, sets, runs = (table[name][0] for name in ("hand", "sets_mask", "runs_mask"))
    ways = ways_to_lay(hand, sets, runs, table[0]["rules"])
    most = max(sum(way).bit_count() for way in ways)
    assert helpers.cards_left(table[0]) == int(hand).bit_count() - most


@given(positions())
@settings(max_examples=120)
def test_cards_left__random_play__is_that_of_an_integer_program(position):
    table = position[0]
    hand, sets, runs = (table[name][0] for name in ("hand", "sets_mask", "runs_mask"))
    _, most = most_laid(hand, sets, runs, table[0]["rules"])
    assert helpers.cards_left(table[0]) == int(hand).bit_count() - most


@pytest.mark.parametrize(
    ("hand", "sets", "runs", "left"),
    [
        ("", "", "", 0),
        ("2C9D", "", "", 2),
        ("7S8H9HTH2C", "7C7D7H", "4H5H6H", 1),  # 7S on the set; no 7H: 8H to TH are a run
        ("8H9HKS", "", "5H6H7H", 1),  # a chain
        ("7C7D7H8H9H", "", "", 2),  # a set or a run
        ("7C7D7H8H9HTH", "", "", 0),
        ("7C7D7S7H8H9H", "", "", 0),
    ],
)
def test_cards_left__by_hand(hand, sets, runs, left):
    position = Position((hand, "", "", ""), sets=sets, runs=runs, drawn=True)
    assert helpers.cards_left(position.table) == left


def check_take(table: Any, card: int) -> bool:
    """Compare `take_brings` with all sequences of plays; return whether something is brought."""
    rules, hand = table["rules"], table["hand"]
    sets, runs = table["sets_mask"], table["runs_mask"]
    pile = [int(each) for each in table["pile"][: table["pile_size"]]]
    taken = np.uint64(mask_of(pile[pile.index(card) :]))
    free = card == pile[-1] and top_is_free(table)
    now = max(ways_to_lay(hand, sets, runs, rules).values())
    must = NONE if free else np.uint64(1 << card)
    then = ways_to_lay(hand | taken, sets, runs, rules, must)
    n_cards, more, idle = helpers.take_brings(table, card)
    assert n_cards == int(taken).bit_count()
    if not then:
        assert (more, idle) == (0, points_of(taken, rules))
        return False
    points, _, laid = best_ways(then)
    assert more == points - now
    assert idle in {points_of(taken & ~np.uint64(some), rules) for some in laid}
    return True


@given(crowded())
@settings(max_examples=300)
def test_take_brings__crowded_table__is_the_best_of_all_sequences_of_plays(table):
    brought = [card for card in cards_of(table["pile_mask"][0]) if check_take(table[0], card)]
    assert mask_of(brought) == int(table["takeable"][0])


@given(positions("takeable"))
@settings(max_examples=120)
def test_take_brings__random_play__is_the_best_of_all_sequences_of_plays(position):
    table = position[0][0]
    rules = table["rules"]
    for card in cards_of(table["takeable"]):
        cards = table["hand"] | (table["pile_mask"] & ~table["beneath"][card])
        down = playable_cards(cards, table["sets_mask"], table["runs_mask"], rules["min_run"])
        if int(down).bit_count() <= 14:  # else the twin takes long
            assert check_take(table, card)


@pytest.mark.parametrize(
    ("hand", "pile", "card", "right"),
    [
        ("7C7D2S", "7HKS", "7H", (2, 21, 10)),
        ("7C7D2S", "7HKS", "KS", (1, 0, 10)),  # cannot be bound
        ("7C7D7H", "7S", "7S", (1, 35, 0)),  # 56 at once instead of 21
        ("5C6C6D6H6S", "7C", "7C", (1, -12, 0)),  # 18 and 18 instead of 48
    ],
)
def test_take_brings__by_hand(hand, pile, card, right):
    position = Position((hand, "", "", ""), pile=pile)
    assert helpers.take_brings(position.table, parse_card(card)) == right
    with pytest.raises(IndexError):
        helpers.take_brings(position.table, 56)


@pytest.mark.parametrize(
    ("hand", "pile", "bound_in", "right"),
    [
        ("8H9H", "7H", "any", (1, 24, 0)),
        ("8H9H", "7H", "new_meld", (1, 24, 0)),  # in the run, not on the set
        ("8H2C", "7H", "any", (1, 7, 0)),
        ("8H2C", "7H", "new_meld", (1, 0, 7)),
        ("2C", "JSQS", "any", (2, 20, 0)),
        ("2C", "JSQS", "new_meld", (2, 0, 20)),
    ],
)
def test_take_brings__lay_offs__by_hand(hand, pile, bound_in, right):
    hands = (hand, "", "", "")
    position = Position(hands, pile=pile, sets="7C7D7S", runs="8S9STS", bound_in=bound_in)
    assert helpers.take_brings(position.table, ids(pile)[0]) == right


@pytest.mark.parametrize(("stock", "right"), [("", (1, -12, 0)), ("*S", (1, 0, 7))])
def test_take_brings__free_top_card__has_not_to_be_laid(stock, right):
    position = Position(("5C6C6D6H6S", "", "", ""), pile="7C", stock=stock, top_card="free")
    assert helpers.take_brings(position.table, parse_card("7C")) == right


@given(positions())
def test_holds__random_play__agrees_with_the_hands(position):
    table, hidden = position[0][0], position[1][0]
    hidden_cards = helpers.unseen(table)
    for seat in range(4):
        hand = int(hand_of(table, hidden, seat))
        known = int(helpers.holds_for_certain(table, seat))
        assert known == int(table["known"][seat])
        assert known & ~hand == 0
        chances = [helpers.holds_chance(table, seat, card) for card in range(56)]
        assert sum(chances) == pytest.approx(hand.bit_count())
        assert all(hand >> card & 1 for card in range(56) if chances[card] == 1)
        assert not any(hand >> card & 1 for card in range(56) if chances[card] == 0)
        others = {chances[card] for card in cards_of(hidden_cards)}
        assert len(others) <= 1 or seat == table["seat"]


def late_positions() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return positions with two to six unseen cards, of many random deals."""
    every = (deal_of(seed % len(HOUSES), seed, "hoards") for seed in range(40))
    return [
        (table, hidden)
        for deal in every
        for table, hidden in islice(deal, 0, None, 7)
        if 2 <= int(helpers.unseen(table[0])).bit_count() <= 6
    ]


def test_holds_chance__few_unseen_cards__is_the_share_of_all_places():
    between = 0
    for table, hidden in late_positions():
        cards = cards_of(helpers.unseen(table[0]))
        places = ["stock"] * int(table["stock_size"][0])
        others = {0, 1, 2, 3} - {int(table["seat"][0])}
        for seat in others:
            unknown = hand_of(table[0], hidden[0], seat) & ~table["known"][0, seat]
            places += [seat] * int(unknown).bit_count()
        assert len(places) == len(cards)
        orders = list(permutations(places))
        for seat in others:
            for at, card in enumerate(cards):
                share = sum(order[at] == seat for order in orders) / len(orders)
                assert helpers.holds_chance(table[0], seat, card) == pytest.approx(share)
                between += 0 < share < 1
    assert between > 50


@given(st.permutations(range(56)), st.integers(0, 9), st.integers(-1, 10), st.integers(0, 3))
def test_double_chance__few_unseen_cards__is_the_share_of_all_draws(order, n_unseen, draws, suits):
    """One rank's cards come first in the order: some in hand, some unseen, and now and then one
    in the pile."""
    rank = order[0] // 4
    four = [4 * rank + suit for suit in range(4)]
    others = [card for card in order if card // 4 != rank]
    table = new_state(Rules())[0]
    hand, hidden = four[:suits], four[suits:] + others[:n_unseen]
    if n_unseen == 9:
        hidden = hidden[1:]  # a card that is neither unseen nor in hand
    table["hand"] = mask_of(hand)
    table["pile_mask"] = (2**56 - 1) & ~mask_of(hidden) & ~mask_of(hand)
    assert int(helpers.unseen(table[0])) == mask_of(hidden)
    n = min(max(draws, 0), len(hidden))
    ways = [set(four) <= {*hand, *some} for some in combinations(hidden, n)]
    share = sum(ways) / len(ways)
    assert helpers.double_chance(table[0], rank, draws) == pytest.approx(share)


def test_double_chance__by_hand():
    table = Position(("7C7D7H", "", "", ""), pile="8C", jokers=0).table
    assert helpers.double_chance(table, 5, 4) == pytest.approx(4 / 48)  # one of 48 unseen
    assert helpers.double_chance(table, 4, 4) == pytest.approx(4 * 3 * 2 / (48 * 47 * 46) / 45)
    assert helpers.double_chance(table, 6, 48) == 0  # the pile has one
    assert helpers.double_chance(table, 13, 48) == 0  # no jokers
    assert helpers.double_chance(Position(("7C7D7H7S", "", "", "")).table, 5, 0) == 1


def test_discard_risk__by_hand():
    position = Position(
        ("2C5D8HJS", "9C", "9C9D", "9C9D9H"),
        pile="JCJD3S",
        sets="2D2H2S",
        runs="QSKSAS",
        drawn=True,
    )
    table = position.table
    assert helpers.discard_risk(table, 1, parse_card("2C")) == 1  # on the set
    assert helpers.discard_risk(table, 1, parse_card("JS")) == 1  # on the run, and with the jacks
    # 43 unseen cards: 56 - 4 - 3 - 3 - 3. The eight: two of its three others; 6-7, 7-9 or 9-T.
    held = 1 / 43
    for seat in (1, 2, 3):
        risk = helpers.discard_risk(table, seat, parse_card("8H"))
        assert risk == pytest.approx(6 * (seat * held) ** 2)
    assert helpers.discard_safety(table, parse_card("8H")) == pytest.approx(1 - 6 * held**2)
    assert helpers.discard_safety(table, parse_card("2C")) == 0


@given(positions())
def test_discard_risk__random_play__is_that_of_the_toolkit(position):
    table = position[0][0]
    hidden = helpers.unseen(table)
    for seat in range(4):
        odds = toolkit.bind_odds(table, seat, hidden)
        for card in cards_of(table["hand"]):
            risk = toolkit.bind_chance(card, odds, hidden)
            assert helpers.discard_risk(table, seat, card) == risk
            if seat == (table["seat"] + 1) % 4:
                assert helpers.discard_safety(table, card) == 1 - risk


EVERY = """
import numpy as np

from persian_rummy.sim.bits import trailing_zeros
from persian_rummy.sim.view import DRAW_PASS, DRAW_STOCK, NOTHING
from persian_rummy.strategies import Strategy
from persian_rummy.strategies.helpers import (
    MAX_MELDS, best_melds, cards_left, discard_risk, discard_safety, double_chance, holds_chance,
    holds_for_certain, meldable, partner, take_brings, unseen,
)


class Every(Strategy):
    \"""Asks every helper and notes the answers.\"""

    work_size = MAX_MELDS + 14

    @staticmethod
    def draw(view, params, work):
        card = trailing_zeros(view.takeable)
        n_cards, more, idle = take_brings(view, card)
        work[0], work[1], work[2] = n_cards, more, idle
        return DRAW_STOCK if view.stock_size > 0 else DRAW_PASS

    @staticmethod
    def meld(view, params, work):
        return NOTHING

    @staticmethod
    def discard(view, params, work):
        card = trailing_zeros(view.hand)
        points, n_plays = best_melds(view.hand, view.rules, work)
        notes = work[MAX_MELDS:]
        notes[0], notes[1], notes[2] = points, n_plays, cards_left(view)
        notes[3] = np.int64(meldable(view.hand, view.rules))
        notes[4] = np.int64(holds_for_certain(view, partner(view)))
        notes[5] = np.int64(unseen(view))
        notes[6] = np.int64(1e9 * holds_chance(view, partner(view), 30))
        notes[7] = np.int64(1e9 * discard_risk(view, partner(view), card))
        notes[8] = np.int64(1e9 * discard_safety(view, card))
        notes[9] = np.int64(1e9 * double_chance(view, 5, 20))
        return card
"""


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    """Return the player of a strategy that asks every helper."""
    path = tmp_path_factory.mktemp("every") / "every.py"
    path.write_text(EVERY)
    return parse_entry(f"{path}:Every").player()


def test_helpers__all_of_them__are_asked_in_the_hooks():
    assert all(re.search(rf"\b{name}\b", EVERY) for name in helpers.__all__)


def test_helpers__in_a_hook__say_the_same_as_from_python(every):
    taken = 0
    for table, _ in islice(deal_of(0, 3, "hoards"), 0, 200, 3):
        view, work, params = table[0], np.zeros(every.work_size, np.int64), every.params
        if view["takeable"]:
            every.hooks[0](view, params, work)
            card = cards_of(view["takeable"])[0]
            assert tuple(work[:3]) == helpers.take_brings(view, card)
            taken += 1
        if not view["hand"]:
            continue
        card = every.hooks[2](view, params, work)
        plays = np.zeros(helpers.MAX_MELDS, np.int64)
        mate = helpers.partner(view)
        answers = [
            *helpers.best_melds(view["hand"], view["rules"], plays),
            helpers.cards_left(view),
            helpers.meldable(view["hand"], view["rules"]),
            helpers.holds_for_certain(view, mate),
            helpers.unseen(view),
            int(1e9 * helpers.holds_chance(view, mate, 30)),
            int(1e9 * helpers.discard_risk(view, mate, card)),
            int(1e9 * helpers.discard_safety(view, card)),
            int(1e9 * helpers.double_chance(view, 5, 20)),
        ]
        n_plays = answers[1]
        assert list(work[:n_plays]) == list(plays[:n_plays])
        assert list(work[helpers.MAX_MELDS :][: len(answers)]) == answers
    assert taken > 5


def test_every_helper__in_play__fails_nowhere(every):
    greedy = parse_entry("greedy").player()
    block = play_boards(Rules(), [every, greedy] * 2, 5, 0, 50, checked=True)
    assert block.failure is None


def test_example_of_the_docs__plays_better_than_random(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "helpers.md").read_text()
    path = tmp_path / "example.py"
    path.write_text(re.search("```python\n(.*?)```", page, re.DOTALL)[1])
    name = re.search(r"class (\w+)", path.read_text())[1]
    pair = [parse_entry(f"{path}:{name}").player(), parse_entry("random").player()]
    for rules in (Rules(), Rules(bound_in="new_meld", last_discard="forbidden", min_run=4)):
        block = play_boards(rules, pair * 2, 5, 0, 100, checked=True)
        assert block.failure is None
        own, others = block.sides["score"].T
        assert (own > others).mean() > 0.6


def test_page_of_the_docs__names_every_helper():
    page = (Path(__file__).parents[2] / "docs" / "helpers.md").read_text()
    assert all(f"`{name}" in page for name in helpers.__all__)
