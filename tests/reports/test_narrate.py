"""A match told for people: golden logs, and the same story told by the plain twin."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import twin
from house import brief, spread
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.reports.narrate import melds_text, narrate
from persian_rummy.sim.cards import mask_of, parse_card
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.transcript import TranscriptError, play_transcript
from persian_rummy.strategies.registry import parse_entry

GOLDEN = Path(__file__).parents[1] / "data" / "golden"
COMMAND = ["match", "random", "greedy", "--seed", "1", "--board", "0"]


def show(cards: Any) -> str:
    """Return cards for people, ascending; a dash for none."""
    symbols = dict(zip("CDHS", "♣♦♥♠", strict=True))
    texts = ["★" if c[0] == "*" else c[0] + symbols[c[1]] for c in sorted(cards, key=twin.card_id)]
    return " ".join(texts) or "-"


def show_in_order(cards: list[str]) -> str:
    return " ".join(show([card]) for card in cards) or "-"


def show_melds(deal: twin.Deal) -> str:
    """Return sets by rank, then by suit the stretches of cards that lie in runs."""
    groups = [
        show(cards)
        for rank in twin.RANKS
        if (cards := [card for card in deal.sets_on_table() if card[0] == rank])
    ]
    for suit in twin.SUITS:
        line = "".join(r if r + suit in deal.runs_on_table() else " " for r in twin.RUN_RANKS)
        groups += [show([rank + suit for rank in word]) for word in line.split()]
    return " | ".join(groups) or "-"


class Teller:
    """Tells a deal from its transcript with the twin."""

    def __init__(self, deal: dict[str, Any], rules: dict[str, Any], seats: list[str]) -> None:
        self.deal = twin.Deal(rules, deal["dealer"], deck=deal["deck"].split())
        self.actions, self.seats, self.score = deal["actions"], seats, deal["score"]

    def lines(self, title: str) -> Iterator[str]:
        deal = self.deal
        yield from ("", f"DEAL {title}, dealt by seat {deal.dealer} {self.seats[deal.dealer]}")
        for seat in range(4):
            yield f"  seat {seat} {self.seats[seat]:<12} {show(deal.hands[seat])}"
        yield f"  turned up {show(deal.pile)}, stock {len(deal.stock)}"
        turn = 0
        for text in self.actions:
            seat = deal.seat
            if text[0] in "STP":
                turn += 1
                yield from (
                    "",
                    f"turn {turn}  seat {seat} {self.seats[seat]}   {show(deal.hands[seat])}",
                )
            yield "  " + self.words(text)
            if deal.over or text[0] in "DKP":
                yield from self.standing(seat, text)
        yield f"  {self.ending()}: {self.score[0]} to {self.score[1]}"

    def words(self, text: str) -> str:
        """Play an action; return what was done."""
        deal, kind = self.deal, text[0]
        cards = [text[at : at + 2] for at in range(1, len(text), 2)]
        stock, pile, before = list(deal.stock), list(deal.pile), sum(deal.melded)
        least = {"=": 3, "-": deal.rules["min_run"]}.get(kind, 0)
        deal.apply(text)
        if kind in "=-":
            meld = {"=": "set", "-": "run"}[kind]
            done = (
                f"lays the {meld} {show(cards)}"
                if len(cards) >= least
                else (f"lays off {show(cards)} on a {meld}")
            )
            return f"{done}, {sum(deal.melded) - before} points"
        if kind == "T":
            bound = f", {show(cards)} is bound" if deal.bound else ""
            return f"takes {show_in_order(pile[pile.index(cards[0]) :])} from the pile{bound}"
        return {
            "S": f"draws {show(stock[:1])} from the stock",
            "P": "passes",
            "K": "keeps his cards: none may be discarded",
            "D": f"discards {show(cards)}",
        }[kind]

    def standing(self, seat: int, text: str) -> Iterator[str]:
        deal = self.deal
        if text[0] == "D" and not deal.hands[seat] and deal.out_seat is None:
            yield "  floats: he holds no cards and stays in play"
        yield f"  hand   {show(deal.hands[seat])}"
        yield f"  table  {show_melds(deal)}"
        points = f"points {deal.melded[0]} to {deal.melded[1]}"
        yield f"  pile   {show_in_order(deal.pile)}   stock {len(deal.stock)}   {points}"

    def ending(self) -> str:
        if self.deal.out_seat is not None:
            return f"seat {self.deal.out_seat} goes out"
        return "the deal is cut off" if self.deal.cut_off else "the stock is exhausted"


def tell(match: dict[str, Any]) -> list[str]:
    """Return the lines that tell the deals of a match, by the twin."""
    lines = []
    for number, deal in enumerate(match["deals"], start=1):
        teller = Teller(deal, match["rules"], match["seats"])
        lines += teller.lines(f"{number} of {len(match['deals'])}")
    return [*lines, "", f"match: {match['score'][0]} to {match['score'][1]}"]


@pytest.mark.parametrize("preset", ["persian", "rummy500"])
def test_match__golden_log__is_unchanged(preset):
    arguments = [*COMMAND, *(["--rules", preset] if preset != "persian" else [])]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert result.stdout == (GOLDEN / f"match-{preset}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("preset", ["persian", "rummy500"])
def test_golden_log__is_what_the_twin_tells(preset):
    result = CliRunner().invoke(app, [*COMMAND, "--rules", preset, "--json"])
    match = json.loads(result.stdout)
    lines = (GOLDEN / f"match-{preset}.txt").read_text(encoding="utf-8").splitlines()
    head = [
        "random and random (seats 0, 2) against greedy and greedy (seats 1, 3)",
        "seed 1, board 0, rotation 0, rules: "
        + {
            "persian": "persian",
            "rummy500": "out_bonus=0 four_multiplier=1 jokers=0 last_discard=goes_out "
            "exhausted=first_pass",
        }[preset],
    ]
    assert lines == [*head, *tell(match)]
    assert twin.check_transcript(match) == match["score"]


@pytest.mark.parametrize("rules", spread(12), ids=brief)
def test_narrate__house_rules__as_the_twin_tells(rules):
    names = ["random", "greedy", "hunter", "doubler"]
    match = play_transcript(rules, [parse_entry(n).player() for n in names], names, 6, 2, 0)
    assert list(narrate(match))[2:] == tell(match)


@pytest.mark.parametrize(
    ("min_run", "board", "line"),
    [(4, 6, "lays off T♥ J♥ Q♥ on a run, 30 points"), (5, 581, "lays off 5♦ 6♦ 7♦ on a run, 18")],
)
def test_narrate__stretch_below_min_run__is_laid_off(min_run, board, line):
    names = ["random", "greedy"] * 2
    players = [parse_entry(name).player() for name in names]
    match = play_transcript(Rules(min_run=min_run), players, names, 1, board, 0)
    lines = list(narrate(match))
    assert any(line in told for told in lines)
    assert lines[2:] == tell(match)


def test_narrate__transcript_without_a_seed__says_less():
    match = json.loads((GOLDEN.parent / "transcripts.jsonl").read_text().splitlines()[0])
    lines = list(narrate(match))
    assert lines[1] == "rules: persian"
    assert lines[2:] == tell(match)


def test_narrate__transcript_that_does_not_hold__raises():
    match = json.loads((GOLDEN.parent / "transcripts.jsonl").read_text().splitlines()[0])
    match["deals"][0]["actions"][0] = "P"
    with pytest.raises(TranscriptError, match=r"deals\[0\]\.actions\[0\]: P is illegal"):
        list(narrate(match))


def test_melds_text__neighbouring_runs__are_one_stretch():
    def mask(text: str) -> int:
        return mask_of(parse_card(card) for card in text.split())

    runs = mask("2C 3C 4C 5C 6C 7C TC JC QC QS KS AS")
    text = melds_text(mask("9C 9D 9H *C *D *S"), runs)
    assert text == "9♣ 9♦ 9♥ | ★ ★ ★ | 2♣ 3♣ 4♣ 5♣ 6♣ 7♣ | T♣ J♣ Q♣ | Q♠ K♠ A♠"
    assert melds_text(0, 0) == ""
