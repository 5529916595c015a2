"""The page's issues: grouped by file, with what each shows, and what they can be filtered by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.api import Category, Issue, IssueStatus, Place, Result, ReviewContext, Severity, Side
from selfreview.reporters import words
from selfreview.reporters.html.code import Row, edited, excerpt, place
from selfreview.reporters.sources import Sources
from selfreview.reporters.terminal.report import by_file
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import fold

MOST_IN_FULL = 1000
"""Issues, the worst first, that are shown with their code and edits; a page with more of it is of no use."""
_MANY = 200
_ID = re.compile(r"sr-[0-9a-f]{8,64}")
_EMPTY: list[Row] = []


class Shown(NamedTuple):
    """An issue as the page shows it, in as few pieces as can be: printing each is most of what a page takes.

    Attributes:
        anchor: Its name on the page.
        keys: What filters compare, separated by spaces.
        title, more: The description's first line, and the others.
        about: Category, reviewers and confidence.
        status, reason: Where it stands where it is not open, and why.
        names: Its id and its fingerprint.
    """

    anchor: str
    keys: str
    severity: str
    title: str
    more: list[str]
    place: str
    about: str
    status: str
    reason: str
    blocks: bool
    code: list[Row]
    fix: list[str]
    edits: list[Row]
    related: list[str]
    names: str


class Group(NamedTuple):
    """The issues of one file; a failing check's stand under its name.

    They are made as they are printed: a page of thousands is never held as a whole.
    """

    name: str
    number: int
    issues: Iterator[Shown]


class Choice(NamedTuple):
    """A value to filter by; ``key`` stands for it in :attr:`Shown.keys`."""

    key: str
    value: str
    label: str
    number: int


class Facet(NamedTuple):
    """Something to filter by."""

    name: str
    label: str
    choices: list[Choice]


class Issues:
    """All issues of a result.

    Args:
        result: The result.
        context: Where code comes from, or None.

    Attributes:
        anchors: The name that each issue has on the page, by its id.
        opened, others: Groups of those that count, and of those that do not.
        total, in_full: How many there are, and how many of them are shown with their code at most.
        many: Whether there are so many that a browser must not lay out those that are out of sight.
    """

    def __init__(self, result: Result, context: ReviewContext | None) -> None:
        self.total = len(result.issues)
        self.in_full = MOST_IN_FULL
        self.many = self.total > _MANY
        self.anchors: dict[str, str] = {}
        self._threshold = Threshold(result.severity_threshold)
        self._sources = Sources(context)
        self._names = _anchors(result.issues, self.anchors)
        ranked = sorted(result.issues, key=lambda i: (not i.is_open, -i.severity.rank))
        self._full = set(map(id, ranked[:MOST_IN_FULL]))
        self._tokens: dict[tuple[str, str], str] = {}
        self.facets = [facet for facet in self._facets(result.issues) if len(facet.choices) > 1]
        self.opened = list(self._groups(result.open_issues))
        self.others = list(self._groups([issue for issue in result.issues if not issue.is_open]))

    def _facets(self, issues: Sequence[Issue]) -> Iterator[Facet]:
        yield self._facet("severity", (i.severity.value for i in issues), [s.value for s in Severity])
        yield self._facet("category", (i.category.value for i in issues), [c.value for c in Category])
        yield self._facet("reviewer", (name for i in issues for name in _reporters(i)), ())
        yield self._facet("status", (i.status.value for i in issues), [s.value for s in IssueStatus])

    def _facet(self, name: str, values: Iterable[str], order: Sequence[str]) -> Facet:
        tally = Counter(values)
        known = [value for value in order if tally[value]] if order else sorted(tally)
        choices = []
        for number, value in enumerate(known):
            key = self._tokens[name, value] = f"{name[:2]}{number}"  # a name can hold what separates names
            choices.append(Choice(key, visible(value), words.spoken(value) if order else visible(value), tally[value]))
        return Facet(name, name.capitalize(), choices)

    def _groups(self, issues: Sequence[Issue]) -> Iterator[Group]:
        groups: dict[str, list[Issue]] = {}
        for issue in by_file(issues):
            name = f"check {issue.rule}" if issue.is_check else issue.file
            groups.setdefault(name, []).append(issue)
        for name, members in groups.items():
            yield Group(visible(name), len(members), map(self._shown, members))

    def _shown(self, issue: Issue) -> Shown:
        full = id(issue) in self._full
        code = edits = _EMPTY
        if full:
            source, changed = self._sources.find(issue)
            code, edits = excerpt(issue, source, changed), edited(issue, source)
        title, *more = issue.description.strip().splitlines() or [""]
        severity, category, status = issue.severity.value, issue.category.value, issue.status.value
        tokens = self._tokens
        keys = [tokens["severity", severity], tokens["category", category], tokens["status", status]]
        keys += [tokens["reviewer", name] for name in _reporters(issue)]
        where = place(issue.file, issue.line_start, issue.line_end)
        if issue.column and issue.line_end <= issue.line_start:
            where += f":{issue.column}"
        return Shown(
            anchor=self._names[id(issue)],
            keys=" ".join(keys),
            severity=severity,
            title=title,
            more=more,
            place=where,
            about=_about(issue, category),
            status="" if issue.is_open else words.spoken(status),
            reason=fold(issue.status_reason) if issue.status_reason else "",
            blocks=self._threshold.blocks(issue),
            code=code,
            fix=issue.suggested_fix.strip("\r\n").splitlines() if issue.suggested_fix else [],
            edits=edits,
            related=[_related(other) for other in issue.related],
            names=f"{issue.id} · {issue.fingerprint}",
        )


def _about(issue: Issue, category: str) -> str:
    parts = [category, f"{issue.reviewer}/{issue.rule}" if issue.rule else issue.reviewer]
    if issue.side is Side.OLD:
        parts.insert(0, "removed line")
    if issue.also_reported_by:
        parts.append(f"also {', '.join(issue.also_reported_by)}")
    if issue.confidence is not None:
        parts.append(f"confidence {issue.confidence:.0%}")
    return " · ".join(parts)


def _related(other: Place) -> str:
    where = place(other.file, other.line_start, other.line_end)
    return f"{where}: {fold(other.note)}" if other.note else where


def _reporters(issue: Issue) -> list[str]:
    return list(dict.fromkeys([issue.reviewer, *issue.also_reported_by]))


def _anchors(issues: Sequence[Issue], anchors: dict[str, str]) -> dict[int, str]:
    """Name every issue on the page: as its id where that is one and the first of its kind, so that a link holds."""
    names = {}
    for number, issue in enumerate(issues):
        good = _ID.fullmatch(issue.id) and issue.id not in anchors
        names[id(issue)] = name = issue.id if good else f"issue-{number}"
        anchors.setdefault(issue.id, name)
    return names
