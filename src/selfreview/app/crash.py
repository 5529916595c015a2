"""Crash reports: a defect ends in a file and one line, never in a traceback on the terminal."""

from __future__ import annotations

import datetime
import os
import platform
import sys
import tempfile
import traceback
from pathlib import Path

from selfreview import __version__
from selfreview.text.masking import masking

KEEP = 20


def write_report(where: str, error: BaseException) -> str | None:
    """Write a crash report and return its path, or None where no folder can be written.

    It holds the versions and the traceback: code of this program and of plugins, but no content of the reviewed files.
    """
    text = "\n".join(
        [
            f"selfreview {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"in: {where}",
            "",
            masking().hide("".join(traceback.format_exception(error))),
        ]
    )
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    for folder in _folders():
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = folder / f"crash-{stamp}-{os.getpid()}-{abs(hash(where)) % 10000:04d}.txt"
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(text)
            _prune(folder)
        except (OSError, RuntimeError):  # RuntimeError: there is no home folder
            continue  # the next folder, then none: the one line on the terminal still says what happened
        return str(path)
    return None


def describe(error: BaseException) -> str:
    """Return an exception as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _folders() -> list[Path]:
    from platformdirs import user_state_path

    private = Path(tempfile.gettempdir()) / f"selfreview-{os.getuid() if sys.platform != 'win32' else 'crashes'}"
    return [user_state_path("selfreview", appauthor=False), private]


def _prune(folder: Path) -> None:
    for path in sorted(folder.glob("crash-*.txt"))[:-KEEP]:
        path.unlink(missing_ok=True)
