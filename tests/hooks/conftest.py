"""Fixtures of the tests that run real hooks."""

from __future__ import annotations

import pytest

from tests.conftest import Workspace
from tests.hooks.hooked import Hooked


@pytest.fixture
def repo(workspace: Workspace) -> Hooked:
    """A repository with both hooks, which call the real program."""
    hooked = Hooked(workspace)
    hooked.install()
    return hooked
