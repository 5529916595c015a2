"""A person's decisions on a branch: its session, held for them, and the issues that they accepted."""

from __future__ import annotations

import contextlib
import getpass
from collections.abc import Iterable, Iterator, Mapping, Sequence

from selfreview.app.loading import Project, open_store
from selfreview.app.permitted_commands import demand
from selfreview.app.session import LiveSession, branch_reviews, hold_session
from selfreview.app.ui import Ui, observer_failed
from selfreview.errors import SelfreviewError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch
from selfreview.model.issue import Issue, IssueStatus
from selfreview.model.result import Result
from selfreview.model.session import Decision, Flagged
from selfreview.model.wire import utc_now
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import TERMINAL
from selfreview.review.accepted_issues import Acceptances
from selfreview.store.store import ReviewStore, Store


@contextlib.contextmanager
def hold_branch_session(
    repo: Repo,
    project: Project,
    ui: Ui,
    command: str = "",
    *,
    begin: bool = False,
    busy: type[SelfreviewError] = UsageError,
) -> Iterator[tuple[LiveSession, Store]]:
    """Hold the session of the current branch, for a person's decision.

    Args:
        repo: The repository.
        project: Its plugins and configuration.
        ui: Is warned of observers that fail.
        command: Refused where it makes no sense, see :func:`selfreview.app.permitted_commands.demand`; empty: never.
        begin: Whether a branch without a session, or with one that is over, gets one.
        busy: What is raised while a run is going on.

    Raises:
        UsageError: If there is none, git's folder cannot be written, or the command makes no sense.
    """
    branch, worktree = current_branch(repo.git) or "", str(repo.root)
    with hold_session(repo) as hindrance, open_store(repo) as store:
        if hindrance is not None:
            if hindrance.busy:
                raise busy("a run is in progress in this working tree", hint=hindrance.hint)
            raise UsageError(hindrance.why, hint=hindrance.hint)
        session = store.session(worktree, branch)
        if session is None and not begin:
            raise UsageError("this branch has no session yet", hint="start with: selfreview run")
        if session is None or (begin and session.state in TERMINAL):
            session = new_session(branch, worktree, project.config["max_iterations"])
        if command:
            demand(command, session)
        kept = ReviewStore(store)
        recorder = Recorder(session, kept, project.manager, project.config, observer_failed(ui))
        yield LiveSession(recorder, tracked=True), store
        if kept.warnings:  # what a person decided must not get lost silently
            raise UsageError("; ".join(kept.warnings))


def decision(
    repo: Repo,
    action: str,
    reason: str = "",
    *,
    fingerprints: Sequence[str] = (),
    tree: str | None = None,
    flagged: Sequence[Flagged] = (),
) -> Decision:
    """Return a decision of the current person, with the current time.

    Args:
        repo: Whose git knows the person.
        action, reason, tree, flagged: As in :class:`selfreview.model.session.Decision`.
        fingerprints: Of the issue that it is about, and of the duplicates that were shown as one with it.
    """
    return Decision(
        action=action,
        who=person(repo),
        at=utc_now(),
        reason=reason.strip(),
        fingerprint=fingerprints[0] if fingerprints else None,
        also=list(fingerprints[1:]),
        tree=tree,
        flagged=list(flagged),
    )


def person(repo: Repo) -> str:
    """Return the current person's name, as git names the author of commits, else as the system does."""
    name = repo.git.call(["config", "--get", "user.name"]).stdout.decode("utf-8", "replace").strip()
    mail = repo.git.call(["config", "--get", "user.email"]).stdout.decode("utf-8", "replace").strip()
    if name or mail:
        return f"{name} <{mail}>" if name and mail else name or mail
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def check_reason(reason: str) -> str:
    """Return a reason, or refuse an empty one.

    Raises:
        UsageError: If it is empty.
    """
    if not reason.strip():
        raise UsageError("the reason is empty", hint="it is shown wherever the decision counts")
    return reason.strip()


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
        if accepted.isdisjoint((issue.id, issue.duplicate_of)) and not (issue.is_open and issue.maybe_accepted)
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
