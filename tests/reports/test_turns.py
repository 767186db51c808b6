"""The tables of the sample: by hand for one short deal, as the rows count, and without any."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_up_run import made_up_run
from small_runs import make_run, play, read_rows

from persian_rummy.reports.figures import drawable
from persian_rummy.reports.page import render
from persian_rummy.reports.pictures import Picture
from persian_rummy.reports.results import Results, load_results
from persian_rummy.reports.stats import mean_interval
from persian_rummy.reports.tables import report_tables
from persian_rummy.reports.turns import turn_tables
from persian_rummy.sim.course import course_of
from persian_rummy.sim.deal import points_in_hands
from persian_rummy.sim.engines import EngineChoice
from persian_rummy.sim.melds import PASS, TAKE
from persian_rummy.sim.notation import action_kind
from persian_rummy.sim.rules import Rules, rules_from_dict
from persian_rummy.sim.run import record_outcome
from persian_rummy.sim.transcript import check_transcript, replay

GOOD = Path(__file__).parents[1] / "data" / "transcripts.jsonl"
SAMPLED = 3  # 5 % of 60 boards
FIELD = ("greedy", "random", "doubler")


def short_match(board: int = 0) -> dict[str, Any]:
    """Return a match of one deal of five turns; "out" sits at seats 1 and 3, "slow" at 0 and 2.

    Seat 1 lays four jokers at once, seat 2 takes a king and lays three, seat 3 lays three nines,
    seat 0 draws and discards, seat 1 lays four deuces at once and goes out.
    """
    hands = {
        1: "*C *D *H 2C 2D 2H KC",
        2: "KD KH 3C 4D 5H 7C 8D",
        3: "9C 9D TC JC 3D 4H 6S",
        0: "QC QD AC AD 5S 6C 7H",
    }
    dealt = [
        card for cards in zip(*(h.split() for h in hands.values()), strict=True) for card in cards
    ]
    deck = [*dealt, "8H", "*S", "9H", "JD", "2S"]
    pack = [rank + suit for rank in "23456789TJQKA*" for suit in "CDHS"]
    deck += [card for card in pack if card not in deck]
    turns = "S =*C*D*H*S DKC TKC =KCKDKH D3C S =9C9D9H D6S S DJD S =2C2D2H2S"
    score = [30 - (24 + 68), 160 + 27 + 16 + 25 - 27]
    match = {
        "format": "persian-rummy-transcript",
        "version": 1,
        "rules": {"deals": 1},
        "seats": ["slow", "out", "slow", "out"],
        "board": board,
        "rotation": 1,
        "deals": [{"dealer": 0, "deck": " ".join(deck), "actions": turns.split(), "score": score}],
        "score": score,
    }
    check_transcript(match)
    return {**match, "a": "out", "b": "slow"}


def tables_of(sample: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    run = made_up_run(("out", "slow"), (0, 0), boards=4, rules=Rules(deals=1))
    return turn_tables(dataclasses.replace(run, sample=sample), ["out", "slow"])


def values(frame: pd.DataFrame, strategy: str, *columns: str) -> list[list[Any]]:
    return frame[frame["strategy"] == strategy][list(columns)].to_numpy().tolist()


def test_course__short_deal__as_worked_out() -> None:
    tables = tables_of([short_match()])
    columns = ("deals", "score", "table", "cards")
    out = [
        [0, 1, -76 - 51, 0, 7],
        [1, 1, 160 - 6 - 51, 160, (3 + 7) / 2],
        [2, 1, 160 - 6 - 51, 160, (3 + 7) / 2],
        [3, 1, 187 - 6 - 27, 187, (3 + 4) / 2],
        [4, 1, 187 - 6 - 27, 187, (3 + 4) / 2],
        [5, 1, 203 - 27, 203, (0 + 4) / 2],
    ]
    assert values(tables["course"], "out", "turn", *columns) == out
    back = [[5 - turn, *rest] for turn, *rest in out[::-1]]
    assert values(tables["course_back"], "out", "turns_left", *columns) == back
    slow = values(tables["course"], "slow", "score", "cards")
    assert slow == [[-115, 7], [-115, 7], [-62, 5.5], [-62, 5.5], [-62, 5.5], [-62, 5.5]]


def test_takes_doubles_jokers__short_deal__as_worked_out() -> None:
    tables = tables_of([short_match()])
    takes = tables["pile_takes"]
    assert values(takes, "slow", "cards", "takes", "share", "points") == [[1, 1, 1, 30]]
    assert values(takes, "out", "cards") == []
    assert values(tables["doubles"], "out", "laid", "plays", "points") == [
        ["three at once", 1, 27],
        ["four at once", 1, 16],
        ["the fourth, later", 0, 0],
    ]
    assert values(tables["jokers"], "out", "jokers", "points")[1] == [4, 160]
    assert tables["jokers"]["jokers"].sum() == 4
    (out,), (slow,) = (tables["habits"][k : k + 1].to_dict("records") for k in (0, 1))
    assert (out["takes"], out["points_a_draw"], out["cards_left"]) == (0, pytest.approx(203 / 3), 2)
    assert np.isnan(out["points_a_take"])
    assert (slow["takes"], slow["cards_a_take"], slow["points_a_take"]) == (1, 1, 30)
    assert (slow["points_a_draw"], slow["cards_left"], slow["jokers_left"]) == (0, 5.5, 0)


def test_intervals__one_board__unknown__two_boards__known() -> None:
    one = tables_of([short_match(), short_match()])["course"]
    assert one["deals"].eq(2).all()
    assert one["score_low"].isna().all()
    two = tables_of([short_match(0), short_match(3)])["course"]
    assert (two["score_low"] == two["score"]).all()
    assert two["table_low"][two["table"] == 0].isna().all()


def test_course_of__every_house_rule__as_replayed() -> None:
    for line in GOOD.read_text().splitlines():
        match = json.loads(line)
        course = course_of([match], rules_from_dict(match["rules"]))
        turns = course.turns[course.turns["turn"] > 0]
        steps = list(replay_numbers(match))
        before = [n for n, step in enumerate(steps) if step["begins"]]
        assert [steps[n]["points"] for n in before] == [
            list(row["points"]) for row in course.turns if not ends(course.turns, row)
        ]
        assert [steps[n]["held"] for n in before] == [
            list(row["held"]) for row in course.turns if not ends(course.turns, row)
        ]
        assert list(turns["seat"]) == [steps[n]["seat"] for n in before]
        assert list(course.seats) == [step["seat"] for step in steps]
        assert list(turns["taken"]) == [steps[n]["taken"] for n in before]


def ends(turns: np.ndarray, row: np.void) -> bool:
    """Return whether a turn is the last of its deal."""
    return bool(row["turn"] == turns["turn"][turns["deal"] == row["deal"]].max())


def replay_numbers(match: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the position before each action of a match says."""
    found = []
    for step in replay(match):
        table, hidden = step.table[0], step.hidden[0]
        kind, taken = action_kind(step.action), 0
        if kind == TAKE:
            card = int(step.action & np.uint64(2**56 - 1)).bit_length() - 1
            pile = list(table["pile"][: table["pile_size"]])
            taken = len(pile) - pile.index(card)
        found.append(
            {
                "begins": kind <= PASS,
                "seat": int(table["seat"]),
                "points": [int(points) for points in table["points"]],
                "held": [points_in_hands(table, hidden, team) for team in (0, 1)],
                "taken": taken,
            }
        )
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, pd.DataFrame]:
    """Return a run's results and, for each strategy, its rows of the boards in the sample."""
    folder = tmp_path_factory.mktemp("turns") / "run"
    outcome = play(folder, *FIELD, boards=20 * SAMPLED, seed=5)
    made = make_run(folder, *FIELD, boards=20 * SAMPLED, seed=5)
    manifest = made.folder.read_manifest()
    record_outcome(made.folder, manifest, outcome)
    made.keep_matches(manifest, outcome, EngineChoice(jobs=1))
    rows = read_rows(folder)
    rows = rows[rows["board"] < SAMPLED]
    halves = []
    for side in "ab":
        mine = [name for name in rows if name.endswith(f"_{side}")]
        half = rows[["board", *mine]].rename(columns={name: name[:-2] for name in mine})
        halves.append(half.assign(strategy=rows[side]))
    return load_results(folder), pd.concat(halves, ignore_index=True)


def test_tables__real_run__agree_with_its_rows(run: tuple[Results, pd.DataFrame]) -> None:
    results, rows = run
    tables = report_tables(results)
    assert list(tables["habits"]["strategy"]) == list(tables["standings"]["strategy"])
    for habits in tables["habits"].to_dict("records"):
        mine = rows[rows["strategy"] == habits["strategy"]]
        n = len(mine)
        assert (habits["boards"], habits["matches"], habits["deals"]) == (SAMPLED, n, 2 * n)
        by_board = mine.groupby("board")["takes"]
        interval = mean_interval(by_board.sum().to_numpy(), 2 * by_board.size().to_numpy())
        found = [habits[name] for name in ("takes", "takes_low", "takes_high")]
        assert found == pytest.approx([interval.estimate, max(0, interval.low or 0), interval.high])
        assert habits["cards_a_take"] == pytest.approx(
            mine["cards_taken"].sum() / mine["takes"].sum()
        )

        def of(name: str, who: str = habits["strategy"]) -> pd.DataFrame:
            return tables[name][tables[name]["strategy"] == who]

        assert of("pile_takes")["takes"].sum() == mine["takes"].sum()
        fours = of("doubles").set_index("laid").loc["four at once", "plays"]
        fates = of("jokers").set_index("fate")["jokers"]
        assert n * (fours + fates["four at once"] / 4) == pytest.approx(mine["doubles"].sum())
        left = of("jokers").set_index("fate").loc["left in hand"]
        assert left["points"] == pytest.approx(-20 * left["jokers"])
        assert habits["jokers_left"] == pytest.approx(left["jokers"] / 2)
        over = of("course_back").iloc[0]
        laid = mine[["set_points", "run_points", "layoff_points", "double_points"]].to_numpy().sum()
        assert 2 * n * over["table"] == pytest.approx(laid)
        assert 2 * n * over["score"] == pytest.approx(laid - mine["left_points"].sum())


def test_tables__pairing_that_does_not_count__is_left_out() -> None:
    run = made_up_run(failed=["weak"])
    sample = made_up_run().sample
    tables = turn_tables(dataclasses.replace(run, sample=sample), ["strong", "middle"])
    assert list(tables["habits"]["matches"]) == [4, 4]


def test_page__no_sample__says_so_and_has_the_other_figures() -> None:
    run = dataclasses.replace(made_up_run(("x", "y"), (0, 0), boards=3), sample=[])
    tables, whole = report_tables(run), report_tables(made_up_run())
    for name in turn_tables(run, []):
        assert len(tables[name]) == 0
        assert list(tables[name]) == list(whole[name])
    blank = Picture(b"", b"", 1, 1, b"")
    text = render(run, tables, dict.fromkeys(drawable(tables), blank))
    assert "This run kept no matches to look at turn by turn" in text
    assert 'id="figure-course"' not in text
    assert 'id="figure-standings"' in text
    assert "course" not in drawable(report_tables(run))


def test_figures__pack_without_jokers__has_none_of_jokers() -> None:
    run = made_up_run(("x", "y"), (0, 0), boards=3, rules=Rules(jokers=0))
    names = drawable(report_tables(run))
    assert "jokers" not in names
    assert "course" in names
