"""A pull request of somebody else: its author chose the base, and says nothing of what runs here."""

from __future__ import annotations

from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.forge import PullRequest, User
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import suggest
from tests.pullrequest.watching.scene import named, told

pytestmark = pytest.mark.long

COMMAND = """
reviewers = ["auto", "mine"]
[command.mine]
run = ["sh", "-c", "touch {mark}"]
format = "pattern"
pattern = "^(?P<file>[^:]+):(?P<line>[0-9]+): (?P<message>.*)$"
"""
AGENT = """
fixers = ["auto", "agent-mine"]
reviewers = ["auto", "agent-mine"]
[agents.mine]
run = ["sh", "-c", "touch {mark}"]
fix = ["sh", "-c", "touch {mark}"]
"""
CONF = "open({mark!r}, 'w').close()\n"


def base_with(lab: Lab, files: dict[str, str], branch: str = "odd") -> PullRequest:
    """Push a base that only its author knows, and open a pull request on it."""
    git = lab.workspace.git
    git("checkout", "--quiet", "-b", branch, "main")
    lab.workspace.commit("settings", **files)
    git("push", "--quiet", "origin", branch)
    git("checkout", "--quiet", "topic")
    git("branch", "--quiet", "-D", branch)
    return lab.repository.pull("topic", author=lab.rev, base=branch)


@pytest.mark.parametrize("verb", ["status", "feedback", "fix"])
@pytest.mark.parametrize(
    "files",
    [{"selfreview_conf.py": CONF}, {"selfreview.toml": COMMAND}, {"selfreview.toml": AGENT}],
    ids=["code", "a command", "an agent"],
)
def test_nothing_of_its_base_runs_that_nobody_agreed_to(
    lab: Lab, files: dict[str, str], verb: str, tmp_path: Path
) -> None:
    mark = str(tmp_path / "ran")
    pull = base_with(lab, {name: text.format(mark=mark) for name, text in files.items()})
    suggest(lab, pull)
    ran = lab.pr(verb, str(pull.number))
    assert not Path(mark).exists()
    assert "not trusted, so not run" in ran.err
    assert "Traceback" not in ran.err


def test_what_was_agreed_to_runs(lab: Lab, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    pull = base_with(lab, {"selfreview_conf.py": CONF.format(mark=str(mark))})
    git = lab.workspace.git
    git("checkout", "--quiet", "--detach", "refs/remotes/origin/odd")
    assert lab.workspace.selfreview("trust").code == ExitCode.PASSED
    git("checkout", "--quiet", "topic")
    mark.unlink(missing_ok=True)
    ran = lab.pr("status", str(pull.number))
    assert (ran.code, mark.exists()) == (ExitCode.PASSED, True), ran
    assert "not trusted" not in ran.err


def test_a_branch_of_somebody_else_does_not_have_feedback_answered(lab: Lab) -> None:
    lab.workspace.commit("answer", **{"selfreview.toml": "auto_address_review_comments = true\n"})
    lab.workspace.git("push", "--quiet", "origin", "topic")
    pull = lab.repository.pull("topic", author=lab.rev)
    suggest(lab, pull)
    before = lab.head()
    ran = lab.pr("watch", "--once")
    assert not named(told(ran), "scheduled")
    assert (lab.head(), "auto_address_review_comments" in ran.err) == (before, True), ran
    assert lab.workspace.selfreview("trust").code == ExitCode.PASSED
    assert named(told(lab.pr("watch", "--once")), "scheduled")


def test_a_fork_whose_branch_has_the_same_name_leaves_the_session_alone(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    assert lab.pr("fix", str(pull.number)).code == ExitCode.PASSED
    before = lab.workspace.selfreview("status").out
    assert f"#{pull.number}" in before
    guest = lab.forge.user("guest")
    fork = lab.forge.repository("guest/app", remote=lab.remote, parent=lab.repository)
    theirs = lab.repository.pull("topic", author=guest, fork=fork)
    theirs.comment(lab.rev, "Please say more.")
    for _ in range(2):
        lab.pr("fix", str(theirs.number))
        lab.pr("status", str(theirs.number))
        assert lab.workspace.selfreview("status").out == before


CHECKS = 'reviewers = ["ruff"]\n[checks]\ntests = "! grep -q broken app.py"\n'


def with_checks(lab: Lab, *, author: User, trusted: bool = True) -> PullRequest:
    """Have a check on main and on the branch, and open a pull request."""
    git = lab.workspace.git
    git("checkout", "--quiet", "main")
    lab.workspace.commit("settings", **{"selfreview.toml": CHECKS})
    git("push", "--quiet", "origin", "main")
    if trusted:
        assert lab.workspace.selfreview("trust").code == ExitCode.PASSED
    git("checkout", "--quiet", "topic")
    git("merge", "--quiet", "main", "-m", "merge")
    git("push", "--quiet", "origin", "topic")
    return lab.repository.pull("topic", author=author)


@pytest.mark.parametrize(
    ("own", "why"), [(False, "they would run code of somebody else"), (True, "nobody agreed to them here")]
)
def test_it_is_said_that_checks_did_not_run(lab: Lab, own: bool, why: str) -> None:
    pull = with_checks(lab, author=lab.dev if own else lab.rev, trusted=not own)
    suggest(lab, pull, code="    return n + n  # broken")
    ran = lab.pr("fix", str(pull.number), "--fixer", "auto")
    assert ran.code == ExitCode.PASSED, ran
    assert f"note: the project's checks did not run, for {why}: tests" in ran.err
    assert f"The project's checks did not run, for {why}: tests." in pull.comments[-1].body


def test_nothing_is_said_of_checks_that_run(lab: Lab) -> None:
    pull = with_checks(lab, author=lab.dev)
    suggest(lab, pull)
    ran = lab.pr("fix", str(pull.number), "--fixer", "auto")
    assert ran.code == ExitCode.PASSED, ran
    assert "did not run" not in ran.err + pull.comments[-1].body
