"""Where the store cannot be: an error for a person at the operation, and nothing half done."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from selfreview.errors import StoreError
from selfreview.store import ReviewStore, Store

from .builders import make_result

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")


def writes(store: Store) -> list[Callable[[], object]]:
    return [
        lambda: store.add_result(make_result()),
        lambda: store.cache.put_many({b"key": b"value"}),
        lambda: store.set_setting("model", "no"),
    ]


def assert_refused(store: Store, match: str) -> None:
    for write in writes(store):
        with pytest.raises(StoreError, match=match) as caught:
            write()
        assert "\n" not in caught.value.message
        assert caught.value.hint


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "selfreview").write_text("a file")
    with Store.open(tmp_path / "selfreview") as store:
        assert_refused(store, "cannot use the store .*: (Not a directory|File exists)")
        with pytest.raises(StoreError):
            store.results(1)
    assert (tmp_path / "selfreview").read_text() == "a file"


def test_a_git_directory_that_is_gone_is_not_created(tmp_path: Path) -> None:
    with Store.open(tmp_path / "repository" / ".git" / "selfreview") as store:
        assert_refused(store, "No such file or directory")
        assert store.results(1) == []
    assert list(tmp_path.iterdir()) == []


@contextmanager
def as_nobody() -> Iterator[None]:
    """Modes bind everyone but root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def reachable(tmp_path: Path) -> Path:
    """A folder that any user can get to."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and os.geteuid() == 0 and folder.name.startswith(("pytest-", "popen-", "test_")):
            folder.chmod(0o755)
    return tmp_path


@posix
def test_a_read_only_store_can_be_read(reachable: Path) -> None:
    directory = reachable / "selfreview"
    with Store.open(directory) as store:
        run_id = store.add_result(make_result())
        store.cache.put_many({b"key": b"value"})
    for path in directory.iterdir():
        path.chmod(0o444)
    directory.chmod(0o555)
    try:
        with as_nobody(), Store.open(directory) as store:
            assert store.result().run_id == run_id
            assert store.cache.get_many([b"key"]) == {b"key": b"value"}
            assert_refused(store, "readonly database")
            assert store.result().run_id == run_id
    finally:
        directory.chmod(0o700)


@posix
def test_somebody_elses_store_cannot_be_read(reachable: Path) -> None:
    directory = reachable / "selfreview"
    with Store.open(directory) as store:
        store.add_result(make_result())
    directory.chmod(0o000 if os.geteuid() != 0 else 0o700)
    try:
        with as_nobody(), Store.open(directory) as store:
            assert_refused(store, "Permission denied")
            with pytest.raises(StoreError, match="Permission denied"):
                store.results(1)
    finally:
        directory.chmod(0o700)


@posix
def test_a_folder_that_cannot_be_written_has_no_store(reachable: Path) -> None:
    (reachable / "git").mkdir(mode=0o555)
    with as_nobody(), Store.open(reachable / "git" / "selfreview") as store:
        assert store.results(1) == []
        assert_refused(store, "Permission denied")


def test_a_full_disk_loses_nothing(store: Store) -> None:
    kept = store.add_result(make_result())
    large = make_result(summary="x" * 1_000_000)

    def limit() -> None:
        connection = store._database._connection
        assert connection is not None
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    limit()
    with pytest.raises(StoreError, match="the disk is full"):
        store.add_result(large)
    assert large.run_id is None
    assert [result.run_id for result in store.results(5)] == [kept]
    limit()
    with pytest.raises(StoreError, match="the disk is full"):
        store.cache.put_many({b"key": bytes(1_000_000)})
    store.add_result(make_result())
    assert len(store.results(5)) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX")
def test_a_file_that_may_not_grow_is_an_error_and_loses_nothing(directory: Path) -> None:
    """A limit of the operating system, met in the middle of a write."""
    with Store.open(directory) as store:
        kept = store.add_result(make_result())
    script = f"""
import resource, signal, sys
from pathlib import Path
from selfreview.errors import StoreError
from selfreview.store import Store
from selfreview.model.result import Result

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
with Store.open(Path({str(directory)!r})) as store:
    try:
        store.add_result(Result(summary="x" * 1_000_000))
    except StoreError as error:
        print(error)
    print(len(store.results(5)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    message, count = done.stdout.splitlines()
    assert message.startswith("cannot use the store")
    assert count == "1"
    with Store.open(directory) as store:
        assert store.result().run_id == kept


def test_a_python_without_sqlite_has_no_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    assert_refused(store, "sqlite3")


def test_a_review_does_not_depend_on_the_store(tmp_path: Path) -> None:
    (tmp_path / "selfreview").write_text("a file")
    result = make_result()
    with Store.open(tmp_path / "selfreview") as store:
        kept = ReviewStore(store)
        assert kept.cache.get_many([b"key"]) == {}
        kept.cache.put_many({b"key": b"value"})
        assert kept.add_result(result) is None
        assert result.run_id is None
        assert len(kept.warnings) == 1
        assert kept.warnings[0].startswith("the review is not remembered: cannot use the store")
