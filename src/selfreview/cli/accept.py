"""``selfreview accept``: an issue stays, and does not block any more."""

from __future__ import annotations

import click

from selfreview.cli.overriding import check_reason, decision, overriding


@click.command(name="accept")
@click.argument("issue")
@click.option("--reason", required=True, help="Why it may stay; shown wherever it would have blocked.")
def command(issue: str, reason: str) -> None:
    """Accept an issue of this branch, by its id or fingerprint.

    The next runs on this branch list it as accepted. It counts on this machine only: a gate does not know of it.
    """
    with overriding(begin=True) as (lived, repo, _, store):
        found = store.issue(issue).issue
        lived.recorder.decide(
            decision(repo, "accept", check_reason(reason), fingerprint=found.fingerprint, tree=lived.session.tree)
        )
    click.echo(f"accepted: {found.id} in {found.file}; run selfreview run again for the verdict")
