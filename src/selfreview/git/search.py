"""Find words in the tree under review, with ``git grep``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from selfreview.api.context import WordHit
from selfreview.errors import GitError
from selfreview.git.run import Git, first_line
from selfreview.model.change import path_from_bytes

_OPTIONS = (
    "grep", "-z", "-n", "-I", "-w", "-E", "--no-color", "--no-column", "--full-name", "--no-heading", "--no-break",
    "--no-recurse-submodules", "--no-textconv", "--no-all-match",
)  # fmt: skip
_SPECIAL = re.compile(r"[][\\.*^$+?(){}|]")
"""Special characters of an extended regular expression."""
_WORDS_AT_ONCE = 200
"""Well below any limit on the length of a command line."""


def search_words(git: Git, tree: str | None, words: Sequence[str], *, cached: bool) -> list[WordHit]:
    """Find whole words in regular text files.

    Args:
        git: Git; with a private index where the working tree is searched.
        tree: Commit or tree, or None for the index or the working tree.
        words: What to look for, literally.
        cached: Whether the index is searched and not the working tree.

    Raises:
        GitError: If git fails.
    """
    hits: list[WordHit] = []
    for start in range(0, len(words), _WORDS_AT_ONCE):
        # One alternation: git matches many patterns of their own thirty times as slowly.
        pattern = "|".join(_SPECIAL.sub(r"\\\g<0>", word) for word in words[start : start + _WORDS_AT_ONCE])
        where = [tree] if tree is not None else ["--cached"] if cached else []
        done = git.call([*_OPTIONS, "-e", f"({pattern})", *where, "--"])
        if done.returncode not in (0, 1) or (done.returncode == 1 and done.stderr):
            raise GitError(f"git grep failed: {first_line(done.stderr) or done.returncode}")
        hits += _parse(done.stdout, f"{tree}:".encode() if tree is not None else b"")
    return hits


def _parse(output: bytes, prefix: bytes) -> list[WordHit]:
    """Read ``NAME NUL LINE NUL TEXT``; a name may hold a line feed, so the first NUL ends it and the last line."""
    hits = []
    position = 0
    while position < len(output):
        name_end = output.index(b"\0", position)
        number_end = output.index(b"\0", name_end + 1)
        line_end = output.find(b"\n", number_end + 1)
        line_end = len(output) if line_end < 0 else line_end
        hits.append(
            WordHit(
                path=path_from_bytes(output[position:name_end].removeprefix(prefix)),
                line=int(output[name_end + 1 : number_end]),
                text=output[number_end + 1 : line_end].decode("utf-8", "surrogateescape"),
            )
        )
        position = line_end + 1
    return hits
