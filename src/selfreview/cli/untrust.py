"""``selfreview untrust``: revoke a permission."""

from __future__ import annotations

import os

import click

from selfreview.cli import console
from selfreview.cli.common import find_repo
from selfreview.trust import ConsentStore, TrustStore


@click.command(name="untrust")
def command() -> None:
    """Take back every permission given to this repository: to run its commands, and to send its code to a model."""
    where = find_repo().common_dir
    trusted = TrustStore.of_user(os.environ).untrust(where)
    answered = ConsentStore.of_user(os.environ).forget(where)
    if trusted or not answered:
        console.say("This repository is not trusted any more." if trusted else "Nothing was trusted here.")
    if answered:
        console.say("Whether its code may be sent to a model is asked again.")
