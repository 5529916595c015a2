"""An issue of the terminal report in full."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.api import Issue, Side
from selfreview.reporters import _words as words
from selfreview.reporters._excerpt import Excerpts
from selfreview.reporters._paint import Paint
from selfreview.reporters._sources import Sources
from selfreview.text.layout import cells, fold, pack, wrap

INDENT = "  "
MOST_LINES = 60
MOST_TEXT = 20_000
"""Lines and characters of one description; a failing check can bring any number."""


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
        if issue.is_open and issue.status_reason:
            yield from self._labelled("note:", issue.status_reason, "yellow")
        for other in issue.related:
            where = f"{other.file}:{other.line_start}" + (f" {other.note}" if other.note else "")
            yield from self._labelled("see:", where, "dim")

    def _head(self, issue: Issue) -> Iterator[str]:
        place = words.place(issue) + (" (removed)" if issue.side is Side.OLD and issue.line_start else "")
        kind = f"{self._paint.severity(issue.severity)} {issue.category.value}"
        facts = [words.author(issue)]
        if issue.also_reported_by:
            facts.append(f"also reported by {fold(', '.join(issue.also_reported_by))}")
        if issue.confidence is not None:
            facts.append(f"confidence {issue.confidence:.0%}")
        facts.append(fold(issue.id))
        used = cells(place) + 2 + len(issue.severity.value) + 1 + len(issue.category.value)
        first = self._paint(place, "bold")
        if used + 3 + cells(" · ".join(facts)) <= self._width:
            yield f"{first}  {kind} · {' · '.join(facts)}"
            return
        if used <= self._width:
            yield f"{first}  {kind}"
        else:
            yield first
            yield f"{INDENT}{kind}"
        yield from (f"{INDENT}{line}" for line in pack(facts, " · ", self._width - len(INDENT)))

    def _labelled(self, label: str, text: str, style: str) -> Iterator[str]:
        indent = len(INDENT) + len(label) + 1
        first, *rest = wrap(text, max(20, self._width - indent))[:MOST_LINES]
        yield f"{INDENT}{self._paint(label, style)} {first}"
        yield from (f"{' ' * indent}{line}".rstrip() for line in rest)
