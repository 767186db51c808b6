"""All readers of the program, each as a function of bytes, and what is wrong with how one reads.

A reader may take what it is given, or refuse it with one of its own errors and a message that a
person can use. Whatever else it raises is a fault. Readers and mutations are shared by the small
tests (`test_readers_fuzz.py`) and by the long ones (`fuzz.py`).
"""

from __future__ import annotations

import atexit
import gzip
import json
import os
import re
import shutil
import signal
import tempfile
import threading
import traceback
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from random import Random
from threading import Event
from typing import Any
from unittest import mock

from small_runs import make_run, parts_of
from typer.testing import CliRunner

from persian_rummy.cli import app
from persian_rummy.commands import experiment, play
from persian_rummy.reports.results import load_results
from persian_rummy.reports.viewer import watched
from persian_rummy.sim.engines import EngineChoice
from persian_rummy.sim.errors import PrummyError
from persian_rummy.sim.perft import parse_position
from persian_rummy.sim.rules import Rules, parse_rules
from persian_rummy.sim.run import Stops, plan_of_manifest, record_outcome
from persian_rummy.sim.store import ROWS, SUMMARY, SUMS, TRANSCRIPTS, Part, RunFolder
from persian_rummy.sim.transcript import check_transcript, parse_transcripts
from persian_rummy.sim.work import pairing_identity
from persian_rummy.strategies.registry import parse_entry

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
LONGEST_MESSAGE = 2000
HANGS_AFTER = 20  # seconds; no input of the tests is worth one
MEMORY_RUN = "memory://prummy-readers"
EXIT_CODES = (0, 1, 2, 3)


class WrongExitError(Exception):
    """A command that ended with a code that it does not have."""


class HangError(Exception):
    """A reader that did not come to an end."""


class Held:
    """The files of a run, in memory."""

    place = "held"

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def read(self, name: str) -> bytes:
        if name not in self.files:
            raise FileNotFoundError(2, "No such file", name)
        return self.files[name]

    def write(self, name: str, data: bytes) -> None:
        self.files[name] = data

    def names(self, folder: str = "") -> list[str]:
        places = (name.rpartition("/") for name in self.files)
        return sorted(name for above, _, name in places if above == folder)

    def size(self, name: str) -> int:
        return len(self.read(name))


def held(files: dict[str, bytes]) -> RunFolder:
    """Return the folder of a run whose files are these."""
    folder = RunFolder("held")
    folder.storage = Held(files)
    return folder


@dataclass(frozen=True)
class Reader:
    """One reader: what it does with bytes, valid inputs, and how it may refuse others."""

    name: str
    read: Callable[[bytes], Any]
    seeds: Callable[[], list[bytes]]
    refuses: tuple[type[Exception], ...] = (PrummyError,)
    share: int = 1  # of all inputs of the long form; fast readers have more
    longest: int = 4096  # bytes of an input of the long form
    words: tuple[str, ...] = ()  # what the long form puts in beside what it finds itself


# --- what is wrong with how a reader reads -------------------------------------------------------


def fault_of(reader: Reader, data: bytes, alarm: bool = True) -> str | None:
    """Return what a reader does wrong with some bytes; None where it takes or refuses them well.

    `alarm`: whether a reader that hangs is a fault too; else it hangs.
    """
    try:
        with _alarm() if alarm else nullcontext():
            reader.read(data)
    except reader.refuses as error:
        return _fault_of_message(str(error), type(error).__name__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"{type(error).__name__} {_place_of(error)}: {_start_of(error)}"
    return None


def _fault_of_message(message: str, kind: str) -> str | None:
    if not message.strip():
        return f"{kind} without a message"
    if len(message) > LONGEST_MESSAGE:
        return f"{kind} with a message too long: {len(message)} characters: {message[:60]!r}"
    strange = {c for c in message if unicodedata.category(c) == "Cc" and c != "\n"}
    if strange:
        return f"{kind} with control characters: {sorted(strange)} in {message[:200]!r}"
    return None


def _place_of(error: BaseException) -> str:
    """Return the last line of the program that an error came by."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if Path(f.filename).parent.parent == ROOT and f.filename != __file__]
    last = (ours or frames)[-1]
    return f"at {Path(last.filename).name}:{last.lineno} in {last.name}"


def _start_of(error: BaseException) -> str:
    try:
        return str(error)[:200]
    except Exception as failed:
        return f"(no text: {type(failed).__name__})"


@contextmanager
def _alarm() -> Iterator[None]:
    """Raise HangError inside when it takes far too long."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise HangError(f"no end after {HANGS_AFTER} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(HANGS_AFTER)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# --- mutations -----------------------------------------------------------------------------------


def nested(depth: int) -> str:
    """Return lists in lists."""
    return "[" * depth + "]" * depth


ODD_VALUES = (
    *("null", "true", "false", "0", "1", "-1", "3", "1.5", "-0.0", "1e400", "-1e-400", "NaN"),
    *("Infinity", "nan", "-inf", "2147483648", "9223372036854775807", "9223372036854775808"),
    *("18446744073709551616", "-9223372036854775809", "9" * 300, "9" * 4300, "9" * 5000),
    *("0x" + "f" * 5000, "0b1", "1_000", "1979-05-27T07:32:00Z", "07:32:00"),
    *('""', '"x"', '"é"', r'"\ud800"', r'"\u0000"', r'"\u001b[31m\r\n\n"', "'''a\nb'''"),
    *('"' + "x" * 300 + '"', '"' + "x" * 5000 + '"', '"x.toml"', '"/"', '"%s{0}"', '"2C"', '"S"'),
    *("[]", "{}", "[[]]", "[null]", '["a", "b"]', '{"a": 1}', "{a = 1}", '{"": null}'),
    *("[" + ", ".join(["0"] * 999) + "]", nested(50), nested(400), nested(100_000)),
    *('{"a":' * depth + "1" + "}" * depth for depth in (50, 400, 100_000)),
)
"""Values of JSON, TOML and command lines that nobody expects at the place they are put."""

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[\w.+-]+|[\[\]{}]')


def tokens(text: str) -> list[tuple[int, int]]:
    """Return where (start, end) the words, quoted texts, lists and objects of a text stand."""
    found = []
    open_ = []
    for match in _TOKEN.finditer(text):
        if match[0] in ("[", "{"):
            open_.append(match.start())
        elif match[0] not in ("]", "}"):
            found.append(match.span())
        elif open_:
            found.append((open_.pop(), match.end()))
    return found


def mutate(data: bytes, random: Random) -> bytes:
    """Return bytes with one change: of a byte, of a stretch, or of a word or value in a text."""
    places = tokens(data.decode("latin-1")) if random.randrange(10) < 7 else []
    if not places:
        return _mutate_bytes(data, random)
    start, end = random.choice(places)
    other = data[slice(*random.choice(places))]
    kind = random.randrange(10)
    if kind < 6:
        new = random.choice(ODD_VALUES).encode()
    elif kind == 6:
        new = nested(random.randrange(700, 1000)).encode()  # about where Python gives up
    elif kind == 7:
        new = data[start:end] + b"," + other
    else:
        new = other
    if random.randrange(10) == 0:
        new, end = b"", end + 1  # the comma, colon or bracket after it goes too
    return data[:start] + new + data[end:]


def _mutate_bytes(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    to = min(len(data), at + random.choice([1, 1, 2, 4, 30, 1000]))
    what = random.choice(["flip", "set", "delete", "double", "cut", "insert", "move"])
    if what == "flip" and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
    if what == "set":
        value = random.choice([0, 1, 9, 10, 13, 27, 34, 44, 91, 127, 128, 255])
        return data[:at] + bytes([value]) * (to - at) + data[to:]
    if what == "delete":
        return data[:at] + data[to:]
    if what == "double":
        return data[:to] + data[at:]
    if what == "cut":
        return data[:at]
    if what == "move":
        rest = data[:at] + data[to:]
        place = random.randrange(len(rest) + 1)
        return rest[:place] + data[at:to] + rest[place:]
    return data[:at] + bytes(random.randrange(256) for _ in range(4)) + data[at:]


# --- a small run, with parts of both kinds -------------------------------------------------------


@cache
def scratch() -> Path:
    """Return a folder for files of this process; it goes with it."""
    folder = tempfile.mkdtemp(prefix="prummy-readers-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@cache
def finished_run() -> Path:
    """Return the folder of a finished run: the rows of one board, the sums of another."""
    run = make_run(
        scratch() / "finished", "random", "greedy", boards=2, keep="sample=2", rules=Rules(deals=1)
    )
    outcome = run.play(EngineChoice(jobs=1), lambda done, total: None, Event(), Stops(), 1)
    record_outcome(run.folder, run.folder.read_manifest(), outcome)
    return run.folder.path


@cache
def run_files() -> dict[str, bytes]:
    """Return the files of that run by name."""
    top = finished_run()
    names = ["manifest.json", *SUMMARY, *(str(p.relative_to(top)) for p in parts_of(top))]
    return {name: (top / name).read_bytes() for name in names}


@cache
def run_part(kind: str) -> tuple[Part, dict[str, Any], bytes]:
    """Return a part of that run: its name, identity and bytes."""
    folder = held(dict(run_files()))
    manifest = folder.read_manifest()
    identity = pairing_identity(plan_of_manifest(manifest), manifest["strategies"], 0)
    part = next(part for part in folder.parts()[0] if part.kind == kind)
    return part, identity, run_files()[part.name]


def checksum(data: bytes) -> str:
    """Return the checksum that the name of a part with these bytes tells."""
    return blake2b(data, digest_size=8).hexdigest()


def read_part(data: bytes, kind: str = ROWS, sealed: bool = True) -> Any:
    """Read bytes as that part; sealed: under a name that tells their checksum."""
    part, identity, _ = run_part(kind)
    if sealed:
        part = Part(part.key, part.first_board, part.n_boards, checksum(data), kind)
    return held({part.name: data}).read_part(part, identity, 1)


def sealed_manifest(data: bytes) -> bytes:
    """Return the JSON of a manifest with the right checksum; other bytes as they are."""
    try:
        manifest = json.loads(data)
        if not isinstance(manifest, dict):
            return data
        folder = held({})
        folder.write_manifest(manifest)
    except (ValueError, RecursionError):
        return data
    return folder.storage.read("manifest.json")


# --- the readers ---------------------------------------------------------------------------------


def _text(data: bytes) -> str:
    """Return bytes as the operating system gives them to a command line."""
    return data.decode("utf-8", "surrogateescape")


def _file(name: str, data: bytes) -> Path:
    path = scratch() / name
    path.write_bytes(data)
    return path


def _read_transcripts(data: bytes) -> None:
    for _, transcript in parse_transcripts(play._decode(data).split("\n")):
        check_transcript(transcript)


def _read_positions(data: bytes) -> None:
    for position in play._parse_positions(data, "x.json"):
        parse_position(position, "x.json: position")


def _read_rules(data: bytes) -> None:
    parse_rules(str(_file("rules.toml", data)))


def _read_assignments(data: bytes) -> None:
    parse_rules(None, _text(data).split("\n"))


def _read_experiment(data: bytes) -> None:
    experiment.read_experiment(_file("experiment.toml", data)).check()


def _read_entry(data: bytes) -> None:
    text = _text(data)
    for piece in re.split(r"[=\[\]]", text):
        if os.path.isfile(piece.strip().rpartition(":")[0]):
            return  # a file's code would run
    parse_entry(text)


def _read_manifest(data: bytes) -> None:
    plan_of_manifest(held({"manifest.json": data}).read_manifest())


def _read_sealed_manifest(data: bytes) -> None:
    _read_manifest(sealed_manifest(data))


def _in_memory(manifest: bytes) -> str:
    """Return the URL of that run with another manifest."""
    folder = RunFolder(MEMORY_RUN)
    if folder.storage.is_empty():
        for name, contents in run_files().items():
            folder.storage.write(name, contents)
    folder.storage.write("manifest.json", sealed_manifest(manifest))
    return MEMORY_RUN


def _read_results(data: bytes) -> None:
    load_results(_in_memory(data))


def _run_command(data: bytes, words: str) -> None:
    _invoke([*words.split(), _in_memory(data)])


def _read_summaries(data: bytes, place: int) -> None:
    name = SUMMARY[place]
    files = {**run_files(), name: data}
    checksums = {name: checksum(files[name]) for name in SUMMARY}
    held(files).read_summaries(1, checksums)


def _read_kept(data: bytes) -> None:
    """Read the exemplars of a run from these lines, as a report shows them."""
    name = f"{TRANSCRIPTS}/exemplars.jsonl.gz"
    packed = gzip.compress(data, mtime=0)
    for transcript in held({**run_files(), name: packed}).read_transcripts(
        "exemplars", {name: checksum(packed)}
    ):
        watched(transcript)


# --- whole command lines -------------------------------------------------------------------------

WORDS = (
    *(
        "tournament",
        "run",
        "runs",
        "ls",
        "show",
        "check",
        "merge",
        "gc",
        "report",
        "match",
        "verify",
        "perft",
        "draw",
        "rules",
        "strategies",
        "bench",
        "warm",
        "signature",
        "--help",
        "-h",
        "--version",
        "--json",
        "--all",
        "--matches",
        "-n",
        "--seed",
        "--rules",
        "--rule",
        "--format",
        "--keep",
        "--out",
        "-o",
        "--resume",
        "--extend",
        "--shard",
        "--jobs",
        "-j",
        "--engine",
        "--scheduler",
        "--block",
        "--max-time",
        "--max-matches",
        "--max-memory",
        "--deal-time",
        "--log-level",
        "--report",
        "--dry-run",
        "--seconds",
        "--board",
        "--rotation",
        "--depth",
        "random",
        "greedy",
        "hunter",
        "doubler",
        "miser",
        "greedy[pile_bias=3]",
        "greedy[pile_bias=]",
        "a=greedy",
        "a=b=greedy",
        "greedy[",
        "x.py:X",
        "no.py",
        "round-robin",
        "gauntlet",
        "all",
        "none",
        "sample=2",
        "sample=0",
        "1/2",
        "0/0",
        "3/2",
        "auto",
        "threads",
        "processes",
        "dask",
        "tcp://localhost:1",
        "memory://prummy-none",
        "no://where",
        "90s",
        "1d",
        "2GB",
        "0",
        "1",
        "2",
        "-1",
        "1.5",
        "nan",
        "inf",
        "1e9",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999999",
        "debug",
        "rummy500",
        "persian",
        "min_run=4",
        "min_run=9",
        "deals=1",
        "points=fives",
        "points={}",
        "jokers=0",
        "top_card=free",
        "Ann",
        "Bob",
        "Cid",
        "Dot",
        "run",
        "empty",
        "exp.toml",
        "bad.toml",
        "rules.toml",
        "good.jsonl",
        "bad.jsonl",
        "good.json",
        "new",
        "new/deep",
        "-",
        "--",
        ".",
        "/",
    ),
    "",
    " ",
    "=",
    "\u2028",
    "a" * 300,
    "é",
)

COMMAND_LINES = (
    "tournament greedy random -n 2 --max-matches 2 --out new",
    "tournament --all --matches 4 --seed 7 --rule min_run=4 --json --out new",
    "tournament --resume --out run --max-matches 2",
    "tournament --extend --out run hunter --matches 8",
    "run exp.toml --out new",
    "run run",
    "runs ls .",
    "runs ls --json",
    "runs show run",
    "runs check run --json",
    "runs merge run run --out new",
    "runs gc run --dry-run",
    "report run --out new",
    "match greedy random --seed 3 --rule deals=1 --json",
    "verify good.jsonl",
    "verify bad.jsonl --json",
    "perft good.json --depth 1",
    "draw Ann Bob Cid Dot --seed 3",
    "rules --rules rules.toml --json",
    "strategies show greedy",
    "strategies --json",
    "bench --seconds 1",
    "signature --json",
    "warm greedy",
)


class NotPlayedError(PrummyError):
    """What stands for playing when only the command line is under test."""


@cache
def _template() -> Path:
    """Return a folder with something for each command."""
    top = scratch() / "template"
    shutil.copytree(finished_run(), top / "run")
    (top / "empty").mkdir()
    files = {
        "exp.toml": b'strategies = ["greedy", "random"]\nmatches = 4\n',
        "bad.toml": b"strategies = 3\nno_such = 1\n",
        "rules.toml": b"min_run = 4\n",
        "good.jsonl": _transcripts()[0],
        "bad.jsonl": b'{"format": 1}\n',
        "good.json": _positions()[0],
    }
    for name, contents in files.items():
        (top / name).write_bytes(contents)
    return top


def _read_command(data: bytes) -> None:
    """Run a command line, an argument a line, in a folder of its own; nothing long is played."""
    arguments = _text(data.replace(b"\0", b"")).split("\n")
    arguments = [_harmless(word) for word in arguments]
    work = scratch() / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(_template(), work)
    here = "persian_rummy"
    with ExitStack() as stack:
        stack.enter_context(chdir(work))
        for name in (
            "sim.run.Run.play",
            "sim.benchmark.measure",
            "sim.frozen.signature",
            "reports.page.write_report",
        ):
            stack.enter_context(mock.patch(f"{here}.{name}", side_effect=NotPlayedError("played")))
        _invoke(arguments)


def _harmless(word: str) -> str:
    """Return a word of a command line that leads to no file outside the current folder."""
    if word in WORDS or word in " ".join(COMMAND_LINES).split():
        return "empty" if word == "/" else word
    return word.replace("/", "_").replace("..", "__")


def _invoke(arguments: list[str]) -> None:
    """Run the program; raise what it lets out, or WrongExitError."""
    result = CliRunner().invoke(app, arguments, input=b"")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code not in EXIT_CODES:
        raise WrongExitError(f"exit code {result.exit_code}: {result.output[-300:]}")


# --- valid inputs --------------------------------------------------------------------------------


@cache
def _transcripts() -> list[bytes]:
    lines = (DATA / "transcripts.jsonl").read_bytes().splitlines(keepends=True)
    return sorted(lines, key=len)[:4]


@cache
def _positions() -> list[bytes]:
    positions = json.loads((DATA / "perft.json").read_text())
    shortest = sorted(positions, key=lambda position: len(position["after"]))[:3]
    return [json.dumps([{**position, "depth": 1, "nodes": 1}]).encode() for position in shortest]


def _rules_files() -> list[bytes]:
    points = ", ".join(f'"{rank}" = {k}' for k, rank in enumerate("23456789TJQKA*"))
    return [
        b'preset = "rummy500"\nmin_run = 4 # longer\nout_bonus = 50\n',
        f"deals = 3\ndouble_jokers = false\npoints = {{{points}}}\n".encode(),
        b"jokers = 0\ntop_card = \"free\"\nbound_in = 'new_meld'\nout_bonus = 0x10\n",
    ]


def _assignments() -> list[bytes]:
    points = json.dumps(dict.fromkeys("23456789TJQKA*", 5))
    return [
        b"min_run=4\njokers=0",
        b"last_discard=goes_out\nexhausted = first_pass\ntop_card=free",
        f"points={points}\nfour_multiplier=3\ndouble_jokers=false".encode(),
    ]


def _experiments() -> list[bytes]:
    return [
        b'strategies = ["greedy", "bold=greedy[pile_bias=20]"]\nmatches = 100\nseed = 7\n'
        b'rules = {min_run = 4, points = "fives"}\nout = "runs/x"\n',
        b'all = true\nrule = ["min_run=4"]\nrules = "rummy500"\nformat = "gauntlet"\njobs = 2\n'
        b'keep = "sample=10"\nengine = "dask"\nscheduler = "tcp://host:1"\nreport = false\n',
        b'shard = "1/4"\nmax-time = "10m"\nmax-matches = 50\nmax-memory = "2GB"\n'
        b'deal-time = "10s"\nlog-level = "debug"\nblock = 16\n[rules]\ndeals = 3\n',
    ]


def _entries() -> list[bytes]:
    return [
        b"greedy",
        b"bold=greedy[pile_bias=20]",
        b"hunter",
        b" x=greedy[ pile_bias = -1e-3, ] ",
        b"no/such/file.py:Bot[x=1,y=2]",
        "ü=miser".encode(),
    ]


def _manifests() -> list[bytes]:
    return [run_files()["manifest.json"]]


def _part_bytes(kind: str) -> list[bytes]:
    return [run_part(kind)[2]]


def _summary_bytes(place: int) -> list[bytes]:
    return [run_files()[SUMMARY[place]]]


def _kept() -> list[bytes]:
    lines = []
    for line in _transcripts()[0].splitlines()[:2]:
        transcript = json.loads(line) | {"a": "x", "b": "y", "board": 0, "rotation": 0}
        lines.append(json.dumps({"exemplar": "upset", **transcript}))
    return ["\n".join(lines).encode()]


def _command_lines() -> list[bytes]:
    return ["\n".join(line.split()).encode() for line in COMMAND_LINES]


READERS = (
    Reader("transcripts", _read_transcripts, _transcripts, share=150),
    Reader("positions", _read_positions, _positions, share=200),
    Reader("rules", _read_rules, _rules_files, share=20, longest=512),
    Reader("assignments", _read_assignments, _assignments, share=25, longest=512),
    Reader("experiment", _read_experiment, _experiments, share=10, longest=1024),
    Reader("entry", _read_entry, _entries, share=8, longest=512),
    Reader("manifest", _read_manifest, _manifests, share=250),
    Reader("manifest-sealed", _read_sealed_manifest, _manifests, share=25),
    Reader("results", _read_results, _manifests),
    Reader("show", partial(_run_command, words="runs show"), _manifests),
    Reader("show-json", partial(_run_command, words="runs show --json"), _manifests),
    Reader("check", partial(_run_command, words="runs check"), _manifests),
    Reader("rows", partial(read_part, kind=ROWS), partial(_part_bytes, ROWS), longest=16384),
    Reader("sums", partial(read_part, kind=SUMS), partial(_part_bytes, SUMS), longest=16384),
    Reader("groups", partial(_read_summaries, place=0), partial(_summary_bytes, 0), longest=32768),
    Reader("counts", partial(_read_summaries, place=1), partial(_summary_bytes, 1), longest=16384),
    Reader("extremes", partial(_read_summaries, place=2), partial(_summary_bytes, 2), longest=8192),
    Reader("kept", _read_kept, _kept, longest=16384),
    Reader("command", _read_command, _command_lines, longest=256, words=WORDS),
)
