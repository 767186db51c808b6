"""``prummy plot``: one figure of a report as a file."""

from pathlib import Path
from typing import Annotated

import typer

from . import common


def plot(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A figure of the report.")
    ] = None,
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file: .png, .svg or .pdf.")
    ] = None,
    narrow: Annotated[
        bool, typer.Option("--narrow", help="As wide as a phone, not as a page.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the figures that there are.")] = False,
    json_: common.JsonOption = False,
) -> None:
    """Write one figure of the report of a run to a file.

    It is the report's: the same run gives the same bytes as in its png/ and svg/. A PDF has its
    text as text, and no date.

    Examples
    --------
      prummy plot --list

      prummy plot ratings runs/demo -o ratings.pdf

      prummy plot margins runs/demo -o margins.png --narrow
    """
    with common.user_errors():
        from ..reports import style
        from ..reports.figures import FIGURES, drawable, why_absent
        from ..reports.pictures import colours_of, figure_file
        from ..reports.results import load_results
        from ..reports.tables import report_tables

        if list_:
            if json_:
                common.print_json(
                    [{"figure": name, "title": spec.title} for name, spec in FIGURES.items()]
                )
                return
            for name, spec in FIGURES.items():
                typer.echo(f"{name:<{max(map(len, FIGURES))}}  {spec.title}")
            return
        if name is None or run is None or out is None:
            raise common.BadInputError(
                "say what, of which run and where to: prummy plot standings RUN -o FILE.png "
                "(prummy plot --list names the figures)"
            )
        _check_name(name, list(FIGURES))
        ending = out.suffix.removeprefix(".").lower()
        if ending not in style.FILES:
            kinds = ", ".join(f".{kind}" for kind in style.FILES)
            raise common.BadInputError(f"--out {out}: its ending says the kind, one of {kinds}")
        results = load_results(run)
        tables = report_tables(results)
        if name not in (has := drawable(tables)):
            raise common.BadInputError(
                f"this run has no figure {name!r}: {why_absent(name, tables)}; "
                f"it has {', '.join(has) or 'none'}"
            )
        width = style.NARROW if narrow else style.WIDE
        try:
            out.write_bytes(figure_file(name, tables, colours_of(results), ending, width))
        except OSError as error:
            raise common.BadInputError(f"cannot write to {out}: {error.strerror}") from None
        if json_:
            common.print_json({"figure": name, "file": str(out)})
        else:
            typer.echo(out)


def _check_name(name: str, names: list[str]) -> None:
    from difflib import get_close_matches

    if name not in names:
        near = get_close_matches(name, names, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
        raise common.BadInputError(f"no figure {name!r}; {hint}")
