"""Environment of a watcher: its webhook listener, its lock against a second one, and its signal handlers."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from selfreview.cli.pr.watch_output import Told
from selfreview.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from selfreview.proc import Runner
    from selfreview.pullrequest.watching.hints import Hints
    from selfreview.store.store import Store


SECRET = "SELFREVIEW_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable


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
def listening(
    address: tuple[str, int] | None, secret: str, repository: str, *, hints: Hints, store: Store, told: Told
) -> Iterator[None]:
    """Receive webhooks of the forge for as long as the context lasts, where an address is given."""
    if address is None:
        yield
        return
    from selfreview.pullrequest.watching.webhook import Receiver

    with Receiver(address, secret, repository, hints=hints, acted_on=store.watching.acted_on, tell=told) as receiver:
        told("listening", host=address[0], port=receiver.port)
        yield


@contextlib.contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock of a watcher's name, so that it is the only one.

    Raises:
        UsageError: If there is another one.
    """
    import filelock

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = filelock.FileLock(path, timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise UsageError(
            "another watcher is at work here", hint="stop that one, or share a database (feedback.database_url)"
        ) from None
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def signals(stop: Callable[[], None], runner: Runner, told: Told) -> Iterator[None]:
    """Handle signals: the first one stops the watcher once its cycles are done, the second one at once."""
    seen = 0

    def heed(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signal calls it
        nonlocal seen
        seen += 1
        if seen == 1:
            stop()
            return
        code = int(ExitCode.INTERRUPTED)
        try:
            runner.kill_all()
            told("stopped", code=code)
            told.close()
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
