"""Semgrep, where it is installed and the repository has rules of its own; never with rules from the network."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    ReviewerStatus,
    Severity,
    hookimpl,
)
from selfreview.errors import ToolError
from selfreview.reviewers._paths import as_argument, batches
from selfreview.reviewers._placing import Placer
from selfreview.reviewers._report import Reported, Span, Spot, ToolReport, decode_json
from selfreview.reviewers._tool import Tool, digest, program_key

_FILES = (".semgrep.yml", ".semgrep.yaml")
_FOLDER = ".semgrep"
_STATUSES = (0, 1, 2, 7)
"""What it found, or failed at, is in its document."""

_ERROR_HEAD = 300
_ARGUMENTS = ("scan", "--metrics=off", "--disable-version-check", "--oss-only", "--json", "--quiet")

_SEVERITIES = {
    "critical": Severity.CRITICAL,
    "high": Severity.HIGH,
    "error": Severity.HIGH,
    "medium": Severity.MEDIUM,
    "warning": Severity.MEDIUM,
    "low": Severity.LOW,
    "info": Severity.LOW,
    "inventory": Severity.SUGGESTION,
    "experiment": Severity.SUGGESTION,
}
"""The repository wrote the rules, so their own severities count."""

_CATEGORIES = {
    "security": Category.SECURITY,
    "correctness": Category.LOGIC,
    "performance": Category.PERFORMANCE,
    "maintainability": Category.ARCHITECTURE,
    "best-practice": Category.STYLE,
    "style": Category.STYLE,
}
"""By the ``category`` in a rule's metadata; logic for any other."""


class _Position(msgspec.Struct):
    line: int
    col: int


class _Extra(msgspec.Struct):
    message: str
    severity: str
    metadata: dict[str, Any] = {}
    is_ignored: bool = False


class _Match(msgspec.Struct):
    check_id: str
    path: str
    start: _Position
    end: _Position
    extra: _Extra


class _Error(msgspec.Struct):
    level: str
    message: str = "no reason given"
    path: str | None = None


class _Paths(msgspec.Struct):
    scanned: list[str]


class _Document(msgspec.Struct):
    results: list[_Match]
    errors: list[_Error]
    paths: _Paths


@hookimpl
def selfreview_register_reviewers(registry: Registry[Reviewer]) -> None:
    """Register the reviewer."""
    registry.add(SemgrepReviewer())


class SemgrepReviewer:
    """Runs semgrep with the rules of the repository: ``.semgrep.yml``, or the files of ``.semgrep/``.

    Args:
        program: The executable; by default found beside our interpreter or on PATH.
    """

    name = "semgrep"
    depth = Depth.STATIC
    default = True

    def __init__(self, program: Path | None = None) -> None:
        self._tool = Tool("semgrep", "semgrep", program=program)

    def selects(self, file: ChangedFile) -> bool:
        """Take every regular file of the new side; semgrep knows which its rules are for."""
        return file.status is not FileStatus.DELETED and not file.is_symlink and not file.is_submodule

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the rules."""
        program = self._tool.find()
        rules = _find_rules(context)
        if program is None or not rules:
            return None
        parts: list[str | bytes] = [program_key(program)]
        for rule in rules:
            files = sorted(rule.rglob("*")) if rule.is_dir() else [rule]
            parts += [part for file in files if file.is_file() for part in (str(file), file.read_bytes())]
        return digest(parts)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run semgrep over the files.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        rules = _find_rules(context)
        if not rules:
            return Review(
                status=ReviewerStatus.NOT_APPLICABLE, error="the repository has no .semgrep.yml and no .semgrep/"
            )
        if self._tool.find() is None:
            return self._tool.missing()
        root = context.tree()
        placer = Placer(context, root, files, _grade)
        arguments = [*_ARGUMENTS, *(f"--config={rule.name}" for rule in rules), "--"]
        review = Review()
        scanned: set[str | None] = set()
        for batch in batches((as_argument(file.path) for file in files), used=arguments):
            document = self._scan([*arguments, *batch], root, context)
            review.findings += placer.findings(_report(document))
            scanned.update(map(placer.path, document.paths.scanned))
            for error in document.errors:
                path = placer.path(error.path) if error.path else None
                if path is None:
                    raise ToolError(f"semgrep failed: {' '.join(error.message.split())[:_ERROR_HEAD]}")
                if error.level == "error":
                    review.unreviewed[path] = " ".join(error.message.split())[:_ERROR_HEAD]
                else:
                    scanned.discard(path)  # it was parsed in part
        review.not_applicable = [f.path for f in files if f.path not in scanned and f.path not in review.unreviewed]
        return review

    def _scan(self, arguments: list[str], root: Path, context: ReviewContext) -> _Document:
        with tempfile.TemporaryDirectory(prefix="selfreview-", ignore_cleanup_errors=True) as home:
            env = {"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": home}  # no login, so no rules from elsewhere
            done = self._tool.run(context, arguments, ok=_STATUSES, cwd=root, env=env)
        return decode_json(self._tool.report(done), _Document, self.name)


def _find_rules(context: ReviewContext) -> list[Path]:
    """Return the rule files and folders at the top level of the tree under review."""
    top = context.config.root
    folder = top is not None and (top / _FOLDER).is_dir()
    if not folder and all(context.read_path(name) is None for name in _FILES):
        return []
    root = context.tree()
    return [root / name for name in (*_FILES, _FOLDER) if (root / name).exists()]


def _report(document: _Document) -> ToolReport:
    return ToolReport(results=[_result(match) for match in document.results if not match.extra.is_ignored], unit="byte")


def _result(match: _Match) -> Reported:
    kind = match.extra.metadata.get("category")
    return Reported(
        message=match.extra.message.strip() or match.check_id,
        spot=Spot(
            match.path,
            Span(
                line=max(match.start.line, 0),
                column=max(match.start.col, 0),
                end_line=max(match.end.line, 0),
                end_column=max(match.end.col, 0),
            ),
        ),
        level=match.extra.severity,
        kind=kind if isinstance(kind, str) else None,
        rule=match.check_id,
    )


def _grade(reported: Reported) -> tuple[Severity, Category]:
    severity = _SEVERITIES.get((reported.level or "").lower(), Severity.MEDIUM)
    return severity, _CATEGORIES.get(reported.kind or "", Category.LOGIC)
