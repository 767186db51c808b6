"""The counters of a match equal those recounted, action by action, from its transcript."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from house import brief, spread
from small_runs import write_strategy
from twin import Deal, card_points, full_rules

from persian_rummy.sim.columns import ROW_DTYPE, to_columns
from persian_rummy.sim.kernel import play_block
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import play_transcript
from persian_rummy.strategies.registry import parse_entry

RULES = spread(24)
SEED = 77


class Recount:
    """Reads a deal's actions as a person would who knows RULES.md, and counts for each team."""

    def __init__(self, rules: dict[str, Any], deal: dict[str, Any]) -> None:
        self.rules = full_rules(rules)
        self.teams: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        deck, self.seat = deal["deck"].split(), (deal["dealer"] + 1) % 4
        self.hands = [set[str](), set[str](), set[str](), set[str]()]
        for place, card in enumerate(deck[:28]):
            self.hands[(deal["dealer"] + 1 + place) % 4].add(card)
        self.pile, self.stock = [deck[28]], deck[29:]
        self.turns = 0
        self.out: int | None = None
        twin = Deal(rules, deal["dealer"], deck)
        for text in deal["actions"]:
            self.count_decisions(text[0], {action[0] for action in twin.legal_actions()})
            self.read(text[0], [text[at : at + 2] for at in range(1, len(text), 2)])
            twin.apply(text)
        for seat in range(4):
            self.teams[seat % 2]["left_points"] += self.worth(self.hands[seat])

    def worth(self, cards: Any) -> int:
        return sum(card_points(card, self.rules) for card in cards)

    def read(self, kind: str, cards: list[str]) -> None:
        count, hand = self.teams[self.seat % 2], self.hands[self.seat]
        if kind in "STP":
            self.turns += 1
        if kind == "S":
            count["stock_draws"] += 1
            hand.add(self.stock.pop(0))
        elif kind == "T":
            place = self.pile.index(cards[0])
            count["takes"] += 1
            count["cards_taken"] += len(self.pile) - place
            hand.update(self.pile[place:])
            del self.pile[place:]
        elif kind == "P":
            count["passes"] += 1
            self.seat = (self.seat + 1) % 4
        elif kind in "=-":
            hand.difference_update(cards)
            self.count_play(kind, cards, count)
            if not hand:
                self.goes_out(count)
        else:
            self.end_turn(kind, cards, count, hand)

    def count_decisions(self, kind: str, legal: set[str]) -> None:
        """A hook is asked to draw where the pile can be taken, to lay where anything can be."""
        asked = "T" in legal or not legal.isdisjoint("=-")
        self.teams[self.seat % 2]["decisions"] += asked + (kind == "D")

    def count_play(self, kind: str, cards: list[str], count: Counter[str]) -> None:
        least = 3 if kind == "=" else self.rules["min_run"]
        name = {"=": "set", "-": "run"}[kind] if len(cards) >= least else "layoff"
        count[f"{name}s"] += 1
        count[f"{name}_points"] += self.worth(cards)
        doubles = cards[0][0] != "*" or self.rules["double_jokers"]
        extra = (self.rules["four_multiplier"] - 1) * self.worth(cards)
        if kind == "=" and len(cards) == 4 and doubles and extra:
            count["doubles"] += 1
            count["double_points"] += extra

    def end_turn(self, kind: str, cards: list[str], count: Counter[str], hand: set[str]) -> None:
        if kind == "K":
            count["keeps"] += 1
        else:
            hand.remove(cards[0])
            self.pile.append(cards[0])
            if not hand and self.rules["last_discard"] == "goes_out":
                return self.goes_out(count)
            count["floats"] += not hand
        self.seat = (self.seat + 1) % 4
        return None

    def goes_out(self, count: Counter[str]) -> None:
        count["outs"] += 1
        count["out_points"] += self.rules["out_bonus"]
        self.out = self.seat % 2


def recount(transcript: dict[str, Any]) -> tuple[list[Counter[str]], list[tuple[Any, ...]]]:
    """Return the counts of both teams over all deals, and (turns, end, scores) of each deal."""
    totals: list[Counter[str]] = [Counter(), Counter()]
    deals = []
    for deal in transcript["deals"]:
        read = Recount(transcript["rules"], deal)
        scores = []
        for team, count in enumerate(read.teams):
            gains = ("set", "run", "layoff", "double", "out")
            won = sum(count[f"{name}_points"] for name in gains)
            scores.append(won - count["left_points"])
            totals[team].update(count)
        cut = full_rules(transcript["rules"])["top_card"] == "free" and read.turns == 200
        end = read.out if read.out is not None else 3 if cut else 2
        deals.append((read.turns, end, scores))
    return totals, deals


def check(rules: Rules, specs: tuple[str, str], boards: int) -> None:
    """Compare every column of some boards with what is recounted from the transcripts."""
    players = [parse_entry(spec).player() for spec in specs] * 2
    names = ["first", "second"] * 2
    block = play_boards(rules, players, SEED, 0, boards, checked=True)
    assert block.failure is None
    columns = to_columns(block.rows, block.sides, block.deals)
    for match in range(2 * boards):
        board, rotation = divmod(match, 2)
        row = {name: int(column[match]) for name, column in columns.items()}
        transcript = play_transcript(rules, players, names, SEED, board, rotation)
        totals, deals = recount(transcript)
        assert (row["board"], row["rotation"], row["dealer"]) == (board, rotation, board % 4)
        assert row["turns"] == sum(turns for turns, _, _ in deals)
        for team, count in enumerate(totals):
            side = "ab"[team ^ rotation]
            score = sum(scores[team] for _, _, scores in deals)
            assert row[f"score_{side}"] == score == transcript["score"][team]
            ours = {n[:-2]: v for n, v in row.items() if n.endswith(f"_{side}") and v}
            assert {k: v for k, v in count.items() if v} == {
                k: v for k, v in ours.items() if k != "score"
            }
        for number, (turns, end, scores) in enumerate(deals, start=1):
            assert row[f"deal_turns_{number}"] == turns
            assert row[f"deal_end_{number}"] == (end ^ rotation if end < 2 else end)
            assert row[f"deal_score_a_{number}"] == scores[rotation]
            assert row[f"deal_score_b_{number}"] == scores[1 - rotation]


@pytest.mark.parametrize("rules", RULES, ids=brief)
def test_counters__random_matches__as_recounted(rules):
    check(rules, ("random", "greedy"), 12)


@pytest.mark.parametrize("exhausted", ["four_passes", "stock_empty"])
def test_counters__cards_swapped_for_ever__cut_off_after_200_turns(tmp_path, exhausted):
    rules = Rules(top_card="free", exhausted=exhausted, deals=3)
    swaps = write_strategy(
        tmp_path,
        "Swaps",
        draw="return view.pile_size - 1",  # the top card, free while the stock has cards
        discard="return trailing_zeros(view.hand & ~(np.uint64(1) << np.uint64(view.free_top)))",
    )
    check(rules, (swaps, swaps), 2)
    block = play_boards(rules, [parse_entry(swaps).player()] * 4, 1, 0, 3)
    assert (block.deals["deal_turns"] == 200).all()
    assert (block.deals["deal_end"] == 3).all()
    assert (block.sides["takes"] == 3 * 100).all()
    assert not block.sides["out_points"].any()


def test_counters__spread_of_rules__every_event_occurs():
    seen: Counter[str] = Counter()
    ends = set()
    player = parse_entry("random").player()
    for rules in RULES:
        block = play_boards(rules, [player] * 4, SEED, 0, 60)
        seen.update({name: int(block.sides[name].sum() != 0) for name in block.sides.dtype.names})
        ends |= set(block.deals["deal_end"].ravel().tolist())
    assert {name for name, runs in seen.items() if not runs} == set()
    assert ends == {0, 1, 2}  # the cut is tested above


@pytest.mark.parametrize("rules", [Rules(), Rules(deals=3, jokers=0)])
def test_score__is_the_sum_of_its_sources_and_of_its_deals(rules):
    block = play_boards(rules, [parse_entry(n).player() for n in ("miser", "random")] * 2, 1, 0, 99)
    sides = {name: block.sides[name].astype(int) for name in block.sides.dtype.names}
    gains = ("set", "run", "layoff", "double", "out")
    total = sum(sides[f"{name}_points"] for name in gains) - sides["left_points"]
    np.testing.assert_array_equal(sides["score"], total)
    for side, name in enumerate("ab"):
        np.testing.assert_array_equal(
            sides["score"][:, side], block.deals[f"deal_score_{name}"].sum(axis=1)
        )
    draws = sides["stock_draws"] + sides["takes"] + sides["passes"]
    np.testing.assert_array_equal(draws.sum(axis=1), block.rows["turns"])
    np.testing.assert_array_equal(block.rows["turns"], block.deals["deal_turns"].sum(axis=1))


def test_rotations__asked_for__are_those_of_the_block():
    players = [parse_entry(n).player() for n in ("greedy", "random")] * 2
    both = play_boards(Rules(), players, 5, 40, 10)
    for rotation in (0, 1):
        one = play_boards(Rules(), players, 5, 40, 10, rotations=(rotation,))
        np.testing.assert_array_equal(one.rows, both.rows[rotation::2])
        np.testing.assert_array_equal(one.sides, both.sides[rotation::2])
        np.testing.assert_array_equal(one.deals, both.deals[rotation::2])
    assert both.rows.dtype == ROW_DTYPE


def test_play_block__compiled_once_for_all_strategies():
    for name in ("random", "greedy", "hunter"):
        play_boards(Rules(), [parse_entry(name).player()] * 4, 1, 0, 1)
    assert len(play_block.signatures) == 1
