"""The context of a reviewer: the change's content, its workspace and the way to run tools."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import msgspec

from selfreview.api.config import ConfigView
from selfreview.model.change import Change, ChangedFile, FileStatus, HunkSpan
from selfreview.model.issue import Finding, Side
from selfreview.model.result import ReviewerStatus
from selfreview.model.usage import Outage, Usage


class DiffLine(NamedTuple):
    """One line of a hunk.

    Attributes:
        kind: ``"+"``, ``"-"`` or ``" "``.
        old_line, new_line: 1-based numbers, None on the side that lacks the line.
        text: The line without its line feed; a carriage return before it is kept.
    """

    kind: Literal["+", "-", " "]
    old_line: int | None
    new_line: int | None
    text: str


class Hunk(NamedTuple):
    """A hunk with its lines."""

    old_start: int
    new_start: int
    lines: tuple[DiffLine, ...]

    @classmethod
    def from_span(cls, span: HunkSpan, old: SourceText | None, new: SourceText | None) -> Hunk:
        """Make a hunk without context from both sides' text."""
        removed = range(span.old_start, span.old_start + span.old_count)
        added = range(span.new_start, span.new_start + span.new_count)
        lines = [DiffLine("-", n, None, old.line(n) if old else "") for n in removed]
        lines += [DiffLine("+", None, n, new.line(n) if new else "") for n in added]
        return cls(span.old_start, span.new_start, tuple(lines))


class WordHit(NamedTuple):
    """A line that holds a word that was searched for.

    Attributes:
        path: The file.
        line: 1-based.
        text: The whole line.
    """

    path: str
    line: int
    text: str


class CommittedLines(NamedTuple):
    """The lines that one commit adds to one file; of a merge, those that none of its parents has.

    Attributes:
        commit: The commit's id.
        path: The file's path in that commit.
        path_now: Its path at the head, as far as commits rename it.
        status: What happened to it in that commit.
        mode: Its mode there, as git writes it.
        hunks: The number of the first line, from 1, and the bytes, of every run of added lines.
    """

    commit: str
    path: str
    path_now: str
    status: FileStatus
    mode: str
    hunks: tuple[tuple[int, bytes], ...]


class SourceText(NamedTuple):
    """A file's text, split on line feeds only.

    Attributes:
        lines: Lines without their line feed, decoded as UTF-8 with ``surrogateescape`` (line 1 is ``lines[0]``);
            a byte order mark is dropped from the first.
        is_utf8: Whether every byte was valid UTF-8.
    """

    lines: tuple[str, ...]
    is_utf8: bool

    @classmethod
    def from_bytes(cls, data: bytes) -> SourceText:
        """Decode a file's content."""
        try:
            text, is_utf8 = data.decode("utf-8"), True
        except UnicodeDecodeError:
            text, is_utf8 = data.decode("utf-8", "surrogateescape"), False
        lines = text.removeprefix("\ufeff").split("\n")
        if lines[-1] == "":
            lines.pop()
        return cls(tuple(lines), is_utf8)

    @property
    def text(self) -> str:
        """The whole text; its last line has no line feed."""
        return "\n".join(self.lines)

    def line(self, number: int) -> str:
        """Return a line by its 1-based number, or the empty string where there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


class Review(msgspec.Struct, kw_only=True):
    """The result of a reviewer: its findings, its status, and the files that it could not review.

    Attributes:
        findings: Everything found in the files as a whole; the engine decides what the change is answerable for.
        status: ``OK``, or why there is no review. Raising a ``ToolError`` is the same as ``FAILED``.
        error, hint: One line each, for a status that is not ``OK``.
        unreviewed: Paths of the given files that were not reviewed after all, each with the reason; any of them makes
            the result incomplete unless ``status`` is ``SKIPPED`` or ``NOT_APPLICABLE``.
        crashes: Paths of the given files at which this reviewer met a defect of its own, each with what was raised: it
            fails as where that is raised from ``review``, but only these files are unreviewed.
        not_applicable: Paths of the given files that this reviewer has nothing to say about, such as a language it
            cannot parse; they do not count as reviewed by it, and do not make the result incomplete.
        text_only: Paths of the given files of which this reviewer, though it looks deeper, saw only the text, each with
            the reason, such as a syntax that its parser does not understand; they count as text scans.
        unsettled: Paths whose findings stand for now and are not kept: the next run reviews them again, also where
            :meth:`~selfreview.api.ReviewContext.keep` kept them already.
        gaps: What of the change as a whole was not looked at, a line each; any of them makes the result incomplete.
        usage: What a model cost.
        notes: Sentences for a person that belong to every output.
        outage: Why a model could not be asked, where ``error`` says that; a fix cycle then waits.
    """

    findings: list[Finding] = []
    status: ReviewerStatus = ReviewerStatus.OK
    error: str | None = None
    hint: str | None = None
    unreviewed: dict[str, str] = {}
    crashes: dict[str, BaseException] = {}
    not_applicable: list[str] = []
    text_only: dict[str, str] = {}
    unsettled: list[str] = []
    gaps: list[str] = []
    usage: Usage | None = None
    notes: list[str] = []
    outage: Outage | None = None


class ReviewContext(Protocol):
    """The change's content, its workspace and the way to run tools.

    Every method may be called from several threads. Content is read once: all reviewers see the same bytes.
    """

    @property
    def change(self) -> Change:
        """The whole change, also the files that this reviewer was not given."""

    @property
    def config(self) -> ConfigView:
        """The resolved configuration."""

    def read(self, file: ChangedFile, side: Side = Side.NEW) -> bytes | None:
        """Return a file's exact bytes on one side; None where that side does not exist or cannot be had."""

    def text(self, file: ChangedFile, side: Side = Side.NEW) -> SourceText | None:
        """Return a file's text on one side; None where :meth:`read` would."""

    def hunks(self, file: ChangedFile) -> tuple[Hunk, ...]:
        """Return a file's hunks with their lines, parsed on first use.

        In a repository they hold changed lines only, context is in :meth:`text`; a bare patch brings its own.
        """

    def read_path(self, path: str, side: Side = Side.NEW) -> bytes | None:
        """Return the bytes of any file of the tree under review (or, on the old side, of the base); None if absent."""

    def read_paths(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, bytes]:
        """Return the content of those of the paths that are regular files of one side's tree, read at once."""

    def read_settings(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the content of those of the paths that are files which tell a tool how to review.

        That is the tree under review's, and in a gate the base's: no change loosens its own review.
        """

    def list_settings(self, folder: str) -> list[str]:
        """Return the paths of all files below a folder from where :meth:`read_settings` reads, sorted."""

    @property
    def settings_of_base(self) -> bool:
        """Return whether settings are read from the base, and not from the tree under review."""

    def read_links(self, paths: Iterable[str], side: Side = Side.NEW) -> dict[str, str]:
        """Return where those of the paths lead that are symbolic links of one side's tree, as the links say it."""

    def list_paths(self, side: Side = Side.NEW) -> list[str]:
        """Return the paths of all files of one side's tree, sorted; of a bare patch, those that it adds.

        Raises:
            GitError: If git fails.
        """

    def committed_lines(self) -> Sequence[CommittedLines]:
        """Return what the commits under review add, oldest first, that is neither at the base nor at the head.

        Runs of lines that all stand in the file at its base or its head are left out, as are files that nobody
        reviews. Nothing where no commit is reviewed by itself: an index, a single commit, a bare patch.

        Raises:
            ToolError: If they cannot be read in full.
        """

    def search(self, words: Sequence[str]) -> list[WordHit]:
        """Return the lines of the tree under review that hold one of the words as a whole word.

        Text files that git tracks or would track, in no particular order; nothing where only a bare patch is known.

        Raises:
            GitError: If git fails.
        """

    def workspace(self, extra: Iterable[str] = ()) -> Path:
        """Return a private folder that holds the new side of every reviewable file at its path.

        Args:
            extra: Names of files (``"pyproject.toml"``) to bring too, from every folder above a changed file.
        """

    def tree(self) -> Path:
        """Return a folder that holds the whole tree under review: the person's own when that is what is reviewed."""

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
        """Run a tool until it ends or this reviewer's deadline comes.

        The child has a cleaned environment, its own process group, no standard input unless given, and is killed with
        its children at the deadline.

        Args:
            argv: Program and arguments.
            cwd: Folder to run it in.
            stdin: What it reads.
            ok: Exit statuses that mean success.
            env: Variables to add.
            timeout: Seconds that it may take, where that is less than is left until the deadline.

        Raises:
            ToolError: If it cannot be started, ends otherwise, is killed, or prints more than 64 MiB.
            ToolTimeout: If the deadline comes first.
        """

    def keep(self, files: Sequence[ChangedFile], review: Review) -> None:
        """Keep what was found in some of the given files in the cache at once, so that no interruption loses it.

        What :meth:`~selfreview.api.Reviewer.review` returns is kept at its end, and holds these findings as well.
        """

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Have something called, from another thread, when the run is interrupted or over: to give up what waits.

        What :meth:`run` started needs none: it is killed. The callback must be quick and must not raise.
        """

    def remaining(self) -> float:
        """Return the seconds until this reviewer's deadline."""
