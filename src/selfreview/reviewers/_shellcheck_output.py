"""ShellCheck's JSON as results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from selfreview.api import Category, Severity
from selfreview.review.topics import GIVES_UP
from selfreview.reviewers import _shell_rules as rules
from selfreview.reviewers._report import Change, Reported, Span, Spot, ToolReport, decode_json


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


def parse(text: str, tool: str) -> tuple[ToolReport, list[str]]:
    """Return the report, and the paths of files that are written for another shell.

    Raises:
        ToolError: If it is not one whole document.
    """
    comments = decode_json(text, _Document, tool).comments
    foreign = {comment.file for comment in comments if f"SC{comment.code}" == rules.UNSUPPORTED}
    return ToolReport(results=list(_results(comments, foreign))), sorted(foreign)


def _results(comments: list[_Comment], foreign: set[str]) -> Iterator[Reported]:
    ends = {comment.file: comment for comment in comments if f"SC{comment.code}" == rules.UNPARSED}
    for comment in comments:
        code = f"SC{comment.code}"
        if comment.file in foreign or code in rules.UNRELIABLE:
            continue
        yield Reported(
            message=comment.message,
            spot=Spot(comment.file, _span(comment)),
            level=comment.level,
            rule=code,
            related=tuple(_end(comment, ends)),
            changes=tuple(_changes(comment.fix)) if comment.fix else (),
        )


def _end(comment: _Comment, ends: Mapping[str, _Comment]) -> Iterator[Spot]:
    """Yield where the file could be read no further, if that is what a comment is about, and on another line."""
    end = ends.get(comment.file)
    if end is not None and f"SC{comment.code}" in GIVES_UP and end.line != comment.line:
        yield Spot(end.file, _span(end), "noticed here")


def _changes(fix: _Fix) -> list[Change]:
    """Return a fix's replacements, or nothing where two insert at the same place and their order matters."""
    changes = [Change(_span(replacement), replacement.replacement) for replacement in fix.replacements]
    return changes if len({change.span for change in changes}) == len(changes) else []


def _span(place: _Comment | _Replacement) -> Span:
    return Span(line=place.line, column=place.column, end_line=place.end_line, end_column=place.end_column)


def grade(reported: Reported) -> tuple[Severity, Category]:
    """Return a result's severity and category."""
    return rules.grade(reported.rule or "", reported.level)
