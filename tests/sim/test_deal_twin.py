"""The core and the plain twin play the same deals, and agree about everything after each action.

A *tendency* says how eagerly a player chooses each kind of action, so that deals also end up
where random play hardly goes: an empty stock, passes, floats, keeps, the 200th turn.
"""

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pair import Pair, gather, shuffled

from persian_rummy.sim.cards import RANKS, TEXTS, parse_card
from persian_rummy.sim.rules import FREE_TURN_LIMIT

EVEN = dict.fromkeys("STP=-DK", 1.0)
TENDENCIES: dict[str, dict[str, float]] = {
    "even": EVEN,
    "melds": EVEN | {"=": 50, "-": 50},
    "takes": EVEN | {"T": 50},
    "stock": EVEN | {"T": 0.02, "P": 50},
    "hoards": EVEN | {"=": 0.01, "-": 0.01, "T": 0.01},
    "swaps": EVEN | {"T": 50, "=": 0.01, "-": 0.01},
}
PRESET_500 = {
    "jokers": 0,
    "four_multiplier": 1,
    "last_discard": "goes_out",
    "out_bonus": 0,
    "exhausted": "first_pass",
}
POINT_TABLE = {rank: 3 * at for at, rank in enumerate(RANKS)} | {"2": 0, "A": 1000}

house_rules = st.fixed_dictionaries(
    {},
    optional={
        "points": st.sampled_from(["pips", "fives", POINT_TABLE]),
        "out_bonus": st.integers(0, 100),
        "four_multiplier": st.integers(1, 5),
        "double_jokers": st.booleans(),
        "min_run": st.sampled_from([3, 4, 5]),
        "jokers": st.sampled_from([4, 0]),
        "last_discard": st.sampled_from(["float", "forbidden", "goes_out"]),
        "top_card": st.sampled_from(["bound", "free"]),
        "bound_in": st.sampled_from(["any", "new_meld"]),
        "exhausted": st.sampled_from(["four_passes", "first_pass", "stock_empty"]),
    },
)
tendencies = st.sampled_from(sorted(TENDENCIES))


def play(
    rules: dict[str, Any], seed: int, tendency: str, gathered: str = "", turns: int = 1000
) -> Counter[str]:
    """Play a deal in core and twin, all compared; return how often each event came up."""
    rng, wild = Random(seed), Random(~seed)
    deck = shuffled(rng, rules.get("jokers", 4))
    if gathered:
        gather(deck, gathered, place=rng.randrange(4))
    pair = Pair(rules, rng.randrange(4), deck)
    weights = TENDENCIES[tendency]
    events: Counter[str] = Counter()
    while not pair.twin.over and pair.twin.turns < turns:
        for text in (*pair.legal, *_mutations(pair, wild)):
            pair.check_reason(text)
        text = rng.choices(pair.legal, [weights[text[0]] for text in pair.legal])[0]
        events.update(_events(pair, text))
        pair.apply(text)
    if pair.twin.over:
        for text in ("S", "P", "K", *_mutations(pair, wild)):
            pair.check_reason(text)
        events.update(_endings(pair))
    return events


def _mutations(pair: Pair, rng: Random) -> list[str]:
    """Return actions near to legal ones: other kinds, other cards, of the other phase."""
    hand = sorted(pair.twin.hands[pair.twin.seat])
    near = hand + pair.twin.pile
    found = ["S", "P", "K", "T" + rng.choice(TEXTS), "D" + rng.choice(TEXTS)]
    found += [kind + rng.choice(near) for kind in "TD=-" if near]
    based_on = [text for text in pair.legal if text[0] in "=-"] or ["=" + rng.choice(TEXTS)]
    text = rng.choice(based_on)
    cards = {text[at : at + 2] for at in range(1, len(text), 2)}
    fewer = cards - {rng.choice(sorted(cards))}
    for some in (cards, fewer, cards | {rng.choice(near or TEXTS)}, cards | {rng.choice(TEXTS)}):
        if some:
            found.append(rng.choice("=-") + "".join(sorted(some, key=parse_card)))
    return found


def _events(pair: Pair, text: str) -> list[str]:
    """Return what an action, about to be played, is an example of."""
    deal, kind = pair.twin, text[0]
    found = [kind]
    if kind == "T":
        found.append("take on an empty stock" if not deal.stock else "take")
        found.append("free take" if deal.top_is_free(text[1:]) else "bound take")
        if not deal.hands[deal.seat]:
            found.append("take by a floating player")
    elif kind in "=-":
        low = "set" if kind == "=" else "run"
        long_enough = len(text) // 2 >= (3 if kind == "=" else deal.rules["min_run"])
        found.append(f"new {low}" if long_enough else f"lay-off on a {low}")
        if kind == "=" and len(text) == 9:
            found.append("four jokers at once" if "*C" in text else "four at once")
        if deal.bound is None:
            found.append("play unbound")
    elif kind == "D":
        floats = len(deal.hands[deal.seat]) == 1 and deal.rules["last_discard"] == "float"
        found += ["float"] * floats
    return found


def _endings(pair: Pair) -> list[str]:
    deal = pair.twin
    if deal.out_seat is not None:
        return ["out by a discard" if pair.after[-1][0] == "D" else "out by a play"]
    return ["cut off" if deal.cut_off else f"exhausted: {deal.rules['exhausted']}"]


@given(house_rules, st.integers(0, 2**32 - 1), tendencies, st.sampled_from(["", *RANKS[:-1]]))
@example(rules={}, seed=0, tendency="even", gathered="")
@example(rules=PRESET_500, seed=0, tendency="even", gathered="")
@settings(max_examples=50)
def test_deal__any_house_rules__core_and_twin_agree(rules, seed, tendency, gathered):
    play(rules, seed, tendency, gathered)


@pytest.mark.long
@given(house_rules, st.integers(0, 2**32 - 1), tendencies, st.sampled_from(["", *RANKS[:-1]]))
@settings(max_examples=3000, derandomize=False)
def test_deal__many_more_deals__core_and_twin_agree(rules, seed, tendency, gathered):
    play(rules, seed, tendency, gathered)


def sample() -> Counter[str]:
    """Play a fixed sample of deals: each ending, discard and draw rule with each tendency."""
    events: Counter[str] = Counter()
    exhausted = ("four_passes", "first_pass", "stock_empty")
    for seed, (last, ends) in enumerate(product(("float", "forbidden", "goes_out"), exhausted)):
        base = {"last_discard": last, "exhausted": ends}
        for tendency in ("even", "melds", "takes", "stock", "hoards"):
            events.update(play(base, seed, tendency, gathered="*"))
    for seed in (0, 9, 13):
        events.update(play({}, seed, "takes"))
    for seed in range(3):
        rules = {"top_card": "free", "last_discard": "forbidden", "bound_in": "new_meld"}
        events.update(play(rules, seed, "even"))
        events.update(play(rules | {"min_run": 4}, seed, "swaps"))
    return events


def test_deal__fixed_sample__reaches_every_corner():
    events = sample()
    corners = [
        *"STP=-DK",
        "take on an empty stock",
        "free take",
        "bound take",
        "take by a floating player",
        "new set",
        "new run",
        "lay-off on a set",
        "lay-off on a run",
        "four at once",
        "four jokers at once",
        "play unbound",
        "float",
        "out by a play",
        "out by a discard",
        "exhausted: four_passes",
        "exhausted: first_pass",
        "exhausted: stock_empty",
        "cut off",
    ]
    assert [corner for corner in corners if not events[corner]] == []


def test_deal__swapping_for_ever__is_cut_off_after_200_turns():
    events = play({"top_card": "free"}, 0, "swaps")
    assert FREE_TURN_LIMIT == 200
    assert events["cut off"] == 1
    assert events["D"] + events["K"] + events["P"] == 200
