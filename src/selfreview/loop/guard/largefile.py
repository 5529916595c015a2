"""New files that are too large to be a fix."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch

LARGEST = 1_000_000
"""Maximum size in bytes."""


def large_file(patch: Patch) -> Iterator[Rejection]:
    """Reject a file that is, or has grown to, more than a megabyte."""
    for file in patch.files:
        old = len(file.old.data) if file.old is not None else 0
        if file.new is not None and len(file.new.data) > LARGEST >= old:
            yield Rejection(file.path, "large-file", "Do not add a file of more than one megabyte; a fix needs none.")
