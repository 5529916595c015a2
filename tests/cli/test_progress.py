import io
import os
import select
import threading

import pytest

from selfreview.api import ReviewerStatus
from selfreview.cli.terminal import Progress, can_rewrite


class Terminal(io.StringIO):
    """A terminal of one line that keeps what is written and what it shows."""

    def __init__(self):
        super().__init__()
        self.frames = []
        self.written = threading.Event()

    def isatty(self):
        return True

    def write(self, text):
        self.frames.append(text)
        if len(self.frames) >= 3:
            self.written.set()
        return super().write(text)

    @property
    def screen(self):
        """What stands on the line, and the cursor's column."""
        line, column = [], 0
        for char in self.getvalue():
            if char == "\r":
                column = 0
            else:
                line[column : column + 1] = [char]
                column += 1
        return "".join(line).rstrip(), column


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def terminal():
    return Terminal()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def progress(terminal, clock):
    # Not entered: nothing is drawn but by the calls themselves.
    return Progress(terminal, enabled=True, delay=0, clock=clock)


def test_it_says_who_is_at_work_and_for_how_long(terminal, clock, progress):
    progress.started("ruff")
    progress.started("rules")
    assert terminal.screen[0] == "reviewing: ruff, rules · 0 done · 0.0s"
    clock.now += 1.25
    progress.finished("ruff", ReviewerStatus.OK)
    assert terminal.screen[0] == "reviewing: rules · 1 done · 1.2s"
    progress.started("text")
    progress.finished("rules", ReviewerStatus.NOT_APPLICABLE)
    assert terminal.screen[0] == "reviewing: text · 2 done · 1.2s"


def test_it_says_how_far_one_of_many_parts_is(terminal, progress):
    progress.started("rules")
    progress.started("agent-claude")
    progress.advanced("agent-claude", 3, 9)
    assert terminal.screen[0] == "reviewing: rules, agent-claude 3/9 files · 0 done · 0.0s"
    progress.finished("agent-claude", ReviewerStatus.OK)
    progress.advanced("agent-claude", 9, 9)
    assert terminal.screen[0] == "reviewing: rules · 1 done · 0.0s"


def test_the_line_is_free_while_nobody_is_at_work(terminal, clock, progress):
    progress.started("ruff")
    progress.finished("ruff", ReviewerStatus.OK)
    assert terminal.screen == ("", 0)
    before = len(terminal.frames)
    clock.now += 5
    progress._draw()  # as its thread does, while a person is asked something
    assert len(terminal.frames) == before
    progress.started("rules")
    assert terminal.screen[0] == "reviewing: rules · 1 done · 5.0s"


def test_it_says_who_did_not_finish(terminal, progress):
    progress.started("ruff")
    progress.started("rules")
    progress.finished("ruff", ReviewerStatus.TIMED_OUT)
    assert terminal.screen[0] == "reviewing: rules · 0 done · ruff timed out · 0.0s"


def test_a_line_never_fills_the_terminal(terminal, progress):
    for n in range(50):
        progress.started(f"reviewer-{n}")
    assert max(len(frame) for frame in terminal.frames) <= 80
    assert terminal.screen[0].endswith("…")


def test_names_cannot_act_on_the_terminal(terminal, progress):
    progress.started("\x1b[2J\u202e")
    assert terminal.screen[0].startswith("reviewing: \\x1b[2J<U+202E> ·")


def test_the_line_is_empty_at_the_end(terminal):
    with Progress(terminal, delay=0) as progress:
        progress.started("ruff")
        assert terminal.screen[0] != ""
    assert terminal.screen == ("", 0)


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_the_line_is_empty_after_an_exception(terminal, error):
    def fail():
        with Progress(terminal, delay=0) as progress:
            progress.started("ruff")
            raise error

    with pytest.raises(error):
        fail()
    assert len(terminal.frames) > 1
    assert terminal.screen == ("", 0)


def test_nothing_is_drawn_after_the_end(terminal):
    with Progress(terminal, delay=0) as progress:
        progress.started("ruff")
    frames = len(terminal.frames)
    progress.finished("ruff", ReviewerStatus.OK)
    assert len(terminal.frames) == frames
    assert "selfreview-progress" not in {thread.name for thread in threading.enumerate()}


def test_a_quick_review_draws_nothing(terminal, clock):
    with Progress(terminal, clock=clock) as progress:
        progress.started("ruff")
        progress.finished("ruff", ReviewerStatus.OK)
    assert terminal.frames == []


def test_the_time_moves_without_any_call(terminal, clock):
    with Progress(terminal, clock=clock) as progress:
        progress.started("ruff")
        clock.now += 7.0
        assert terminal.written.wait(30)
        assert terminal.screen[0] == "reviewing: ruff · 0 done · 7.0s"


def test_it_may_be_called_from_many_threads(terminal):
    def work(progress, name):
        progress.started(name)
        progress.finished(name, ReviewerStatus.OK)

    with Progress(terminal, delay=0) as progress:
        threads = [threading.Thread(target=work, args=(progress, f"r{n}")) for n in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        progress.started("last")
        assert terminal.screen[0].startswith("reviewing: last · 40 done · ")
    assert all(frame.startswith("\r") for frame in terminal.frames)
    assert terminal.screen == ("", 0)


def test_a_stream_that_breaks_turns_it_off(terminal):
    def broken(text):
        raise BrokenPipeError

    with Progress(terminal, delay=0) as progress:
        progress.started("ruff")
        terminal.write = broken
        progress.finished("ruff", ReviewerStatus.OK)
        progress.started("rules")


def test_it_is_off_where_no_line_can_be_rewritten(monkeypatch):
    closed = io.StringIO()
    closed.close()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert can_rewrite(Terminal())
    assert not can_rewrite(io.StringIO())
    assert not can_rewrite(closed)
    monkeypatch.setenv("TERM", "dumb")
    assert not can_rewrite(Terminal())


def test_off_means_silent():
    stream = io.StringIO()
    with Progress(stream, delay=0) as progress:
        progress.started("ruff")
        progress.finished("ruff", ReviewerStatus.FAILED)
    assert stream.getvalue() == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_on_a_real_terminal(monkeypatch, clock):
    monkeypatch.setenv("TERM", "xterm")
    control, terminal = os.openpty()
    try:
        stream = os.fdopen(terminal, "w", encoding="utf-8", closefd=False)
        with stream, Progress(stream, delay=0, clock=clock) as progress:
            progress.started("ruff")
        seen = ""
        while not seen.endswith("\r") and select.select([control], [], [], 10)[0]:
            seen += os.read(control, 65536).decode()
    finally:
        os.close(terminal)
        os.close(control)
    assert "\rreviewing: ruff · 0 done · 0.0s" in seen
    assert seen.endswith(" \r")
