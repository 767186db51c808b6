"""Commands on single matches and positions: match, verify, perft, draw, rules."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import common
from .engine import make_ready

if TYPE_CHECKING:
    from ..sim.rules import Rules
    from ..strategies.registry import Entry


def match(
    entries: Annotated[
        list[str],
        typer.Argument(
            metavar="STRATEGY...",
            help="Two strategies (team 0, team 1), or four, by seat, for mixed teams.",
        ),
    ],
    seed: common.SeedOption = 1,
    board: Annotated[int, typer.Option("--board", help="The board: decks and dealer.")] = 0,
    rotation: Annotated[
        int, typer.Option("--rotation", help="0, or 1 with the teams' seats changed.")
    ] = 0,
    rules: common.RulesOption = None,
    rule: common.RuleOption = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Tell each decision: what the strategy saw, what it could do, how it rated that.",
        ),
    ] = False,
    json_: common.JsonOption = False,
) -> None:
    """Play one match and tell it turn by turn, or as a transcript with --json.

    The match is the one that a tournament with this seed plays on this board. With --explain --json
    the decisions come instead, a list.

    Examples
    --------
      prummy match greedy random --seed 7 --board 3

      prummy match greedy my_bot.py:MyBot --explain

      prummy match greedy random --rotation 1 --json > match.jsonl

      prummy match greedy random hunter random --rule min_run=4
    """
    with common.user_errors():
        common.check_seed(seed)
        if len(entries) not in (2, 4):
            raise common.BadInputError("a match takes two strategies, or four for mixed teams")
        if rotation not in (0, 1):
            raise common.BadInputError(f"--rotation {rotation}: give 0 or 1")
        if not 0 <= board < 2**62:
            raise common.BadInputError(f"--board {board}: give a whole number from 0")
        from ..sim.rules import parse_rules

        house = parse_rules(rules, rule or ())
        from ..strategies.registry import parse_entries

        named = {entry.text: entry for entry in parse_entries(dict.fromkeys(entries))}
        entered = [named[text.strip()] for text in entries] * (4 // len(entries))
        transcript = play_match(house, entered, seed, board, rotation)
        decisions = _explained(transcript, entered) if explain else []
        if json_:
            common.print_json(decisions if explain else transcript)
        else:
            from ..reports.narrate import narrate, tell_decisions

            for line in tell_decisions(decisions) if explain else narrate(transcript):
                typer.echo(line)


def play_match(
    rules: "Rules", entered: "list[Entry]", seed: int, board: int, rotation: int
) -> dict[str, Any]:
    """Return the transcript of a match between four entries, by seat in rotation 0.

    A strategy that fails is told, and the command left.
    """
    make_ready(entered)
    from ..sim.transcript import StrategyFailedError, play_transcript

    names = [entry.name for entry in entered]
    which = (seed, board, rotation)
    try:
        if all(entry.is_built_in for entry in entered):
            players = [entry.player() for entry in entered]
            return play_transcript(rules, players, names, *which)
        from ..sim.apart import play_transcript_apart
        from ..sim.child import Limits

        texts = [entry.text for entry in entered]
        return play_transcript_apart(rules, texts, names, *which, Limits())
    except StrategyFailedError as error:
        common.note(f"prummy: {error}")
        raise typer.Exit(common.FAILED) from None


def _explained(transcript: dict[str, Any], entered: "list[Entry]") -> list[dict[str, Any]]:
    """Return the decisions of a match."""
    if all(entry.is_built_in for entry in entered):
        from ..sim.explain import explained

        return explained(transcript, entered)
    from ..sim.apart import explain_apart
    from ..sim.child import Limits

    return explain_apart(transcript, [entry.text for entry in entered], Limits())


def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file of transcripts, or - .")],
    json_: common.JsonOption = False,
) -> None:
    """Check transcripts, one a line, from anywhere: every action and every score.

    Exit code 0 when all hold; 1 at the first that does not, with line, field and rule.

    Examples
    --------
      prummy verify matches.jsonl

      prummy match greedy random --json | prummy verify -
    """
    from ..sim.transcript import TranscriptError, check_transcript, parse_transcripts

    with common.user_errors():
        data = _read(file)
    name = "standard input" if file == "-" else file
    checked = 0
    try:
        # "\n" alone ends a line: splitlines() would also cut at what a name may hold
        for number, transcript in parse_transcripts(_decode(data).split("\n")):
            try:
                check_transcript(transcript)
            except TranscriptError as error:
                raise TranscriptError(f"line {number}: {error}") from None
            checked += 1
    except (TranscriptError, common.BadInputError) as error:
        if json_:
            common.print_json({"valid": False, "transcripts": checked, "error": str(error)})
        common.note(f"prummy: {name}: {error}")
        raise typer.Exit(common.FAILED) from None
    if json_:
        common.print_json({"valid": True, "transcripts": checked, "error": None})
    else:
        typer.echo(f"{name}: {checked} transcript{'s' * (checked != 1)}, every action legal")


def _read(file: str) -> bytes:
    """Return what a file or standard input holds; raises BadInputError."""
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise common.BadInputError(f"{file}: cannot be read: {error.strerror}") from None


def _decode(data: bytes) -> str:
    """Return UTF-8 text; raises BadInputError with the line at fault."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise common.BadInputError(f"line {line}: not UTF-8 text") from None


def perft(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON positions, or - .")],
    depth: Annotated[
        int | None, typer.Option("--depth", help="Count to this depth, not the file's.")
    ] = None,
    json_: common.JsonOption = False,
) -> None:
    """Count the sequences of legal actions from positions; exit 1 where a given count differs.

    FILE is a list of {"rules", "dealer", "deck", "after", "depth", "nodes"}; nodes may be left out.

    Example:

      prummy perft positions.json
    """
    from ..sim.perft import MAX_DEPTH, parse_position
    from ..sim.perft import perft as count

    with common.user_errors():
        if depth is not None and not 0 <= depth <= MAX_DEPTH:
            raise common.BadInputError(
                f"--depth {depth}: give a whole number from 0 to {MAX_DEPTH}"
            )
        positions = _parse_positions(_read(file), file)
        read = [
            parse_position(position, f"{file}: position {number}")
            for number, position in enumerate(positions, start=1)
        ]
    found = []
    differ = 0
    for number, position in enumerate(read, start=1):
        levels = position.depth if depth is None else depth
        nodes = count(position.table, position.hidden, levels)
        found.append({"depth": levels, "nodes": nodes})
        line = f"{number:4}  depth {levels:2}  {nodes:>14,} nodes"
        if depth is None and position.nodes is not None:
            differ += nodes != position.nodes
            line += "  as given" if nodes == position.nodes else f"  given: {position.nodes:,}"
        if not json_:
            typer.echo(line)
    if json_:
        common.print_json(found)
    if differ:
        common.note(f"prummy: {file}: {differ} of {len(read)} counts differ from those given")
        raise typer.Exit(common.FAILED)


def _parse_positions(data: bytes, file: str) -> list[Any]:
    try:
        positions = json.loads(_decode(data))
    except (ValueError, RecursionError) as error:
        raise common.BadInputError(f"{file}: not JSON: {error}") from None
    except common.BadInputError as error:
        raise common.BadInputError(f"{file}: {error}") from None
    if not isinstance(positions, list) or not positions:
        raise common.BadInputError(f"{file}: not a list of positions")
    return positions


def draw(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="Four names.")],
    seed: common.SeedOption = 1,
    json_: common.JsonOption = False,
) -> None:
    """Draw for partners and dealer: the two lowest cards are partners, the lowest deals.

    Example:

      prummy draw Ann Bob Cid Dot --seed 3
    """
    with common.user_errors():
        common.check_seed(seed)
        if len(players) != 4 or len(set(players)) != 4:
            raise common.BadInputError("the draw takes four different names")
        import numpy as np

        from ..sim.cards import N_CARDS, card_text
        from ..sim.seating import draw_for_partners
        from ..sim.seeds import draw_key, shuffle

        pack = np.zeros(N_CARDS, np.uint8)
        shuffle(pack, N_CARDS, draw_key(np.uint64(seed)))
        seating = draw_for_partners([int(card) for card in pack])
    seats = [players[player] for player in seating.players]
    drawn = [{players[p]: card_text(card) for p, card in cards.items()} for cards in seating.rounds]
    if json_:
        common.print_json({"seats": seats, "dealer": 0, "rounds": drawn})
        return
    for number, cards in enumerate(drawn):
        what = "draw" if number == 0 else "again"
        typer.echo(f"{what}: " + ", ".join(f"{name} {card}" for name, card in cards.items()))
    for seat, name in enumerate(seats):
        role = ", first dealer" if seat == 0 else ""
        typer.echo(f"seat {seat}: {name} (team {seat % 2}{role})")


def rules(
    rules_: common.RulesOption = None,
    rule: common.RuleOption = None,
    json_: common.JsonOption = False,
) -> None:
    """List the house rules with their values and meaning, as set by --rules and --rule.

    Examples
    --------
      prummy rules

      prummy rules --rules rummy500 --json
    """
    from dataclasses import asdict

    from ..sim.rules import describe_rules, parse_rules

    with common.user_errors():
        chosen = asdict(parse_rules(rules_, rule or ()))
    rows = [{**row, "value": chosen[row["rule"]]} for row in describe_rules()]
    if json_:
        common.print_json(rows)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("rule", "value", "values", "meaning")
    for row in rows:
        value = json.dumps(row["value"]).strip('"')
        values = " ".join(json.dumps(v).strip('"') for v in row["values"])
        mark = "" if row["value"] == row["default"] else " *"
        table.add_row(row["rule"], value + mark, values, row["meaning"])
    Console().print(table)
