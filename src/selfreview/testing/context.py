"""A review context made of strings, to try a reviewer without a repository."""

from __future__ import annotations

import difflib
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from selfreview.api import CommittedLines, ConfigView, Hunk, Key, Review, ReviewContext, Reviewer, SourceText, WordHit
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan, Scope, overlaps
from selfreview.model.issue import Finding, IssueStatus, Side
from selfreview.proc import Runner


def make_change(files: Mapping[str, tuple[str | bytes | None, str | bytes | None]]) -> Change:
    """Make a change from old and new contents by path; None where a side does not exist."""
    return Change(scope=Scope(mode="diff"), files=tuple(_file(path, *sides) for path, sides in sorted(files.items())))


def _file(path: str, old: str | bytes | None, new: str | bytes | None) -> ChangedFile:
    status = FileStatus.ADDED if old is None else FileStatus.DELETED if new is None else FileStatus.MODIFIED
    before, after = (_bytes(side).split(b"\n") if side is not None else [] for side in (old, new))
    for lines in (before, after):
        if lines and lines[-1] == b"":
            lines.pop()
    spans = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            spans.append(HunkSpan(i1 + 1 if i2 > i1 else i1, i2 - i1, j1 + 1 if j2 > j1 else j1, j2 - j1))
    return ChangedFile(path=path, status=status, spans=tuple(spans))


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")


def default_config(*plugins: object) -> dict[str, Any]:
    """Return the default of every key of selfreview, and of those that plugins declare in ``selfreview_addoption``."""
    from selfreview.config.keys import OWN_KEYS

    declared = _Declared()
    for key in OWN_KEYS:
        declared.add_key(key)
    for plugin in plugins:
        declare = getattr(plugin, "selfreview_addoption", None)
        if declare is not None:
            declare(parser=declared)
    return declared.values


class _Declared:
    """The defaults of keys, as they are declared."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def add_key(self, key: Key) -> None:
        self.values[key.name] = key.default


class MemoryConfig:
    """A configuration made of a dictionary."""

    root: Path | None = None
    trusted = True

    def __init__(self, values: Mapping[str, Any] | None = None, files: Mapping[str, bytes] | None = None) -> None:
        self._values = dict(values or {})
        self._files = dict(files or {})

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default where the test gives none."""
        return self._values.get(name, default)

    def origin(self, name: str) -> str:
        """Say that everything comes from the test."""
        return "default" if name not in self._values else "command line"

    def table(self, name: str) -> Mapping[str, Any]:
        """Return a table, or an empty one."""
        value: Mapping[str, Any] = self._values.get(name, {})
        return value

    def files(self, name: str, *suffixes: str) -> Mapping[str, bytes]:
        """Return the files that a key names, of those that the test gives."""
        named = [entry.strip("/") for entry in self.get(name, ())]
        return {
            path: data
            for path, data in self._files.items()
            if path in named or (path.endswith(suffixes) and any(path.startswith(f"{entry}/") for entry in named))
        }

    def may_run(self, _name: str) -> bool:
        """Return ``trusted``."""
        return self.trusted


class MemoryContext:
    """A :class:`~selfreview.api.ReviewContext` over contents in memory.

    Args:
        files: Old and new content by path; None where a side does not exist.
        config: Configuration values by key, or the :class:`MemoryConfig` that has them.
        others: Files of the tree that the change does not touch (``"pyproject.toml"``), the same on both sides.
        committed: What commits add that the change as a whole does not.
        timeout: Seconds until the reviewer's deadline.
        clock: The time in seconds, such as :class:`selfreview.testing.fakes.Clock`.
    """

    def __init__(
        self,
        files: Mapping[str, tuple[str | bytes | None, str | bytes | None]],
        *,
        config: Mapping[str, Any] | MemoryConfig | None = None,
        others: Mapping[str, str | bytes] | None = None,
        committed: Sequence[CommittedLines] = (),
        timeout: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.change = make_change(files)
        self._sides = {path: tuple(None if s is None else _bytes(s) for s in sides) for path, sides in files.items()}
        self._others = {path: _bytes(content) for path, content in (others or {}).items()}
        self.config: ConfigView = config if isinstance(config, MemoryConfig) else MemoryConfig(config, self._others)
        self._committed = committed
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._runner = Runner()
        self._clock = clock
        self._deadline = clock() + timeout
        self._stops: list[Callable[[], None]] = []

    def read(self, file: ChangedFile, side: Side = Side.NEW) -> bytes | None:
        """Return the content of one side."""
        return self._sides[file.path][0 if side is Side.OLD else 1]

    def text(self, file: ChangedFile, side: Side = Side.NEW) -> SourceText | None:
        """Return the text of one side."""
        data = self.read(file, side)
        return None if data is None else SourceText.from_bytes(data)

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Return the hunks without context lines."""
        old, new = self.text(file, Side.OLD), self.text(file)
        return tuple(Hunk.from_span(span, old, new) for span in file.spans)

    def read_path(self, path: str, side: Side = Side.NEW) -> bytes | None:
        """Return the content of any known path."""
        if path in self._sides:
            return self._sides[path][0 if side is Side.OLD else 1]
        return self._others.get(path)

    def read_paths(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return the content of those of the paths that are known on one side."""
        found = ((path, self.read_path(path, side)) for path in paths)
        return {path: data for path, data in found if data is not None}

    def read_settings(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the content of those of the paths that are known on the new side."""
        return self.read_paths(paths)

    def list_settings(self, folder: str) -> list[str]:
        """Return the paths that are known below a folder on the new side."""
        return [path for path in self.list_paths() if path.startswith(folder + "/")]

    @property
    def settings_of_base(self) -> bool:
        """Return False: settings are on the new side."""
        return False

    def read_links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:  # noqa: ARG002 - protocol
        """Return nothing: there are only files."""
        return {}

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return every known path of one side."""
        index = 0 if side is Side.OLD else 1
        return sorted([*(path for path, sides in self._sides.items() if sides[index] is not None), *self._others])

    def search(self, words: Sequence[str]) -> list[WordHit]:
        """Search all known content of the new side."""
        if not words:
            return []
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
        everything = {path: sides[1] for path, sides in self._sides.items()} | self._others
        return [
            WordHit(path, number, line)
            for path, data in everything.items()
            if data is not None and b"\0" not in data
            for number, line in enumerate(SourceText.from_bytes(data).lines, 1)
            if pattern.search(line)
        ]

    def committed_lines(self) -> Sequence[CommittedLines]:
        """Return the lines that commits add."""
        return self._committed

    def workspace(self, extra: Iterable[str] = ()) -> Path:
        """Write the change's files to a temporary folder."""
        names = set(extra)
        wanted = {path: sides[1] for path, sides in self._sides.items()}
        wanted.update({path: data for path, data in self._others.items() if Path(path).name in names})
        return self._written("workspace", wanted)

    def tree(self) -> Path:
        """Write everything, untouched files too, to another temporary folder: it stands for the person's own."""
        return self._written("tree", {path: sides[1] for path, sides in self._sides.items()} | self._others)

    def _written(self, name: str, wanted: Mapping[str, bytes | None]) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="selfreview-test-", ignore_cleanup_errors=True)
        root = Path(self._folder.name) / name
        root.mkdir(exist_ok=True)
        for path, data in wanted.items():
            target = root / path
            if data is not None and not (target.is_file() and target.read_bytes() == data):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        return root

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: dict[str, str] | None = None,
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a real program."""
        seconds = self.remaining() if timeout is None else min(timeout, self.remaining())
        return self._runner.run(argv, cwd=cwd, stdin=stdin, ok=ok, env=env, timeout=seconds)

    def keep(self, files: Sequence[ChangedFile], review: Review) -> None:
        """Do nothing: there is no cache."""

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Register a function to call when the context is closed."""
        self._stops.append(callback)

    def remaining(self) -> float:
        """Return the remaining seconds."""
        return self._deadline - self._clock()

    def close(self) -> None:
        """Call the registered functions, and remove the temporary folder."""
        for callback in self._stops:
            callback()
        if self._folder is not None:
            self._folder.cleanup()


def review(reviewer: Reviewer, context: MemoryContext, *, changed_lines_only: bool = True) -> list[Finding]:
    """Run a reviewer over everything it selects and return its findings.

    Args:
        reviewer: What to try.
        context: What to show it.
        changed_lines_only: Drop findings that touch no changed line and name none as related, as the engine would call
            them out of scope.

    Raises:
        BaseException: What the reviewer met at a file that it names in ``Review.crashes``, or raised itself.
    """
    checked: ReviewContext = context
    files = [file for file in context.change.files if reviewer.selects(file)]
    answer = reviewer.review(files, checked) if files else Review()
    for crash in answer.crashes.values():
        raise crash
    findings = answer.findings
    if not changed_lines_only:
        return findings
    by_path = {file.path: file for file in context.change.files}
    return [finding for finding in findings if _on_changed_line(finding, by_path)]


def _on_changed_line(finding: Finding, files: Mapping[str, ChangedFile]) -> bool:
    if finding.status is IssueStatus.OUT_OF_SCOPE:
        return False
    return finding.line_start == 0 or any(
        overlaps(files[file].removed if side is Side.OLD else files[file].added, first, max(first, last))
        for file, first, last, side in (
            (finding.file, finding.line_start, finding.line_end, finding.side),
            *((place.file, place.line_start, place.line_end, place.side) for place in finding.related),
        )
        if file in files
    )
