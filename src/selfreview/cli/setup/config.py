"""``selfreview config`` and ``plugins``: every key with its value and origin, every plugin with its hooks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import click

from selfreview.app.loading import check_rules, configured, reviewers_of
from selfreview.cli import completions, console
from selfreview.cli.common import find_repo_if_any, load_project
from selfreview.cli.options import plugin_options
from selfreview.cli.terminal import Terminal
from selfreview.config.view import Setting
from selfreview.errors import UsageError
from selfreview.review.selection import KEYS
from selfreview.text.escape import visible
from selfreview.text.toml import toml_value


@click.command(name="config")
@click.argument("names", nargs=-1, metavar="[KEY]...", shell_complete=completions.keys)
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
@click.option("--describe", is_flag=True, help="Explain each key.")
@click.option(
    "--template",
    metavar="NAME",
    shell_complete=completions.templates,
    help="Print a bundled prompt or exclusions.toml instead, to start from.",
)
@plugin_options
def command(
    *,
    names: tuple[str, ...],
    format_name: str,
    describe: bool,
    template: str | None,
    plugins: tuple[str, ...],
    overrides: tuple[str, ...],
) -> None:
    """Print configuration keys, all or those named, with value and origin, as TOML.

    A selector that means no rule is an error, as for `selfreview run`.
    """
    if template is not None:
        _print_template(template)
        return
    project = load_project(find_repo_if_any(), plugins=plugins, overrides=overrides)
    settings = project.config.settings()
    known = {setting.key.name for setting in settings}
    for name in names:
        if name not in known:
            from selfreview.text.suggestion import did_you_mean

            hint = did_you_mean(name, sorted(known)) or "selfreview config lists the keys"
            raise UsageError(f"there is no configuration key {name!r}", hint=hint)
    chosen = [setting for setting in settings if not names or setting.key.name in names]
    if format_name == "json":
        click.echo(json.dumps([_as_json(setting) for setting in chosen], indent=2, ensure_ascii=False, default=str))
    else:
        _print(chosen, describe=describe)
    if not names or not set(KEYS).isdisjoint(names):
        with configured(project, Terminal()):
            check_rules(project, reviewers_of(project.manager, project.config))


def _print(chosen: Sequence[Setting], *, describe: bool) -> None:
    width = max(len(setting.key.name) for setting in chosen)
    for setting in chosen:
        if describe:
            console.say(f"# {visible(setting.key.help)}")
        if setting.value is None:
            console.say(f"# {setting.key.name} is not set")
        else:
            console.say(f"{setting.key.name:{width}} = {toml_value(setting.value)}  # {visible(_origin(setting))}")
        if describe:
            console.say()


def _print_template(name: str) -> None:
    """Print a template as it is bundled.

    Raises:
        UsageError: If there is none of that name; the hint lists them.
    """
    from selfreview.resources import folder

    folders = [folder("templates") / kind for kind in ("prompts", "fixing")]
    known = {path.name: path for each in folders for path in sorted(each.iterdir()) if path.is_file()}
    path = known.get(name) or known.get(f"{name}.md.j2")
    if path is None:
        raise UsageError(f"there is no template {name!r}", hint=f"there are: {', '.join(known)}")
    click.echo(path.read_bytes(), nl=False)


def _origin(setting: Setting) -> str:
    return setting.origin + (f"; withheld until trusted: {setting.withheld}" if setting.withheld else "")


def _as_json(setting: Setting) -> dict[str, object]:
    key = setting.key
    return {
        "name": key.name,
        "value": setting.value,
        "origin": setting.origin,
        "withheld": setting.withheld,
        "default": key.default,
        "kind": key.kind,
        "choices": list(key.choices),
        "help": key.help,
    }


@click.command(name="plugins")
@click.option("-f", "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal")
@plugin_options
def plugins(format_name: str, plugins: tuple[str, ...], overrides: tuple[str, ...]) -> None:
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
