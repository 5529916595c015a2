"""``selfreview gate``: review a change in CI."""

from __future__ import annotations

from typing import Any

import click

from selfreview.cli import completions, console
from selfreview.cli.options import review_options
from selfreview.model.result import Result
from selfreview.review.verdict import Threshold

_SHOWN = 3
"""Fingerprints that the hint on ``--accept`` has; the JSON verdict has all."""


@click.command(name="gate")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=completions.files)
@click.option(
    "--base",
    metavar="REF",
    shell_complete=completions.revisions,
    help="Compare with REF, and use its configuration; by default what the CI system names.",
)
@click.option(
    "--head",
    metavar="REV",
    shell_complete=completions.revisions,
    default="HEAD",
    help="Review up to REV; by default HEAD.",
)
@click.option("--collect-only", is_flag=True, help="Print what would be reviewed; call no reviewer.")
@click.option("--require", "required", multiple=True, metavar="REVIEWER", shell_complete=completions.reviewers,
              help="Require this reviewer: without it, the result is incomplete; repeatable.")  # fmt: skip
@click.option("--accept", "accepted", multiple=True, metavar="FINGERPRINT", shell_complete=completions.fingerprints,
              help="Let this issue pass, and list it as accepted; repeatable.")  # fmt: skip
@click.option("--allow-head-code", is_flag=True,
              help="Let the base's [command.NAME] tools run, which may run code of the change.")  # fmt: skip
@review_options
def command(required: tuple[str, ...], accepted: tuple[str, ...], allow_head_code: bool, **options: Any) -> int:
    """Review a change in CI, and fail it at the severity threshold.

    A gate edits nothing and asks nothing. It reviews commits, never the working tree, and reads its configuration from
    the tip of the base: no change loosens its own review.
    """
    from selfreview.app.gate.policy import gate_policy
    from selfreview.cli.running import request_of, review_request, run_request

    policy = gate_policy(required=required, accepted=accepted, allows_head_code=allow_head_code)
    request = request_of(options, no_fix=True)
    if request.collect_only:
        return run_request(request, policy)
    run, code = review_request(request, policy)
    _hint_accept(run.result)
    return code


def _hint_accept(result: Result) -> None:
    threshold = Threshold(result.severity_threshold)
    blocking = [issue for issue in result.issues if threshold.blocks(issue) and not issue.is_check]
    if not blocking:
        return
    marks = ", ".join(f"{issue.id} {issue.fingerprint}" for issue in blocking[:_SHOWN])
    more = f", and {len(blocking) - _SHOWN} more in --format json:FILE" if len(blocking) > _SHOWN else ""
    console.note(f"hint: one that a maintainer has looked at passes with gate --accept FINGERPRINT: {marks}{more}")
