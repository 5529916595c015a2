"""What asks the program to end is held off while a set of files is written, and heard afterwards."""

from __future__ import annotations

import signal
import sys

import pytest

from selfreview.cli.terminal import Terminal, uninterrupted
from selfreview.errors import ApplyError, Interrupted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def held(number: int, steps: list[str], error: Exception | None = None) -> None:
    with uninterrupted("all of it is done"):
        signal.raise_signal(number)
        steps.append("after the signal")
        if error is not None:
            raise error


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_waits(name: str) -> None:
    number = getattr(signal, name)
    outside = signal.getsignal(number)
    before = signal.default_int_handler if outside is signal.SIG_IGN else outside  # nohup, say, has one ignored
    signal.signal(number, before)
    steps = list[str]()
    try:
        with pytest.raises(Interrupted) as caught:
            held(number, steps)
        assert steps == ["after the signal"]
        assert caught.value.hint == "all of it is done"
        assert signal.getsignal(number) is before
    finally:
        signal.signal(number, outside)


def test_what_failed_under_a_signal_ends_as_interrupted() -> None:
    """A Ctrl-C reaches git, too, which then fails."""
    with pytest.raises(Interrupted) as caught:
        held(signal.SIGINT, [], ApplyError("git was killed; nothing was changed"))
    assert caught.value.hint == "git was killed; nothing was changed"


def test_what_fails_by_itself_is_told() -> None:
    with pytest.raises(ApplyError), uninterrupted("all of it is done"):
        raise ApplyError("no room")


def test_what_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with uninterrupted("done"):
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_terminal_defers_them() -> None:
    with pytest.raises(Interrupted) as caught, Terminal().uninterrupted("all of it is done"):
        signal.raise_signal(signal.SIGINT)
    assert caught.value.hint == "all of it is done"
