"""Transcripts (RULES section 7): play one and write it down, read one and check every word."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from .cards import deck_text, parse_deck
from .deal import apply_action, deal_score, start_deal, why_illegal
from .errors import PrummyError, shown
from .jit import jit_apart
from .match import Failure, play_boards
from .notation import action_text, parse_action
from .reasons import REASONS
from .rules import Rules, RulesError, rules_from_dict
from .seeds import deck_key, shuffle
from .state import PLAYING, new_state
from .view import Player

FORMAT = "persian-rummy-transcript"
VERSION = 1
NO_ACTION = np.uint64(np.iinfo(np.uint64).max)
MAX_ACTIONS_A_DEAL = 2000  # far above what 200 turns or an exhausted pack allow


class TranscriptError(PrummyError, ValueError):
    """A transcript that does not hold; the message begins with the field at fault."""


class StrategyFailedError(PrummyError):
    """A strategy answered what the rules do not allow; `failure` says where."""

    def __init__(self, name: str, failure: Failure) -> None:
        self.name = name
        self.failure = failure
        super().__init__(
            f"{name} failed: {failure.what} "
            f"(board {failure.board}, rotation {failure.rotation}, deal {failure.deal + 1}, "
            f"seat {failure.seat})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.failure)


@dataclass(frozen=True)
class Step:
    """One moment of a replay: the position, and the action that is about to be played.

    `table` and `hidden` are the arrays that the replay goes on with: copy what is to be kept.
    """

    deal: int
    index: int
    action: np.uint64
    table: np.ndarray
    hidden: np.ndarray


def play_transcript(
    rules: Rules,
    players: Sequence[Player],
    names: Sequence[str],
    seed: int,
    board: int,
    rotation: int,
    game: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the transcript of one match.

    Parameters
    ----------
    players, names
        Four each, by seat in rotation 0.
    game
        As in `match.play_boards`.

    Raises
    ------
    StrategyFailedError
        When a strategy's answer is not legal.
    """
    log = empty_log(rules)
    block = play_boards(rules, players, seed, board, 1, (rotation,), log=log, game=game)
    if block.failure is not None:
        raise StrategyFailedError(names[block.failure.player], block.failure)
    return transcript_of_log(rules, names, seed, board, rotation, log)


def transcript_of_log(
    rules: Rules, names: Sequence[str], seed: int, board: int, rotation: int, log: np.ndarray
) -> dict[str, Any]:
    """Return the transcript of a match from its log; `names` are by seat in rotation 0.

    Raises TranscriptError for a log that ends before the match.
    """
    deals: list[dict[str, Any]] = []
    for dealer, deck, actions, table, hidden in _deals_of_log(rules, seed, board, log):
        if table["status"][0] == PLAYING:
            raise TranscriptError(f"deals[{len(deals)}]: it was not played to its end")
        score = [int(deal_score(table[0], hidden[0], team)) for team in (0, 1)]
        deals.append({"dealer": dealer, "deck": deck, "actions": actions, "score": score})
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": rules.to_dict(),
        "seats": [names[seat ^ rotation] for seat in range(4)],
        "seed": seed,
        "board": board,
        "rotation": rotation,
        "deals": deals,
        "score": [sum(deal["score"][team] for deal in deals) for team in (0, 1)],
    }


def empty_log(rules: Rules) -> np.ndarray:
    """Return an array (uint64) that has room for the actions of a match (`match.play_boards`)."""
    return np.full(MAX_ACTIONS_A_DEAL * rules.deals, NO_ACTION, np.uint64)


def last_position(
    rules: Rules, seed: int, board: int, deal: int, log: np.ndarray
) -> dict[str, Any]:
    """Return the position after the last action of a deal in a log, in the form `perft` reads."""
    deals = islice(_deals_of_log(rules, seed, board, log), deal + 1)
    dealer, deck, actions, _, _ = list(deals)[-1]
    return {"rules": rules.to_dict(), "dealer": dealer, "deck": deck, "after": actions}


def _deals_of_log(
    rules: Rules, seed: int, board: int, log: np.ndarray
) -> Iterator[tuple[int, str, list[str], np.ndarray, np.ndarray]]:
    """Yield dealer, deck, actions and the position after them, of each deal that a log tells.

    The last one may not be over.
    """
    place = 0
    deck = np.zeros(rules.pack_size, np.uint8)
    for number in range(rules.deals):
        dealer = (board + number) % 4
        shuffle(deck, rules.pack_size, deck_key(np.uint64(seed), board, number))
        text = deck_text(deck)
        table, hidden = _dealt(rules, dealer, deck)
        start, place = place, play_on(table[0], hidden[0], log, place)
        yield dealer, text, [action_text(action) for action in log[start:place]], table, hidden
        if table["status"][0] == PLAYING:
            return


@jit_apart
def play_on(table: Any, hidden: Any, log: Any, place: int) -> int:
    """Play what a log says from a place on, until the deal is over; return where that ended."""
    while table.status == PLAYING and place < log.size and log[place] != NO_ACTION:
        apply_action(table, hidden, log[place])
        place += 1
    return place


def _dealt(
    rules: Rules, dealer: int, deck: Sequence[int] | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    table, hidden = new_state(rules)
    start_deal(table[0], hidden[0], np.array(deck, np.uint8), dealer)
    return table, hidden


def parse_transcripts(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, transcript as parsed JSON) for each line that is not blank.

    Raises
    ------
    TranscriptError
        For a line that is not one JSON object, and for a file without any; the message begins
        with the line.
    """
    found = False
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TranscriptError(f"line {number}: not JSON: {error}") from None
        if not isinstance(value, dict):
            raise TranscriptError(f"line {number}: a transcript is a JSON object")
        found = True
        yield number, value
    if not found:
        raise TranscriptError("line 1: the file holds no transcript")


def check_transcript(transcript: dict[str, Any]) -> list[int]:
    """Return the match score of a transcript that holds in every point.

    Raises
    ------
    TranscriptError
        With the first field that does not: malformed, an illegal action and the rule that forbids
        it, a wrong score.
    """
    for _ in replay(transcript):
        pass
    return [int(points) for points in transcript["score"]]


def replay(transcript: dict[str, Any]) -> Iterator[Step]:
    """Yield the position before every action of a transcript, checking as it goes.

    Raises TranscriptError like `check_transcript`.
    """
    rules = _check_head(transcript)
    total = [0, 0]
    for number, deal in enumerate(transcript["deals"]):
        field = f"deals[{number}]"
        table, hidden = _check_deal_head(rules, deal, field)
        if number and deal["dealer"] != (transcript["deals"][0]["dealer"] + number) % 4:
            raise TranscriptError(f"{field}.dealer: the deal passes to the left (RULES section 2)")
        table["deal"], table["match_points"] = number, total
        for index, text in enumerate(deal["actions"]):
            action = _check_action(table, text, f"{field}.actions[{index}]")
            yield Step(number, index, action, table, hidden)
            apply_action(table[0], hidden[0], action)
        if table["status"][0] == PLAYING:
            raise TranscriptError(f"{field}.actions: the deal is not over after the last action")
        score = [int(deal_score(table[0], hidden[0], team)) for team in (0, 1)]
        _check_score(deal["score"], score, f"{field}.score")
        total = [total[team] + score[team] for team in (0, 1)]
    _check_score(transcript["score"], total, "score")


def _check_head(transcript: dict[str, Any]) -> Rules:
    """Return the rules of a transcript whose outer fields are well formed."""
    if _field(transcript, "format", str, "") != FORMAT:
        raise TranscriptError(f"format: {shown(transcript['format'])} is not {FORMAT!r}")
    if _field(transcript, "version", int, "") != VERSION:
        raise TranscriptError(f"version: {shown(transcript['version'])} is not {VERSION}")
    try:
        rules = rules_from_dict(_field(transcript, "rules", dict, ""))
    except RulesError as error:
        raise TranscriptError(f"rules: {error}") from None
    seats = _field(transcript, "seats", list, "")
    if len(seats) != 4 or not all(isinstance(name, str) and name for name in seats):
        raise TranscriptError("seats: not four names")
    for name, highest in (("seed", 2**64 - 1), ("board", 2**63 - 1), ("rotation", 1)):
        if name in transcript and not 0 <= _field(transcript, name, int, "") <= highest:
            raise TranscriptError(f"{name}: {shown(transcript[name])} is not from 0 to {highest}")
    deals = _field(transcript, "deals", list, "")
    if len(deals) != rules.deals:
        raise TranscriptError(f"deals: there are {len(deals)}, the rules say {rules.deals}")
    _field(transcript, "score", list, "")
    return rules


def _check_deal_head(rules: Rules, deal: Any, field: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the position after dealing, of a deal whose fields are well formed."""
    if not isinstance(deal, dict):
        raise TranscriptError(f"{field}: a deal is a JSON object")
    dealer = _field(deal, "dealer", int, field)
    if not 0 <= dealer <= 3:
        raise TranscriptError(f"{field}.dealer: {shown(dealer)} is not a seat from 0 to 3")
    _field(deal, "actions", list, field)
    _field(deal, "score", list, field)
    text = _field(deal, "deck", str, field)
    try:
        deck = parse_deck(text, rules.jokers)
    except ValueError as error:
        raise TranscriptError(f"{field}.deck: {error}") from None
    return _dealt(rules, dealer, deck)


def _check_action(table: np.ndarray, text: Any, field: str) -> np.uint64:
    """Return the action of a text that is legal in a position."""
    if not isinstance(text, str):
        raise TranscriptError(f"{field}: {shown(text)} is not text")
    try:
        action = parse_action(text)
    except ValueError as error:
        raise TranscriptError(f"{field}: {error}") from None
    if code := why_illegal(table[0], action):
        raise TranscriptError(f"{field}: {text} is illegal: {REASONS[code]}")
    return action


def _check_score(given: Any, right: list[int], field: str) -> None:
    whole = isinstance(given, list) and all(type(points) is int for points in given)
    if not whole or given != right:
        raise TranscriptError(f"{field}: {shown(given)} is wrong, it is {right} (RULES section 6)")


def _field(where: dict[str, Any], name: str, kind: type, outer: str) -> Any:
    """Return a field of a JSON object that must be there and of a kind."""
    path = f"{outer}.{name}" if outer else name
    if name not in where:
        raise TranscriptError(f"{path}: missing")
    value = where[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        words = {str: "text", int: "a whole number", list: "a list", dict: "an object"}
        raise TranscriptError(f"{path}: {shown(value)} is not {words[kind]}")
    return value
