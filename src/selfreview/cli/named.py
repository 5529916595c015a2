"""Lookup of an issue by id, fingerprint, prefix of one, or rule."""

from __future__ import annotations

from selfreview.app.session import branch_reviews
from selfreview.errors import UsageError
from selfreview.model.issue import Issue, IssueStatus
from selfreview.store import IssueRecord, Store

_CANDIDATES = 8
_EMPTY = ("sr-", "v1:")
_UNSEEN = (IssueStatus.OUT_OF_SCOPE, IssueStatus.DUPLICATE)
"""Statuses of issues that no report shows as issues of their own."""


def is_id(name: str) -> bool:
    """Return whether a name is an id or a fingerprint of an issue, and not the name of a rule."""
    return name.startswith(_EMPTY)


def named_issue(store: Store, name: str, branch: str | None) -> IssueRecord:
    """Return the issue with a name; a rule is that of its only issue in the branch's latest review.

    Raises:
        UsageError: If there is none, or several; the hint lists them.
        StoreError: If it cannot be read.
    """
    if is_id(name):
        if name in _EMPTY:
            raise UsageError(f"{name!r} names no issue: nothing follows", hint="selfreview status lists the open ones")
        return store.issue(name)
    whole, later = branch_reviews(store, branch)
    named = ([i for i in r.issues if name in _names(i)] for r in (whole, *later) if r)
    issues = next(filter(None, named), [])
    issues = [issue for issue in issues if issue.status not in _UNSEEN] or issues
    if not issues:
        raise UsageError(
            f"no issue is called {name!r}", hint="give an id (sr-…), or a rule that the latest review reports"
        )
    if len(issues) > 1:
        places = [f"{issue.id} ({issue.file}:{issue.line_start})" for issue in issues[:_CANDIDATES]]
        more = f" and {len(issues) - _CANDIDATES} more" if len(issues) > _CANDIDATES else ""
        raise UsageError(f"{len(issues)} issues of the latest review are {name}", hint=", ".join(places) + more)
    return store.issue(issues[0].fingerprint)


def shown_as_one(store: Store, record: IssueRecord) -> list[Issue]:
    """Return an issue and its duplicates, which the report shows as one issue.

    What is merged into it later is something that nobody has seen yet, and does not count as accepted.
    """
    issues = store.result(record.history.last_run).issues
    name = record.issue.duplicate_of or record.issue.id
    standing = next((issue for issue in issues if issue.id == name), record.issue)
    return [standing, *(issue for issue in issues if issue.duplicate_of == standing.id)]


def _names(issue: Issue) -> tuple[str, ...]:
    """Return the names of an issue besides its id; a check also has the name that the report lists."""
    if issue.rule is None:
        return ()
    check = (issue.reviewer,) if issue.is_check else ()
    return (issue.rule, f"{issue.reviewer}/{issue.rule}", *check)
