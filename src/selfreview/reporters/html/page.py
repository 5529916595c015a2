"""A result as one HTML page: its template, issues, refinements, and the policy that keeps everything else out."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from selfreview import resources
from selfreview.api import Category, Issue, IssueStatus, Place, Result, ReviewContext, Severity, Side
from selfreview.api.reporter import PatchSource
from selfreview.model.result import Iteration, ResultStatus, ReviewerReport, Verdict
from selfreview.reporters import refined, words
from selfreview.reporters.html.code import Row, edited, excerpt, patch_rows, place
from selfreview.reporters.words import Sources, by_file
from selfreview.review.fingerprint import is_id
from selfreview.review.summary import NO_MODEL, not_run
from selfreview.review.verdict import Threshold
from selfreview.text.escape import LOG_COMMANDS, visible
from selfreview.text.layout import fold, plural

_PIECES = 2000
"""Pieces of the page that are put together before they are written."""


class Reason(NamedTuple):
    """Reason for which a change has not passed, with what a person can do about it, or nothing."""

    text: str
    hint: str = ""


def page(result: Result, context: ReviewContext | None, patches: PatchSource | None) -> Iterator[bytes]:
    """Return the page in pieces.

    Args:
        result: What to report.
        context: Where code comes from, or None.
        patches: Where patches of refinements come from, or None.
    """
    css, js = (resources.read_text("templates", f"reports/{name}") for name in ("html.css", "html.js"))
    issues = Issues(result, context)
    stream = (
        resources.template_environment("reports", html=True)
        .get_template("html.html.j2")
        .stream(
            result=result,
            css=Markup(css),  # noqa: S704 - our own file
            js=Markup(js),  # noqa: S704 - our own file
            policy=_policy(css, js),
            headline=headline(result),
            tone=_tone(result),
            facts=list(_facts(result)),
            reasons=list(reasons(result)),
            notes=list(_notes(result)),
            issues=issues,
            coverage=coverage(result),
            rounds=rounds(result, patches, issues.anchors),
            stopped=refined.stopped(result),
            patch="; ".join(filter(None, (refined.patch(result), refined.held(result)))),
        )
    )
    stream.enable_buffering(_PIECES)
    return (piece.encode("utf-8") for piece in _quiet(stream))


def _quiet(pieces: Iterable[str]) -> Iterator[str]:
    """Write ``#`` as a reference where CI services would find a command; a page shows the same text."""
    left = ""
    for piece in pieces:
        text = left + piece
        for command in LOG_COMMANDS:
            text = text.replace(command, f"&#35;{command[1:]}")
        # What a command can begin with stays in one piece with what follows.
        cut = max(len(text) - max(map(len, LOG_COMMANDS)) + 1, 0)
        left = text[cut:]
        yield text[:cut]
    yield left


def headline(result: Result) -> str:
    """Return the headline: what a person wants to know first."""
    match result.status:
        case ResultStatus.ERROR:
            return "Error: nothing was reviewed"
        case ResultStatus.INCOMPLETE:
            return "Incomplete: this change has not passed"
        case ResultStatus.NOTHING_TO_REVIEW:
            return "Nothing to review"
        case _:
            return ", ".join(["Passed", *filter(None, [not_run(result)])]) if result.passed else "Did not pass"


def reasons(result: Result) -> Iterator[Reason]:
    """Yield the reasons why the change has not passed: errors, what was not reviewed, blocking issues, limits."""
    if result.error is not None:
        yield Reason(fold(result.error.message), fold(result.error.hint or ""))
        return
    if result.status is ResultStatus.INCOMPLETE:
        reports, gaps = words.missing(result), words.gaps(result)
        for report in reports:
            yield Reason(words.without(report), fold(report.hint or ""))
        for gap in gaps:
            yield Reason(gap)
        unseen = result.coverage.files - len(result.coverage.excluded) - result.coverage.reviewed_files
        if unseen > 0:
            yield Reason(f"{unseen} of {plural(result.coverage.files, 'file')} had no review at all")
        if not (reports or gaps or unseen > 0):
            yield Reason(fold(result.summary) or "not everything was reviewed")
    blocking = sum(map(Threshold(result.severity_threshold).blocks, result.issues))
    if blocking:
        yield Reason(f"{plural(blocking, 'issue')} {'blocks' if blocking == 1 else 'block'} ({_limit(result)})")
    for reason in result.not_passed_reasons:
        yield Reason(fold(reason))
    if result.status is ResultStatus.COMPLETE and not (result.passed or blocking or result.not_passed_reasons):
        yield Reason(_decided(result))


def _decided(result: Result) -> str:
    """Return why a change has not passed where only a plugin can have decided so."""
    if result.verdict is Verdict.PASS:
        return fold(result.summary) or "a plugin decided so"
    return f"the verdict is {words.spoken(result.verdict.value if result.verdict else 'unknown')}"


def _limit(result: Result) -> str:
    limit = result.severity_threshold
    if isinstance(limit, str):
        return "nothing blocks" if limit == "never" else f"{visible(limit)} or worse"
    return ", ".join(f"{visible(name)} {visible(level)}" for name, level in limit.items())


def _tone(result: Result) -> str:
    if result.status in (ResultStatus.ERROR, ResultStatus.INCOMPLETE):
        return "bad"
    return "good" if result.passed or result.status is ResultStatus.NOTHING_TO_REVIEW else "bad"


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    """Yield what was reviewed and when, each with its label."""
    scope = result.scope
    if scope is not None:
        size = f"{plural(scope.files, 'file')}, +{scope.added_lines} -{scope.removed_lines} lines"
        yield "Change", f"{words.compared(scope)}: {size}"
        if scope.branch:
            yield "Branch", visible(scope.branch)
        facts = [
            text
            for flag, text in ((scope.uncommitted, "not all committed"), (scope.partial, "only a part of the change"))
            if flag
        ]
        if facts:
            yield "Scope", ", ".join(facts)
    if result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        verdict = result.verdict
        yield "Verdict", words.spoken(verdict.value) if verdict is not None else "none"
        yield "Threshold", _limit(result)
        others = words.count_others(result)
        if others:
            yield "Not counted", others
    if result.timestamp:
        yield "Reviewed", visible(result.timestamp) + (f" in {result.duration_ms / 1000:.1f} s" if result.scope else "")
    if result.run_id:
        yield "Run", visible(result.run_id)


def _notes(result: Result) -> Iterator[str]:
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        yield words.nothing(result)
    yield from words.remarks(result)
    if words.no_model(result):
        yield NO_MODEL


def _policy(css: str, js: str) -> str:
    """Return a Content-Security-Policy that lets in exactly the style and the script of the page."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, js)]
    return (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


class Paths(NamedTuple):
    """Files with the same reason, and which."""

    why: str
    paths: list[str]


class CoverageWords(NamedTuple):
    """Coverage in words; ``reviewers`` come with the outcome of each, and the reason for it."""

    facts: list[tuple[str, str]]
    reviewers: list[tuple[ReviewerReport, str, str]]
    text_only: list[str]
    excluded: list[Paths]


def coverage(result: Result) -> CoverageWords:
    """Return the coverage of a result."""
    return CoverageWords(
        list(_coverage_facts(result)),
        [(report, words.spoken(report.status.value), _why(report)) for report in result.reviewers],
        result.coverage.text_only,
        _excluded(result),
    )


def _coverage_facts(result: Result) -> list[tuple[str, str]]:
    known = result.coverage
    if result.status not in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE):
        return []
    facts = [
        ("Files", f"{known.reviewed_files} of {known.files} reviewed"),
        (
            "Added lines",
            f"{known.added_lines}: model {known.depth.model}, static {known.depth.static}, text {known.depth.text}",
        ),
    ]
    if known.not_reviewed:
        facts.append(("Not reviewed", ", ".join(f"{reason.files} {fold(reason.why)}" for reason in known.not_reviewed)))
    if known.left_out:
        facts.append(("Left out", words.left_out(known.left_out)))
    usage = result.usage
    if usage.requests:
        sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        cost = f"{plural(usage.requests, 'request')}, {sent} tokens in, {usage.output_tokens} out"
        facts.append(("Model", cost + words.dollars(usage)))
    return facts


def _why(report: ReviewerReport) -> str:
    why = fold(report.error or "")
    hint = fold(report.hint or "")
    return f"{why} ({hint})" if why and hint else why or hint


def _excluded(result: Result) -> list[Paths]:
    by_reason: dict[str, list[str]] = {}
    for item in result.coverage.excluded:
        by_reason.setdefault(item.why, []).append(item.path)
    return [Paths(why, paths) for why, paths in by_reason.items()]


MOST_IN_FULL = 1000
"""Issues, the worst first, that are shown with their code and edits; a page with more of it is of no use."""
_MANY = 200
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
        good = is_id(issue.id) and issue.id not in anchors
        names[id(issue)] = name = issue.id if good else f"issue-{number}"
        anchors.setdefault(issue.id, name)
    return names


class Line(NamedTuple):
    """An issue in one line; ``anchor`` is where the page has more of it, or empty."""

    name: str
    anchor: str
    severity: str
    place: str
    text: str


class Outcomes(NamedTuple):
    """Issues to which the same happened."""

    title: str
    lines: list[Line]


class Round(NamedTuple):
    """One refinement.

    Attributes:
        facts: What it came to, in words.
        outcomes: What became of issues.
        parts: What each fixer did and said.
        patch: The id of its patch, or empty.
        rows: The patch; ``why`` says why there is none.
    """

    facts: list[str]
    outcomes: list[Outcomes]
    parts: list[refined.Part]
    patch: str
    rows: list[Row]
    why: str


def rounds(result: Result, patches: PatchSource | None, anchors: Mapping[str, str]) -> list[Round]:
    """Return every refinement, oldest first.

    Args:
        result: The result.
        patches: Where patches come from, or None.
        anchors: Where the page shows issues, by id.
    """
    known = refined.known(result) if result.iterations else {}
    return [_round(iteration, patches, known, anchors) for iteration in result.iterations]


def _round(
    iteration: Iteration, patches: PatchSource | None, known: Mapping[str, Issue], anchors: Mapping[str, str]
) -> Round:
    refinement = iteration.refinement
    text, why = patches(iteration) if patches is not None else (None, "")
    groups = (
        ("addressed", refinement.addressed_issue_ids),
        ("still open", refinement.unaddressed_issue_ids),
        ("new", refinement.new_issues_introduced),
    )
    return Round(
        facts=refined.facts(iteration),
        outcomes=[Outcomes(f"{len(ids)} {what}", _lines(ids, known, anchors)) for what, ids in groups if ids],
        parts=list(refined.parts(iteration, whole=True)),
        patch=refinement.patch or "",
        rows=patch_rows(text) if text is not None else [],
        why=why,
    )


def _lines(ids: Sequence[str], known: Mapping[str, Issue], anchors: Mapping[str, str]) -> list[Line]:
    lines = []
    for name in ids:
        issue = known.get(name)
        if issue is None:
            lines.append(Line(name, "", "", "", ""))
        else:
            where = place(issue.file, issue.line_start, issue.line_end)
            lines.append(Line(name, anchors.get(name, ""), issue.severity.value, where, fold(issue.description)))
    return lines
