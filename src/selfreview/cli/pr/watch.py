"""``selfreview pr watch``: poll for feedback, and have it answered; a line of JSON for each event, or a live table."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

import click

from selfreview.app.pr.request import WatchRequest
from selfreview.app.pr.watch import SECRET, Watch, watching
from selfreview.cli.common import current_folder
from selfreview.cli.options import plugin_options
from selfreview.cli.pr.options import remote_option
from selfreview.cli.terminal import Terminal
from selfreview.errors import ExitCode, UsageError
from selfreview.model.wire import utc_now
from selfreview.text.escape import json_safe, visible
from selfreview.text.layout import plural

_QUIET = frozenset({"seen"})
_STATES = {
    "news": "has news",
    "scheduled": "is queued",
    "resumed": "is queued",
    "begun": "is being answered",
    "ending": "was closed or merged: its answer is stopped",
    "hint": "has news",
    "unseen": "is not shown by the forge",
    "seen_again": "watched",
    "answered_elsewhere": "answered by another watcher",
    "given_up": "another watcher did not come back",
}
_MAX_LINES = 5


class Lines:
    """Output with one line of JSON for each event."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __call__(self, event: str, number: int | None = None, **about: object) -> None:
        """Print an event."""
        if event in _QUIET:
            return
        said: dict[str, object] = {"at": utc_now(), "event": event}
        if number is not None:
            said["number"] = number
        line = json_safe(json.dumps({**said, **about}).encode("ascii"))
        with self._lock:
            _write_at_once(line + b"\n")

    def close(self) -> None:
        """Nothing is open."""


def _write_at_once(data: bytes) -> None:
    """Write past the buffer, which fails where a second signal is handled while it is being written to."""
    stream: Any = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
    while data:
        data = data[stream.write(data) :]


class Table:
    """A table of pull requests and their states, redrawn in place."""

    def __init__(self, repository: str) -> None:
        self._lock = threading.RLock()
        self._repository = repository
        self._rows: dict[int, list[str]] = {}
        self._lines: list[str] = []
        self._head = "looking"
        self._drawn = 0

    def __call__(self, event: str, number: int | None = None, **about: object) -> None:
        """Record an event, and draw the table."""
        with self._lock:
            if number is None:
                self._take_general(event, about)
            elif event == "gone":
                self._rows.pop(number, None)
            else:
                self._take(event, number, about)
            if event not in _QUIET:
                self._draw()

    def close(self) -> None:
        """Leave the last state."""
        with self._lock:
            self._drawn = 0

    def _take(self, event: str, number: int, about: dict[str, object]) -> None:
        row = self._rows.setdefault(number, ["", "", "watched"])
        if event == "seen":
            row[0], row[1] = str(about["branch"]), str(about["title"])
        elif event in ("ended", "put_off"):
            why = "; ".join(map(str, _list(about.get("why"))))
            row[2] = str(about["outcome"]).replace("_", " ") + (f": {why}" if why else "")
        elif event == "note":
            self._say(f"#{number}: {about['text']}")
        else:
            row[2] = _STATES.get(event, event)

    def _take_general(self, event: str, about: dict[str, object]) -> None:
        if event in ("watching", "settings") and about.get("off") is not None:
            self._say(f"{about['off']}: news is only reported")
        elif event == "watching":
            if about.get("auto") is False:
                self._say("news is only reported: auto_address_review_comments is off, so nothing is answered")
        elif event == "polled":
            self._head = f"looked at {utc_now()[11:19]} UTC, {about['news']} with news"
        elif event in ("paused", "held", "problem", "renamed", "archived", "settings_broken", "refused", "token"):
            self._say(f"{event.replace('_', ' ')}: {about.get('why')}")
        elif event == "note":
            self._say(str(about["text"]))
        elif event == "notice":
            self._say(f"{about['channel']}: {about['state']} {about['why']}".strip())
        elif event == "settings":
            self._say("the settings changed")
        elif event in ("tree_removed", "tree_stays"):
            rest = f"stays: {about['why']}" if event == "tree_stays" else "was removed"
            self._say(f"the working tree of {about['branch']} {rest}")
        elif event == "listening":
            self._say(f"listening on {about['host']}:{about['port']}")
        elif event in ("stopping", "stopped"):
            self._head = event

    def _say(self, line: str) -> None:
        self._lines = [*self._lines, f"{utc_now()[11:19]} {line}"][-_MAX_LINES:]

    def _draw(self) -> None:
        width, height = shutil.get_terminal_size()
        room = max(1, height - 3 - len(self._lines))
        numbers = sorted(self._rows)
        lines = [f"{self._repository}: {plural(len(numbers), 'pull request')}; {self._head}"]
        # Those that something happens with come first, where there is no room for all.
        shown = sorted(sorted(numbers, key=lambda number: self._rows[number][2] == "watched")[:room])
        for number in shown:
            branch, title, state = self._rows[number]
            lines.append(f"  #{number:<6} {branch[:24]:24} {state[:60]:60} {title}")
        if len(shown) < len(numbers):
            lines.append(f"  and {len(numbers) - len(shown)} more")
        lines += self._lines
        text = "".join(f"\x1b[2K{visible(line)[: width - 1]}\n" for line in lines)
        sys.stdout.write((f"\x1b[{self._drawn}A" if self._drawn else "") + text + "\x1b[J")
        sys.stdout.flush()
        self._drawn = len(lines)


Output = Lines | Table


@contextlib.contextmanager
def output_as(name: str, repository: str) -> Iterator[Output]:
    """Yield the output of a given format."""
    table = name == "table" or (name == "auto" and sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
    output: Output = Table(repository) if table else Lines()
    try:
        yield output
    finally:
        output.close()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def address_of(webhook: str | None) -> tuple[tuple[str, int] | None, str]:
    """Return the address to listen on, and the secret.

    Raises:
        UsageError: If the address is none, or there is no secret.
    """
    if webhook is None:
        return None, ""
    host, _, port = webhook.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or re.fullmatch(r"[0-9]{1,5}", port) is None or int(port) > 65535:
        raise UsageError(f"--webhook {webhook!r} is not HOST:PORT", hint="such as 127.0.0.1:8765")
    secret = os.environ.get(SECRET, "").strip()
    if not secret:
        raise UsageError("--webhook needs a secret", hint=f"set {SECRET} to the secret of the webhook")
    return (host, int(port)), secret


@contextlib.contextmanager
def signals(watch: Watch) -> Iterator[None]:
    """Handle signals: the first one stops the watcher once its cycles are done, the second one at once."""
    seen = 0

    def heed(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal calls it
        nonlocal seen
        seen += 1
        if seen == 1:
            watch.stop()
            return
        code = int(ExitCode.INTERRUPTED)
        try:
            watch.kill()
            watch.tell("stopped", code=code)
            sys.stdout.flush()
        finally:  # also where a line was being written just now
            os._exit(code)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, heed)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])


@click.command(name="watch")
@click.option("--once", is_flag=True, help="Look once, wait for what that leads to, and end with the worst exit code.")
@click.option("--all", "every", is_flag=True,
              help="Every open pull request; else your own, and those whose branch is checked out here.")  # fmt: skip
@click.option("--webhook", metavar="HOST:PORT",
              help=f"Also listen for the forge's deliveries, signed with the secret in {SECRET}.")  # fmt: skip
@click.option("-f", "--format", "format_", type=click.Choice(["auto", "table", "jsonl"]), default="auto",
              help="A live table, or a line of JSON for each event; auto: a table on a terminal.")  # fmt: skip
@remote_option("The remote whose pull requests are watched; by default the branch's own, else origin, or the only one.")
@plugin_options
def command(*, once: bool, every: bool, webhook: str | None, format_: str, **options: Any) -> int:
    """Watch pull requests for feedback, and answer it as `selfreview pr fix` does.

    Nothing is answered unless auto_address_review_comments is set: without it, news is only reported. Ctrl-C or
    SIGTERM stops it as soon as the running fix cycles are done; a second one stops these, too.
    """
    address, secret = address_of(webhook)
    asked = WatchRequest(folder=current_folder(), every=every, address=address, secret=secret, **options)
    with watching(asked, functools.partial(output_as, format_), ui=Terminal()) as watch, signals(watch):
        return watch.run(once=once)
