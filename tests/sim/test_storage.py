"""Where a run lies: files appear whole, stay, and one process at a time writes them."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from persian_rummy.sim import storage
from persian_rummy.sim.storage import LocalStorage, Storage, StorageError, open_storage


@pytest.fixture(params=["folder", "file://", "memory://"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """Return a place where nothing lies yet."""
    if request.param == "memory://":
        return open_storage(f"memory://runs/{uuid.uuid4().hex}")
    return open_storage(("file://" if request.param == "file://" else "") + str(tmp_path / "run"))


def test_storage__file_written__is_read_back(place):
    assert place.is_empty()
    place.write("matches/a", b"one")
    place.write("manifest.json", b"{}")
    place.write("matches/a", b"another")
    assert place.read("matches/a") == b"another"
    assert place.size("matches/a") == 7
    assert (place.names(), place.names("matches")) == (["manifest.json"], ["a"])
    assert not place.is_empty()


def test_storage__what_is_not_there__says_so(place):
    assert place.names("nowhere") == []
    place.remove("nowhere/file")
    with pytest.raises(FileNotFoundError):
        place.read("file")
    place.write("file", b"")
    place.remove("file")
    assert place.names() == []


def test_storage__large_and_empty_files__come_back(place):
    data = bytes(range(256)) * 5000
    place.write("large", data)
    place.write("empty", b"")
    assert (place.read("large"), place.read("empty")) == (data, b"")


def test_local__write_that_fails__keeps_the_old_file_and_no_other(tmp_path, monkeypatch):
    place = LocalStorage(tmp_path)
    place.write("part", b"old")
    for broken in ("fsync", "replace"):

        def full(*arguments: object) -> None:
            raise OSError(28, os.strerror(28))

        with monkeypatch.context() as patch:
            patch.setattr(*((os, "fsync") if broken == "fsync" else (Path, "replace")), full)
            with pytest.raises(OSError, match="No space left"):
                place.write("part", b"new")
        assert place.read("part") == b"old"
        assert [path.name for path in tmp_path.iterdir()] == ["part"]


def test_local__write__syncs_the_file_before_its_name_and_the_folder_after(tmp_path, monkeypatch):
    place = LocalStorage(tmp_path)
    done = []
    sync, replace = os.fsync, Path.replace

    def watched_sync(number: int) -> None:
        done.append(("sync", os.readlink(f"/proc/self/fd/{number}")))
        sync(number)

    def watched_replace(path: Path, target: Path) -> Path:
        done.append(("rename", str(target)))
        return replace(path, target)

    monkeypatch.setattr(storage.os, "fsync", watched_sync)
    monkeypatch.setattr(Path, "replace", watched_replace)
    place.write("part", b"data")
    kinds = [kind for kind, _ in done]
    assert kinds == ["sync", "rename", "sync"]
    assert done[0][1].endswith(storage.TEMPORARY)
    assert done[2][1] == str(tmp_path)


HOLD = """
import sys, time
from pathlib import Path
from persian_rummy.sim.storage import LocalStorage
with LocalStorage(Path(sys.argv[1])).lock():
    print("held", flush=True)
    time.sleep(60)
"""


def test_local__lock__keeps_others_out_and_ends_with_its_owner(tmp_path):
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "held\n"
    place = LocalStorage(tmp_path)
    with pytest.raises(StorageError, match="another process is at work in"), place.lock():
        pass
    owner.kill()
    owner.wait()
    owner.stdout.close()
    with place.lock():
        pass


def test_open__unknown_protocol__says_so():
    with pytest.raises(StorageError, match="nowhere://x: cannot be used as a run's folder"):
        open_storage("nowhere://x")


def test_local__place_that_cannot_be_written__says_so(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OSError, match=r"no permission|Not a directory"):
        LocalStorage(tmp_path / "file" / "run").is_empty()
