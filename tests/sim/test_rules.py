"""House rules: presets, files, assignments, errors, and the record that the core reads."""

import json

import pytest

from persian_rummy.sim import rules as rules_module
from persian_rummy.sim.cards import RANKS
from persian_rummy.sim.rules import (
    N_PLANES,
    PRESETS,
    Rules,
    RulesError,
    describe_rules,
    parse_rules,
    rules_from_dict,
    rules_from_toml,
)

TABLE = {rank: 10 * at for at, rank in enumerate(RANKS)}

BAD_VALUES = {
    "deals": [0, -1, True, 2.0, "2", None, 10**30],
    "points": ["pip", "", None, 5, True, [], {}, {"2": 2}],
    "out_bonus": [-1, False, 25.0, "25", None, 10**30],
    "four_multiplier": [0, -2, True, 2.5, "2", None, 10**30],
    "double_jokers": [0, 1, "true", None, 1.0],
    "min_run": [2, 6, 0, 3.0, True, "3", None, [3]],
    "jokers": [1, 2, 3, 5, -4, 4.0, 0.0, False, "4", None],
    "last_discard": ["Float", "", 0, None, True, ["float"]],
    "top_card": ["Free", "", 1, None, True],
    "bound_in": ["new meld", "", 0, None],
    "exhausted": ["four passes", "", 0, None, {}],
}


def test_defaults__are_those_of_the_rules_page():
    assert [(row["rule"], row["default"]) for row in describe_rules()] == [
        ("deals", 2),
        ("points", "pips"),
        ("out_bonus", 25),
        ("four_multiplier", 2),
        ("double_jokers", True),
        ("min_run", 3),
        ("jokers", 4),
        ("last_discard", "float"),
        ("top_card", "bound"),
        ("bound_in", "any"),
        ("exhausted", "four_passes"),
    ]


def test_describe_rules__values__begin_with_the_default():
    for row in describe_rules():
        assert row["meaning"]
        values = row["values"]
        assert values[0] == row["default"] or str(values[0]).startswith("from ")
    values = {row["rule"]: row["values"] for row in describe_rules()}
    assert values["last_discard"] == ["float", "forbidden", "goes_out"]
    assert values["double_jokers"] == [True, False]
    assert values["deals"] == ["from 1"]


def test_presets__differ_as_the_rules_page_says():
    assert PRESETS["persian"].to_dict() == {}
    assert PRESETS["rummy500"].to_dict() == {
        "jokers": 0,
        "four_multiplier": 1,
        "last_discard": "goes_out",
        "out_bonus": 0,
        "exhausted": "first_pass",
    }


@pytest.mark.parametrize(("name", "value"), [(n, v) for n in BAD_VALUES for v in BAD_VALUES[n]])
def test_rules__bad_value__names_the_rule(name, value):
    with pytest.raises(RulesError, match=f"rule {name}: "):
        Rules(**{name: value})
    with pytest.raises(RulesError, match=f"rule {name}: "):
        rules_from_dict({name: value})


def test_bad_values__cover_every_rule():
    assert set(BAD_VALUES) == {row["rule"] for row in describe_rules()}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"A": -1}, "A is -1"),
        ({"A": True}, "A is True"),
        ({"A": 1.0}, "A is 1.0"),
        ({"A": "15"}, "A is '15'"),
        ({"*": 10**12}, r"\* is 1000000000000"),
        ({"10": 10}, "unknown ranks 10"),
        ({"t": 10}, "unknown ranks t"),
        ({1: 10}, "unknown ranks 1"),
    ],
)
def test_point_table__bad_entry__is_named(changes, message):
    with pytest.raises(RulesError, match=message):
        Rules(points=TABLE | changes)
    with pytest.raises(RulesError, match=message):
        Rules(points=TABLE | changes, jokers=0)


def test_point_table__rank_missing__is_named():
    with pytest.raises(RulesError, match=r"the table lacks 2 \*$"):
        Rules(points=dict.fromkeys(RANKS[1:-1], 1))


def test_unknown_rule__near_to_one__suggests_it():
    with pytest.raises(RulesError, match="unknown rule 'min_runs'; did you mean min_run"):
        rules_from_dict({"min_runs": 4})
    with pytest.raises(RulesError, match="unknown rule 'xyz'; there are deals, points"):
        rules_from_dict({"xyz": 4})
    with pytest.raises(RulesError, match="unknown rule 7"):
        rules_from_dict({7: 4})


@pytest.mark.parametrize(
    ("house", "pack_points"),
    [  # W of RULES section 6
        ({}, 476),
        ({"jokers": 0}, 396),
        ({"points": "fives"}, 460),
        ({"points": "fives", "jokers": 0}, 380),
        ({"points": TABLE}, 4 * 910),
        ({"points": TABLE, "jokers": 0}, 4 * 780),
    ],
)
def test_pack_points__by_hand(house, pack_points):
    assert Rules(**house).pack_points() == pack_points


def test_match__that_could_overflow__is_refused():
    zero = dict.fromkeys(RANKS, 0)
    assert Rules(deals=1, points=zero, out_bonus=10_000_000).out_bonus == 10_000_000
    with pytest.raises(RulesError, match=r"could score 20,000,000 points; the limit is 10,000,000"):
        Rules(deals=2, points=zero, out_bonus=10_000_000)
    with pytest.raises(RulesError, match="could score"):  # 2 x (476 x 11,000 + 25)
        Rules(four_multiplier=11_000)


@pytest.mark.parametrize(
    "house",
    [
        {},
        {"points": "fives"},
        {"points": TABLE},
        {"points": TABLE | {"*": 10_000_000}, "jokers": 0, "deals": 1},
        {"points": dict.fromkeys(RANKS, 0)},
    ],
)
def test_record__planes__give_each_card_its_points(house):
    rules = Rules(**house)
    planes = rules.record()["planes"][0]
    assert len(planes) == N_PLANES
    for card in range(56):
        worth = sum((int(plane) >> card & 1) << power for power, plane in enumerate(planes))
        assert worth == rules.rank_points()[card // 4]
    assert all(int(plane) >> 56 == 0 for plane in planes)


def test_record__fields__are_the_house_rules():
    house = {"deals": 3, "out_bonus": 7, "four_multiplier": 5, "double_jokers": False, "min_run": 4}
    rules = Rules(
        **house, jokers=0, last_discard="goes_out", top_card="free", exhausted="stock_empty"
    )
    record = rules.record()[0]
    assert {name: record[name] for name in house} == house
    assert (record["pack_size"], record["top_free"], record["new_meld"]) == (52, 1, 0)
    assert record["last_discard"] == rules_module.GOES_OUT
    assert record["exhausted"] == rules_module.STOCK_EMPTY
    assert Rules(bound_in="new_meld").record()["new_meld"] == 1


@pytest.mark.parametrize("house", [{}, {"points": TABLE, "min_run": 5}, {"top_card": "free"}])
def test_to_dict__round_trip(house):
    rules = Rules(**house)
    assert rules.to_dict() == house
    assert rules_from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_parse_rules__preset_and_assignments__apply_in_order():
    assert parse_rules(None) == parse_rules("persian") == Rules()
    rules = parse_rules("rummy500", ["min_run=4", "min_run = 5", "last_discard=float"])
    assert (rules.min_run, rules.last_discard, rules.jokers) == (5, "float", 0)
    assert parse_rules(None, ["double_jokers=false"]).double_jokers is False
    assert parse_rules(None, [f"points={json.dumps(TABLE)}"]).points == TABLE
    assert parse_rules(None, ['points="fives"']) == parse_rules(None, ["points=fives"])


@pytest.mark.parametrize(
    ("source", "assignments", "message"),
    [
        ("persia", (), "unknown rules 'persia': give a preset"),
        ("missing.toml", (), "missing.toml: cannot be read"),
        ("x" * 5000, (), "unknown rules"),
        ("nul\0", (), "unknown rules"),
        (None, ["min_run"], "write NAME=VALUE"),
        (None, ["min_run="], "rule min_run: ''"),
        (None, ["min_run=3.0"], "rule min_run: 3.0"),
        (None, ["double_jokers=True"], "rule double_jokers: 'True'"),
        (None, ["=3"], "unknown rule ''"),
        (None, ["deals=" + "[" * 100_000], "rule deals: "),
        (None, ["deals=" + "1" * 5000], "rule deals: "),
    ],
)
def test_parse_rules__mistake__says_which(source, assignments, message):
    with pytest.raises(RulesError, match=message):
        parse_rules(source, assignments)


def test_toml__preset_and_table__are_read(tmp_path):
    file = tmp_path / "house.toml"
    table = "\n".join(f'"{rank}" = {points}' for rank, points in TABLE.items())
    file.write_text(f'preset = "rummy500"\nmin_run = 4\n[points]\n{table}\n')
    rules = parse_rules(str(file), ["deals=1"])
    assert rules == Rules(**PRESETS["rummy500"].to_dict() | {
        "min_run": 4, "points": TABLE, "deals": 1
    })  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"min_run = ", "not valid TOML"),
        (b"\xff\xfe", "cannot be read"),
        (b'preset = "persia"', "unknown preset 'persia'; there are persian, rummy500"),
        (b"preset = []", r"unknown preset \[\]"),
        (b"min_runs = 4", "did you mean min_run"),
        (b"deals = 2024-01-01", "rule deals: "),
        (b"deals = " + b"1" * 5000, "not valid TOML"),
        (b"deals = 0x" + b"f" * 5000, "rule deals: .int too large to show"),
        (b"out_bonus = inf", "rule out_bonus: inf"),
    ],
)
def test_toml__mistake__names_the_file(tmp_path, content, message):
    file = tmp_path / "house.toml"
    file.write_bytes(content)
    with pytest.raises(RulesError, match=f"house.toml: .*{message}"):
        rules_from_toml(file)
