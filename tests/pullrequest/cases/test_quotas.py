"""Case 51: a quota that is used up, of whoever reads, fixes or reviews."""

from __future__ import annotations

import json
import os

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import Status
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import (
    RENAMED,
    SETTINGS,
    SUGGESTED,
    calls_for_a_person,
    configure,
    fix,
    model,
    nothing_happened,
    suggest,
    talk,
)
from tests.pullrequest.watching.scene import AUTO, named, told

pytestmark = pytest.mark.long


USED_UP = Status(code=429, message="usage limit reached", retry_after="1800")


@pytest.mark.parametrize("who", ["the reader", "the fixer", "the reviewer of the fix"])
def test_case_51_a_quota_is_waited_for_and_is_no_attempt(lab: Lab, who: str) -> None:
    settings = SETTINGS.replace('"text"]', '"text", "claude"]') if who.endswith("fix") else SETTINGS
    configure(lab, settings)
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    said = {"the reader": 0, "the fixer": 1, "the reviewer of the fix": 1}[who]
    with model(lab, [*talk()[:said], *[USED_UP] * 9]):
        ran = lab.pr("fix", str(pull.number), "-f", "json")
    assert ran.code == ExitCode.INCOMPLETE, ran
    found = json.loads(ran.out)
    assert (found["outcome"], found["wait"]) == ("waiting", 1800.0)
    assert "a quota is used up" in found["why"][0]
    assert nothing_happened(lab, pull)
    configure(lab)
    with model(lab, talk()):
        assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == RENAMED
    assert not calls_for_a_person(lab, pull)


AGENT = """#!/bin/sh
case "$1" in --version) echo 2.1.332; exit ;; --help) exit ;; esac
cat > /dev/null
echo '{"is_error": true, "subtype": "success", "result": "Claude AI usage limit reached|4102444800"}'
exit 1
"""


def limited_agent(lab: Lab) -> dict[str, str]:
    """Put an agent on PATH that has met its session limit."""
    folder = lab.remote.parent / "bin"
    folder.mkdir()
    (folder / "claude").write_text(AGENT)
    (folder / "claude").chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_case_51_what_was_done_before_an_agent_met_its_limit_is_pushed_and_the_rest_waits(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull)
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    env = limited_agent(lab)
    with model(lab, talk()[:1]):
        ran = fix(lab, pull, "--fixer", "auto", "--fixer", "agent-claude", **env)
    assert ran.code == ExitCode.INCOMPLETE, ran
    assert "usage limit reached" in ran.out
    assert lab.file() == SUGGESTED
    assert not calls_for_a_person(lab, pull)


def test_case_51_a_watcher_begins_nothing_until_the_quota_is_there_again(lab: Lab) -> None:
    configure(lab)
    pulls = [lab.open()]
    for name in ("one", "two"):
        lab.there("branch", name, "topic")
        pulls.append(lab.repository.pull(name, author=lab.dev))
    for pull in pulls[:2]:
        pull.comment(lab.rev, "Say it in full.")
    alone = (*AUTO, "-o", "feedback.max_concurrent_fixes=1")
    with model(lab, [USED_UP] * 9) as server:
        ran = lab.pr("watch", "--once", *alone)
        assert ran.code == ExitCode.INCOMPLETE, ran
        (held,) = named(told(ran), "held")
        assert 1790 < held["wait"] <= 1801
        assert len(server.requests) == 1  # the second cycle, which had its place in the queue, does not ask, either
        pulls[2].comment(lab.rev, "Mend this, too.")
        again = lab.pr("watch", "--once", *alone)  # also another process knows
        assert again.code == ExitCode.INCOMPLETE, again
        assert not named(told(again), "scheduled", "begun")
        assert len(server.requests) == 1
    assert all(nothing_happened(lab, pull) for pull in pulls)
