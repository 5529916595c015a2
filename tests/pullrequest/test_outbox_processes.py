"""The outbox under several processes, and under processes that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from selfreview.api import Delivery, Notice, NoticeEvent, NotifyContext
from selfreview.pullrequest.outbox import LEASE_S, Outbox
from selfreview.store import Store
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import FakeNotifier, notice

NOW = 1_796_000_000.0
CONTEXT = NotifyContext(MemoryConfig(default_config()), {})

SENDER = """
import os, signal, sys
from pathlib import Path
from selfreview.api import NotifyContext
from selfreview.pullrequest.outbox import Outbox
from selfreview.store import Store
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import FakeNotifier

folder, marks, dies = Path(sys.argv[1]), sys.argv[2] == "marks", sys.argv[3]
wire = folder / "wire"  # what arrives

def effect(notice):
    if dies == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    if marks and wire.exists() and notice.key in wire.read_text().split():
        return
    with wire.open("a") as stream:
        stream.write(notice.key + "\\n")
    if dies == "after":
        os.kill(os.getpid(), signal.SIGKILL)

print("ready", flush=True)
sys.stdin.readline()
with Store.open(folder / "selfreview") as store:
    context = NotifyContext(MemoryConfig(default_config()), {})
    Outbox(store, [FakeNotifier("fake", leaves_mark=marks, effect=effect)], context).deliver(float(sys.argv[4]))
"""


def start(folder: Path, *, marks: bool = False, dies: str = "never", now: float = NOW) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SENDER, str(folder), "marks" if marks else "none", dies, str(now)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def let_go(*processes: subprocess.Popen[str]) -> list[int]:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=120)
    return [process.returncode for process in processes]


def put_in(folder: Path, count: int = 1) -> None:
    with Store.open(folder / "selfreview") as store:
        for number in range(count):
            Outbox(store, [], CONTEXT).add(notice(f"k{number}", NoticeEvent.FIXED), ["fake"], NOW)


def arrived(folder: Path) -> list[str]:
    wire = folder / "wire"
    return wire.read_text().split() if wire.exists() else []


def test_two_processes_send_each_message_once(tmp_path: Path) -> None:
    put_in(tmp_path, 40)
    assert let_go(*(start(tmp_path) for _ in range(3))) == [0, 0, 0]
    assert sorted(arrived(tmp_path)) == sorted(f"k{number}" for number in range(40))
    with Store.open(tmp_path / "selfreview") as store:
        assert {message.state for message in store.messages.latest(100)} == {Delivery.SENT}


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("dies", ["before", "after"])
@pytest.mark.parametrize("marks", [False, True])
def test_a_sender_that_is_killed_between_sending_and_its_record(tmp_path: Path, dies: str, marks: bool) -> None:
    put_in(tmp_path)
    assert let_go(start(tmp_path, marks=marks, dies=dies)) == [-signal.SIGKILL]

    def effect(told: Notice) -> None:
        if not marks or told.key not in arrived(tmp_path):
            with (tmp_path / "wire").open("a") as stream:
                stream.write(f"{told.key}\n")

    for later in (1.0, LEASE_S + 1, 10 * LEASE_S):
        with Store.open(tmp_path / "selfreview") as store:
            Outbox(store, [FakeNotifier("fake", leaves_mark=marks, effect=effect)], CONTEXT).deliver(NOW + later)
    with Store.open(tmp_path / "selfreview") as store:
        (message,) = store.messages.latest(2)
    if marks:
        assert (arrived(tmp_path), message.state) == (["k0"], Delivery.SENT)
    else:
        assert (arrived(tmp_path), message.state) == (["k0"] if dies == "after" else [], Delivery.UNKNOWN)


def test_the_same_notice_put_in_by_many_is_one(tmp_path: Path) -> None:
    for _ in range(2):
        put_in(tmp_path)
    channel = FakeNotifier()
    with Store.open(tmp_path / "selfreview") as store:
        Outbox(store, [channel], CONTEXT).deliver(NOW)
    assert len(channel.sent) == 1
