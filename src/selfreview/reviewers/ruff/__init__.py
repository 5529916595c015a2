"""Ruff: the repository's own configuration where it selects rules, else a set of rules that find bugs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from selfreview.api import (
    ChangedFile,
    Depth,
    FileStatus,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    ReviewerStatus,
    RuleInfo,
    hookimpl,
)
from selfreview.reviewers.tools.program import digest, find_program, program_key
from selfreview.syntax.languages import language_in, language_of, may_be_script


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(RuffReviewer())


class RuffReviewer:
    """Runs ruff over the Python files of a change.

    Args:
        program: The executable; by default the installed wheel's, else the first on PATH.
    """

    name = "ruff"
    depth = Depth.STATIC
    default = True

    def __init__(self, program: Path | None = None) -> None:
        self._program = program

    def selects(self, file: ChangedFile) -> bool:
        """Take Python that exists on the new side: modules, stubs and what may be scripts."""
        known = language_of(file.path) == "python" and file.status is not FileStatus.DELETED and not file.is_symlink
        return known or may_be_script(file)

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable, our own rules and every configuration file above a changed file."""
        program = self._find()
        if program is None:
            return None
        from selfreview.reviewers.ruff import rules
        from selfreview.reviewers.tools.ruff_config import ConfigFinder

        finder = ConfigFinder(filter(self.selects, context.change.reviewable), context)
        parts: list[str | bytes] = [program_key(program), repr(rules.BUGS), repr(rules.UNRELIABLE)]
        parts.append(f"{context.settings_of_base}")  # what a gate does not read, a review may
        return digest([*parts, *(part for item in sorted(finder.seen.items()) for part in item)])

    def rules(self) -> list[RuleInfo]:
        """Ask ruff for its rules; none where it is missing or cannot tell."""
        program = self._find()
        if program is None:
            return []
        from selfreview.reviewers.ruff.rules import listed

        return listed(program)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run ruff over the files.

        Raises:
            ToolError: If ruff fails or cannot be understood.
        """
        program = self._find()
        if program is None:
            return Review(status=ReviewerStatus.FAILED, error="the ruff executable is missing", hint="pip install ruff")
        from selfreview.reviewers.ruff.run import RuffRun, add_undecodable

        readable: list[ChangedFile] = []
        undecodable: list[ChangedFile] = []
        other = {file.path for file in files if language_in(file, context) != "python"}
        for file in files:
            if file.path in other:
                continue
            text = context.text(file)
            (readable if text is None or text.is_utf8 else undecodable).append(file)
        review = RuffRun(program, context).review(readable) if readable else Review()
        add_undecodable(review, undecodable, context)
        review.not_applicable += sorted(other)
        return review

    def _find(self) -> Path | None:
        return self._program if self._program is not None else find_program("ruff")
