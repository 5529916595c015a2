"""Comments for other tools, such as ``# noqa: S307``: by one that names a rule, the same weakness does not count here.

A comment that names no rule says nothing of what is found here, and none is ever called unused: it is not for us.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.model.change import Change, ChangedFile, overlaps
from selfreview.model.issue import Issue, IssueStatus, Severity, Side
from selfreview.review.marks import Mark, OwnMarks, is_markable
from selfreview.review.suppressions import Below, Comment, Comments, Suppression, as_before
from selfreview.review.topics import subjects_named, subjects_of
from selfreview.syntax.statements import MAX_LINES, Statements, indent_of
from selfreview.syntax.suppression_comments import ENDS, KINDS, counts, head_of, is_of_next, tool_of

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

_NAME = re.compile(r"[\w@][\w@/.-]*")
_BANDIT = re.compile(r"B([0-9]{3})")
_PYLINT = re.compile(r"[A-Z][0-9]{4}")
_LONGEST = 80
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
    head = head_of(mark)
    tool = _TOOLS[kind]
    if kind == "nolint" and "NOLINT" not in head:
        tool = "golangci-lint"
    elif "swiftlint" in head:
        tool = "swiftlint"
    return tuple(full for name in _NAME.findall(mark["rules"] or "") for full in _full(tool, name))


def _full(tool: str, name: str) -> tuple[str, ...]:
    bandit = _BANDIT.fullmatch(name) if tool == "gosec" else None
    if bandit is not None:
        return (f"bandit/{name}", f"ruff/S{bandit[1]}")  # as flake8 and ruff call it
    if tool == "pylint" and _PYLINT.fullmatch(name):
        return (f"pylint/{name}", f"ruff/PL{name}")
    return (f"{tool}/{name}",)


_OF_FILE = re.compile(r"(?:ruff|flake8)\s*[:=]\s*noqa|file-ignore|ignore-all", re.IGNORECASE)
_OF_LINE = re.compile(r"-line\b|:this\b")
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
        self._outside: Sequence[int] = ()
        self.statements = Statements(lines)

    def suppressions(self) -> list[Suppression]:
        """Return them in the order of their lines."""
        spots = sorted(self._spots(), key=lambda spot: (spot.number, spot.mark.start()))
        return [self._suppression(index, spot) for index, spot in enumerate(spots)]

    def _spots(self) -> Iterator[_Spot]:
        text = "\n".join(self._lines)
        for kind, pattern in _READ:
            if not counts(kind, self._file.path, text):
                continue
            number, at, start = 1, 0, 0
            for mark in pattern.finditer(text):
                number += text.count("\n", at, mark.start())
                start = max(start, text.rfind("\n", at, mark.start()) + 1)
                at = mark.start()
                names = names_in(kind, mark)
                if names:
                    inside = min(mark.end() - start, len(self._lines[number - 1])) - 1
                    comment = self._comments.at(number, inside)
                    if comment is not None:
                        yield _Spot(number, mark, comment, names)

    def _suppression(self, index: int, spot: _Spot) -> Suppression:
        lines = self._about(spot)
        own = lines is not None or overlaps(self._file.added, spot.number, spot.number)
        own = own or self._file.path != self._file.path_at_base
        words, end = spot.mark.group(), spot.mark.end()
        closer = ")" if spot.mark.string.startswith(")", end) else ""
        text = " ".join(f"{words}{closer}".split())[:_LONGEST]
        return Suppression(index, self._file.path, spot.number, spot.names, text, lines, own, odd=False)

    def _about(self, spot: _Spot) -> Sequence[int] | None:
        """Return the lines that a comment is about by the rules of its tool, or None for the whole file."""
        head, alone, last = head_of(spot.mark), spot.comment.alone, spot.comment.last
        if alone and _OF_FILE.search(head):
            return None if self._is_of_file(spot) else ()
        if is_of_next(spot.mark):
            return (last + 1,)
        if _OF_LINE.search(head) is None and _OF_REST.match(head) and (alone or _BESIDE.search(head) is None):
            start = spot.mark.start()
            is_none = head.startswith("eslint") and not _BLOCK.search(spot.mark.string[max(start - 8, 0) : start])
            return () if is_none else self._rest(spot)
        if alone and _OF_CODE_BELOW.match(spot.mark.group()):
            if "shellcheck" in head and self._is_above_all(spot):
                return None
            below = self._below.code_after(last)
            return (below,) if below else ()
        beside = self.statements.of(spot.number)
        return tuple(beside) if beside[-1] == spot.number else (spot.number,)

    def _rest(self, spot: _Spot) -> Sequence[int] | None:
        """Return the lines up to any end of the comment's tool; None where it stands above all code and has none."""
        last, ends = spot.comment.last, self._ends.get(tool_of(spot.mark), [])
        at = bisect.bisect(ends, (spot.mark.end(), 0))
        stop = ends[at][1] + 1 if at < len(ends) else len(self._lines) + 1
        if at == len(ends) and self._is_above_all(spot):
            return None
        if "pylint" in head_of(spot.mark):
            stop = min(stop, self._end_of_block(last))
        return range(last + 1, max(stop, last + 1))

    @functools.cached_property
    def _ends(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """Ends of each tool's comments, whatever they name: where they are in the text, and on which line."""
        ends: dict[str, list[tuple[int, int]]] = defaultdict(list)
        text, number, at = "\n".join(self._lines), 1, 0
        for end in ENDS.finditer(text):
            number += text.count("\n", at, end.end())
            at = end.end()
            ends[tool_of(end)].append((end.start(), number))
        return ends

    def _is_of_file(self, spot: _Spot) -> bool:
        """Return whether a comment about a file stands where its tool looks for one."""
        head, last = head_of(spot.mark), spot.comment.last
        if "ignore-all" in head:
            return self._is_above_all(spot)
        if "ruff" not in head or "file-ignore" not in head:
            return True
        below = self._below.code_after(last)
        return not any(indent_of(self._lines[line - 1]) for line in (spot.number, below) if line)

    def _is_above_all(self, spot: _Spot) -> bool:
        first = self._below.code_after(0)
        return first == 0 or first > spot.comment.last

    def _end_of_block(self, number: int) -> int:
        """Return the line behind the block that a line is in, by indentation."""
        self._outside = self._outside or _less_indented(self._lines)
        return self._outside[number - 1]


def _less_indented(lines: Sequence[str]) -> list[int]:
    """Return, for each line, the next that is indented less and not blank; the one behind the last where none is."""
    following = [len(lines) + 1] * len(lines)
    inside: list[tuple[int, int]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            margin = indent_of(line)
            while inside and inside[-1][0] > margin:
                following[inside.pop()[1] - 1] = number
            inside.append((margin, number))
    return following


def find_tool_comments(file: ChangedFile, source: SourceText) -> list[Suppression]:
    """Return the comments for other tools that name a rule, in the order of their lines; their reason is their text."""
    return _Reader(file, source.lines).suppressions()


class _Covered:
    """The first comment about each line, of those about one weakness; that about the whole file by 0.

    Args:
        comments: In the order of their lines.
    """

    def __init__(self, comments: Iterable[Suppression]) -> None:
        self._by_line: dict[int, Suppression] = {}
        self._starts: list[int] = []
        self._ranges: list[tuple[int, Suppression]] = []
        reached = 0
        for comment in comments:
            about: Sequence[int] = (0,) if comment.lines is None else comment.lines
            if not isinstance(about, range):
                for line in about:
                    self._by_line.setdefault(line, comment)
            elif about.stop > max(about.start, reached):  # the others, however many, are within one that is there
                self._starts.append(max(about.start, reached))
                self._ranges.append((about.stop, comment))
                reached = about.stop

    def at(self, line: int) -> Iterator[Suppression]:
        """Yield what is about a line: the first that is about it alone, and the first that goes on over it."""
        if line in self._by_line:
            yield self._by_line[line]
        index = bisect.bisect(self._starts, line) - 1
        if index >= 0 and line < self._ranges[index][0]:
            yield self._ranges[index][1]


class _OfFile:
    """The comments of one file, by what they name.

    Args:
        statements: The file's.
        comments: Those that count, in the order of their lines.
    """

    def __init__(self, statements: Statements, comments: Iterable[Suppression]) -> None:
        self._statements = statements
        self._named: dict[str, list[Suppression]] = defaultdict(list)
        self._covered: dict[str, _Covered] = {}
        for comment in comments:
            for subject in {subject for name in comment.names for subject in subjects_named(name)}:
                self._named[subject].append(comment)

    def about(self, issue: Issue) -> Suppression | None:
        """Return the comment about an issue, or None."""
        covered = [self._of(subject) for subject in subjects_of(issue) if subject in self._named]
        if not covered:
            return None
        lines = (issue.line_start, issue.line_end, *self._around(issue, covered), 0)
        return next(filter(None, (_first(covered, line) for line in lines)), None)

    def _of(self, subject: str) -> _Covered:
        if subject not in self._covered:
            self._covered[subject] = _Covered(self._named[subject])
        return self._covered[subject]

    def _around(self, issue: Issue, covered: Sequence[_Covered]) -> Iterator[int]:
        """Yield the lines with a comment beside them that an issue's statement has besides its first and last.

        These are the lines that the issue spans, and the one on which the brackets open that it begins in: other tools
        report a call where it begins, and not where its argument is.
        """
        start = issue.line_start
        above = range(start - 1, max(start - _FARTHEST, 0), -1)
        below = range(start + 1, min(issue.line_end, start + MAX_LINES))
        comments = ((line, _first(covered, line)) for line in (*below, *above))
        beside = [line for line, comment in comments if comment is not None and comment.line == line]
        if not beside:
            return
        spanned = self._statements.of(start)
        opened = next((line for line in above if start in self._statements.of(line)), None)
        yield from (line for line in beside if line == opened or (line > start and line in spanned))


def _first(covered: Iterable[_Covered], line: int) -> Suppression | None:
    """Return the first comment in a file of those about a line, or None."""
    found = (comment for some in covered for comment in some.at(line))
    return min(found, key=lambda comment: comment.number, default=None)


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
        self._by_file: dict[str, _OfFile] = {}

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of an issue whose weakness a comment names; what was merged into it stands for itself."""
        if issue.reviewer not in QUIETED or issue.severity is Severity.CRITICAL or issue.side is not Side.NEW:
            return None
        if issue.unreviewed or not is_markable(issue) or issue.file not in self._files:
            return None
        if issue.file not in self._by_file:
            self._by_file[issue.file] = self._read(issue)
        comment = self._by_file[issue.file].about(issue)
        if comment is None:
            return None
        reason = f"by the comment in line {comment.line}: {comment.reason}"
        return Mark(IssueStatus.SUPPRESSED, reason, line=comment.place)

    def _read(self, issue: Issue) -> _OfFile:
        """Return the comments of an issue's file that count; that is the same for all issues but critical ones."""
        file = self._files[issue.file]
        source = self._text_of(file, Side.NEW)
        reader = _Reader(file, source.lines if source is not None else ())
        found = reader.suppressions()
        if any(not comment.own for comment in found):
            before = self._text_of(file, Side.OLD)
            found = as_before(found, find_tool_comments(file, before) if before is not None else [])
        own_counts = self._own.applies_to(issue)
        return _OfFile(reader.statements, (comment for comment in found if own_counts or not comment.own))
