"""A run on disk: manifest, parts with the rows, summaries, evidence of failures.

Every file is written to a temporary name, synced and renamed, so that a reader, or whoever goes
on with the run after it was killed, sees a whole file or none.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .columns import column_names
from .digest import digest_text, rows_digest
from .errors import PrummyError
from .schedule import BoardBlock, Plan
from .summary import GROUP_COLUMNS, HISTOGRAMS, N_GROUPS, Histogram, PairingSummary

FORMAT = "prummy-run"
VERSION = 1
PARQUET: Any = {  # small integers by their bytes: a tenth smaller and a third quicker than default
    "compression": "zstd",
    "compression_level": 1,
    "use_dictionary": False,
    "column_encoding": "BYTE_STREAM_SPLIT",
    "write_statistics": False,
}


class StoreError(PrummyError):
    """A run's folder that cannot be used; the message says what to do."""


class RunFolder:
    """The folder of a run: paths, and reading and writing of each kind of file in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest_file = path / "manifest.json"
        self.matches = path / "matches"
        self.summary = path / "summary"
        self.failures = path / "failures"
        self.report = path / "report"

    def create(self, manifest: Mapping[str, Any]) -> None:
        """Make the folder of a new run with its manifest.

        Raises
        ------
        StoreError
            When there is something in the folder already, or it cannot be written.
        """
        self.check_is_free()
        with _writing(self.path):
            self.matches.mkdir(parents=True, exist_ok=True)
            self.write_manifest(manifest)

    def check_is_free(self) -> None:
        """Raise StoreError when the folder cannot become that of a new run; make nothing."""
        if self.manifest_file.exists():
            raise StoreError(
                f"{self.path} holds a run already: go on with it by --resume, or name another "
                "folder with --out"
            )
        with _writing(self.path):
            if self.path.exists() and any(self.path.iterdir()):
                raise StoreError(f"{self.path} is not empty and holds no run: name another folder")
            above = next(p for p in (self.path, *self.path.absolute().parents) if p.exists())
            if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
                raise StoreError(f"cannot write to {self.path}: no permission in {above}")

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, whole or not at all."""
        _write_json(self.manifest_file, {"format": FORMAT, "version": VERSION, **manifest})

    def read_manifest(self) -> dict[str, Any]:
        """Return the manifest; raises StoreError when the folder holds no run."""
        try:
            manifest = json.loads(self.manifest_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise StoreError(f"{self.path} holds no run: {self.manifest_file} is missing") from None
        except (OSError, ValueError) as error:
            raise StoreError(f"{self.manifest_file} cannot be read: {error}") from None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise StoreError(f"{self.manifest_file} is not the manifest of a run")
        if manifest.get("version") != VERSION:
            raise StoreError(
                f"{self.path} was written by another version: its format is "
                f"{manifest.get('version')}, this program reads {VERSION}"
            )
        return manifest

    def part(self, block: BoardBlock) -> Path:
        """Return the path of the part that holds a block's rows."""
        return self.matches / f"part-{block.pairing:04d}-{block.first_board:012d}.parquet"

    def write_part(
        self,
        block: BoardBlock,
        columns: Mapping[str, np.ndarray],
        identity: Mapping[str, Any],
        digest: int,
    ) -> None:
        """Write a block's rows with what decides them (`run.pairing_identity`) and their digest."""
        about = {**identity, "n_boards": block.n_boards, "digest": digest_text(digest)}
        arrays = {name: pa.array(np.ascontiguousarray(column)) for name, column in columns.items()}
        table = pa.table(arrays).replace_schema_metadata({b"prummy": json.dumps(about).encode()})
        with _replacing(self.part(block)) as temporary:
            pq.write_table(table, temporary, **PARQUET)

    def read_part(
        self, block: BoardBlock, deals: int, identity: Mapping[str, Any]
    ) -> tuple[dict[str, np.ndarray], int] | None:
        """Return (columns, digest) of a block's part.

        None when it is missing, is not whole, or holds the rows of something else.
        """
        try:
            table = pq.read_table(self.part(block))
            columns = {name: table[name].to_numpy() for name in column_names(deals)}
            written = json.loads(table.schema.metadata[b"prummy"])
            digest = rows_digest(columns, identity["a"], identity["b"])
        except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
            return None
        boards = np.repeat(np.arange(block.n_boards) + block.first_board, 2)
        about = {**identity, "n_boards": block.n_boards, "digest": digest_text(digest)}
        if not np.array_equal(columns["board"], boards) or written != about:
            return None
        return columns, digest

    def drop_parts(self, pairing: int) -> None:
        """Remove all rows of a pairing that is void."""
        for part in self.matches.glob(f"part-{pairing:04d}-*.parquet"):
            part.unlink()

    def write_evidence(self, name: str, evidence: Mapping[str, Any]) -> Path:
        """Write what is known of a strategy's failure; return the file."""
        self.failures.mkdir(exist_ok=True)
        path = self.failures / f"{quote(name, safe='[]=+,')}.json"
        _write_json(path, evidence)
        return path

    def write_summaries(self, summaries: Sequence[PairingSummary]) -> None:
        """Write the summaries of all pairings, one row a group and one a counted value."""
        self.summary.mkdir(exist_ok=True)
        n = len(summaries)
        index = np.repeat(np.arange(n), N_GROUPS)
        groups: dict[str, Any] = {"pairing": index, "group": np.tile(np.arange(N_GROUPS), n)}
        stacked = np.concatenate([s.groups for s in summaries]) if n else np.zeros((0, 99), int)
        groups |= {name: stacked[:, k] for k, name in enumerate(GROUP_COLUMNS)}
        rows = [
            (pairing, name, value, count)
            for pairing, summary in enumerate(summaries)
            for name, histogram in summary.histograms.items()
            for value, count in zip(histogram.values, histogram.counts, strict=True)
        ]
        columns = zip(*rows, strict=True) if rows else ((), (), (), ())
        counted = dict(zip(("pairing", "quantity", "value", "count"), columns, strict=True))
        for name, table in (("groups", groups), ("histograms", counted)):
            with _replacing(self.summary / f"{name}.parquet") as temporary:
                pq.write_table(pa.table(table), temporary)

    def read_summaries(self, n_pairings: int) -> list[PairingSummary]:
        """Return the summaries of all pairings; raises StoreError when they cannot be read."""
        try:
            groups = pq.read_table(self.summary / "groups.parquet")
            counted = pq.read_table(self.summary / "histograms.parquet").to_pydict()
            stacked = np.stack([groups[name].to_numpy() for name in GROUP_COLUMNS], axis=1)
            stacked = stacked.reshape(n_pairings, N_GROUPS, len(GROUP_COLUMNS))
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            raise StoreError(
                f"the summaries in {self.summary} cannot be read ({error}); "
                f"prummy tournament --resume --out {self.path} makes them again from the rows"
            ) from None
        found: dict[tuple[int, str], list[tuple[int, int]]] = {}
        for pairing, name, value, count in zip(*counted.values(), strict=True):
            found.setdefault((pairing, name), []).append((value, count))
        summaries = []
        for pairing in range(n_pairings):
            histograms = {}
            for name in HISTOGRAMS:
                pairs = np.array(found.get((pairing, name), []), np.int64).reshape(-1, 2)
                histograms[name] = Histogram(pairs[:, 0], pairs[:, 1])
            summaries.append(PairingSummary(stacked[pairing].copy(), histograms))
        return summaries


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """Return the part of a manifest that decides a run's results."""
    return {
        "names": list(plan.names),
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "boards": plan.boards,
        "format": plan.format,
    }


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"cannot write to {path}: {error.strerror}") from None


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name to write to; then sync it and rename it to `path`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    with _replacing(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
