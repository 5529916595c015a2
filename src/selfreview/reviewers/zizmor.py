"""zizmor, where it is installed: security of GitHub Actions, without the network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.api import ChangedFile, Depth, FileStatus, Finding, Registry, Review, ReviewContext, Reviewer, hookimpl
from selfreview.model.wire import base64_path
from selfreview.reviewers.tools.program import Tool

if TYPE_CHECKING:
    from selfreview.reviewers.tools.results import Placer

_NAMES = r"\.github/workflows/[^/]+\.ya?ml|(.*/)?action\.ya?ml"
_ARGUMENTS = (
    "--offline", "--quiet", "--no-progress", "--color=never", "--no-exit-codes", "--strict-collection",
    "--format=json-v1", "--",
)  # fmt: skip


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ZizmorReviewer())


class ZizmorReviewer:
    """Runs zizmor over workflows and actions, with the repository's ``zizmor.yml`` where it has one.

    Args:
        program: The executable; by default found beside our interpreter or on PATH.
    """

    name = "zizmor"
    depth = Depth.STATIC
    default = True

    def __init__(self, program: Path | None = None) -> None:
        self._tool = Tool("zizmor", "zizmor", settings=("zizmor.yml", "zizmor.yaml"), program=program)

    def selects(self, file: ChangedFile) -> bool:
        """Take workflows and actions that exist on the new side."""
        named = re.fullmatch(_NAMES, file.path) is not None
        return named and file.status is not FileStatus.DELETED and not file.is_symlink

    def unavailable(self) -> tuple[str, str] | None:
        """Return why zizmor is not available, or None where it is installed."""
        return self._tool.unavailable()

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the repository's configuration."""
        return self._tool.cache_key(filter(self.selects, context.change.reviewable), context)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run zizmor once over all files or, where one of them is invalid, once for each.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        if self._tool.find() is None:
            return self._tool.missing()
        from selfreview.programs import as_argument, batches
        from selfreview.reviewers.tools.results import Placer
        from selfreview.reviewers.tools.zizmor_output import grade, invalid_file

        review = Review()
        placer = Placer(context, context.workspace(self._tool.settings), files, grade)
        given = {as_argument(file.path): file for file in files if base64_path(file.path) is None}
        for file in files:
            if base64_path(file.path) is not None:
                review.unreviewed[file.path] = "zizmor takes no name that is not UTF-8"
        for batch in batches(given, used=_ARGUMENTS):
            findings, invalid = self._run(batch, placer, context)
            for argument in batch if invalid else ():
                alone, invalid = self._run([argument], placer, context)
                findings += alone
                if invalid is not None and given[argument].path.startswith(".github/"):
                    findings.append(invalid_file(given[argument], invalid))
                elif invalid is not None:  # other things than actions are named action.yml too
                    review.not_applicable.append(given[argument].path)
            review.findings += findings
        return review

    def _run(self, arguments: list[str], placer: Placer, context: ReviewContext) -> tuple[list[Finding], str | None]:
        """Return the findings or, for an invalid file, the error: it keeps zizmor from the other files too."""
        from selfreview.reviewers.tools.zizmor_output import cause_of_failure, parse

        done = self._tool.run(context, [*_ARGUMENTS, *arguments], ok=(0, 1))
        if done.returncode:
            return [], cause_of_failure(done.stderr)
        return placer.findings(parse(self._tool.report(done), self.name)), None
