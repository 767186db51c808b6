"""Melds and lay-offs: set-based, naive versions of the mask tricks, compared on random cards."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from persian_rummy.sim import melds
from persian_rummy.sim.cards import N_CARDS, RANKS, cards_of, mask_of
from persian_rummy.sim.melds import MAX_PLAYS, RUN, SET
from persian_rummy.sim.notation import action_text, make_action
from persian_rummy.sim.rules import Rules

EMPTY = np.uint64(0)
RECORDS = {
    "plain": Rules().record(),
    "whole": Rules(bound_in="new_meld").record(),
    "five": Rules(min_run=5, bound_in="new_meld").record(),
}

# Half of the hands hold many cards, so that there are long runs and sets of four among them.
many = st.builds(lambda a, b: np.uint64(a | b), *[st.integers(0, 2**N_CARDS - 1)] * 2)
few = st.lists(st.integers(0, N_CARDS - 1), max_size=20).map(lambda ids: np.uint64(mask_of(ids)))
hands = st.one_of(few, many)


def runs_in(ids: set[int], shortest: int) -> list[set[int]]:
    """Return all sets of `shortest` or more consecutive cards of a suit among some ids."""
    found = []
    for low, length in ((low, n) for low in range(52) for n in range(shortest, 14)):
        run = {low + 4 * step for step in range(length)}
        if max(run) < 52 and run <= ids:
            found.append(run)
    return found


@given(hands, st.sampled_from([3, 4, 5]))
def test_set_and_run_cards__any_cards__are_those_of_some_meld(mask, min_run):
    ids = set(cards_of(mask))
    in_runs = set().union(*runs_in(ids, min_run))
    in_sets = {card for card in ids if sum(other // 4 == card // 4 for other in ids) >= 3}
    assert set(cards_of(melds.run_cards(mask, min_run))) == in_runs
    assert set(cards_of(melds.set_cards(mask))) == in_sets


@given(hands)
def test_rank_tricks__any_cards__are_counts_of_ranks(mask):
    counts = [sum(card // 4 == rank for card in cards_of(mask)) for rank in range(14)]
    for name, least in (("two", 2), ("three", 3), ("four", 4)):
        whole = [
            4 * rank + suit for rank in range(14) for suit in range(4) if counts[rank] >= least
        ]
        assert cards_of(getattr(melds, f"ranks_with_{name}")(mask)) == whole


@given(hands, hands)
def test_run_layoffs__any_cards__are_reached_step_by_step(mask, table):
    runs = set(cards_of(melds.run_cards(table & ~mask, 3)))
    ids, reached = {card for card in cards_of(mask) if card < 52}, set()
    while True:
        more = {c for c in ids - reached if {c - 4, c + 4} & (runs | reached)}
        if not more:
            break
        reached |= more
    assert set(cards_of(melds.run_layoffs(mask, np.uint64(mask_of(runs))))) == reached


@given(hands, hands, hands, st.lists(st.integers(0, 55), unique=True))
def test_bindable__any_pile__is_what_can_be_played_with_all_above(hand, set_like, run_like, pile):
    pile = [card for card in pile if card not in cards_of(hand)]
    rest = ~np.uint64(mask_of(pile)) & ~hand
    sets = np.uint64(melds.set_cards(set_like & rest))
    runs = np.uint64(melds.run_cards(run_like & rest & ~sets, 3))
    rows, piled = np.zeros((len(pile) + 1, 8), np.uint64), EMPTY
    for size, card in enumerate(pile):
        melds.cover(rows, np.uint64(size), piled, np.uint64(card))
        piled |= np.uint64(1 << card)
    above = tuple(rows[-1, :6])
    wanted = set()
    for place, card in enumerate(pile):
        cards = np.uint64(mask_of(pile[place:])) | hand
        if melds.can_play_with(card, cards, sets, runs, 3, 0):
            wanted.add(card)
    found = np.uint64(melds.bindable(hand, above, sets, runs))
    assert set(cards_of(found & piled)) == wanted


@given(hands, st.sampled_from([3, 4, 5]))
def test_melded_by__any_hand__is_a_meld_of_three_with_two_of_it(hand, min_run):
    ids = set(cards_of(hand))
    right = set()
    for card in set(range(N_CARDS)) - ids:
        if sum(other // 4 == card // 4 for other in ids) >= 2:
            right.add(card)
        with_it = {card} | {other for other in ids if abs(other - card) <= 8}
        if min_run == 3 and any(card in run for run in runs_in(with_it, 3)):
            right.add(card)
    assert set(cards_of(melds.melded_by(hand, min_run))) - ids == right


@given(hands)
def test_stretches__any_cards__are_counted_one_by_one(mask):
    ids = {card for card in cards_of(mask) if card < 52}
    for card in ids:
        up = next(n for n in range(1, 15) if card + 4 * n not in ids)
        down = next(n for n in range(1, 15) if card - 4 * n not in ids)
        assert (melds.stretch_up(mask, card), melds.stretch_down(mask, card)) == (up, down)


def naive_plays(ids: set[int], sets: set[int], runs: set[int], min_run: int) -> list[tuple]:
    """Return every play from a hand as (kind, ids, whether it is long enough to be a new meld)."""
    found = []
    for rank in range(14):
        mine = [card for card in sorted(ids) if card // 4 == rank]
        for size in (1, 2, 3, 4):
            lies = any(card // 4 == rank for card in sets)
            found += [(SET, c, size > 2) for c in combinations(mine, size) if size > 2 or lies]
    for run in runs_in(ids, 1):
        touches = {min(run) - 4, max(run) + 4} & runs
        if len(run) >= min_run or touches:
            found.append((RUN, tuple(sorted(run)), len(run) >= min_run))
    return found


@given(hands, hands, hands, st.sampled_from(sorted(RECORDS)), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_legal_plays__any_table__are_all_found_by_search(hand, set_like, run_like, name, rng):
    sets = np.uint64(melds.set_cards(set_like & ~hand))
    runs = np.uint64(melds.run_cards(run_like & ~hand & ~sets, 3))
    rules, ids = RECORDS[name][0], set(cards_of(hand))
    bound = rng.choice([None, *sorted(ids)])
    out = np.zeros(MAX_PLAYS, np.uint64)
    must = EMPTY if bound is None else np.uint64(1 << bound)
    n = melds.legal_plays(hand, must, sets, runs, rules, out)
    whole = rules["new_meld"]
    table = set(cards_of(sets)), set(cards_of(runs))
    every = naive_plays(ids, *table, rules["min_run"])
    right = [
        action_text(make_action(kind, mask_of(some)))
        for kind, some, long_enough in every
        if bound is None or (bound in some and (long_enough or not whole))
    ]
    assert sorted(action_text(play) for play in out[:n]) == sorted(right)
    holders = {card for _, some, long_enough in every for card in some if long_enough or not whole}
    for card in ids:
        can = melds.can_play_with(card, hand, sets, runs, rules["min_run"], whole)
        assert bool(can) == (card in holders)
    playable = melds.playable_cards(hand, sets, runs, rules["min_run"])
    assert set(cards_of(playable)) == {card for _, some, _ in every for card in some}


@given(hands, st.lists(st.integers(0, 5000), min_size=14, max_size=14))
def test_points__any_table__are_the_sum_over_the_cards(mask, worth):
    table = dict(zip(RANKS, worth, strict=True))
    record = Rules(points=table).record()
    ids = cards_of(mask)
    assert melds.points_of(mask, record[0]) == sum(worth[card // 4] for card in ids)
    if ids:
        most = max(worth[card // 4] for card in ids)
        dearest = max(card for card in ids if worth[card // 4] == most)
        assert melds.dearest_card(mask, record[0]) == dearest
