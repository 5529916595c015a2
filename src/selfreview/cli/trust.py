"""``selfreview trust``: allow what this repository's configuration can run, after it was shown."""

from __future__ import annotations

import os

import click

from selfreview.cli.common import find_repo, load_session
from selfreview.errors import UsageError
from selfreview.trust import TrustStore


@click.command(name="trust")
@click.option("--list", "list_", is_flag=True, help="List what is trusted, and where.")
@click.option("--show", is_flag=True, help="Show what would be trusted, and trust nothing.")
def command(list_: bool, show: bool) -> None:
    """Allow what this repository's configuration can run: selfreview_conf.py and the tables that name commands.

    The permission is for this repository and for exactly this content; when it changes you are asked again.
    """
    from selfreview.text.escape import visible

    if list_:
        for record in TrustStore.of_user(os.environ).records():
            click.echo(f"{record.at}  {record.digest[:12]}  {visible(record.repository)}")
        return
    repo = find_repo()
    state = load_session(repo, trusted=False).loaded.trust
    if state.subject is None:
        click.echo("There is nothing to trust: this repository's configuration runs nothing.")
        return
    click.echo("This repository's configuration can run:")
    for line in state.subject.describe():
        click.echo(f"  {visible(line)}")
    if show:
        trusted = TrustStore.of_user(os.environ).is_trusted(repo.common_dir, state.subject)
        click.echo("It is trusted." if trusted else "It is not trusted.")
        return
    if state.repository is None:
        raise UsageError("only a repository can be trusted")
    TrustStore.of_user(os.environ).trust(state.repository, state.subject)
    click.echo("It is trusted now; take it back with: selfreview untrust")
