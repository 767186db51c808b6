"""``prummy luck``: what luck and what skill decides, and margins less the luck of the draw."""

from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import typer

from . import common
from .engine import make_ready

if TYPE_CHECKING:
    from ..reports.corrected import Correction

DEFAULT_BOARDS = 1_000


def luck(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN | A B [C ...]",
            help="The folder of a run (or a URL), or two strategies or more to play.",
        ),
    ],
    boards: Annotated[
        int | None,
        typer.Option(
            "--boards", help="Boards that each two play.", show_default=str(DEFAULT_BOARDS)
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Master seed of the boards.", show_default="1")
    ] = None,
    rules: common.RulesOption = None,
    rule: common.RuleOption = None,
    json_: common.JsonOption = False,
) -> None:
    """Say what luck and what skill decides.

    Of a RUN: how much of a match's margin is due to the cards, to skill and to the course of play;
    how many boards it takes until the better side leads; how often the worse side wins.

    Of strategies: plays boards and takes the luck of the draw out of the margins: each card from
    the stock is held against all that it might have been. The margin stays what it is and is
    known better; whether that saves time depends on how slow the strategies are, and is told.

    Examples
    --------
      prummy luck runs/demo

      prummy luck my_bot.py:MyBot greedy --boards 2000

      prummy luck greedy hunter doubler --rules rummy500 --json
    """
    with common.user_errors():
        if len(what) == 1:
            if boards is not None or seed is not None or rules is not None or rule:
                raise common.BadInputError(
                    "--boards, --seed and --rules are for strategies to play by: prummy luck A B; "
                    f"one name, {what[0]}, is a run that was played"
                )
            _of_run(what[0], json_)
            return
        found = _of_strategies(what, boards, seed, rules, rule)
    if json_:
        common.print_json({"pairings": [correction.to_json() for correction in found]})
        return
    from ..reports.corrected import in_words

    for correction in found:
        for line in in_words(correction):
            typer.echo(line)


def _of_run(place: str, json_: bool) -> None:
    """Print luck and skill of a run."""
    from ..reports.luck import luck_json
    from ..reports.results import load_results
    from ..sim.store import RunFolder

    if not RunFolder(place).holds_run():
        raise common.BadInputError(
            f"{place} holds no run; strategies to play are two or more: prummy luck A B"
        )
    results = load_results(place)
    if not any(True for _ in results.played()):
        raise common.BadInputError(f"no pairing of {place} counts: there is nothing to share out")
    if json_:
        common.print_json(luck_json(results))
        return
    from ..reports.terminal import print_luck

    print_luck(results)


def _of_strategies(
    texts: list[str],
    boards: int | None,
    seed: int | None,
    preset: str | None,
    rule: list[str] | None,
) -> "list[Correction]":
    """Return the corrected margin of each two of some strategies."""
    from ..sim.rules import parse_rules
    from ..strategies.registry import parse_entries

    boards = DEFAULT_BOARDS if boards is None else boards
    seed = 1 if seed is None else seed
    common.check_seed(seed)
    house, entries = parse_rules(preset, rule or ()), parse_entries(texts)
    from ..reports.corrected import FEWEST_BOARDS

    if not FEWEST_BOARDS <= boards <= 1_000_000:
        raise common.BadInputError(
            f"--boards {boards}: give a number from {FEWEST_BOARDS} to 1000000"
        )
    make_ready(entries)
    from ..reports.corrected import corrected_margin
    from ..sim.apart import luck_apart
    from ..sim.child import Limits

    pairs, progress = list(combinations(entries, 2)), common.Progress("pairs")
    texts_of_pairs = [(a.text, b.text) for a, b in pairs]
    found: list[Correction] = []
    try:
        for luck_ in luck_apart(texts_of_pairs, house, seed, boards, Limits()):
            a, b = pairs[len(found)]
            found.append(corrected_margin(a.name, b.name, luck_))
            progress.update(len(found), len(pairs))
    finally:
        progress.close()
    return found
