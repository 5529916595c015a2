"""Text: conflict markers, hidden and disguised characters, broken JSON and TOML, and files that do not belong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.api import (
    ChangedFile,
    Depth,
    FileStatus,
    Finding,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Side,
    SourceText,
    hookimpl,
)

if TYPE_CHECKING:
    from selfreview.reviewers.text.checks import Hit
    from selfreview.reviewers.text.names import NameRule


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(TextReviewer())


class TextReviewer:
    """Looks at the text of every file, whatever the language, and at the names of all files that are added."""

    name = "text"
    depth = Depth.TEXT
    default = True
    sees_excluded = True

    def selects(self, file: ChangedFile) -> bool:
        """Take every file that has content on the new side."""
        return not (file.is_symlink or file.is_submodule or file.status is FileStatus.DELETED)

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover our own sources; where a file that no reviewer is given should not be there, say so anew each time."""
        from selfreview.reviewers.tools.program import source_digest
        from selfreview.syntax import file_kinds, testfiles

        if any(_name_findings(_unseen(context), context)):
            return None
        return source_digest(Path(__file__).parent, Path(file_kinds.__file__), Path(testfiles.__file__))

    def review_commits(self, context: ReviewContext) -> list[Finding]:
        """Look for files that usually hold credentials, which a commit adds and a later one takes out.

        Raises:
            ToolError: If the commits cannot be read in full.
        """
        from selfreview.reviewers.text.names import files_that_went

        return list(files_that_went(context))

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Look at every file given, and at the names of those that are not."""
        review = Review(findings=list(_name_findings([*files, *_unseen(context)], context)))
        for file in files:
            source = context.text(file)
            if source is None:
                review.unreviewed[file.path] = "its content cannot be read"
            else:
                found = list(_text_findings(file.path, source))
                if all(finding.rule != "conflict-marker" for finding in found):  # it is why nothing can read the file
                    found += _syntax_findings(file, source, context)
                review.findings += found
        return review


def _unseen(context: ReviewContext) -> list[ChangedFile]:
    """Return the files that reviewers are not given: a key store is binary, and still should not be there."""
    return [file for file in context.change.files if file.excluded is not None]


def _text_findings(path: str, source: SourceText) -> Iterator[Finding]:
    from selfreview.reviewers.text.checks import CHECKS, words_of
    from selfreview.syntax.file_kinds import kind_of
    from selfreview.syntax.testfiles import is_sample

    kind = kind_of(path).value
    places = {kind, "tests"} if is_sample(path) else {kind}
    for hit in _hits(source, path, prose=kind == "prose"):
        check = CHECKS[hit.check]
        severity = check.milder if hit.minor or places & check.lenient else check.severity
        if severity is not None:
            yield Finding(
                file=path,
                line_start=hit.line,
                line_end=max(hit.last, hit.line),
                column=hit.column,
                severity=severity,
                **words_of(hit.check, check, hit.what),
            )


def _syntax_findings(file: ChangedFile, source: SourceText, context: ReviewContext) -> Iterator[Finding]:
    if not file.path.casefold().endswith((".json", ".jsonc", ".toml")):
        return
    from selfreview.reviewers.evidence import tied
    from selfreview.reviewers.text.checks import CHECKS, words_of
    from selfreview.reviewers.text.syntax import broken_syntax
    from selfreview.syntax.testfiles import is_sample

    old = None if file.status is FileStatus.ADDED else context.text(file, Side.OLD)
    for hit in broken_syntax(file, source, old):
        check = CHECKS[hit.check]
        severity = (check.milder if is_sample(file.path) else None) or check.severity
        words = words_of(hit.check, check, hit.what)
        yield tied(Finding(file=file.path, line_start=hit.line, line_end=hit.line, severity=severity, **words), file)


def _hits(source: SourceText, path: str, *, prose: bool) -> Iterator[Hit]:
    from selfreview.reviewers.text.disguise import encodings, instructions, mixed_names, odd_characters, startup_code
    from selfreview.reviewers.text.syntax import conflicts

    yield from conflicts(source.lines, prose=prose)
    yield from odd_characters(source.text, prose=prose)
    yield from mixed_names(source.lines)
    yield from instructions(source.lines)
    yield from encodings(source, path)
    yield from startup_code(source, path)


def _name_findings(files: Sequence[ChangedFile], context: ReviewContext) -> Iterator[Finding]:
    """Yield a finding for every file that should not be added; one for a whole folder."""
    from selfreview.reviewers.text.checks import CHECKS, words_of
    from selfreview.reviewers.text.names import folders_before, name_rule
    from selfreview.syntax.testfiles import is_sample

    told: set[str] | None = None
    for file in files:
        rule = name_rule(file)
        is_added = file.status in (FileStatus.ADDED, FileStatus.COPIED)
        if rule is None or not (is_added or _is_filled(file, rule, context)):
            continue
        told = folders_before(context.change.files) if told is None else told
        folder = rule.folder_of(file.path)
        if folder is not None and folder in told:
            continue
        told.add(folder or file.path)
        check = CHECKS[rule.check]
        mild = _is_harmless(rule, file, context) or ("tests" in check.lenient and is_sample(file.path))
        yield Finding(
            file=file.path,
            line_start=0,
            severity=(check.milder if mild else None) or check.severity,
            **words_of(rule.check, check, rule.what),
        )


def _is_filled(file: ChangedFile, rule: NameRule, context: ReviewContext) -> bool:
    """Return whether a file that was there already, and harmless, is not so any more."""
    if rule.harmful is None or file.binary or file.excluded is not None or file.status is FileStatus.DELETED:
        return False
    old, new = (context.text(file, side) for side in (Side.OLD, Side.NEW))
    return bool(old and new and rule.harmful.search(new.text) and not rule.harmful.search(old.text))


def _is_harmless(rule: NameRule, file: ChangedFile, context: ReviewContext) -> bool:
    """Return whether the text of a file is not as bad as its name."""
    if rule.harmful is None or file.binary or file.excluded is not None:
        return False
    source = context.text(file)
    return source is not None and rule.harmful.search(source.text) is None
