"""The command group, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selfreview.cli import console, plugin_commands
from selfreview.cli.commands import COMMANDS, load, reviews
from selfreview.cli.failure import fail, keep, named_formats
from selfreview.cli.plugin_commands import EARLIER
from selfreview.cli.terminal import PLUGINS, heed
from selfreview.errors import ExitCode, OutputError, PluginError, SelfreviewError, UsageError
from selfreview.text.masking import masking
from selfreview.text.suggestion import closest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_ARGUMENTS = "selfreview.arguments"
"""Key in click's context of the values of every ``-p``, wherever they are."""
_ADDED = "selfreview.added"
"""Key in click's context that is there where the command is a plugin's."""


class LazyGroup(click.Group):
    """A command group that imports a command's module when the command is used."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the plugins that are asked for and left out, for they decide which commands there are."""
        ctx.meta[EARLIER], _ = plugin_commands.split_arguments(args)
        ctx.meta[_ARGUMENTS] = plugin_commands.plugin_arguments(args)
        return super().parse_args(ctx, args)

    def own_commands(self, ctx: click.Context) -> dict[str, str]:
        """Return selfreview's own commands with their help, in the order of the table."""
        given = ctx.meta.get(_ARGUMENTS, ())
        return {
            name: command.help for name, command in COMMANDS.items() if not plugin_commands.is_left_out(name, given)
        }

    def all_commands(self, ctx: click.Context) -> dict[str, str]:
        """Return the same with the commands that installed plugins add; no plugin is imported."""
        own = self.own_commands(ctx)
        added = plugin_commands.offered(ctx.meta.get(_ARGUMENTS, ()), own)
        return own | {name: f"Added by a plugin ({source})." for name, source in added.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of selfreview's own commands."""
        return list(self.own_commands(ctx))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        own = self.own_commands(ctx)
        if cmd_name not in own:
            found = plugin_commands.find(cmd_name, ctx.meta.get(_ARGUMENTS, ()), own)
            if found is None:
                return None
            ctx.meta[PLUGINS], command = found
            ctx.meta[_ADDED] = True
            return command
        if cmd_name in plugin_commands.BUILT_IN:
            return plugin_commands.built_in(cmd_name)
        return load(cmd_name)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Offer the commands without importing them."""
        from click.shell_completion import CompletionItem

        names = self.all_commands(ctx).items()
        found = [CompletionItem(name, help=text) for name, text in names if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the one that was probably meant."""
        name = args[0] if args else ""
        if not name or name.startswith("-"):
            return super().resolve_command(ctx, args)
        near = closest(name, self.all_commands(ctx)) if name not in self.own_commands(ctx) else None
        missing = UsageError(
            f"there is no command {name!r}",
            hint=f"did you mean {near!r}?" if near else "selfreview --help lists the commands",
        )
        try:
            command = self.get_command(ctx, name)
        except SelfreviewError as error:
            if near is None or near == name:
                raise
            raise UsageError(missing.message, hint=f"{missing.hint} If it is of a plugin: {error.message}") from error
        if command is None:
            plugin = plugin_commands.BUILT_IN.get(name)
            raise missing if plugin is None else UsageError(missing.message, hint=f"-p no:{plugin} takes it away")
        return name, command, args[1:]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, reporting exceptions from a person's plugin as that plugin's error."""
        try:
            value = super().invoke(ctx)
        except (SelfreviewError, KeyboardInterrupt):
            raise
        except BaseException as error:
            manager = ctx.meta.get(PLUGINS)
            blamed = manager.blamed(error) if manager is not None else None
            if blamed is not None:
                raise blamed from error
            if manager is not None and _ADDED not in ctx.meta and isinstance(error, click.exceptions.Exit):
                # With plugins, no command of ours does.
                message = f"a plugin ended the program: Exit({error.exit_code})"
                raise PluginError(message, hint="selfreview plugins lists them, -p no:NAME leaves one out") from error
            raise
        if _ADDED not in ctx.meta and ctx.invoked_subcommand is not None:
            given = ctx.meta.get(_ARGUMENTS, ())
            plugin_commands.warn_of_collision(ctx.invoked_subcommand, ctx.meta.get(PLUGINS), given)
        return value

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; of plugins, those alone are imported that were asked for."""
        known = self.all_commands(ctx)
        asked = plugin_commands.asked(ctx.meta.get(_ARGUMENTS, ()), known)
        with formatter.section("Commands"):
            formatter.write_dl(list((known | asked).items()))
        for text in plugin_commands.collisions(ctx.meta.get(_ARGUMENTS, ()), self.own_commands(ctx)):
            formatter.write_paragraph()
            formatter.write_text(f"warning: {text}")


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 passed, 1 issues, 3 internal error, 4 usage, 5 could not review, 130 interrupted.",
)
@click.option(
    "-p",
    multiple=True,
    metavar="NAME",
    expose_value=False,
    help="Load a plugin, or turn one off with no:NAME, with the commands that it adds; repeatable.",
)
@click.version_option(None, "-V", "--version", package_name="selfreview", message="selfreview %(version)s")
def group() -> None:
    """Review your own change before anyone else has to."""


def run(arguments: Sequence[str]) -> None:
    """Run a command line and exit the process."""
    asked = os.environ.get("_SELFREVIEW_COMPLETE")
    if asked and not arguments:  # no variable turns a review into something else
        from selfreview.cli.shell_completion import answer

        click.echo(answer(asked, group))
        sys.exit(0)
    heed()
    code = execute(arguments)
    code = console.flush(code)
    if console.left_behind():
        os._exit(code)  # a reviewer that never came back must not keep the process alive
    sys.exit(code)


def execute(arguments: Sequence[str]) -> int:
    """Run a command line; print the error, if any, and return the exit code."""
    _, command_line = plugin_commands.split_arguments(arguments)
    formats = named_formats(command_line)
    masking().clear()  # of an earlier command line in the same process
    try:
        value = group.main(list(arguments), prog_name="selfreview", standalone_mode=False, complete_var="")
        return int(value) if isinstance(value, int) else ExitCode.PASSED
    except click.exceptions.Exit as end:
        return end.exit_code
    except (KeyboardInterrupt, click.Abort) as error:
        hint = getattr(error.__cause__ or error, "hint", None)  # click raises its own from it
        return fail("interrupted", hint, ExitCode.INTERRUPTED, formats=formats)
    except click.exceptions.NoArgsIsHelpError as error:
        console.say(error.format_message(), err=True)
        return ExitCode.USAGE  # a script that forgot the command must not read this as a pass
    except click.ClickException as error:
        return _fail(error, command_line, *_explain(error), ExitCode.USAGE)
    except SelfreviewError as error:
        return _fail(error, command_line, error.message, error.hint, error.exit_code)
    except BrokenPipeError:
        return _reader_gone(command_line)
    except BaseException as error:  # noqa: BLE001 - the outermost boundary: a crash becomes a report
        return _unexpected(error, command_line)


def _fail(error: BaseException, arguments: Sequence[str], message: str, hint: str | None, code: int) -> int:
    """Report an error, keep it as an event, and return the exit code."""
    keep(error, arguments, message, hint, code)
    return fail(message, hint, code, formats=named_formats(arguments))


def _unexpected(error: BaseException, arguments: Sequence[str]) -> int:
    """Report an unexpected error, and return its exit code: a closed pipe, a full disk, a denied access, a defect."""
    if isinstance(error, SystemExit) and type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
        return _reader_gone(arguments)  # click ends so when the reader of its output went away
    if isinstance(error, OSError) and console.is_full_disk(error):
        message = f"the disk is full: {error.filename2 or error.filename or 'writing the output'}"
        hint = "make room there; TMPDIR names another folder for temporary files" if error.filename else None
        return _fail(error, arguments, message, hint, OutputError.exit_code)
    denied = isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    if isinstance(error, OSError) and denied and isinstance(error.filename, (str, bytes)):  # an open file has a number
        from selfreview.access import access_hint

        path = os.fsdecode(error.filename)
        return _fail(error, arguments, f"{path}: {error.strerror}", access_hint(Path(path)), OutputError.exit_code)
    return _crash(error, arguments)  # any other SystemExit chooses no exit code


def _reader_gone(arguments: Sequence[str]) -> int:
    """Return the exit code where standard output was closed early: fine for a listing, no verdict for a review."""
    return ExitCode.INCOMPLETE if reviews(arguments) else ExitCode.PASSED


def _crash(error: BaseException, arguments: Sequence[str]) -> int:
    message, hint = f"internal error: {type(error).__name__}", "this is a defect of selfreview"
    try:
        from selfreview.app.crash import describe, write_report

        message = f"internal error: {describe(error)}"
        path = write_report("selfreview", error)
        hint += f"; the crash report is in {path}" if path else ""
    except Exception as second:  # noqa: BLE001 - the first error is told all the same
        hint += f"; and its crash report failed: {type(second).__name__}"
    return _fail(error, arguments, message, hint, ExitCode.INTERNAL_ERROR)


def _explain(error: click.ClickException) -> tuple[str, str | None]:
    message = " ".join(error.format_message().split()).removesuffix(".")
    message = message[:1].lower() + message[1:]
    context = error.ctx if isinstance(error, click.UsageError) else None
    return message, f"{context.command_path} --help" if context is not None else None
