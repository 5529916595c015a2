"""Semgrep, where it is installed and the repository has rules of its own; never with rules from the network."""

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
    hookimpl,
)
from selfreview.errors import ToolError
from selfreview.reviewers._tool import Tool, digest, program_key

_FILES = (".semgrep.yml", ".semgrep.yaml")
_FOLDER = ".semgrep"
_ARGUMENTS = ("scan", "--metrics=off", "--disable-version-check", "--oss-only", "--json", "--quiet")
_STATUSES = (0, 1, 2, 7)
"""Its document says what it found or failed at."""


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
        """Say where it is not installed."""
        return self._tool.unavailable()

    def cache_key(self, context: ReviewContext) -> bytes | None:
        """Cover the executable and the rules."""
        rules = _find_rules(context)
        program = self._tool.find() if rules else None
        if program is None:
            return None
        parts: list[str | bytes] = [program_key(program)]
        for rule in rules:
            for file in sorted(rule.rglob("*")) if rule.is_dir() else [rule]:
                parts += [file.relative_to(rule.parent).as_posix(), file.read_bytes()] if file.is_file() else []
        return digest(parts)

    def review(self, files: Sequence[ChangedFile], context: ReviewContext) -> Review:
        """Run semgrep over the files.

        Raises:
            ToolError: If it fails or cannot be understood.
        """
        rules = _find_rules(context)
        if not rules:
            return Review(status=ReviewerStatus.NOT_APPLICABLE)
        if self._tool.find() is None:
            return self._tool.missing()
        from selfreview.programs import as_argument, batches
        from selfreview.reviewers._placing import Placer
        from selfreview.reviewers._report import decode_json
        from selfreview.reviewers._semgrep_output import Document, grade

        root = context.tree()
        placer = Placer(context, root, files, grade)
        arguments = [*_ARGUMENTS, *(f"--config={rule.name}" for rule in rules), "--"]
        review = Review()
        scanned: set[str | None] = set()
        for batch in batches((as_argument(file.path) for file in files), used=arguments):
            document = decode_json(self._scan([*arguments, *batch], root, context), Document, self.name)
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

    def _scan(self, arguments: list[str], root: Path, context: ReviewContext) -> str:
        from selfreview.git.privatefolder import PrivateFolder

        with PrivateFolder() as home:
            env = {"HOME": home, "USERPROFILE": home, "XDG_CONFIG_HOME": home}  # no login, so no rules from elsewhere
            return self._tool.report(self._tool.run(context, arguments, ok=_STATUSES, cwd=root, env=env))


def _find_rules(context: ReviewContext) -> list[Path]:
    """Return the rule files and folders at the top level of the tree under review."""
    top = context.config.root
    folder = top is not None and (top / _FOLDER).is_dir()
    if not folder and not context.read_settings(_FILES):
        return []
    root = context.tree()
    return [root / name for name in (*_FILES, _FOLDER) if (root / name).exists()]
