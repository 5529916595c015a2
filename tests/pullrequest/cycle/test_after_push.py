"""What the forge does not take after a push: the commit is told everywhere, what is not done too, and is done once."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from selfreview.errors import ExitCode
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import commits, hook, said_by, suggest

pytestmark = pytest.mark.long

REPLY = "the answer to app.py:6 (rev)"
LOOK = "asking for another look"
SAID = "the comment that says what was done"
CALL = "calling a person for the rest"


def events(lab: Lab) -> list[str]:
    """Return the events of all sessions, as they are kept."""
    with closing(sqlite3.connect(lab.workspace.root / ".git" / "selfreview" / "store.db")) as store, store:
        return [str(row) for row in store.execute("select * from events")]


def away(lab: Lab, what: str) -> None:
    lab.forge.fail("POST", what, times=None)


def reset(lab: Lab, what: str) -> None:
    lab.forge.reset("POST", what, times=None)


def wrong(lab: Lab, what: str) -> None:
    lab.forge.fail("POST", what, status=401, times=None)


def limited(lab: Lab, what: str) -> None:
    lab.forge.limit("POST", what, retry_after=4000)


def too_quick(lab: Lab, what: str) -> None:
    lab.forge.limit("POST", what, status=422)


STEPS = {
    "*/replies": [REPLY, LOOK, SAID, CALL],
    "*/requested_reviewers": [LOOK, SAID, CALL],
    "*/issues/*/comments": [SAID, CALL],
    "*/labels": [CALL],
}


@pytest.mark.parametrize(
    ("what", "how"),
    [
        ("*/replies", away),
        ("*/replies", wrong),
        ("*/replies", limited),
        ("*/requested_reviewers", reset),
        ("*/requested_reviewers", too_quick),
        ("*/issues/*/comments", away),
        ("*/issues/*/comments", limited),
        ("*/labels", away),
    ],
)
def test_what_was_pushed_is_told_and_what_is_not_done_is_done_once(
    lab: Lab, what: str, how: Callable[[Lab, str], None]
) -> None:
    pull = lab.open()
    suggest(lab, pull)
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    how(lab, what)
    ran = lab.pr("fix", str(pull.number), "--format", "json")
    assert ran.code == ExitCode.INCOMPLETE, ran
    sha, said = lab.head(), ran.json
    assert (said["outcome"], said["commit"], said["cycle"]) == ("waiting", sha, 1)
    assert said["undone"] == STEPS[what]
    assert (said["busy"], bool(said["wait"])) == ((True, True) if how in (limited, too_quick) else (False, False))
    (why,) = said["why"]
    assert why.startswith(f"{sha[:12]} is pushed; not done yet: {', '.join(STEPS[what])}: ")
    assert any("cycle.ended" in one and sha in one and STEPS[what][0] in one for one in events(lab))
    lab.forge.mend()
    status = lab.pr("status", str(pull.number), "--format", "json").json
    assert (status["commit"], status["undone"]) == (sha, [one for one in STEPS[what] if one != CALL])
    if status["undone"]:
        assert sha[:12] in status["next"]
        assert status["undone"][0] in lab.pr("status", str(pull.number)).out
    for _ in range(2):
        assert lab.pr("fix", str(pull.number)).code == ExitCode.ISSUES
    assert all_is_done(lab, pull)
    assert lab.pr("status", str(pull.number), "--format", "json").json["undone"] == []


def all_is_done(lab: Lab, pull: PullRequest) -> bool:
    """Whether everything that belongs to the one fix, and to the call for a person, was done once."""
    said = said_by(pull, "dev")
    counts = [sum(words in one for one in said) for words in ("Done in", "Fix cycle 1", "A person is needed here")]
    asked, labels = [user.login for user in pull.requested], [label.name for label in pull.labels]
    return (len(commits(lab)), counts, asked, labels) == (1, [1, 1, 1], ["rev"], ["human-review-required"])


def test_on_a_terminal_the_commit_and_what_is_not_done_are_told(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    away(lab, "*/replies")
    ran = lab.pr("fix", str(pull.number))
    assert ran.code == ExitCode.INCOMPLETE, ran
    out = " ".join(ran.out.split())
    assert f"pushed {lab.head()[:12]} to topic, fix cycle 1" in out
    assert f"not done yet: {REPLY}, {LOOK}, {SAID}: " in out


@pytest.mark.parametrize(("what", "undone"), [("*/replies", REPLY), ("*/requested_reviewers", LOOK)])
def test_what_the_forge_refuses_is_told_as_not_done(lab: Lab, what: str, undone: str) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.forge.fail("POST", what, status=403, message="No", times=None)
    ran = lab.pr("fix", str(pull.number), "--format", "json")
    assert (ran.code, ran.json["outcome"], ran.json["undone"]) == (ExitCode.PASSED, "fixed", [undone]), ran
    status: Any = lab.pr("status", str(pull.number), "--format", "json").json
    assert status["undone"] == [undone]
    lab.forge.mend()
    assert lab.pr("fix", str(pull.number), "--format", "json").json["undone"] == []
    assert lab.pr("status", str(pull.number), "--format", "json").json["undone"] == []


def test_a_remote_that_is_gone_after_the_push_leaves_the_commit_told(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    hook(lab.remote / "hooks", "post-update", "git config --unset-all core.repositoryformatversion; mv HEAD HEAD.away")
    ran = lab.pr("fix", str(pull.number), "--format", "json")
    (lab.remote / "HEAD.away").rename(lab.remote / "HEAD")
    assert (ran.code, ran.json["commit"]) == (ExitCode.PASSED, lab.head()), ran
    (lab.remote / "hooks" / "post-update").unlink()
    assert lab.pr("fix", str(pull.number)).code == ExitCode.PASSED
    assert len(commits(lab)) == len(pull.comments) == 1
