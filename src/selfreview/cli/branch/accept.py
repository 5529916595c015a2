"""``selfreview accept``: let an issue of a branch stay."""

from __future__ import annotations

from collections.abc import Sequence

import click

from selfreview.api.context import SourceText
from selfreview.app.decisions import check_reason, decision, valid_acceptances, valid_flags
from selfreview.cli import completions, console
from selfreview.cli.common import overriding
from selfreview.cli.stored import named_issue, shown_as_one
from selfreview.errors import UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch
from selfreview.git.worktree_files import read_entry
from selfreview.model.issue import Issue, IssueStatus, Side
from selfreview.model.session import Flagged, Session
from selfreview.model.wire import display_path
from selfreview.review.accepted_issues import flagged_key, is_of
from selfreview.review.fingerprint import digits_of
from selfreview.store.store import Store
from selfreview.text.escape import visible


def flagged(repo: Repo, accepted: Sequence[Issue], issues: Sequence[Issue]) -> list[Flagged]:
    """Return keys of the accepted issues whose lines are unchanged in the working tree.

    Args:
        repo: The repository.
        accepted: The issues.
        issues: All of their review.
    """
    found = []
    for issue in accepted:
        key = key_in_tree(repo, issue)
        if key is not None:
            lines = _lines(repo, issue) or ()
            near = [other for other in issues if (other.file, other.side) == (issue.file, issue.side)]
            alike = sum(flagged_key(other, issue.file, lines) == key for other in near)
            found.append(Flagged(fingerprint=issue.fingerprint, key=key, alike=max(alike, 1)))
    return found


def key_in_tree(repo: Repo, issue: Issue) -> str | None:
    """Return the key of an issue, or None where the working tree does not have its lines, or that is unknown."""
    lines = _lines(repo, issue)
    if lines is None or not is_of(issue, issue.file, lines):
        return None
    return flagged_key(issue, issue.file, lines)


def _lines(repo: Repo, issue: Issue) -> Sequence[str] | None:
    if issue.side is Side.OLD or issue.line_start == 0:
        return None
    try:
        data = read_entry(repo.root, issue.file)
    except OSError:  # its fingerprint is what it is known by then
        return None
    return None if data is None else SourceText.from_bytes(data).lines


@click.command(name="accept")
@click.argument("issues", metavar="ISSUE...", nargs=-1, required=True, shell_complete=completions.open_issues)
@click.option(
    "--reason", help="Why it is acceptable; shown wherever it would have blocked. Required, except with --withdraw."
)
@click.option("--withdraw", is_flag=True, help="Take an acceptance back: the issue counts again.")
def command(issues: tuple[str, ...], reason: str | None, withdraw: bool) -> None:
    """Accept issues of this branch, each by its id or fingerprint, or by a rule that reports nothing else here.

    Later runs on this branch list them as accepted, with their duplicates, until their lines change or a file that the
    branch adds is renamed. It holds on this machine only: a gate does not know of it.
    """
    if withdraw:
        _withdraw(issues, reason)
        return
    if reason is None:
        raise UsageError(
            "accept needs --reason: why the issue is acceptable", hint="it is shown wherever it would block"
        )
    reason_text = check_reason(reason)
    with overriding(begin=True) as (live, repo, _, store):
        branch = current_branch(repo.git)
        if branch is None:
            raise UsageError(
                "an issue is accepted for a branch, and no branch is checked out", hint="git switch -c NAME"
            )
        records = [named_issue(store, issue, branch) for issue in issues]  # all of them, or none is accepted
        accepted: dict[str, Issue] = {}
        for record in records:
            found, *others = shown_as_one(store, record)
            if found.fingerprint in accepted:
                continue
            accepted[found.fingerprint] = found
            live.recorder.decide(
                decision(
                    repo,
                    "accept",
                    reason_text,
                    fingerprints=[issue.fingerprint for issue in (found, *others)],
                    tree=live.session.tree,
                    flagged=flagged(repo, [found, *others], store.result(record.history.last_run).issues),
                )
            )
    for found in accepted.values():
        console.say(f"accepted: {found.id} in {display_path(found.file)}; for the new verdict: selfreview run")


def _withdraw(issues: Sequence[str], reason: str | None) -> None:
    reason_text = check_reason(reason) if reason is not None else ""
    with overriding() as (live, repo, _, store):
        names = dict.fromkeys(_accepted(live.session, store, repo, issue) for issue in issues)
        for fingerprint in names:
            live.recorder.decide(
                decision(repo, "withdraw", reason_text, fingerprints=[fingerprint], tree=live.session.tree),
            )
    for issue in issues:
        console.say(f"no longer accepted: {visible(issue)}; for the new verdict: selfreview run")


def _accepted(session: Session, store: Store, repo: Repo, name: str) -> str:
    """Return the fingerprint of an accepted issue; one that no kept run holds is known by its fingerprint alone.

    Raises:
        UsageError: If the issue is not known, or not accepted.
    """
    valid = valid_acceptances(session.decisions)
    digits = digits_of(name)
    named = [fingerprint for fingerprint in valid if digits and digits_of(fingerprint).startswith(digits)]
    if len(named) == 1:
        return named[0]
    issue = named_issue(store, name, session.branch).issue
    if issue.fingerprint in valid:
        return issue.fingerprint
    meant = issue.status in (IssueStatus.ACCEPTED, IssueStatus.DUPLICATE)  # one that is open is another
    key = key_in_tree(repo, issue) if meant else None
    others = [issue.fingerprint for issue in valid_flags(valid) if issue.key == key]
    if key is None or len(others) != 1:
        raise UsageError(f"{name!r} is not accepted on this branch", hint="selfreview status lists what was decided")
    return others[0]
