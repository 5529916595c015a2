"""``selfreview skip``, ``ready``, ``reset``, ``refine``, ``retry`` and ``resume``: decisions on a whole branch."""

from __future__ import annotations

from typing import Any

import click

from selfreview.app.decisions import check_reason, decision
from selfreview.app.notices import send_what_waits
from selfreview.app.policies import PERSON
from selfreview.app.pr.journal import go
from selfreview.app.session import branch_reviews
from selfreview.cli import console
from selfreview.cli.common import overriding
from selfreview.cli.review.run import command as run_command
from selfreview.cli.running import request_of, run_request
from selfreview.cli.terminal import Terminal
from selfreview.errors import UsageError
from selfreview.model.refinement import Stop
from selfreview.model.result import Result
from selfreview.model.session import Session, SessionState
from selfreview.pullrequest.notify import tell_ready
from selfreview.refine.resuming import broken_off
from selfreview.refine.states import AFTER_PUSH
from selfreview.review.verdict import Threshold
from selfreview.text.escape import visible
from selfreview.text.layout import plural


@click.command(name="skip")
@click.option("--reason", required=True, help="Why; the pull request shows it.")
def skip(reason: str) -> None:
    """Allow a pull request of this branch, as it is now, although the review does not pass.

    It changes no verdict and no exit code, and is void after the next commit that changes a file.
    """
    with overriding("skip", begin=True) as (live, repo, _, _):
        tree = repo.git.line(["rev-parse", "--verify", "-q", "HEAD^{tree}"])
        live.recorder.decide(decision(repo, "skip", check_reason(reason), tree=tree))
        uncommitted = bool(repo.git.call(["status", "--porcelain"]).stdout)
    console.say("noted: a pull request may be opened from what is committed now; it will list the open issues")
    if uncommitted:
        console.note("uncommitted changes are not included: commit them, and run selfreview skip again")


@click.command(name="ready")
@click.option("--reason", default="", help="Why, in your words.")
def ready(reason: str) -> None:
    """Mark this branch as ready for people to review, whatever is still open."""
    with overriding("ready") as (live, repo, project, store):
        live.recorder.move(SessionState.READY_FOR_HUMAN_REVIEW, reason=reason.strip())
        live.recorder.decide(decision(repo, "ready", check_reason(reason) if reason else ""))
        why = reason.strip() or "marked by hand"
        live.recorder.ready(why)
        # By its own word: the hook is called for others as well, and that would say it once more for them.
        tell_ready(live.recorder.session, why, live.recorder.config)
        uncommitted = bool(repo.git.call(["status", "--porcelain"]).stdout)
        send_what_waits(project, Terminal())
        result = branch_reviews(store, live.session.branch or None).result
    console.say("ready for people to review" + _still_blocking(result))
    if uncommitted:
        console.note("uncommitted changes are not included: commit them")


def _still_blocking(result: Result | None) -> str:
    if result is None or result.passed:
        return ""
    count = sum(map(Threshold(result.severity_threshold).blocks, result.open_issues))
    if not count:
        return ", though the last review did not pass (selfreview status)"
    return f", though {plural(count, 'issue')} still block{'s' if count == 1 else ''} (selfreview status)"


@click.command(name="reset")
@click.option("--reason", default="", help="Why, in your words.")
def reset(reason: str) -> None:
    """Start over: earlier refinements, and calls for a person, no longer count for this branch.

    What people accepted stays accepted, kept patches stay, and your tree is not touched. With an open pull request,
    feedback is answered again: earlier fix cycles no longer count, and what was left to a person is tried.
    """
    with overriding("reset") as (live, repo, _, _):
        session = live.session
        after = session.request is not None and session.state in AFTER_PUSH
        if after:
            go(live.recorder, SessionState.AWAITING_PR_FEEDBACK, reason="reset by hand")
            session.fix_cycle_reset, session.request_reset = session.fix_cycle, True
        elif session.state is not SessionState.PENDING_SELF_REVIEW:
            live.recorder.move(SessionState.PENDING_SELF_REVIEW, reason="reset by hand")
        session.iteration, session.stop = 0, None
        session.human_review_required = session.human_review_at = None
        live.recorder.decide(decision(repo, "reset", reason))
    if after:
        console.say(
            f"reset: the feedback on #{session.request} will be answered again by selfreview pr fix or pr watch"
        )
    else:
        console.say("reset: the next selfreview run starts over")


_OF_SCOPE = frozenset({"paths", "head", "staged", "commit", "range", "diff", "collect_only", "no_fix"})
"""Parameters of ``run`` that change its scope, or with which nothing is refined."""

_OPTIONS = [option for option in run_command.params if option.name not in _OF_SCOPE]


@click.command(name="refine", params=_OPTIONS)
def refine(**options: Any) -> int:
    """Let fixers try again on the issues of the last review, with a fresh count of iterations.

    Where the review passed, there is nothing to refine. It starts from your tree as it is, without a kept patch that
    is not applied. At least one refinement is tried, whatever max_iterations is.
    """
    asked = options["max_iterations"]
    if asked == 0:
        raise UsageError("--max-iterations 0 refines nothing", hint="selfreview run --no-fix only reviews")
    with overriding("refine", options=options) as (live, repo, project, _):
        session = live.session
        if session.patch is not None:
            console.note(
                f"note: {visible(session.patch)} is not applied, so it is not included; to include it, run "
                "selfreview apply first"
            )
        session.human_review_required = session.human_review_at = None
        limit = max(1, project.config["max_iterations"])
        live.recorder.decide(decision(repo, "refine"))
    return _run({**options, "max_iterations": limit if asked is None else asked})


@click.command(name="retry", params=_OPTIONS)
def retry(**options: Any) -> int:
    """Repeat the last review or refinement of this branch, and go on from there.

    After a refinement, that is the refinement; else it is the review, without cached results.
    """
    with overriding("retry", options=options) as (live, repo, _, _):
        refined = _has_refined(live.session)
        live.recorder.decide(decision(repo, "retry"))
    console.note(f"note: retrying the {'refinement' if refined else 'review'}")
    return _run(options if refined else {**options, "no_cache": True})


@click.command(name="resume", params=_OPTIONS)
def resume(**options: Any) -> int:
    """Continue an interrupted run, from the last refinement that it kept; --max-iterations counts those, too.

    Where your tree has changed since, refinement starts over, and the result says so.
    """
    with overriding("resume", options=options) as (live, repo, _, store):
        kept = broken_off(store.session_events(live.session.id))
        live.recorder.decide(decision(repo, "resume"))
    return _run({**options, "resumed": kept})


def _has_refined(session: Session) -> bool:
    """Return whether the last stage was a refinement, including an interrupted or failed one."""
    broke_off = session.state is SessionState.SELF_REVIEW_FAILED and session.stop in (Stop.INTERRUPTED, Stop.FAILED)
    return session.iteration > 0 or broke_off or SessionState.REFINING in (session.state, session.failed_in)


def _run(options: dict[str, Any]) -> int:
    return run_request(request_of(options), PERSON)
