"""Text: conflict markers, hidden and disguised characters, and files that should not be committed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from selfreview.api import (
    ChangedFile,
    Depth,
    FileStatus,
    Finding,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    SourceText,
    hookimpl,
)
from selfreview.reviewers._kinds import Kind, is_test, kind_of
from selfreview.reviewers._text_hit import Hit
from selfreview.reviewers._text_names import name_rule
from selfreview.reviewers._text_table import CHECKS


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(TextReviewer())


class TextReviewer:
    """Looks at the text of every file, whatever the language, and at the names of all files that are added."""

    name = "text"
    depth = Depth.TEXT
    default = True

    def selects(self, file: ChangedFile) -> bool:
        """Take every file that has content on the new side."""
        return not (file.is_symlink or file.is_submodule or file.status is FileStatus.DELETED)

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover our own sources; names of files that no reviewer is given are looked at anew each time."""
        if any(_name_findings(_unseen(context))):
            return None
        digest = hashlib.sha256()
        for source in [*sorted(Path(__file__).parent.glob("_text*.py")), Path(__file__)]:
            digest.update(source.read_bytes())
        return digest.digest()

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Look at every file given, and at the names of those that are not."""
        review = Review(findings=list(_name_findings([*files, *_unseen(context)])))
        for file in files:
            source = None if file.binary else context.text(file)
            if source is not None:
                found = (_finding(file.path, hit, source) for hit in _hits(file.path, source))
                review.findings += [finding for finding in found if finding is not None]
            elif not file.binary:
                review.unreviewed[file.path] = "its content cannot be read"
        return review


def _unseen(context: ReviewContext) -> list[ChangedFile]:
    """Return the files that reviewers are not given: a key store is binary, and still should not be there."""
    return [file for file in context.change.files if file.excluded is not None]


def _hits(path: str, source: SourceText) -> Iterator[Hit]:
    from selfreview.reviewers import _text_conflicts, _text_prompts, _text_scripts, _text_unicode

    prose = kind_of(path) is Kind.PROSE
    yield from _text_conflicts.conflicts(source.lines, prose=prose)
    yield from _text_unicode.odd_characters(source.lines, prose=prose)
    yield from _text_scripts.mixed_names(source.lines)
    yield from _text_prompts.instructions(source.lines)


def _finding(path: str, hit: Hit, source: SourceText) -> Finding | None:
    check = CHECKS[hit.check]
    minor = hit.minor or is_test(path) or kind_of(path) is not Kind.CODE
    severity = check.elsewhere if minor else check.severity
    if severity is None:
        return None
    return Finding(
        file=path,
        line_start=hit.line,
        line_end=max(hit.last, hit.line),
        column=hit.column,
        severity=severity,
        category=check.category,
        description=check.message.format(what=hit.what),
        suggested_fix=check.suggestion,
        rule=hit.check,
        evidence=source.line(hit.line) or None,
    )


def _name_findings(files: Sequence[ChangedFile]) -> Iterator[Finding]:
    """Yield a finding for every file that should not be added; one for a whole folder."""
    folders: set[str] = set()
    for file in files:
        rule = name_rule(file) if file.status in (FileStatus.ADDED, FileStatus.COPIED) else None
        if rule is None:
            continue
        if rule.folder is not None:
            match = rule.folder.match(file.path)
            folder = match[0] if match else ""
            if folder in folders:
                continue
            folders.add(folder)
        check = CHECKS[rule.check]
        yield Finding(
            file=file.path,
            line_start=0,
            severity=(check.elsewhere if is_test(file.path) else None) or check.severity,
            category=check.category,
            description=check.message.format(what=rule.what),
            suggested_fix=check.suggestion,
            rule=rule.check,
        )
