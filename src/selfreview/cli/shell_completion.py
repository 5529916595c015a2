"""Shell completion: the command that prints a shell's script, and the answers that the script asks for.

The shell asks in the environment: ``_SELFREVIEW_COMPLETE``, as click has it, and ``COMP_LINE``, the command line up to
the cursor. Whatever goes wrong offers nothing: at a prompt nobody can read an error.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete
from click.shell_completion import split_arg_string as split

SHELLS = ("bash", "zsh", "fish")
_BREAKS = "=:@"
"""Characters at which bash alone ends a word, if ``COMP_WORDBREAKS`` holds them."""


def script(shell: str) -> str:
    """Return the completion script of a shell, which asks this very installation, no program of the current folder."""
    import shlex

    from selfreview import resources

    program = _program()
    quoted = shlex.quote(program) if shell != "fish" else "'" + program.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return resources.read("templates", f"completion/{shell}").decode().replace("@PROGRAM@", quoted)


def answer(instruction: str, group: click.Group) -> str:
    """Return the answer to a shell, in the format of click's own scripts.

    Args:
        instruction: ``SHELL_complete``, or ``SHELL_source`` for the script.
        group: All commands.
    """
    shell, _, what = instruction.partition("_")
    if shell not in _ANSWERS:
        return ""
    if what == "source":
        return script(shell)
    try:
        # What a plugin prints is no answer.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            asked: ShellComplete = _ANSWERS[shell](group, {}, "selfreview", "_SELFREVIEW_COMPLETE")
            return asked.complete()
    except (Exception, SystemExit):  # noqa: BLE001 - see above
        return ""


def _program() -> str:
    from selfreview.programs import find_on_path

    beside = Path(sys.executable).with_name("selfreview")
    return str(beside) if beside.exists() else find_on_path("selfreview", os.environ) or "selfreview"


class _Line(ShellComplete):
    """Completion from the whole command line, as shells cut words at different places."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, and the word at the cursor."""
        line = os.environ.get("COMP_LINE")
        if line is None:  # click's own script
            return super().get_completion_args()
        *words, last = split(line + "x")  # so that there is a last word, and a quote may be open
        return words[1:], last[:-1]

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return the completions, each as the whole word that it replaces."""
        from selfreview.text.escape import visible

        items = super().get_completions(args, incomplete)
        option = ""
        if "COMP_LINE" in os.environ and incomplete.startswith("-") and "=" in incomplete:
            option = incomplete[: incomplete.index("=") + 1]  # the word is --base=ma, and click offers main
        items = [_item(option + item.value, item) for item in items]
        return [self.fitted(item, incomplete) for item in items if item.value == visible(item.value)]

    def fitted(self, item: CompletionItem[str], incomplete: str) -> CompletionItem[str]:  # noqa: ARG002 - for bash
        """Return a completion without the part that the shell does not replace."""
        return item


class _Bash(_Line, BashComplete):
    def fitted(self, item: CompletionItem[str], incomplete: str) -> CompletionItem[str]:
        """Return a completion without the text up to the last character at which bash ends a word."""
        breaks = set(_BREAKS).intersection(os.environ.get("COMP_WORDBREAKS", ""))
        start = max((incomplete.rfind(one) + 1 for one in breaks), default=0)
        return _item(item.value[start:], item)


class _Zsh(_Line, ZshComplete):
    pass


class _Fish(_Line, FishComplete):
    pass


_ANSWERS: dict[str, Any] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def _item(value: str, item: CompletionItem[Any]) -> CompletionItem[str]:
    """Return the same item with another value, and with control characters made visible."""
    from selfreview.text.escape import visible
    from selfreview.text.layout import fold

    return CompletionItem(value, type=item.type, help=visible(fold(item.help)) if item.help else None)


@click.command(name="completion")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script of a shell, for commands, options and their values.

    Put eval "$(selfreview completion bash)" into ~/.bashrc, the same for zsh into ~/.zshrc after compinit; write the
    script for fish to ~/.config/fish/completions/selfreview.fish.
    """
    click.echo(script(shell), nl=False)
