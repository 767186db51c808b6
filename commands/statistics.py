"""``prummy metagame``, ``sprt``: statistics of a run, and of given counts, without playing."""

from typing import Annotated, Any

import typer

from . import common


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
