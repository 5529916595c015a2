"""Contracts of the plugins of each kind, as tests that the author of a plugin inherits::

    from selfreview.testing.contracts import ReviewerContract

    class TestMyReviewer(ReviewerContract):
        path = "app.xyz"
        sample = "a text in which it finds something"

        @pytest.fixture
        def reviewer(self):
            return MyReviewer()

A class whose name begins with ``Test`` is collected by pytest; the contracts themselves are not.
"""

from __future__ import annotations

from selfreview.testing.contracts.agent import AgentContract
from selfreview.testing.contracts.fixer import FixerContract
from selfreview.testing.contracts.plugin import CommandContract
from selfreview.testing.contracts.reporter import ReporterContract
from selfreview.testing.contracts.reviewer import ReviewerContract
from selfreview.testing.contracts.services import ForgeContract, NotifierContract

__all__ = [
    "AgentContract",
    "CommandContract",
    "FixerContract",
    "ForgeContract",
    "NotifierContract",
    "ReporterContract",
    "ReviewerContract",
]
