"""The plan of a tournament: who meets whom, and the blocks that cover all boards."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from persian_rummy.sim.rules import Rules
from persian_rummy.sim.schedule import (
    MAX_BLOCK,
    MIN_BLOCK,
    BoardBlock,
    Pairing,
    Plan,
    default_block,
    largest_sum,
)


def plan(names: str, boards: int, format_: str = "round-robin", block: int = 10) -> Plan:
    return Plan(tuple(names), Rules(), 1, boards, format_, block)


def test_round_robin__everybody_meets_everybody_once_in_order():
    assert plan("wxyz", 5).pairings() == [
        Pairing(0, 1),
        Pairing(0, 2),
        Pairing(0, 3),
        Pairing(1, 2),
        Pairing(1, 3),
        Pairing(2, 3),
    ]


def test_gauntlet__the_first_meets_each_other():
    assert plan("wxyz", 5, "gauntlet").pairings() == [Pairing(0, 1), Pairing(0, 2), Pairing(0, 3)]


@pytest.mark.parametrize("n", [2, 3, 7])
def test_matches__two_a_board_a_pairing(n):
    names = "abcdefg"[:n]
    assert plan(names, 9).matches == n * (n - 1) // 2 * 9 * 2
    assert plan(names, 9, "gauntlet").matches == (n - 1) * 9 * 2


@given(st.integers(2, 5), st.integers(1, 200), st.integers(1, 250))
def test_blocks__any_size__cover_every_board_once(n, boards, block):
    one = plan("abcde"[:n], boards, block=block)
    played = Counter(
        (each.pairing, board)
        for each in one.blocks()
        for board in range(each.first_board, each.first_board + each.n_boards)
    )
    pairings = len(one.pairings())
    assert played == {(p, board): 1 for p in range(pairings) for board in range(boards)}


def test_blocks__keep_all_pairings_in_step():
    assert list(plan("abc", 25).blocks()) == [
        BoardBlock(pairing, first, size)
        for first, size in ((0, 10), (10, 10), (20, 5))
        for pairing in range(3)
    ]


def test_blocks__of_twice_the_boards__begin_with_the_same():
    first = list(plan("abc", 20).blocks())
    assert list(plan("abc", 40).blocks())[: len(first)] == first


@pytest.mark.parametrize(
    ("boards", "pairings", "block"),
    [
        (1, 1, 64),
        (64, 1, 64),
        (2048, 1, 64),
        (2049, 1, 65),  # 32 blocks of 64 would leave one board over
        (16_000, 1, 500),
        (1000, 10, 313),
        (50_000, 10, 8_192),
        (10**9, 1, 8_192),
    ],
)
def test_default_block__thirty_two_a_run_within_bounds(boards, pairings, block):
    assert default_block(boards, pairings) == block
    assert (MIN_BLOCK, MAX_BLOCK) == (64, 8_192)


def test_largest_sum__bounds_the_squared_margins_of_boards():
    # a side scores or loses at most 2 deals x (2 x 476 + 25) = 1954, so a match's margin is at
    # most 2 x 1954, a board's twice that
    assert largest_sum(plan("ab", 1000)) == 1000 * (4 * 1954) ** 2
