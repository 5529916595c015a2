"""``selfreview run``: review a change. What a run does is in :mod:`selfreview.app.run`."""

from __future__ import annotations

from typing import Any

import click

from selfreview.cli import completions
from selfreview.cli.options import review_options


@click.command(name="run")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=completions.files)
@click.option(
    "--base",
    metavar="REF",
    shell_complete=completions.revisions,
    help="Compare with the merge base of REF and HEAD (or --head).",
)
@click.option(
    "--head", metavar="REV", shell_complete=completions.revisions, help="Review committed content only, up to REV."
)
@click.option("--staged", is_flag=True, help="Review what is staged.")
@click.option("--commit", metavar="REV", shell_complete=completions.revisions, help="Review one commit.")
@click.option(
    "--range",
    "range",
    metavar="A..B",
    shell_complete=completions.ranges,
    help="Review a range; A...B starts at the merge base.",
)
@click.option(
    "--diff",
    metavar="FILE",
    shell_complete=completions.files,
    help="Review a unified diff, or standard input for '-'; needs no repository.",
)
@click.option("--collect-only", is_flag=True, help="Print what would be reviewed; call no reviewer.")
@click.option("--no-fix", is_flag=True, help="Only review and run checks; fix nothing.")
@click.option("--max-iterations", type=click.IntRange(min=0), metavar="N", help="Refine at most N times.")
@click.option("--fixer", "fixers", multiple=True, metavar="NAME", shell_complete=completions.fixers,
              help="Use only this fixer; repeatable. auto: those that are on by default.")  # fmt: skip
@click.option("--apply", is_flag=True, help="Apply the fixes to your tree without asking.")
@click.option("--stage", is_flag=True, help="Stage what is applied.")
@review_options
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Review a change, and refine it (fix, check, review again) until the verdict passes.

    By default the change is everything between the merge base with the default branch and the working tree. Fixes are
    made in a copy; your tree is changed only if you say so (at the question, d shows the whole patch).
    """
    from selfreview.app.policies import PERSON
    from selfreview.cli.running import request_of, run_request

    return run_request(request_of(options, paths=paths), PERSON)
