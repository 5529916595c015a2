"""Who may take an issue out of the count."""

from __future__ import annotations

import pytest

from selfreview.model.issue import CHECK_PREFIX, GATE, Issue, IssueStatus, Severity
from selfreview.review.accepted_issues import Acceptances, Accepted, Flagged
from selfreview.review.marks import Claimed, Mark, OwnMarks, first_mark, is_markable
from tests.review.builders import make_issue

MARK = "v1:" + "a" * 32
OTHER = "v1:" + "b" * 32
THIRD = "v1:" + "c" * 32


@pytest.mark.parametrize("severity", list(Severity))
def test_how_far_marks_of_the_change_itself_reach(severity: Severity) -> None:
    issue = make_issue(severity=severity)
    assert OwnMarks.COUNT.applies_to(issue)
    assert OwnMarks.LIST.applies_to(issue) is (severity is not Severity.CRITICAL)
    assert not OwnMarks.IGNORE.applies_to(issue)


def test_the_first_marker_that_knows_an_issue_sets_its_mark() -> None:
    accepted, claimed = Accepted({MARK: "known"}), Claimed({"a.py": "generated"})
    issue = make_issue(fingerprint=MARK)
    assert first_mark([accepted, claimed], issue) == Mark(IssueStatus.ACCEPTED, "known")
    assert first_mark([claimed, accepted], issue) == Mark(IssueStatus.SUPPRESSED, "generated")
    assert first_mark([claimed, accepted], make_issue(file="b.py")) is None
    assert first_mark([], issue) is None


def test_neither_the_gates_own_nor_a_failing_check_can_be_marked_by_a_comment() -> None:
    assert is_markable(make_issue())
    assert not is_markable(make_issue(reviewer=GATE))
    assert not is_markable(make_issue(reviewer=CHECK_PREFIX + "test", rule="test"))


def test_what_was_accepted_is_known_by_its_fingerprint() -> None:
    accepted = Accepted({MARK: "known"})
    mark = accepted.mark(make_issue(fingerprint=MARK))
    assert mark == Mark(IssueStatus.ACCEPTED, "known", merged=False)
    assert accepted.mark(make_issue(fingerprint=OTHER)) is None


def test_a_gate_takes_acceptances_by_fingerprint_alone() -> None:
    accepted = Accepted({MARK: "known"})
    accepted.look([make_issue(fingerprint=OTHER)], lambda _: "key")
    assert accepted.reason(make_issue(fingerprint=OTHER)) is None


def flagged(alike: int = 1) -> Flagged:
    return Flagged(fingerprint=MARK, key="key", alike=alike)


def test_an_accepted_issue_is_found_again_under_another_fingerprint() -> None:
    accepted = Accepted(Acceptances({MARK: "known"}, [flagged()]))
    issue = make_issue(fingerprint=OTHER)
    accepted.look([issue], lambda _: "key")
    assert accepted.reason(issue) == "known"
    assert accepted.mark(issue) == Mark(IssueStatus.ACCEPTED, "known")
    assert issue.status_reason is None


@pytest.mark.parametrize("status", [IssueStatus.OPEN, IssueStatus.OUT_OF_SCOPE])
def test_where_it_cannot_be_told_which_it_is_an_open_issue_says_so(status: IssueStatus) -> None:
    accepted = Accepted(Acceptances({MARK: "known"}, [flagged()]))
    both: list[Issue] = [make_issue(fingerprint=mark, status=status) for mark in (OTHER, THIRD)]
    unlike = make_issue(fingerprint="v1:" + "d" * 32)
    accepted.look([*both, unlike], lambda issue: None if issue is unlike else "key")
    for issue in both:
        assert accepted.reason(issue) is None
        assert (issue.maybe_accepted is True) is (status is IssueStatus.OPEN)
        assert ("an issue like it was accepted" in (issue.status_reason or "")) is (status is IssueStatus.OPEN)
    assert unlike.status_reason is None


@pytest.mark.parametrize("severity", [Severity.HIGH, Severity.CRITICAL])
def test_what_a_change_claims_of_a_file_never_hides_the_worst(severity: Severity) -> None:
    claimed = Claimed({"a.py": "only this change makes it generated"})
    mark = claimed.mark(make_issue(severity=severity))
    expected = Mark(IssueStatus.SUPPRESSED, "only this change makes it generated")
    assert mark == (None if severity is Severity.CRITICAL else expected)
    assert claimed.mark(make_issue(file="b.py")) is None
