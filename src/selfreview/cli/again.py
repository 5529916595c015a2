"""``selfreview refine``, ``retry`` and ``resume``: have the loop run again, by a person's word."""

from __future__ import annotations

from typing import Any

import click

from selfreview.cli.overriding import decision, overriding
from selfreview.cli.run import Run
from selfreview.cli.run import command as run_command
from selfreview.errors import UsageError
from selfreview.model.refinement import Stop
from selfreview.model.session import SessionState as S

_GOING_ON = frozenset({S.SELF_REVIEWING, S.REFINING, S.FAILED})
_FIXED = frozenset({"paths", "head", "staged", "commit", "range_", "diff", "collect_only", "no_fix"})
"""Parameters of ``run`` that choose something else than this branch, or that nothing is refined."""

_OPTIONS = [option for option in run_command.params if option.name not in _FIXED]


@click.command(name="refine", params=_OPTIONS)
def refine(**options: Any) -> int:
    """Refine this branch once more, with all its iterations, also where the cap was reached or people had to look."""
    with overriding() as (lived, repo, _, _):
        lived.session.human_review_required = lived.session.human_review_at = None
        lived.recorder.decide(decision(repo, "refine"))
    return _run(options)


@click.command(name="retry", params=_OPTIONS)
def retry(**options: Any) -> int:
    """Do the last stage again: review this branch as it is now, and refine it, without what was kept of reviews."""
    with overriding() as (lived, repo, _, _):
        lived.recorder.decide(decision(repo, "retry"))
    return _run({**options, "no_cache": True})


@click.command(name="resume", params=_OPTIONS)
def resume(**options: Any) -> int:
    """Go on where a run broke off, with the iterations that it had left."""
    with overriding() as (lived, repo, loaded, _):
        session = lived.session
        if session.state not in _GOING_ON and session.stop is not Stop.INTERRUPTED:
            raise UsageError(
                f"nothing broke off here: the session is in state {session.state}", hint="selfreview run begins anew"
            )
        left = max(1, loaded.loaded.config["max_iterations"] - max(session.iteration - 1, 0))
        lived.recorder.decide(decision(repo, "resume"))
    asked = options["max_iterations"]
    return _run({**options, "max_iterations": left if asked is None else asked})


def _run(options: dict[str, Any]) -> int:
    nothing: dict[str, Any] = dict.fromkeys(_FIXED - {"paths"})
    return Run((), {**nothing, "staged": False, "collect_only": False, "no_fix": False, **options}).execute()
