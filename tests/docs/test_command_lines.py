"""Every command line of selfreview that the documentation shows can be typed."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from selfreview.cli.main import group
from tests.docs import pages

PLACEHOLDER = re.compile(r"\s*(?:…|\.\.\.)|…")


def shown() -> dict[str, str]:
    """Return the command lines, each with a page that shows it."""
    found: dict[str, str] = {}
    for page in pages.PAGES:
        for line in pages.command_lines(page.read_text(encoding="utf-8")):
            found.setdefault(line, pages.name(page))
    return found


def parse(line: str) -> None:
    """Parse a command line as the program does, without running anything.

    Raises:
        click.ClickException: If the program would refuse it.
    """
    words = shlex.split(PLACEHOLDER.sub(" TEXT", line))
    names_plugin = words[:1] == ["-p"]
    words = words[2:] if names_plugin else words
    command: click.Command = group
    context = click.Context(group, info_name="selfreview", **group.context_settings)
    while isinstance(command, click.Group):
        if not words or words[0].startswith("-"):
            break
        found = command.get_command(context, words[0])
        if found is None and names_plugin:
            return  # the plugin's command
        if found is None:
            raise click.UsageError(f"no command {words[0]}")
        command, name, words = found, words[0], words[1:]
        if not isinstance(command, click.Group):
            context = command.make_context(name, list(words) or [], parent=context)
            return
        context = click.Context(command, parent=context, info_name=name, **command.context_settings)
    known = {option for each in command.get_params(context) for option in each.opts}
    if unknown := [word for word in words if word not in known]:
        raise click.UsageError(f"no option {unknown[0]}")


@pytest.mark.parametrize(("line", "page"), shown().items(), ids=lambda value: value)
def test_it_can_be_typed(line: str, page: str) -> None:
    parse(line)


@pytest.mark.parametrize(
    "line", ["rum", "run --bse x", "run --max-iterations many", "hook instal", "show --iteration x", "-x"]
)
def test_what_cannot_be_typed_is_seen(line: str) -> None:
    with pytest.raises(click.ClickException):
        parse(line)


def test_all_kinds_of_places_are_looked_at() -> None:
    text = "`A=1 selfreview run`\n\n```console\n$ x/selfreview gate --x  # why\nselfreview says\n```\n\n"
    text += '    selfreview hook run pre-push "$@"\n'
    assert sorted(pages.command_lines(text)) == ["gate --x", 'hook run pre-push "$@"', "run"]
