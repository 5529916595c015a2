"""Git's own folder, under each of the names that file systems know it by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters that HFS+ leaves out of names."""
_GIT = re.compile(r"(?:\.git|git~\d+)(?:[. ]*|[. ]*:.*)", re.IGNORECASE | re.DOTALL)
_SEPARATORS = re.compile(r"[/\\]")


def goes_into_git(path: str) -> bool:
    """Return whether a path has a part ``.git``, also in other case, with invisible characters, or as a short name."""
    return any(_GIT.fullmatch(_IGNORED.sub("", part)) for part in _SEPARATORS.split(path))


def plain_path(path: str) -> str:
    """Return a path as file systems may read it: no invisible characters, nor dots and spaces at the ends of names."""
    parts = (_IGNORED.sub("", part).partition(":")[0] for part in _SEPARATORS.split(path))
    return "/".join(part.rstrip(". ") or part for part in parts)


def git_folder(patch: Patch) -> Iterator[Rejection]:
    """Reject whatever is in a folder called ``.git``, and a file of that name."""
    for edit in patch.edits:
        if goes_into_git(edit.path):
            yield Rejection(edit.path, "git-folder", "Leave git's own folder alone; only edit files that git tracks.")
