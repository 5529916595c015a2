"""Signal handling: a request to end works as Ctrl-C, so that children stop, workspaces go and results are kept."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

from selfreview.errors import Interrupted, SelfreviewError

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def heed() -> None:
    """Interrupt the program at SIGTERM and SIGHUP, unless its parent has it ignore them."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


@contextlib.contextmanager
def uninterrupted(done: str) -> Iterator[None]:
    """Defer Ctrl-C and termination signals until the context ends.

    Args:
        done: The hint for a person who asked meanwhile: what is done all the same.

    Raises:
        Interrupted: At the end, if that was asked for meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []
    before = {}
    try:
        for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, lambda received, _frame: asked.append(received))
        yield
    except SelfreviewError as error:
        if asked:  # git, asked as well, may have ended in the middle of it
            raise Interrupted(error.message) from error
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked:
        raise Interrupted(done)
