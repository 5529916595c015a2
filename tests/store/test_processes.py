"""Many processes at once, and processes that are killed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import StoreError
from selfreview.store import Store
from selfreview.store.database import Database

from .builders import make_issue, make_result

PRELUDE = """
import os, signal, sys
from pathlib import Path
from typing import Any
from selfreview.store import Store
from tests.store.builders import make_issue, make_result

store = Store.open(Path(sys.argv[1]))
name = sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
"""


def start(script: str, directory: Path, name: str) -> subprocess.Popen[str]:
    """Start a process that waits at the line before ``script`` until it is let go."""
    process = subprocess.Popen(
        [sys.executable, "-c", PRELUDE + script, str(directory), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def let_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def run_together(script: str, directory: Path, count: int) -> list[str]:
    """Run ``count`` processes at the same time; return what each printed."""
    processes = [start(script, directory, str(number)) for number in range(count)]
    for process in processes:
        let_go(process)
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * count
    return outputs


def integrity(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


def test_many_processes_write_to_a_store_that_is_not_there_yet(directory: Path) -> None:
    script = """
for number in range(10):
    print(store.add_result(make_result(make_issue("v1:aaaa"), make_issue(f"v1:{name}{number}"))))
    store.cache.put_many({f"{name} {number}".encode(): name.encode()})
store.close()
"""
    outputs = run_together(script, directory, 5)
    ids = [run_id for output in outputs for run_id in output.split()]
    assert len(set(ids)) == 50
    with Store.open(directory) as store:
        assert {result.run_id for result in store.results(100)} == set(ids)
        assert store.issue("sr-aaaa").history.runs == 50
        keys = [f"{name} {number}".encode() for name in range(5) for number in range(10)]
        assert len(store.cache.get_many(keys)) == 50
        assert store.warnings == ()
    assert integrity(directory / "store.db") == "ok"


def test_many_processes_find_the_same_damaged_store(directory: Path) -> None:
    directory.mkdir()
    (directory / "store.db").write_bytes(b"not a store " * 1000)
    script = """
store.add_result(make_result())
store.close()
print(len(store.warnings))
"""
    warnings = [int(output) for output in run_together(script, directory, 5)]
    assert sum(warnings) == 1
    assert [path.name for path in directory.glob("*corrupt*")] == ["store.db.corrupt-1"]
    with Store.open(directory) as store:
        assert len(store.results(10)) == 5


def test_a_store_that_is_created_while_it_is_being_looked_at(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process creates the tables between two questions to the file, whenever it is not kept from it."""
    directory.mkdir()
    (directory / "store.db").touch()
    connect = sqlite3.connect

    class Interrupted(sqlite3.Connection):
        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            if "sqlite_master" in sql:
                monkeypatch.setattr("sqlite3.connect", connect)
                with Store(Database(directory / "store.db", busy_seconds=0.01)) as other, suppress(StoreError):
                    other.add_result(make_result())
            return super().execute(sql, *parameters)

    monkeypatch.setattr("sqlite3.connect", lambda *args, **more: connect(*args, **more, factory=Interrupted))
    with Store.open(directory) as store:
        store.add_result(make_result())
        assert 1 <= len(store.results(5)) <= 2


def test_a_killed_process_loses_nothing_that_was_finished(directory: Path) -> None:
    script = """
for number in range(1000):
    print(store.add_result(make_result(make_issue(f"v1:{name}{number}"), summary="s" * 100_000)), flush=True)
    store.cache.put_many({f"{name} {number} {n}".encode(): bytes(3_000) for n in range(20)})
"""
    finished: list[str] = []
    for round_ in range(20):
        process = start(script, directory, str(round_))
        let_go(process)
        assert process.stdout is not None
        finished += [process.stdout.readline().strip() for _ in range(1 + round_ % 3)]
        process.kill()
        finished += process.communicate(timeout=60)[0].split()
        with Store.open(directory) as store:
            kept = store.results(1000)
            assert store.warnings == ()
        ids = [result.run_id for result in kept]
        # What was killed between its commit and its print is there too.
        assert [run_id for run_id in finished if run_id not in ids] == []
        assert len(ids) <= len(finished) + round_ + 1
        assert {len(result.summary) for result in kept} == {100_000}
    assert integrity(directory / "store.db") == "ok"


def test_a_half_written_transaction_is_rolled_back(directory: Path) -> None:
    """Killed at the worst moment: pages of the transaction are in the file already."""
    with Store.open(directory) as store:
        before = store.add_result(make_result(make_issue()))
    script = """
def work(connection):
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("UPDATE runs SET branch = 'half'")
    connection.execute("UPDATE results SET body = zeroblob(500000)")
    connection.execute("DELETE FROM issues")
    os.kill(os.getpid(), signal.SIGKILL)

store._database.write(work)
"""
    process = start(script, directory, "victim")
    let_go(process)
    process.communicate(timeout=60)
    assert process.returncode not in (0, 1)
    assert (directory / "store.db-journal").stat().st_size > 0
    with Store.open(directory) as store:
        assert [result.run_id for result in store.results(5, branch="main")] == [before]
        assert store.issue("sr-aa11").history.runs == 1
        assert store.warnings == ()


def test_a_store_that_another_process_holds_is_an_error_after_the_wait(directory: Path) -> None:
    with Store.open(directory) as store:
        store.add_result(make_result())
    with closing(sqlite3.connect(directory / "store.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with Store(Database(directory / "store.db", busy_seconds=0.01)) as store:
            for operation in (lambda: store.results(1), lambda: store.add_result(make_result())):
                with pytest.raises(StoreError, match="another process is using it"):
                    operation()
            other.execute("ROLLBACK")
            store.add_result(make_result(make_issue()))
            assert len(store.results(5)) == 2
