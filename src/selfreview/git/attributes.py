"""Files that ``.gitattributes`` marks as generated or vendored, in the words that forges and git share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from selfreview.git.private_folder import PrivateFolder
from selfreview.git.run import Git
from selfreview.model.change import path_bytes, path_from_bytes

_REASONS = {
    b"linguist-generated": "generated, says .gitattributes",
    b"linguist-vendored": "vendored, says .gitattributes",
}


def marked_files(git: Git, paths: Sequence[str], tree: str | None = None) -> dict[str, str]:
    """Return the files marked as generated or vendored, each with the reason to leave it out.

    Args:
        git: Git in the repository.
        paths: The files.
        tree: A commit or tree whose ``.gitattributes`` count instead of the working tree's.
    """
    if not paths:
        return {}
    names = b"".join(path_bytes(path) + b"\0" for path in paths)
    if tree is None:
        answer = git.run(["check-attr", "-z", "--stdin", *_REASONS], stdin=names).split(b"\0")
    else:
        with PrivateFolder() as folder:  # git before 2.40 cannot be told a tree, but reads an index
            indexed = git.with_env(GIT_INDEX_FILE=str(Path(folder) / "index"))
            indexed.run(["read-tree", tree])
            answer = indexed.run(["check-attr", "-z", "--cached", "--stdin", *_REASONS], stdin=names).split(b"\0")
    marked: dict[str, str] = {}
    for position in range(0, len(answer) - 2, 3):
        path, attribute, value = answer[position : position + 3]
        if value in (b"set", b"true"):
            marked.setdefault(path_from_bytes(path), _REASONS[attribute])
    return marked
