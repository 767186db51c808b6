"""That the idea of a strategy shows in what it does: in a position, and in what is counted."""

import numpy as np
import pytest
from position import Position, ids

from persian_rummy.sim.cards import TEXTS, mask_of
from persian_rummy.sim.match import Block, play_boards
from persian_rummy.sim.notation import action_text, parse_action
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import play_transcript, replay
from persian_rummy.strategies.registry import parse_entry

FULL = "2C3D4H5S6C7D8H"  # any seven cards of another player


def ask(name: str, hook: int, position: Position) -> int:
    """Return what a hook (0: draw, 1: meld, 2: discard) of a strategy answers in a position."""
    entry = parse_entry(name)
    work = np.zeros(entry.strategy.work_size, np.int64)
    return entry.player().hooks[hook](position.table, entry.params, work)


def taken(name: str, position: Position) -> str:
    """Return the pile card that a strategy takes, with all above it; "S" for the stock."""
    answer = ask(name, 0, position)
    return "S" if answer < 0 else TEXTS[position.table["pile"][answer]]


def laid(name: str, position: Position) -> str:
    """Return the first play of a strategy as text; "" for none."""
    play = ask(name, 1, position)
    return action_text(play) if play else ""


def thrown(name: str, hand: str, pile: str = "", known: tuple[str, ...] = (), **more: str) -> str:
    """Return the card that a strategy throws from a hand; the other players hold seven cards."""
    position = Position((hand, FULL, FULL, FULL), pile=pile, stock="2S2H2D", drawn=True, **more)
    for seat, cards in enumerate(known):
        position.table["known"][seat] = mask_of(ids(cards))
    return TEXTS[ask(name, 2, position)]


def play(a: str, b: str = "greedy", boards: int = 300) -> Block:
    """Return boards of one strategy against another."""
    players = [parse_entry(name).player() for name in (a, b)] * 2
    block = play_boards(Rules(), players, 21, 0, boards)
    assert block.failure is None
    return block


def mean(a: str, column: str, b: str = "greedy", side: int = 0) -> float:
    """Return the mean of a column over matches of `a` against `b`, for `a` (side 0) or `b`."""
    return float(play(a, b).sides[column][:, side].mean())


@pytest.mark.parametrize(
    "name", ["closer", "counter", "feeder", "runner", "sentinel", "setter", "staller"]
)
def test_match__against_greedy__is_won_by_far(name):
    score = play(name).sides["score"]
    assert (score[:, 0] > score[:, 1]).mean() > 0.7


def test_setter_and_runner__pair_and_neighbours__each_keeps_its_own():
    assert thrown("setter", "5C5DJSQS") in {"JS", "QS"}
    assert thrown("runner", "5C5DJSQS") in {"5C", "5D"}


def test_setter_and_runner__meld_either_way__each_lays_its_own():
    position = Position(("5C6C7C7D7H2S", FULL, FULL, FULL), stock="2H2D", drawn=True)
    assert laid("setter", position) == "=7C7D7H"
    assert laid("runner", position) == "-5C6C7C"


def test_setter_and_runner__against_greedy__lay_more_of_their_own():
    """Measured: twice the sets of greedy and twice its runs; sets 9, runs 6 a match."""
    setter, runner = play("setter").sides, play("runner").sides
    for ours, others, column in ((setter, runner, "sets"), (runner, setter, "runs")):
        assert ours[column][:, 0].mean() > 1.5 * ours[column][:, 1].mean()
        assert ours[column][:, 0].mean() > 1.3 * others[column][:, 0].mean()


def test_sentinel__cheap_card_that_opens_the_pile__throws_a_dear_one():
    pile = "7HKSQDAD"
    assert thrown("sentinel", "8HTC", pile) == "TC"
    assert thrown("sentinel", "8HTC", "KSQDAD") == "8H"


def test_sentinel__against_greedy__leaves_it_little_of_the_pile():
    """Measured: greedy takes 10 cards a match from it, 22 from its own like."""
    assert mean("sentinel", "cards_taken", side=1) < 0.6 * mean("greedy", "cards_taken")


def test_counter__pair_whose_like_are_in_another_hand__is_thrown():
    hand = "4C4D8H8S"
    assert thrown("counter", hand, known=("", "", "4H4S"), points="fives") in {"4C", "4D"}
    assert thrown("counter", hand, known=("", "", "8C8D"), points="fives") in {"8H", "8S"}


def test_counter__take_for_a_hope__is_as_good_as_what_is_unseen():
    """The nines of the pile make a pair in hand; it is worth as much as the missing nines."""
    plain = Position(("KCKD2S", FULL, FULL, FULL), pile="KH9C9D", stock="3S")
    ratings = []
    for where in ("", "9H9S"):
        plain.table["known"][1] = mask_of(ids(where))
        entry = parse_entry("counter")
        ratings.append(entry.strategy.rate(plain.table, entry.params, parse_action("TKH")))
    assert ratings[0] > ratings[1] > 0


def test_feeder__card_that_only_the_partner_can_bind__is_thrown():
    hand = "9CJDAH"
    assert thrown("feeder", hand, known=("", "", "9D9H")) == "9C"
    assert thrown("feeder", hand, known=("", "9D9H", "")) != "9C"
    assert thrown("feeder", hand, known=("", "", "JCJH")) == "JD"


def fed(name: str) -> float:
    """Return how often, in a hundred turns, a side takes a top card that its partner threw."""
    players, names = [parse_entry(n).player() for n in (name, "greedy")] * 2, [name, "greedy"] * 2
    takes = turns = 0
    for board in range(60):
        for step in replay(play_transcript(Rules(), players, names, 4, board, 0)):
            table, action = step.table[0], action_text(step.action)
            if table["seat"] & 1 or action[0] not in "STP":
                continue
            turns += 1
            if action[0] == "T":
                at = list(table["pile"][: table["pile_size"]]).index(ids(action[1:])[0])
                takes += table["pile_by"][at] == table["seat"] ^ 2
    return 100 * takes / turns


def test_feeder__against_greedy__its_partner_binds_what_it_threw():
    """Measured: in 11 of 100 turns, 8 when it does not feed."""
    assert fed("feeder") > 1.2 * fed("feeder[feed=0]")


def test_closer__all_of_its_hand_fits__goes_out_only_when_the_partner_is_low():
    for partner, play in (("2C3D4H", "=7C7D7H"), (FULL, "")):
        position = Position(("7C7D7H", FULL, partner, FULL), stock="2S2H", drawn=True)
        assert laid("closer", position) == play
    position = Position(("7C7D7H2S", FULL, FULL, FULL), stock="2S2H", drawn=True)
    assert laid("closer", position) == "=7C7D7H"  # with a card left it does not go out


def test_closer__that_waits_for_an_empty_partner__goes_out_less():
    """Measured: 0.35 times a match, 0.77 when it never waits."""
    assert mean("closer[cards=0]", "outs") < 0.85 * mean("closer[cards=60]", "outs")


def test_sprinter__deep_take_that_fills_the_hand__is_left_to_others():
    position = Position(("7C7H", FULL, FULL, FULL), pile="7D2S4HJCQD5S9DKH", stock="3S3H")
    assert taken("sprinter", position) == "S"
    assert taken("staller", position) == "7D"
    position = Position(("7C7H", FULL, FULL, FULL), pile="2S4HJCQD7D", stock="3S3H")
    assert taken("sprinter", position) == "7D"


def test_sprinter__against_hunter__makes_deals_shorter_than_hunter_does():
    """Measured: 28 turns a deal, where hunter against its like plays 34."""
    turns = [play(name, "hunter").rows["turns"].mean() for name in ("sprinter", "hunter")]
    assert turns[0] < 0.9 * turns[1]


def test_staller__melds_in_hand__lays_them_when_time_is_short():
    hand = "7C7D7HTS4C"
    position = Position((hand, FULL, FULL, FULL), stock="2S2H3S3H", runs="7S8S9S", drawn=True)
    assert laid("staller", position) == "-TS"
    position.play("-TS")
    assert laid("staller", position) == ""
    position.table["counts"][3] = 1
    assert laid("staller", position) == "=7C7D7H"


def test_staller__against_greedy__makes_deals_longer():
    """Measured: 30 turns a deal, where greedy against its like plays 26."""
    longer, usual = (play(name).rows["turns"].mean() for name in ("staller", "greedy"))
    assert longer > 1.08 * usual
