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

    The page is index.html; beside it are png/ and svg/ with the figures and csv/ with the tables.
    A report that is there already is replaced.

    Examples
    --------
      prummy report runs/demo

      prummy report runs/demo --out site
    """
    with common.user_errors():
        from ..reports.figures import drawable
        from ..reports.page import write_report
        from ..reports.results import load_results
        from ..reports.tables import report_tables
        from ..sim.store import RunFolder

        results = load_results(run)
        tables = report_tables(results)
        page = write_report(results, out or RunFolder(run).path / "report", tables)
        if json_:
            common.print_json({"page": str(page), "figures": drawable(tables)})
        else:
            typer.echo(page)
