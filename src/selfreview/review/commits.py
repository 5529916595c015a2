"""Lines that the commits under review add besides those of the change as a whole."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from selfreview.api.context import CommittedLines
from selfreview.errors import GitError, ToolError
from selfreview.git.collect import Collected, is_wanted
from selfreview.git.content import Content
from selfreview.git.repo import Repo
from selfreview.model.change import Change, ChangedFile, FileStatus
from selfreview.model.issue import Side
from selfreview.proc import Runner

MOST_BYTES = 256 * 1024 * 1024
"""Bytes that git may print of all commits together."""
_SUBMODULE = "160000"


@dataclasses.dataclass(frozen=True)
class Commits:
    """The commits of a change.

    Attributes:
        repo: The repository.
        collected: The change.
        excluded: Returns why a file of a commit is not looked at, as it is there, or None.
        paths: Limit to these; a folder stands for what is below.
        patterns: What ``excluded`` depends on.
    """

    repo: Repo
    collected: Collected
    excluded: Callable[[ChangedFile], str | None]
    paths: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    @property
    def key(self) -> bytes:
        """Cache key of the commits, of the selection of their files, and of the code that reads these."""
        from selfreview.git import commits

        asked = repr((self.collected.resolved.commits, self.paths, self.patterns)).encode("utf-8", "surrogateescape")
        readers = (Path(source).read_bytes() for source in (commits.__file__, __file__))
        return asked + hashlib.sha256(b"".join(readers)).digest()

    def count(self) -> int:
        """Return how many there are.

        Raises:
            GitError: If git fails.
        """
        return int(self.collected.git.run(["rev-list", "--count", *self.collected.resolved.commits, "--"]))

    def read(self, change: Change, content: Content, runner: Runner, timeout: float) -> list[CommittedLines]:
        """Return the lines that commits add and that are neither at the base nor reviewed at the head.

        Args:
            change: The change with its excluded files marked.
            content: Its text.
            runner: Runs git.
            timeout: Seconds that it may take.

        Raises:
            ToolError: If git fails, prints too much, or history is cut off.
            GitError: If what it prints is not understood.
        """
        from selfreview.git.commits import log_arguments, parse_log
        from selfreview.git.objects import BATCH, parse_batch

        git = self.collected.git

        def ask(arguments: Sequence[str], stdin: bytes | None = None) -> bytes:
            argv = [os.fsdecode(word) for word in git.argv(arguments)]
            return runner.run(
                argv, cwd=git.cwd, timeout=timeout, stdin=stdin, env=git.environ, max_output=MOST_BYTES
            ).stdout

        def read(oids: Iterable[str]) -> dict[str, bytes]:
            wanted = list(dict.fromkeys(oids))
            return parse_batch(ask(BATCH, "".join(f"{oid}\n" for oid in wanted).encode()), wanted) if wanted else {}

        try:
            added = list(parse_log(ask(log_arguments(self.collected.resolved.commits)), read))
        except (ToolError, GitError) as error:
            hint = "review the commits in parts: --range A..B" if "printed more than" in error.message else error.hint
            raise type(error)(error.message, hint=hint) from error
        self._refuse_cut_off({part.commit for part in added})
        return list(self._left(added, change, content))

    def _refuse_cut_off(self, commits: set[str]) -> None:
        """Raise where a shallow clone ends at one of the commits: all that came before it would count as its own."""
        try:
            cut = set((self.repo.common_dir / "shallow").read_text().split())
        except FileNotFoundError:
            return
        if cut & commits:
            hint = "git fetch --unshallow, or in CI a full checkout (fetch-depth: 0)"
            raise ToolError("this shallow clone ends among them", hint=hint)

    def _left(self, added: list[CommittedLines], change: Change, content: Content) -> Iterator[CommittedLines]:
        files = {file.path: file for file in change.files}
        wanted: dict[tuple[str, str], bool] = {}
        known: dict[tuple[str, str], set[bytes]] = {}
        for part in added:
            names = part.path, part.path_now
            if names not in wanted:
                wanted[names] = self._is_wanted(part)
            if part.mode == _SUBMODULE or not wanted[names]:
                continue
            if names not in known:
                file = files.get(part.path_now)
                known[names] = _lines(file, part.path, content) if file is not None else set()
            there = known[names]
            hunks = tuple(hunk for hunk in part.hunks if not there.issuperset(hunk[1].split(b"\n")))
            if hunks:
                yield part._replace(hunks=hunks)

    def _is_wanted(self, part: CommittedLines) -> bool:
        """Return whether a file is looked at: what becomes of it after the commit does not count, as that is pushed."""
        there = ChangedFile(path=part.path, old_path=part.path_now, status=FileStatus.ADDED, new_mode=part.mode)
        return is_wanted(there, self.paths) and self.excluded(there) is None


def _lines(file: ChangedFile, path: str, content: Content) -> set[bytes]:
    """Return all lines that a file has at the base, and at the head if it is reviewed there under that path."""
    found = {b""}
    for side in Side if file.excluded is None and file.path == path else (Side.OLD,):
        with contextlib.suppress(OSError):  # whoever reviews the file says so
            found.update((content.read(file, side) or b"").split(b"\n"))
    return found
