"""Comments by which the code under review says that an issue does not count: ``selfreview: ignore[rule] reason``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.model.change import Change, ChangedFile
from selfreview.model.issue import Category, Finding, Issue, IssueStatus, Place, Severity, Side
from selfreview.review.incomment import Comment, comment_at
from selfreview.review.looked import Looked
from selfreview.review.marks import Mark, OwnMarks, is_markable
from selfreview.text.escape import visible

WORD = "selfreview:"
_MARK = re.compile(
    r"selfreview:[ \t]*(?P<what>ignore-file|ignore)(?![\w-])(?:[ \t]*\[(?P<names>[^\]]*)\])?(?P<reason>.*)"
)
_CLOSERS = re.compile(r"\s*(?:\*/|-->|#\}|-\}|\*\)|\*\}|#>|\?>)\s*\}?\s*$")
_LONGEST_REASON = 200


class Suppression(NamedTuple):
    """One comment.

    Attributes:
        file: The file's path.
        line: Where it stands, from 1.
        names: Rules or reviewers, or both as ``reviewer/rule``.
        reason: Why, or empty.
        lines: The lines it is about, or None for the whole file.
        own: Whether the change itself adds it.
    """

    file: str
    line: int
    names: tuple[str, ...]
    reason: str
    lines: tuple[int, ...] | None
    own: bool

    @property
    def is_valid(self) -> bool:
        """Whether it counts: it says what, and why."""
        return bool(self.names and self.reason)

    def about(self, issue: Issue) -> bool:
        """Whether an issue stands on its lines."""
        if issue.file != self.file:
            return False
        return self.lines is None or (
            issue.side is Side.NEW and not {issue.line_start, issue.line_end}.isdisjoint(self.lines)
        )

    def names_of(self, issue: Issue) -> set[str]:
        """Return those of its names that mean an issue."""
        rules = {issue.rule, f"{issue.reviewer}/{issue.rule}"} if issue.rule is not None else set()
        return {name for name in self.names if name == issue.reviewer or name in rules}


def find_suppressions(file: ChangedFile, source: SourceText) -> list[Suppression]:
    """Return the comments of a file's new side, valid or not, in the order of their lines."""
    spots = [
        (number, match) for number, line in enumerate(source.lines, 1) if WORD in line for match in _MARK.finditer(line)
    ]
    if not spots:
        return []
    comments = comment_at(file.path, source.lines, [(number, match.start()) for number, match in spots])
    found = [(number, match, comment) for (number, match), comment in zip(spots, comments, strict=True) if comment]
    whole_lines = {
        number for _, _, comment in found if comment.alone for number in range(comment.first, comment.last + 1)
    }
    return [_suppression(file, number, match, comment, whole_lines) for number, match, comment in found]


def _suppression(
    file: ChangedFile, number: int, match: re.Match[str], comment: Comment, lines_alone: set[int]
) -> Suppression:
    lines: tuple[int, ...] | None = tuple(range(comment.first, comment.last + 1))
    if match["what"] == "ignore-file":
        lines = None
    elif comment.alone:
        after = comment.last + 1
        while after in lines_alone:  # several comments, each in a line of its own, above one line of code
            after += 1
        lines = (number, after)
    names = tuple(filter(None, (name.strip() for name in (match["names"] or "").split(","))))
    reason = _CLOSERS.sub("", match["reason"]).strip(" \t:-\N{EN DASH}\N{EM DASH}")
    own = any(first <= number <= last for first, last in file.added)
    return Suppression(file.path, number, names, reason[:_LONGEST_REASON], lines, own)


class Suppressions:
    """Marks what comments of the change's files suppress.

    Args:
        change: The change.
        text_of: Returns the text of a file's new side.
        own: What counts of the comments that the change itself adds.
    """

    def __init__(
        self, change: Change, text_of: Callable[[ChangedFile, Side], SourceText | None], own: OwnMarks
    ) -> None:
        self._own = own
        self._by_file: dict[str, list[Suppression]] = {}
        for file in change.reviewable:
            source = text_of(file, Side.NEW)
            found = find_suppressions(file, source) if source is not None else []
            if found:
                self._by_file[file.path] = found

    def mark(self, issue: Issue) -> Mark | None:
        """Return the mark of a suppressed issue."""
        if not is_markable(issue):
            return None
        for comment in self._by_file.get(issue.file, ()):
            counts = not comment.own or self._own.reach(issue)
            if comment.is_valid and counts and comment.about(issue) and comment.names_of(issue):
                return Mark(IssueStatus.SUPPRESSED, f"by the comment in line {comment.line}: {comment.reason}", True)
        return None

    def leftovers(self, issues: Sequence[Issue], looked: Looked) -> Iterator[Finding]:
        """Yield what is wrong with the comments.

        Args:
            issues: All that was found, whatever its status.
            looked: Who has looked at which file.
        """
        for path, comments in self._by_file.items():
            here = [issue for issue in issues if issue.file == path]
            for comment in comments:
                if not comment.is_valid:
                    yield _invalid(comment)
                    continue
                used = {name for issue in here if comment.about(issue) for name in comment.names_of(issue)}
                idle = [name for name in comment.names if name not in used and looked.would_know(name, path)]
                if idle:
                    yield _unused(comment, idle)


def _invalid(comment: Suppression) -> Finding:
    missing = "names no rule or reviewer" if not comment.names else "gives no reason"
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


def _unused(comment: Suppression, names: Iterable[str]) -> Finding:
    said = ", ".join(visible(name) for name in names)
    return Finding(
        file=comment.file,
        line_start=comment.line,
        severity=Severity.LOW,
        category=Category.STYLE,
        description=f"This suppression of {said} suppresses nothing.",
        suggested_fix="Delete it.",
        rule="unused-suppression",
        related=_covered(comment),
    )


def _covered(comment: Suppression) -> tuple[Place, ...]:
    """Return the lines that it is about, so that an old comment counts as part of the change where these changed."""
    return tuple(
        Place(file=comment.file, line_start=line, line_end=line) for line in comment.lines or () if line != comment.line
    )
