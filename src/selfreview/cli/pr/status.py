"""``selfreview pr status``: where a pull request stands, and the next step as far as no model is asked for it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from selfreview.api import Feedback, FeedbackItem, ReadsFeedback, RequestState
from selfreview.app.loading import open_store, why_off
from selfreview.cli import console
from selfreview.cli.pr.journal import resolved_before, was_pushed
from selfreview.cli.pr.opened import Opened, RequestNumber, opened, remote_options
from selfreview.cli.pr.worktrees import find_tree, session_branch
from selfreview.model.session import Session
from selfreview.model.wire import document
from selfreview.pullrequest.answered_state import AnsweredState
from selfreview.pullrequest.feedback.classify import classify
from selfreview.pullrequest.feedback.resolved import removed_labels, reopened
from selfreview.pullrequest.git.branch import commits_of
from selfreview.pullrequest.replies import Replies
from selfreview.text.escape import visible
from selfreview.text.layout import plural


@click.command(name="status")
@click.argument("number", type=RequestNumber(), required=False)
@click.option("-f", "--format", "format_", type=click.Choice(["terminal", "json"]), default="terminal",
              help="Output format.")  # fmt: skip
@remote_options
def command(number: int | None, format_: str, **options: Any) -> None:
    """Show a pull request: its state, its reviews, fix cycles so far, and whether a person is needed."""
    with opened(number, options) as found:
        request, repo = found.request, found.repo
        feedback = Feedback(request=request)
        if isinstance(found.place.connection, ReadsFeedback):
            feedback = read_feedback(found, found.place.connection)
        opinions = feedback.opinions
        tree = find_tree(repo, request.head) if request.same_repository else None
        session, answered = session_of(found), answered_state_of(found, feedback)
        undone = unfinished(found, feedback, answered, session)
        following = next_step(found, feedback, answered, session, undone)
    last = answered.commits[-1] if answered.commits else None
    cycles, count = answered.cycles, counted(answered, session)
    needed = session.human_review_required if session is not None else None
    if format_ == "json":
        shown = {
            "request": request,
            "opinions": opinions,
            "cycles": cycles,
            "cyclesCounted": count,
            "maxFixCycles": found.rules.max_fix_cycles,
            "next": following,
            "commit": last.sha if last is not None else None,
            "undone": undone,
            "state": session.state.value if session is not None else None,
            "humanReviewRequired": needed,
            "humanReviewAt": session.human_review_at if session is not None else None,
            "worktree": str(tree.path) if tree is not None else None,
        }
        sys.stdout.buffer.write(document(shown))
        return
    draft = ", a draft" if request.draft else ""
    lines = [f"#{request.number} {request.title}: {request.state}{draft}", f"  {request.url}"]
    lines += [f"  {login}: {opinion.replace('_', ' ')}" for login, opinion in opinions.items()]
    before = f" since the reset, {cycles} in all" if cycles > count else ""
    lines += [f"  fix cycles: {count} of at most {found.rules.max_fix_cycles}{before}"]
    lines += [f"  last fix: {last.sha[:12]}"] if last is not None else []
    lines += [f"  session: {session.state.replace('_', ' ')}"] if session is not None else []
    lines += [f"  a person is needed: {needed}"] if needed else []
    if session is not None and session.waits:
        lines += [f"  waited {plural(session.waits, 'time')} in a row: this machine could do nothing"]
    lines += [f"  pr fix would do next: {following}"]
    for line in lines:
        console.say(visible(line))


def session_of(found: Opened) -> Session | None:
    """Return the stored session of a pull request's branch, or None.

    Raises:
        StoreError: If it cannot be read.
    """
    repo = found.repo
    tree = find_tree(repo, found.request.head) if found.request.same_repository else None
    with open_store(repo) as store:
        return store.session(str(tree.path if tree is not None else repo.root), session_branch(found.request))


def read_feedback(found: Opened, connection: ReadsFeedback) -> Feedback:
    """Return all feedback, as a fix cycle would read it."""
    repo, number = found.repo, found.request.number
    with open_store(repo) as store:
        resolved = resolved_before(store, found.place.name, number)
    return reopened(connection.feedback(number), found.policy, resolved)


def answered_state_of(found: Opened, feedback: Feedback) -> AnsweredState:
    """Return how far feedback is handled, according to the remote's branch and the forge."""
    commits = commits_of(found.repo, found.place.remote, found.place.location.path, feedback.request)
    taken = removed_labels(found.place.connection, feedback, found.policy, console.note)
    return AnsweredState.read(feedback, commits, found.policy, taken)


def counted(answered: AnsweredState, session: Session | None) -> int:
    """Return how many fix cycles count towards the cap: those since a person's reset."""
    if session is None:
        return answered.counted(0, 0)
    return answered.counted(session.fix_cycle_reset, session.fix_cycle - session.fix_cycle_reset)


def unfinished(found: Opened, feedback: Feedback, answered: AnsweredState, session: Session | None) -> list[str]:
    """Return the unfinished steps of the last commit that was pushed from here, as phrases."""
    if session is None or not answered.commits:
        return []
    last = answered.commits[-1]
    with open_store(found.repo) as store:
        if not was_pushed(store, session.id, last.sha):
            return []
    answers = Replies(found.place.connection, feedback, answered, found.policy, rules=found.rules, note=console.note)
    return answers.due(last, refused=True)


def next_step(
    found: Opened, feedback: Feedback, answered: AnsweredState, session: Session | None, undone: Sequence[str]
) -> str:
    """Return the next step of ``pr fix``, as a phrase; ``undone`` has the steps of :func:`unfinished`."""
    request, rules = feedback.request, found.rules
    if request.state is not RequestState.OPEN:
        return f"nothing, for it is {request.state}"
    if (off := why_off(found.project.config)) is not None:
        return f"nothing: {off}"
    if request.draft and not rules.drafts:
        return "nothing while it is a draft (feedback.drafts)"
    if not rules.max_fix_cycles:
        return "nothing but read (feedback.max_fix_cycles is 0)"
    again = session is not None and session.request_reset
    judged = classify(feedback, found.policy, answered.handled(retry=again))
    open_ = [piece if isinstance(piece, FeedbackItem) else piece.item for piece in judged
             if isinstance(piece, FeedbackItem) or piece.meaning.is_open]  # fmt: skip
    waiting = [] if again else answered.waiting(feedback, found.policy)
    waits = f"{plural(len(waiting), 'piece')} of feedback left to a person" if waiting else ""
    late = f"what belongs to {answered.commits[-1].sha[:12]} and is unfinished: {', '.join(undone)}" if undone else ""
    if not open_:
        if late:
            return f"{late}; {waits}" if waits else late
        return f"nothing: {waits}; selfreview reset has it tried again" if waits else "nothing"
    what = f"{late}; then look at" if late else "look at"
    what += f" {plural(len(open_), 'piece')} of feedback"
    if again and any(item.key in answered.handed_over for item in open_):
        what += ", including what was left to a person (reset)"
    if counted(answered, session) >= rules.max_fix_cycles:
        what += f", and call a person for edits: the cap of {rules.max_fix_cycles} fix cycles is reached"
    return f"{what}; {waits}" if waits else what
