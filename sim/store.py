"""A run on disk: manifest, parts, summaries, evidence of failures.

A *part* holds some boards of one pairing: their rows (``matches/``), or where rows are not kept
their sums (``sums/``). Its name says which pairing under which conditions (the key, a hash of all
that decides the rows), which boards, and the checksum of its contents; so a part that is damaged,
misplaced or doubled is seen, and a part of another strategy is never taken for this one's.
"""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .columns import column_names
from .digest import digest_text, rows_digest
from .errors import PrummyError, shown
from .manifest import ManifestError, check_manifest
from .storage import TEMPORARY, LocalStorage, open_storage
from .summary import (
    EXTREMES,
    GROUP_COLUMNS,
    HISTOGRAMS,
    N_GROUPS,
    Histogram,
    PairingSummary,
    summarize,
)

FORMAT = "prummy-run"
VERSION = 4
ROWS, SUMS = "matches", "sums"
TRANSCRIPTS = "transcripts"
LONGEST_NAME = 100  # of a file of evidence; file systems take some 250
SUMMARY = ("summary/groups.parquet", "summary/histograms.parquet", "summary/extremes.parquet")
PARQUET: Any = {  # small integers by their bytes: a tenth smaller and a third quicker than default
    "compression": "zstd",
    "compression_level": 1,
    "use_dictionary": False,
    "column_encoding": "BYTE_STREAM_SPLIT",
    "write_statistics": False,
}
_PART = re.compile(r"part-([0-9a-f]{16})-(\d{12})-(\d{12})-([0-9a-f]{16})\.parquet")


class StoreError(PrummyError):
    """A run's folder that cannot be used; the message says what to do."""


class PartError(StoreError):
    """A part that is not what its name says; the message says why."""


@dataclass(frozen=True, order=True)
class Part:
    """A part by its name: what it holds (`ROWS` or `SUMS`), of whom, first board, how many."""

    key: str
    first_board: int
    n_boards: int
    checksum: str
    kind: str

    @property
    def name(self) -> str:
        """The file's name in the run's folder."""
        boards = f"{self.first_board:012d}-{self.n_boards:012d}"
        return f"{self.kind}/part-{self.key}-{boards}-{self.checksum}.parquet"


@dataclass(frozen=True)
class Contents:
    """What a part says, proven: ranges of boards (first, number), their summary and digest."""

    ranges: list[tuple[int, int]]
    summary: PairingSummary
    digest: int


class RunFolder:
    """The folder of a run: reading and writing of each kind of file in it."""

    def __init__(self, place: str | Path) -> None:
        self.storage = open_storage(place)
        self.place = self.storage.place

    @property
    def path(self) -> Path:
        """The folder on this machine; raises StoreError where it lies elsewhere."""
        if isinstance(self.storage, LocalStorage):
            return self.storage.path
        raise StoreError(f"{self.place} is no folder of this machine: name one with --out")

    def create(self, manifest: Mapping[str, Any]) -> None:
        """Make the folder of a new run with its manifest.

        Raises
        ------
        StoreError
            When there is something in the folder already, or it cannot be written.
        """
        self.check_is_free()
        with self.writing():
            self.write_manifest(manifest)

    def check_is_free(self) -> None:
        """Raise StoreError when the folder cannot become that of a new run; make nothing."""
        with self.writing():
            holds_run = self.holds_run()
        if holds_run:
            raise StoreError(
                f"{self.place} holds a run already: go on with it by --resume, or name another "
                "folder with --out"
            )
        with self.writing():
            empty = self.storage.is_empty()
        if not empty:
            raise StoreError(f"{self.place} is not empty and holds no run: name another folder")

    def holds_run(self) -> bool:
        """Return whether there is a manifest."""
        return "manifest.json" in self.storage.names()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn an OSError inside into a StoreError that says where."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"cannot write to {self.place}: {error.strerror or error}") from None

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest with its checksum, whole or not at all."""
        told = {"format": FORMAT, "version": VERSION, **manifest}
        told["checksum"] = _manifest_checksum(told)
        self.storage.write("manifest.json", _json(told))

    def read_manifest(self) -> dict[str, Any]:
        """Return the manifest; raises StoreError when the folder holds no run or a changed one."""
        name = f"{self.place}/manifest.json"
        try:
            manifest = json.loads(self.storage.read("manifest.json"))
            checksum = _manifest_checksum(manifest) if isinstance(manifest, dict) else ""
        except FileNotFoundError:
            raise StoreError(f"{self.place} holds no run: {name} is missing") from None
        except (OSError, ValueError, RecursionError) as error:
            raise StoreError(f"{name} cannot be read: {error}") from None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise StoreError(f"{name} is not the manifest of a run")
        if manifest.get("version") != VERSION:
            raise StoreError(
                f"{self.place} was written by another version: its format is "
                f"{shown(manifest.get('version'))}, this program reads {VERSION}"
            )
        if manifest.get("checksum") != checksum:
            raise StoreError(
                f"{name} was changed or damaged after it was written (its checksum differs): "
                "put the old one back, or play the run again in another folder"
            )
        try:
            check_manifest(manifest)
        except ManifestError as error:
            raise StoreError(f"{name} is damaged: {error}") from None
        return manifest

    def parts(self) -> tuple[list[Part], list[str]]:
        """Return all parts, sorted, and the names of files that are no parts."""
        found, others = [], []
        for kind in (ROWS, SUMS):
            for name in self.storage.names(kind):
                if match := _PART.fullmatch(name):
                    key, first, n, checksum = match.groups()
                    found.append(Part(key, int(first), int(n), checksum, kind))
                elif not name.startswith("."):
                    others.append(f"{kind}/{name}")
        return sorted(found), others

    def read_part(self, part: Part, identity: Mapping[str, Any], deals: int) -> Contents:
        """Return what a part of either kind adds to its pairing, proven as far as that goes.

        Raises PartError for a part that is damaged, or that holds other boards than it says.
        """
        table = self._read(part, identity)
        with _understood(part):
            about = json.loads(table.schema.metadata[b"prummy"])
            written = int(about["digest"], 16)
            if part.kind == SUMS:
                ranges = [(int(first), int(n)) for first, n in about["ranges"]]
                summary = _summary_of_table(table)
                summary.extremes = _extremes(about["extremes"])
                if summary.total("boards") != sum(n for _, n in ranges):
                    raise ValueError("its sums are not of the boards it names")
                return Contents(ranges, summary, written)
            columns = {name: table[name].to_numpy() for name in column_names(deals)}
            boards = np.repeat(np.arange(part.n_boards) + part.first_board, 2)
            if not np.array_equal(columns["board"], boards):
                raise ValueError("its rows are not of the boards it names")
            digest = rows_digest(columns, identity["a"], identity["b"])
            if digest != written:
                raise ValueError("its rows do not have the digest that was written with them")
            summary = summarize(columns, deals)
            return Contents([(part.first_board, part.n_boards)], summary, digest)

    def _read(self, part: Part, identity: Mapping[str, Any]) -> pa.Table:
        """Return a part's table whose bytes are those that were written, by this pairing."""
        try:
            data = self.storage.read(part.name)
        except FileNotFoundError:
            raise PartError(f"{part.name} is missing") from None
        except OSError as error:  # which does not say that the part is damaged
            why = error.strerror or error
            raise StoreError(f"{self.place}/{part.name} cannot be read: {why}") from None
        if _checksum(data) != part.checksum:
            raise PartError(f"{part.name} is damaged: its contents differ from its checksum")
        with _understood(part):
            table = pq.read_table(BytesIO(data), use_threads=False)
            about = json.loads(table.schema.metadata[b"prummy"])
            boards = (about["first_board"], about["n_boards"])
            if about["identity"] != dict(identity) or boards != (part.first_board, part.n_boards):
                raise ValueError("it was written under another name")
        return table

    def write_summaries(self, summaries: Sequence[PairingSummary]) -> dict[str, str]:
        """Write the summaries of all pairings; return the checksums for the manifest."""
        with_pairing = [
            _summary_tables(summary, pairing) for pairing, summary in enumerate(summaries)
        ]
        checksums = {}
        for place, name in enumerate(SUMMARY):
            data = _parquet(pa.concat_tables(tables[place] for tables in with_pairing))
            self.storage.write(name, data)
            checksums[name] = _checksum(data)
        return checksums

    def read_summaries(self, n_pairings: int, checksums: Mapping[str, str]) -> list[PairingSummary]:
        """Return the summaries of all pairings; raises StoreError unless they are as written."""
        try:
            tables = []
            for name in SUMMARY:
                data = self.storage.read(name)
                if _checksum(data) != checksums.get(name):
                    raise ValueError(f"{name} is damaged: it differs from its checksum")
                tables.append(pq.read_table(BytesIO(data), use_threads=False))
            groups, counted, extremes = tables
            found = _summaries_of_tables(groups, counted, extremes, n_pairings)
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
            raise StoreError(
                f"the summaries in {self.place}/summary cannot be read ({error}); "
                f"prummy tournament --resume --out {self.place} makes them again"
            ) from None
        return found

    def write_transcripts(self, kept: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, str]:
        """Write transcripts, a file for each name, and no others; return their checksums."""
        checksums = {}
        for name, transcripts in kept.items():
            file = f"{TRANSCRIPTS}/{name}.jsonl.gz"
            lines = "".join(json.dumps(t, separators=(",", ":")) + "\n" for t in transcripts)
            data = gzip.compress(lines.encode(), mtime=0)
            self.storage.write(file, data)
            checksums[file] = _checksum(data)
        for name in self.storage.names(TRANSCRIPTS):
            if f"{TRANSCRIPTS}/{name}" not in checksums:
                self.storage.remove(f"{TRANSCRIPTS}/{name}")
        return checksums

    def read_transcripts(self, name: str, checksums: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the transcripts of a name, proven; none where the run keeps none.

        Raises StoreError for a file that is not what was written.
        """
        file = f"{TRANSCRIPTS}/{name}.jsonl.gz"
        if file not in checksums:
            return []
        try:
            data = self.storage.read(file)
            if _checksum(data) != checksums[file]:
                raise ValueError("it differs from its checksum")
            found = [json.loads(line) for line in gzip.decompress(data).splitlines()]
            for number, transcript in enumerate(found, start=1):
                if not _is_kept(transcript, ("exemplar",) if name == "exemplars" else ()):
                    raise ValueError(f"line {number} is no transcript of a run")
            return found
        except (OSError, ValueError, EOFError, RecursionError, zlib.error) as error:
            raise StoreError(
                f"{self.place}/{file} cannot be read ({error}); "
                f"prummy tournament --resume --out {self.place} makes it again"
            ) from None

    def write_evidence(self, name: str, evidence: Mapping[str, Any]) -> str:
        """Write what is known of a strategy's failure; return the file's path or URL."""
        stem = quote(name, safe="[]=+,")
        if len(stem) > LONGEST_NAME:
            stem = f"{stem[:LONGEST_NAME]}-{_checksum(name.encode())}"
        file = f"failures/{stem}.json"
        self.storage.write(file, _json(evidence))
        return f"{self.place}/{file}"

    def size(self) -> int:
        """Return the length of all files of the run, in bytes, without its report."""
        total = 0
        for name in self._files():
            with suppress(FileNotFoundError):  # a run that is being played tidies up
                total += self.storage.size(name)
        return total

    def remove_evidence(self) -> None:
        """Remove what was known of failures: a run that is played on finds them again."""
        for name in self.storage.names("failures"):
            self.storage.remove(f"failures/{name}")

    def temporary(self) -> list[str]:
        """Return the names of files that a killed process left half written."""
        return [n for n in self._files() if "/." in f"/{n}" and n.endswith(TEMPORARY)]

    def _files(self) -> list[str]:
        """Return the names of all files of the run, without its report."""
        folders = ("", ROWS, SUMS, "summary", TRANSCRIPTS, "failures")
        return [
            f"{folder}/{n}".lstrip("/") for folder in folders for n in self.storage.names(folder)
        ]


def _is_kept(transcript: Any, more: tuple[str, ...]) -> bool:
    """Return whether a value has the fields that a kept transcript has beside its own."""
    if not isinstance(transcript, dict):
        return False
    texts, numbers = ("a", "b", *more), ("board", "rotation")
    return all(type(transcript.get(key)) is str for key in texts) and all(
        type(transcript.get(key)) is int for key in numbers
    )


def identity_key(identity: Mapping[str, Any]) -> str:
    """Return the key of a pairing: a hash of all that decides its rows beside the board."""
    return _checksum(json.dumps(identity, sort_keys=True).encode())


def encode_rows(
    identity: Mapping[str, Any], first_board: int, columns: Mapping[str, np.ndarray], digest: int
) -> tuple[Part, bytes]:
    """Return a part with the rows of consecutive boards, and its contents."""
    n_boards = len(columns["board"]) // 2
    about = {"first_board": first_board, "n_boards": n_boards}
    arrays = {name: pa.array(np.ascontiguousarray(column)) for name, column in columns.items()}
    return _encode(ROWS, pa.table(arrays), identity, digest, about, PARQUET)


def encode_sums(
    identity: Mapping[str, Any],
    ranges: Sequence[tuple[int, int]],
    summary: PairingSummary,
    digest: int,
) -> tuple[Part, bytes]:
    """Return a part with the sums of some boards, ascending ranges of them, and its contents."""
    about = {
        "first_board": ranges[0][0],
        "n_boards": sum(n for _, n in ranges),
        "ranges": [list(item) for item in ranges],
        "extremes": summary.extremes.tolist(),
    }
    long = [
        (f"group {name}", np.arange(N_GROUPS), summary.groups[:, column])
        for column, name in enumerate(GROUP_COLUMNS)
    ]
    long += [(name, h.values, h.counts) for name, h in summary.histograms.items()]
    names = np.repeat([name for name, _, _ in long], [len(values) for _, values, _ in long])
    table = pa.table(
        {
            "quantity": pa.array(names).dictionary_encode(),
            "value": np.concatenate([values for _, values, _ in long]),
            "count": np.concatenate([counts for _, _, counts in long]),
        }
    )
    return _encode(SUMS, table, identity, digest, about, {"compression": "zstd"})


def _encode(
    kind: str,
    table: pa.Table,
    identity: Mapping[str, Any],
    digest: int,
    about: Mapping[str, Any],
    options: Mapping[str, Any],
) -> tuple[Part, bytes]:
    told = {"identity": dict(identity), **about, "digest": digest_text(digest)}
    table = table.replace_schema_metadata({b"prummy": json.dumps(told).encode()})
    data = _parquet(table, **options)
    key = identity_key(identity)
    return Part(key, about["first_board"], about["n_boards"], _checksum(data), kind), data


def _parquet(table: pa.Table, **options: Any) -> bytes:
    buffer = BytesIO()
    pq.write_table(table, buffer, **options)
    return buffer.getvalue()


@contextmanager
def _understood(part: Part) -> Iterator[None]:
    """Turn what a part's contents raise when they are read into a PartError."""
    try:
        yield
    except MemoryError:
        raise
    except (OSError, ValueError, KeyError, TypeError, OverflowError, pa.ArrowException) as error:
        raise PartError(f"{part.name} is damaged: {error}") from None


def _summary_tables(summary: PairingSummary, pairing: int) -> tuple[pa.Table, ...]:
    """Return a summary as tables: a row a group, a row a counted value, a row an extreme."""
    groups: dict[str, Any] = {
        "pairing": np.full(N_GROUPS, pairing),
        "group": np.arange(N_GROUPS),
    }
    groups |= {name: summary.groups[:, k] for k, name in enumerate(GROUP_COLUMNS)}
    names = [
        name for name, histogram in summary.histograms.items() for _ in range(histogram.values.size)
    ]
    counted = {
        "pairing": np.full(len(names), pairing),
        "quantity": pa.array(names, pa.string()),
        "value": np.concatenate([h.values for h in summary.histograms.values()]),
        "count": np.concatenate([h.counts for h in summary.histograms.values()]),
    }
    extremes: dict[str, Any] = {
        "pairing": np.full(len(EXTREMES), pairing),
        "extreme": pa.array(list(EXTREMES), pa.string()),
    }
    places = enumerate(("value", "board", "rotation"))
    extremes |= {name: summary.extremes[:, k] for k, name in places}
    return pa.table(groups), pa.table(counted), pa.table(extremes)


def _summaries_of_tables(
    groups: pa.Table, counted: pa.Table, extremes: pa.Table, n_pairings: int
) -> list[PairingSummary]:
    """Return the summaries whose tables (`_summary_tables`) were put one behind the other."""
    for table, rows in ((groups, N_GROUPS), (extremes, len(EXTREMES))):
        wanted = np.repeat(np.arange(n_pairings), rows)
        if not np.array_equal(table["pairing"].to_numpy(), wanted):
            raise ValueError(f"they are not of {n_pairings} pairings")
    if extremes["extreme"].to_pylist() != list(EXTREMES) * n_pairings:
        raise ValueError("the extremes are not those of this program")
    sums = np.stack([groups[name].to_numpy() for name in GROUP_COLUMNS], axis=1).astype(np.int64)
    names = ("value", "board", "rotation")
    places = np.stack([extremes[name].to_numpy() for name in names], axis=1).astype(np.int64)
    pairing = counted["pairing"].to_numpy()
    ends = np.searchsorted(pairing, np.arange(n_pairings + 1))
    if ends[-1] != len(pairing) or (np.diff(pairing) < 0).any():
        raise ValueError(f"counts are not of {n_pairings} pairings")
    quantity, value, count = _long(counted)
    return [
        PairingSummary(
            sums[N_GROUPS * k : N_GROUPS * (k + 1)],
            _histograms(*(column[ends[k] : ends[k + 1]] for column in (quantity, value, count))),
            places[len(EXTREMES) * k : len(EXTREMES) * (k + 1)],
        )
        for k in range(n_pairings)
    ]


def _extremes(rows: Any) -> np.ndarray:
    """Return extremes from a list of rows; raises ValueError for a wrong shape."""
    found = np.array(rows, np.int64)
    if found.shape != (len(EXTREMES), 3):
        raise ValueError(f"there are {len(rows)} extremes, not {len(EXTREMES)}")
    return found


def _long(table: pa.Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the names (object), values and counts (int64) of a table of counted values."""
    coded = table["quantity"].cast(pa.string()).combine_chunks().dictionary_encode()
    quantity = np.array(coded.dictionary.to_pylist(), object)[coded.indices.to_numpy()]
    value, count = (table[name].to_numpy().astype(np.int64) for name in ("value", "count"))
    return quantity, value, count


def _histograms(quantity: np.ndarray, value: np.ndarray, count: np.ndarray) -> dict[str, Histogram]:
    return {
        name: Histogram(value[quantity == name], count[quantity == name]) for name in HISTOGRAMS
    }


def _summary_of_table(table: pa.Table) -> PairingSummary:
    """Return the summary that a part of sums holds."""
    quantity, value, count = _long(table)
    summary = PairingSummary(histograms=_histograms(quantity, value, count))
    for column, name in enumerate(GROUP_COLUMNS):
        here = quantity == f"group {name}"
        if not ((value[here] >= 0) & (value[here] < N_GROUPS)).all():
            raise ValueError("it names a group of boards that there is not")
        summary.groups[value[here], column] = count[here]
    return summary


def _checksum(data: bytes) -> str:
    """Return the checksum of some bytes, 16 hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _manifest_checksum(manifest: Mapping[str, Any]) -> str:
    told = {name: value for name, value in manifest.items() if name != "checksum"}
    return _checksum(json.dumps(told, sort_keys=True).encode())


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()
