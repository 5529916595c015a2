"""The channel ``github`` through the real client, on the fake GitHub."""

from __future__ import annotations

import time

from selfreview.api import Delivery, NoticeEvent, NotifyContext
from selfreview.pullrequest.forges.github import plugin
from selfreview.pullrequest.notifiers import forge as module
from selfreview.pullrequest.notifiers.forge import ForgeNotifier
from selfreview.pullrequest.outbox import WAITS_S, Outbox
from selfreview.store import Store
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import notice
from tests.pullrequest.lab import Lab


def test_a_test_is_one_comment_however_often(lab: Lab) -> None:
    pull = lab.open()
    for _ in range(2):
        done = lab.workspace.selfreview("notify", "test", "github", **lab.environment)
        assert (done.code, done.out) == (0, "github: sent\n"), done.err
    (comment,) = pull.comments
    assert "A test of selfreview" in comment.body
    assert "**a test**" in comment.body
    assert pull.labels == []


def test_a_branch_without_a_pull_request(lab: Lab) -> None:
    done = lab.workspace.selfreview("notify", "test", "github", **lab.environment)
    assert (done.code, done.err.splitlines()[0]) == (4, "error: this branch has no open pull request to write on")


def test_an_answer_that_is_lost_writes_no_second_comment(lab: Lab) -> None:
    pull = lab.open()
    lab.forge.fail("POST", f"*/issues/{pull.number}/comments", status=502, times=1, after_effect=True)
    config = MemoryConfig({**default_config(module, plugin), "notify.github.reviewers": ["rev"]})
    forge = plugin.GitHubForge()
    location = forge.locate("https://github.com/octo/app.git", config)
    assert location is not None
    connection = forge.connect(location, config, lab.environment)
    now = time.time()
    with Store.open(lab.workspace.root / ".git" / "selfreview") as store:
        outbox = Outbox(store, [ForgeNotifier()], NotifyContext(config, lab.environment, connection))
        outbox.add(notice(event=NoticeEvent.READY, number=pull.number), ["github"], now)
        for later in (0.0, WAITS_S[0] + 1):
            outbox.deliver(now + later)
        (message,) = store.messages.latest(2)
    connection.close()
    assert message.state is Delivery.SENT, message.said
    assert len(pull.comments) == 1
    assert [str(getattr(label, "name", label)) for label in pull.labels] == ["ready-for-review"]
