"""A program answers the feedback on a pull request without a terminal, in threads, and cancels one of two."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import filelock
import pytest

from selfreview.app.pr.answer import answer_feedback
from selfreview.app.pr.request import FeedbackRequest
from selfreview.app.state import RunScope
from selfreview.app.ui import SilentUi
from selfreview.errors import NotFoundError, OccupiedError
from selfreview.pullrequest.ports import Ended, Outcome
from tests.forge import PullRequest
from tests.pullrequest.lab import APP, Lab
from tests.pullrequest.stories import SUGGESTED, commits, nothing_happened, said_by, suggest

PAGE = Path(__file__).parents[3] / "docs/guides/program.md"

SLOW = """
import pathlib, threading
from selfreview.api import Depth, Review, hookimpl

class Slow:
    name, depth, default = "slow", Depth.STATIC, True

    def selects(self, file):
        return True

    def cache_key(self, context):
        return None

    def review(self, files, context):
        gone = threading.Event()
        context.on_stop(gone.set)
        pathlib.Path({began!r}).touch()
        gone.wait(60)
        return Review()

@hookimpl
def selfreview_register_reviewers(registry, config):
    registry.add(Slow())
"""


def request(lab: Lab, pull: PullRequest | None = None, **more: Any) -> FeedbackRequest:
    number = pull.number if pull is not None else None
    return FeedbackRequest(folder=lab.workspace.root, number=number, **more)


def test_the_example_of_the_page_answers(connected: Lab, tmp_path: Path) -> None:
    pull = connected.open()
    suggest(connected, pull)
    pull.inline(connected.rev, "app.py", 10, "Why not in full?")
    example = re.search(r'```python title="answer.py"\n(.*?)^```$', PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert example is not None
    assert len(example[1].splitlines()) <= 20
    program = tmp_path / "answer.py"
    program.write_text(example[1])
    ran = subprocess.run(
        [sys.executable, program, connected.workspace.root, str(pull.number)],
        cwd=tmp_path, env={**os.environ, **connected.environment}, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 1, ran
    assert ran.stderr == ""
    assert connected.file() == SUGGESTED
    left, *_, last = ran.stdout.splitlines()
    assert re.match(r"http\S+: no model could say what it means$", left)
    assert last == f"human_review_required {connected.head()}"


def test_a_suggestion_is_answered_once_wherever_the_program_is(
    connected: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The branch is checked out in another working tree than the program's."""
    git = connected.workspace.git
    git("checkout", "--quiet", "main")
    git("worktree", "add", "--quiet", str(tmp_path / "there"), "topic")
    pull = connected.open()
    suggest(connected, pull)
    monkeypatch.chdir(tmp_path)
    ended = answer_feedback(request(connected, pull))
    assert ended.outcome is Outcome.FIXED
    assert ended.commit is not None
    assert ended.commit.sha == connected.head()
    assert (connected.file(), len(commits(connected))) == (SUGGESTED, 1)
    assert (tmp_path / "there/app.py").read_text() == SUGGESTED
    assert (connected.workspace.root / "app.py").read_text() != SUGGESTED
    said = said_by(pull, "dev")
    again = answer_feedback(request(connected, pull))
    assert (again.outcome, again.commit, again.cycles) == (Outcome.NOTHING, None, 1)
    assert (len(commits(connected)), said_by(pull, "dev")) == (1, said)
    assert Path.cwd() == tmp_path
    assert capfd.readouterr() == ("", "")


def test_without_a_number_it_is_the_pull_request_of_the_branch(connected: Lab) -> None:
    with pytest.raises(NotFoundError, match="topic has no open pull request"):
        answer_feedback(request(connected))
    pull = connected.open()
    ended = answer_feedback(request(connected))
    assert (ended.outcome, ended.request.number) == (Outcome.NOTHING, pull.number)


def test_what_a_person_has_to_decide_is_named_and_a_front_end_is_told_why(connected: Lab) -> None:
    pull = connected.open()
    comment = pull.inline(connected.rev, "app.py", 10, "Say it in full.")
    ui = SilentUi()
    ended = answer_feedback(request(connected, pull), ui=ui)
    assert ended.outcome is Outcome.ESCALATED
    assert [left.judged.item.body for left in ended.left] == [comment.body]
    assert any(note.startswith("note: claude may not read here") for note in ui.notes)
    kept = connected.workspace.selfreview("status", "--format", "json").json
    assert kept["session"]["state"] == "ready_for_human_review"


def test_settings_of_the_request_count(connected: Lab) -> None:
    pull = connected.open()
    suggest(connected, pull)
    ended = answer_feedback(request(connected, pull, overrides=("enabled=false",)))
    assert ended.outcome is Outcome.PAUSED
    assert "selfreview is switched off" in ended.why[0]
    assert nothing_happened(connected, pull)


def test_what_was_merged_is_over(connected: Lab) -> None:
    pull = connected.open()
    suggest(connected, pull)
    pull.merge()
    ended = answer_feedback(request(connected, pull))
    assert (ended.outcome, ended.why) == (Outcome.ENDED, ("it is merged",))
    assert connected.workspace.selfreview("status", "--format", "json").json["session"]["state"] == "merged"


def test_only_one_answers_at_a_time(connected: Lab) -> None:
    pull = connected.open()
    suggest(connected, pull)
    folder = connected.workspace.root / ".git/selfreview"
    folder.mkdir(exist_ok=True)
    with (
        filelock.FileLock(folder / f"pr-{pull.number}.lock"),
        pytest.raises(OccupiedError, match=f"the feedback on #{pull.number} is being answered already"),
    ):
        answer_feedback(request(connected, pull))
    with (
        filelock.FileLock(folder / "loop.lock"),
        pytest.raises(OccupiedError, match="another run is in progress in this working tree of topic"),
    ):
        answer_feedback(request(connected, pull))
    assert nothing_happened(connected, pull)


def test_of_two_at_once_one_is_cancelled_and_done_later(
    connected: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = connected.workspace.git
    git("push", "--quiet", "origin", "topic:refs/heads/second")
    git("worktree", "add", "--quiet", "--track", "-b", "second", str(tmp_path / "second"), "origin/second")
    first, second = connected.open(), connected.repository.pull("second", author=connected.dev)
    suggest(connected, first)
    suggest(connected, second)
    began = tmp_path / "began"
    (tmp_path / "waiting_reviewer.py").write_text(SLOW.format(began=str(began)))
    monkeypatch.syspath_prepend(str(tmp_path))
    scope = RunScope()
    ended: list[Ended | BaseException] = []

    def answer() -> None:
        try:
            ended.append(answer_feedback(request(connected, first, plugins=("waiting_reviewer",)), scope=scope))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test says so
            ended.append(error)

    thread = threading.Thread(target=answer)
    thread.start()
    other = answer_feedback(request(connected, second))
    while not began.exists() and thread.is_alive():
        thread.join(0.01)
    scope.cancel()
    thread.join(60)
    assert not thread.is_alive()
    assert [isinstance(one, KeyboardInterrupt) for one in ended] == [True], ended
    assert other.outcome is Outcome.FIXED
    assert (connected.file(branch="second"), connected.file()) == (SUGGESTED, APP)
    assert not said_by(first, "dev")
    assert answer_feedback(request(connected, first)).outcome is Outcome.FIXED
    assert connected.file() == SUGGESTED
