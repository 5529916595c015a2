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
    RuleInfo,
    Side,
    SourceText,
    hookimpl,
)

if TYPE_CHECKING:
    from selfreview.reviewers.text.table import Hit


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
        from selfreview.reviewers.text.names import name_findings
        from selfreview.reviewers.tools.program import source_digest
        from selfreview.syntax import file_kinds

        if any(name_findings(_unseen(context), context)):
            return None
        return source_digest(Path(__file__).parent, Path(file_kinds.__file__))

    def rules(self) -> list[RuleInfo]:
        """List the checks."""
        from selfreview.reviewers.text.table import BAD, CHECKS, GOOD

        return [check.info(name, BAD[name], GOOD[name]) for name, check in CHECKS.items()]

    def review_commits(self, context: ReviewContext) -> list[Finding]:
        """Look for files that usually hold credentials, which a commit adds and a later one takes out.

        Raises:
            ToolError: If the commits cannot be read in full.
        """
        from selfreview.reviewers.text.names import files_that_went

        return list(files_that_went(context))

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Look at every file given, and at the names of those that are not."""
        from selfreview.reviewers.text.names import name_findings

        review = Review(findings=list(name_findings([*files, *_unseen(context)], context)))
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
    from selfreview.reviewers.text.table import CHECKS, findings_of
    from selfreview.syntax.file_kinds import is_sample, kind_of

    kind = kind_of(path).value
    places = {kind, "tests"} if is_sample(path) else {kind}
    for hit in _hits(source, path, prose=kind == "prose"):
        yield from findings_of(hit, path, mild=hit.minor or not CHECKS[hit.check].lenient.isdisjoint(places))


def _syntax_findings(file: ChangedFile, source: SourceText, context: ReviewContext) -> Iterator[Finding]:
    if not file.path.casefold().endswith((".json", ".jsonc", ".toml")):
        return
    from selfreview.reviewers.evidence import tied
    from selfreview.reviewers.text.syntax import broken_syntax
    from selfreview.reviewers.text.table import findings_of
    from selfreview.syntax.file_kinds import is_sample

    old = None if file.status is FileStatus.ADDED else context.text(file, Side.OLD)
    for hit in broken_syntax(file, source, old):
        for finding in findings_of(hit, file.path, mild=is_sample(file.path)):
            yield tied(finding, file)


def _hits(source: SourceText, path: str, *, prose: bool) -> Iterator[Hit]:
    from selfreview.reviewers.text.disguise import encodings, instructions, mixed_names, odd_characters, startup_code
    from selfreview.reviewers.text.syntax import conflicts

    yield from conflicts(source.lines, prose=prose)
    yield from odd_characters(source.text, prose=prose)
    yield from mixed_names(source.lines)
    yield from instructions(source.lines)
    yield from encodings(source, path)
    yield from startup_code(source, path)
