"""The environment of the suite is made, not inherited: of the machine it takes where programs are, and little else.

So no locale, time zone, umask, home folder, terminal or CI of whoever runs it decides; what a test needs it sets.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

KEPT = frozenset(
    """
    PATH PATHEXT SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC TMPDIR TEMP TMP LD_LIBRARY_PATH DYLD_LIBRARY_PATH
    PYTHONPATH SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY NO_PROXY REAL_AGENTS
    """.split()  # noqa: SIM905 - a table to read
)
KEPT_PREFIXES = ("PYTEST_", "COV", "HYPOTHESIS_", "PIP_", "NPM_CONFIG_", "PLAYWRIGHT_")
"""How tests are run, and where packages come from."""


def make_surroundings() -> None:
    """Make the environment of this process, and of all that it starts from now on."""
    for name in list(os.environ):
        if name.upper() not in KEPT and not name.upper().startswith(KEPT_PREFIXES):
            del os.environ[name]
    nowhere = str(Path(os.devnull, "home"))  # each test has a home of its own, and nothing else needs one
    os.environ.update(HOME=nowhere, USERPROFILE=nowhere, TZ="UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    os.umask(0o022)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, by all that is started as well


def only_git(folder: Path) -> str:
    """Return a PATH where git is and nothing else, whatever stands beside it on this machine."""
    git = shutil.which("git")
    assert git is not None
    folder.mkdir(exist_ok=True)
    (folder / "git").symlink_to(git)
    return str(folder)
