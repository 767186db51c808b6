"""What is frozen: it stays as it is, or gets a new version."""

import json

import freeze
import numpy as np
import pytest
from twin import pack
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.sim import frozen
from persian_rummy.sim.frozen import DECK_IDENTITIES, ENGINE_VERSION, SEAT_IDENTITIES, contract
from persian_rummy.sim.match import play_boards
from persian_rummy.sim.rules import Rules
from persian_rummy.sim.store import RunFolder
from persian_rummy.sim.transcript import play_transcript
from persian_rummy.strategies.registry import BUILT_IN, parse_entry

FROZEN = json.loads(freeze.FILE.read_text(encoding="utf-8"))
HOW = "if that is meant: a new ENGINE_VERSION in sim/frozen.py, then python tests/freeze.py"


@pytest.mark.parametrize("part", ["view", "rules", "columns", "decks", "streams"])
def test_contract__is_the_frozen_one(part):
    assert FROZEN["engine_version"] == ENGINE_VERSION
    assert contract()[part] == FROZEN["contract"][part], HOW


def test_signature__is_the_frozen_one():
    result = CliRunner().invoke(app, ["signature", "--json"])
    assert json.loads(result.stdout) == {
        "engine_version": ENGINE_VERSION,
        "signature": FROZEN["signature"],
    }, "somebody plays otherwise; if that is meant: python tests/freeze.py"


def test_golden_decks__ten_identities__are_ten_whole_packs():
    decks = [FROZEN["contract"]["decks"][" ".join(map(str, who))] for who in DECK_IDENTITIES]
    assert len(set(decks)) == 10
    for (*_, size), deck in zip(DECK_IDENTITIES, decks, strict=True):
        jokers = 4 if size == 56 else 0
        assert sorted(deck.split()) == sorted(pack({"jokers": jokers}))
    streams = FROZEN["contract"]["streams"]
    assert len(SEAT_IDENTITIES) == len(set(streams.values())) == 10


def test_golden_decks__are_those_that_matches_are_dealt():
    players = [parse_entry("greedy").player()] * 4
    for seed, board, deal, size in DECK_IDENTITIES:
        if board >= 2**32:
            continue
        rules = Rules(deals=deal + 1, jokers=4 if size == 56 else 0)
        match = play_transcript(rules, players, ["greedy"] * 4, seed, board, 0)
        who = " ".join(map(str, (seed, board, deal, size)))
        assert match["deals"][deal]["deck"] == FROZEN["contract"]["decks"][who]


def test_signature__another_seed_or_one_strategy_less__is_another(monkeypatch):
    monkeypatch.setattr(frozen, "SIGNATURE_BOARDS", 5)
    usual = frozen.signature()
    assert frozen.signature() == usual
    monkeypatch.setattr(frozen, "SIGNATURE_SEED", 2)
    assert frozen.signature() != usual
    monkeypatch.setattr(frozen, "SIGNATURE_SEED", 1)
    monkeypatch.setattr(frozen, "BUILT_IN", BUILT_IN[1:])
    assert frozen.signature() != usual


def test_freeze__contract_changed_without_a_new_version__refuses(tmp_path, monkeypatch):
    file = tmp_path / "engine.json"
    monkeypatch.setattr(freeze, "FILE", file)
    monkeypatch.setattr(freeze, "signature", lambda: "0" * 32)
    changed = json.loads(json.dumps(FROZEN))
    changed["contract"]["decks"]["0 0 0 56"] = "2C"
    file.write_text(json.dumps(changed))
    with pytest.raises(SystemExit, match="decks: changed; raise ENGINE_VERSION"):
        freeze.main()
    assert json.loads(file.read_text()) == changed
    monkeypatch.setattr(freeze, "ENGINE_VERSION", ENGINE_VERSION + 1)
    freeze.main()
    written = json.loads(file.read_text())
    assert written["engine_version"] == ENGINE_VERSION + 1
    assert written["contract"] == FROZEN["contract"]


def test_rows__hold_the_frozen_columns():
    block = play_boards(Rules(), [parse_entry("greedy").player()] * 4, 1, 0, 1)
    for kind, rows in (("match", block.rows), ("side", block.sides), ("deal", block.deals)):
        frozen_columns = [(name, dtype) for name, dtype, *_ in FROZEN["contract"]["columns"][kind]]
        names = rows.dtype.names
        assert [(name, np.dtype(rows.dtype[name]).str[1:]) for name in names] == frozen_columns


def test_run__of_another_engine__is_not_gone_on_with(tmp_path):
    folder = tmp_path / "run"
    runner = CliRunner()
    line = ["tournament", "greedy", "random", "--matches", "20", "--out", str(folder)]
    assert runner.invoke(app, line).exit_code == 0
    about = RunFolder(folder).read_manifest()
    assert about["engine_version"] == ENGINE_VERSION
    RunFolder(folder).write_manifest(about | {"engine_version": 0, "status": "interrupted"})
    result = runner.invoke(app, ["tournament", "--resume", "--out", str(folder)])
    assert result.exit_code == 2
    assert f"was played by engine 0, this is engine {ENGINE_VERSION}" in result.stderr
