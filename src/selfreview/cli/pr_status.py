"""``selfreview pr status``: where a pull request stands."""

from __future__ import annotations

import sys
from typing import Any

import click

from selfreview.api import ReadsFeedback
from selfreview.cli import console
from selfreview.cli.common import open_store
from selfreview.cli.pr_open import RequestNumber, opened, remote_options
from selfreview.cli.pr_tree import find_tree, session_branch
from selfreview.feedback.remote import commits_of
from selfreview.model.wire import document
from selfreview.text.escape import visible


@click.command(name="status")
@click.argument("number", type=RequestNumber(), required=False)
@click.option("-f", "--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal",
              help="How it is printed.")  # fmt: skip
@remote_options
def command(number: int | None, format_: str, **options: Any) -> None:
    """Say where a pull request stands: its state, who said what, fix cycles so far, and whether a person is needed."""
    with opened(number, options) as found:
        request, repo = found.request, found.session.repo
        assert repo is not None  # noqa: S101 - there is a forge
        opinions = {}
        if isinstance(found.place.connection, ReadsFeedback):
            opinions = found.place.connection.feedback(request.number).opinions
        commits = commits_of(repo, found.place.remote, found.place.location.path, request)
        tree = find_tree(repo, request.head) if request.same_repository else None
        with open_store(repo) as store:
            session = store.session(str(tree.path if tree is not None else repo.root), session_branch(request))
    cycles = max((commit.cycle for commit in commits), default=0)
    needed = session.human_review_required if session is not None else None
    if format_ == "json":
        said = {
            "request": request,
            "opinions": opinions,
            "cycles": cycles,
            "maxFixCycles": found.rules.most,
            "state": session.state.value if session is not None else None,
            "humanReviewRequired": needed,
            "humanReviewAt": session.human_review_at if session is not None else None,
            "worktree": str(tree.path) if tree is not None else None,
        }
        sys.stdout.buffer.write(document(said))
        return
    draft = ", a draft" if request.draft else ""
    lines = [f"#{request.number} {request.title}: {request.state}{draft}", f"  {request.url}"]
    lines += [f"  {login}: {opinion.replace('_', ' ')}" for login, opinion in opinions.items()]
    lines += [f"  fix cycles: {cycles} of at most {found.rules.most}"]
    lines += [f"  session: {session.state.replace('_', ' ')}"] if session is not None else []
    lines += [f"  a person is needed: {needed}"] if needed else []
    for line in lines:
        console.say(visible(line))
