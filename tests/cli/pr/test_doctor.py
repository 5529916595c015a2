"""What ``selfreview doctor`` says of what comes after the push."""

from __future__ import annotations

from selfreview.errors import ExitCode
from tests.pullrequest.lab import TOKEN, Lab


def test_it_names_forge_and_channels_and_asks_nobody(lab: Lab) -> None:
    env = {**lab.environment, "SLACK_WEBHOOK_URL": "https://hooks.slack.com/services/T0/B0/abcdefabcdef"}
    ran = lab.workspace.selfreview("doctor", "-o", 'notification_channels=["slack", "email"]', **env)
    assert ran.code == ExitCode.PASSED, ran
    assert "  ok  forge: github.com/octo/app, the remote origin, with a token that was not tried" in ran.out
    assert "  ok  channel slack: can send" in ran.out
    assert "   -  channel email: cannot send: " in ran.out
    assert TOKEN not in ran.out
    assert not lab.forge.requests


def test_without_token_forge_or_channel_it_says_so_and_passes(lab: Lab) -> None:
    ran = lab.workspace.selfreview("doctor")
    assert ran.code == ExitCode.PASSED, ran
    assert "   -  forge: there is no token for github.com (optional)" in ran.out
    assert "hint: set GH_TOKEN" in ran.out
    assert "   -  notifications: off, no channel is configured (optional)" in ran.out
    lab.workspace.git("remote", "set-url", "origin", "https://example.com/octo/app.git")
    assert "forge: no remote is on a supported forge (optional)" in lab.workspace.selfreview("doctor").out
