"""The content that a bare patch holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.api.context import Hunk, WordHit
from selfreview.errors import PatchError
from selfreview.git.content import Probe
from selfreview.git.hunks import parse_hunks
from selfreview.model.change import ChangedFile, FileStatus
from selfreview.model.issue import Side

if TYPE_CHECKING:
    from selfreview.git.patch.parse import Patch


class PatchContent:
    """Content of a bare patch: the lines of its hunks at their places, blank lines between."""

    def __init__(self, patch: Patch) -> None:
        self._patch = patch

    def read(self, file: ChangedFile, side: Side) -> bytes | None:
        """Return the known content of one side."""
        absent = FileStatus.ADDED if side is Side.OLD else FileStatus.DELETED
        if file.status is absent or file.binary:
            return None
        lines: dict[int, str] = {}
        for hunk in self.hunks(file):
            for line in hunk.lines:
                number = line.old_line if side is Side.OLD else line.new_line
                if number is not None:
                    lines[number] = line.text
        text = "".join(lines.get(number, "") + "\n" for number in range(1, max(lines, default=0) + 1))
        return text.encode("utf-8", "surrogateescape")

    def probe(self, file: ChangedFile, side: Side, length: int) -> Probe | None:
        """Return the first bytes and the size of the known content of one side."""
        data = self.read(file, side)
        return None if data is None else Probe(data[:length], len(data))

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Parse a file's hunks."""
        body = self._patch.bodies.get(file.path, b"")
        return parse_hunks(body) if body else ()

    def is_partial(self, file: ChangedFile) -> bool:
        """Return whether only hunks are known: a new file alone is known in full."""
        return file.status is not FileStatus.ADDED

    def read_path(self, path: str, side: Side) -> bytes | None:
        """Return a file of the patch that is known in full."""
        for file in self._patch.change.files:
            if file.path == path and not self.is_partial(file):
                return self.read(file, side)
        return None

    def find(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return those of the paths that the patch adds."""
        found = ((path, self.read_path(path, side)) for path in paths)
        return {path: data for path, data in found if data is not None}

    def links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:  # noqa: ARG002 - the protocol's
        """Return nothing: there is no tree."""
        return {}

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return the paths of the files that the patch adds."""
        if side is Side.OLD:
            return []
        return sorted(file.path for file in self._patch.change.files if file.status is FileStatus.ADDED)

    def search(self, words: Sequence[str]) -> list[WordHit]:  # noqa: ARG002 - part of the protocol
        """Return nothing: there is no tree."""
        return []

    def checkout(self, folder: Path) -> Path:
        """Raise: a patch has no tree."""
        raise PatchError("a bare patch has no tree to run commands in", hint=f"apply it first ({folder.name} is empty)")

    def close(self) -> None:
        """Do nothing: there are no resources to free."""
