"""``prummy show``: the tables of a report in the terminal, or as Markdown, CSV or JSON."""

from typing import Annotated, Any

import typer

from . import common

FORMATS = ("rich", "md", "csv", "json")
DEFAULT_TABLES = (
    "standings",
    "crosstable_margin",
    "sources",
    "score_quantiles",
    "margin_quantiles",
)


def show(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE...]",
            help="Tables of the report; `all`: every one.",
            show_default=" ".join(DEFAULT_TABLES),
        ),
    ] = None,
    format_: Annotated[
        str,
        typer.Option("--format", help="rich: for the terminal; md, csv or json: whole numbers."),
    ] = "rich",
    json_: common.JsonOption = False,
) -> None:
    """Show the tables of a report without writing one.

    They are those of the report's csv/: the same names, columns and numbers. Distributions have a
    sparkline in the terminal.

    Examples
    --------
      prummy show runs/demo

      prummy show runs/demo meetings --format md

      prummy show runs/demo scores --format csv > scores.csv

      prummy show runs/demo all --json
    """
    with common.user_errors():
        from difflib import get_close_matches

        from ..reports.results import load_results
        from ..reports.tables import report_tables
        from ..reports.text import as_csv, as_markdown, as_records, print_frame, sparklines

        how = "json" if json_ else format_
        if how not in FORMATS:
            raise common.BadInputError(f"--format {how!r}: there are {', '.join(FORMATS)}")
        results = load_results(run)
        tables = report_tables(results)
        wanted = list(tables) if names == ["all"] else names or list(DEFAULT_TABLES)
        for name in wanted:
            if name not in tables:
                near = get_close_matches(name, tables, n=3)
                hint = f"did you mean {' or '.join(near)}?" if near else "there are all, "
                hint += "" if near else ", ".join(tables)
                raise common.BadInputError(f"no table {name!r}; {hint}")
        if how == "json":
            found: dict[str, Any] = {name: as_records(tables[name]) for name in wanted}
            common.print_json(found)
        elif how == "rich":
            sparks = sparklines(tables)
            if tables["standings"].empty:
                common.note("no match counts in this run: every pairing is void or was not played")
            for name in wanted:
                print_frame(name, tables[name], sparks.get(name))
        else:
            write = as_csv if how == "csv" else as_markdown
            for place, name in enumerate(wanted):
                if len(wanted) > 1:
                    typer.echo(f"{chr(10) * bool(place)}{'#' if how == 'csv' else '##'} {name}\n")
                typer.echo(write(tables[name]), nl=False)
