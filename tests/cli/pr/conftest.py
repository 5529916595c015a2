"""The pull request of the stories, at the command line."""

from __future__ import annotations

from tests.pullrequest.conftest import _published, lab

__all__ = ["_published", "lab"]
