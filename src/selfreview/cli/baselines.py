"""The baseline of a working tree."""

from __future__ import annotations

from pathlib import Path

from selfreview.config.files import worktree_reader
from selfreview.review.baseline import Entry
from selfreview.review.baselinefile import parse_baseline


def read_baseline(root: Path, name: str) -> dict[str, Entry] | None:
    """Return the entries of a working tree's baseline by fingerprint, or None where there is no such file.

    Raises:
        ConfigError: If it cannot be read.
    """
    data = worktree_reader(root)(name)
    return None if data is None else parse_baseline(data, name)
