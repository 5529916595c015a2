"""Commands, arguments and options, as click knows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

import click
from scripts.reference.text import paragraphs, prose, table

from selfreview.cli.main import group


def commands() -> str:
    """Return a section for each command."""
    return "\n\n".join(_section(context) for context in walk())


def walk(context: click.Context | None = None) -> Iterator[click.Context]:
    """Yield a context for each command below a group, groups before what is in them."""
    context = context or click.Context(group, info_name="selfreview", **group.context_settings)
    assert isinstance(context.command, click.Group)  # noqa: S101 - for the type checker
    for name in context.command.list_commands(context):
        command = context.command.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, parent=context, info_name=name, **command.context_settings)
        yield inner
        if isinstance(command, click.Group):
            yield from walk(inner)


def _section(context: click.Context) -> str:
    command = context.command
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    parts = [f"## {context.command_path}", *paragraphs(command.help or ""), f"```text\n{usage}\n```"]
    rows = [_row(param, context) for param in command.get_params(context) if _is_shown(param)]
    if isinstance(command, click.Group):
        inner = [(name, command.get_command(context, name)) for name in command.list_commands(context)]
        parts.append(table(("command", "what it does"), [
            (f"`{name}`", prose(each.get_short_help_str(200))) for name, each in inner if each is not None
        ]))  # fmt: skip
    return "\n\n".join([*parts, table(("option", "meaning"), rows)] if rows else parts)


def _is_shown(param: click.Parameter) -> TypeGuard[click.Option]:
    return isinstance(param, click.Option) and not param.hidden and param.name != "help"


def _row(option: click.Option, context: click.Context) -> tuple[str, str]:
    names = ", ".join(f"`{name}`" for name in sorted((*option.opts, *option.secondary_opts), key=len))
    value = "" if option.is_flag or option.count else f" `{option.make_metavar(context)}`"
    meaning = prose((option.help or "").strip())
    shown = isinstance(option.default, (str, int)) and not option.is_flag and option.default != ""
    return names + value, f"{meaning} Default: `{option.default}`.".strip() if shown else meaning
