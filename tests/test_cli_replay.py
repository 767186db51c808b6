"""`prummy replay`: what was kept, what is found, and any match of a run again."""

import json
from pathlib import Path

import pytest
from command import fails, run, run_json
from small_runs import rows_of, write_strategy

from persian_rummy.sim.transcript import check_transcript


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("replay") / "run"
    field = ("greedy", "doubler", "random")
    run("tournament", *field, "--matches", "40", "--rule", "min_run=4", "--out", str(place))
    return place


def test_replay__a_match_by_name__is_the_one_of_the_rows(folder):
    for board, rotation in ((3, 0), (19, 1)):
        told = run_json("replay", str(folder), f"greedy/random/{board}/{rotation}")
        check_transcript(told)
        rows = rows_of(folder, "greedy", "random")
        row = rows[(rows["board"] == board) & (rows["rotation"] == rotation)].iloc[0]
        score = [int(row["score_a"]), int(row["score_b"])]
        assert told["score"] == (score if rotation == 0 else score[::-1])
        assert told["rules"] == {"min_run": 4}


def test_replay__found__is_what_was_kept(folder):
    listed = run_json("replay", str(folder))
    for row in listed:
        found = run_json("replay", str(folder), "--find", row["exemplar"])
        assert (found["score"], found["board"]) == (row["score"], row["board"])
        again = "/".join(str(row[key]) for key in ("a", "b", "board", "rotation"))
        assert run_json("replay", str(folder), again)["deals"] == found["deals"]
    told = run("replay", str(folder))
    assert all(row["exemplar"] in told for row in listed)


def test_replay__told__ends_with_the_score(folder):
    score = run_json("replay", str(folder), "--find", "upset")["score"]
    lines = run("replay", str(folder), "--find", "upset").splitlines()
    assert lines[-1] == f"match: {score[0]} to {score[1]}"


def test_replay__as_a_page__holds_the_match(folder, tmp_path):
    page = tmp_path / "match.html"
    assert run("replay", str(folder), "--find", "longest", "--html", str(page)).strip() == str(page)
    text = page.read_text()
    data = text.partition('id="matches-data">')[2].partition("</script>")[0]
    (shown,) = json.loads(data)
    assert shown["score"] == run_json("replay", str(folder), "--find", "longest")["score"]
    assert "http" not in text.replace("http-equiv", "")
    message = fails(
        "replay", str(folder), "--find", "longest", "--html", str(tmp_path / "no" / "x")
    )
    assert "cannot write to" in message


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("greedy/random/40/0",), "the board from 0 to 19"),
        (("greedy/random/4/2",), "the rotation 0 or 1"),
        (("greedy",), "A/B/BOARD/ROTATION"),
        (("random/greedy/4/0",), "the run has greedy/doubler, greedy/random, doubler/random"),
        (("--find", "nothing"), "this run keeps upset"),
        (("greedy/random/4/0", "--find", "upset"), "not both"),
    ],
)
def test_replay__what_there_is_not__says_what_there_is(folder, arguments, says):
    assert says in fails("replay", str(folder), *arguments)


def test_replay__a_strategy_that_has_changed__is_refused(tmp_path):
    own = write_strategy(tmp_path, "Own")
    place = str(tmp_path / "run")
    run("tournament", own, "random", "--matches", "4", "--out", place)
    assert run_json("replay", place, "Own/random/1/0")["seats"][0] == "Own"
    file = Path(own.rpartition(":")[0])
    file.write_text(file.read_text() + "\n# another version\n")
    assert "Own has changed" in fails("replay", place, "Own/random/1/0")
