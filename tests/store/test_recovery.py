"""The file itself: private, told apart, put aside as a whole."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from selfreview.store import Store
from selfreview.store.recovery import identity, put_aside

from .builders import make_result


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_the_store_is_private_whatever_the_umask_says(directory: Path) -> None:
    before = os.umask(0)
    try:
        with Store.open(directory) as store:
            store.add_result(make_result())
            store.add_result(make_result())
            modes = {path.name: path.stat().st_mode & 0o777 for path in directory.iterdir()}
    finally:
        os.umask(before)
    assert directory.stat().st_mode & 0o777 == 0o700
    assert modes
    assert set(modes.values()) == {0o600}


def test_there_is_a_journal_and_no_log_even_if_somebody_asked_for_one(directory: Path) -> None:
    for _ in range(2):
        with Store.open(directory) as store:
            store.add_result(make_result())
        sizes = {path.name: path.stat().st_size for path in directory.iterdir()}
        assert set(sizes) == {"store.db", "store.db-journal"}
        assert sizes["store.db-journal"] == 0
        with closing(sqlite3.connect(directory / "store.db")) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)  # what a log would not say
            connection.execute("PRAGMA journal_mode = WAL")


def test_the_journal_goes_aside_with_its_database(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"database")
    (tmp_path / "store.db-journal").write_bytes(b"journal")
    aside = put_aside(path, identity(path), 1.0)
    assert aside == tmp_path / "store.db.corrupt-1"
    assert aside.read_bytes() == b"database"
    assert (tmp_path / "store.db.corrupt-1-journal").read_bytes() == b"journal"
    assert not path.exists()
    assert not (tmp_path / "store.db-journal").exists()


def test_the_journal_of_the_next_store_stays_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process begins a new store the moment the old one is out of the way."""
    path, journal = tmp_path / "store.db", tmp_path / "store.db-journal"
    path.write_bytes(b"damaged")
    journal.write_bytes(b"old")
    rename = Path.rename

    def rename_and_lose_the_processor(self: Path, target: Path) -> Path:
        moved = rename(self, target)
        if self == path:
            path.write_bytes(b"new")
            journal.write_bytes(b"new")
        return moved

    monkeypatch.setattr(Path, "rename", rename_and_lose_the_processor)
    put_aside(path, identity(path), 1.0)
    assert (path.read_bytes(), journal.read_bytes()) == (b"new", b"new")


def test_a_file_that_another_process_replaced_already_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"damaged")
    seen = identity(path)
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "new").replace(path)
    assert put_aside(path, seen, 1.0) is None
    assert path.read_bytes() == b"new"


def test_processes_put_a_store_aside_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"damaged")
    with closing(sqlite3.connect(tmp_path / "recovery.lock", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            put_aside(path, identity(path), 0.01)
    assert path.read_bytes() == b"damaged"
    assert put_aside(path, identity(path), 0.01) is not None


def test_a_name_that_is_taken_by_a_dangling_link_is_not_reused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"damaged")
    (tmp_path / "store.db.corrupt-1").symlink_to("nowhere")
    assert put_aside(path, identity(path), 1.0) == tmp_path / "store.db.corrupt-2"
