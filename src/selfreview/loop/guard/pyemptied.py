"""Emptied Python tests."""

from __future__ import annotations

from collections.abc import Iterator

from selfreview.loop.guard.model import Rejection
from selfreview.loop.guard.patch import Patch
from selfreview.loop.guard.pysource import statements
from selfreview.loop.guard.pytests import match_tests


def test_emptied(patch: Patch) -> Iterator[Rejection]:
    """Reject a test whose body was removed."""
    for old, new in match_tests(patch):
        if new is not None and statements(old.node) and not statements(new.node):
            yield Rejection(new.file.path, "test-emptied", f"Keep the body of {old.name}; correct the code instead.")
