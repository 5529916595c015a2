"""Report of a refinement: its size, its fixers' answers, and the outcome of the issues."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import Issue
from selfreview.git.workspace import Workspace
from selfreview.loop.checkissue import NO_FIXS_FAULT
from selfreview.loop.compare import Landed, open_with_duplicates, pair
from selfreview.model.refinement import FixerReport, Refinement
from selfreview.model.result import Result, ReviewerStatus


def describe(reports: list[FixerReport], workspace: Workspace, before: str, after: str) -> Refinement:
    """Return a refinement as it is before its review.

    Args:
        reports: How each fixer's part went.
        workspace: Where.
        before, after: Its tree before and after.
    """
    added, removed = workspace.size(before, after)
    refinement = Refinement(
        fixers=reports,
        files=len(workspace.changed(before, after)),
        added_lines=added,
        removed_lines=removed,
        notes="\n".join(dict.fromkeys(text for report in reports for text in _words(report))),
    )
    for report in reports:
        if report.usage is not None:
            refinement.usage.add(report.usage)
    return refinement


def compare(
    refinement: Refinement, before: Result, after: Result, work: Sequence[Issue], landing: Landed
) -> dict[str, str]:
    """Report the outcome of the issues; return the new ids by the old ids.

    Args:
        refinement: Is told.
        before, after: The reviews of what it began with, and of what it led to.
        work: What was to be mended.
        landing: Returns the lines that took the place of an issue's first one.
    """
    open_before, open_after = before.open_issues, after.open_issues
    pairs = pair(open_with_duplicates(before), open_with_duplicates(after), landing)
    silent = {report.name for report in after.reviewers if report.status is not ReviewerStatus.OK}
    left = [issue for issue in open_before if issue.id not in pairs]
    gone = {issue.id for issue in left if silent.isdisjoint((issue.reviewer, *issue.also_reported_by))}
    refinement.addressed_issue_ids = [issue.id for issue in open_before if issue.id in gone]
    # By the names of now: an edit beside an issue gives it another, and the old one is in no review that is kept.
    refinement.unaddressed_issue_ids = [pairs.get(issue.id, issue.id) for issue in work if issue.id not in gone]
    old = set(pairs.values())
    refinement.new_issues_introduced = [
        issue.id
        for issue in open_after
        if issue.id not in old and issue.commit is None and issue.status_reason not in NO_FIXS_FAULT
    ]
    return pairs


def _words(report: FixerReport) -> list[str]:
    """Return notes for a person on a fixer's attempt, as sentences."""
    words = [f"{report.name}: {report.error}"] if report.error else []
    words += [f"{report.name} edited nothing"] if report.edited_nothing else []
    words += [f"{report.name}: not kept: {reason}" for reason in dict.fromkeys(report.rejected)]
    words += [f"{report.name}: waits for a person: {why}" for why in report.held]
    words += [f"{report.name} on {a.issue}: {a.outcome.replace('_', ' ')}: {a.why}" for a in report.answers if a.why]
    return [*words, f"{report.name}: {report.notes}"] if report.notes else words
