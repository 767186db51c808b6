"""The tables of a run as pandas frames: what is printed, written and drawn comes from here.

Each function returns a frame whose columns its docstring names. Points and counts are per match
unless it says otherwise; an interval is three columns, `x`, `x_low` and `x_high`.
"""

from typing import Any

import numpy as np
import pandas as pd

from ..sim.columns import ENDS, SIDE_COLUMNS
from ..sim.summary import N_GROUPS, PairingSummary
from .results import Results
from .stats import LEVEL, Interval, mean_interval, share_interval
from .turns import turn_tables

SOURCES = {
    "set_points": "sets",
    "run_points": "runs",
    "layoff_points": "lay-offs",
    "double_points": "doubling",
    "out_points": "going out",
    "left_points": "left in hands",
}
"""The parts of a score and their names; the last counts against it."""


def pairing_margin(summary: PairingSummary) -> Interval:
    """Return the mean margin of a over b, points a match."""
    return mean_interval(summary.column("margin"), summary.column("matches"))


def pairing_share(summary: PairingSummary) -> Interval:
    """Return the share of matches that a won, a draw counting half."""
    half_wins = 2 * summary.column("wins") + summary.column("draws")
    return share_interval(half_wins, 2 * summary.column("matches"), boards=summary.total("boards"))


def margin_sources(summary: PairingSummary) -> dict[str, Interval]:
    """Return what makes the margin of a over b, points a match, by the values of `SOURCES`.

    The estimates add up to `pairing_margin`'s.
    """
    matches = summary.column("matches")
    return {label: mean_interval(sums, matches) for label, sums in _gained(summary).items()}


def _gained(summary: PairingSummary) -> dict[str, np.ndarray]:
    """Return what a gains on b by the values of `SOURCES`, points summed by group of boards."""
    found = {}
    for column, label in SOURCES.items():
        difference = summary.column(f"{column}_a") - summary.column(f"{column}_b")
        found[label] = -difference if column == "left_points" else difference
    return found


def entry_sources(results: Results, entry: int) -> dict[str, Interval]:
    """Return what makes an entry's margin over all its opponents, as `margin_sources` does.

    The estimates add up to `entry_margin`'s.
    """
    total = {label: np.zeros(N_GROUPS, np.int64) for label in SOURCES.values()}
    for side, _, summary in results.sides_of(entry):
        for label, sums in _gained(summary).items():
            total[label] += sums if side == "a" else -sums
    matches = results.groups(entry, "matches")
    return {label: mean_interval(sums, matches) for label, sums in total.items()}


def spread(name: str, interval: Interval) -> dict[str, float]:
    """Return an interval as three columns, NaN where an end is unknown."""
    low = np.nan if interval.low is None else interval.low
    high = np.nan if interval.high is None else interval.high
    return {name: interval.estimate, f"{name}_low": low, f"{name}_high": high}


def pairings(results: Results) -> pd.DataFrame:
    """Return a row a pairing that counts.

    Columns: a, b; boards, matches, wins, draws, losses (of a); margin (points a match, a over b)
    and win_share (draw = half), each with _low and _high; LL, LD, WL+DD, WD, WW (boards, for a).
    """
    rows = []
    for pairing, summary in results.played():
        rows.append(
            {
                "a": results.names[pairing.a],
                "b": results.names[pairing.b],
                **{
                    name: summary.total(name)
                    for name in ("boards", "matches", "wins", "draws", "losses")
                },
                **spread("margin", pairing_margin(summary)),
                **spread("win_share", pairing_share(summary)),
                **dict(zip(("LL", "LD", "WL+DD", "WD", "WW"), summary.pairs(), strict=True)),
            }
        )
    return pd.DataFrame(rows)


def entry_margin(results: Results, entry: int) -> Interval:
    """Return an entry's mean margin over all its opponents, points a match."""
    sums = np.zeros(N_GROUPS, np.int64)
    for side, _, summary in results.sides_of(entry):
        sums += summary.column("margin") if side == "a" else -summary.column("margin")
    return mean_interval(sums, results.groups(entry, "matches"))


def entry_share(results: Results, entry: int) -> Interval:
    """Return the share of its matches that an entry won, a draw counting half."""
    half_wins = np.zeros(N_GROUPS, np.int64)
    for side, _, summary in results.sides_of(entry):
        won = "wins" if side == "a" else "losses"
        half_wins += 2 * summary.column(won) + summary.column("draws")
    boards = max((s.total("boards") for _, _, s in results.sides_of(entry)), default=0)
    return share_interval(half_wins, 2 * results.groups(entry, "matches"), boards=boards)


def standings(results: Results) -> pd.DataFrame:
    """Return a row an entry that counts, the best win share first; no rows when nothing counts.

    Columns: strategy; matches; win_share and margin (points a match), each with _low and _high;
    score (points a match).
    """
    rows = []
    for entry, name in enumerate(results.names):
        matches = int(results.groups(entry, "matches").sum())
        if matches:
            score = results.side_groups(entry, "score").sum() / matches
            rows.append(
                {
                    "strategy": name,
                    "matches": matches,
                    **spread("win_share", entry_share(results, entry)),
                    **spread("margin", entry_margin(results, entry)),
                    "score": score,
                }
            )
    frame = pd.DataFrame(rows, columns=None if rows else ["strategy", "matches", "win_share"])
    by = ["win_share", "margin"] if rows else ["win_share"]
    return frame.sort_values(by, ascending=False, kind="stable", ignore_index=True)


def meetings(results: Results) -> pd.DataFrame:
    """Return a row for each strategy and each of its opponents, both in the order of the standings.

    Columns: strategy, opponent; boards, matches, wins, draws, losses (of strategy); margin (points
    a match, strategy over opponent) and win_share (draw = half), each with _low and _high; LL, LD,
    WL+DD, WD, WW (boards, for strategy); turns (turns a deal); told_apart ("ahead", "behind" or
    "level": whether the interval of the margin lies above zero, below zero or holds it; "unknown"
    without an interval).
    """
    order = list(standings(results)["strategy"])
    deals = results.plan.rules.deals
    rows = []
    for name in order:
        for side, opponent, summary in results.sides_of(results.names.index(name)):
            margin, share = pairing_margin(summary), pairing_share(summary)
            counts = [summary.total(column) for column in ("wins", "draws", "losses")]
            pairs = summary.pairs()
            if side == "b":
                margin, share = -margin, _complement(share)
                counts, pairs = counts[::-1], pairs[::-1]
            rows.append(
                {
                    "strategy": name,
                    "opponent": results.names[opponent],
                    "boards": summary.total("boards"),
                    "matches": summary.total("matches"),
                    **dict(zip(("wins", "draws", "losses"), counts, strict=True)),
                    **spread("margin", margin),
                    **spread("win_share", share),
                    **dict(zip(("LL", "LD", "WL+DD", "WD", "WW"), pairs, strict=True)),
                    "turns": summary.total("turns") / (summary.total("matches") * deals),
                    "told_apart": _told_apart(margin),
                }
            )
    place = {name: index for index, name in enumerate(order)}
    rows.sort(key=lambda row: (place[row["strategy"]], place[row["opponent"]]))
    return pd.DataFrame(rows)


def better_sides(met: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `meetings` of the side with the higher margin, the largest margin first.

    Each pairing has one row; of two sides at a margin of zero it is the first.
    """
    if met.empty:
        return met
    pair = [frozenset(names) for names in zip(met["strategy"], met["opponent"], strict=True)]
    ranked = met.assign(pair=pair).sort_values("margin", ascending=False, kind="stable")
    once = ranked.drop_duplicates("pair").drop(columns="pair")
    return once.reset_index(drop=True)


def _complement(share: Interval) -> Interval:
    """Return a share seen from the other side."""
    low = None if share.high is None else 1 - share.high
    high = None if share.low is None else 1 - share.low
    return Interval(1 - share.estimate, low, high, share.level)


def _told_apart(margin: Interval) -> str:
    if margin.low is None or margin.high is None:
        return "unknown"
    if margin.low > 0:
        return "ahead"
    return "behind" if margin.high < 0 else "level"


def crosstable(results: Results, value: str) -> pd.DataFrame:
    """Return `value` ("margin" or "win_share") of the row's strategy against the column's.

    Index and columns: strategies in the order of the standings; NaN where they did not meet.
    """
    order = list(standings(results)["strategy"])
    table = pd.DataFrame(np.nan, index=order, columns=order)
    for _, row in pairings(results).iterrows():
        table.loc[row["a"], row["b"]] = row[value]
        table.loc[row["b"], row["a"]] = -row[value] if value == "margin" else 1 - row[value]
    return table


def sources(results: Results) -> pd.DataFrame:
    """Return where an entry's points come from, points a match.

    Index: strategies in the order of the standings. Columns: the values of `SOURCES` (points left
    in hands negative), which add up to the last column, score.
    """
    rows = {}
    for name in standings(results)["strategy"]:
        entry = results.names.index(name)
        matches = results.groups(entry, "matches").sum()
        parts = {
            label: results.side_groups(entry, column).sum() / matches
            for column, label in SOURCES.items()
        }
        parts["left in hands"] *= -1
        rows[name] = {**parts, "score": results.side_groups(entry, "score").sum() / matches}
    return pd.DataFrame.from_dict(rows, orient="index")


def events(results: Results) -> pd.DataFrame:
    """Return what an entry did, counts a match.

    Index: strategies in the order of the standings. Columns: the side columns of `sim.columns`
    that are no points, and cards_a_take (cards).
    """
    names = [column.name for column in SIDE_COLUMNS if column.unit != "points"]
    rows = {}
    for strategy in standings(results)["strategy"]:
        entry = results.names.index(strategy)
        matches = results.groups(entry, "matches").sum()
        row: dict[str, Any] = {
            name: results.side_groups(entry, name).sum() / matches for name in names
        }
        row["cards_a_take"] = row["cards_taken"] / row["takes"] if row["takes"] else np.nan
        rows[strategy] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def distribution(results: Results, quantity: str) -> pd.DataFrame:
    """Return exact counts of an entry's "score" or "margin" of a match, over all opponents.

    Columns: strategy (in the order of the standings), value (points, rising), count (matches).
    """
    frames = []
    for name in standings(results)["strategy"]:
        for side, _, summary in results.sides_of(results.names.index(name)):
            key = quantity if quantity == "margin" else f"{quantity}_{side}"
            histogram = summary.histograms[key]
            sign = -1 if quantity == "margin" and side == "b" else 1
            frames.append(
                pd.DataFrame(
                    {"strategy": name, "value": sign * histogram.values, "count": histogram.counts}
                )
            )
    if not frames:
        return pd.DataFrame({"strategy": [], "value": [], "count": []})
    together = pd.concat(frames, ignore_index=True).sort_values("value", kind="stable")
    counts = together.groupby(["strategy", "value"], sort=False, as_index=False)["count"].sum()
    place = {name: index for index, name in enumerate(standings(results)["strategy"])}
    return counts.sort_values(
        "strategy", key=lambda names: names.map(place), kind="stable", ignore_index=True
    )


def deal_lengths(results: Results) -> pd.DataFrame:
    """Return exact counts of the turns of a deal, over all pairings.

    Columns: turns, count (deals), share (of all deals).
    """
    frames = [
        pd.DataFrame({"turns": h.values, "count": h.counts})
        for h in (summary.histograms["deal_turns"] for _, summary in results.played())
    ]
    if not frames:
        return pd.DataFrame({"turns": [], "count": [], "share": []})
    lengths = pd.concat(frames).groupby("turns", as_index=False)["count"].sum()
    return lengths.assign(share=lengths["count"] / lengths["count"].sum())


def deal_ends(results: Results) -> pd.DataFrame:
    """Return how an entry's deals ended, shares of its deals.

    Index: strategies in the order of the standings. Columns: "went out", "opponents went out",
    "stock exhausted", "cut off"; they add up to 1.
    """
    labels = ("went out", "opponents went out", *ENDS[2:])
    rows = {}
    for name in standings(results)["strategy"]:
        counts = np.zeros(len(ENDS), np.int64)
        for side, _, summary in results.sides_of(results.names.index(name)):
            histogram = summary.histograms["deal_end"]
            for value, count in zip(histogram.values, histogram.counts, strict=True):
                counts[1 - value if side == "b" and value < 2 else value] += count
        rows[name] = dict(zip(labels, counts / counts.sum(), strict=True))
    return pd.DataFrame.from_dict(rows, orient="index")


def ecdf(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the empirical distribution functions of a `distribution`.

    Columns: strategy, value (points, rising), share (of the strategy's matches at or below value).
    """
    if frame.empty:
        return pd.DataFrame({"strategy": [], "value": [], "share": []})
    counts = frame.groupby("strategy", sort=False)["count"]
    share = counts.cumsum() / counts.transform("sum")
    return frame[["strategy", "value"]].assign(share=share)


def bins(frame: pd.DataFrame, most: int = 100) -> pd.DataFrame:
    """Return a `distribution` in bins of one round width, the same bins for all strategies.

    Columns: strategy, low, high (points; low is in the bin, high in the next), share (of the
    strategy's matches). There are at most `most` bins a strategy, those between that are empty
    among them.
    """
    if frame.empty:
        return pd.DataFrame({"strategy": [], "low": [], "high": [], "share": []})
    first, last = int(frame["value"].min()), int(frame["value"].max())
    widths = (step * 10**power for power in range(10) for step in (1, 2, 5))
    width = next(w for w in widths if last // w - first // w + 1 <= most)
    places = np.arange(first // width, last // width + 1)
    parts = []
    for name, part in frame.groupby("strategy", sort=False):
        inside = (part["value"] // width - places[0]).astype(int)
        counts = np.bincount(inside, weights=part["count"], minlength=places.size)
        shares = counts / counts.sum()
        edges = {"low": places * width, "high": (places + 1) * width}
        parts.append(pd.DataFrame({"strategy": name, **edges, "share": shares}))
    return pd.concat(parts, ignore_index=True)


def quantiles(frame: pd.DataFrame, levels: tuple[float, ...]) -> pd.DataFrame:
    """Return exact quantiles of a `distribution`: the smallest value whose share reaches a level.

    Index: strategies in the frame's order. Columns: the levels, and mean and sd.
    """
    rows = {}
    for name, part in frame.groupby("strategy", sort=False):
        values, counts = part["value"].to_numpy(), part["count"].to_numpy()
        order = np.argsort(values)
        values, counts = values[order], counts[order]
        total = counts.sum()
        places = np.searchsorted(np.cumsum(counts), np.ceil(np.array(levels) * total - 1e-6))
        mean = (values * counts).sum() / total
        deviation = np.sqrt(((values - mean) ** 2 * counts).sum() / total)
        row: dict[Any, Any] = dict(
            zip(levels, values[np.minimum(places, len(values) - 1)], strict=True)
        )
        rows[name] = {**row, "mean": mean, "sd": deviation}
    return pd.DataFrame.from_dict(rows, orient="index")


LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles that reports show."""


def overview(results: Results) -> dict[str, Any]:
    """Return the numbers that describe a run as a whole.

    strategies and pairings that count; matches and deals; the least and the most boards of a
    pairing (they differ in an interrupted run), and matches and deals of a strategy, as x_low and
    x_high; planned_matches and planned_boards (of a pairing); turns_per_deal; level (of the
    intervals); known (whether every pairing has one).
    """
    table, met = standings(results), pairings(results)
    matches = int(met["matches"].sum()) if len(met) else 0
    each = results.plan.rules.deals
    deals = matches * each
    turns = sum(summary.total("turns") for _, summary in results.played())
    return {
        "strategies": len(table),
        "pairings": len(met),
        "matches": matches,
        "deals": deals,
        "boards_low": int(met["boards"].min()) if len(met) else 0,
        "boards_high": int(met["boards"].max()) if len(met) else 0,
        "matches_low": int(table["matches"].min()) if len(table) else 0,
        "matches_high": int(table["matches"].max()) if len(table) else 0,
        "deals_low": each * int(table["matches"].min()) if len(table) else 0,
        "deals_high": each * int(table["matches"].max()) if len(table) else 0,
        "planned_matches": results.plan.matches,
        "planned_boards": results.plan.boards,
        "turns_per_deal": turns / deals if deals else None,
        "level": LEVEL,
        "known": bool(len(met)) and bool(met["margin_low"].notna().all()),
    }


def report_tables(results: Results) -> dict[str, pd.DataFrame]:
    """Return every table of a report by its name, which is also that of its CSV file."""
    from .field_tables import field_tables  # it builds on what stands above

    scores, margins = distribution(results, "score"), distribution(results, "margin")
    lengths, met = deal_lengths(results), meetings(results)
    ranking = standings(results)
    of_lengths = lengths.rename(columns={"turns": "value"}).assign(strategy="all deals")
    return {
        "standings": ranking,
        "meetings": met,
        "pairings": better_sides(met),
        "crosstable_margin": crosstable(results, "margin"),
        "crosstable_win_share": crosstable(results, "win_share"),
        "sources": sources(results),
        "events": events(results),
        "scores": scores,
        "score_bins": bins(scores),
        "score_quantiles": quantiles(scores, LEVELS),
        "margins": margins,
        "margin_bins": bins(margins),
        "margin_quantiles": quantiles(margins, LEVELS),
        "deal_lengths": lengths,
        "deal_length_quantiles": quantiles(of_lengths, LEVELS),
        "deal_ends": deal_ends(results),
        "score_ecdf": ecdf(scores),
        "margin_ecdf": ecdf(margins),
        **field_tables(results),
        **turn_tables(results, list(ranking["strategy"])),
    }
