"""What a seat has for itself: its memory and its stream; and what it is told of the match.

A hook tells what it sees by an answer that is not legal: the failure holds it.
"""

from pathlib import Path

import numpy as np
import pytest
from small_runs import write_strategy

from persian_rummy.sim.match import Failure, play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.seeds import match_key, seat_key
from persian_rummy.strategies.registry import parse_entry

SEED = 2**63 + 5
WHERE = 'params = (Param("deal", 9, 0, 9, "when"), Param("seat", 9, 0, 9, "who"))'
NOW = "view.deal == params[0] and view.seat == params[1]"
STOCK = "return -1 if view.stock_size > 0 else -2"
LOWEST = "return trailing_zeros(view.hand)"


@pytest.fixture(scope="module")
def teller(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return entries that tell, at their first turn in a deal and seat, what is asked."""
    answers = {
        "Stream": "np.int64(view.rng >> np.uint64(1))",
        "Scores": "1000000000 + 10000 * (view.match_points[0] + 2000) + view.match_points[1]",
        "Place": "1000000 + 100 * view.dealer + 10 * view.deal + view.seat",
    }
    folder = tmp_path_factory.mktemp("tellers")
    return {
        name: write_strategy(
            folder, name, draw=f"if {NOW}:\n    return {answer}\n{STOCK}", more=WHERE
        )
        for name, answer in answers.items()
    }


def told(entry: str, deal: int, seat: int, board: int, rotation: int, rules: Rules) -> Failure:
    """Return the failure of a teller, asked in a deal and seat; all four seats are tellers."""
    player = parse_entry(f"{entry}[deal={deal},seat={seat}]").player()
    block = play_boards(rules, [player] * 4, SEED, board, 1, rotations=(rotation,))
    assert block.failure is not None
    return block.failure


@pytest.mark.parametrize("rotation", [0, 1])
@pytest.mark.parametrize("board", [0, 3, 1000])
def test_stream__of_every_seat_and_deal__is_that_of_its_identity(teller, board, rotation):
    seen = set()
    for deal in range(3):
        for seat in range(4):
            failure = told(teller["Stream"], deal, seat, board, rotation, Rules(deals=3))
            match = match_key(np.uint64(SEED), board, rotation)
            key = int(seat_key(np.uint64(match), deal, seat))
            assert failure.answer == key >> 1
            assert (failure.deal, failure.seat) == (deal, seat)
            assert failure.player == seat ^ rotation
            seen.add(key)
    assert len(seen) == 12


@pytest.mark.parametrize("board", [0, 1, 2, 3])
def test_dealer__passes_to_the_left(teller, board):
    for deal in range(3):
        failure = told(teller["Place"], deal, 2, board, 0, Rules(deals=3))
        assert failure.answer == 1_000_000 + 100 * ((board + deal) % 4) + 10 * deal + 2


def test_match_points__are_the_scores_of_the_deals_before(teller):
    rules = Rules(deals=3)
    silent = parse_entry(teller["Scores"]).player()
    for board in range(5):
        block = play_boards(rules, [silent] * 4, SEED, board, 1, rotations=(0,))
        for deal in range(3):
            before = block.deals[0, :deal]
            scores = [int(before[f"deal_score_{side}"].sum()) for side in "ab"]
            failure = told(teller["Scores"], deal, 1, board, 0, rules)
            assert failure.answer == 1_000_000_000 + 10_000 * (scores[0] + 2000) + scores[1]


@pytest.mark.parametrize("size", [1, 500])
def test_memory__is_empty_when_a_deal_begins_and_belongs_to_one_seat(tmp_path, size):
    """A seat counts its turns: it plays once in every four turns of the deal."""
    body = f"if work[{size - 1}] != view.turns // 4:\n    return 99\nwork[{size - 1}] += 1\n"
    more = f"work_size = {size}"
    counts = write_strategy(tmp_path, "Counts", discard=body + LOWEST, more=more)
    player = parse_entry(counts).player()
    block = play_boards(Rules(deals=3), [player] * 4, SEED, 0, 40)
    assert block.failure is None
    assert len(block.rows) == 80
    assert (block.deals["deal_turns"] > 12).all()


def test_memory__not_asked_for__is_none(tmp_path):
    spec = write_strategy(tmp_path, "None_", draw=f"if work.size != 0:\n    return 99\n{STOCK}")
    assert Path(spec.rpartition(":")[0]).exists()
    assert play_boards(Rules(), [parse_entry(spec).player()] * 4, 1, 0, 3).failure is None


def test_params__of_four_players__reach_their_own_hooks(tmp_path):
    body = "if params[0] != view.seat or params[1] != 0.5:\n    return 99\n" + STOCK
    more = 'params = (Param("seat", 0, 0, 3, "its seat"), Param("half", 0.5, 0, 1, "a half"))'
    spec = write_strategy(tmp_path, "Knows", draw=body, more=more)
    players = [parse_entry(f"{spec}[seat={seat}]").player() for seat in range(4)]
    assert play_boards(Rules(), players, 1, 0, 4, rotations=(0,)).failure is None
    turned = [players[seat ^ 1] for seat in range(4)]
    assert play_boards(Rules(), turned, 1, 0, 4, rotations=(1,)).failure is None
    assert play_boards(Rules(), turned, 1, 0, 4, rotations=(0,)).failure is not None
