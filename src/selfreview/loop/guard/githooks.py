"""What runs when somebody commits or pushes."""

from __future__ import annotations

import re
from collections.abc import Iterator

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


def git_hooks(patch: Patch) -> Iterator[Rejection]:
    """Reject edits of git hooks; those that a project offers to others are its product, and only not new work."""
    own = {file.path for file in patch.bounds.change.files}
    for edit in patch.edits:
        if _HOOKS.fullmatch(plain_path(edit.path)) or (_OFFERED.fullmatch(edit.path) and edit.path not in own):
            reason = "Leave git hooks to a person; call an issue in one not addressed, and say what to change."
            yield Rejection(edit.path, "git-hooks", reason)
