"""``prummy replay``: any match of a run again, turn by turn, as a transcript, or as a page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import common
from .play import play_match

if TYPE_CHECKING:
    from ..reports.results import Results


def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")],
    match: Annotated[
        str | None,
        typer.Argument(metavar="[A/B/BOARD/ROTATION]", help="Which match, as greedy/hunter/12/0."),
    ] = None,
    find: Annotated[
        str | None,
        typer.Option(
            "--find",
            help="Instead: upset, closest, median, longest, highest, floater or jokers.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a page that shows the match to this file.")
    ] = None,
    json_: common.JsonOption = False,
) -> None:
    """Show a match of a run again: turn by turn, as a transcript, or as a page to step through.

    A match that is named is played again, by the strategies as they were in the run. What --find
    finds was kept when the run ended; without either, these are listed.

    Examples
    --------
      prummy replay runs/demo

      prummy replay runs/demo --find upset

      prummy replay runs/demo greedy/hunter/12/0 --html match.html
    """
    with common.user_errors():
        from ..reports.results import load_results

        results = load_results(run)
        if match is not None and find is not None:
            raise common.BadInputError("name a match, or let --find find one: not both")
        if match is None and find is None:
            _list(results, json_)
            return
        transcript = _found(results, str(find)) if match is None else _again(results, match)
        if html is not None:
            from ..reports.page import write_match

            write_match(transcript, html)
        if json_:
            common.print_json(transcript)
        elif html is not None:
            typer.echo(html)
        else:
            from ..reports.narrate import narrate

            for line in narrate(transcript):
                typer.echo(line)


def _list(results: "Results", as_json: bool) -> None:
    """Print which matches were kept as worth watching."""
    from ..reports.viewer import TITLES

    keys = ("exemplar", "a", "b", "board", "rotation", "seats", "score")
    rows = [{key: transcript[key] for key in keys} for transcript in results.exemplars]
    if as_json:
        common.print_json(rows)
        return
    for row in rows:
        score = " to ".join(map(str, row["score"]))
        which = f"{row['a']}/{row['b']}/{row['board']}/{row['rotation']}"
        typer.echo(f"{row['exemplar']:<9}{TITLES[row['exemplar']]:<21}{which}   {score}")
    if not rows:
        typer.echo(
            "this run keeps no matches, since none counts or it was stopped; name one to have it "
            "played again: prummy replay RUN A/B/BOARD/ROTATION"
        )


def _found(results: "Results", kind: str) -> dict[str, Any]:
    """Return the transcript of an exemplar."""
    kept = {transcript["exemplar"]: transcript for transcript in results.exemplars}
    if kind not in kept:
        there = ", ".join(kept) or "none"
        raise common.BadInputError(f"--find {kind!r}: this run keeps {there}")
    return kept[kind]


def _again(results: "Results", text: str) -> dict[str, Any]:
    """Return the transcript of a match, played again; raises BadInputError."""
    from ..strategies.registry import parse_entries

    plan = results.plan
    names, board, rotation = [*text.rsplit("/", 2), "", ""][:3]
    whole = {f"{plan.team_names[met.a]}/{plan.team_names[met.b]}": met for met in plan.pairings()}
    if not board.isdecimal() or rotation not in ("0", "1") or int(board) >= plan.boards:
        raise common.BadInputError(
            f"{text!r}: write A/B/BOARD/ROTATION, the board from 0 to {plan.boards - 1}, the "
            f"rotation 0 or 1, as {next(iter(whole))}/0/1"
        )
    if names not in whole:
        raise common.BadInputError(f"{names!r}: the run has {', '.join(list(whole)[:12])}")
    strategies = results.manifest["strategies"]
    seats = plan.seats(whole[names])
    entered = parse_entries(dict.fromkeys(strategies[k]["entry"] for k in seats))
    for entry in entered:
        known = next(s for s in strategies if s["name"] == entry.name)
        if entry.source_hash != known["source_hash"]:
            raise common.BadInputError(f"{entry.name} has changed since it played in this run")
    by_name = {entry.name: entry for entry in entered}
    four = [by_name[plan.names[k]] for k in seats]
    return play_match(plan.rules, four, plan.seed, int(board), int(rotation))
