"""One run of ruff over the files of a change."""

from __future__ import annotations

import posixpath
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from selfreview.api import ChangedFile, Finding, Review, ReviewContext
from selfreview.errors import ToolError
from selfreview.model.wire import display_path
from selfreview.reviewers import _ruff_output as output
from selfreview.reviewers import _ruff_rules as rules
from selfreview.reviewers._ruff_config import NAMES, ConfigFinder, RuffConfig
from selfreview.reviewers._tool import PathReader, as_argument, batches

_ARGUMENTS = (
    "check", "--no-cache", "--no-fix", "--exit-zero", "--output-format=json", "--no-respect-gitignore",
    f"--extend-select={rules.READ_ERROR}",
)  # fmt: skip
_CHECKING = b"[DEBUG] Checking: "


class RuffRun:
    """Runs ruff once for every configuration among the files; usually there is one.

    Args:
        program: The executable.
        context: What is under review.
    """

    def __init__(self, program: Path, context: ReviewContext) -> None:
        self._program = str(program)
        self._context = context
        self._result = Review()
        self._root = Path()

    def review(self, files: Sequence[ChangedFile]) -> Review:
        """Review files.

        Raises:
            ToolError: If ruff fails or cannot be understood.
        """
        finder = ConfigFinder(self._context.read_path)
        groups: dict[RuffConfig | None, list[ChangedFile]] = {}
        for file in files:
            groups.setdefault(finder.find(file.path), []).append(file)
        self._root = self._context.workspace({*NAMES, *map(posixpath.basename, finder.seen)})
        for config, members in groups.items():
            problem = self._configured(config, members) if config else ""
            if config and problem is not None:
                self._result.hint = (
                    f"ruff cannot use {display_path(config.path)}, so its bug rules were used: {problem}"
                )
            if problem is not None:
                self._isolated(members)
        return self._result

    def _configured(self, config: RuffConfig, files: list[ChangedFile]) -> str | None:
        """Review with the repository's configuration; return what is wrong with it, or None."""
        arguments = [] if config.selects else [f"--select={','.join((*rules.CURATED, *config.extra))}"]
        arguments += ["--force-exclude", "--verbose"] if config.excludes else []
        findings: list[Finding] = []
        unchecked: list[str] = []
        for batch in self._batches(files, arguments, config.folder):
            done = self._ruff(arguments, batch, config.folder)
            if done.returncode == 2:
                return _cause(done.stderr)
            findings += self._findings(done.stdout, batch, config.folder)
            unchecked += _unchecked(done.stderr, batch) if config.excludes else []
        self._result.findings += [f for f in findings if config.selects or not config.ignores(f.rule or "")]
        self._result.not_applicable += unchecked
        return None

    def _isolated(self, files: list[ChangedFile]) -> None:
        """Review with our own selection."""
        arguments = ["--isolated", "--target-version=py315", f"--select={','.join(rules.CURATED)}"]
        for batch in self._batches(files, arguments, ""):
            done = self._ruff(arguments, batch, "")
            if done.returncode == 2:
                raise ToolError(f"ruff failed: {_cause(done.stderr)}")
            self._result.findings += self._findings(done.stdout, batch, "")

    def _batches(self, files: list[ChangedFile], arguments: list[str], folder: str) -> Iterator[list[ChangedFile]]:
        by_argument = {_argument(file, folder): file for file in files}
        for batch in batches(by_argument, used=(self._program, *_ARGUMENTS, *arguments)):
            yield [by_argument[argument] for argument in batch]

    def _ruff(self, arguments: list[str], files: list[ChangedFile], folder: str) -> subprocess.CompletedProcess[bytes]:
        argv = [self._program, *_ARGUMENTS, *arguments, "--", *(_argument(file, folder) for file in files)]
        return self._context.run(argv, cwd=self._root / folder, ok=(0, 2))

    def _findings(self, stdout: bytes, files: list[ChangedFile], folder: str) -> list[Finding]:
        read_path = PathReader(self._root, files, base=folder)
        findings = []
        for diagnostic in output.decode(stdout):
            path = read_path(diagnostic.filename)
            if path is None:
                raise ToolError(f"ruff reported a file that it was not given: {diagnostic.filename}")
            if diagnostic.rule not in rules.UNRELIABLE:
                findings.append(output.finding(diagnostic, path))
        return findings


def _argument(file: ChangedFile, folder: str) -> str:
    return as_argument(posixpath.relpath(file.path, folder or "."), "-@")


def _unchecked(stderr: bytes, files: list[ChangedFile]) -> list[str]:
    """Return the files that ruff did not say it checks: its configuration leaves them out."""
    checked = {line.partition(_CHECKING)[2] for line in stderr.splitlines() if _CHECKING in line}
    ends = [b"/" + display_path(file.path).replace("\n", "\\n").encode() for file in files]
    return [file.path for file, end in zip(files, ends, strict=True) if not any(line.endswith(end) for line in checked)]


def _cause(stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if "warning:" not in line]
    causes = [line.removeprefix("Cause:").strip() for line in lines if line.startswith("Cause:")]
    return (causes or lines or ["no reason given"])[-1]
