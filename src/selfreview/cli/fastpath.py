"""The hook's quick answer: is anything staged at all? Asked before anything is imported."""

from __future__ import annotations

import os
import sys


def nothing_staged() -> bool:
    """Say whether the index equals HEAD, at the cost of one git call; False when in doubt.

    The real review then asks again, carefully: this only ever skips what ``git commit`` would have nothing to take for.
    """
    if sys.platform == "win32":
        return False
    arguments = [
        "git", "-c", "core.fsmonitor=false", "diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none",
    ]  # fmt: skip
    environ = {k: v for k, v in os.environ.items() if k not in ("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS")}
    try:
        # posix_spawn: importing subprocess takes longer than git does.
        pid = os.posix_spawnp(
            "git", arguments, environ, file_actions=[(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
        )
    except OSError:
        return False
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
