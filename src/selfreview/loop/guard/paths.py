"""Names that leave the tree, or that some file systems take for another's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from selfreview.loop.guard.gitfolder import plain_path
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_LEAVES = re.compile(r"/|[A-Za-z]:|\\|(?:.*[/\\])?\.\.(?:[/\\]|$)|.*[\0\\]", re.DOTALL)


def leaves_tree(path: str) -> bool:
    """Return whether a path, read on any system, could be outside of the tree that it is relative to."""
    return not path or _LEAVES.match(path) is not None


def escape(patch: Patch) -> Iterator[Rejection]:
    """Reject paths that are absolute, go up, or would do so on Windows."""
    for edit in patch.edits:
        if edit.new is not None and leaves_tree(edit.path):
            yield Rejection(edit.path, "path-escape", "Write only inside the workspace, under a plain relative path.")


def collision(patch: Patch) -> Iterator[Rejection]:
    """Reject new names that differ from another's by case or by the form of their accents only."""
    gone = {edit.path for edit in patch.edits if edit.new is None}
    known: dict[str, str] = {}
    paths = [file.path for file in patch.bounds.change.files]
    paths += [edit.path for edit in patch.edits if edit.old is not None]
    for path in paths:
        if path not in gone:
            known.update((_folded(part), part) for part in _prefixes(path))
    for edit in patch.edits:
        if edit.old is not None or edit.new is None:
            continue
        for part in _prefixes(edit.path):
            other = known.setdefault(_folded(part), part)
            if other != part:
                reason = f"Choose another name: on some systems it is the same as {other}."
                yield Rejection(edit.path, "path-collision", reason)
                break


def _prefixes(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts) + 1))


def _folded(path: str) -> str:
    path = plain_path(path)  # dots and spaces at the ends of names do not count on Windows
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
