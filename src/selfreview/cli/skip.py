"""``selfreview skip``: go to the pull request without a review that passes."""

from __future__ import annotations

import click

from selfreview.app.decisions import check_reason, decision
from selfreview.cli import console
from selfreview.cli.overriding import overriding


@click.command(name="skip")
@click.option("--reason", required=True, help="Why; the pull request shows it.")
def command(reason: str) -> None:
    """Note that this branch, as it is now, may go to its pull request although the review does not pass.

    It changes no verdict and no exit code, and counts for the tree of now only.
    """
    with overriding("skip", begin=True) as (lived, repo, _, _):
        tree = repo.git.line(["rev-parse", "--verify", "-q", "HEAD^{tree}"])
        lived.recorder.decide(decision(repo, "skip", check_reason(reason), tree=tree))
        uncommitted = bool(repo.git.call(["status", "--porcelain"]).stdout)
    console.say("noted: the pull request may be made of what is committed now, with the open issues listed in it")
    if uncommitted:
        console.note("what is not committed is no part of that: commit it, and skip again")
