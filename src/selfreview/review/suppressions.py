"""Suppressions: comments in the code by which an issue does not count, as ``selfreview: ignore[rule] reason``."""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.api.context import SourceText
from selfreview.model.change import Change, ChangedFile, overlaps
from selfreview.model.issue import Category, Finding, Issue, IssueStatus, Place, Severity, Side
from selfreview.review.marks import Mark, OwnMarks, is_markable, merged_into
from selfreview.review.tasks import FinishedFiles
from selfreview.review.topics import ours_of
from selfreview.syntax.languages import language_of
from selfreview.syntax.parsing import parse, spared
from selfreview.text.escape import visible
from selfreview.text.suggestion import did_you_mean, meant

if TYPE_CHECKING:
    from ast_grep_py import Range, SgNode

WORD = "selfreview:"
_MARK = re.compile(
    r"selfreview:[ \t]*(?P<what>ignore-file|ignore)(?![\w-])(?:[ \t]*\[(?P<names>[^\]]*)\])?(?P<reason>.*)"
)
_LOOSE = re.compile(_MARK.pattern.replace(r"\])?", r"\])"), re.IGNORECASE)
"""The same in letters of any size, with the bracket that no sentence has: meant as a comment, and none that counts."""
_CLOSERS = ("*/", "-->", "#}", "-}", "*)", "*}", "#>", "?>", "}")
"""Ends of comments, of nested ones too."""
_LONGEST_REASON = 200


class Suppression(NamedTuple):
    """One comment.

    Attributes:
        number: Which of the file's it is, from 0.
        file: The file's path.
        line: Where it stands, from 1.
        names: Rules or reviewers, or both as ``reviewer/rule``.
        reason: Why, or empty.
        lines: The lines it is about, or None for the whole file.
        own: Whether it says of what the change does that it does not count, and nobody let that be. One that is about
            lines always does: no issue comes of a change that is not about what it writes. One about a whole file
            does where the change adds it.
        odd: Whether it is written in other letters than small ones.
    """

    number: int
    file: str
    line: int
    names: tuple[str, ...]
    reason: str
    lines: Sequence[int] | None
    own: bool
    odd: bool

    @property
    def place(self) -> int:
        """The line where it stands, or 0 for one about the whole file."""
        return 0 if self.lines is None else self.line

    @property
    def is_valid(self) -> bool:
        """Return whether the suppression counts: it has names and a reason, in the letters that are searched for."""
        return bool(self.names and self.reason) and not self.odd

    def names_of(self, issue: Issue) -> set[str]:
        """Return those of its names that mean an issue."""
        rules = {issue.rule, f"{issue.reviewer}/{issue.rule}"} if issue.rule is not None else set()
        return {name for name in self.names if name == issue.reviewer or name in rules}


def find_suppressions(file: ChangedFile, source: SourceText) -> list[Suppression]:
    """Return the comments of a file's new side, valid or not, in the order of their lines."""
    spots = [
        (number, match)
        for number, line in enumerate(source.lines, 1)
        if WORD in line.lower()
        for match in [*_MARK.finditer(line)] or _LOOSE.finditer(line)
    ]
    if not spots:
        return []
    comments = Comments(file.path, source.lines)
    below = Below(source.lines, comments)
    found = [(number, match, comments.at(number, match.start())) for number, match in spots]
    inside = [(number, match, comment) for number, match, comment in found if comment is not None]
    return [_suppression(index, file, spot, below) for index, spot in enumerate(inside)]


def _suppression(index: int, file: ChangedFile, spot: tuple[int, re.Match[str], Comment], below: Below) -> Suppression:
    number, match, comment = spot
    lines: tuple[int, ...] | None = tuple(sorted({comment.first, number, comment.last}))  # beside them is the code
    if match["what"].lower() == "ignore-file":
        lines = None
    elif comment.alone:
        after = below.code_after(comment.last)
        lines = (number, *((after,) if after else ()))
    odd = not match[0].startswith(WORD) or match["what"] != match["what"].lower()
    names = tuple(filter(None, (name.strip() for name in (match["names"] or "").split(","))))
    own = lines is not None or overlaps(file.added, number, number) or file.path != file.path_at_base
    return Suppression(index, file.path, number, names, _reason(match["reason"]), lines, own, odd)


class Below:
    """Finds the next line of code.

    Args:
        lines: The text.
        comments: Its comments.
    """

    def __init__(self, lines: Sequence[str], comments: Comments) -> None:
        self._lines = lines
        self._comments = comments
        self._known: dict[int, int] = {}

    def code_after(self, line: int) -> int:
        """Return the next line, from 1, that is more than white space and comments; 0 where none follows."""
        after = line + 1
        passed = []
        while after <= len(self._lines) and after not in self._known:
            passed.append(after)
            comment = self._comments.alone_in(after)
            if comment is None and self._lines[after - 1].strip():
                break
            after = comment.last + 1 if comment is not None else after + 1
        after = self._known.get(after, after)
        self._known.update(dict.fromkeys(passed, after))
        return after if after <= len(self._lines) else 0


def as_before(found: Sequence[Suppression], before: Sequence[Suppression]) -> list[Suppression]:
    """Return comments, of which those are the change's own that were none before it."""
    known = {(comment.names, comment.reason) for comment in before if comment.lines is None}
    return [comment._replace(own=comment.own or (comment.names, comment.reason) not in known) for comment in found]


def _reason(text: str) -> str:
    """Return a reason without what ends the comment."""
    text = text.strip()[: 2 * _LONGEST_REASON]
    while text.endswith(_CLOSERS):
        closer = next(closer for closer in _CLOSERS if text.endswith(closer))
        text = text.removesuffix(closer).rstrip()
    return text.strip(" \t:-\N{EN DASH}\N{EM DASH}")[:_LONGEST_REASON]


class Suppressions:
    """Marks what comments of the change's files suppress.

    Args:
        change: The change.
        text_of: Returns the text of a file's new side.
        own: What counts of the comments about what the change itself does.
    """

    def __init__(
        self, change: Change, text_of: Callable[[ChangedFile, Side], SourceText | None], own: OwnMarks
    ) -> None:
        self._own = own
        self._by_file: dict[str, OfFile] = {}
        self._merged: Mapping[str, Sequence[Issue]] = {}
        for file in change.reviewable:
            source = text_of(file, Side.NEW)
            found = find_suppressions(file, source) if source is not None else []
            if any(not comment.own for comment in found):
                before = text_of(file, Side.OLD)
                found = as_before(found, find_suppressions(file, before) if before is not None else [])
            if found:
                self._by_file[file.path] = OfFile(found)

    def look(self, issues: Sequence[Issue]) -> None:
        """Look at all issues of a review, for what was merged into which, before the first is marked."""
        self._merged = merged_into(issues)

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of a suppressed issue: a comment may name it, or what was merged into it."""
        if not is_markable(issue):
            return None
        for reported in (issue, *self._merged.get(issue.fingerprint, ())):
            here = self._by_file.get(reported.file)
            for comment in here.about(reported) if here is not None else ():
                counts = not comment.own or self._own.applies_to(issue)
                if comment.is_valid and counts and comment.names_of(reported):
                    reason = f"by the comment in line {comment.line}: {comment.reason}"
                    return Mark(IssueStatus.SUPPRESSED, reason, merged=True, line=comment.place)
        return None

    def leftovers(self, issues: Sequence[Issue], looked: FinishedFiles) -> Iterator[Finding]:
        """Yield findings on invalid or stale comments.

        Args:
            issues: All that was found, whatever its status.
            looked: Who has looked at which file.
        """
        used: dict[tuple[str, int], set[str]] = defaultdict(set)
        there: dict[tuple[str, int], set[str]] = defaultdict(set)
        for issue in issues:
            here = self._by_file.get(issue.file)
            for comment in here.about(issue) if here is not None else ():
                used[comment.file, comment.number] |= comment.names_of(issue)
                there[comment.file, comment.number] |= {issue.rule or issue.reviewer, issue.reviewer}
        for path, found in self._by_file.items():
            for comment in found.comments:
                if not comment.is_valid:
                    yield _invalid(comment)
                    continue
                needed = used[path, comment.number]
                idle = [name for name in comment.names if name not in needed and looked.would_know(name, path)]
                if idle:
                    known = sorted(there[path, comment.number])
                    same = [each for each in known if any(ours.endswith(f"/{each}") for ours in ours_of(idle[0]))]
                    near = meant(same) if same else did_you_mean(idle[0].rpartition("/")[2], known)
                    yield _unused(comment, idle, near)


class OfFile:
    """The comments of one file.

    Args:
        comments: In the order of their lines.
    """

    def __init__(self, comments: Sequence[Suppression]) -> None:
        self.comments = comments
        self._whole = [comment for comment in comments if comment.lines is None]
        self._by_line: dict[int, list[Suppression]] = defaultdict(list)
        for comment in comments:
            for line in comment.lines or ():
                self._by_line[line].append(comment)

    def about(self, issue: Issue) -> Iterator[Suppression]:
        """Yield the comments that are about the place of an issue."""
        if issue.side is Side.NEW:
            for line in dict.fromkeys((issue.line_start, issue.line_end)):
                yield from self._by_line.get(line, ())
        yield from self._whole


def _invalid(comment: Suppression) -> Finding:
    missing = "names no rule or reviewer" if not comment.names else "gives no reason"
    if comment.odd:
        missing = "is not written in small letters"
    return Finding(
        file=comment.file,
        line_start=comment.line,
        severity=Severity.LOW,
        category=Category.STYLE,
        description=f"This suppression does not count: it {missing}.",
        suggested_fix="Write it as selfreview: ignore[rule-or-reviewer] reason.",
        rule="invalid-suppression",
        related=_covered(comment),
    )


def _unused(comment: Suppression, names: Iterable[str], near: str | None) -> Finding:
    listed = ", ".join(visible(name) for name in names)
    return Finding(
        file=comment.file,
        line_start=comment.line,
        severity=Severity.LOW,
        category=Category.STYLE,
        description=f"This suppression of {listed} suppresses nothing.",
        suggested_fix=f"Delete it; or {near}" if near else "Delete it.",
        rule="unused-suppression",
        related=_covered(comment),
    )


def _covered(comment: Suppression) -> tuple[Place, ...]:
    """Return the lines that it is about, so that an old comment counts as part of the change where these changed."""
    return tuple(
        Place(file=comment.file, line_start=line, line_end=line) for line in comment.lines or () if line != comment.line
    )


_LONGEST_LINE = 5_000
_MAX_CHARACTERS = 1_000_000
"""Above these a parser takes too long, or too much of the stack."""

_PROSE = (".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm", ".xml", ".svg", ".vue")
"""Text in which ``#`` and the like begin no comment."""
_MARKUP_OPENER = re.compile(r"<!--|^\s*\.\.\s|\{[#*]|^\s*//")
_OPENER = re.compile(r"(?:(?<![^\s;{})\],])(?:#|//|--|;|%|!|\.\.|\b[Rr][Ee][Mm]\b)|/\*|^\s*\*|<!--|\{[#-]|\(\*|<#)")
_QUOTED = re.compile(r"(?:.*[./])?(?:vim|g?vimrc|_g?vimrc|vbs?|bas|cls|frm)", re.IGNORECASE | re.DOTALL)
"""Languages in which a quote at the start of a line begins a comment; in others it begins a text."""
_QUOTE_OPENER = re.compile(rf"{_OPENER.pattern}|^\s*['\"]")


class Comment(NamedTuple):
    """A comment, or what a line holds of one.

    Attributes:
        first, last: Its lines, from 1, inclusive.
        alone: Whether nothing but white space stands beside it on these lines.
    """

    first: int
    last: int
    alone: bool


class Comments:
    """The comments of a text, which is parsed when it is first asked about.

    Args:
        path: Whose ending tells the language; one that no parser is here for is judged by its lines alone.
        lines: The text, split at line feeds.
    """

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self._lines = lines
        code = _QUOTE_OPENER if _QUOTED.fullmatch(path) else _OPENER
        self._opener = _MARKUP_OPENER if path.lower().endswith(_PROSE) else code
        long = sum(map(len, lines)) > _MAX_CHARACTERS or max(map(len, lines), default=0) > _LONGEST_LINE
        self._language = None if long else language_of(path)
        self._spared: frozenset[int] = frozenset()
        self._children = _Children()
        self._way: list[SgNode] = []
        self._by_line: dict[int, tuple[int, Comment] | None] = {}

    def at(self, line: int, column: int) -> Comment | None:
        """Return the comment that a place is in, or None where it is in code or in a string.

        Each looks from the nodes that hold the last place: a tree may be as deep as its text is long.

        Args:
            line: From 1.
            column: From 0, in code points.
        """
        if self._language is None:
            return self._in_line(line, column)
        way = self._way or self._parsed(self._language)
        if line - 1 in self._spared:
            return _spared(self._lines[line - 1], line, column)
        while len(way) > 1 and not _holds(way[-1].range(), line - 1, column):
            way.pop()
        while "comment" not in way[-1].kind():
            node = self._children.at(way[-1], len(way) - 1, line - 1, column)
            if node is None:
                return None
            way.append(node)
        return _of_node(way[-1], self._lines)

    def alone_in(self, line: int) -> Comment | None:
        """Return the comment that a line holds and nothing else, or None."""
        length = len(self._lines[line - 1].rstrip())
        comment = self.at(line, length if self._language is None else length - 1) if length else None
        return comment if comment is not None and comment.alone else None

    def _in_line(self, number: int, column: int) -> Comment | None:
        """Return the comment of a line that begins before a column, without a parser."""
        if number not in self._by_line:
            line = self._lines[number - 1]
            opener = self._opener.search(line)
            here = opener and (opener.end(), Comment(number, number, not line[: opener.start()].strip()))
            self._by_line[number] = here
        found = self._by_line[number]
        return found[1] if found is not None and found[0] <= column else None

    def _parsed(self, language: str) -> list[SgNode]:
        # Without lone surrogates; each stays one character.
        text = "\n".join(self._lines).encode("utf-8", "replace").decode("utf-8")
        self._way, self._spared = [parse(text, language)], frozenset(spared(text, language))
        return self._way


class _Children:
    """Finds children by their place; what was listed once is kept."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], tuple[list[tuple[int, int]], list[SgNode]]] = {}

    def at(self, node: SgNode, depth: int, line: int, column: int) -> SgNode | None:
        """Return the child of a node of some depth that holds a place, or None; lines and columns from 0."""
        extent = node.range()
        key = (depth, extent.start.index, extent.end.index)
        if key not in self._known:
            listed = node.children()
            self._known[key] = [(c.range().start.line, c.range().start.column) for c in listed], listed
        starts, listed = self._known[key]
        at = bisect.bisect_right(starts, (line, column)) - 1
        while at > 0 and starts[at - 1] == starts[at] and not _holds(listed[at].range(), line, column):
            at -= 1  # beside nodes without extent
        return listed[at] if at >= 0 and _holds(listed[at].range(), line, column) else None


def _of_node(node: SgNode, lines: Sequence[str]) -> Comment:
    start, end = node.range().start, node.range().end
    # Some grammars count the line break as part of the comment.
    last, until = (end.line, end.column) if end.column else (end.line - 1, len(lines[end.line - 1]))
    beside = lines[start.line][: start.column].rstrip("{ \t") + lines[last][until:].lstrip("} \t")  # as in JSX
    return Comment(start.line + 1, last + 1, not beside.strip())


def _holds(extent: Range, line: int, column: int) -> bool:
    start, end = extent.start, extent.end
    return (start.line, start.column) <= (line, column) < (end.line, end.column)


def _spared(line: str, number: int, column: int) -> Comment | None:
    """Return the comment that is alone on a line, where a place is in it."""
    found = line.find("#")
    return Comment(number, number, alone=True) if 0 <= found <= column < len(line) else None
