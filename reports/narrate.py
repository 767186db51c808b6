"""A match told turn by turn, for people: from its transcript alone."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..sim.cards import FIRST_JOKER, RANKS, card_symbol, mask_symbols
from ..sim.deal import apply_action, deal_score, hand_of
from ..sim.melds import DISCARD, KEEP, PASS, SET, STOCK, TAKE
from ..sim.notation import action_cards, action_kind
from ..sim.state import CUT_OFF, NO_CARD, PLAYING, WENT_OUT
from ..sim.transcript import Step, replay


def narrate(transcript: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that tell a match; raises TranscriptError where it does not hold."""
    seats = transcript["seats"]
    yield f"{seats[0]} and {seats[2]} (seats 0, 2) against {seats[1]} and {seats[3]} (seats 1, 3)"
    known = [
        f"{key} {transcript[key]}" for key in ("seed", "board", "rotation") if key in transcript
    ]
    house = [f"{name}={value}" for name, value in transcript["rules"].items()]
    yield ", ".join([*known, "rules: " + (" ".join(house) or "persian")])
    for step in replay(transcript):
        if step.index == 0:
            yield from _deal_head(step, transcript)
        yield from _tell(step, seats)
    yield ""
    yield f"match: {transcript['score'][0]} to {transcript['score'][1]}"


def tell_decisions(decisions: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines that tell decisions (`sim.explain`)."""
    for decision in decisions:
        saw = decision["saw"]
        yield (
            f"deal {decision['deal']}, turn {decision['turn']}, seat {decision['seat']} "
            f"{decision['strategy']}: {decision['hook']}"
        )
        known = ", ".join(f"seat {seat} {cards}" for seat, cards in saw["known"].items())
        yield f"  hand   {saw['hand']}" + (f"   bound {saw['bound']}" if saw["bound"] else "")
        yield f"  table  sets {saw['sets'] or '-'}   runs {saw['runs'] or '-'}"
        yield f"  pile   {saw['pile'] or '-'}   stock {saw['stock']}"
        counts = " ".join(map(str, saw["counts"]))
        yield f"  cards  {counts}   points {saw['points'][0]} to {saw['points'][1]}" + (
            f"   known: {known}" if known else ""
        )
        for option in decision["legal"]:
            mark = ">" if option["action"] == decision["chosen"] else " "
            rating = "" if option["rating"] is None else f"{option['rating']:10.2f}"
            yield f"  {mark} {option['action'] or 'no more melds':<16}{rating}".rstrip()
        yield ""


def _deal_head(step: Step, transcript: dict[str, Any]) -> Iterator[str]:
    table, hidden = step.table[0], step.hidden[0]
    dealer = int(table["dealer"])
    yield ""
    yield (
        f"DEAL {step.deal + 1} of {len(transcript['deals'])}, "
        f"dealt by seat {dealer} {transcript['seats'][dealer]}"
    )
    for seat, name in enumerate(transcript["seats"]):
        yield f"  seat {seat} {name:<12} {mask_symbols(hand_of(table, hidden, seat))}"
    yield f"  turned up {card_symbol(int(table['pile'][0]))}, stock {int(table['stock_size'])}"


def _tell(step: Step, seats: list[str]) -> Iterator[str]:
    """Yield the lines of one action, and of what follows from it."""
    table, hidden = step.table.copy(), step.hidden.copy()
    seat, turn = int(table["seat"][0]), int(table["turns"][0]) + 1
    kind = action_kind(step.action)
    if kind in (STOCK, TAKE, PASS):
        yield ""
        yield f"turn {turn}  seat {seat} {seats[seat]}   {mask_symbols(table['hand'][0]) or '-'}"
    apply_action(table[0], hidden[0], step.action)
    yield "  " + action_words(step, table[0])
    if int(table["turns"][0]) == turn or table["status"][0] != PLAYING:
        yield from _after_turn(table, hidden, seat, kind)


def action_words(step: Step, after: Any) -> str:
    """Return an action in words; `after` is the table when it has been played."""
    kind, cards = action_kind(step.action), action_cards(step.action)
    shown = " ".join(card_symbol(card) for card in cards)
    if kind == STOCK:
        drawn = int(step.hidden[0]["deck"][int(step.hidden[0]["next_card"])])
        return f"draws {card_symbol(drawn)} from the stock"
    if kind == TAKE:
        n_left, n_before = int(after["pile_size"]), int(step.table[0]["pile_size"])
        taken = [int(card) for card in step.table[0]["pile"][n_left:n_before]]
        bound = "" if int(after["bound"]) == NO_CARD else f", {shown} is bound"
        return f"takes {' '.join(card_symbol(card) for card in taken)} from the pile{bound}"
    if kind == PASS:
        return "passes"
    if kind == KEEP:
        return "keeps his cards: none may be discarded"
    if kind == DISCARD:
        return f"discards {shown}"
    table = step.table[0]
    new = len(cards) >= 3 if kind == SET else len(cards) >= int(table["rules"]["min_run"])
    meld = "set" if kind == SET else "run"
    team = int(table["seat"]) & 1
    gained = int(after["points"][team]) - int(table["points"][team])
    said = f"lays the {meld} {shown}" if new else f"lays off {shown} on a {meld}"
    return f"{said}, {gained} points"


def _after_turn(table: Any, hidden: Any, seat: int, kind: int) -> Iterator[str]:
    """Yield how the table stands after a turn, and the end of the deal."""
    state = table[0]
    hand = int(hidden[0]["hands"][seat])
    if hand == 0 and int(state["out_seat"]) != seat and kind == DISCARD:
        yield "  floats: he holds no cards and stays in play"
    pile = " ".join(card_symbol(int(card)) for card in state["pile"][: int(state["pile_size"])])
    yield f"  hand   {mask_symbols(hand) or '-'}"
    yield f"  table  {melds_text(int(state['sets_mask']), int(state['runs_mask'])) or '-'}"
    yield (
        f"  pile   {pile or '-'}   stock {int(state['stock_size'])}   "
        f"points {int(state['points'][0])} to {int(state['points'][1])}"
    )
    if state["status"] == PLAYING:
        return
    score = [int(deal_score(state, hidden[0], team)) for team in (0, 1)]
    yield f"  {end_words(state)}: {score[0]} to {score[1]}"


def end_words(table: Any) -> str:
    """Return in words how a deal that is over has ended."""
    if table["status"] == WENT_OUT:
        return f"seat {int(table['out_seat'])} goes out"
    return "the deal is cut off" if table["status"] == CUT_OFF else "the stock is exhausted"


def melds_text(sets_mask: int, runs_mask: int) -> str:
    """Return the melds on the table for people: sets by rank, then runs by suit.

    Neighbouring runs are shown as one: which of them a card joined makes no difference.
    """
    groups = []
    for rank in range(len(RANKS)):
        if mine := sets_mask & 0xF << 4 * rank:
            groups.append(mask_symbols(mine))
    for suit in range(4):
        run: list[int] = []
        for card in range(suit, FIRST_JOKER, 4):
            if runs_mask >> card & 1:
                run.append(card)
            elif run:
                groups.append(" ".join(map(card_symbol, run)))
                run = []
        if run:
            groups.append(" ".join(map(card_symbol, run)))
    return " | ".join(groups)
