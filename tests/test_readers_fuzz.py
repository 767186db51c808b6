"""Whatever a reader is given, it takes it or says what is wrong: no traceback, no hang."""

import importlib.util
import json
import re
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
import readers
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from readers import ODD_VALUES, READERS, Reader, fault_of, mutate, nested, tokens

from persian_rummy.sim.check import check_run
from persian_rummy.sim.errors import PrummyError
from persian_rummy.sim.store import ROWS, SUMS, PartError

FUZZ = Path(__file__).parent / "fuzz.py"
each_reader = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
BY_NAME = {reader.name: reader for reader in READERS}
OF_MANIFESTS = [BY_NAME[n] for n in ("manifest-sealed", "results", "show", "show-json", "check")]
OF_TEXT = "transcripts positions rules assignments experiment entry manifest"
OF_BULK = [BY_NAME[name] for name in OF_TEXT.split()]


def examples(n: int) -> settings:
    """Return settings for so many examples; a mutation is small already, and not shrunk."""
    return settings(
        max_examples=n,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Compile and load what is used at first, so that nothing later seems to hang."""
    for reader in READERS:
        assert fault_of(reader, reader.seeds()[0], alarm=False) is None


@each_reader
def test_reader__valid_input__is_taken(reader):
    """The only one that is refused is an entry whose file is not there."""
    for data in reader.seeds():
        fault = fault_of(replace(reader, refuses=()), data)
        assert fault is None or "no/such/file.py does not exist" in fault


@each_reader
def test_reader__any_bytes__is_taken_or_refused(reader):
    @examples(80 if reader.share > 1 else 15)
    @given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode()))
    def holds(data: bytes) -> None:
        assert fault_of(reader, data) is None

    holds()


@each_reader
def test_reader__mutated_input__is_taken_or_refused(reader):
    @examples(200 if reader.share > 1 else 40)
    @given(st.sampled_from(reader.seeds()), st.integers(1, 3), st.randoms(use_true_random=False))
    def holds(data: bytes, times: int, random: readers.Random) -> None:
        for _ in range(times):
            data = mutate(data, random)
        assert fault_of(reader, data) is None

    holds()


@examples(60)
@given(
    st.sampled_from(readers.COMMAND_LINES),
    st.integers(0, 3),
    st.lists(st.sampled_from(readers.WORDS) | st.text(max_size=8), max_size=6),
)
def test_command__words_in_any_order__says_what_is_wrong(line, kept, words):
    arguments = [*line.split()[:kept], *words]
    assert fault_of(BY_NAME["command"], "\n".join(arguments).encode()) is None


@pytest.mark.parametrize("reader", OF_MANIFESTS, ids=lambda reader: reader.name)
def test_manifest__odd_value_in_each_place__is_taken_or_refused(reader):
    """The checksum is right, as of a manifest that some other program has written."""
    data = reader.seeds()[0]
    odd = [value for value in ODD_VALUES if len(value) < 100]
    faults = {}
    for number, (start, end) in enumerate(tokens(data.decode())):
        for turn in range(4 if reader.share > 1 else 1):
            value = odd[(5 * number + turn) % len(odd)].encode()
            if fault := fault_of(reader, data[:start] + value + data[end:]):
                faults[fault] = value
    assert not faults


@pytest.mark.parametrize("reader", OF_MANIFESTS, ids=lambda reader: reader.name)
def test_manifest__any_field_missing__is_taken_or_refused(reader):
    whole = json.loads(reader.seeds()[0])
    inner = ("plan", "versions", "machine")
    less = [{k: v for k, v in whole.items() if k != name} for name in whole]
    less += [
        {**whole, outer: {k: v for k, v in whole[outer].items() if k != name}}
        for outer in inner
        for name in whole[outer]
    ]
    less += [
        {**whole, "strategies": [{k: v for k, v in s.items() if k != name} for s in entries]}
        for entries in [whole["strategies"]]
        for name in entries[0]
    ]
    faults = {fault_of(reader, json.dumps(manifest).encode()) for manifest in less}
    assert faults == {None}


@pytest.mark.parametrize("reader", OF_MANIFESTS, ids=lambda reader: reader.name)
@pytest.mark.parametrize(
    "change",
    [{"names": ["random", "greedy", "hunter"]}, {"names": ["random"]}, {"names": "ab"},
     {"boards": -1}, {"boards": 2**70}, {"boards": "4"}, {"boards": True}, {"seed": 0.5},
     {"format": []}, {"format": "other"}, {"names": ["random", "\ud800"]}, {"names": [1, 2]}],
    ids=repr,
)  # fmt: skip
def test_manifest__impossible_plan__is_taken_or_refused(reader, change):
    whole = json.loads(reader.seeds()[0])
    assert (
        fault_of(reader, json.dumps({**whole, "plan": {**whole["plan"], **change}}).encode())
        is None
    )


BULK = {
    "lists": nested(100_000).encode(),
    "lists in a list": b"[" + nested(100_000).encode() + b"]",
    "lists under a key": b"min_run = " + nested(100_000).encode(),
    "objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "dots": b"a." * 100_000 + b"a = 1",
    "quoted": b'"' + b"x" * 100_000 + b'"',
    "digits": b"9" * 100_000,
    "hexadecimal": b"matches = 0x" + b"f" * 100_000,
    "no UTF-8": b"\xff" * 100_000,
    "line feeds": b"\n" * 100_000,
    "signs": b"=[" * 100_000,
    "keys": b"".join(b"key-%d = 1\n" % number for number in range(10_000)),
    "parameters": b"greedy[" + b"".join(b"p%d=1," % number for number in range(30_000)) + b"]",
    "path": b"x" * 100_000 + b".py:Bot",
}


@pytest.mark.parametrize("reader", OF_BULK, ids=lambda reader: reader.name)
@pytest.mark.parametrize("data", BULK.values(), ids=BULK)
def test_reader__large_input__takes_memory_in_proportion(reader, data):
    tracemalloc.start()
    try:
        fault = fault_of(reader, data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert fault is None
    assert peak < 200 * len(data) + 2**24


# --- parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ROWS, SUMS])
def test_part__any_byte_changed__is_found(kind):
    data = readers.run_part(kind)[2]
    for place in range(len(data)):
        changed = data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
        with pytest.raises(PartError, match="differ from its checksum"):
            readers.read_part(changed, kind, sealed=False)


@pytest.mark.parametrize("kind", [ROWS, SUMS])
def test_part__cut_at_any_place__is_found(kind):
    data = readers.run_part(kind)[2]
    for place in range(len(data)):
        with pytest.raises(PartError, match="differ from its checksum"):
            readers.read_part(data[:place], kind, sealed=False)


@pytest.mark.parametrize("kind", [ROWS, SUMS])
def test_part__cut_and_its_name_made_right__is_found(kind):
    data = readers.run_part(kind)[2]
    for place in [*range(0, len(data), 101), *range(len(data) - 8, len(data))]:
        with pytest.raises(PartError):
            readers.read_part(data[:place], kind)


def test_rows__byte_changed_and_their_name_made_right__are_found_or_the_same():
    """Where the reader takes them (there are bytes that say nothing), they say what they said."""
    data = readers.run_part(ROWS)[2]
    whole = readers.read_part(data)
    found = 0
    for place in [*range(0, len(data), 31), *range(len(data) - 8, len(data))]:
        changed = data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
        try:
            contents = readers.read_part(changed)
        except PartError:
            found += 1
            continue
        assert (contents.ranges, contents.digest) == (whole.ranges, whole.digest)
        assert contents.summary.equals(whole.summary)
    assert found


@pytest.mark.parametrize("kind", [ROWS, SUMS])
def test_check_run__changed_part__is_named(kind):
    files = readers.run_files()
    name = readers.run_part(kind)[0].name
    data = files[name]
    assert check_run(readers.held(dict(files))).faults == []
    for place in range(0, len(data), len(data) // 6):
        changed = data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :]
        report = check_run(readers.held({**files, name: changed}))
        assert report.faults[0].startswith(f"{name} is damaged")


# --- the harness itself --------------------------------------------------------------------------


class BareError(PrummyError):
    """An error whose message is as it was made."""

    __str__ = Exception.__str__


def refuse(message: str) -> None:
    """Refuse whatever it is."""
    raise BareError(message)


@pytest.mark.parametrize(
    ("read", "says"),
    [
        (lambda data: {}["x"], r"KeyError at test_readers_fuzz.py:\d+ in <lambda>: 'x'"),
        (lambda data: sys.exit(1), "SystemExit"),
        (lambda data: nested(10**5).join(nested(10) for _ in iter(data.hex, "")), "HangError"),
        (lambda data: refuse(""), "BareError without a message"),
        (lambda data: refuse("x" * 2001), "BareError with a message too long: 2001"),
        (lambda data: refuse("\x1b[31m"), "BareError with control characters"),
        (lambda data: refuse("what is wrong\nand what to do"), None),
        (lambda data: data, None),
    ],
)  # fmt: skip
def test_fault_of__reader_of_any_kind__is_told(monkeypatch, read, says):
    monkeypatch.setattr(readers, "HANGS_AFTER", 1)
    fault = fault_of(Reader("bad", read, list), b"x")
    assert fault is None if says is None else re.match(says, str(fault))


@pytest.mark.parametrize(
    "read",
    [
        lambda data: 2 * json.loads(data)["plan"]["boards"] + 1,
        lambda data: str(int(re.search(rb'"seed": (\w+)', data)[1], 0)),
    ],
    ids=["unchecked", "huge"],
)
def test_mutations__of_a_reader_without_care__find_it(read):
    def careless(data: bytes) -> None:
        json.loads(data)  # what is no JSON is not what is meant here
        read(data)

    reader = Reader("careless", careless, list)
    random = readers.Random(1)
    seed = BY_NAME["manifest"].seeds()[0]
    faults = {fault_of(reader, mutate(seed, random)) for _ in range(300)}
    assert [f for f in faults if f and "JSONDecodeError" not in f and "UnicodeDecode" not in f]


# --- the long form -------------------------------------------------------------------------------


def fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `fuzz.py`."""
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed")
    return subprocess.run(
        [sys.executable, str(FUZZ), *arguments], capture_output=True, text=True, check=False
    )


def test_fuzz__few_inputs__counts_them(tmp_path):
    ended = fuzz("--reader", "assignments", "--inputs", "200", "--save", str(tmp_path))
    assert re.search(r"assignments +\d+ inputs .* coverage \d+ to \d+", ended.stdout), ended
    assert "1 readers" in ended.stdout


@pytest.mark.long
def test_fuzz__a_million_inputs__find_nothing(tmp_path):
    ended = fuzz("--inputs", "1000000", "--save", str(tmp_path))
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    total = re.search(r"^([\d,]+) inputs, \d+ readers", ended.stdout, re.MULTILINE)
    assert int(total[1].replace(",", "")) >= 1_000_000
