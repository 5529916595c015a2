"""``selfreview plugins``: what is on, from where, with its hooks."""

from __future__ import annotations

import dataclasses
import json

import click

from selfreview.cli import console
from selfreview.cli.common import find_repo_if_any, load_project
from selfreview.cli.options import plugin_options


@click.command(name="plugins")
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
@plugin_options
def command(format_name: str, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> None:
    """List the plugins that were found, where they come from, whether they are on, and their hooks."""
    from selfreview.text.escape import visible

    loaded = load_project(find_repo_if_any(), plugins=plugins, overrides=overrides).loaded
    records = loaded.manager.records()
    if format_name == "json":
        click.echo(json.dumps([dataclasses.asdict(record) for record in records], indent=2))
        return
    width = max(len(record.name) for record in records)
    for record in records:
        hooks = ", ".join(name.removeprefix("selfreview_") for name in record.hooks)
        console.say(
            visible(f"{record.name:{width}}  {record.state:9}  {record.source}" + (f"  {hooks}" if hooks else ""))
        )
    for text in loaded.notes:
        console.say(f"note: {visible(text)}", err=True)
    if loaded.trust.note:
        console.say(f"note: {visible(loaded.trust.note)}\nhint: {loaded.trust.hint}", err=True)
