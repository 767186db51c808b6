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
