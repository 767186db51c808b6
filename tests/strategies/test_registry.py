"""Entries: names, labels and parameters resolve, or say what would be right."""

from importlib.metadata import EntryPoint

import numpy as np
import pytest
from small_runs import write_strategy

from persian_rummy.strategies import registry
from persian_rummy.strategies.base import StrategyError
from persian_rummy.strategies.greedy import Greedy
from persian_rummy.strategies.registry import (
    BUILT_IN,
    all_classes,
    find_class,
    parse_entries,
    parse_entry,
)


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("greedy", "greedy", [0.0]),
        ("  greedy ", "greedy", [0.0]),
        ("greedy[pile_bias=3]", "greedy[pile_bias=3]", [3.0]),
        ("greedy[ pile_bias = -2.5 ]", "greedy[ pile_bias = -2.5 ]", [-2.5]),
        ("greedy[]", "greedy", [0.0]),
        ("bold=greedy[pile_bias=20]", "bold", [20.0]),
        ("v1.2_a+b-c=greedy", "v1.2_a+b-c", [0.0]),
        ("hunter[fear=1,greed=3]", "hunter[fear=1,greed=3]", [3.0, 1.0, 1.0]),
        ("random", "random", []),
    ],
)
def test_entry__well_written__has_name_and_parameters(text, name, values):
    entry = parse_entry(text)
    assert entry.name == name
    assert entry.text == text.strip()
    assert entry.params.tolist() == values
    assert entry.params.dtype == np.float64
    assert list(entry.param_values().values()) == values


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gredy", "unknown strategy 'gredy'; did you mean greedy"),
        ("GREEDY", "unknown strategy 'GREEDY'"),
        ("xyz", f"there are {', '.join(BUILT_IN)}"),
        ("", "cannot read ''"),
        ("=greedy", "a label is made of letters"),
        ("my bot=greedy", "a label is made of letters"),
        ("a=b=greedy", "unknown strategy 'b=greedy'; did you mean greedy"),
        ("greedy[pile_bias=3", "cannot read"),
        ("greedy]pile_bias=3[", "cannot read"),
        ("greedy[pile_bias]", r"write parameters as \[name=number,...\], not 'pile_bias'"),
        ("greedy[pile_bias=much]", "write parameters as"),
        ("greedy[pile_bias=nan]", "write parameters as"),
        ("greedy[pile_bias=inf]", "write parameters as"),
        ("greedy[pile_bias=1,pile_bias=2]", "parameter 'pile_bias' is given twice"),
        ("greedy[bias=1]", "Greedy has no parameter 'bias'; it has pile_bias"),
        ("random[x=1]", "Random has no parameter 'x'; it has none"),
        ("greedy[pile_bias=201]", "pile_bias = 201 is not between -200 and 200"),
        ("greedy[pile_bias=-201]", "pile_bias = -201 is not between -200 and 200"),
        ("no/such/file.py:Bot", "strategy file no/such/file.py does not exist"),
        ("bot.py", "a strategy file is written path/file.py:Class"),
        ("bot.txt:Bot", "a strategy file is written path/file.py:Class"),
    ],
)
def test_entry__badly_written__says_what_is_wrong(text, says):
    with pytest.raises(StrategyError, match=says):
        parse_entry(text)


@pytest.mark.parametrize(
    "specs",
    [["greedy", "greedy"], ["greedy", "random", "greedy"], ["a=greedy", "a=random"]],
)
def test_entries__two_of_one_name__ask_for_labels(specs):
    with pytest.raises(StrategyError, match=r"two entries are called .*: give labels"):
        parse_entries(specs)


def test_entries__same_strategy_with_labels_or_parameters__are_two():
    specs = ["greedy", "b=greedy", "greedy[pile_bias=1]"]
    assert [entry.name for entry in parse_entries(specs)] == ["greedy", "b", "greedy[pile_bias=1]"]


def test_entries__names_of_files__are_those_of_classes(tmp_path):
    one = write_strategy(tmp_path / "v1", "Bot")
    two = write_strategy(tmp_path / "v2", "Bot")
    assert parse_entry(one).name == "Bot"
    with pytest.raises(StrategyError, match="two entries are called 'Bot'"):
        parse_entries([one, two])
    assert [entry.name for entry in parse_entries([f"old={one}", f"new={two}"])] == ["old", "new"]


def test_plug_in__installed__is_found_by_its_name(tmp_path, monkeypatch):
    points = [
        EntryPoint("timid", "persian_rummy.strategies.greedy:Greedy", registry.GROUP),
        EntryPoint("broken", "no_such_package:Bot", registry.GROUP),
        EntryPoint("wrong", "pathlib:Path", registry.GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group else [])
    assert find_class("timid")[0] is Greedy
    assert parse_entry("shy=timid[pile_bias=-50]").name == "shy"
    with pytest.raises(StrategyError, match="plug-in 'broken' cannot be loaded: No module named"):
        parse_entry("broken")
    with pytest.raises(StrategyError, match="plug-in 'wrong': Path is not a Strategy class"):
        parse_entry("wrong")
    with pytest.raises(StrategyError, match="did you mean timid"):
        parse_entry("timit")


def test_all_classes__hold_built_ins_and_plug_ins(monkeypatch):
    points = [EntryPoint("timid", "persian_rummy.strategies.greedy:Greedy", registry.GROUP)]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    names = [name for name, _ in all_classes()]
    assert names == [*BUILT_IN, "timid"]


def test_built_in__name_taken_by_a_plug_in__stays_the_built_in(monkeypatch):
    points = [EntryPoint("random", "persian_rummy.strategies.greedy:Greedy", registry.GROUP)]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    assert find_class("random")[0] is not Greedy
