"""``prummy tournament``: many matches between several strategies, into a run's folder."""

from typing import Annotated

import typer

from . import common
from .settings import DEFAULT_MATCHES, Settings


def tournament(
    entries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STRATEGY...",
            help="Two or more: name, name\\[param=value], path/to/file.py:Class, label=...",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Enter all built-in strategies beside those named.")
    ] = False,
    matches: Annotated[
        int | None,
        typer.Option(
            "--matches",
            "-n",
            help="Matches of each pairing, an even number.",
            show_default=str(DEFAULT_MATCHES),
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", help="Master seed: same seed, same decks.", show_default="1"),
    ] = None,
    rules: common.RulesOption = None,
    rule: common.RuleOption = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="round-robin: all pairs; gauntlet: the first against each other; partners: "
            "every two make a team, and all teams meet.",
            show_default="round-robin",
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep",
            help="Rows that stay on disk: all, none, or sample=MATCHES of each pairing. "
            "Sums and digest are of all matches.",
            show_default="all",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Folder of the run, or a URL.", show_default="runs/TIME"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder of --out.")
    ] = False,
    extend: Annotated[
        bool,
        typer.Option(
            "--extend",
            help="Add strategies or matches to the run in the folder of --out; play what is "
            "missing, and anew what a changed strategy played.",
        ),
    ] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="K/N",
            help="Play the K-th of N parts of the boards, as one of several machines; "
            "`prummy runs merge` puts them together.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", help="Blocks at a time.", show_default="all cores"),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            help="auto: threads, and child processes for strategies that are not built in; "
            "processes: those for all; dask: a cluster.",
            show_default="auto",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="tcp://HOST:PORT",
            help="The Dask scheduler to join; a cluster of this machine where none is named.",
        ),
    ] = None,
    block: Annotated[
        int | None,
        typer.Option(
            "--block", help="Boards a block, the unit of work.", show_default="about a second's"
        ),
    ] = None,
    max_time: Annotated[
        str | None, typer.Option("--max-time", help="Stop cleanly after 90s, 10m, 2h or 1d.")
    ] = None,
    max_matches: Annotated[
        int | None, typer.Option("--max-matches", help="Stop cleanly after so many matches.")
    ] = None,
    max_memory: Annotated[
        str | None,
        typer.Option(
            "--max-memory",
            help="Memory for a strategy's child process; above it the strategy has failed.",
            show_default="2GB",
        ),
    ] = None,
    deal_time: Annotated[
        str | None,
        typer.Option(
            "--deal-time",
            help="Time for one deal in a child process; above it the strategy has failed.",
            show_default="60s",
        ),
    ] = None,
    log_level: Annotated[
        str | None,
        typer.Option(
            "--log-level",
            help="How much run.log tells: debug, info, warning, error.",
            show_default="info",
        ),
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Write the HTML report when the run ends.")
    ] = False,
    json_: common.JsonOption = False,
) -> None:
    """Play strategies against each other and say who is better by how much.

    Every pairing plays the same boards: the same decks and dealers, once in each seating, so
    that luck cancels. Results depend on the seed, never on engine, blocks or who else is entered.

    Exit code 0: done; 1: a strategy failed; 2: bad input, or the run could not go on (a full
    disk, a lost cluster); 3: stopped by a limit; 130: stopped by Ctrl-C. What was played is kept.

    Examples
    --------
      prummy tournament greedy hunter --matches 100000

      prummy tournament --all --matches 20000 --seed 7 --out runs/all --report

      prummy tournament greedy old=v1/bot.py:Bot new=v2/bot.py:Bot --format gauntlet

      prummy tournament greedy hunter doubler --format partners --out runs/teams

      prummy tournament --resume --out runs/all

      prummy tournament --extend --out runs/all my_bot.py:MyBot --matches 40000

      prummy tournament --all --matches 100000000 --keep none --max-time 8h --out runs/big
    """
    from .playing import play_more, play_new, play_on

    with common.user_errors():
        if resume and extend:
            raise common.BadInputError(
                "--resume goes on with a run as it is, --extend adds to it: give one of them"
            )
        settings = Settings(
            strategies=entries or [],
            all=every,
            matches=matches,
            seed=seed,
            rules=rules,
            rule=rule or [],
            format=format_,
            keep=keep,
            out=out,
            report=report,
            jobs=jobs,
            engine=engine,
            scheduler=scheduler,
            block=block,
            shard=shard,
            max_time=max_time,
            max_matches=max_matches,
            max_memory=max_memory,
            deal_time=deal_time,
            log_level=log_level,
        )
        settings.check()
        play = play_on if resume else play_more if extend else play_new
        play(settings, json_)
