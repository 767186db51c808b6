"""Tables of what a run says of its field: ratings, seats, partners, and the meta-game.

They are frames like those of `tables`, made of what ``prummy ratings``, ``partners`` and
``metagame`` print with ``--json``. What a run has no answer to is an empty frame, and the table
`absent` says why.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..sim.errors import PrummyError
from .metagame import Metagame, metagame
from .partners import Partnerships, partnerships
from .ratings import Ratings, elo_ratings, points_ratings
from .results import Results
from .seats import EFFECTS, seat_effects
from .stats import Interval
from .tables import spread

NO_COURSE = "the course of a mixture is drawn for three strategies or more"


def field_tables(results: Results) -> dict[str, pd.DataFrame]:
    """Return the tables of the field by their names.

    `absent` has a row for each table that is empty for a reason. Columns: table, why (a sentence
    without its capital and full stop).
    """
    tables = {"seats": seats(results)}
    why = {} if len(tables["seats"]) else {"seats": "no pairing counts"}
    try:
        elo, points = elo_ratings(results), points_ratings(results)
        tables |= {"ratings": ratings(elo, points), "reversals": reversals(elo, points)}
    except PrummyError as error:
        tables |= {"ratings": _none("strategy"), "reversals": _none("by_elo")}
        why["ratings"] = str(error)
    try:
        pairs = partnerships(results)
        tables |= {"partners": partners(pairs), "synergies": synergies(pairs)}
    except PrummyError as error:
        tables |= {"partners": _none("strategy"), "synergies": _none("strategy", "partner")}
        why |= dict.fromkeys(("partners", "synergies"), str(error))
    try:
        game = metagame(results)
        tables |= {"metagame": moves(game), "cyclic": cyclic(game), "cycles": cycles(game)}
        tables["replicator"] = course(game)
        if tables["replicator"].empty:
            why["replicator"] = NO_COURSE
    except PrummyError as error:
        tables |= {"metagame": _none("strategy"), "cyclic": _none("share"), "cycles": _none("a")}
        tables["replicator"] = _none("time", "strategy", "share")
        why |= dict.fromkeys(("metagame", "cyclic", "cycles", "replicator"), str(error))
    tables["absent"] = pd.DataFrame({"table": list(why), "why": list(why.values())})
    return tables


def _none(*columns: str) -> pd.DataFrame:
    return pd.DataFrame(columns=list(columns))


def ratings(elo: Ratings, points: Ratings) -> pd.DataFrame:
    """Return a row a strategy, the highest Elo first.

    Columns: strategy; elo and points (a match), each with _low and _high and with _letters (two
    share a letter where they are not told apart, see `Ratings.groups`); is_separated (whether an
    Elo needed virtual draws, since somebody won or lost all).
    """
    elo_letters, points_letters = elo.letters(), points.letters()
    return pd.DataFrame(
        [
            {
                "strategy": elo.names[k],
                **spread("elo", elo.interval(k)),
                "elo_letters": elo_letters[k],
                **spread("points", points.interval(k)),
                "points_letters": points_letters[k],
                "is_separated": elo.is_separated,
            }
            for k in elo.order
        ]
    )


def reversals(elo: Ratings, points: Ratings) -> pd.DataFrame:
    """Return the pairs that Elo and points put in opposite orders.

    Columns: by_elo, by_points (who of the two is ahead by each); elo and points (how far, above
    0); elo_apart and points_apart (whether the two are told apart).
    """
    columns = ["by_elo", "by_points", "elo", "points", "elo_apart", "points_apart"]
    elo_apart, points_apart = elo.told_apart(), points.told_apart()
    rows = []
    for one, other in combinations(elo.order, 2):
        lead = elo.difference(one, other).estimate, points.difference(other, one).estimate
        if min(lead) > 0:
            names = elo.names[one], elo.names[other]
            rows.append((*names, *lead, elo_apart[one, other], points_apart[one, other]))
    return pd.DataFrame(rows, columns=columns)


def seats(results: Results) -> pd.DataFrame:
    """Return what dealing and seats are worth (`seats.seat_effects`).

    Columns: effect (a name of `seats.EFFECTS`), what (in words), value with _low and _high.
    """
    rows = [
        {"effect": name, "what": EFFECTS[name], **spread("value", interval)}
        for name, interval in seat_effects(results).items()
    ]
    return pd.DataFrame(rows) if rows else _none("effect", "what", "value")


def partners(pairs: Partnerships) -> pd.DataFrame:
    """Return a row a strategy of a run of mixed teams, the best own strength first.

    Columns: strategy; own, as_partner and, with four strategies or more, drawn_margin (points a
    match) and drawn_share, each with _low and _high.
    """
    rows = []
    for k in sorted(range(len(pairs.names)), key=lambda k: (-pairs.own[k].estimate, k)):
        row = {"strategy": pairs.names[k], **spread("own", pairs.own[k])}
        row |= spread("as_partner", pairs.as_partner[k])
        if pairs.drawn_margin is not None and pairs.drawn_share is not None:
            row |= spread("drawn_margin", pairs.drawn_margin[k])
            row |= spread("drawn_share", pairs.drawn_share[k])
        rows.append(row)
    return pd.DataFrame(rows)


def synergies(pairs: Partnerships) -> pd.DataFrame:
    """Return a row for two strategies of a run of mixed teams, the highest synergy first.

    Columns: strategy, partner; synergy (points a match) with _low and _high.
    """
    ranked = sorted(pairs.synergy.items(), key=lambda item: (-item[1].estimate, item[0]))
    return pd.DataFrame(
        [
            {
                "strategy": pairs.names[p],
                "partner": pairs.names[q],
                **spread("synergy", interval),
            }
            for (p, q), interval in ranked
        ]
    )


def moves(game: Metagame) -> pd.DataFrame:
    """Return a row a strategy as a move of the meta-game, the highest Nash mass first.

    Columns: strategy; nash_mass, nash_rating (win share beyond one half against the equilibrium)
    and alpha_rank, each with _low and _high; in_support (share of the draws of boards; NaN without
    draws); replicator (average share of the dynamics from equal shares).
    """
    return pd.DataFrame(
        [
            {
                "strategy": game.names[k],
                **spread("nash_mass", game.nash_mass(k)),
                "in_support": game.in_support(k),
                **spread("nash_rating", game.nash_rating(k)),
                **spread("alpha_rank", game.alpha_rank(k)),
                "replicator": game.course.averages[-1, k],
            }
            for k in game.order
        ]
    ).astype({"in_support": float})


def cyclic(game: Metagame) -> pd.DataFrame:
    """Return in one row how much of the meta-game goes round in circles.

    Columns: share (of the squared payoffs that no rating explains; NaN where all are level),
    by_luck (how much of that luck is expected to make; NaN where unknown), cycles (of three),
    told_apart (those whose three leads all are).
    """
    apart = sum(all(cycle.told_apart) for cycle in game.cycles)
    row = (game.cyclic_share, game.cyclic_by_luck, len(game.cycles), apart)
    frame = pd.DataFrame([row], columns=["share", "by_luck", "cycles", "told_apart"])
    return frame.astype({"share": float, "by_luck": float})


def cycles(game: Metagame) -> pd.DataFrame:
    """Return the cycles of three, that of the largest smallest lead first.

    Columns: a, b, c (a beats b, b beats c, c beats a); a_over_b, b_over_c, c_over_a (win share
    beyond one half), each with _low and _high; told_apart (whether all three leads are).
    """
    names = ("a_over_b", "b_over_c", "c_over_a")
    empty = spread("x", Interval(0, None, None))
    columns = ["a", "b", "c", *(x.replace("x", name) for name in names for x in empty)]
    rows = []
    for cycle in game.cycles:
        row: dict[str, Any] = dict(zip("abc", cycle.names, strict=True))
        for name, lead in zip(names, cycle.leads, strict=True):
            row |= spread(name, lead)
        rows.append({**row, "told_apart": all(cycle.told_apart)})
    return pd.DataFrame(rows, columns=[*columns, "told_apart"])


def course(game: Metagame, steps: int = 100) -> pd.DataFrame:
    """Return the course of the replicator dynamics from equal shares; no rows for two strategies.

    Columns: time (in units of one over a payoff), strategy (in the order of `moves`), share (of
    the population). The times are some of the course's, closer together at its beginning: their
    square roots are evenly spaced.
    """
    if len(game.names) < 3:
        return _none("time", "strategy", "share")
    last = len(game.course.times) - 1
    kept = np.unique(np.rint(last * np.linspace(0, 1, steps + 1) ** 2).astype(int))
    shares = [
        {
            "time": game.course.times[kept],
            "strategy": game.names[k],
            "share": game.course.mixtures[kept, k],
        }
        for k in game.order
    ]
    return pd.concat(map(pd.DataFrame, shares), ignore_index=True)
