"""``selfreview pr create``: open a pull request for what was reviewed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import click

from selfreview.api import ChangeRequest, Comments, Connection, CreatesRequests, ReadsRequests, Result, SessionState
from selfreview.cli import console, offered
from selfreview.cli.forge import Place, is_of
from selfreview.cli.overriding import decision, overriding
from selfreview.cli.pr_announcing import announce
from selfreview.cli.pr_body import body_of, title_of
from selfreview.cli.pr_journal import go
from selfreview.cli.pr_open import remote_options
from selfreview.cli.pr_pushing import push_branch
from selfreview.cli.pr_sides import both_sides
from selfreview.cli.switched_off import demand_on
from selfreview.errors import ForgeError, NotFoundError, OccupiedError, RefusedError, StoreError, UsageError
from selfreview.feedback.pushing import demand_one_place
from selfreview.feedback.texts import inert
from selfreview.git.base import behind, current_branch, is_ancestor
from selfreview.git.repo import Repo
from selfreview.model.refinement import Stop
from selfreview.model.session import Session
from selfreview.store.store import Store

S = SessionState
_STUCK = frozenset({Stop.CAP, Stop.NO_CHANGE, Stop.NOT_SHRINKING, Stop.SEEN_BEFORE, Stop.NOTHING_FIXABLE, Stop.BUDGET})
"""Ends of a refinement after which a person is needed, and can be asked by a draft."""


class _Right(NamedTuple):
    """Permission to open a pull request.

    Attributes:
        draft: Whether only as a draft.
        why: Why so, for the person.
        reason: Why the review may be left as it is, in the words of whoever skipped it; or empty.
        passed: Whether it is so because the review passed, and is the first one of this branch.
    """

    draft: bool
    why: str
    reason: str = ""
    passed: bool = False


@click.command(name="create")
@click.option("--title", help="Its title; by default the subject of the only commit, or the branch's name.")
@click.option(
    "--base",
    metavar="BRANCH",
    shell_complete=offered.branches,
    help="What to merge into; by default the forge's default branch.",
)
@click.option("--draft", is_flag=True, help="Open it as a draft.")
@click.option("--force", is_flag=True, help="Open it although the review did not pass; needs --reason.")
@click.option("--reason", default="", help="Why, in your words; it stands in the pull request.")
@remote_options
def command(**options: Any) -> None:
    """Push this branch's commit, and open a pull request for it.

    It has to be what a review passed; where refinement came to no end, it is a draft that lists what is open. One that
    is open already is used again. The branch is pushed where git pushes it; where that is a fork of what another remote
    has, the pull request is opened there.
    """
    title, base, force, reason = options["title"], options["base"], options["force"], options["reason"]
    if force and not reason.strip():
        raise UsageError("--force needs a reason", hint='--reason "…": it stands in the pull request')
    with overriding(begin=True, options=options, busy=OccupiedError) as (lived, repo, session, store):
        branch = current_branch(repo.git)
        if branch is None:
            raise UsageError("no branch is checked out", hint="git switch -c NAME")
        demand_on(session.loaded.config, "nothing is pushed, and no pull request is opened")
        found = lived.session
        last = _last(store, found)
        right = _right(repo, found, config=session.loaded.config, force=force)
        reason = reason.strip() if force else right.reason
        with both_sides(session, options["remote"], opens=True) as sides:
            place, source = sides.place, sides.source
            connection = place.connection
            if not isinstance(connection, CreatesRequests) or not isinstance(connection, ReadsRequests):
                raise ForgeError(f"{place.forge.name} opens no pull requests for us")
            target = base if base is not None else connection.default_branch()
            if target == branch and source is None:
                raise UsageError(f"{branch} is what pull requests go to", hint="git switch -c NAME")
            config, home = session.loaded.config, sides.home
            if right.passed and last is not None:
                _demand_all(repo, last, f"{place.remote}/{target}")
                _tell_behind(repo, last)
            demand_one_place(repo, home.remote, lambda url: is_of(home, url, config))
            commit = push_branch(repo, home.remote, branch)
            request = sides.find(branch, commit)
            made = request is None
            if request is None:
                against = f"refs/remotes/{place.remote}/{target}"
                request = sides.create(
                    head=branch,
                    base=target,
                    title=title if title is not None else title_of(repo, against, branch),
                    body=body_of(repo, against, last, reason=reason),
                    draft=options["draft"] or right.draft,
                )
            else:
                _used_again(connection, request, options, reason, commit)
            if made and not request.draft:
                announce(session, store, place, request)
        _note(lived.session, place, request)
        if force:
            lived.recorder.decide(decision(repo, "create", reason))
        go(lived.recorder, S.PR_CREATED, request=request.number, url=request.url, forced=force)
        go(lived.recorder, S.AWAITING_PR_FEEDBACK, request=request.number)
    what = "draft" if request.draft else "pull request"
    said = f"opened {what} #{request.number}" if made else f"{what} #{request.number} is open already"
    console.say(f"{said}: {request.url}")
    if made and right.why:
        console.say(f"  {right.why}")


def _used_again(
    connection: Connection, request: ChangeRequest, options: Mapping[str, Any], reason: str, commit: str
) -> None:
    """Comment on an existing pull request why its branch was pushed, and warn of options that have no effect on it."""
    given = [f"--{name}" for name in ("title", "base", "draft") if options[name]]
    if given:
        verb = "counts" if len(given) == 1 else "count"
        console.warn(f"{', '.join(given)} {verb} only where one is opened: #{request.number} stays as it is")
    if reason and isinstance(connection, Comments):
        text = f"Commit {commit[:12]} is pushed although its self-review does not pass: {inert(reason)}"
        try:
            connection.comment(request.number, f"reason={commit[:12]}", text)
        except (
            NotFoundError,
            RefusedError,
        ) as error:  # a conversation that is locked; the branch is pushed
            console.warn(f"the reason is not shown on #{request.number}: {error.message}")
    elif reason:
        console.warn(f"this forge takes no comments from us: the reason is not shown on #{request.number}")


def _last(store: Store, session: Session) -> Result | None:
    if session.run_id is None:
        return None
    try:
        return store.result(session.run_id)
    except (StoreError, UsageError):  # pruned since
        return None


def _right(repo: Repo, session: Session, *, config: Any, force: bool) -> _Right:
    """Return the permission of the branch to have a pull request.

    Raises:
        UsageError: If it may not.
    """
    tree = repo.git.run(["rev-parse", "HEAD^{tree}"]).decode().strip()
    if force:
        return _Right(False, "")
    if not config["self_review_before_pr"]:
        return _Right(False, "")
    passed = session.state in (S.SELF_REVIEW_PASSED, S.READY_FOR_HUMAN_REVIEW) or session.request is not None
    skips = [one.reason for one in session.decisions if one.action == "skip" and one.tree == tree]
    reason = skips[-1] if skips else ""
    if session.tree == tree and passed:
        by_review = session.state is S.SELF_REVIEW_PASSED
        return _Right(False, "", "" if by_review else reason, passed=by_review and session.request is None)
    if session.tree == tree and session.state is S.SELF_REVIEW_FAILED and session.stop in _STUCK:
        return _Right(True, "a draft, because refinement came to no end: what is open is listed in it", reason)
    if skips:
        return _Right(True, "a draft, because the review does not pass", reason)
    if session.tree is None:
        raise UsageError("this branch was not reviewed", hint="selfreview run, or --force with --reason")
    if session.tree != tree:
        raise UsageError(
            "what was reviewed is not what HEAD has: commit it, or review again",
            hint="selfreview run, or --force with --reason",
        )
    raise UsageError("the review of this branch does not pass", hint="selfreview run, or --force with --reason")


def _tell_behind(repo: Repo, last: Result) -> None:
    """Warn where the review counted others' commits as the branch's own."""
    base = last.scope.base if last.scope is not None else None
    note = behind(repo, base, "HEAD") if base is not None else None
    if note is not None:
        console.note(f"note: {note}")


def _demand_all(repo: Repo, last: Result, target: str) -> None:
    """Check that a review was compared with the target of the pull request, or with an older commit.

    Raises:
        UsageError: If what it was compared with is newer, so that it did not see all that would be merged.
    """
    scope = last.scope
    onto = repo.git.line(["merge-base", "HEAD", f"refs/remotes/{target}"])
    if onto is None or scope is None or scope.merge_base is None or is_ancestor(repo, scope.merge_base, onto):
        return
    raise UsageError(
        f"what was reviewed is what {scope.base} lacks, and {target} lacks more",
        hint=f"selfreview run --base {target}, or --base BRANCH of what it was compared with, or --force with --reason",
    )


def _note(session: Session, place: Place, request: ChangeRequest) -> None:
    session.forge, session.request, session.request_url = place.name, request.number, request.url
