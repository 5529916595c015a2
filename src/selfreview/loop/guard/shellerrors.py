"""Shell commands whose failure is ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selfreview.loop.guard.comments import without_comments
from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import File, Patch

_IGNORED = re.compile(
    r"\|\|\s*(?:true|:|exit\s+0|/bin/true)(?![\w/.-])|(?<![\w-])set\s+\+(?:e\b|o\s+(?:errexit|pipefail)\b)"
    r"|;\s*true\s*$|--exit-zero\b|\bcontinue-on-error:\s*true\b|\ballow_failure:\s*true\b|\bignore_errors:\s*(?:true|yes)\b",
    re.MULTILINE,
)
_STRICT = (
    re.compile(r"(?<![\w-])set\s+-(?:[a-df-z]*e[a-z]*\b|[a-z]*o\s+errexit\b)"),
    re.compile(r"\bset\s[^\n]*\bpipefail\b"),
)
"""Commands that make a script end at the first failure."""
_SHEBANG = re.compile(r"#![^\n]*\b(?:ba|da|k|z)?sh\b")
_DASHED = re.compile(r"^\t-[@\w]", re.MULTILINE)
_SHELL_NAMES = re.compile(
    r"(?:gnu)?makefile|[^/]*\.mk|dockerfile[^/]*|containerfile|justfile|procfile|[^/]*\.(?:ya?ml|json|toml|cfg|ini|bats|zsh|ksh|env)"
)


def shell_error_ignored(patch: Patch) -> Iterator[Rejection]:
    """Reject additional ``|| true``, ``set +e`` and the like, and fewer ``set -e``."""
    for file in patch.files:
        if file.new is None or not _has_commands(file):
            continue
        old, new = (without_comments(text, "bash") for text in (file.old_text, file.new_text))
        weaker = any(pattern.search(old) and not pattern.search(new) for pattern in _STRICT)
        if _count(new, file) > _count(old, file) or weaker:
            reason = "Handle the failure of the command instead of ignoring it (no `|| true`, no `set +e`)."
            yield Rejection(file.path, "shell-error-ignored", reason)


def _has_commands(file: File) -> bool:
    name = file.path.rpartition("/")[2].casefold()
    script = file.language is None and _SHEBANG.match(file.new_text) is not None
    return file.language == "bash" or script or _SHELL_NAMES.fullmatch(name) is not None


def _count(text: str, file: File) -> int:
    dashes = len(_DASHED.findall(text)) if file.path.casefold().endswith(("makefile", ".mk")) else 0
    return len(_IGNORED.findall(text)) + dashes
