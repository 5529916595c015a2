"""The command group, and the one place where errors become exit codes."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from selfreview.cli import console
from selfreview.cli.failure import fail, named_formats
from selfreview.cli.signals import heed
from selfreview.errors import ExitCode, OutputError, PluginError, SelfreviewError, UsageError
from selfreview.text.masking import masking

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "run": "Review the change that would become your pull request.",
    "status": "Say what the last review of this branch found.",
    "gate": "Review a change in CI: edits nothing, asks nothing, believes the base.",
    "history": "List earlier reviews.",
    "show": "Show everything about one issue.",
    "report": "Write the last review of this branch in any format.",
    "apply": "Put a kept refinement into your tree.",
    "undo": "Take back what was applied last.",
    "refine": "Refine this branch once more.",
    "retry": "Do the last stage again.",
    "resume": "Go on where a run broke off.",
    "accept": "Let an issue of this branch stay.",
    "skip": "Go to the pull request although the review does not pass.",
    "ready": "Mark this branch as ready for people to review.",
    "reset": "Begin this branch's session anew.",
    "pr": "Open a pull request, read what reviewers say, and answer it.",
    "baseline": "Keep the file of issues that are known and do not count.",
    "config": "Print every configuration key, its value and where it comes from.",
    "plugins": "List the plugins, where they come from and their hooks.",
    "notify": "Say who is told of what, and try a channel.",
    "trust": "Allow what this repository's configuration can run.",
    "untrust": "Take that back.",
    "hook": "Install or remove the git hooks.",
    "init": "Write configuration, CI jobs, hooks and texts for agents into this repository.",
    "doctor": "Check the installation and this repository.",
    "schema": "Print the JSON Schema of an output.",
    "demo": "Review a sample repository that it creates.",
    "completion": "Print the script with which a shell completes all of this.",
}
"""Every command with its one line of help; its module is ``selfreview.cli.NAME`` (``NAME_command`` where that is
something else)."""

_MODULES = {"config": "config_command", "run": "run_command"}


class LazyGroup(click.Group):
    """A command group that imports a command's module when the command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return all names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"selfreview.cli.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Offer the commands without importing them."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the one that was probably meant."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, 1)
            hint = f"did you mean {near[0]!r}?" if near else "selfreview --help lists the commands"
            raise UsageError(f"there is no command {name!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, reporting exceptions from a person's plugin as that plugin's error."""
        try:
            return super().invoke(ctx)
        except (SelfreviewError, KeyboardInterrupt):
            raise
        except BaseException as error:
            from selfreview.cli.common import PLUGINS

            manager = ctx.meta.get(PLUGINS)
            blamed = manager.blamed(error) if manager is not None else None
            if blamed is not None:
                raise blamed from error
            if manager is not None and isinstance(
                error, click.exceptions.Exit
            ):  # with plugins, no command of ours does
                message = f"a plugin ended the program: Exit({error.exit_code})"
                raise PluginError(message, hint="selfreview plugins lists them, -p no:NAME leaves one out") from error
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 passed, 1 issues, 3 internal error, 4 usage, 5 could not review, 130 interrupted.",
)
@click.version_option(None, "-V", "--version", package_name="selfreview", message="selfreview %(version)s")
def group() -> None:
    """Review your own change before anyone else has to."""


def run(arguments: Sequence[str]) -> None:
    """Run a command line and exit the process."""
    asked = os.environ.get("_SELFREVIEW_COMPLETE")
    if asked and not arguments:  # no variable turns a review into something else
        from selfreview.cli.tab import answer

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
    formats = named_formats(arguments)
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
        return fail(*_explain(error), ExitCode.USAGE, formats=formats)
    except SelfreviewError as error:
        return fail(error.message, error.hint, error.exit_code, formats=formats)
    except BrokenPipeError:
        return _reader_gone(arguments)
    except BaseException as error:  # noqa: BLE001 - the outermost boundary: a crash becomes a report
        return _unexpected(error, arguments, formats)


def _unexpected(error: BaseException, arguments: Sequence[str], formats: Sequence[str]) -> int:
    """Report an unexpected error, and return its exit code: a closed pipe, a full disk, a denied access, a defect."""
    if isinstance(error, SystemExit) and type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
        return _reader_gone(arguments)  # click ends so when the reader of its output went away
    if isinstance(error, OSError) and console.is_full_disk(error):
        message = f"the disk is full: {error.filename2 or error.filename or 'writing the output'}"
        hint = "make room there; TMPDIR names another folder for temporary files"
        return fail(message, hint, OutputError.exit_code, formats=formats)
    denied = isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    if isinstance(error, OSError) and denied and isinstance(error.filename, (str, bytes)):  # an open file has a number
        from selfreview.access import access_hint

        path = os.fsdecode(error.filename)
        return fail(f"{path}: {error.strerror}", access_hint(Path(path)), OutputError.exit_code, formats=formats)
    return _crash(error, formats)  # any other SystemExit chooses no exit code


def _reader_gone(arguments: Sequence[str]) -> int:
    """Return the exit code where standard output was closed early: fine for a listing, no verdict for a review."""
    reviews = bool(arguments) and arguments[0] in ("run", "gate", "hook") and "--collect-only" not in arguments
    return ExitCode.INCOMPLETE if reviews else ExitCode.PASSED


def _crash(error: BaseException, formats: Sequence[str]) -> int:
    message, hint = f"internal error: {type(error).__name__}", "this is a defect of selfreview"
    try:
        from selfreview.cli.crash import describe, write_report

        message = f"internal error: {describe(error)}"
        path = write_report("selfreview", error)
        hint += f"; the crash report is in {path}" if path else ""
    except Exception as second:  # noqa: BLE001 - the first error is told all the same
        hint += f"; and its crash report failed: {type(second).__name__}"
    return fail(message, hint, ExitCode.INTERNAL_ERROR, formats=formats)


def _explain(error: click.ClickException) -> tuple[str, str | None]:
    message = " ".join(error.format_message().split()).removesuffix(".")
    message = message[:1].lower() + message[1:]
    context = error.ctx if isinstance(error, click.UsageError) else None
    return message, f"{context.command_path} --help" if context is not None else None
