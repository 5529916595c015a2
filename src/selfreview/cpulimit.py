"""A bound for the work of a child that nobody may be left to end: who started it can be killed without a word."""

from __future__ import annotations

import contextlib
import math
import os
import sys

_SPARE_S = 1


def limit_cpu(pid: int, timeout: float) -> None:
    """Have a process ended that has worked for longer than all processors can within a time; on Linux only.

    Args:
        pid: It; what it starts later is bound by the same, each for itself.
        timeout: Seconds.
    """
    if sys.platform != "linux":
        return
    import resource

    most = math.ceil(timeout) * (os.cpu_count() or 1) + _SPARE_S
    _, hard = resource.prlimit(0, resource.RLIMIT_CPU)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    # It may be over by now, or another user's, as a program is that changes users: then there is no more to do.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        resource.prlimit(pid, resource.RLIMIT_CPU, (most, most))
