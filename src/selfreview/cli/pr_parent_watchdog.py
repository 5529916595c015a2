"""Watchdog of the parent process: a watcher that was killed leaves no running cycle behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

_GRACE_S = 15.0


def tie() -> None:
    """End this process when standard input ends: as by Ctrl-C, and a moment later for good, with its group."""
    descriptor = os.dup(sys.stdin.fileno())
    threading.Thread(target=_wait, args=(descriptor,), name="tied", daemon=True).start()


def _wait(descriptor: int) -> None:
    try:
        while os.read(descriptor, 4096):
            continue
    except OSError:
        return  # it cannot be told
    os.kill(os.getpid(), signal.SIGINT if sys.platform == "win32" else signal.SIGTERM)
    time.sleep(_GRACE_S)
    if sys.platform != "win32" and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(130)
