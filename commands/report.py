"""``prummy report``: the report of a run that has been played."""

from pathlib import Path
from typing import Annotated

import typer

from . import common


def report(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the report.", show_default="RUN/report"),
    ] = None,
    json_: common.JsonOption = False,
) -> None:
    """Write the report of a run: a page that needs no network, its figures and its tables.

    The page is index.html; beside it are png/ with the figures and csv/ with the tables. A report
    that is there already is replaced.

    Examples
    --------
      prummy report runs/demo

      prummy report runs/demo --out site
    """
    with common.user_errors():
        from ..reports.page import figure_names, write_report
        from ..reports.results import load_results
        from ..sim.store import RunFolder

        results = load_results(run)
        page = write_report(results, out or RunFolder(run).path / "report")
        if json_:
            common.print_json({"page": str(page), "figures": figure_names(results)})
        else:
            typer.echo(page)


def ratings(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")],
    anchor: Annotated[
        str | None,
        typer.Option("--anchor", help="Who is rated 0.", show_default="the field's mean"),
    ] = None,
    json_: common.JsonOption = False,
) -> None:
    """Rate the strategies of a run: Elo from matches won, points a match from margins.

    The intervals respect that all pairings share the boards. Strategies are told apart by Holm's
    method over all pairs, with an error of 5 % for the whole field.

    Examples
    --------
      prummy ratings runs/demo

      prummy ratings runs/demo --anchor greedy --json
    """
    with common.user_errors():
        from ..reports.ratings import elo_ratings, points_ratings
        from ..reports.results import load_results

        results = load_results(run)
        elo, points = elo_ratings(results, anchor), points_ratings(results, anchor)
    if json_:
        common.print_json(
            {"elo": elo.to_json(), "points": points.to_json(), "separated": elo.is_separated}
        )
        return
    from ..reports.terminal import print_ratings

    print_ratings(elo, points)
