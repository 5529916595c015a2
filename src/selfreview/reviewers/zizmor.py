"""zizmor, where it is installed: security of GitHub Actions, without the network."""

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
    Finding,
    Registry,
    Review,
    ReviewContext,
    Reviewer,
    Severity,
    hookimpl,
)
from selfreview.errors import ToolError
from selfreview.model.wire import base64_path
from selfreview.reviewers._paths import as_argument, batches
from selfreview.reviewers._placing import Placer
from selfreview.reviewers._report import Reported, Span, Spot, ToolReport, decode_json
from selfreview.reviewers._tool import Tool

_NAMES = re.compile(r"\.github/workflows/[^/]+\.ya?ml|(.*/)?action\.ya?ml")
_ARGUMENTS = (
    "--offline", "--quiet", "--no-progress", "--color=never", "--no-exit-codes", "--strict-collection",
    "--format=json-v1", "--",
)  # fmt: skip
_INVALID = re.compile(r"failed to load file://.*? as .*?Caused by:\s*(?P<cause>.*?)\s*(?:Stack backtrace:|$)")
_NUMBERING = re.compile(r"(?:^|(?<=\s))\d+: ")
_LINE = re.compile(r"at line (\d{1,7})\b")
_ERROR_HEAD = 300
_WIDE = 10
"""Lines from which a place is a whole job or workflow; only its first line is then taken."""

HYGIENE = frozenset(
    {
        "artipacked", "cache-poisoning", "concurrency-limits", "excessive-permissions", "misfeature", "obfuscation",
        "ref-version-mismatch", "secrets-inherit", "self-hosted-runner", "stale-action-refs", "superfluous-actions",
        "undocumented-permissions", "unpinned-images", "unpinned-uses", "use-trusted-publishing",
    }
)  # fmt: skip
"""Audits about good habits, which nearly every workflow breaks: at most low."""

_SEVERITIES = {
    "high": Severity.HIGH,
    "medium": Severity.MEDIUM,
    "low": Severity.LOW,
    "informational": Severity.SUGGESTION,
}


class _Key(msgspec.Struct):
    verbatim_path: str


class _Input(msgspec.Struct, rename="pascal"):
    local: _Key | None = None


class _Symbolic(msgspec.Struct):
    key: _Input
    annotation: str
    kind: str


class _Point(msgspec.Struct):
    row: int
    column: int


class _Range(msgspec.Struct):
    start_point: _Point
    end_point: _Point


class _Concrete(msgspec.Struct):
    location: _Range


class _Location(msgspec.Struct):
    symbolic: _Symbolic
    concrete: _Concrete


class _Determinations(msgspec.Struct):
    confidence: str
    severity: str


class _Audit(msgspec.Struct):
    ident: str
    desc: str
    determinations: _Determinations
    locations: list[_Location]
    ignored: bool


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ZizmorReviewer())


class ZizmorReviewer:
    """Runs zizmor over workflows and actions.

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
        named = _NAMES.fullmatch(file.path) is not None
        return named and file.status is not FileStatus.DELETED and not file.is_symlink

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the repository's ``zizmor.yml``."""
        return self._tool.cache_key(filter(self.selects, context.change.reviewable), context)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run zizmor once over all files or, where one of them is invalid, once for each.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        if self._tool.find() is None:
            return self._tool.missing()
        review = Review()
        placer = Placer(context, context.workspace(self._tool.settings), files, _grade)
        given = {}
        for file in files:
            if base64_path(file.path) is None:
                given[as_argument(file.path)] = file
            else:
                review.unreviewed[file.path] = "zizmor takes no name that is not UTF-8"
        for batch in batches(given, used=_ARGUMENTS):
            findings, invalid = self._run(batch, placer, context)
            for argument in batch if invalid else ():
                alone, invalid = self._run([argument], placer, context)
                findings += [_invalid(given[argument], invalid)] if invalid else alone
            review.findings += findings
        return review

    def _run(self, arguments: list[str], placer: Placer, context: ReviewContext) -> tuple[list[Finding], str | None]:
        """Return the findings or, for an invalid file, what is wrong with it: it keeps zizmor from the others too."""
        done = self._tool.run(context, [*_ARGUMENTS, *arguments], ok=(0, 1))
        if done.returncode:
            return [], _cause(done.stderr)
        audits = decode_json(self._tool.report(done), list[_Audit], self.name)
        results = [_result(audit) for audit in audits if not audit.ignored]
        return placer.findings(ToolReport(results=results, unit="byte")), None


def _cause(stderr: bytes) -> str:
    said = " ".join(stderr.decode("utf-8", "replace").split())
    invalid = _INVALID.search(said)
    if invalid is None:
        raise ToolError(f"zizmor failed: {said[:_ERROR_HEAD] or 'it does not say why'}")
    return _NUMBERING.sub("", invalid["cause"])[:_ERROR_HEAD]


def _invalid(file: ChangedFile, cause: str) -> Finding:
    line = _LINE.search(cause)
    number = int(line[1]) if line else 0
    return Finding(
        file=file.path,
        line_start=number,
        line_end=number,
        severity=Severity.MEDIUM,
        category=Category.LOGIC,
        description=f"GitHub Actions will refuse this file: {cause}",
        rule="invalid",
    )


def _result(audit: _Audit) -> Reported:
    primary = next(iter(_by_kind(audit, "Primary")), None)
    level = audit.determinations.severity
    return Reported(
        message=f"{audit.desc}: {primary.symbolic.annotation}" if primary else audit.desc,
        spot=_spot(primary) if primary else Spot(),
        level=level if audit.determinations.confidence != "Low" else "Low",
        rule=audit.ident,
        related=tuple(_spot(location) for location in _by_kind(audit, "Related")),
    )


def _by_kind(audit: _Audit, kind: str) -> list[_Location]:
    return [location for location in audit.locations if location.symbolic.kind == kind]


def _spot(location: _Location) -> Spot:
    start, end = location.concrete.location.start_point, location.concrete.location.end_point
    wide = end.row - start.row >= _WIDE
    span = Span(
        line=start.row + 1,
        column=start.column + 1,
        end_line=start.row + 1 if wide else end.row + 1,
        end_column=0 if wide else end.column + 1,
    )
    local = location.symbolic.key.local
    return Spot(local.verbatim_path if local else None, span, location.symbolic.annotation)


def _grade(reported: Reported) -> tuple[Severity, Category]:
    severity = _SEVERITIES.get((reported.level or "").lower(), Severity.LOW)
    if reported.rule in HYGIENE and severity.at_least(Severity.LOW):
        severity = Severity.LOW
    return severity, Category.SECURITY
