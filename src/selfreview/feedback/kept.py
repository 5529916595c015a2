"""Files that the landing of fixes keeps in a working tree's git directory, to be resumed after a kill."""

from __future__ import annotations

from pathlib import Path

import msgspec

from selfreview.loop.patches import replace_durably
from selfreview.model.wire import from_json, to_json


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A fix that is about to be committed.

    Attributes:
        request: The pull request, as ``owner/name#5``.
        patch: Id of the patch.
        head: What was checked out.
        text: The message of the commit.
    """

    request: str
    patch: str
    head: str
    text: str


class Kept:
    """State of a landing, kept for one working tree.

    Args:
        git_dir: Its git directory.
    """

    def __init__(self, git_dir: Path) -> None:
        self._folder = git_dir / "selfreview"

    @property
    def _pending(self) -> Path:
        return self._folder / "cycle.json"

    @property
    def _passed(self) -> Path:
        return self._folder / "cycle-passed"

    def begin(self, pending: Pending) -> None:
        """Record that a fix is about to be put into the working tree and committed."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        replace_durably(self._pending, to_json(pending))

    def pending(self) -> Pending | None:
        """Return the fix that was begun and not ended; None too where the record is cut off."""
        try:
            return from_json(self._pending.read_bytes(), Pending)
        except (OSError, msgspec.MsgspecError):
            return None  # nothing was applied yet

    def end(self) -> None:
        """Remove the record of the begun fix."""
        self._pending.unlink(missing_ok=True)

    def passed(self, commit: str) -> None:
        """Record that a commit has passed the project's checks."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        replace_durably(self._passed, commit.encode("ascii"))

    def has_passed(self, commit: str) -> bool:
        """Return whether a commit is recorded as having passed the project's checks; without a record it has not."""
        try:
            return self._passed.read_bytes() == commit.encode("ascii")
        except OSError:
            return False
