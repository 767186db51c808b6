"""Runs that nobody played: summaries of made-up rows whose parts add up, for tests of reports."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from persian_rummy.reports.results import Results
from persian_rummy.sim.columns import SIDE_COLUMNS, to_columns
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.schedule import Plan
from persian_rummy.sim.summary import GROUP_COLUMNS, PairingSummary, summarize
from persian_rummy.sim.transcript import play_transcript
from persian_rummy.strategies.registry import parse_entry

ODD_NAMES = ("<b>bold</b>&co", 'a $x_1$ "q"', "greedy[pile_bias=40,x=1]", "{{ 7*7 }}{% x %}")


def made_up_run(
    names: Sequence[str] = ("strong", "middle", "weak"),
    strengths: Sequence[int] = (60, 0, -60),
    boards: int = 40,
    rules: Rules | None = None,
    form: str = "round-robin",
    failed: Sequence[str] = (),
    status: str = "finished",
) -> Results:
    """Return a run in which each strategy scores about 200 and its strength.

    Pairings of those that failed are void. The sample is of two boards a pairing, played by greedy
    and random.
    """
    rules = rules or Rules()
    plan = Plan(tuple(names), rules, 1, boards, form)
    summaries = []
    for index, pairing in enumerate(plan.pairings()):
        if {plan.team_names[pairing.a], plan.team_names[pairing.b]} & set(failed):
            summaries.append(PairingSummary())
            continue
        rng = np.random.default_rng([7, index])
        rows = _rows(rng, boards, rules.deals, strengths[pairing.a], strengths[pairing.b])
        summaries.append(summarize(rows, rules.deals))
    manifest: dict[str, Any] = {
        "status": status,
        "command": ["tournament", *names, "--out", "a folder"],
        "created": "2030-01-02T03:04:05Z",
        "plan": {
            "names": list(names),
            "rules": rules.to_dict(),
            "seed": 1,
            "boards": boards,
            "format": form,
        },
        "keep": "all",
        "engine_version": 1,
        "strategies": [
            {
                "name": n,
                "entry": n,
                "idea": "An idea.",
                "version": "1",
                "author": "Ann",
                "source": "",
                "params": {"x": 0.5},
                "source_hash": "abcd",
                "built_in": True,
            }
            for n in names
        ],
        "versions": {"prummy": "0.1.0", "python": "3.11.7"},
        "machine": {"system": "a machine", "cores": 2},
        "digest": "0" * 32,
        "matches": sum(summary.total("matches") for summary in summaries),
        "seconds": 1.5,
        "failures": [
            {"strategy": name, "kind": "a card <not> held", "evidence": f"run/{name}.json"}
            for name in failed
        ],
    }
    sample = [
        {**played(rules, board, rotation), "a": plan.team_names[met.a], "b": plan.team_names[met.b]}
        for met in plan.pairings()
        if not {plan.team_names[met.a], plan.team_names[met.b]} & set(failed)
        for board in range(min(boards, 2))
        for rotation in (0, 1)
    ]
    return Results(plan, manifest, summaries, sample=sample)


@cache
def played(rules: Rules, board: int, rotation: int) -> dict[str, Any]:
    """Return the transcript of a match of greedy against random."""
    names = ["greedy", "random"] * 2
    players = [parse_entry(name).player() for name in names]
    return play_transcript(rules, players, names, 1, board, rotation)


def field_of(
    n: int, wins: dict[tuple[int, int], Any], margins: Any = None, matches: int = 2
) -> Results:
    """Return a run of n strategies, a, b, …, in which pairings have these wins by group of boards.

    Pairings that are not named did not count. Each group has `matches` matches; `margins` are by
    pairing and group as well.
    """
    run = made_up_run("abcdefgh"[:n], range(n), boards=3)
    columns = list(GROUP_COLUMNS)
    summaries = []
    for met in run.plan.pairings():
        summary = PairingSummary()
        if (met.a, met.b) in wins:
            won = np.asarray(wins[met.a, met.b])
            put = {"boards": matches // 2, "matches": matches, "wins": won, "losses": matches - won}
            put["margin"] = 0 if margins is None else margins[met.a, met.b]
            for name, values in put.items():
                summary.groups[: len(won), columns.index(name)] = values
        summaries.append(summary)
    return Results(run.plan, run.manifest, summaries)


def _rows(
    rng: np.random.Generator, boards: int, deals: int, strength_a: int, strength_b: int
) -> dict[str, np.ndarray]:
    n = 2 * boards
    rows: dict[str, np.ndarray] = {"board": np.repeat(np.arange(boards), 2)}
    rows["dealer"], rows["rotation"] = rows["board"] % 4, np.tile([0, 1], boards)
    ends = rng.integers(0, 3, (deals, n))
    for side, strength, own_end in (("a", strength_a, 0), ("b", strength_b, 1)):
        counts = {column.name: rng.integers(1, 9, n) for column in SIDE_COLUMNS}
        counts["outs"] = (ends == own_end).sum(axis=0)
        counts["set_points"] = 140 + strength + rng.integers(-40, 41, n)
        counts["run_points"] = rng.integers(20, 90, n)
        counts["layoff_points"] = rng.integers(10, 70, n)
        counts["double_points"] = rng.integers(0, 20, n)
        counts["out_points"] = 25 * counts["outs"]
        counts["left_points"] = rng.integers(20, 100, n)
        counts["keeps"] = np.zeros(n, np.int64)
        gained = ("set_points", "run_points", "layoff_points", "double_points", "out_points")
        counts["score"] = sum(counts[part] for part in gained) - counts["left_points"]
        rows |= {f"{name}_{side}": column for name, column in counts.items()}
        for deal in range(deals):
            rows[f"deal_score_{side}_{deal + 1}"] = counts["score"] // deals
    for deal in range(deals):
        rows[f"deal_turns_{deal + 1}"] = rng.integers(20, 50, n)
        rows[f"deal_end_{deal + 1}"] = ends[deal]
    rows["turns"] = sum(rows[f"deal_turns_{deal + 1}"] for deal in range(deals))
    return rows


def summary_of(margins: np.ndarray) -> PairingSummary:
    """Return the summary of boards whose two matches have these margins, shape (boards, 2)."""
    block = play_boards(Rules(), [parse_entry("random").player()] * 4, 1, 0, len(margins))
    block.sides["score"] = 0
    block.sides["score"][:, 0] = margins.reshape(-1)
    return summarize(to_columns(block.rows, block.sides, block.deals), 2)
