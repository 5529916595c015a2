"""``selfreview hook turn``: review a coding agent's turn before it stops, and send it back at most once."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from selfreview.cli import console
from selfreview.errors import ExitCode, SelfreviewError
from selfreview.git.repo import Repo, discover

_BLOCKS = 2
"""Exit status of a hook that makes the agent continue, with the text on standard error."""
_SHOWN = 1
"""Exit status of a hook that lets the agent stop, and shows that text to the person."""
_MOST_SESSIONS = 50
_REVIEW = (sys.executable, "-P", "-m", "selfreview", "run", "--no-fix", "--format", "agent")
"""Command of the review; without ``-P``, a folder ``selfreview`` of the repository would be run instead of us."""


@click.group(name="turn")
def command() -> None:
    """Review what a coding agent did before it stops; for the hooks that `selfreview init agents` writes."""


@command.command()
def begin() -> int:
    """Note how the tree is when a turn begins."""
    return _report_errors(_begin)


def _report_errors(step: Callable[[], int]) -> int:
    """Run a step, and show an error to the person without blocking: Gemini CLI takes most statuses for a refusal."""
    try:
        return step()
    except SelfreviewError as error:
        console.note(f"selfreview could not review: {error.message}")
        return _SHOWN


def _begin() -> int:
    event = _read_event()
    repo = _repo(event)
    if repo is not None:
        _Turn(repo, event).begin()
    return ExitCode.PASSED


@command.command()
def review() -> int:
    """Review the change, for an agent that asks for it; nothing is changed.

    It takes no option, so that an agent can be permitted it whose permissions are beginnings of a command line.
    """
    sys.stdout.flush()
    return subprocess.run(_REVIEW, check=False, stdin=subprocess.DEVNULL).returncode


@command.command()
def end() -> int:
    """Review what the turn changed; where an issue blocks, the agent has to continue, once, with the report.

    A turn that changed no file is not reviewed; any other is, with all of the branch, as `selfreview run` does, but
    by no reviewer that sends something. It ends with 2 where the agent has to continue, else with 0, or 1
    where nothing could be reviewed.
    """
    return _report_errors(_end)


def _end() -> int:
    if os.environ.get("SELFREVIEW_SKIP", "") not in ("", "0"):
        return ExitCode.PASSED
    event = _read_event()
    repo = _repo(event)
    if repo is None:
        return ExitCode.PASSED
    turn = _Turn(repo, event)
    if turn.changed_nothing:
        turn.note(blocked=False)
        return ExitCode.PASSED
    with tempfile.TemporaryDirectory(prefix="selfreview-turn-") as folder:
        file = Path(folder) / "result.json"
        asked = (*_REVIEW, "--offline", "--format", f"json:{file}")
        ran = subprocess.run(asked, cwd=repo.root, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        blocks = _blocks(file)
    report, more = ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace")
    if ran.returncode == ExitCode.PASSED:
        turn.note(blocked=False)
        return ExitCode.PASSED
    # Where somebody required could not take part, such as a model, what the others found still blocks.
    if ran.returncode != ExitCode.ISSUES and not blocks:
        _note_lines(report + more)
        console.note(f"selfreview could not review (exit code {ran.returncode})")
        return _SHOWN
    again = turn.was_blocked
    noted = turn.note(blocked=True)
    if again:
        text = "selfreview still finds issues that block: selfreview status lists them"
        console.say(json.dumps({"systemMessage": text}))
        return ExitCode.PASSED
    _note_lines(report)
    console.note("selfreview: selfreview hook turn review does this review again")
    return _BLOCKS if noted else _SHOWN  # what cannot be noted would be sent back for ever


def _blocks(file: Path) -> bool:
    """Return whether an issue of a result in a file blocks; a review that ended early may have written none."""
    from selfreview.model.result import Result
    from selfreview.model.wire import from_json
    from selfreview.review.verdict import Threshold

    try:
        result = from_json(file.read_bytes(), Result)
    except (OSError, ValueError):
        return False
    return any(map(Threshold(result.severity_threshold).blocks, result.issues))


def _note_lines(text: str) -> None:
    for line in text.splitlines():
        console.note(line)


def _read_event() -> dict[str, Any]:
    """Read the hook's JSON object from standard input; empty where there is none."""
    try:
        value = json.loads(sys.stdin.buffer.read())
    except (OSError, ValueError, RecursionError, AttributeError):
        return {}
    return value if isinstance(value, dict) else {}


def _repo(event: dict[str, Any]) -> Repo | None:
    """Return the repository that the agent was started in, wherever it has gone since.

    Raises:
        GitError: If there is one that cannot be read: only where there is none is there nothing to review.
    """
    folders = (os.environ.get("CLAUDE_PROJECT_DIR"), os.environ.get("GEMINI_PROJECT_DIR"), event.get("cwd"))
    for folder in (*(Path(path) for path in folders if isinstance(path, str) and path), Path()):
        with contextlib.suppress(OSError, ValueError):
            here = folder.resolve(strict=True)
            try:
                return discover(here, os.environ)
            except SelfreviewError:
                if any(os.path.lexists(above / ".git") for above in (here, *here.parents)):
                    raise
    return None  # an agent works anywhere


class _Turn:
    """State of a session's turn, in a file of the git directory.

    Args:
        repo: The repository that the agent works in.
        event: The hook's JSON object.
    """

    def __init__(self, repo: Repo, event: dict[str, Any]) -> None:
        self._folder = repo.git_dir / "selfreview" / "turns"
        session = hashlib.sha256(str(event.get("session_id", "")).encode("utf-8", "replace")).hexdigest()[:16]
        self._file = self._folder / f"{session}.json"
        self._active = event.get("stop_hook_active")
        self._state = _state(repo)
        self._before = self._read()

    @property
    def was_blocked(self) -> bool:
        """Return whether our hook blocked in this turn; without a file, ``stop_hook_active`` counts."""
        return self._before.get("blocked") is True if self._before else self._active is True

    @property
    def changed_nothing(self) -> bool:
        """Return whether the tree is unchanged since the turn began, and our hook did not block in it."""
        return not self.was_blocked and self._before.get("state") == self._state

    def begin(self) -> None:
        """Store the state of the tree; that of an earlier turn which was broken off stays, still to be reviewed."""
        self._write(self._before.get("state") if self._before.get("open") is True else self._state, is_open=True)

    def note(self, *, blocked: bool) -> bool:
        """Store the state of the tree and whether the hook blocks; return whether that could be written."""
        return self._write(self._state, blocked=blocked)

    def _write(self, state: object, *, blocked: bool = False, is_open: bool = False) -> bool:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for old in sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST_SESSIONS]:
                old.unlink()
            self._file.write_text(json.dumps({"state": state, "blocked": blocked, "open": is_open}))
        except OSError:
            return False  # then the next turn is reviewed whatever it changes
        return True

    def _read(self) -> dict[str, Any]:
        try:
            value = json.loads(self._file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def _state(repo: Repo) -> str:
    """Return a digest of commit, index and working tree; files that differ count by size and times."""
    status = repo.git.run(["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames"])
    digest = hashlib.sha256(status)
    for entry in status.split(b"\0"):
        fields = {b"1": 8, b"u": 10, b"?": 1}.get(entry[:1])
        if fields is None:
            continue
        path = os.fsencode(repo.root) + b"/" + entry.split(b" ", fields)[-1]
        with contextlib.suppress(OSError):
            found = os.lstat(path)
            digest.update(b"%d %d %d\0" % (found.st_size, found.st_mtime_ns, found.st_ctime_ns))
    return digest.hexdigest()
