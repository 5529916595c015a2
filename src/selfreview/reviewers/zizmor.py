"""zizmor, where it is installed: security of GitHub Actions, without the network.

It reads workflows and actions, with the repository's ``zizmor.yml`` where it has one.
"""

from __future__ import annotations

import re
import subprocess

import msgspec

from selfreview.api import Category, ChangedFile, Finding, Registry, Reviewer, Severity, hookimpl
from selfreview.errors import ToolError
from selfreview.reviewers.tools.program import Tool
from selfreview.reviewers.tools.results import Reported, Span, Spot, ToolReport, decode_json
from selfreview.reviewers.tools.reviewer import Reading, ToolOutput, ToolRecord, ToolReviewer

_HYGIENE = frozenset(
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
"""For every other audit; low where zizmor itself is not confident."""

_INVALID = re.compile(r"failed to load file://.*? as .*?Caused by:\s*(?P<cause>.*?)\s*(?:Stack backtrace:|$)")
_NUMBERING = re.compile(r"(?:^|(?<=\s))\d+: ")
_LINE = re.compile(r"at line (\d{1,7})\b")
_MAX_TEXT = 300
_WIDE = 10
"""Lines from which a place is a whole job or workflow; only its first line is then taken."""


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


def _read(tool: Tool, done: subprocess.CompletedProcess[bytes]) -> Reading:
    """Read a report, without what the repository's configuration ignores."""
    if done.returncode:
        return Reading(ToolReport(), refusal=_cause_of_failure(done.stderr))
    audits = decode_json(tool.report(done), list[_Audit], tool.name)
    return Reading(ToolReport(results=[_result(audit) for audit in audits if not audit.ignored], unit="byte"))


def _cause_of_failure(stderr: bytes) -> str:
    """Return the error of the file that zizmor refuses.

    Raises:
        ToolError: If it failed for another reason.
    """
    text = " ".join(stderr.decode("utf-8", "replace").split())
    invalid = _INVALID.search(text)
    if invalid is None:
        raise ToolError(f"zizmor failed: {text[:_MAX_TEXT] or 'it does not say why'}")
    return _NUMBERING.sub("", invalid["cause"])[:_MAX_TEXT]


def _refused(file: ChangedFile, cause: str) -> Finding | None:
    """Return the finding that a file is no workflow; other things than actions are named action.yml too."""
    if not file.path.startswith(".github/"):
        return None
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


def _grade(reported: Reported) -> tuple[Severity, Category]:
    """Return a result's severity and category."""
    severity = _SEVERITIES.get((reported.level or "").lower(), Severity.LOW)
    if reported.rule in _HYGIENE and severity.at_least(Severity.LOW):
        severity = Severity.LOW
    return severity, Category.SECURITY


def _result(audit: _Audit) -> Reported:
    primary = next(iter(_by_kind(audit, "Primary")), None)
    confident = audit.determinations.confidence != "Low"
    return Reported(
        message=f"{audit.desc}: {primary.symbolic.annotation}" if primary else audit.desc,
        spot=_spot(primary) if primary else Spot(),
        level=audit.determinations.severity if confident else "low",
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


_OUTPUT = ToolOutput(_read, _grade, refused=_refused)


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(ToolReviewer(RECORD))


RECORD = ToolRecord(
    name="zizmor",
    package="zizmor",
    arguments=(
        "--offline", "--quiet", "--no-progress", "--color=never", "--no-exit-codes", "--strict-collection",
        "--format=json-v1", "--",
    ),
    names=r"\.github/workflows/[^/]+\.ya?ml|(.*/)?action\.ya?ml",
    output=_OUTPUT,
    settings=("zizmor.yml", "zizmor.yaml"),
    ok=(0, 1),
    takes_any_name=False,
)  # fmt: skip
