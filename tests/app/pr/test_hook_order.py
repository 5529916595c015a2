"""Plugins are configured for a pull request: with the branch's configuration, and with that which counts for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.cli.hook_order import HookOrder
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import suggest


@pytest.fixture
def order(tmp_path: Path) -> HookOrder:
    folder = tmp_path / "recorder"
    folder.mkdir()
    return HookOrder(folder)


def test_the_commands_on_a_pull_request_keep_the_order(lab: Lab, order: HookOrder) -> None:
    assert lab.pr("create", "--force", "--reason", "a spike", **order.environment).code == ExitCode.PASSED
    assert "state_changed" in order.check()[0]
    (pull,) = lab.repository.pulls
    suggest(lab, pull)
    for verb in ("status", "feedback"):
        assert lab.pr(verb, **order.environment).code == ExitCode.PASSED
        assert order.check()
    ran = lab.pr("fix", **order.environment, HOOK_VETO="not on a Friday")
    assert ran.code == ExitCode.ISSUES, ran
    assert "not on a Friday" in ran.out + ran.err
    assert any("before_push" in hooks for hooks in order.check())


@pytest.mark.parametrize("verb", ["status", "fix"])
def test_what_counts_for_the_pull_request_of_somebody_else_is_configured(lab: Lab, order: HookOrder, verb: str) -> None:
    pull = lab.repository.pull("topic", author=lab.rev)
    suggest(lab, pull)
    lab.pr(verb, str(pull.number), **order.environment)
    counted = order.check()
    assert len(counted) >= 2
    assert verb == "status" or any("state_changed" in hooks for hooks in counted[1:])
    assert "state_changed" not in counted[0]
