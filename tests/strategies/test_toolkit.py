"""Judgements of strategies, compared with slow and obvious twins."""

from itertools import combinations

import numpy as np
import pytest

from persian_rummy.sim.cards import mask_of
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import play_transcript, replay
from persian_rummy.sim.view import unseen
from persian_rummy.strategies.registry import parse_entry
from persian_rummy.strategies.toolkit import bind_chance, bind_odds, completers

JOKER_RANK = 13


def is_meld_of_three(cards: tuple[int, ...], rules: Rules) -> bool:
    """Return whether three cards are a set, or a run where runs of three are allowed."""
    ranks, suits = zip(*(divmod(card, 4) for card in sorted(cards)), strict=True)
    if len(set(ranks)) == 1:
        return True
    follow = ranks[1] - ranks[0] == ranks[2] - ranks[1] == 1
    return rules.min_run == 3 and follow and len(set(suits)) == 1 and JOKER_RANK not in ranks


def cards_in(mask: np.uint64) -> set[int]:
    """Return the ids of the cards in a mask."""
    return {card for card in range(56) if int(mask) >> card & 1}


def fits_alone(card: int, table: np.void, rules: Rules) -> bool:
    """Return whether a card can be laid off alone and be bound so."""
    if rules.bound_in == "new_meld":
        return False
    if any(other // 4 == card // 4 for other in cards_in(table["sets_mask"])):
        return True
    return card < 52 and bool({card - 4, card + 4} & cards_in(table["runs_mask"]))


def naive_chance(card: int, seat: int, table: np.void, rules: Rules) -> float:
    """Return the chance that a seat binds a card: chances of pairs that meld with it, added up."""
    hidden, known = cards_in(unseen(table)), cards_in(table["known"][seat])
    sure = known | cards_in(table["pile_mask"])
    held = (int(table["counts"][seat]) - len(known)) / max(1, len(hidden))
    chance = float(fits_alone(card, table, rules))
    for pair in combinations(sorted((hidden | sure) - {card}), 2):
        if is_meld_of_three((card, *pair), rules):
            chance += np.prod([1.0 if c in sure else held for c in pair])
    return min(chance, 1.0)


@pytest.mark.parametrize(
    "rules", [Rules(), Rules(min_run=4), Rules(bound_in="new_meld"), Rules(jokers=0, deals=1)]
)
def test_bind_chance__of_every_card__is_that_of_the_twin(rules):
    names = ["hunter", "greedy", "random", "doubler"]
    match = play_transcript(rules, [parse_entry(name).player() for name in names], names, 3, 2, 0)
    between = asked = 0
    for number, step in enumerate(replay(match)):
        if number % 5:
            continue
        table = step.table[0]
        hidden = unseen(table)
        for seat in range(4):
            if seat == table["seat"]:
                continue
            odds = bind_odds(table, seat, hidden)
            for card in cards_in(table["hand"]):
                found = bind_chance(card, odds, hidden)
                assert found == pytest.approx(naive_chance(card, seat, table, rules)), card
                between += 0 < found < 1
                asked += 1
    assert asked > 200
    assert between > asked / 4


def test_completers__are_those_that_make_a_meld_of_three():
    rng = np.random.default_rng(4)
    for _ in range(60):
        hand = sorted(int(card) for card in rng.choice(56, size=rng.integers(2, 9), replace=False))
        wanted = {
            card
            for card in set(range(56)) - set(hand)
            if any(is_meld_of_three((card, *pair), Rules()) for pair in combinations(hand, 2))
        }
        assert int(completers(np.uint64(mask_of(hand)))) == mask_of(sorted(wanted))
