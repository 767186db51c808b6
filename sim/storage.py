"""Where a run lies: a folder of this machine, or any place that fsspec can reach by a URL.

Names are relative, with ``/`` between folder and file. A file is written whole or not at all, and
once `write` has returned it stays, whatever happens to the process or the machine.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any, Protocol

from .errors import PrummyError

TEMPORARY = ".tmp"
LOCK = ".lock"


class StorageError(PrummyError):
    """A place that cannot be used; the message says what to do."""


class Storage(Protocol):
    """Reads and writes the files of one run.

    `place` is what the user calls it; `address` is what another process, or machine, finds it by.
    """

    place: str
    address: str

    def read(self, name: str) -> bytes:
        """Return a file's contents; raises OSError (FileNotFoundError where it is missing)."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all, and make it last; raises OSError."""

    def names(self, folder: str = "") -> list[str]:
        """Return the names (without the folder) of the files of a folder, sorted."""

    def size(self, name: str) -> int:
        """Return a file's length in bytes; raises OSError."""

    def remove(self, name: str) -> None:
        """Remove a file that may be missing; raises OSError."""

    def is_empty(self) -> bool:
        """Return whether there is nothing yet where the run would lie; raises OSError."""

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes out for as long as this one lives; raises StorageError."""


def open_storage(place: str | Path) -> Storage:
    """Return the storage of a path or of a URL (``memory://…``, ``s3://…``)."""
    text = str(place)
    if "\0" in text:
        raise StorageError(f"{text}: no name of a folder")
    if text.startswith("file://"):
        return LocalStorage(Path(text.removeprefix("file://")))
    return RemoteStorage(text) if "://" in text else LocalStorage(Path(place))


class LocalStorage:
    """A folder of this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = str(path)
        self.address = str(path.absolute())

    def read(self, name: str) -> bytes:
        """Return a file's contents."""
        return (self.path / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Write to a temporary name, sync, rename, and sync the folder."""
        path = self.path / name
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            _sync(path.parent.parent)
        temporary = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}{TEMPORARY}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        _sync(path.parent)

    def names(self, folder: str = "") -> list[str]:
        """Return the names of a folder's files."""
        try:
            with os.scandir(self.path / folder) as found:
                return sorted(item.name for item in found if item.is_file(follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def size(self, name: str) -> int:
        """Return a file's length in bytes."""
        return (self.path / name).stat().st_size

    def remove(self, name: str) -> None:
        """Remove a file that may be missing."""
        (self.path / name).unlink(missing_ok=True)

    def is_empty(self) -> bool:
        """Return whether the folder is missing or empty; raises where it cannot be written.

        What a run leaves that was killed before it had a manifest is nothing.
        """
        if self.path.exists() and not all(_is_left_over(p.name) for p in self.path.iterdir()):
            return False
        above = next(p for p in (self.path, *self.path.absolute().parents) if p.exists())
        if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
            raise PermissionError(13, f"no permission in {above}")
        return True

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold a lock of the operating system, which ends with the process that holds it.

        The folder is made where it is missing.
        """
        from filelock import FileLock, Timeout

        try:
            self.path.mkdir(parents=True, exist_ok=True)
            held = FileLock(self.path / LOCK, timeout=0)
            held.acquire()
        except Timeout:
            raise StorageError(
                f"another process is at work in {self.path}: wait until it has ended, or name "
                "another folder"
            ) from None
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror or error}") from None
        try:
            yield
        finally:
            held.release()


class RemoteStorage:
    """A place that fsspec reaches. There a file appears whole, but no lock can be relied on."""

    def __init__(self, url: str) -> None:
        try:
            import fsspec

            self.files, root = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError, OSError) as error:
            raise StorageError(f"{url}: cannot be used as a run's folder: {error}") from None
        self.root = root.rstrip("/")
        self.place = self.address = url.rstrip("/")

    def _at(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    def read(self, name: str) -> bytes:
        """Return a file's contents."""
        with _as_os_error(self.place):
            data: bytes = self.files.cat_file(self._at(name))
        return data

    def write(self, name: str, data: bytes) -> None:
        """Write in one call: what is stored so appears whole or not at all."""
        with _as_os_error(self.place):
            self.files.makedirs(self._at(name).rpartition("/")[0], exist_ok=True)
            self.files.pipe_file(self._at(name), data)

    def names(self, folder: str = "") -> list[str]:
        """Return the names of a folder's files."""
        with _as_os_error(self.place):
            try:
                found = self.files.ls(self._at(folder), detail=True, refresh=True)
            except FileNotFoundError:
                return []
        files = (item["name"] for item in found if item["type"] == "file")
        return sorted(name.rpartition("/")[2] for name in files)

    def size(self, name: str) -> int:
        """Return a file's length in bytes."""
        with _as_os_error(self.place):
            return int(self.files.size(self._at(name)))

    def remove(self, name: str) -> None:
        """Remove a file that may be missing."""
        with _as_os_error(self.place), suppress(FileNotFoundError):
            self.files.rm_file(self._at(name))

    def is_empty(self) -> bool:
        """Return whether nothing lies there."""
        with _as_os_error(self.place):
            try:
                return not self.files.ls(self.root, detail=False, refresh=True)
            except FileNotFoundError:
                return True

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Do nothing: two processes that play one plan there write the same parts."""
        yield


@contextmanager
def _as_os_error(place: str) -> Iterator[None]:
    """Turn what a remote place's own library raises into an OSError that names the place."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(5, f"{place}: {type(error).__name__}: {error}") from error


def _is_left_over(name: str) -> bool:
    return name == LOCK or (name.startswith(".") and name.endswith(TEMPORARY))


def _sync(folder: Path) -> None:
    """Make the names in a folder last, where the system can."""
    flags: Any = getattr(os, "O_DIRECTORY", None)
    if flags is None:
        return
    number = os.open(folder, os.O_RDONLY | flags)
    try:
        os.fsync(number)
    finally:
        os.close(number)
