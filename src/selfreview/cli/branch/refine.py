"""``selfreview refine``, ``retry`` and ``resume``: have the loop run again, by a person's word."""

from __future__ import annotations

from typing import Any

import click

from selfreview.app.decisions import decision
from selfreview.app.policies import PERSON
from selfreview.cli import console
from selfreview.cli.common import overriding
from selfreview.cli.review.run import command as run_command
from selfreview.cli.running import request_of, run_request
from selfreview.errors import UsageError
from selfreview.model.refinement import Stop
from selfreview.model.session import Session
from selfreview.model.session import SessionState as S
from selfreview.refine.resuming import broken_off
from selfreview.text.escape import visible

_FIXED = frozenset({"paths", "head", "staged", "commit", "range", "diff", "collect_only", "no_fix"})
"""Parameters of ``run`` that change its scope, or with which nothing is refined."""

_OPTIONS = [option for option in run_command.params if option.name not in _FIXED]


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
    broke_off = session.state is S.SELF_REVIEW_FAILED and session.stop in (Stop.INTERRUPTED, Stop.FAILED)
    return session.iteration > 0 or broke_off or S.REFINING in (session.state, session.failed_in)


def _run(options: dict[str, Any]) -> int:
    return run_request(request_of(options), PERSON)
