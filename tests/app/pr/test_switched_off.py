"""``enabled = false``: nothing is written on the forge, pushed or sent, and each command says that it is off."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from selfreview.testing.messages import Reply
from tests.pullrequest.lab import Lab, judged
from tests.pullrequest.stories import SETTINGS, calls_for_a_person, configure, fix, model, push_there, suggest
from tests.pullrequest.watching.scene import AUTO, named, told

OFF = "selfreview is switched off by configuration (enabled = false, "
CHANNEL = 'notification_channels = ["github"]\n'


def is_untouched(lab: Lab, head: str) -> bool:
    """Whether nothing was written on the forge, and the remote is as it was."""
    graph = [one for one in lab.forge.requests if one.path.endswith("/graphql")]
    writes = [one for one in lab.forge.requests if one.method != "GET" and one not in graph]
    return (
        not writes and not any("mutation" in str(one.body) for one in graph) and lab.there("rev-parse", "--all") == head
    )


COMMANDS = [
    (("pr", "fix", "1"), ExitCode.PASSED),
    (("pr", "fix", "1", "--format", "json"), ExitCode.PASSED),
    (("pr", "create"), ExitCode.USAGE),
    (("pr", "create", "--force", "--reason", "it is late"), ExitCode.USAGE),
    (("pr", "feedback", "1"), ExitCode.PASSED),
    (("pr", "status", "1"), ExitCode.PASSED),
    (("pr", "watch", "--once", *AUTO), ExitCode.PASSED),
    (("notify", "test", "github"), ExitCode.USAGE),
    (("ready",), ExitCode.PASSED),
    (("run",), ExitCode.PASSED),
    (("hook", "run", "pre-commit"), ExitCode.PASSED),
    (("baseline", "create", "--reason", "all of it"), ExitCode.USAGE),
    (("baseline", "update", "--reason", "all of it"), ExitCode.USAGE),
]


def test_what_is_off_writes_nothing_and_says_so(lab: Lab) -> None:
    configure(lab, CHANNEL + SETTINGS)
    lab.workspace.selfreview("run", "--no-fix")  # so that there is a session
    pull = lab.open()
    suggest(lab, pull)
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    lab.workspace.commit("not pushed", **{"more.py": "x = 1\n"})
    lab.workspace.write("staged.py", "y = 1\n")
    lab.workspace.git("add", "staged.py")
    head = lab.there("rev-parse", "--all")
    for command, code in COMMANDS:
        with model(lab, []) as server:
            ran = lab.workspace.selfreview(*command, **lab.environment, SELFREVIEW_ENABLED="false")
            assert not server.requests, command
        assert ran.code == code, (command, ran)
        assert OFF in ran.out + ran.err, (command, ran)
        assert is_untouched(lab, head), command
        assert not (lab.workspace.root / "selfreview-baseline.toml").exists(), command


@pytest.mark.long
@pytest.mark.parametrize("where", ["selfreview.toml", "command line"])
def test_a_pull_request_is_answered_once_it_is_switched_on(lab: Lab, where: str) -> None:
    off = where == "selfreview.toml"
    configure(lab, f"enabled = {'false' if off else 'true'}\n{SETTINGS}")
    pull = lab.open()
    suggest(lab, pull)
    head = lab.there("rev-parse", "--all")
    ran = fix(lab, pull, *([] if off else ["-o", "enabled=false"]))
    assert ran.code == ExitCode.PASSED
    assert f"paused\n  {OFF}{where}" in ran.out
    assert is_untouched(lab, head)
    assert fix(lab, pull, "-o", "enabled=true").code == ExitCode.PASSED
    assert not is_untouched(lab, head)
    assert len(pull.threads[0].comments) == 2


@pytest.mark.parametrize("base", ["true", "false"])
def test_of_a_pull_request_of_somebody_else_the_base_says_whether_it_is_on(lab: Lab, base: str) -> None:
    git = lab.workspace.git
    git("checkout", "--quiet", "main")
    lab.workspace.commit("settings", **{"selfreview.toml": f"enabled = {base}\n"})
    git("push", "--quiet", "origin", "main")
    git("checkout", "--quiet", "topic")
    lab.workspace.commit("settings", **{"selfreview.toml": f"enabled = {'false' if base == 'true' else 'true'}\n"})
    git("push", "--quiet")
    pull = lab.repository.pull("topic", author=lab.rev)
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    ran = fix(lab, pull)
    assert (OFF in ran.out) == (base == "false"), ran
    assert bool(calls_for_a_person(lab, pull)) == (base == "true")


@pytest.mark.long
def test_a_watcher_says_that_it_is_off_and_begins_nothing(lab: Lab) -> None:
    configure(lab, f"enabled = false\n{SETTINGS}")
    pull = lab.open()
    suggest(lab, pull)
    events = told(lab.pr("watch", "--once", *AUTO))
    (watching,) = named(events, "watching")
    assert watching["auto"] is False
    assert watching["off"].startswith(OFF)
    assert not named(events, "scheduled", "begun", "ended", "notice")
    assert named(events, "news")
    table = lab.pr("watch", "--once", "--format", "table", *AUTO)
    assert OFF in " ".join(table.out.split())


@pytest.mark.parametrize("where", ["pushed", "other tree", "while it is read"])
def test_what_is_switched_off_where_the_cycle_works_writes_nothing(lab: Lab, tmp_path: Path, where: str) -> None:
    configure(lab)
    pull = lab.open()
    suggest(lab, pull)
    off = f"enabled = false\n{SETTINGS}"
    if where == "pushed":
        push_there(lab, "selfreview.toml", off)
    elif where == "other tree":
        pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
        lab.workspace.git("checkout", "--quiet", "main")
        lab.workspace.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "topic")
        (tmp_path / "linked" / "selfreview.toml").write_text(off)
    else:
        pull.inline(lab.rev, "app.py", 10, "Say it in full.")

    def read(_: object) -> Reply:
        (lab.workspace.root / "selfreview.toml").write_text(off)
        return judged({"description": "say it in full"})

    head = lab.there("rev-parse", "--all")
    with model(lab, [read] if where == "while it is read" else []):
        ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert f"paused\n  {OFF}" in ran.out
    assert is_untouched(lab, head)
