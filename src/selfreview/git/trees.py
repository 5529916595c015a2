"""The working trees of a repository."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from selfreview.errors import GitError
from selfreview.git.run import Git, first_line
from selfreview.model.change import path_from_bytes


class Tree(NamedTuple):
    """A working tree.

    Attributes:
        path: Where it is.
        branch: The full ref that is checked out, or None.
        gone: Whether git says that its folder is not there any more.
    """

    path: Path
    branch: str | None
    gone: bool


def working_trees(git: Git) -> list[Tree]:
    """Return the working trees of a repository, the main one first.

    Raises:
        GitError: If git cannot list them.
    """
    done = git.call(["worktree", "list", "--porcelain", "-z"])
    end = b"\0"
    if done.returncode != 0:  # before git 2.36 there is no -z
        done, end = git.call(["worktree", "list", "--porcelain"]), b"\n"
    if done.returncode != 0:
        raise GitError(f"git worktree failed: {first_line(done.stderr) or done.returncode}")
    found = []
    for record in done.stdout.split(end + end):
        fields = dict(_field(line) for line in record.split(end) if line)
        if "worktree" in fields:
            path = Path(fields["worktree"])
            found.append(Tree(path, fields.get("branch"), "prunable" in fields or not path.is_dir()))
    return found


def _field(line: bytes) -> tuple[str, str]:
    name, _, value = line.partition(b" ")
    return name.decode("ascii", "replace"), path_from_bytes(value)
