"""The file itself: private, told apart, put aside as a whole."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from selfreview.store import Store
from selfreview.store.files import identity, put_aside

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


def test_a_file_that_another_process_replaced_already_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"damaged")
    seen = identity(path)
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "new").replace(path)
    assert put_aside(path, seen, 1.0) is None
    assert path.read_bytes() == b"new"


def test_a_name_that_is_taken_by_a_dangling_link_is_not_reused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"damaged")
    (tmp_path / "store.db.corrupt-1").symlink_to("nowhere")
    assert put_aside(path, identity(path), 1.0) == tmp_path / "store.db.corrupt-2"
