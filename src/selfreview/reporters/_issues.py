"""The issues of the terminal report: in full, or one a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from selfreview.api import ChangedFile, Issue, LineRange, ReviewContext, Side, SourceText
from selfreview.model.wire import display_path
from selfreview.reporters import _words as words
from selfreview.reporters._excerpt import Excerpts
from selfreview.reporters._paint import Paint
from selfreview.reporters._text import cells, fit, fold, wrap

INDENT = "  "
MOST_LINES = 60
"""Lines of one description; a failing check can bring thousands."""


class Sources:
    """Find the text that an issue stands on.

    Args:
        context: Where texts come from; None gives none.
    """

    def __init__(self, context: ReviewContext | None) -> None:
        self._context = context
        self._files: dict[str, ChangedFile] = {}
        if context is not None:
            for file in reversed(context.change.files):
                for path in (file.path_at_base, file.path):
                    self._files[display_path(path)] = self._files[path] = file

    def find(self, issue: Issue) -> tuple[SourceText | None, Sequence[LineRange]]:
        """Return the text on the issue's side, or None, and the lines that the change touches there."""
        file = self._files.get(issue.file)
        if file is None or self._context is None or not issue.line_start:
            return None, ()
        return self._context.text(file, issue.side), file.removed if issue.side is Side.OLD else file.added


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
        text = wrap(issue.description, self._width - len(INDENT))
        for line in text[:MOST_LINES]:
            yield f"{INDENT}{line}".rstrip()
        if len(text) > MOST_LINES:
            yield self._paint(f"{INDENT}… {len(text) - MOST_LINES} more lines", "dim")
        yield from self._excerpts.of(issue, *self._sources.find(issue))
        if issue.suggested_fix:
            yield from self._labelled("fix", issue.suggested_fix)
        for other in issue.related:
            where = f"{other.file}:{other.line_start}" + (f" {other.note}" if other.note else "")
            yield from self._labelled("see", where)
        if issue.also_reported_by:
            yield from self._labelled("also reported by", ", ".join(issue.also_reported_by))

    def _head(self, issue: Issue) -> Iterator[str]:
        place = words.place(issue)
        removed = " (removed)" if issue.side is Side.OLD and issue.line_start else ""
        facts = f"{issue.category.value} · {words.author(issue)}"
        if issue.confidence is not None:
            facts += f" · confidence {issue.confidence:.0%}"
        first = self._paint(place, "bold") + removed
        rest = f"{self._paint.severity(issue.severity)} {facts}"
        if cells(place) + len(removed) + cells(facts) + len(issue.severity.value) + 3 <= self._width:
            yield f"{first}  {rest}"
        else:
            yield first
            yield f"{INDENT}{rest}"

    def _labelled(self, label: str, text: str) -> Iterator[str]:
        lines = wrap(text, max(20, self._width - len(INDENT) - len(label) - 2))
        yield f"{INDENT}{self._paint(f'{label}:', 'green' if label == 'fix' else 'dim')} {lines[0]}"
        for line in lines[1:]:
            yield f"{INDENT}{' ' * (len(label) + 2)}{line}".rstrip()

    def compact(self, issues: Sequence[Issue]) -> Iterator[str]:
        """Yield one line for each issue, with the columns aligned as far as that is sensible."""
        level = max((len(issue.severity.value) for issue in issues), default=0)
        places = [words.place(issue) for issue in issues]
        column = min(max(map(cells, places), default=0), self._width // 3)
        for issue, place in zip(issues, places, strict=True):
            pad = " " * (column - cells(place))
            author = words.author(issue)
            used = len(INDENT) + level + 1 + cells(place) + len(pad) + 2
            text = fold(issue.description)
            if not issue.is_open:
                text = f"({issue.status.value.replace('_', ' ')}) {text}"
            room = self._width - used - cells(author) - 3
            text = fit(text, max(room, 16))
            yield (
                f"{INDENT}{self._paint.severity(issue.severity, level)} {place}{pad}  {text} "
                f"{self._paint(f'[{author}]', 'dim')}"
            )
