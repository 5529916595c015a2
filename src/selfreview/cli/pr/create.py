"""``selfreview pr create``: open a pull request for what was reviewed."""

from __future__ import annotations

from typing import Any

import click

from selfreview.app.pr.create import create_request
from selfreview.app.pr.request import NewRequest
from selfreview.cli import completions, console
from selfreview.cli.common import current_folder
from selfreview.cli.pr.options import remote_options
from selfreview.cli.terminal import Terminal


@click.command(name="create")
@click.option("--title", help="Its title; by default the subject of the only commit, or the branch's name.")
@click.option(
    "--base",
    metavar="BRANCH",
    shell_complete=completions.branches,
    help="What to merge into; by default the forge's default branch.",
)
@click.option("--draft", is_flag=True, help="Open it as a draft.")
@click.option("--force", is_flag=True, help="Open it although the review did not pass; needs --reason.")
@click.option("--reason", default="", help="Why, in your words; it stands in the pull request.")
@remote_options
def command(**options: Any) -> None:
    """Push this branch's commit, and open a pull request for it.

    The review of it has to have passed; where refinement did not finish, a draft lists the open issues. A
    pull request that is open already is used again. The branch is pushed where git pushes it; where that is a fork of
    another remote's repository, the pull request is opened there.
    """
    created = create_request(NewRequest(folder=current_folder(), **options), ui=Terminal())
    request = created.request
    what = "draft" if request.draft else "pull request"
    output = f"opened {what} #{request.number}" if created.made else f"{what} #{request.number} is open already"
    console.say(f"{output}: {request.url}")
    if created.why:
        console.say(f"  {created.why}")
