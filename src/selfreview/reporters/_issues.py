"""The issues of the terminal report: in full, or in brief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from selfreview.api import Issue, Side
from selfreview.reporters import _words as words
from selfreview.reporters._excerpt import Excerpts
from selfreview.reporters._paint import Paint
from selfreview.reporters._sources import Sources
from selfreview.reporters._text import cells, fit, fold, wrap

INDENT = "  "
MOST_LINES = 60
MOST_TEXT = 20_000
"""Lines and characters of one description; a failing check can bring any number."""
ENOUGH = 32
"""Columns of a description below which it moves to a line of its own."""


def by_file(issues: Sequence[Issue]) -> list[Issue]:
    """Order issues: the file with the worst one first, within a file the worst first, then by line."""
    worst: dict[str, int] = {}
    for issue in issues:
        worst[issue.file] = max(worst.get(issue.file, 0), issue.severity.rank)
    return sorted(
        issues,
        key=lambda i: (-worst[i.file], i.file, -i.severity.rank, i.line_start, i.column or 0, i.description),
    )


class IssueWriter:
    """Print issues.

    Args:
        width: Columns of the terminal.
        paint: Colours.
        sources: Where excerpts come from.
    """

    def __init__(self, width: int, paint: Paint, sources: Sources) -> None:
        self._width = width
        self._paint = paint
        self._sources = sources
        self._excerpts = Excerpts(width, paint, INDENT)

    def full(self, issue: Issue) -> Iterator[str]:
        """Yield every line on an issue."""
        yield from self._head(issue)
        text = wrap(issue.description[:MOST_TEXT], self._width - len(INDENT))
        yield from (f"{INDENT}{line}".rstrip() for line in text[:MOST_LINES])
        if len(text) > MOST_LINES or len(issue.description) > MOST_TEXT:
            yield self._paint(f"{INDENT}… cut; --format json has all of it", "dim")
        yield from self._excerpts.of(issue, *self._sources.find(issue))
        if issue.suggested_fix and issue.suggested_fix.strip():
            yield from self._labelled("fix:", issue.suggested_fix[:MOST_TEXT], "green")
        for other in issue.related:
            where = f"{other.file}:{other.line_start}" + (f" {other.note}" if other.note else "")
            yield from self._labelled("see:", where, "dim")

    def _head(self, issue: Issue) -> Iterator[str]:
        place = words.place(issue) + (" (removed)" if issue.side is Side.OLD and issue.line_start else "")
        word = issue.severity.value
        facts = [f"{word} {issue.category.value}", words.author(issue)]
        if issue.also_reported_by:
            facts.append(f"also reported by {fold(', '.join(issue.also_reported_by))}")
        if issue.confidence is not None:
            facts.append(f"confidence {issue.confidence:.0%}")
        facts.append(fold(issue.id))
        text = " · ".join(facts)
        if cells(place) + 2 + cells(text) <= self._width:
            yield f"{self._paint(place, 'bold')}  {self._paint.severity(issue.severity)}{text.removeprefix(word)}"
            return
        yield self._paint(place, "bold")
        first, *rest = wrap(text, self._width - len(INDENT))
        yield f"{INDENT}{self._paint.severity(issue.severity)}{first.removeprefix(word)}"
        yield from (f"{INDENT}{line}" for line in rest)

    def _labelled(self, label: str, text: str, style: str) -> Iterator[str]:
        indent = len(INDENT) + len(label) + 1
        first, *rest = wrap(text, max(20, self._width - indent))[:MOST_LINES]
        yield f"{INDENT}{self._paint(label, style)} {first}"
        yield from (f"{' ' * indent}{line}".rstrip() for line in rest)

    def brief(self, issues: Sequence[Issue]) -> Iterator[str]:
        """Yield one line for each issue, or two where one has no room for what it says."""
        level = max((len(issue.severity.value) for issue in issues), default=0)
        before = len(INDENT) + level + 2
        rows = [(issue, words.place(issue), _text(issue), f"[{words.author(issue)}]") for issue in issues]
        rooms = [self._width - before - cells(place) - cells(author) - 3 for _, place, _, author in rows]
        needs = [min(ENOUGH, cells(text)) for _, _, text, _ in rows]
        fits = [room >= need for room, need in zip(rooms, needs, strict=True)]
        # Texts are aligned when every line has the room for it.
        widest = max((cells(row[1]) for row, good in zip(rows, fits, strict=True) if good), default=0)
        pads = [max(0, widest - cells(place)) for _, place, _, _ in rows]
        if any(good and room - pad < need for good, room, pad, need in zip(fits, rooms, pads, needs, strict=True)):
            pads = [0] * len(rows)
        for (issue, place, text, author), room, good, pad in zip(rows, rooms, fits, pads, strict=True):
            start = f"{INDENT}{self._paint.severity(issue.severity, level)}  {place}"
            end = " " + self._paint(author, "dim")
            if good:
                yield f"{start}{' ' * pad}  {fit(text, room - pad)}{end}"
            else:
                yield start
                yield " " * before + fit(text, max(ENOUGH, self._width - before - cells(author) - 1)) + end


def _text(issue: Issue) -> str:
    text = fold(issue.description[:1000])
    return f"(removed line) {text}" if issue.side is Side.OLD and issue.line_start else text
