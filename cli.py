"""The command `prummy`: parses, calls, prints. The commands stand in `commands/`."""

import io
import sys
from typing import Annotated

import typer

from . import __version__
from .commands import (
    bench,
    compare,
    engine,
    experiment,
    luck,
    play,
    plot,
    replay,
    report,
    runs,
    show,
    statistics,
    strategies,
    tournament,
)

EPILOG = """\
Examples:

  prummy tournament random greedy hunter --matches 100000 --report

  prummy compare my_bot.py:MyBot greedy

  prummy match greedy random --seed 7 --board 3

  prummy match greedy mine=my_bot.py:MyBot --json | prummy verify -

  prummy strategies show greedy

  prummy report runs/demo
"""

app = typer.Typer(
    help="Persian Rummy: play millions of matches, compare strategies, write reports.",
    epilog=EPILOG.replace("\n\n  ", "\n\n"),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"prummy {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Persian Rummy: play millions of matches, compare strategies, write reports."""
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot show is escaped
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


app.command("tournament")(tournament.tournament)
app.command("compare")(compare.compare)
app.command("plan")(compare.plan)
app.command("run")(experiment.run)
app.add_typer(runs.app, name="runs")
app.command("report")(report.report)
app.command("plot")(plot.plot)
app.command("show")(show.show)
app.command("ratings")(statistics.ratings)
app.command("sources")(statistics.sources)
app.command("luck")(luck.luck)
app.command("partners")(statistics.partners)
app.command("replay")(replay.replay)
app.command("metagame")(statistics.metagame)
app.command("match")(play.match)
app.command("verify")(play.verify)
app.command("perft")(play.perft)
app.command("draw")(play.draw)
app.command("rules")(play.rules)
app.add_typer(strategies.app, name="strategies")
app.command("sprt")(statistics.sprt)
app.command("calibrate")(statistics.calibrate)
app.command("bench")(bench.bench)
app.command("warm")(engine.warm)
app.command("signature")(engine.signature)
