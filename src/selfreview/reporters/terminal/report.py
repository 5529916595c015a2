"""The terminal report, from the issues to the summary line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from selfreview.api import Issue, IssueStatus, Result, ReviewContext, Severity, Side
from selfreview.model.result import Iteration, ResultStatus
from selfreview.reporters import refined, words
from selfreview.reporters.terminal.code import Excerpts, Paint
from selfreview.reporters.terminal.summary import closing, footer, incomplete
from selfreview.reporters.words import Sources, by_file
from selfreview.review.verdict import Threshold
from selfreview.text.layout import cells, fit, fold, pack, plural, wrap

MOST_IN_FULL = 200
"""Issues shown with their text and code; the others in brief."""


def _issues(
    result: Result, context: ReviewContext | None, paint: Paint, width: int, already: Collection[str] = ()
) -> Iterator[str]:
    threshold = Threshold(result.severity_threshold)
    opened = by_file([issue for issue in result.open_issues if issue.id not in already])
    again = by_file([issue for issue in result.open_issues if issue.id in already])
    major = [issue for issue in opened if issue.severity.at_least(Severity.MEDIUM) or threshold.blocks(issue)]
    writer = IssueWriter(width, paint, Sources(context))
    for issue in major[:MOST_IN_FULL]:
        yield from writer.full(issue)
        yield ""
    rest = major[MOST_IN_FULL:]
    yield from _list(f"{plural(len(rest), 'more issue')}, not shown in full", rest, paint, width)
    shown = set(map(id, major))
    for severity in Severity:
        minor = [issue for issue in opened if issue.severity is severity and id(issue) not in shown]
        yield from _list(words.amount(len(minor), severity), minor, paint, width, severities=False)
    yield from _list(f"{plural(len(again), 'issue')}, shown above", again, paint, width)
    unsure = by_file([issue for issue in result.issues if issue.status is IssueStatus.UNCONFIRMED])
    yield from _list(f"{len(unsure)} unconfirmed", unsure, paint, width)


def _list(title: str, issues: list[Issue], paint: Paint, width: int, *, severities: bool = True) -> Iterator[str]:
    if issues:
        yield paint(title, "bold")
        yield from brief(issues, width, paint, severities=severities)
        yield ""


def _error(result: Result, paint: Paint, width: int) -> Iterator[str]:
    if result.error is None:
        return
    for label, text, style in (("error: ", result.error.message, "red"), ("hint: ", result.error.hint, "cyan")):
        if text:
            first, *rest = wrap(text, max(20, width - len(label)))
            yield paint(label, "bold", style) + first
            yield from (" " * len(label) + line for line in rest)


def before_question(result: Result, context: ReviewContext | None, *, color: bool, width: int) -> Iterator[str]:
    """Yield what a person has to see before they are asked about the patch: the issues, and what refinement did.

    Args:
        result: The review of the tree as it is, with the refinements, and the patch as if it were applied.
        context, color, width: As for :func:`report`.
    """
    paint, width = Paint(color), max(width, 30)
    yield from _issues(result, context, paint, width)
    yield from _iterations(result, paint, width)


def report(
    result: Result, context: ReviewContext | None, *, color: bool, width: int, shown: Collection[str] | None = None
) -> Iterator[str]:
    """Yield the lines of the report, without their line feeds.

    Args:
        result, context, color: As :class:`selfreview.api.Reporter` is given them.
        width: Columns; at least 30 are used.
        shown: Ids of the issues that :func:`before_question` has shown on the same terminal, or None.
    """
    paint, width = Paint(color), max(width, 30)
    yield from _error(result, paint, width)
    yield from _issues(result, context, paint, width, shown or ())
    if shown is None:
        yield from _iterations(result, paint, width)
    if result.status is ResultStatus.INCOMPLETE:
        yield from incomplete(result, paint, width)
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        yield words.nothing(result)
    yield from footer(result, paint, width)
    if result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        yield from closing(result, paint, width)


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
            yield self._paint(f"{INDENT}… shortened; --format json has all of it", "dim")
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


GAP = "  "
ENOUGH = 32
"""Columns of a description below which it moves to a line of its own."""


class _Row(NamedTuple):
    """The parts of a line.

    Attributes:
        lead: The severity, padded and painted, or nothing.
        place, text, author: The other columns, in plain.
        taken: Columns of the place.
        room: Columns left for the text.
        needed: Columns that the text needs at least.
    """

    lead: str
    place: str
    text: str
    author: str
    taken: int
    room: int
    needed: int


def brief(issues: Sequence[Issue], width: int, paint: Paint, *, severities: bool) -> Iterator[str]:
    """Yield one line for each issue, or two where its text does not fit into one.

    Args:
        issues: In the order to show.
        width: Columns of the terminal.
        paint: Colours.
        severities: Whether each line begins with the severity.
    """
    level = max((len(issue.severity.value) for issue in issues), default=0) if severities else 0
    start = len(INDENT) + (level + len(GAP) if severities else 0)
    rows = [
        _row(issue, paint.severity(issue.severity, level) + GAP if severities else "", width - start)
        for issue in issues
    ]
    column = _column([row for row in rows if row.room >= row.needed])
    for row in rows:
        author = paint(row.author, "dim")
        if row.room >= row.needed:
            pad = max(0, column - row.taken)
            yield f"{INDENT}{row.lead}{row.place}{' ' * pad}{GAP}{fit(row.text, row.room - pad)} {author}"
        else:
            text = fit(row.text, max(ENOUGH, width - start - len(GAP) - cells(row.author) - 1))
            yield f"{INDENT}{row.lead}{row.place}"
            yield f"{' ' * start}{GAP}{text} {author}"


def _row(issue: Issue, lead: str, width: int) -> _Row:
    place, author = words.place(issue), f"[{words.author(issue)}]"
    text = fold(issue.description[:1000])
    if issue.side is Side.OLD and issue.line_start:
        text = f"(removed line) {text}"
    taken = cells(place)
    return _Row(
        lead, place, text, author, taken, width - taken - len(GAP) - 1 - cells(author), min(ENOUGH, cells(text))
    )


def _column(rows: Sequence[_Row]) -> int:
    """Return the width of the places when all texts can be aligned, else 0."""
    column = max((row.taken for row in rows), default=0)
    return column if all(row.room - (column - row.taken) >= row.needed for row in rows) else 0


_INDENT = "  "
_MOST_NEW = 3
_MOST_MENDED = 10


def _iterations(result: Result, paint: Paint, width: int) -> Iterator[str]:
    """Yield what each refinement did, oldest first; nothing where there was none."""
    for number, iteration in enumerate(result.iterations, start=1):
        yield from of_one(number, iteration, paint, width)
        if result.patch is not None and result.patch.applied and number <= result.patch.iteration:
            yield from _mended(iteration, width)
    if result.iterations:
        yield ""


def of_one(number: int, iteration: Iteration, paint: Paint, width: int, *, whole: bool = False) -> Iterator[str]:
    """Yield lines on one refinement: one on all of it, then each fixer's actions and answers.

    Args:
        number: Its number, from 1.
        iteration: The refinement.
        paint: Colours.
        width: Columns of the terminal.
        whole: Whether all that fixers said is wanted.
    """
    title = f"refinement {number}"
    first, *rest = pack([title, *refined.facts(iteration)], " · ", width - len(_INDENT))
    yield paint(title, "bold") + first.removeprefix(title)
    yield from (f"{_INDENT}{line}" for line in rest)
    for why in iteration.refinement.held:
        yield from _hanging(f"waits for you: {fold(why)}", _INDENT, width)
    if not whole:
        yield from _new(iteration, paint, width)
    for part in refined.parts(iteration, whole=whole):
        yield from _hanging(f"{part.name}: {part.did}", _INDENT, width)
        for said in part.words:
            lines = _hanging(said.text, _INDENT * 2, width)
            style = ("yellow",) if said.not_kept else ()
            yield from (_INDENT * 2 + paint(line.removeprefix(_INDENT * 2), *style) for line in lines)


def _mended(iteration: Iteration, width: int) -> Iterator[str]:
    """Yield issues that are no longer in the tree, and so in no other part of the report."""
    issues = sorted(iteration.addressed, key=lambda issue: -issue.severity.rank)
    for issue in issues[:_MOST_MENDED]:
        text = f"fixed: {issue.severity.value} {words.place(issue)} {fold(issue.description)}"
        yield _INDENT + fit(text, width - len(_INDENT))
    if len(issues) > _MOST_MENDED:
        yield f"{_INDENT}fixed: {len(issues) - _MOST_MENDED} more: selfreview show --iteration N"


def _new(iteration: Iteration, paint: Paint, width: int) -> Iterator[str]:
    """Yield new issues, which are in no other part of the report where the refinement is not applied."""
    names = set(iteration.refinement.new_issues_introduced)
    issues = [issue for issue in iteration.review.open_issues if issue.id in names]
    for issue in issues[:_MOST_NEW]:
        text = f"new: {issue.severity.value} {words.place(issue)} {fold(issue.description)}"
        yield _INDENT + paint(fit(text, width - len(_INDENT)), "yellow")
    if len(issues) > _MOST_NEW:
        yield f"{_INDENT}new: {len(issues) - _MOST_NEW} more: selfreview show --iteration N"


def _hanging(text: str, indent: str, width: int) -> Iterator[str]:
    first, *rest = wrap(text, width - len(indent) - len(_INDENT))
    yield f"{indent}{first}"
    yield from (f"{indent}{_INDENT}{line}" for line in rest)
