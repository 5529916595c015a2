"""What the formats for people say about a result, in words."""

from __future__ import annotations

from collections import Counter

from selfreview.model.issue import Issue, IssueStatus, Severity
from selfreview.model.result import Result, ResultStatus, ReviewerReport, ReviewerStatus, ScopeSummary
from selfreview.reporters._escape import visible
from selfreview.reporters._text import fold, listing, plural

NO_MODEL = "No model took part: static reviewers match known patterns, they do not read logic."


def place(issue: Issue) -> str:
    """Return ``path:line:col`` with what is known of it, made visible."""
    text = visible(issue.file)
    if issue.line_start:
        text += f":{issue.line_start}"
        if issue.column:
            text += f":{issue.column}"
    return text


def author(issue: Issue, joint: str = " ") -> str:
    """Return the reviewer and its rule."""
    return visible(f"{issue.reviewer}{joint}{issue.rule}" if issue.rule else issue.reviewer)


def blocks(issue: Issue, threshold: str | dict[str, str]) -> bool:
    """Whether an open issue is at or above the severity threshold."""
    level = threshold
    if isinstance(level, dict):
        level = level.get(issue.category.value, level.get("default", Severity.MEDIUM.value))
    return level != "never" and issue.severity.at_least(Severity(level))


def count_open(result: Result) -> str:
    """Return ``1 critical, 2 medium in 2 files``, or ``no issues``."""
    issues = result.open_issues
    tally = Counter(issue.severity for issue in issues)
    words = [f"{tally[severity]} {severity.value}" for severity in Severity if tally[severity]]
    if not words:
        return "no issues"
    return f"{', '.join(words)} in {plural(len({issue.file for issue in issues}), 'file')}"


def count_others(result: Result) -> str:
    """Return ``2 suppressed, 1 out of scope``: the issues that do not count; empty without any."""
    tally = Counter(issue.status for issue in result.issues)
    words = [f"{tally[s]} {s.value.replace('_', ' ')}" for s in IssueStatus if s is not IssueStatus.OPEN and tally[s]]
    return ", ".join(words)


def missing(result: Result) -> list[ReviewerReport]:
    """Return the reviewers without whom the result is incomplete."""
    return [
        report
        for report in result.reviewers
        if report.status.incomplete or (report.required and report.status is ReviewerStatus.SKIPPED)
    ]


def ending(report: ReviewerReport) -> str:
    """Return how a reviewer's part ended and why: ``timed out: no answer in 60 s``."""
    text = report.status.value.replace("_", " ")
    return f"{text}: {fold(report.error)}" if report.error else text


def why_incomplete(result: Result) -> str:
    """Return in one line who did not finish."""
    reasons = [f"{visible(report.name)} {ending(report)}" for report in missing(result)]
    return "; ".join(reasons) or fold(result.summary) or "not everything was reviewed"


def short(name: str | None) -> str:
    """Return an object id as git shortens it; other names as they are, made visible."""
    text = name or ""
    return text[:10] if len(text) in (40, 64) and not text.strip("0123456789abcdef") else visible(text)


def compared(scope: ScopeSummary | None) -> str:
    """Return what was compared with what."""
    if scope is None:
        return "the change is empty"
    base, head, start = short(scope.base), short(scope.head), short(scope.merge_base)
    since = f"{base} ({start})" if base and start and base != start else base or start or "the empty tree"
    match scope.mode:
        case "staged":
            return "the index is the same as HEAD" if not scope.files else f"{plural(scope.files, 'staged file')}"
        case "diff":
            return "the diff given"
        case "commit":
            return f"commit {head}"
        case "branch":
            return f"the working tree against {since}"
        case _:
            return f"{head or 'the head'} against {since}"


def nothing(result: Result) -> str:
    """Return one line that says that there is nothing to review, and what was compared."""
    text = f"nothing to review: {compared(result.scope)}"
    excluded = len(result.coverage.excluded)
    if excluded:
        text += f"; {plural(excluded, 'changed file')} excluded"
    return text


def no_model(result: Result) -> bool:
    """Whether the sentence on the missing model belongs into the report."""
    reviewed = result.status in (ResultStatus.COMPLETE, ResultStatus.INCOMPLETE)
    return reviewed and not result.model_reviewed and NO_MODEL not in result.notes


def excluded(result: Result) -> str:
    """Return the files that nobody saw, with the reasons."""
    return listing(f"{visible(item.path)} ({fold(item.why)})" for item in result.coverage.excluded)
