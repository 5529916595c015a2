"""Deleted files."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch, is_binary
from selfreview.loop.guard.pointing import asks_for_removal, issues_of


def file_deleted(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that was deleted or emptied where no issue asks for it; those of tests wait for a person."""
    for file in patch.files:
        had = file.old is not None and (is_binary(file.old) or file.old.data.strip())
        has = file.new is not None and file.new.data.strip()
        if not had or has or file.has_tests:
            continue
        if not any(asks_for_removal(issue) for issue in issues_of(file, patch.bounds)):
            yield Rejection(file.path, "file-deleted", "Keep the file, and fix what the issue points at in it.")
