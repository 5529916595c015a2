"""``selfreview trust`` and ``untrust``: what this repository may run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence

import click

from selfreview.cli import console
from selfreview.cli.common import find_repo, load_project
from selfreview.cli.options import plugin_options
from selfreview.errors import ExitCode, UsageError
from selfreview.text.escape import visible
from selfreview.trust.store import ConsentStore, TrustStore
from selfreview.trust.subject import CONF_NAME, TrustSubject, code_lines


@click.command(name="trust")
@click.option("--list", "list_", is_flag=True, help="List what is trusted, and what may be sent to a model.")
@click.option("--show", is_flag=True, help="Show what would be trusted, and trust nothing.")
@plugin_options
def trust(list_: bool, show: bool, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> int:
    """Allow this repository to run its own code: selfreview_conf.py and the commands that its configuration names.

    It is shown first, and on a terminal you are asked. The permission is for this repository and for exactly this
    content; when it changes you are asked again.
    """
    if list_:
        trusts, consents = TrustStore.of_user(os.environ).records(), ConsentStore.of_user(os.environ).records()
        for record in trusts:
            console.say(f"{record.at}  {record.digest[:12]}  {visible(record.repository)}")
        for consent in consents:
            answer = "upload" if consent.given else "no upload"
            console.say(f"{consent.at}  {answer:12}  {visible(consent.repository)} to {visible(consent.receiver)}")
        if not trusts and not consents:
            console.note("No repository is trusted yet.")
        return ExitCode.PASSED
    repo = find_repo()
    state = load_project(repo, plugins=plugins, overrides=overrides, trusted=False).loaded.trust
    if state.subject is None:
        console.say("There is nothing to trust: this repository's configuration runs nothing.")
        return ExitCode.PASSED
    _print(list(_shown(state.subject)))
    if show:
        trusted = TrustStore.of_user(os.environ).is_trusted(repo.common_dir, state.subject)
        console.say("It is trusted." if trusted else "It is not trusted.")
        return ExitCode.PASSED
    if state.repository is None:
        raise UsageError("only a repository can be trusted")
    asks = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    if asks and not click.confirm("May this run on your machine?", default=False):
        console.say("It is not trusted.")
        return ExitCode.USAGE
    TrustStore.of_user(os.environ).trust(state.repository, state.subject)
    console.say("It is trusted now; take it back with: selfreview untrust")
    return ExitCode.PASSED


def _shown(subject: TrustSubject) -> Iterator[str]:
    """Yield the summary, then the code itself: exactly the bytes that would be trusted."""
    yield "This repository's configuration runs programs, as these settings say:"
    yield from (f"  {visible(line)}" for line in subject.describe())
    if subject.conf is not None:
        yield ""
        yield f"{CONF_NAME}:"
        yield from (f"  {line}" for line in code_lines(subject.conf))
    yield ""


def _print(lines: Sequence[str]) -> None:
    """Print the lines, through a pager where a terminal cannot show all of them."""
    text = "".join(f"{line}\n" for line in lines)
    if sys.stdout.isatty() and len(lines) >= shutil.get_terminal_size((80, 24)).lines:
        click.echo_via_pager(text)
    else:
        console.say(text, nl=False)


@click.command(name="untrust")
def untrust() -> None:
    """Take back every permission given to this repository: to run its commands, and to send its code to a model."""
    where = find_repo().common_dir
    trusted = TrustStore.of_user(os.environ).untrust(where)
    answered = ConsentStore.of_user(os.environ).forget(where)
    if trusted or not answered:
        console.say("This repository is not trusted any more." if trusted else "Nothing was trusted here.")
    if answered:
        console.say("Whether its code may be sent to a model is asked again.")
