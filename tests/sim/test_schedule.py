"""The plan of a tournament: who meets whom, and sets of boards."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from persian_rummy.sim.rules import Rules
from persian_rummy.sim.schedule import Coverage, Pairing, Plan, largest_sum, shard_of


def plan(names: str, boards: int, format_: str = "round-robin") -> Plan:
    return Plan(tuple(names), Rules(), 1, boards, format_)


def test_round_robin__everybody_meets_everybody_once_in_order():
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert plan("wxyz", 5).pairings() == tuple(Pairing(a, b) for a, b in pairs)


def test_gauntlet__the_first_meets_each_other():
    pairs = [(0, 1), (0, 2), (0, 3)]
    assert plan("wxyz", 5, "gauntlet").pairings() == tuple(Pairing(a, b) for a, b in pairs)


def test_partners__every_two_make_a_team_and_all_teams_meet():
    of_two = plan("xy", 5, "partners")
    assert of_two.team_names == ("x & x", "x & y", "y & y")
    assert [of_two.seats(met) for met in of_two.pairings()] == [
        (0, 0, 0, 1),  # x x against x y: seats 0 and 2 are the first team's
        (0, 1, 0, 1),
        (0, 1, 1, 1),
    ]
    assert len(plan("vwxyz", 5, "partners").pairings()) == 15 * 14 // 2


def test_seats__without_partners__are_two_players_of_each():
    assert plan("wxyz", 5).seats(Pairing(1, 3)) == (1, 3, 1, 3)
    assert plan("wxyz", 5).team_names == tuple("wxyz")


@pytest.mark.parametrize("n", [2, 3, 7])
def test_matches__two_a_board_a_pairing(n):
    names = "abcdefg"[:n]
    assert plan(names, 9).matches == n * (n - 1) // 2 * 9 * 2
    assert plan(names, 9, "gauntlet").matches == (n - 1) * 9 * 2


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)), max_size=8),
    st.integers(0, 22),
    st.integers(0, 12),
)
def test_coverage__whatever_is_added__is_a_set_of_boards(added, low, width):
    coverage, boards = Coverage(), set()
    for first, n in added:
        new = set(range(first, first + n))
        assert coverage.overlaps(first, n) == bool(boards & new)
        if boards & new:
            with pytest.raises(ValueError, match="partly there already"):
                coverage.add(first, n)
        else:
            coverage.add(first, n)
            boards |= new
    high = low + width
    gaps = [board for first, n in coverage.gaps(low, high) for board in range(first, first + n)]
    assert gaps == [board for board in range(low, high) if board not in boards]
    assert coverage.n_boards == len(boards)
    ends = [(first, first + n) for first, n in coverage.ranges]
    assert all(end < first for (_, end), (first, _) in itertools.pairwise(ends))


@pytest.mark.parametrize("n", [0, -1])
def test_coverage__no_boards__are_refused(n):
    with pytest.raises(ValueError, match="boards"):
        Coverage().add(3, n)


@given(st.integers(0, 1000), st.integers(1, 20))
def test_shards__of_any_number__are_all_boards_in_order(boards, n_shards):
    shards = [shard_of(boards, number, n_shards) for number in range(1, n_shards + 1)]
    assert shards[0][0] == 0
    assert shards[-1][1] == boards
    assert all(end == first for (_, end), (first, _) in itertools.pairwise(shards))
    assert max(end - first for first, end in shards) <= -(-boards // n_shards)


def test_largest_sum__bounds_the_squared_margins_of_boards():
    # a side scores or loses at most 2 deals x (2 x 476 + 25) = 1954, so a match's margin is at
    # most 2 x 1954, a board's twice that
    assert largest_sum(plan("ab", 1000)) == 1000 * (4 * 1954) ** 2
