"""Ends of fix cycles: waiting, and a person who is called once with all that was said."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfreview.api import hidden, mark_of
from selfreview.cli.pr.output import lines_of
from selfreview.errors import ExitCode, NotFreeError
from selfreview.model.cycle import Analysis, Judged, Meaning, Overall
from selfreview.model.feedback import Marked
from selfreview.pullrequest.answered_state import AnsweredState
from selfreview.pullrequest.cycle import FixCycle
from selfreview.pullrequest.escalation import Endings
from selfreview.pullrequest.feedback.unresolved import Unresolved
from selfreview.pullrequest.git.trailers import FixCommit
from selfreview.pullrequest.ports import CycleSettings, Outcome
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab
from tests.pullrequest.said import ME, feedback, inline, item, policy

LINES = ["    return n / 2", "    return n * 2", '    return "app"']
NEW = ["    return n // 2", "    return n + n", '    return "application"']


def ask(lab: Lab, pull: PullRequest, number: int) -> None:
    """Have the reviewer ask for one more change."""
    here = (lab.workspace.root / "app.py").read_text().split("\n")
    line = here.index(LINES[number]) + 1
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
    pull.inline(lab.rev, "app.py", line, f"```suggestion\n{NEW[number]}\n```", review=review)


def test_the_third_rejection_calls_a_person_once_and_a_reset_allows_more(lab: Lab, tmp_path: Path) -> None:
    pull = lab.open()
    for number in (0, 1):
        ask(lab, pull, number)
        assert lab.pr("fix").code == ExitCode.PASSED
    assert len(lab.log()) == 3
    ask(lab, pull, 2)
    ran = lab.pr("fix")
    assert ran.code == ExitCode.ISSUES, ran
    assert "cap of 2 fix cycles" in ran.out
    assert len(lab.log()) == 3
    assert "human-review-required" in [label.name for label in pull.labels]
    calls = [comment for comment in pull.comments if "A person is needed" in comment.body]
    assert len(calls) == 1
    assert "What was said" in calls[0].body
    (lab.workspace.root / ".git" / "selfreview" / "store.sqlite3").unlink(missing_ok=True)
    again = lab.pr("fix")
    assert again.code == ExitCode.ISSUES, again
    assert "cap of 2 fix cycles" in again.out
    assert "selfreview reset" in again.out
    assert len([comment for comment in pull.comments if "A person is needed" in comment.body]) == 1
    done = lab.workspace.selfreview("reset", "--reason", "one more")
    assert done.code == ExitCode.PASSED, done
    ran = lab.pr("fix")
    assert ran.code == ExitCode.PASSED, ran
    assert NEW[2] in lab.file()
    assert "human-review-required" not in [label.name for label in pull.labels]


def test_a_label_that_the_forge_failed_to_set_is_set_by_the_next_cycle(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    lab.forge.fail("POST", "*/labels", status=502, times=3)
    assert lab.pr("fix").code not in (ExitCode.PASSED, ExitCode.ISSUES, ExitCode.INTERNAL_ERROR)
    assert lab.pr("fix").code == ExitCode.ISSUES
    assert "human-review-required" in [label.name for label in pull.labels]
    assert len([comment for comment in pull.comments if "A person is needed" in comment.body]) == 1


class Journal:
    """Remembers how often nothing could be done, and what was told."""

    again = False
    resets = 0

    def __init__(self) -> None:
        self.waits = 0
        self.told: list[Any] = []

    def waited(self) -> int:
        self.waits += 1
        return self.waits

    def note(self, text: str) -> None:
        """Forget it."""

    def asked(self, logins: Any) -> None:
        """Forget it."""

    def tell(self, notice: Any) -> None:
        self.told.append(notice)

    def now(self) -> str:
        return "2026-01-01T00:00:00Z"


def test_a_quota_that_stays_used_up_is_told_people_here() -> None:
    journal, said = Journal(), feedback(item("Rename it."))
    parts: Any = SimpleNamespace(
        journal=journal,
        settings=SimpleNamespace(waits=3),
        policy=policy(),
        connection=SimpleNamespace(location=SimpleNamespace(host="github.com", path="octo/app")),
    )
    commit = FixCommit("a" * 40, 1, ())
    endings = Endings(parts, said, AnsweredState.read(said, (), policy()), None, pushed=commit)
    for number in range(1, 5):
        ended = endings.limited("usage limit reached", 600, [said.items[0].key])
        assert (ended.outcome, ended.wait_s, ended.commit, ended.called) == (Outcome.WAITING, 600, commit, False)
        assert ended.why == ("a quota is used up: usage limit reached",)
        assert len(journal.told) == max(0, number - 2)
    assert journal.told[0].number is None  # no comment is made of it
    assert journal.told[0].key == journal.told[1].key


def test_what_waits_is_blocked_and_what_is_not_asked_for_is_not() -> None:
    said = feedback(item("Rename it."))
    journal = Journal()
    parts: Any = SimpleNamespace(journal=journal, settings=CycleSettings(), policy=policy(), connection=None)
    standing = AnsweredState.read(said, (), policy())
    for overall, waits in (
        (Overall.READY_TO_FIX, Overall.BLOCKED),
        (Overall.NEEDS_HUMAN_INPUT, Overall.BLOCKED),
        (Overall.NOTHING_TO_DO, Overall.NOTHING_TO_DO),
    ):
        endings = Endings(parts, said, standing, Analysis(number=5, overall=overall))
        for outcome, told in ((Outcome.WAITING, waits), (Outcome.ESCALATED, overall)):
            ended = endings.end(outcome)
            assert ended.analysis is not None
            assert ended.analysis.overall is told


class Commenting:
    """A forge of a plugin, which takes comments and nothing else."""

    location = SimpleNamespace(host="git.example.com", path="octo/app")
    whoami = close = lambda _: None

    def __init__(self) -> None:
        self.written = ""

    def comment(self, _number: int, mark: str, body: str) -> Marked:
        self.written = f"{hidden(mark)}\n{body}"
        assert mark_of(self.written) == mark
        return Marked(id="comment:2", url="")


class Labelling(Commenting):
    """One that has labels, too."""

    add_label = remove_label = lambda *_: None


class Telling(Labelling):
    """One that says who removed a label, too."""

    label_changes = lambda *_: []  # noqa: E731 - all that counts is that it is there


@pytest.mark.parametrize("thread", [True, False])
@pytest.mark.parametrize("forge", [Commenting, Labelling, Telling])
def test_a_person_is_pointed_to_nothing_that_the_forge_does_not_have(forge: type[Commenting], thread: bool) -> None:
    connection, asked = forge(), inline("Why?") if thread else item("Why?")
    said = feedback(asked)
    parts: Any = SimpleNamespace(
        journal=Journal(), settings=CycleSettings(label="needs-human"), policy=policy(), connection=connection
    )
    endings = Endings(parts, said, AnsweredState.read(said, (), policy()), None)
    ended = endings.escalate([Unresolved(Judged(item=asked, meaning=Meaning.NEEDS_PERSON), "it is a question")])
    told = " ".join(lines_of(ended))
    for text in (connection.written, told):
        assert ("resolve the threads" in text) is thread
    assert ("`needs-human`" in connection.written) is (forge is not Commenting)
    assert ("take the label" in connection.written) is ("remove the label" in told) is (forge is Telling)
    later = feedback(asked, item(connection.written, ME, id="comment:2"))
    assert asked.key in AnsweredState.read(later, (), policy()).handed_over


@pytest.mark.parametrize("step", ["branch", "landing"])
def test_what_keeps_a_branch_from_being_looked_at_is_waited_for(step: str) -> None:
    def refuse(*_: object) -> None:
        raise NotFreeError("somebody is at work here")

    journal, said = Journal(), feedback()
    workshop = SimpleNamespace(
        begin=lambda _: None,
        branch=lambda _: None,
        why_off=lambda _: None,
        landing=None,
        analyse=lambda *_: Analysis(number=5),
    )
    setattr(workshop, step, refuse)
    parts: Any = SimpleNamespace(
        journal=journal, settings=CycleSettings(), policy=policy(), connection=SimpleNamespace(), workshop=workshop
    )
    ended = FixCycle(parts, said).run()
    assert (ended.outcome, ended.why) == (Outcome.WAITING, ("somebody is at work here",))
    assert journal.waits == 1
