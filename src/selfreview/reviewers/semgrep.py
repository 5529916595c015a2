"""Semgrep, where it is installed and the repository has rules of its own; never with rules from the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from selfreview.reviewers.tools.program import Tool, digest, program_key
from selfreview.reviewers.tools.results import Placer, Reported, Span, Spot, ToolReport, decode_json

_FILES = (".semgrep.yml", ".semgrep.yaml")
_FOLDER = ".semgrep"
_ARGUMENTS = ("scan", "--metrics=off", "--disable-version-check", "--oss-only", "--json", "--quiet")
_STATUSES = (0, 1, 2, 7)
"""Exit statuses with a document of findings or errors."""


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

    def unavailable(self) -> tuple[str, str] | None:
        """Return why semgrep is not available, or None where it is installed."""
        return self._tool.unavailable()

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the rules."""
        rules = _find_rules(context)
        program = self._tool.find() if rules else None
        if program is None:
            return None
        return digest([program_key(program), *(part for rule in sorted(rules.items()) for part in rule)])

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run semgrep over the files.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        rules = _find_rules(context)
        if not rules:
            return Review(status=ReviewerStatus.NOT_APPLICABLE, error="the repository has no rules for it")
        if self._tool.find() is None:
            return self._tool.missing()
        from selfreview.git.worktree_files import native
        from selfreview.programs import batches

        root = context.tree()
        placer = Placer(context, root, files, _grade)
        review = Review()
        scanned: set[str | None] = set()
        configs = sorted({path.partition("/")[0] for path in rules})
        arguments = [*_ARGUMENTS, *(f"--config={name}" for name in configs), "--"]
        for batch in batches((str(native(root, file.path)) for file in files), used=arguments):
            document = decode_json(self._scan([*arguments, *batch], rules, context), _Document, self.name)
            review.findings += placer.findings(document.report)
            scanned.update(map(placer.path, document.paths.scanned))
            for problem in document.errors:
                path = placer.path(problem.path) if problem.path else None
                if path is None:
                    raise ToolError(f"semgrep failed: {problem.text}")
                if problem.level == "error":
                    review.unreviewed[path] = problem.text
                else:
                    scanned.discard(path)  # it was parsed in part
        review.not_applicable = [f.path for f in files if f.path not in scanned and f.path not in review.unreviewed]
        return review

    def _scan(self, arguments: list[str], rules: Mapping[str, bytes], context: ReviewContext) -> str:
        from selfreview.git.private_folder import PrivateFolder
        from selfreview.git.worktree_files import native

        with PrivateFolder() as home, PrivateFolder() as folder:
            # In a folder of their own: in a gate the tree has others. Their names begin the ids of the rules.
            for path, data in rules.items():
                file = native(Path(folder), path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            env = {"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": home}  # no login, so no rules from elsewhere
            done = self._tool.run(context, arguments, ok=_STATUSES, cwd=Path(folder), env=env)
            return self._tool.report(done)


def _find_rules(context: ReviewContext) -> dict[str, bytes]:
    """Return the repository's rules by path: the files at its top level, and those of its folder."""
    top = context.config.root
    # A look at a folder is cheaper than a list of the tree.
    folder = context.settings_of_base or (top is not None and (top / _FOLDER).is_dir())
    return context.read_settings([*_FILES, *(context.list_settings(_FOLDER) if folder else ())])


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
"""The repository wrote the rules, so their own severities count; medium for any other."""

_CATEGORIES = {
    "security": Category.SECURITY,
    "correctness": Category.LOGIC,
    "performance": Category.PERFORMANCE,
    "maintainability": Category.ARCHITECTURE,
    "best-practice": Category.STYLE,
    "style": Category.STYLE,
}
"""By the ``category`` in a rule's metadata; logic for any other."""

_MAX_TEXT = 300


class _Position(msgspec.Struct):
    """Both count from 1; the column in bytes."""

    line: int
    col: int


class _Extra(msgspec.Struct):
    """Message, severity and metadata of the rule that matched."""

    message: str
    severity: str
    metadata: dict[str, Any] = {}
    is_ignored: bool = False


class _Match(msgspec.Struct):
    """One result."""

    check_id: str
    path: str
    start: _Position
    end: _Position
    extra: _Extra


class _Problem(msgspec.Struct):
    """Error that semgrep reports about its own run."""

    level: str
    message: str = "no reason given"
    path: str | None = None

    @property
    def text(self) -> str:
        """The message in one line."""
        return " ".join(self.message.split())[:_MAX_TEXT]


class _Paths(msgspec.Struct):
    """Paths of the files that a rule scanned."""

    scanned: list[str]


class _Document(msgspec.Struct):
    """A whole report."""

    results: list[_Match]
    errors: list[_Problem]
    paths: _Paths

    @property
    def report(self) -> ToolReport:
        """The results, without those that a ``nosemgrep`` comment suppresses."""
        results = [_result(match) for match in self.results if not match.extra.is_ignored]
        return ToolReport(results=results, unit="byte")


def _grade(reported: Reported) -> tuple[Severity, Category]:
    """Return a result's severity and category."""
    severity = _SEVERITIES.get((reported.level or "").lower(), Severity.MEDIUM)
    return severity, _CATEGORIES.get(reported.kind or "", Category.LOGIC)


def _result(match: _Match) -> Reported:
    kind = match.extra.metadata.get("category")
    span = Span(
        line=max(match.start.line, 0),
        column=max(match.start.col, 0),
        end_line=max(match.end.line, 0),
        end_column=max(match.end.col, 0),
    )
    return Reported(
        message=match.extra.message.strip() or match.check_id,
        spot=Spot(match.path, span),
        level=match.extra.severity,
        kind=kind if isinstance(kind, str) else None,
        rule=match.check_id,
    )
