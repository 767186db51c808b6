"""Files that ``verify`` and ``perft`` are given: what is wrong is said with its line and field."""

import json
from pathlib import Path

import pytest
from command import fails
from typer.testing import CliRunner

from persian_rummy.cli import app

DATA = Path(__file__).parent / "data"
GOOD = (DATA / "transcripts.jsonl").read_text().splitlines()[0]
BAD_LINES = {
    "not JSON": (b"{", "line 2: not JSON"),
    "no object": (b"[1]", "line 2: a transcript is a JSON object"),
    "not UTF-8": (b'{"format": "\xff"}', "line 2: not UTF-8 text"),
    "other format": (b'{"format": "x"}', "line 2: format: 'x' is not"),
    "score": (GOOD.replace('"score": [377', '"score": [378').encode(), "line 2: score: [378, 176]"),
    "deal score": (GOOD.replace("[216, 76]", "[216, 77]").encode(), "line 2: deals[0].score"),
    "action": (GOOD.replace('["S", "=6C6H6S"', '["S", "=6C6D6H"').encode(),
               "line 2: deals[0].actions[1]: =6C6D6H"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "says"), BAD_LINES.values(), ids=BAD_LINES)
def test_verify__second_line_bad__exit_1_with_line_and_field(tmp_path, line, says):
    (tmp_path / "x.jsonl").write_bytes(GOOD.encode() + b"\n" + line + b"\n" + GOOD.encode() + b"\n")
    message = fails("verify", str(tmp_path / "x.jsonl"), code=1)
    assert message.startswith(f"prummy: {tmp_path}/x.jsonl: ")
    assert says in message
    assert len(message.splitlines()) == 1
    result = CliRunner().invoke(app, ["verify", str(tmp_path / "x.jsonl"), "--json"])
    printed = json.loads(result.stdout)
    assert (result.exit_code, printed["valid"]) == (1, False)
    assert says in printed["error"]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_verify__empty_file__exit_1(tmp_path, data):
    (tmp_path / "x.jsonl").write_bytes(data)
    assert "line 1: the file holds no transcript" in fails(
        "verify", str(tmp_path / "x.jsonl"), code=1
    )


def test_verify__strange_line_ends_and_names__hold(tmp_path):
    """Only a line feed ends a line: a name may hold what Unicode calls a line separator."""
    match = json.loads(GOOD)
    match["seats"][0] = "a\u2028b\x85c"
    text = json.dumps(match, ensure_ascii=False) + "\r\n\r\n" + GOOD
    (tmp_path / "x.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    result = CliRunner().invoke(app, ["verify", str(tmp_path / "x.jsonl")])
    assert (result.exit_code, "2 transcripts" in result.stdout) == (0, True)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "not JSON"),
        (b"\xff", "line 1: not UTF-8"),
        (b"{}", "not a list of positions"),
        (b"[]", "not a list of positions"),
        (b"[3]", "position 1: not a JSON object"),
        (b'[{"dealer": 0, "deck": "2C", "depth": 1}]', "position 1: a deck has 56 cards"),
        (b'[{"dealer": 4, "deck": "2C", "depth": 1}]', "position 1: dealer is a seat"),
    ],
)
def test_perft__malformed__names_the_position(tmp_path, data, says):
    (tmp_path / "x.json").write_bytes(data)
    message = fails("perft", str(tmp_path / "x.json"))
    assert message.startswith(f"prummy: {tmp_path}/x.json: ")
    assert says in message


def test_perft__wrong_count__exit_1(tmp_path):
    position = json.loads((DATA / "perft.json").read_text())[0]
    position["nodes"] += 1
    (tmp_path / "x.json").write_text(json.dumps([position]))
    result = CliRunner().invoke(app, ["perft", str(tmp_path / "x.json")])
    assert result.exit_code == 1
    assert "1 of 1 counts differ from those given" in result.stderr
    assert f"given: {position['nodes']:,}" in result.stdout
