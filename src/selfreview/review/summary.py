"""A result in one sentence."""

from __future__ import annotations

from selfreview.model.issue import Severity
from selfreview.model.result import Result, ResultStatus, ReviewerStatus
from selfreview.review.excluded_files import INSIDE_SUBMODULE
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import listing, plural

NO_MODEL = "No model took part: static reviewers find known patterns and do not read logic."

NO_CHANGES = "Nothing to review."


def not_run(result: Result, limit: int = 3) -> str:
    """Return ``check-test, mylint did not run`` where a change passed without them; nothing where all ran."""
    names = [r.name for r in result.reviewers if r.status is ReviewerStatus.SKIPPED and (r.error or r.hint)]
    return f"{listing(map(visible, names), limit)} did not run" if names and result.passed else ""


def summarise(result: Result, threshold: Threshold) -> str:
    """Return a summary of the result in one sentence."""
    if result.status is ResultStatus.NOTHING_TO_REVIEW:
        return _nothing(result)
    blocking = threshold.blocking(result.issues)
    total = len(result.open_issues)
    if blocking:
        files = len({issue.file for issue in blocking if not issue.is_check})
        where = f" in {plural(files, 'file')}" if files else ""
        parts = [f"{n} {s.value}" for s in Severity if (n := sum(1 for i in blocking if i.severity is s))]
        text = f"{plural(len(blocking), 'issue')} to fix ({', '.join(parts)}){where}"
    elif total:
        text = f"nothing that blocks; {plural(total, 'remark')}"
    else:
        text = f"no issues in {plural(result.coverage.reviewed_files, 'file')}"
    text = "; ".join([text, *filter(None, [not_run(result)]), *result.not_passed_reasons])
    if result.status is ResultStatus.INCOMPLETE:
        return f"The review is incomplete; so far {text}."
    return text[:1].upper() + text[1:] + "."


def _nothing(result: Result) -> str:
    excluded = len(result.coverage.excluded)
    inside = [file for file in result.coverage.excluded if file.why.startswith(INSIDE_SUBMODULE)]
    if inside and len(inside) == result.coverage.files:
        more = f" (and in {plural(len(inside) - 1, 'other')})" if len(inside) > 1 else ""
        return f"Nothing to review in this repository; not reviewed: {inside[0].why}{more}"
    if excluded < result.coverage.files:
        return "Nothing to review: the change adds no line, and no reviewer looks at what it removes."
    if excluded == 1:
        return "Nothing to review: the only changed file is excluded."
    return f"Nothing to review: all {excluded} changed files are excluded." if excluded else NO_CHANGES
