"""The sample keeps the contracts."""

from __future__ import annotations

import pytest
import selfreview_sample
from selfreview_sample.longlines import LongLines
from selfreview_sample.tally import Tally

from selfreview.testing.contracts import ReporterContract, ReviewerContract
from selfreview.testing.workspace import Workspace


class TestLongLines(ReviewerContract):
    module = "selfreview_sample"
    sample = "x" * 200

    @pytest.fixture
    def reviewer(self):
        return LongLines(100)


class TestTally(ReporterContract):
    has_all_issues = False

    @pytest.fixture
    def reporter(self):
        return Tally()


def test_its_key_is_heeded(selfreview_workspace: Workspace) -> None:
    selfreview_workspace.plugin(selfreview_sample)
    selfreview_workspace.write("a.txt", "12345\n1234567\n")
    ran = selfreview_workspace.run_inprocess("run", "-o", "sample.longest=6", "--format", "json")
    ran.assert_issues(1, rule="too-long", line=2, severity="medium")
