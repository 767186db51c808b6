"""Statistics without playing: of given counts, and of runs that have been played."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import common
from .playing import EXIT_INTERRUPTED

if TYPE_CHECKING:
    from ..reports.calibration import Row


def metagame(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")],
    of: Annotated[
        str, typer.Option("--of", help="What the game is about: win_share or margin (points).")
    ] = "win_share",
    samples: Annotated[
        int, typer.Option("--samples", help="Draws of boards for the intervals; 0: none.")
    ] = 1000,
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            help="Ranking intensity of alpha-rank, per unit of payoff (all matches: 0.5).",
            show_default="the limit of a large one",
        ),
    ] = None,
    json_: common.JsonOption = False,
) -> None:
    """Look at a run as a game in which the strategies are the moves.

    Nash: the mixture that nobody beats, of the highest entropy; the rating is what a strategy
    takes off it. alpha-rank: the share of time that an evolving population spends at a strategy.
    Replicator: the average of the dynamics from equal shares. Below: who beats whom in a circle,
    with ? at a lead that may be luck.

    All pairs must have met. The intervals come from weighting the boards that all share anew.

    Examples
    --------
      prummy metagame runs/demo

      prummy metagame runs/demo --of margin --samples 200

      prummy metagame runs/demo --alpha 20 --json
    """
    with common.user_errors():
        from ..reports.metagame import metagame
        from ..reports.results import load_results

        game = metagame(load_results(run), of, samples, alpha)
    if json_:
        common.print_json(game.to_json())
        return
    from ..reports.terminal import print_metagame

    print_metagame(game)


def sprt(
    pairs: Annotated[
        str,
        typer.Option(
            "--pairs",
            metavar="LL,LD,WL+DD,WD,WW",
            help="Boards by their outcome for the first strategy, its losses first.",
        ),
    ],
    elo0: Annotated[float, typer.Option("--elo0", help="How much better it is under H0.")] = 0.0,
    elo1: Annotated[float, typer.Option("--elo1", help="How much better it is under H1.")] = 5.0,
    alpha: Annotated[
        float, typer.Option("--alpha", help="Chance to accept H1 when H0 is true.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option("--beta", help="Chance to accept H0 when H1 is true.")
    ] = 0.05,
    model: Annotated[
        str,
        typer.Option("--model", help="What elo0 and elo1 are: normalized or logistic Elo."),
    ] = "normalized",
    json_: common.JsonOption = False,
) -> None:
    """Do the arithmetic of a sequential test (GSPRT) for given counts of pairs.

    A board is a pair of matches with the same cards. The log-likelihood ratio (LLR) says which of
    the two hypotheses the counts speak for; at the upper bound H1 is accepted, at the lower H0.

    Examples
    --------
      prummy sprt --pairs 34,54,63,64,75

      prummy sprt --pairs 223,9863,21279,10037,246 --elo0 0.5 --elo1 2.5 --model logistic --json
    """
    with common.user_errors():
        from ..reports.pairs import Pairs, PairsError
        from ..reports.sprt import Sprt

        try:
            counts = [float(part) for part in pairs.split(",")]
        except ValueError:
            raise PairsError(
                f"--pairs {pairs!r}: give five whole numbers, LL,LD,WL+DD,WD,WW, as 3,10,21,12,5"
            ) from None
        test, given = Sprt(elo0, elo1, alpha, beta, model), Pairs.checked(counts)
        found = test.to_json(given)
    if json_:
        common.print_json(found)
    else:
        _print(found, test)


def _print(found: dict[str, Any], test: Any) -> None:
    said = {
        "H1": f"H1 is accepted: better by {test.elo1:g} rather than by {test.elo0:g}",
        "H0": f"H0 is accepted: better by {test.elo0:g} rather than by {test.elo1:g}",
        "continue": "neither is accepted: play on",
    }
    typer.echo(f"{found['boards']:,} boards, {test.model} Elo {test.elo0:g} against {test.elo1:g}")
    typer.echo(f"LLR {found['llr']:.3f} ({found['lower']:.3f} to {found['upper']:.3f})")
    typer.echo(said[found["state"]])
    for name, key in (("Elo", "elo"), ("normalized Elo", "normalized_elo")):
        ends = [found[key][end] for end in ("low", "high")]
        shown = ["-" if end is None else f"{end:.2f}" for end in ends]
        typer.echo(f"{name} {found[key]['estimate']:.2f} (95 %: {shown[0]} to {shown[1]})")
    typer.echo(f"likelihood of superiority {100 * found['los']:.2f} %")


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
        from ..reports.machine import ratings_json
        from ..reports.results import load_results

        found = ratings_json(load_results(run), anchor)
    if json_:
        common.print_json(found)
        return
    from ..reports.terminal import print_ratings

    print_ratings(found)


def sources(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")],
    json_: common.JsonOption = False,
) -> None:
    """Say why strategies win: the sources of points that make each one's margin.

    What a strategy gains on its opponents by sets, runs, lay-offs, doubling, going out and cards
    left in hands, points a match; the parts add up to its margin.

    Examples
    --------
      prummy sources runs/demo

      prummy sources runs/demo --json
    """
    with common.user_errors():
        from ..reports.machine import sources_json
        from ..reports.results import load_results

        found = sources_json(load_results(run))
        if not found:
            raise common.BadInputError(f"no pairing of {run} counts: there is nothing to explain")
    if json_:
        common.print_json(found)
        return
    from ..reports.terminal import print_sources

    print_sources(found)


def partners(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or a URL.")],
    json_: common.JsonOption = False,
) -> None:
    """Say what strategies are worth as partners, who gets on with whom, and what seats are worth.

    The run is one of mixed teams: every two strategies make a team. A strategy's own strength is
    half of what two copies of it score; as a partner it is what it brings beside others; the
    synergy of two is what they score together beyond the mean of their own kinds.

    Examples
    --------
      prummy tournament greedy hunter doubler miser --format partners --out runs/teams

      prummy partners runs/teams

      prummy partners runs/teams --json
    """
    with common.user_errors():
        from ..reports.partners import partnerships
        from ..reports.results import load_results
        from ..reports.seats import seats_json

        results = load_results(run)
        found = {**partnerships(results).to_json(), **seats_json(results)}
    if json_:
        common.print_json(found)
        return
    from ..reports.terminal import print_partners

    print_partners(found)


def calibrate(
    quick: Annotated[
        bool, typer.Option("--quick", help="Few runs: seconds rather than minutes.")
    ] = False,
    json_: common.JsonOption = False,
) -> None:
    """Show by simulation how often the intervals and tests of prummy are right.

    Runs whose truth is known, made up and played, are analysed as any run is. 95 % intervals are to
    hold the truth in 94 to 96 of a hundred runs of 50 boards and more, and in at least 94 of fewer
    boards; confidence sequences in 95 at all looks at once; tests are to err in at most 5. A row is
    outside when it is beyond that by more than three standard errors of the simulation. The control
    takes matches for independent, and must be seen to miss.

    Exit code 0: all rows hold; 1: one is outside; 130: stopped by Ctrl-C.

    Examples
    --------
      prummy calibrate --quick

      prummy calibrate --json
    """
    with common.user_errors():
        from ..reports.calibration import FULL, QUICK
        from ..reports.calibration import calibrate as rows_of

        progress, rows, stopped = common.Progress("checks"), list["Row"](), False
        try:
            for row in rows_of(QUICK if quick else FULL, progress.update):
                rows.append(row)
                if not json_:
                    _print_row(row)
        except KeyboardInterrupt:
            stopped = True
        finally:
            progress.close()
    if json_:
        common.print_json({"finished": not stopped, "rows": [row.to_json() for row in rows]})
    else:
        outside = sum(not row.holds for row in rows)
        typer.echo(f"{len(rows)} rows, {outside} outside their limits by more than three errors")
    if stopped:
        common.note("stopped by hand: the checks that were done are shown")
        raise typer.Exit(EXIT_INTERRUPTED)
    if not all(row.holds for row in rows):
        raise typer.Exit(common.FAILED)


def _print_row(row: "Row") -> None:
    limits = f"{100 * row.low:.0f} to {100 * row.high:.0f}"
    said = ("missed, as it must" if row.is_control else "") if row.holds else "OUTSIDE"
    typer.echo(
        f"{row.figure:32} {row.data:27}{row.boards:6,} boards {row.runs:5,} runs"
        f"{100 * row.rate:8.2f} ± {100 * row.error:4.2f} % ({limits}) {said}".rstrip()
    )
