"""The pull request of the stories, answered by a program."""

from __future__ import annotations

import pytest

from tests.pullrequest.conftest import _published, lab
from tests.pullrequest.lab import Lab

__all__ = ["_published", "lab"]


@pytest.fixture
def connected(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A clone on a branch that is pushed, whose forge this process itself may ask."""
    for name, value in lab.environment.items():
        monkeypatch.setenv(name, value)
    return lab
