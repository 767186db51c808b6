"""Each check of a strategy finds the fault that it is for, in a strategy written to have it."""

from pathlib import Path
from textwrap import dedent

import pytest
from hostile import write_hostile
from small_runs import write_strategy

from persian_rummy.sim.apart import check_apart
from persian_rummy.sim.child import Limits
from persian_rummy.sim.conformance import (
    CHECKS,
    FAIL,
    NOT_RUN,
    OK,
    WARNING,
    Subject,
    house_rules,
    run_check,
)
from persian_rummy.sim.rules import PRESETS, Rules
from persian_rummy.strategies.registry import parse_entry
from persian_rummy.strategies.scaffold import write_strategy as write_new

PYTHON = """\
import random
import time
from persian_rummy.strategies import PythonStrategy


class Bot(PythonStrategy):
    \"\"\"Does what a test wants.\"\"\"

    hands = {{}}
    count = 0

    def draw(self, view):
        return -1 if view.stock_size > 0 else -2

    def meld(self, view):
        return 0

    def discard(self, view):
        cards = [card for card in range(56) if int(view.hand) >> card & 1]
        Bot.hands[int(view.seat)] = cards
        Bot.count += 1
        return cards[({choice}) % len(cards)]
"""


def python(folder: Path, choice: str) -> Subject:
    """Return a strategy in plain Python that throws the card of an expression."""
    path = folder / "bot.py"
    path.write_text(PYTHON.format(choice=choice))
    return Subject(parse_entry(f"{path}:Bot"))


def compiled(folder: Path, head: str = "", **hooks: str) -> Subject:
    spec = write_strategy(folder, "Bot", **hooks)
    path = Path(spec.rpartition(":")[0])
    path.write_text(dedent(head) + path.read_text())
    return Subject(parse_entry(spec))


def verdict(name: str, subject: Subject) -> tuple[str, str]:
    found = run_check(name, subject)
    assert found.check == name
    return found.status, found.detail


def test_house_rules__hold_every_value_of_every_rule():
    found = house_rules()
    assert found[: len(PRESETS)] == list(PRESETS.values())
    assert len(found) > 30
    for name, values in {
        "min_run": {3, 4, 5},
        "jokers": {0, 4},
        "last_discard": {"float", "forbidden", "goes_out"},
        "top_card": {"bound", "free"},
        "bound_in": {"any", "new_meld"},
        "exhausted": {"four_passes", "first_pass", "stock_empty"},
        "double_jokers": {True, False},
    }.items():
        assert {getattr(rules, name) for rules in found} == values
        alone = [rules for rules in found if list(rules.to_dict()) == [name]]
        assert len(alone) == len(values) - 1


def test_legal__plays_short_runs_under_any_rules__is_found(tmp_path):
    meld = """
    for card in range(44):
        stretch = np.uint64(0x111) << np.uint64(card)
        if view.hand & stretch == stretch:
            return np.int64(stretch | RUN_BITS)
    return 0
    """
    subject = compiled(tmp_path, "from persian_rummy.sim.melds import RUN_BITS\n", meld=meld)
    subject.play(Rules(), 0, 50, "random")  # by the usual rules it is legal
    status, detail = verdict("legal", subject)
    assert status == FAIL
    assert "meld answered" in detail
    assert "min_run=" in detail


@pytest.mark.parametrize(
    ("check", "choice"),
    [
        ("same seed", "time.perf_counter_ns() // 100"),
        ("same seed", "random.SystemRandom().randrange(100)"),
        ("fresh", "Bot.count"),
        ("alone", "sum(Bot.hands.get(int(view.seat) ^ 2, []))"),
        ("randomness", "random.randrange(100)"),
    ],
)
def test_python__with_a_fault__is_found(tmp_path, check, choice):
    assert verdict(check, python(tmp_path, "0"))[0] == OK
    status, detail = verdict(check, python(tmp_path, choice))
    assert status == FAIL
    says = {
        "same seed": "another match when played twice, with the same seed: it hangs on something",
        "fresh": "another match when played alone",
        "alone": "another choice when each seat is asked alone",
        "randomness": "use random_below",
    }
    assert says[check] in detail


def test_hidden__reads_the_memory_beside_its_view__is_found(tmp_path):
    head = """
    from persian_rummy.sim.ask import QUESTION_DTYPE
    from persian_rummy.sim.bits import address_of, pointer
    from persian_rummy.sim.state import HIDDEN_DTYPE
    from numba import carray
    import numpy as np
    FIELDS = QUESTION_DTYPE.fields
    BEFORE = np.uint64(FIELDS["table"][1] - FIELDS["hidden"][1] - HIDDEN_DTYPE.fields["hands"][1])
    """
    discard = """
    where = address_of(view) - BEFORE
    hands = carray(pointer(where), (4,), np.uint64)
    peeked = hands[0] ^ hands[1] ^ hands[2] ^ hands[3]
    cards = view.hand
    if peeked % np.uint64(3) == np.uint64(1) and cards & (cards - np.uint64(1)) != np.uint64(0):
        cards &= cards - np.uint64(1)
    return trailing_zeros(cards)
    """
    subject = compiled(tmp_path, head, discard=discard)
    status, detail = verdict("hidden", subject)
    assert status == FAIL
    assert "when other hands and the stock are changed: discard on board" in detail
    assert f"prummy match {subject.entry.text}" in detail
    assert "--explain" in detail
    assert verdict("hidden", compiled(tmp_path / "honest"))[0] == OK


def test_process__a_helper_is_given_what_is_no_card__is_found(tmp_path):
    discard = """
    if card_points(63, view.rules) == -5:
        return -1
    return trailing_zeros(view.hand)
    """
    head = "from persian_rummy.sim.melds import card_points\n"
    subject = compiled(tmp_path, head, discard=discard)
    assert verdict("same seed", subject)[0] == OK  # it goes unseen without the checks
    status, detail = verdict("process", subject)
    assert status == FAIL
    assert "compiled with bounds checks: discard raised IndexError" in detail


def test_process__that_hangs_on_the_order_of_texts__is_found(tmp_path):
    """Python orders a set of texts anew in every process; within one it is always the same."""
    subject = python(tmp_path, "int(next(iter({'1', '2', '3', '4', '5', '6', '7'})))")
    for check in ("same seed", "fresh", "alone"):
        assert verdict(check, subject)[0] == OK
    status, detail = verdict("process", subject)
    assert status == FAIL
    assert "in another process: another answer: discard on board" in detail
    assert verdict("process", python(tmp_path, "0"))[0] == OK


def test_process__of_a_strategy_that_prints__is_no_fault(tmp_path):
    subject = compiled(tmp_path, "import sys\nprint('hello')\nprint('hello', file=sys.stderr)\n")
    assert verdict("process", subject)[0] == OK


def test_arithmetic__beside_a_file_that_does_not_parse__is_looked_at(tmp_path):
    """Whoever imports by a text may import any neighbour, so that all are looked at."""
    subject = compiled(tmp_path, "import importlib\nimportlib.import_module('math')\n")
    Path(subject.entry.source).with_name("notes.py").write_text("def (")
    assert verdict("arithmetic", subject)[0] == OK


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("np.exp(0.5)", "exp"),
        ("math.tanh(0.5)", "tanh"),
        ("np.dot(np.ones(2), np.ones(2))", "dot"),
        ("2.5**view.points[0]", "**"),
        ("np.sqrt(2.0) + 2.5**2", None),  # are rounded rightly everywhere
    ],
)
def test_arithmetic__that_rounds_by_machine__is_warned_of(tmp_path, expression, found):
    discard = f"x = {expression}\nreturn trailing_zeros(view.hand) + np.int64(0 * x)"
    subject = compiled(tmp_path, "import math\n", discard=discard)
    status, detail = verdict("arithmetic", subject)
    if found is None:
        assert status == OK
        return
    assert status == WARNING
    path = Path(subject.entry.source)
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if expression in text)
    assert detail.startswith(f"bot.py, line {line}: {found}: may round otherwise")


@pytest.mark.long
def test_check_apart__new_strategies__keep_all(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for python_ in (False, True):
        entry = write_new(Path(f"bot_{int(python_)}.py"), python_)
        found = list(check_apart(entry, Limits()))
        assert [verdict.check for verdict in found] == list(CHECKS)
        assert {verdict.status for verdict in found} == {OK}, found


def test_check_apart__does_not_compile__says_the_line_and_runs_nothing_more(tmp_path):
    spec = write_strategy(tmp_path, "Bot", discard="x = 1\nreturn no_such_name")
    first, *others = check_apart(spec, Limits())
    assert (first.check, first.status) == ("compiles", FAIL)
    assert "no_such_name" in first.detail
    assert "bot.py" in first.detail
    assert {verdict.status for verdict in others} == {NOT_RUN}
    assert {verdict.detail for verdict in others} == {"mend compiles first"}
    assert len(others) == len(CHECKS) - 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Loops", "did not come back: a deal took more than 2 s"),
        ("Crashes", "crashed the process (SIGSEGV)"),
        ("Raises", "discard raised ValueError: boo"),
    ],
)
def test_check_apart__hostile__fails_and_is_survived(tmp_path, name, says):
    spec = write_hostile(tmp_path, name, when="view.deal == 1")
    found = {v.check: v for v in check_apart(spec, Limits(deal_seconds=2))}
    assert found["compiles"].status == OK
    assert found["legal"].status == FAIL
    assert says in found["legal"].detail
    assert found["speed"].status == NOT_RUN


def test_boards__of_a_slow_strategy__are_fewer(tmp_path):
    quick = Subject(parse_entry("greedy"))
    slow = python(tmp_path, "time.sleep(0.001) or 0")
    assert quick.boards(40) == 40
    assert 1 <= slow.boards(40) < 10
