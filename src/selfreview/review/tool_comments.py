"""Comments for other tools, such as ``# noqa: S307``: by one that names a rule, the same weakness does not count here.

A comment that names no rule says nothing of what is found here, and none is ever called unused: it is not for us.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.model.change import Change, ChangedFile, overlaps
from selfreview.model.issue import Issue, IssueStatus, Severity, Side
from selfreview.review.marks import Mark, OwnMarks, is_markable
from selfreview.review.suppressions import Below, Comment, Comments, Suppression, as_before
from selfreview.review.topics import is_same
from selfreview.syntax.statements import indent_of, statement
from selfreview.syntax.suppression_comments import KINDS, Ranges, counts

QUIETED = frozenset({"rules", "text", "secrets", "ruff"})
"""Reviewers whose issues such comments are about: those that do not read them, and ruff, which reads its own alone."""

_TOOLS: Mapping[str, str] = {
    "noqa": "ruff",
    "ruff: ignore": "ruff",
    "nosec": "gosec",
    "nosemgrep": "semgrep",
    "type: ignore": "mypy",
    "pyright: ignore": "pyright",
    "pylint: disable": "pylint",
    "eslint-disable": "eslint",
    "biome-ignore": "biome",
    "lint:ignore": "staticcheck",
    "nolint": "clang-tidy",
    "rubocop:disable": "rubocop",
    "shellcheck disable": "shellcheck",
}
"""Whose rules each kind of comment names; see :func:`names_in` for those that several tools share."""
_SECRETS = "gitleaks:allow"
"""Kind of the comments that are about secrets and nothing else, so that they name these by themselves."""
_READ = tuple((kind, pattern) for kind, pattern in KINDS if kind in _TOOLS or kind == _SECRETS)

_CLOSERS = (")", "]")
_NAME = re.compile(r"[\w@][\w@/.-]*")
_BANDIT = re.compile(r"B([0-9]{3})")
_PYLINT = re.compile(r"[A-Z][0-9]{4}")
_LONGEST = 80
_LONGEST_STATEMENT = 60
_FARTHEST = 12
"""Lines above an issue among which the brackets are looked for that it begins in."""


def names_in(kind: str, mark: re.Match[str]) -> tuple[str, ...]:
    """Return the rules that a suppression comment names, as ``TOOL/RULE``.

    Args:
        kind: One of ``KINDS``.
        mark: What its pattern matched.
    """
    if kind == _SECRETS:
        return ("secrets/*",)
    if kind not in _TOOLS:
        return ()
    text = mark.group()
    tool = _TOOLS[kind]
    if kind == "nolint" and "NOLINT" not in text:
        tool = "golangci-lint"
    elif "swiftlint" in text:
        tool = "swiftlint"
    return tuple(full for name in _NAME.findall(mark["rules"] or "") for full in _full(tool, name))


def _full(tool: str, name: str) -> tuple[str, ...]:
    bandit = _BANDIT.fullmatch(name) if tool == "gosec" else None
    if bandit is not None:
        return (f"bandit/{name}", f"ruff/S{bandit[1]}")  # as flake8 and ruff call it
    if tool == "pylint" and _PYLINT.fullmatch(name):
        return (f"pylint/{name}", f"ruff/PL{name}")
    return (f"{tool}/{name}",)


_OF_FILE = re.compile(r"(?:ruff|flake8)\s*[:=].*noqa|file-ignore|ignore-all", re.IGNORECASE)
_OF_LINE = re.compile(r"-line\b|:this\b")
_OF_NEXT = re.compile(r"next", re.IGNORECASE)
_OF_REST = re.compile(
    r"(?:eslint|oxlint)-disable\b|tslint:disable\b|#\s*ruff\s*:\s*disable|NOLINTBEGIN|biome-ignore-start|swiftlint:disable\b"
    r"|#\s*(?:pylint|rubocop|standard)\s*:"
)
"""Comments about all lines up to an end; those of pylint and RuboCop only where they have a line to themselves."""
_BLOCK = re.compile(r"/\*+\s*\Z")
"""Beginning of the comments in which ESLint looks for those up to an end."""
_BESIDE = re.compile(r"pylint|rubocop|standard")
_OF_CODE_BELOW = re.compile(r"nosem|biome|#\s*(?:ruff|shellcheck)|//\s*(?:nolint|lint:)|\W+(?:nosec[: \t]+G|gosec:)")
"""Comments that are about the next line of code where they have a line to themselves."""


class _Spot(NamedTuple):
    """A suppression comment that names rules.

    Attributes:
        number: The line on which its words begin, from 1.
        mark: What the pattern of its kind matched.
        comment: The comment that it stands in.
        names: The rules that it names.
    """

    number: int
    mark: re.Match[str]
    comment: Comment
    names: tuple[str, ...]


class _Reader:
    """Reads the suppression comments of other tools in a text.

    Args:
        file: Whose new side or old side it is.
        lines: The text.
    """

    def __init__(self, file: ChangedFile, lines: Sequence[str]) -> None:
        self._file = file
        self._lines = lines
        self._comments = Comments(file.path, lines)
        self._below = Below(lines, self._comments)
        self._ranges: Ranges | None = None

    def suppressions(self) -> list[Suppression]:
        """Return them in the order of their lines."""
        spots = sorted(self._spots(), key=lambda spot: (spot.number, spot.mark.start()))
        return [self._suppression(index, spot) for index, spot in enumerate(spots)]

    def _spots(self) -> Iterator[_Spot]:
        text = "\n".join(self._lines)
        for kind, pattern in _READ:
            if not counts(kind, self._file.path, text):
                continue
            number, at = 1, 0
            for mark in pattern.finditer(text):
                number, at = number + text.count("\n", at, mark.start()), mark.start()
                names = names_in(kind, mark)
                if names:
                    start = text.rfind("\n", 0, at) + 1
                    inside = min(mark.end() - start, len(self._lines[number - 1])) - 1
                    comment = self._comments.at(number, inside)
                    if comment is not None:
                        yield _Spot(number, mark, comment, names)

    def _suppression(self, index: int, spot: _Spot) -> Suppression:
        lines = self._about(spot)
        own = lines is not None or overlaps(self._file.added, spot.number, spot.number)
        own = own or self._file.path != self._file.path_at_base
        words, end = spot.mark.group(), spot.mark.end()
        behind = spot.mark.string[end : end + 1]
        text = " ".join(f"{words}{behind if behind in _CLOSERS else ''}".split())[:_LONGEST]
        return Suppression(index, self._file.path, spot.number, spot.names, text, lines, own, odd=False)

    def _about(self, spot: _Spot) -> Sequence[int] | None:
        """Return the lines that a comment is about by the rules of its tool, or None for the whole file."""
        text, alone, last = spot.mark.group(), spot.comment.alone, spot.comment.last
        if alone and _OF_FILE.search(text):
            return None
        if _OF_NEXT.search(text):
            return (last + 1,)
        if _OF_LINE.search(text) is None and _OF_REST.match(text) and (alone or _BESIDE.search(text) is None):
            start = spot.mark.start()
            is_none = text.startswith("eslint") and not _BLOCK.search(spot.mark.string[max(start - 8, 0) : start])
            return () if is_none else self._rest(spot)
        if alone and _OF_CODE_BELOW.match(text):
            is_first = "shellcheck" in text and self._is_above_all(spot)
            return None if is_first else (self._below.code_after(last),)
        beside = statement(self._lines, spot.number)
        return tuple(beside) if beside[-1] == spot.number else (spot.number,)

    def _rest(self, spot: _Spot) -> Sequence[int] | None:
        """Return the lines up to the comment's end; None where it stands above all code and has none."""
        if self._ranges is None:
            self._ranges = Ranges(self._lines)
        ended = self._ranges.of(spot.mark, spot.comment.last)
        if ended is not None:
            return ended
        if self._is_above_all(spot):
            return None
        stop = len(self._lines) + 1
        if "pylint" in spot.mark.group():
            stop = self._end_of_block(spot.comment.last)
        return range(spot.comment.last + 1, stop)

    def _is_above_all(self, spot: _Spot) -> bool:
        first = self._below.code_after(0)
        return first == 0 or first > spot.comment.last

    def _end_of_block(self, number: int) -> int:
        """Return the line behind the block that a line is in, by indentation."""
        margin = indent_of(self._lines[number - 1])
        further = range(number + 1, len(self._lines) + 1) if margin else ()
        outside = (at for at in further if self._lines[at - 1].strip() and indent_of(self._lines[at - 1]) < margin)
        return next(outside, len(self._lines) + 1)


def find_tool_comments(file: ChangedFile, source: SourceText) -> list[Suppression]:
    """Return the comments for other tools that name a rule, in the order of their lines; their reason is their text."""
    return _Reader(file, source.lines).suppressions()


class ToolComments:
    """Marks what comments for other tools are about, where these name the same weakness; never a critical issue.

    Files are read when the first of their issues is asked about.

    Args:
        change: The change.
        text_of: Returns the text of a file's sides.
        own: What counts of the comments about what the change itself does.
    """

    def __init__(
        self, change: Change, text_of: Callable[[ChangedFile, Side], SourceText | None], own: OwnMarks
    ) -> None:
        self._files = {file.path: file for file in change.reviewable}
        self._text_of = text_of
        self._own = own
        self._found: dict[str, list[Suppression]] = {}
        self._lines: dict[str, Sequence[str]] = {}
        self._by_line: dict[tuple[str, str, str | None], dict[int, Suppression]] = {}

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of an issue whose weakness a comment names; what was merged into it stands for itself."""
        if issue.reviewer not in QUIETED or issue.severity is Severity.CRITICAL or issue.side is not Side.NEW:
            return None
        if issue.unreviewed or not is_markable(issue) or issue.file not in self._files:
            return None
        covered = self._covered(issue)
        found = (covered.get(line) for line in (issue.line_start, issue.line_end, *self._around(issue, covered), 0))
        comment = next((one for one in found if one is not None), None)
        if comment is None:
            return None
        return Mark(IssueStatus.SUPPRESSED, f"by the comment in line {comment.line}: {comment.reason}")

    def _around(self, issue: Issue, covered: Mapping[int, Suppression]) -> Iterator[int]:
        """Yield the lines with a comment beside them that an issue's statement has besides its first and last.

        These are the lines that the issue spans, and the one on which the brackets open that it begins in: other tools
        report a call where it begins, and not where its argument is.
        """
        first = issue.line_start
        above = range(first - 1, max(first - _FARTHEST, 0), -1)
        below = range(first + 1, min(issue.line_end, first + _LONGEST_STATEMENT))
        beside = [line for line in (*below, *above) if line in covered and covered[line].line == line]
        if not beside:
            return
        lines = self._lines[issue.file]
        spanned = statement(lines, first)
        opened = next((line for line in above if first in statement(lines, line)), None)
        yield from (line for line in beside if line == opened or (line > first and line in spanned))

    def _covered(self, issue: Issue) -> Mapping[int, Suppression]:
        """Return the comments about a rule that count, by their lines; that about the whole file by 0."""
        key = issue.file, issue.reviewer, issue.rule
        if key not in self._by_line:
            lines: dict[int, Suppression] = {}
            reached = 0
            for comment in self._comments(issue.file):
                counts_here = not comment.own or self._own.applies_to(issue)
                if not counts_here or not any(is_same(name, issue) for name in comment.names):
                    continue
                about: Sequence[int] = (0,) if comment.lines is None else comment.lines
                if isinstance(about, range):  # no line is walked twice, however many comments go to the end of the file
                    about, reached = (
                        range(max(about.start, min(reached, about.stop)), about.stop),
                        max(reached, about.stop),
                    )
                for line in about:
                    lines.setdefault(line, comment)
            self._by_line[key] = lines
        return self._by_line[key]

    def _comments(self, path: str) -> Sequence[Suppression]:
        if path not in self._found:
            file = self._files[path]
            source = self._text_of(file, Side.NEW)
            self._lines[path] = source.lines if source is not None else ()
            found = find_tool_comments(file, source) if source is not None else []
            if any(not comment.own for comment in found):
                before = self._text_of(file, Side.OLD)
                found = as_before(found, find_tool_comments(file, before) if before is not None else [])
            self._found[path] = found
        return self._found[path]
