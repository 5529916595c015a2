"""Marks by which a change silences its reviewers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from selfreview.api import (
    Category,
    ChangedFile,
    Depth,
    FileStatus,
    Finding,
    Place,
    ReviewContext,
    Reviewer,
    Severity,
    Side,
    capabilities,
)
from selfreview.git.worktree_files import LINK, PLAIN, Entry
from selfreview.guard.newmarks import NewMark, new_marks
from selfreview.guard.patch import File

_MAX_NAMED = 20
_MAX_PLACES = 100
_TOO_LARGE = "larger than "
_OWN = re.compile("selfreview", re.IGNORECASE)
_ANY = re.compile("")
_NONE = re.compile(r"(?!)")
_HONOURED = {
    "ruff": re.compile(r"noqa|\bruff\b|\bisort\b", re.IGNORECASE),
    "semgrep": re.compile("nosem", re.IGNORECASE),
    **{name: re.compile(name, re.IGNORECASE) for name in ("shellcheck", "hadolint", "zizmor")},
    **dict.fromkeys(("rules", "secrets", "text"), _NONE),
}
"""Marks that each embedded reviewer honours; those of commands and plugins are unknown, and models honour none."""


def silenced(
    context: ReviewContext, *, lenient: bool, reviewers: Sequence[Reviewer] | None = None
) -> Iterator[Finding]:
    """Yield one finding for every file in which the change silences a tool, with all marks that do.

    Args:
        context: What is under review.
        lenient: Whether such marks are honoured, and so only listed.
        reviewers: Who may take part in this review; None where nobody knows which tools do.
    """
    for file in context.change.files:
        marks = _marks(file, context)
        if marks:
            silent = None if reviewers is None else [_silent(mark, file, reviewers) for mark in marks]
            yield Finding(
                file=file.path,
                line_start=0,
                severity=Severity.LOW if lenient or not (silent is None or any(silent)) else Severity.HIGH,
                category=Category.SECURITY,
                description=_described(marks, silent),
                suggested_fix="A person has to look at it.",
                rule="suppression",
                related=tuple(_place(file, mark) for mark in marks[:_MAX_PLACES]),
            )


def _marks(file: ChangedFile, context: ReviewContext) -> Sequence[NewMark]:
    """Return the marks that a change adds to a file, as far as the file can hold any."""
    if file.binary or is_too_large(file) or file.status is FileStatus.DELETED:
        return []
    both = compared(file, context)
    marks = new_marks(both)
    if marks and not file.path.endswith(".ipynb") and _is_json(both.new_text):  # a notebook holds code
        return [mark for mark in marks if _OWN.search(mark.text) or _HONOURED["semgrep"].search(mark.text)]
    return marks


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
    """Return whether no reviewer reads a file because of its size."""
    return file.excluded is not None and file.excluded.startswith(_TOO_LARGE)


def _is_json(text: str) -> bool:
    """Return whether a text is JSON, which has no comments; semgrep looks at whole lines nevertheless, and so do we."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _silent(mark: NewMark, file: ChangedFile, reviewers: Sequence[Reviewer]) -> list[str]:
    """Return the names of the reviewers of a file that may honour a mark in it."""
    if _OWN.search(mark.text):
        return ["selfreview"]
    return [
        reviewer.name
        for reviewer in reviewers
        if _HONOURED.get(reviewer.name, _NONE if reviewer.depth is Depth.MODEL else _ANY).search(mark.text)
        and reviewer.selects(file)
        and capabilities.of_reviewer(reviewer).why_unavailable() is None
    ]


def _described(marks: Sequence[NewMark], silent: Sequence[Sequence[str]] | None) -> str:
    if silent is None:
        return f"The change silences a tool that reviews it: {_listed(marks)}."
    parts = []
    here = [mark for mark, names in zip(marks, silent, strict=True) if names]
    if here:
        names = sorted({name for names in silent for name in names})
        sure = all(name in _HONOURED or _OWN.fullmatch(name) for name in names)
        does = "silences" if sure else "may silence"
        parts.append(f"The change {does} {', '.join(names)} in its own review: {_listed(here)}.")
    others = [mark for mark, names in zip(marks, silent, strict=True) if not names]
    if others:
        parts.append(f"The change silences tools that take no part in this review: {_listed(others)}.")
    return " ".join(parts)


def _listed(marks: Sequence[NewMark]) -> str:
    words = [
        f"takes out `{mark.text}` (line {mark.line} before)" if mark.is_end else f"`{mark.text}` (line {mark.line})"
        for mark in marks[:_MAX_NAMED]
    ]
    more = len(marks) - len(words)
    return ", ".join(words) + (f" and {more} more" if more else "")


def _place(file: ChangedFile, mark: NewMark) -> Place:
    side = Side.OLD if mark.is_end else Side.NEW
    return Place(file=file.path, line_start=mark.line, line_end=mark.line, side=side)
