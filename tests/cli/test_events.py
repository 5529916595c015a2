"""``events``: the log of a repository, one line an event, from any cursor, and on as it grows."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfreview.errors import ExitCode
from selfreview.model.event import Event, StateChanged
from selfreview.model.session import Session, SessionState
from selfreview.store import Store
from tests.cli.refining.lab import Lab
from tests.conftest import Workspace
from tests.nursery import start_program


@pytest.fixture
def lab(workspace: Workspace) -> Lab:
    return Lab(workspace)


@pytest.fixture
def store(workspace: Workspace) -> Iterator[Store]:
    with Store.open(workspace.root / ".git" / "selfreview") as opened:
        yield opened


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def add(store: Store, *kinds: str) -> None:
    for kind in kinds:
        store.add_event(Event(kind=kind, at="2026-11-27T21:00:00Z", data={"branch": kind}))


def test_a_run_tells_each_of_its_steps_with_what_a_display_needs(lab: Lab) -> None:
    ran = lab.refine("--apply")
    assert ran.code == ExitCode.PASSED, ran
    told = lines(lab.call("events", "--format", "json").out)
    assert [event["kind"] for event in told] == [
        "session.state_changed",
        "default.used",
        "session.state_changed",
        "review.completed",
        "session.state_changed",
        "session.state_changed",
        "review.completed",
        "session.state_changed",
        "session.refinement_completed",
        "patch.applying",
        "patch.applied",
        "review.completed",
        "session.run_ended",
    ]  # fmt: skip
    run = json.loads(ran.out)["runId"]
    begun, base, _, first, _, refining, *_, ended = told
    assert {event["item"]["branch"] for event in told} == {"work"}
    assert {event["item"]["worktree"] for event in told} == {str(lab.person.root)}
    assert {event["session"] for event in told} == {lab.session().id}
    assert all(event["at"].endswith("Z") for event in told)
    assert base["data"] == {"pid": base["data"]["pid"], "what": "base", "value": "main"}
    assert (begun["data"]["previous"], begun["data"]["new"]) == ("pending_self_review", "self_reviewing")
    assert (first["data"]["verdict"], first["data"]["passed"], first["data"]["iteration"]) == ("needs_work", False, 0)
    assert first["data"]["counts"]["high"] == 2
    assert (refining["data"]["iteration"], refining["data"]["maxIterations"]) == (1, 3)
    reviews = [event for event in told if event["kind"] == "review.completed"]
    assert [(event["data"]["iteration"], event["data"]["passed"], event["runId"]) for event in reviews] == [
        (0, False, None), (1, True, None), (1, True, run),
    ]  # fmt: skip
    assert ended["data"]["run"] == run


def test_a_run_that_refines_nothing_tells_of_its_review_once(lab: Lab) -> None:
    lab.call("run", "-p", "marks", "--no-fix")
    lab.call("run", "-p", "marks", "--no-fix")
    told = lines(lab.call("events", "--kind", "review.*", "--format", "json").out)
    assert [event["runId"] for event in told] == [result["runId"] for result in reversed(runs(lab))]
    base = lines(lab.call("events", "--kind", "default.used", "--format", "json").out)
    assert len(base) == 1  # what was known at the second run decided nothing new


def runs(lab: Lab) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(lab.call("history", "--format", "json").out)["runs"]
    return found


def test_a_person_reads_one_line_an_event(lab: Lab) -> None:
    lab.refine("--apply")
    lab.call("reset", "--reason", "once\x1b[2J more")
    out = lab.call("events").out
    assert "work  session.state_changed  self_reviewing → self_review_failed" in out
    assert "session.refinement_completed  refinement 1: 2 fixed, 0 left, 0 new" in out
    assert "default.used  what base, value main" in out
    assert "\x1b" not in out
    assert "person.reset  who" in out


def test_only_what_is_asked_for_is_shown(lab: Lab, store: Store) -> None:
    lab.call("run", "-p", "marks", "--no-fix")
    session = lab.session().id
    add(store, "other", "other.more")

    def kinds(*arguments: str) -> list[str]:
        return [event["kind"] for event in lines(lab.call("events", "--format", "json", *arguments).out)]

    assert kinds("--branch", "other") == ["other"]
    assert kinds("--kind", "other*") == ["other", "other.more"]
    assert set(kinds("--session", session[:5])) == {
        "session.state_changed", "default.used", "review.completed", "session.run_ended",
    }  # fmt: skip
    assert kinds("--limit", "1") == ["other.more"]
    assert kinds("--limit", "0") == []
    assert kinds("--branch", "nowhere") == []


def test_what_came_after_a_cursor(lab: Lab, store: Store) -> None:
    add(store, *(f"k{number}" for number in range(60)))

    def after(cursor: str, *more: str) -> list[dict[str, Any]]:
        return lines(lab.call("events", "--format", "json", "--after", cursor, *more).out)

    newest = lines(lab.call("events", "--format", "json").out)
    assert [event["kind"] for event in newest] == [f"k{number}" for number in range(10, 60)]
    assert [event["kind"] for event in after(newest[-3]["cursor"])] == ["k58", "k59"]
    assert [event["kind"] for event in after(newest[-3]["cursor"], "--limit", "1")] == ["k58"]
    assert after(newest[-1]["cursor"]) == []


def test_a_cursor_of_another_store_is_told_of(lab: Lab, store: Store) -> None:
    add(store, "a")
    told = lines(lab.call("events", "--format", "json", "--after", "00ff.7").out)
    assert [event["kind"] for event in told] == ["reset", "a"]
    assert told[0]["reason"] == "the store was begun anew"
    ran = lab.call("events", "--after", "00ff.7")
    assert "reset: the store was begun anew" in ran.err
    ran = lab.call("events", "--after", "yesterday")
    assert (ran.code, "no cursor" in ran.err) == (ExitCode.USAGE, True)


def test_without_a_store_there_is_nothing_and_nothing_is_made(workspace: Workspace) -> None:
    ran = workspace.selfreview("events")
    assert (ran.code, ran.out) == (0, "")
    assert not (workspace.root / ".git" / "selfreview").exists()


def follower(lab: Lab, *arguments: str) -> subprocess.Popen[bytes]:
    return start_program(
        ("events", "--follow", "--format", "json", *arguments),
        cwd=lab.person.root,
        env={**os.environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        bufsize=0,
        stderr=subprocess.PIPE,
    )


def next_line(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], 60)
    if not ready:
        process.kill()
    line: dict[str, Any] = json.loads(process.stdout.readline())
    return line


def next_kind(process: subprocess.Popen[bytes]) -> str:
    return str(next_line(process)["kind"])


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_happens_is_followed_until_a_signal(lab: Lab, store: Store, number: signal.Signals) -> None:
    add(store, "a")
    with follower(lab) as process:
        assert next_kind(process) == "a"
        add(store, "b")
        assert next_kind(process) == "b"
        process.send_signal(number)
        assert process.wait(60) == ExitCode.PASSED
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="pipes that are asked")
def test_who_follows_ends_when_nobody_reads_any_more(lab: Lab, store: Store) -> None:
    add(store, "a")
    with follower(lab) as process:
        assert next_kind(process) == "a"
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == ExitCode.PASSED


def test_who_follows_is_there_before_the_store(lab: Lab) -> None:
    with follower(lab, "--kind", "review.completed") as process:
        lab.call("run", "-p", "marks", "--no-fix")
        assert next_kind(process) == "review.completed"
        process.terminate()


def test_every_kind_has_words(lab: Lab, store: Store) -> None:
    session = Session(id="s-1", branch="topic", worktree="/tree", created="now", updated="now", request=7)
    moved = StateChanged(
        previous=SessionState.REFINING, new=SessionState.FAILED, iteration=2, max_iterations=3, error="no room"
    )
    store.save_session(session, moved.event("2026-11-27T21:00:00Z", session="s-1"))
    (line,) = lab.call("events", "--session", "s-1").out.splitlines()
    assert line.endswith("topic #7  session.state_changed  refining → failed (2/3): no room")


WAITING = """
import os
from selfreview.api import Depth, Review, ReviewerStatus, hookimpl

class Waiting:
    name, depth, default = "waiting", Depth.STATIC, False

    def selects(self, file):
        return True

    def cache_key(self, context):
        return None

    def review(self, files, context):
        with open(os.environ["GO"]) as stream:
            stream.read()
        return Review(status=ReviewerStatus.OK)

@hookimpl
def selfreview_register_reviewers(registry):
    registry.add(Waiting())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_who_follows_reads_along_with_a_run_under_way(lab: Lab, store: Store, tmp_path: Path) -> None:
    add(store, "first")
    (tmp_path / "waiting_reviewer.py").write_text(WAITING)
    os.mkfifo(tmp_path / "go")
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "GO": str(tmp_path / "go"),
        "SELFREVIEW_REVIEWERS": "text",
    }
    with follower(lab) as process:
        assert next_kind(process) == "first"
        arguments = ("run", "-p", "waiting_reviewer", "--reviewer", "waiting", "--no-fix")
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with start_program(arguments, cwd=lab.person.root, env=environment, **pipes) as run:
            told: list[dict[str, Any]] = []
            while "started" not in [event["data"]["what"] for event in told]:
                line = next_line(process)
                told += [line] if line["kind"] == "progress" else []
            (tmp_path / "go").write_text("")
            assert run.wait(60) == ExitCode.PASSED
        while told[-1]["data"]["what"] != "ended":
            line = next_line(process)
            told += [line] if line["kind"] == "progress" else []
        process.terminate()
    begun, started, *_, ended = told
    assert (begun["data"]["what"], begun["data"]["command"], started["data"]["reviewer"]) == ("begun", "run", "waiting")
    assert begun["item"]["branch"] == "work"
    assert {event["data"]["pid"] for event in told} == {begun["data"]["pid"]}
    assert "cursor" not in ended
    kept = lines(lab.call("events", "--format", "json").out)
    assert "progress" not in [event["kind"] for event in kept]


def test_a_review_without_a_session_has_its_branch(workspace: Workspace) -> None:
    workspace.stage(**{"app.py": "LIMIT = 3\n"})
    assert workspace.selfreview("hook", "run", "pre-commit").code == ExitCode.PASSED
    (event,) = lines(workspace.selfreview("events", "--format", "json").out)
    assert (event["kind"], event["session"], event["data"]["passed"]) == ("review.completed", None, True)
    assert event["runId"].startswith("r-")
    assert (event["item"]["branch"], event["item"]["worktree"]) == ("work", str(workspace.root))
