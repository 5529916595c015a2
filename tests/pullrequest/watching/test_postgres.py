"""Watchers on several machines that share a database: never two fixes for one feedback."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfreview.errors import ExitCode
from tests.conftest import Workspace
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.watching.postgres import programs, server
from tests.pullrequest.watching.scene import AUTO, SOON, Beside, beside, named, told
from tests.pullrequest.watching.test_killed import hold_after_the_push, until

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.long,
    pytest.mark.skipif(programs() is None, reason="Postgres is not installed"),
]
SUGGESTION = "```suggestion\n    return n + n\n```"


@pytest.fixture(scope="module")
def _server() -> Iterator[str]:
    with server() as url:
        yield url


@pytest.fixture
def url(_server: str, request: pytest.FixtureRequest) -> str:
    """A database of the test's own: created from the first."""
    import psycopg

    name = f"t{abs(hash(request.node.name)) % 10**9}"
    with psycopg.connect(_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return _server.replace("/watching?", f"/{name}?")


class Machine:
    """One of several: a clone of its own to start from, and managed clones of its own.

    Args:
        lab: The pull request.
        folder: Where.
        url: The database.
        name: The worker's name.
    """

    def __init__(self, lab: Lab, folder: Path, url: str, name: str) -> None:
        self.lab = lab
        self.folder = folder / name
        shutil.copytree(lab.workspace.root, self.folder / "repo")
        home = Path(os.environ["HOME"])
        config = home / "git.config"
        config.write_text(f'[url "{lab.remote}"]\n\tinsteadOf = https://github.com/octo/app.git\n')
        self.env = {
            "SELFREVIEW_FEEDBACK__DATABASE_URL": url,
            "SELFREVIEW_FEEDBACK__WORKER": name,
            "SELFREVIEW_FEEDBACK__CLONES": str(self.folder / "clones"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "GIT_CONFIG_GLOBAL": str(config),
        }

    def beside(self, *args: str):
        """Run its watcher beside the test."""
        return beside(self.lab, *args, cwd=self.folder / "repo", **self.env)

    def once(self, *args: str):
        """Run its watcher once."""
        workspace = Workspace(self.folder / "repo")
        return workspace.selfreview("pr", "watch", "--once", *args, **self.lab.environment, **self.env)


@pytest.fixture
def machines(lab: Lab, tmp_path: Path, url: str) -> tuple[Machine, Machine]:
    return Machine(lab, tmp_path, url, "one"), Machine(lab, tmp_path, url, "two")


def reject(lab: Lab):
    pull = lab.open()
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
    pull.inline(lab.rev, "app.py", 6, SUGGESTION, review=review)
    return pull


def answered_once(lab: Lab, pull) -> None:
    assert lab.file() == APP.replace("n * 2", "n + n")
    assert (len(lab.log()), len(pull.comments), len(pull.threads[0].comments)) == (2, 1, 2)
    assert [user.login for user in pull.requested] == ["rev"]


def fixes(*watchers: Beside) -> list[str]:
    ended = [event for watcher in watchers for event in named(watcher.events, "ended", "put_off")]
    return [event["outcome"] for event in ended]


def test_two_watchers_answer_once(lab: Lab, machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    before = lab.workspace.git("rev-parse", "HEAD")
    with one.beside(*SOON, *AUTO) as first, two.beside(*SOON, *AUTO) as second:
        first.wait_for("polled")
        second.wait_for("polled")
        pull = reject(lab)
        for watcher in (first, second):
            watcher.wait_for("scheduled", number=pull.number)
            watcher.wait_for("ended", number=pull.number)
        until(lambda: len(pull.comments) == 1)
        assert (first.end(), second.end()) == (ExitCode.PASSED, ExitCode.PASSED)
    begun = named(first.events, "begun") + named(second.events, "begun")
    assert len(begun) < len(named(first.events, "ended")) + len(named(second.events, "ended")) + 1
    assert "failed" not in fixes(first, second)
    answered_once(lab, pull)
    assert lab.workspace.git("rev-parse", "HEAD") == before  # no person's working tree was touched
    assert (one.folder / "clones" / "one").is_dir() or (two.folder / "clones" / "two").is_dir()


def test_what_one_answered_is_none_of_the_other_s_business(lab: Lab, machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    pull = lab.open()
    first = one.once(*AUTO)
    assert first.code == ExitCode.PASSED, first
    assert [event["outcome"] for event in named(told(first), "ended")] == ["nothing_to_do"]
    second = two.once(*AUTO)
    assert second.code == ExitCode.PASSED, second
    assert named(told(second), "scheduled", "begun", "ended") == []
    assert [event["number"] for event in named(told(second), "answered_elsewhere")] == [pull.number]


def test_one_that_is_killed_goes_on_with_its_own_work(lab: Lab, machines: tuple[Machine, Machine]) -> None:
    one, two = machines
    pull = reject(lab)
    hold_after_the_push(lab)
    with one.beside(*SOON, *AUTO) as first:
        first.wait_for("begun", number=pull.number)
        until(lambda: len(lab.log()) == 2)
        os.kill(first.process.pid, signal.SIGKILL)
        first.over()
    with two.beside(*SOON, *AUTO) as second:  # it is the first one's, until that is given up
        second.wait_for("resumed", number=pull.number)
        second.wait_for("polled")
        ran = one.once(*AUTO)
        assert ran.code == ExitCode.PASSED, ran
        second.wait_for("ended", number=pull.number)
        second.end()
    answered_once(lab, pull)


def test_one_that_does_not_come_back_is_given_up(lab: Lab, machines: tuple[Machine, Machine], url: str) -> None:
    import psycopg

    one, two = machines
    pull = reject(lab)
    hold_after_the_push(lab)
    with one.beside(*SOON, *AUTO) as first:
        first.wait_for("begun", number=pull.number)
        until(lambda: len(lab.log()) == 2)
        os.kill(first.process.pid, signal.SIGKILL)
        first.over()
    with psycopg.connect(url, autocommit=True) as connection:  # long ago
        moved = "UPDATE dbos.workflow_status SET started_at_epoch_ms = started_at_epoch_ms - 7200000"
        assert connection.execute(moved).rowcount >= 1
    ran = two.once(*AUTO)
    assert [event["number"] for event in named(told(ran), "given_up")] == [pull.number]
    with two.beside(*SOON, *AUTO) as second:
        second.wait_for("ended", number=pull.number)
        second.end()
    answered_once(lab, pull)


def test_a_database_that_is_not_there_is_said_in_one_line(lab: Lab, machines: tuple[Machine, Machine]) -> None:
    machines[0].env["SELFREVIEW_FEEDBACK__DATABASE_URL"] = "postgresql://nobody@/none?host=/nowhere"
    ran = machines[0].once()
    assert ran.code == ExitCode.USAGE, ran
    assert "the queue of fix cycles cannot be opened" in ran.err
