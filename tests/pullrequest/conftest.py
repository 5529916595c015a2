"""A pull request for every test here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Workspace
from tests.forge import FakeGitHub
from tests.pullrequest.lab import Lab


@pytest.fixture
def lab(workspace: Workspace, tmp_path: Path) -> Iterator[Lab]:
    """A clone on a branch that is pushed, and a forge that knows its remote."""
    with FakeGitHub() as forge:
        yield Lab(workspace, forge, tmp_path)
