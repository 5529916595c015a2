"""What stops a watcher, what makes it wait, and what it takes notice of while it runs."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import MessagesServer
from tests.pullrequest.lab import TOKEN, Lab, judged
from tests.pullrequest.watching.scene import AUTO, SOON, beside, named, told

pytestmark = pytest.mark.long


def test_there_is_one_watcher_on_a_store(lab: Lab) -> None:
    with beside(lab, *SOON) as first:
        first.wait_for("polled")
        second = lab.pr("watch", "--once")
        assert second.code == ExitCode.USAGE, second
        assert "another watcher is at work here" in second.err
        assert first.end() == ExitCode.PASSED
    assert lab.pr("watch", "--once").code == ExitCode.PASSED


def test_a_token_that_is_revoked_ends_it_and_is_told_once(lab: Lab) -> None:
    with beside(lab, *SOON) as watcher:
        watcher.wait_for("polled")
        lab.forge.revoke(TOKEN)
        assert watcher.over() == ExitCode.USAGE
    assert len(named(watcher.events, "token")) == 1
    assert watcher.events[-1]["code"] == ExitCode.USAGE
    assert watcher.err.decode().count("does not accept the token") == 1
    assert TOKEN not in watcher.err.decode() + str(watcher.events)


def test_a_limit_pauses_everything_and_marks_nothing(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "Please mend this.")
    lab.forge.limit("POST", "/graphql", retry_after=40, times=1)
    with beside(lab, *SOON) as watcher:
        paused = watcher.wait_for("paused")
        assert 30 < paused["wait"] <= 40
        before = len(lab.forge.requests)
        assert watcher.end() == ExitCode.PASSED
        assert len(lab.forge.requests) == before
    assert not named(watcher.events, "news", "polled")
    assert len(named(told(lab.pr("watch", "--once")), "news")) == 1


def test_settings_are_read_anew_and_a_broken_file_changes_nothing(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "```suggestion\nx\n```")
    file = lab.workspace.root / "selfreview.toml"
    lab.workspace.git("config", "core.excludesFile", str(lab.remote.parent / "ignored"))
    (lab.remote.parent / "ignored").write_text("selfreview.toml\n")
    file.write_text("auto_address_review_comments = true\n")
    assert lab.workspace.selfreview("trust").code == ExitCode.PASSED
    file.unlink()
    with beside(lab, *SOON) as watcher:
        watcher.wait_for("news", number=pull.number)
        watcher.wait_for("polled")
        file.write_text("auto_address_review_comments = maybe\n")
        assert "selfreview.toml" in watcher.wait_for("settings_broken")["why"]
        watcher.wait_for("polled")
        file.write_text("auto_address_review_comments = true\n[feedback]\nmax_concurrent_fixes = 2\n")
        assert watcher.wait_for("settings")["most"] == 2
        watcher.wait_for("scheduled", number=pull.number)
        watcher.wait_for("ended", number=pull.number)
        assert watcher.end() == ExitCode.PASSED
    assert len(named(watcher.events, "settings_broken")) == 1
    assert watcher.events[-1]["event"] == "stopped"


def test_a_repository_that_is_renamed_or_archived_is_told_of_once(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "Please mend this.")
    lab.repository.rename("tool")
    lab.repository.archived = True
    with beside(lab, *SOON, *AUTO) as watcher:
        assert "octo/tool" in watcher.wait_for("renamed")["why"]
        watcher.wait_for("archived")
        watcher.wait_for("news", number=pull.number)
        watcher.wait_for("polled")
        watcher.wait_for("polled")
        watcher.end()
    assert len(named(watcher.events, "renamed", "archived", "scheduled")) == 2


def test_the_first_request_to_end_waits_and_the_second_does_not(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "Please mend this.")
    lab.forge.slow("GET", f"*/issues/{pull.number}/comments*", 60, times=1)
    with beside(lab, *SOON, *AUTO) as watcher:
        watcher.wait_for("begun", number=pull.number)
        watcher.process.send_signal(signal.SIGTERM)
        watcher.wait_for("stopping", active=[pull.number])
        assert watcher.end() == ExitCode.INTERRUPTED
    assert not named(watcher.events, "ended")
    assert [event["code"] for event in named(watcher.events, "stopped")] == [ExitCode.INTERRUPTED]


def test_a_cycle_that_takes_too_long_is_ended_and_put_off(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "Please mend this.")
    lab.forge.slow("GET", f"*/issues/{pull.number}/comments*", 50, times=1)
    ran = lab.pr("watch", "--once", *AUTO, "-o", "feedback.fix_timeout=6")
    assert ran.code == ExitCode.INCOMPLETE, ran
    (postponed,) = named(told(ran), "put_off")
    assert "did not finish within 6 s" in postponed["why"][0]
    again = lab.pr("watch", "--once", *AUTO)  # it is not the time yet
    assert named(told(again), "scheduled") == []
    assert again.code == ExitCode.INCOMPLETE, again


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_the_answer_to_what_is_merged_meanwhile_is_stopped(lab: Lab, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    agent = f"run = ['true']\nfix = ['sh', '-c', 'echo $$ > {pipe}; exec sleep 600']\n"
    lab.workspace.commit("agent", **{"selfreview.toml": f"fixers = ['agent-slow', 'claude']\n[agents.slow]\n{agent}"})
    lab.workspace.git("push", "--quiet")
    assert lab.workspace.selfreview("trust").code == ExitCode.PASSED
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    before = lab.head()
    with MessagesServer([judged({"description": "name() returns the full name"})]) as server:
        lab.server = server
        with beside(lab, *SOON, *AUTO, "-o", "agent_confinement=false") as watcher:  # the pipe is outside of its folder
            watcher.wait_for("begun", number=pull.number)
            pid = int(pipe.read_text())
            pull.merge()
            watcher.wait_for("ending", number=pull.number)
            assert watcher.wait_for("ended", number=pull.number)["outcome"] == "ended"
            watcher.end()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert (lab.head(), lab.workspace.git("status", "--porcelain")) == (before, "")


def test_only_what_concerns_us_is_watched(lab: Lab) -> None:
    lab.workspace.git("push", "--quiet", "origin", "topic:theirs")
    theirs = lab.repository.pull("theirs", author=lab.rev)
    own = lab.open()
    for pull in (theirs, own):
        pull.comment(lab.rev, "Please mend this.")
    seen = named(told(lab.pr("watch", "--once")), "news")
    assert [event["number"] for event in seen] == [own.number]
    every = named(told(lab.pr("watch", "--once", "--all")), "news")
    assert [event["number"] for event in every] == [theirs.number]
