"""Signal handling: a request to end works as Ctrl-C, so that children stop, workspaces go and results are kept."""

from __future__ import annotations

import signal


def heed() -> None:
    """Interrupt the program at SIGTERM and SIGHUP, unless its parent has it ignore them."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
