"""What people could not be told is tried again while a watcher runs."""

from __future__ import annotations

import time

from selfreview.store import Store
from selfreview.testing.notifying import notice
from tests.pullrequest.lab import Lab
from tests.pullrequest.notifiers.slackd import HttpServer
from tests.pullrequest.watching.scene import named, told


def test_a_notice_that_waits_is_sent(lab: Lab) -> None:
    with Store.open(lab.workspace.root / ".git" / "selfreview") as store:
        store.messages.add(notice(), "slack", time.time())
    with HttpServer() as slack:
        channel = ("-o", 'notification_channels=["slack"]')
        for sent in (1, 0):
            ran = lab.pr("watch", "--once", *channel, SLACK_WEBHOOK_URL=slack.url)
            assert [event["state"] for event in named(told(ran), "notice")] == ["sent"] * sent, ran
    assert len(slack.seen) == 1
