"""Many write events while others follow them, one of whom is killed again and again: none is lost, none comes twice."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.model.event import Event
from selfreview.store import Store

WRITER = """
import sys
from pathlib import Path
from selfreview.model.event import Event
from selfreview.model.session import Session
from selfreview.store import Store

name, steps, count = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with Store.open(Path(sys.argv[1])) as store:
    session = Session(id=f"s-{name}", branch=name, worktree="/tree", created="now", updated="now")
    for number in range(steps * count):
        if number % count == 0:
            sys.stdin.readline()
        event = Event(kind="told", at="now", session=session.id, data={"who": name, "number": number})
        store.save_session(session, event)
"""
READER = """
import sys, time
from pathlib import Path
from selfreview.store import Store, database

held, worked = [0.0], [0.0]
transaction = database.transaction

class Timed:
    def __init__(self, connection, begin):
        self._inner = transaction(connection, begin)

    def __enter__(self):
        self._inner.__enter__()  # it has the lock from here
        self._since, self._cpu = time.monotonic(), time.thread_time()

    def __exit__(self, *error):
        ended = self._inner.__exit__(*error)
        held[0] = max(held[0], time.monotonic() - self._since)
        worked[0] = max(worked[0], time.thread_time() - self._cpu)
        return ended

database.transaction = Timed
with Store.open(Path(sys.argv[1])) as store:
    follower = store.log.follow(sys.argv[2])
    while True:
        batch = follower.read()
        for event in batch.events if batch is not None else ():
            print(event.cursor, event.data.get("who"), event.data.get("number"), held[0], worked[0], flush=True)
        if batch is not None and batch.reset is not None:
            print("reset", flush=True)
        time.sleep(0.01)
"""
PATH = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])


_STARTED: list[subprocess.Popen[bytes]] = []


@pytest.fixture(autouse=True)
def nobody_is_left() -> Iterator[None]:
    """End every process, whatever the test came to."""
    yield
    while _STARTED:
        process = _STARTED.pop()
        process.kill()
        process.communicate()


def start(script: str, *arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env={**os.environ, "PYTHONPATH": PATH},
    )
    _STARTED.append(process)
    return process


class Reader:
    """A process that follows, killed and started again from the last cursor that it told."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.lines: list[list[str]] = []
        self._rest = b""
        self._start("")

    def _start(self, cursor: str) -> None:
        self._process = start(READER, self._directory, cursor)
        self._killed = False
        assert self._process.stdout is not None
        self.stdout = self._process.stdout

    def take(self) -> None:
        """Take what it has told."""
        data = os.read(self.stdout.fileno(), 1 << 16)
        assert data or self._process.poll() is None or self._killed, self._process.communicate()[1].decode()
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.lines += [line.decode().split() for line in lines]

    def kill(self, *, again: bool = True) -> None:
        """Kill it; what it had told until then counts, but for half a line."""
        self._process.kill()
        self._killed = True
        while select.select([self.stdout], [], [], 0)[0]:
            before = len(self.lines), self._rest
            self.take()
            if before == (len(self.lines), self._rest):
                break
        self._process.wait()
        self._rest = b""
        if again:
            self._start(self.lines[-1][0] if self.lines else "")

    @property
    def told(self) -> list[tuple[str, int]]:
        """Who wrote which event, in the order of telling."""
        return [(line[1], int(line[2])) for line in self.lines]

    @property
    def held_s(self) -> float:
        """The longest transaction."""
        return max(float(line[3]) for line in self.lines)

    @property
    def worked_s(self) -> float:
        """The processor's time of the longest transaction: on a busy machine others run meanwhile."""
        return max(float(line[4]) for line in self.lines)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes that are asked")
@pytest.mark.parametrize(("steps", "count"), [(2, 5), pytest.param(21, 12, marks=pytest.mark.long)])
def test_every_event_reaches_every_reader_once(directory: Path, steps: int, count: int) -> None:
    """The one reader is killed in the midst of each step but the last; nobody waits for anybody else."""
    with Store.open(directory) as store:
        store.add_event(Event(kind="first", at="now", data={"who": "nobody", "number": 0}))
    began = time.monotonic()
    readers = [Reader(directory) for _ in range(3)]
    writers = [start(WRITER, directory, f"w{number}", steps, count) for number in range(4)]
    total, victim, killed, since = 4 * steps * count + 1, readers[0], 0, 0
    let_go(writers)
    while any(len(reader.lines) < total for reader in readers):
        ready, _, _ = select.select([reader.stdout for reader in readers], [], [], 60)
        assert ready, [writer.communicate()[1] for writer in writers]
        for reader in readers:
            if reader.stdout in ready:
                reader.take()
        if killed < steps - 1 and len(victim.lines) >= since + count:
            victim.kill()
            killed, since = killed + 1, len(victim.lines)
            let_go(writers)
    refused = [_errors_of(writer) for writer in writers]
    for reader in readers:
        reader.kill(again=False)
    sys.stdout.write(
        f"\n{total} events, {len(readers)} readers, {killed} kills, {time.monotonic() - began:.1f} s, "
        f"longest transaction of a reader {max(reader.held_s for reader in readers) * 1000:.1f} ms, "
        f"of which {max(reader.worked_s for reader in readers) * 1000:.1f} ms are its own work\n"
    )
    assert killed == steps - 1
    assert (refused, [writer.returncode for writer in writers]) == ([""] * 4, [0] * 4)
    written = {(f"w{writer}", number) for writer in range(4) for number in range(steps * count)} | {("nobody", 0)}
    for reader in readers:
        assert set(reader.told) == written
        assert len(reader.told) == total
        numbers = [int(line[0].partition(".")[2]) for line in reader.lines]
        assert numbers == list(range(1, total + 1))


def _errors_of(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    process.wait(60)
    return process.stderr.read().decode()


def let_go(writers: list[subprocess.Popen[bytes]]) -> None:
    """Let all writers take the next step."""
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"\n")
