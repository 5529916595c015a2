"""``selfreview untrust``: take a permission back."""

from __future__ import annotations

import os

import click

from selfreview.cli.common import find_repo
from selfreview.trust import TrustStore


@click.command(name="untrust")
def command() -> None:
    """Take back every permission given to this repository."""
    number = TrustStore.of_user(os.environ).untrust(find_repo().common_dir)
    click.echo("Nothing was trusted here." if number == 0 else "This repository is not trusted any more.")
