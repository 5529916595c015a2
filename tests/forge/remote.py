"""A bare repository beside the forge: the commits of its branches, and how lines moved between them."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

_HEADS = "refs/heads/"
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Remote:
    """A bare repository.

    Args:
        path: Its folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._answers: dict[tuple[str, ...], str] = {}

    def heads(self) -> dict[str, str]:
        """Return the commit of each branch; read as files where they are files, because every answer needs them."""
        if (self.path / "reftable").exists():
            listed = self._git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/").splitlines()
        else:
            listed = [*self._packed(), *self._loose()]
        pairs = (line.split(" ", 1) for line in listed)
        return {name.removeprefix(_HEADS): sha for sha, name in pairs if name.startswith(_HEADS)}

    def moved(self, old: str, new: str, path: str, first: int, last: int) -> tuple[int, int] | None:
        """Return where the lines of a file are in another commit, or None where they are not there any more."""
        shift = 0
        for start, count, added in self._hunks(old, new, path):
            begin = start if count else start + 1  # an insertion stands after the line that is named
            if begin + count <= first:
                shift += added - count
            elif begin <= last:
                return None
        return (first + shift, last + shift) if self._has(new, path) else None

    def hunk(self, base: str, head: str, path: str, line: int, *, old_side: bool) -> str | None:
        """Return the diff's hunk up to a line, or None where the line is not part of the diff."""
        diff = self._ask("diff", "--no-ext-diff", "--no-color", f"{base}...{head}", "--", path)
        starts = list(_HUNK.finditer(diff))
        for match, following in itertools.zip_longest(starts, starts[1:]):
            text = diff[match.start() : following.start() if following else None].rstrip("\n")
            old, new = int(match[1]), int(match[3])
            kept: list[str] = []
            for number, row in enumerate(text.split("\n")):
                kept.append(row)
                if number == 0:
                    continue
                here = old if old_side else new
                if here == line and row[:1] in ({"-", " "} if old_side else {"+", " "}):
                    return "\n".join(kept)
                old += row[:1] in "- "
                new += row[:1] in "+ "
        return None

    def has_hunks(self, base: str, head: str, path: str) -> bool:
        """Return whether lines of a file are changed."""
        return (
            _HUNK.search(self._ask("diff", "--no-ext-diff", "--no-color", f"{base}...{head}", "--", path)) is not None
        )

    def files(self, base: str, head: str) -> list[tuple[str, int, int]]:
        """Return path, added and deleted lines of each file of a change; a binary file has none."""
        rows = [row.split("\t") for row in self._ask("diff", "--numstat", f"{base}...{head}").splitlines()]
        return [(path, _number(added), _number(deleted)) for added, deleted, path in rows]

    def commits(self, base: str, head: str) -> list[str]:
        """Return the commits of a change, oldest first."""
        return self._ask("rev-list", "--reverse", f"{base}..{head}").split()

    def message(self, commit: str) -> tuple[str, str, str]:
        """Return the message, the author's name and the author's address of a commit."""
        message, name, mail = self._ask("log", "-1", "--format=%B%x00%an%x00%ae", commit).rstrip("\n").split("\0")
        return message, name, mail

    def _packed(self) -> list[str]:
        try:
            lines = (self.path / "packed-refs").read_text("utf-8", "surrogateescape").splitlines()
        except FileNotFoundError:
            return []
        return [line for line in lines if not line.startswith(("#", "^"))]

    def _loose(self) -> Iterator[str]:
        for file in (self.path / "refs" / "heads").rglob("*"):
            if file.is_file() and file.suffix != ".lock":
                yield f"{file.read_text('ascii').strip()} {file.relative_to(self.path).as_posix()}"

    def _hunks(self, old: str, new: str, path: str) -> Iterator[tuple[int, int, int]]:
        for match in _HUNK.finditer(self._ask("diff", "--no-ext-diff", "--no-color", "-U0", old, new, "--", path)):
            yield int(match[1]), int(match[2] or 1), int(match[4] or 1)

    def _has(self, commit: str, path: str) -> bool:
        return bool(self._ask("ls-tree", commit, "--", path))

    def _ask(self, *args: str) -> str:
        """Run git once for what never changes: commits, and not branches, are all that is named."""
        if args not in self._answers:
            answer = self._git(*args)
            if not answer:
                return answer  # or the commit is not there yet
            self._answers[args] = answer
        return self._answers[args]

    def _git(self, *args: str) -> str:
        done = subprocess.run(["git", "--git-dir", str(self.path), *args], capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0
