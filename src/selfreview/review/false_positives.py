"""Dismissal of a model's issues that a fixer calls false positives: by a verifier, not by the fixer's word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from selfreview.api import Finding, Reviewer, capabilities
from selfreview.errors import SelfreviewError
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.result import Depth
from selfreview.plugins.attribution import describe
from selfreview.review.cache import FindingCache
from selfreview.review.context import RunContext, Workbench
from selfreview.review.privacy import Privacy
from selfreview.review.tasks import Settings
from selfreview.review.verdict import Draft

NOT_REFUTED = "verification does not refute it"


def close_refuted(
    result: Draft,
    issues: Sequence[Issue],
    reviewers: Sequence[Reviewer],
    bench: Workbench,
    privacy: Privacy,
    *,
    settings: Settings,
) -> None:
    """Dismiss those issues that a verifier refutes; they stay so for later reviews of the same content.

    What a static reviewer reports, alone or as well, and what nobody can verify, stays as it is.

    Args:
        result: The review that holds the issues; gets what it cost, and why something could not be verified.
        issues: The issues.
        reviewers: Those that took part, with what is left of the budget.
        bench: What was reviewed.
        privacy: Keeps secrets out of reasons.
        settings: How reviewers are run.
    """
    dismissed = False
    for reviewer in reviewers:
        mine = [issue for issue in issues if issue.reviewer == reviewer.name and not issue.also_reported_by]
        optional = capabilities.of_reviewer(reviewer)
        if not mine or reviewer.depth is not Depth.MODEL or optional.verify is None:
            continue
        context = RunContext(bench, optional.seconds(settings.timeout))
        findings = [msgspec.convert(issue, Finding, from_attributes=True) for issue in mine]
        try:
            review = optional.verify(findings, context)
            verified = list(zip(mine, review.findings, strict=True))
        except Exception as error:  # noqa: BLE001 - the boundary: a reviewer's fault closes nothing, and is told
            why = error.message if isinstance(error, SelfreviewError) else describe(error)
            result.notes.append(f"{reviewer.name} could not verify what a fixer calls a false positive: {why}")
            continue
        if review.usage is not None:
            result.usage.add(review.usage)
        result.notes += [f"{reviewer.name}: {privacy.words(note)}" for note in review.notes]
        for issue, finding in verified:
            if finding.status is IssueStatus.DISMISSED:
                issue.status, issue.status_reason = finding.status, privacy.words(finding.status_reason)
                dismissed = True
            elif not review.notes:
                issue.status_reason = NOT_REFUTED
        if dismissed and settings.blobs is not None:
            files = [file for file in bench.change.reviewable if reviewer.selects(file)]
            FindingCache(settings.blobs, reviewer, context).amend(files, _marked(mine))


def _marked(issues: Sequence[Issue]) -> Callable[[Finding], Finding]:
    closed = {_about(issue): issue for issue in issues if issue.status is IssueStatus.DISMISSED}

    def amended(finding: Finding) -> Finding:
        issue = closed.get(_about(finding))
        if issue is None or finding.status is not IssueStatus.OPEN:
            return finding
        return msgspec.structs.replace(finding, status=issue.status, status_reason=issue.status_reason)

    return amended


def _about(issue: Issue | Finding) -> tuple[object, ...]:
    return issue.file, issue.severity, issue.category, issue.description
