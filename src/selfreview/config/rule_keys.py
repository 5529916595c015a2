"""Keys about single rules of reviewers."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from selfreview.api import Key


def _check_paths(values: Sequence[str]) -> str | None:
    for value in values:
        plain = value.strip("/")
        parts = plain.split("/")
        if value.startswith("/") or "\\" in value or ".." in parts or posixpath.normpath(plain) in ("", "."):
            return f"must be paths of folders or files within the repository, not {value!r}"
    return None


RULE_KEYS: tuple[Key, ...] = (
    Key(
        name="rules_path",
        kind="list",
        default=[],
        check=_check_paths,
        help="Folders and files of the repository with ast-grep rules in YAML, which the reviewer `rules` applies too.",
    ),
)
"""Keys that decide what reviewers look for."""
