"""``selfreview accept``: an issue stays, and does not block any more."""

from __future__ import annotations

import click

from selfreview.cli.named import named_issue
from selfreview.cli.overriding import check_reason, decision, overriding
from selfreview.cli.session import standing_acceptances
from selfreview.errors import UsageError
from selfreview.git.base import current_branch
from selfreview.model.issue import Issue
from selfreview.model.session import Session
from selfreview.store import IssueRecord
from selfreview.store.store import Store
from selfreview.text.escape import visible


@click.command(name="accept")
@click.argument("issue")
@click.option("--reason", help="Why it may stay; shown wherever it would have blocked. Required but for --withdraw.")
@click.option("--withdraw", is_flag=True, help="Take an acceptance back: the issue counts again.")
def command(issue: str, reason: str | None, withdraw: bool) -> None:
    """Accept an issue of this branch, by its id or fingerprint, or by a rule that reports nothing else here.

    The next runs on this branch list it as accepted, with what other reviewers reported as the same. It counts on
    this machine only: a gate does not know of it.
    """
    if withdraw:
        _withdraw(issue, reason)
        return
    if reason is None:
        raise UsageError("accept needs --reason: why the issue may stay", hint="it is shown wherever it would block")
    with overriding(begin=True) as (lived, repo, _, store):
        found, *others = _shown_as_one(store, named_issue(store, issue, current_branch(repo.git)))
        lived.recorder.decide(
            decision(
                repo,
                "accept",
                check_reason(reason),
                fingerprint=found.fingerprint,
                also=[other.fingerprint for other in others],
                tree=lived.session.tree,
            )
        )
    click.echo(f"accepted: {found.id} in {found.file}; run selfreview run again for the verdict")


def _shown_as_one(store: Store, record: IssueRecord) -> list[Issue]:
    """Return what the report shows as one issue: the issue that stands, and the duplicates that were merged into it.

    What is merged into it later is something that nobody has seen yet, and does not count as accepted.
    """
    issues = store.result(record.history.last_run).issues
    name = record.issue.duplicate_of or record.issue.id
    standing = next((issue for issue in issues if issue.id == name), record.issue)
    return [standing, *(issue for issue in issues if issue.duplicate_of == standing.id)]


def _withdraw(issue: str, reason: str | None) -> None:
    with overriding() as (lived, repo, _, store):
        fingerprint = _accepted(lived.session, store, issue)
        lived.recorder.decide(
            decision(
                repo,
                "withdraw",
                check_reason(reason) if reason is not None else "",
                fingerprint=fingerprint,
                tree=lived.session.tree,
            )
        )
    click.echo(f"not accepted any more: {visible(issue)}; run selfreview run again for the verdict")


def _accepted(session: Session, store: Store, name: str) -> str:
    """Return the fingerprint of an accepted issue; one that no kept run holds is known by its fingerprint alone.

    Raises:
        UsageError: If the issue is not known, or not accepted.
    """
    standing = standing_acceptances(session.decisions)
    named = [fingerprint for fingerprint in standing if fingerprint.startswith(name)]
    fingerprint = named[0] if len(named) == 1 else named_issue(store, name, session.branch).issue.fingerprint
    if fingerprint not in standing:
        raise UsageError(f"{name!r} is not accepted on this branch", hint="selfreview status lists what was decided")
    return fingerprint
