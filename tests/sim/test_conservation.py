"""Random play over the house rules: every position of every match is sound.

`checked` makes the kernel look, after each action, whether every card is in one place, counts and
melds are right, and melded + hands + pile + stock = W + d (RULES section 6).
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from house import VALUES, brief, spread

from persian_rummy.sim.match import Block, play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.strategies.registry import parse_entry

RULES = spread(30)


def play(rules: Rules, first: int, boards: int) -> Block:
    """Return a block of boards of random against random, every position checked."""
    return play_boards(rules, [parse_entry("random").player()] * 4, 3, first, boards, checked=True)


def check_ends(rules: Rules, block: Block) -> None:
    """Check that deals ended as these rules allow, with the bonus that they pay."""
    ends = block.deals["deal_end"]
    outs = (ends < 2).sum(axis=1)
    np.testing.assert_array_equal(block.sides["outs"].sum(axis=1), outs)
    np.testing.assert_array_equal(block.sides["out_points"].sum(axis=1), outs * rules.out_bonus)
    if rules.top_card == "bound":
        assert not (ends == 3).any()
        assert not (block.sides["keeps"].any() and rules.last_discard != "forbidden")
    else:
        assert block.deals["deal_turns"].max() <= 200
    if rules.last_discard != "float":
        assert not block.sides["floats"].any()
    most = {"four_passes": 4, "first_pass": 1, "stock_empty": 0}[rules.exhausted]
    exhausted = (ends == 2).sum(axis=1)
    passes = block.sides["passes"].sum(axis=1)
    if rules.exhausted == "four_passes":
        assert (passes >= most * exhausted).all()
    else:
        assert (passes <= most * rules.deals).all()
        if rules.exhausted == "first_pass":
            np.testing.assert_array_equal(passes, exhausted)


@pytest.mark.parametrize("rules", RULES, ids=brief)
def test_random_play__house_rules__every_position_is_sound(rules):
    block = play(rules, 0, 100)
    assert block.failure is None
    assert len(block.rows) == 200
    check_ends(rules, block)


def test_spread__holds_every_value_of_every_rule():
    assert len(RULES) == 30
    for name, values in VALUES.items():
        used = [getattr(rules, name) for rules in RULES]
        assert all(value in used for value in values), name
    assert len({brief(rules) for rules in RULES}) > 25


def test_checked__a_damaged_position__is_found():
    """The check is not blind: the same match with a card of the table moved is refused."""
    from persian_rummy.sim.invariants import state_is_ok
    from persian_rummy.sim.transcript import play_transcript, replay

    player = parse_entry("random").player()
    transcript = play_transcript(Rules(), [player] * 4, ["r"] * 4, 3, 0, 0)
    steps = 0
    for step in replay(transcript):
        table, hidden = step.table.copy(), step.hidden.copy()
        assert state_is_ok(table[0], hidden[0])
        table["points"][0, 0] += 1
        assert not state_is_ok(table[0], hidden[0])
        table, hidden = step.table.copy(), step.hidden.copy()
        hidden["hands"][0, (int(table["seat"][0]) + 1) % 4] ^= np.uint64(1 << 17)
        assert not state_is_ok(table[0], hidden[0])
        steps += 1
    assert steps > 50


@pytest.mark.long
def test_random_play__ten_million_matches_over_all_house_rules__are_sound():
    rules = spread(200)
    boards, block = 25_000, 2500  # 200 x 25,000 boards, two matches each

    def count(job: tuple[Rules, int]) -> int:
        played = play(job[0], job[1], block)
        assert played.failure is None, (job, played.failure)
        check_ends(job[0], played)
        return len(played.rows)

    jobs = [(each, first) for each in rules for first in range(0, boards, block)]
    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(count, jobs)) == 10_000_000
