"""The marks by which a change silences what reviews it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from selfreview.api import Category, ChangedFile, FileStatus, Finding, Place, ReviewContext, Severity, Side
from selfreview.git.entry import LINK, PLAIN, Entry
from selfreview.loop.guard.newmarks import NewMark, new_marks
from selfreview.loop.guard.patch import File

_MOST_TOLD = 20
_MOST_PLACES = 100
_TOO_LARGE = "larger than "


def silenced(context: ReviewContext, *, lenient: bool) -> Iterator[Finding]:
    """Yield one finding for every file in which the change silences a tool, with all marks that do.

    Args:
        context: What is under review.
        lenient: Whether such marks are honoured, and so only listed.
    """
    for file in context.change.files:
        if file.binary or is_too_large(file) or file.status is FileStatus.DELETED:
            continue
        marks = new_marks(compared(file, context))
        if marks:
            yield Finding(
                file=file.path,
                line_start=0,
                severity=Severity.LOW if lenient else Severity.HIGH,
                category=Category.SECURITY,
                description=f"The change silences a tool that reviews it: {_told(marks)}.",
                suggested_fix="A person has to look at it; a gate takes --accept FINGERPRINT.",
                rule="suppression",
                related=tuple(_place(file, mark) for mark in marks[:_MOST_PLACES]),
            )


def compared(file: ChangedFile, context: ReviewContext) -> File:
    """Return both sides of a file, with the lines that git found to differ; a copy has no old side."""
    new = entry_of(file, context, Side.NEW)
    if file.status is FileStatus.COPIED:
        return File(file.path, file.path, None, new)
    return File(file.path, file.path_at_base, entry_of(file, context, Side.OLD), new, file.spans or None)


def entry_of(file: ChangedFile, context: ReviewContext, side: Side) -> Entry | None:
    """Return one side of a file, or None where it is not there."""
    data = context.read(file, side)
    return None if data is None else Entry(LINK if file.is_symlink else PLAIN, data)


def is_too_large(file: ChangedFile) -> bool:
    """Whether nobody reads a file for its size."""
    return file.excluded is not None and file.excluded.startswith(_TOO_LARGE)


def _told(marks: Sequence[NewMark]) -> str:
    words = [
        f"takes out `{mark.text}` (line {mark.line} before)" if mark.is_end else f"`{mark.text}` (line {mark.line})"
        for mark in marks[:_MOST_TOLD]
    ]
    more = len(marks) - len(words)
    return ", ".join(words) + (f" and {more} more" if more else "")


def _place(file: ChangedFile, mark: NewMark) -> Place:
    side = Side.OLD if mark.is_end else Side.NEW
    return Place(file=file.path, line_start=mark.line, line_end=mark.line, side=side)
