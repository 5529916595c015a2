"""Errors that end commands: events of the log, told to plugins; and crash reports.

A defect ends in a file and one line, never in a traceback on the terminal.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview import __version__
from selfreview.errors import ExitCode, SelfreviewError
from selfreview.text.masking import masking

if TYPE_CHECKING:
    from selfreview.git.repo import Repo

KEEP = 20
_BUSY_SECONDS = 1.0
_TOLD = "selfreview_told"
"""Key in an exception's attributes: it was told."""


def told_first(error: BaseException) -> bool:
    """Return whether an error is told for the first time, and take it for told from now on."""
    first = not was_told(error)
    vars(error)[_TOLD] = True
    return first


def was_told(error: BaseException) -> bool:
    """Return whether an error, or the one that it was made of, was told."""
    return _TOLD in vars(error) or (error.__cause__ is not None and was_told(error.__cause__))


Words = tuple[str, str | None, int]
"""The message of an error, what to do about it, and the exit code."""


def keep_error(repo: Repo | None, stage: str, words: Callable[[], Words]) -> None:
    """Keep an error as an event of the branch that is checked out, where the repository has a store.

    Whatever fails at it is nothing: the error itself is what a person has to know.

    Args:
        repo: The repository.
        stage: The command that ended with it.
        words: Returns its words.
    """
    from selfreview.git.revisions import current_branch
    from selfreview.model.event import CommandFailed
    from selfreview.model.wire import display_path, utc_now
    from selfreview.secrets.scanner import mask_secrets
    from selfreview.store.store import Store

    try:
        if repo is None:
            return
        with Store.open(repo.common_dir / "selfreview", busy_seconds=_BUSY_SECONDS) as store:
            if not store.path.is_file():
                return
            branch, worktree = display_path(current_branch(repo.git) or ""), str(repo.root)
            session = store.session(worktree, branch)
            message, hint, code = words()
            failed = CommandFailed(
                stage=stage,
                message=mask_secrets(message),
                code=int(code),
                hint=hint and mask_secrets(hint),
                branch=branch,
                worktree=display_path(worktree),
            )
            store.add_event(failed.event(utc_now(), session=session.id if session is not None else None))
    except Exception:  # noqa: BLE001 - see above
        return


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


def words_of(error: BaseException) -> Words:
    """Return the words for an error of a command."""
    if isinstance(error, SelfreviewError):
        return error.message, error.hint, int(error.exit_code)
    return f"internal error: {describe(error)}", None, int(ExitCode.INTERNAL_ERROR)


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
