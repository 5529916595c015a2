"""Git hooks, which run when somebody commits or pushes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from selfreview.git.entry import LINK
from selfreview.loop.guard.gitfolder import plain_path
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

_HOOKS = re.compile(
    r"(?:.*/)?(?:\.husky/.*|\.githooks?/.*|\.git-hooks?/.*|\.lefthook(?:-local)?/.*|\.pre-commit-config\.ya?ml"
    r"|prek\.toml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.?overcommit\.ya?ml|\.huskyrc(?:\.[^/]*)?"
    r"|\.lintstagedrc(?:\.[^/]*)?|lint-staged\.config\.[^/]*|\.simple-git-hooks\.[^/]*|captainhook\.json"
    r"|(?:hooks/)?(?:pre-(?:commit|push|receive|rebase|merge-commit)|commit-msg|prepare-commit-msg|post-(?:commit|checkout"
    r"|merge|rewrite|receive)))",
    re.IGNORECASE | re.DOTALL,
)
_OFFERED = re.compile(r"(?:.*/)?\.pre-commit-hooks\.ya?ml", re.IGNORECASE | re.DOTALL)
_NAMES = frozenset(
    """
    applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit p4-prepare-changelist
    post-applypatch post-checkout post-commit post-index-change post-merge post-receive post-rewrite post-update
    pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg
    proc-receive push-to-checkout reference-transaction sendemail-validate update
    """.split()  # noqa: SIM905 - a table to read
)
"""Names of git's hooks."""


def git_hooks(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of git hooks; those that a project offers to others are its product, and only not new work."""
    own = {file.path for file in patch.bounds.change.files}
    for edit in patch.edits:
        offered = _OFFERED.fullmatch(edit.path) and edit.path not in own
        is_link = edit.new is not None and edit.new.mode == LINK
        if (
            _HOOKS.fullmatch(plain_path(edit.path))
            or offered
            or is_hook(edit.path, patch.bounds.hooks, is_link=is_link)
        ):
            reason = "Leave git hooks to a person; call an issue in one not addressed, and say what to change."
            yield Rejection(edit.path, "git-hooks", reason)


def is_hook(path: str, hooks: Sequence[str], *, is_link: bool = False) -> bool:
    """Return whether git takes a file for a hook.

    Args:
        path: The file's path.
        hooks: Files, and folders of files, that git takes for hooks; ``""`` is the top level, where only the names of
            hooks count.
        is_link: Whether it is a symbolic link, which may stand where a folder on the way to hooks is looked for.
    """
    name = _comparable(path)
    for place in map(_comparable, hooks):
        if not place:
            if name in _NAMES:
                return True
        elif f"{name}/".startswith(f"{place}/") or (is_link and place.startswith(f"{name}/")):
            return True
    return False


def _comparable(path: str) -> str:
    """Return a path as file systems compare them that fold case."""
    return unicodedata.normalize("NFC", plain_path(path)).casefold() if path else ""
