"""Acceptances of issues on a branch: those that count, and their withdrawal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from selfreview.app.session import branch_reviews
from selfreview.git.repo import Repo
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.result import Result
from selfreview.model.session import Decision, Flagged
from selfreview.review.accepted_issues import AMBIGUOUS, Acceptances
from selfreview.store.review_store import ReviewStore


def accepted_issues(store: ReviewStore, repo: Repo, branch: str | None) -> Acceptances:
    """Return the reasons of acceptances on a branch, by fingerprint; also for a partial run, and for a hook."""
    if branch is None:
        return Acceptances({})  # another commit that is checked out by itself is something else
    found = store.attempt(lambda kept: kept.session(str(repo.root), branch), None)
    valid = valid_acceptances(found.decisions if found is not None else [])
    reasons = {name: _reason(decision) for name, decision in valid.items()}
    flagged = valid_flags(valid)
    last = store.attempt(lambda kept: branch_reviews(kept, branch), None) if flagged else None
    results = [result for result in (last.whole, *last.later) if result is not None] if last is not None else []
    return Acceptances(reasons, flagged, [name for result in results for name in _not_accepted(result)])


def _not_accepted(result: Result) -> list[str]:
    """Return the fingerprints of issues of a result that are neither accepted nor duplicates of an accepted one."""
    accepted = {issue.id for issue in result.issues if issue.status is IssueStatus.ACCEPTED}
    return [
        issue.fingerprint
        for issue in result.issues
        if accepted.isdisjoint((issue.id, issue.duplicate_of)) and not (issue.status_reason or "").startswith(AMBIGUOUS)
    ]


def _reason(decision: Decision) -> str:
    return f"accepted by {decision.who}: {decision.reason}"


def is_withdrawn(issue: Issue, decisions: Sequence[Decision]) -> bool:
    """Return whether the acceptance of an issue, be it under an earlier fingerprint, was withdrawn since its review."""
    valid = valid_acceptances(decisions)
    if issue.status is not IssueStatus.ACCEPTED or issue.fingerprint in valid:
        return False
    there = list(valid.values())
    gone = [decision for decision in decisions if decision.action == "accept" and decision not in there]
    named = any(issue.fingerprint in (decision.fingerprint, *decision.also) for decision in gone)
    reason = issue.status_reason
    return named or reason in set(map(_reason, gone)) - set(map(_reason, there))


def valid_flags(valid: Mapping[str, Decision]) -> list[Flagged]:
    """Return the keys of issues of :func:`valid_acceptances` besides their fingerprints."""
    return [flag for name, decision in valid.items() for flag in decision.flagged if flag.fingerprint == name]


def valid_acceptances(decisions: Iterable[Decision]) -> dict[str, Decision]:
    """Return the acceptances that were not withdrawn, by the issue's fingerprint."""
    valid: dict[str, Decision] = {}
    for decision in decisions:
        if decision.fingerprint is not None and decision.action == "accept":
            valid |= dict.fromkeys((decision.fingerprint, *decision.also), decision)
        elif decision.fingerprint is not None and decision.action == "withdraw":
            gone = valid.get(decision.fingerprint)
            valid = {name: other for name, other in valid.items() if other is not gone}
    return valid
