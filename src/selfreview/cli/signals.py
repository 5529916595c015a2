"""A request to end is as good as Ctrl-C: children are stopped, workspaces removed, and what was found is kept."""

from __future__ import annotations

import signal


def heed() -> None:
    """Have SIGTERM, and a terminal that goes away, interrupt the program, unless its parent has it ignore them."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
