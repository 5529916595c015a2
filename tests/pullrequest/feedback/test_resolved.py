"""Who takes the label away settles what people were called for, and nothing else that may look so does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from selfreview.api import Connection, Feedback, FeedbackItem, LabelChange, Location, Marked, Permission, Person
from selfreview.errors import ExitCode, NotFoundError
from selfreview.model.feedback import hidden
from selfreview.pullrequest.answered_state import AnsweredState
from selfreview.pullrequest.escalation import take_label_back
from selfreview.pullrequest.feedback.marks import Mark
from selfreview.pullrequest.feedback.resolved import removed_labels
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab
from tests.pullrequest.said import BOT, GUEST, ME, REV, feedback, item, policy
from tests.pullrequest.stories import fix

pytestmark = pytest.mark.long

LABEL = "human-review-required"
TALK = "This whole approach is wrong, let us talk."
CALL = hidden("escalated=0.0") + hidden(Mark.LABELLED.of(LABEL)) + hidden(Mark.HANDED_OVER.of("b@2"))


def labels(pull: PullRequest) -> list[str]:
    """Return the names of the labels."""
    return [label.name for label in pull.labels]


def called(lab: Lab) -> PullRequest:
    """Return a pull request of which a person was called."""
    pull = lab.open()
    pull.comment(lab.rev, TALK)
    assert fix(lab, pull).code == ExitCode.ISSUES
    return pull


def test_who_takes_the_label_away_has_settled_it(lab: Lab) -> None:
    pull = called(lab)
    pull.unlabel(LABEL, lab.rev)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert "resolved by people" in lab.pr("feedback", str(pull.number), "--all").out
    pull.comment(lab.rev, "And that, too?")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert TALK not in ran.out
    assert labels(pull) == [LABEL]


def test_it_is_settled_as_well_where_there_is_more_at_once(lab: Lab) -> None:
    pull = called(lab)
    pull.unlabel(LABEL, lab.rev)
    pull.comment(lab.rev, "And that, too?")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert TALK not in ran.out
    assert labels(pull) == [LABEL]
    assert TALK not in fix(lab, pull).out


def test_a_label_of_another_case_is_there(lab: Lab) -> None:
    pull = lab.open()
    pull.label(LABEL.title(), lab.rev)
    pull.unlabel(LABEL, lab.rev)
    pull.comment(lab.rev, TALK)
    assert [fix(lab, pull).code for _ in range(2)] == [ExitCode.ISSUES] * 2
    assert labels(pull) == [LABEL.title()]
    pull.comments[0].edit("Thanks!")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert not labels(pull)


def test_another_label_in_the_settings_settles_nothing(lab: Lab) -> None:
    pull = called(lab)
    other = ("-o", 'feedback.label="needs-a-person"')
    assert fix(lab, pull, *other).code == ExitCode.ISSUES
    pull.unlabel(LABEL, lab.rev)
    assert fix(lab, pull, *other).code == ExitCode.PASSED


def test_a_label_that_is_not_shown_for_now_settles_nothing(lab: Lab) -> None:
    pull = called(lab)
    kept = list(pull.labels)
    pull.labels.clear()
    assert fix(lab, pull).code == ExitCode.ISSUES
    pull.labels.extend(kept)
    assert fix(lab, pull).code == ExitCode.ISSUES


def test_what_is_not_known_is_left_open(lab: Lab) -> None:
    pull = called(lab)
    pull.unlabel(LABEL, lab.rev)
    lab.forge.fail("GET", "*/issues/*/events*", status=403, message="Forbidden")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran
    assert "who took a label away cannot be read" in ran.err
    lab.forge.mend()
    assert fix(lab, pull).code == ExitCode.PASSED


class Telling:
    """A forge that tells what became of labels."""

    location = Location("forge.example.org", "octo/app")
    said = feedback()

    def __init__(self, *changes: LabelChange, refuses: bool = False) -> None:
        self.changes = list(changes)
        self.done: list[str] = []
        self.refuses = refuses

    def whoami(self) -> Person:
        return ME

    def close(self) -> None:
        pass

    def label_changes(self, number: int) -> list[LabelChange]:
        assert number == 5
        if self.refuses:
            raise NotFoundError("no events")
        return self.changes

    def permission(self, login: str) -> Permission:
        raise NotImplementedError(login)

    def feedback(self, number: int) -> Feedback:
        assert number == 5
        return self.said

    def comment(self, number: int, mark: str, body: str) -> Marked:
        self.done.append(f"{number}: {mark} {body}")
        return Marked(id="comment:1")

    def add_label(self, number: int, name: str) -> None:
        self.done.append(f"{number}: + {name}")

    def remove_label(self, number: int, name: str) -> None:
        self.done.append(f"{number}: - {name}")


def change(by: Person | None = REV, at: str = "2026-01-01T00:00:01Z", **more: Any) -> LabelChange:
    """Return that the label was taken away a second after the call."""
    return LabelChange(**{"name": LABEL, "added": False, "by": by, "at": at} | more)


def taken(*changes: LabelChange, said: Feedback | None = None, notes: list[str] | None = None) -> Sequence[str]:
    """Return the calls that are settled."""
    said = said if said is not None else feedback(item(CALL, ME))
    connection: Connection = Telling(*changes)
    return sorted(removed_labels(connection, said, policy(), [].append if notes is None else notes.append))


@pytest.mark.parametrize(
    "changes",
    [
        [change()],
        [change(name=LABEL.upper())],
        [change(added=True, at="2025-12-31T23:59:59Z"), change()],
        [change(ME, "2026-01-01T00:01:01Z")],
    ],
    ids=["away", "case", "after it was put there", "own account"],
)
def test_a_person_took_it_away(changes: list[LabelChange]) -> None:
    assert taken(*changes) == ["comment:1"]


@pytest.mark.parametrize(
    "changes",
    [
        [],
        [change(at="2026-01-01T00:00:00Z")],
        [change(), change(added=True, at="2026-01-01T00:00:02Z")],
        [change(name="other")],
        [change(GUEST)],
        [change(BOT)],
        [change(None)],
        [change(ME, "2026-01-01T00:01:00Z")],
        [change(at="")],
        [change(at="2026-01-01T00:00:01")],
    ],
    ids=["no event", "no later", "back again", "another", "guest", "bot", "ghost", "cycle", "no time", "no zone"],
)
def test_nobody_is_known_to_have_taken_it_away(changes: list[LabelChange]) -> None:
    assert taken(*changes) == []


def test_only_a_call_of_ours_that_was_written_before_is_settled() -> None:
    later = item(CALL, ME, updated="2026-01-01T00:00:02Z")
    assert taken(change(), said=feedback(later)) == []
    assert taken(change(), said=feedback(item(CALL, REV))) == []
    assert taken(change(), said=feedback(item(hidden("escalated=0.0") + hidden(Mark.HANDED_OVER.of("b@2")), ME))) == []


def test_a_forge_that_does_not_tell_settles_nothing() -> None:
    notes: list[str] = []
    assert (
        removed_labels(Telling(change(), refuses=True), feedback(item(CALL, ME)), policy(), notes.append) == frozenset()
    )
    assert notes == ["who took a label away cannot be read: no events"]


@pytest.mark.parametrize(
    ("more", "done"),
    [
        ((), [f"5: - {LABEL}", f"5: escalated=0.0 {hidden(Mark.HANDED_OVER.of('b@2'))}"]),
        (
            (item(CALL, REV, id="comment:2"),),
            [f"5: - {LABEL}", f"5: escalated=0.0 {hidden(Mark.HANDED_OVER.of('b@2'))}"],
        ),
        ((item(CALL, ME, id="comment:2"),), []),
    ],
    ids=["none", "of another", "ours"],
)
def test_a_call_since_the_pull_request_was_read_keeps_the_label(
    more: tuple[FeedbackItem, ...], done: list[str]
) -> None:
    seen, forge = feedback(item(CALL, ME)), Telling()
    forge.said = feedback(item(CALL, ME), *more)
    take_label_back(forge, seen.request, AnsweredState.read(seen, (), policy()), [].append)
    assert forge.done == done
