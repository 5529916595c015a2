"""A private copy of the index.

Comparing makes git refresh the index and write it back, and untracked files must be in an index to take part in rename
detection. Both happen in a copy: the person's own index is never written.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from selfreview.errors import GitError
from selfreview.git.repo import Repo
from selfreview.git.run import Git


def copy_index(repo: Repo, folder: Path) -> Git:
    """Copy the index into ``folder`` and return a git that uses the copy.

    The modification time is kept: git compares it with the files' to know which entries it may trust.
    """
    target = folder / "index"
    if repo.index_file.exists():
        shutil.copy2(repo.index_file, target)
    return repo.git.with_env(GIT_INDEX_FILE=str(target))


def add_untracked(git: Git, paths: list[bytes], empty_blob: str) -> None:
    """Enter untracked files into a copied index, as empty and never up to date, so that git reads the real content."""
    if not paths:
        return
    lines = b"".join(b"100644 %s 0\t%s\0" % (empty_blob.encode(), path) for path in paths)
    git.run(["update-index", "--add", "--replace", "-z", "--index-info"], stdin=lines)


def untracked_files(git: Git) -> tuple[list[bytes], list[bytes]]:
    """Return the untracked files that are not ignored, and the embedded repositories (ending in ``/``).

    Raises:
        GitError: If git fails, or passes over a folder that it cannot read: it only warns of that.
    """
    done = git.call(["ls-files", "-z", "--others", "--exclude-standard"])
    if done.returncode != 0 or b"could not open directory" in done.stderr:
        what = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("warning: ")
        raise GitError(f"untracked files cannot be listed: {what}", hint="make the folder readable, or ignore it")
    names = done.stdout.split(b"\0")[:-1]
    return [n for n in names if not n.endswith(b"/")], [n for n in names if n.endswith(b"/")]
