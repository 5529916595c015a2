"""Deleted files."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch, is_binary
from selfreview.loop.guard.pointing import asks_for_removal, issues_of
from selfreview.loop.guard.pytests import cases_of
from selfreview.loop.guard.textcases import text_cases_of


def file_deleted(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that was deleted or emptied where no issue asks for it; tests have a rule of their own."""
    for file in patch.files:
        had = file.old is not None and (is_binary(file.old) or file.old.data.strip())
        has = file.new is not None and file.new.data.strip()
        if not had or has or holds_tests(file):
            continue
        if not any(asks_for_removal(issue) for issue in issues_of(file, patch.bounds)):
            yield Rejection(file.path, "file-deleted", "Keep the file, and fix what the issue points at in it.")


def holds_tests(file: File) -> bool:
    """Return whether a file had tests, and not only helpers of tests."""
    if not file.has_tests:
        return False
    return (
        bool(cases_of(file, file.old_text)) if file.language == "python" else bool(text_cases_of(file, file.old_text))
    )
