"""What plugins do to issues goes through the same steps as what reviewers report."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from selfreview.errors import PluginError
from selfreview.model.issue import Category, Finding, Issue, IssueStatus, Severity
from selfreview.review.issue_status import Amendment
from selfreview.review.triage import to_issues
from selfreview.testing.context import MemoryContext
from tests.review.builders import make_finding, make_issue

CONTEXT = MemoryContext({"a.py": ("zero\n", "one\ntwo\ntwo\nzero\n")})


def issues_of(*found: tuple[str, Finding]) -> list[Issue]:
    return to_issues(found, CONTEXT.change, CONTEXT.text)


def amended(given: list[Issue], do: Callable[[list[Issue]], object]) -> list[Issue]:
    amendment = Amendment(given, CONTEXT.change, CONTEXT.text)
    do(amendment.issues)
    return amendment.finish(lambda issue: msgspec.structs.replace(issue, description=issue.description.upper()))


def test_nothing_done_changes_nothing_but_what_cleaning_does() -> None:
    given = issues_of(("one", make_finding(line_start=2, rule="A")), ("two", make_finding(rule="A", line_start=4)))
    before = [msgspec.structs.replace(issue, description=issue.description.upper()) for issue in given]
    assert amended(given, lambda _issues: None) == before


def test_an_appended_issue_is_placed_named_and_cleaned() -> None:
    given = issues_of(("one", make_finding(line_start=2, rule="A")))
    more = make_issue(id="", fingerprint="", line_start=1, evidence="two", rule="A", reviewer="one", description="x")
    elsewhere = make_issue(file="b.py", reviewer="plugin")
    untouched = make_issue(line_start=4, reviewer="plugin")
    settled = amended(given, lambda issues: issues.extend([elsewhere, untouched, more, more]))
    assert [(i.file, i.line_start, i.status.value) for i in settled] == [
        ("a.py", 2, "open"),
        ("a.py", 2, "open"),
        ("a.py", 4, "out_of_scope"),
        ("b.py", 1, "out_of_scope"),
    ]
    assert {i.description for i in settled} == {"SOMETHING IS WRONG HERE", "X"}
    assert len({i.fingerprint for i in settled}) == len({i.id for i in settled}) == 4
    assert all(i.id == "sr-" + i.fingerprint[3:11] for i in settled)
    assert settled[0].fingerprint == given[0].fingerprint or settled[1].fingerprint == given[0].fingerprint


def test_an_issue_that_was_moved_is_placed_anew_and_one_that_was_renamed_is_not() -> None:
    given = issues_of(("one", make_finding(line_start=2)), ("two", make_finding(line_start=1)))

    def do(issues: list[Issue]) -> None:
        two, one = issues
        one.line_start = one.line_end = 4
        one.evidence = None
        two.id, two.fingerprint = "sr-mine", "v1:mine"

    was = given[1].fingerprint
    two, one = amended(given, do)
    assert (one.line_start, one.status, one.evidence) == (4, IssueStatus.OUT_OF_SCOPE, "zero")
    assert one.fingerprint != was
    assert one.id == f"sr-{one.fingerprint[3:11]}"
    (fresh,) = (issue for issue in issues_of(("two", make_finding(line_start=1))))
    assert (two.id, two.fingerprint) == (fresh.id, fresh.fingerprint)


def test_a_status_that_a_plugin_chose_stands() -> None:
    given = issues_of(("one", make_finding(line_start=4)), ("one", make_finding(line_start=1)))

    def do(issues: list[Issue]) -> None:
        issues[0].status, issues[0].status_reason = IssueStatus.ACCEPTED, "known"
        issues[1].status, issues[1].status_reason = IssueStatus.OPEN, "it matters"
        issues.append(make_issue(line_start=4, status=IssueStatus.UNCONFIRMED, status_reason="who knows"))

    settled = amended(given, do)
    assert [(i.line_start, i.status.value, i.status_reason) for i in settled] == [
        (1, "accepted", "known"),
        (4, "open", "it matters"),
        (4, "unconfirmed", "who knows"),
    ]


def test_duplicates_are_merged_anew() -> None:
    found = make_finding(category=Category.SECURITY)
    given = issues_of(("one", msgspec.structs.replace(found, severity=Severity.HIGH)), ("two", found))

    def do(issues: list[Issue]) -> None:
        issues[1].severity = Severity.CRITICAL
        issues.append(make_issue(reviewer="three", category=Category.SECURITY, severity=Severity.LOW))

    settled = amended(given, do)
    assert [(i.reviewer, i.status.value) for i in settled] == [
        ("two", "open"),
        ("one", "duplicate"),
        ("three", "duplicate"),
    ]
    assert sorted(settled[0].also_reported_by) == ["one", "three"]
    assert settled[1].also_reported_by == []
    assert settled[1].duplicate_of == settled[0].id


def test_removing_one_is_refused() -> None:
    with pytest.raises(PluginError, match="removed an issue"):
        amended(issues_of(("one", make_finding())), lambda issues: issues.clear())
    with pytest.raises(PluginError, match="removed an issue"):
        amended(issues_of(("one", make_finding())), lambda issues: issues.__setitem__(0, make_issue()))


@pytest.mark.parametrize(("name", "value"), [("line_start", "3"), ("severity", "awful"), ("file", None), ("edits", 1)])
def test_values_that_an_issue_cannot_hold_are_refused(name: str, value: object) -> None:
    with pytest.raises(PluginError, match="made an issue in selfreview_modify_issues that is none: "):
        amended(issues_of(("one", make_finding())), lambda issues: setattr(issues[0], name, value))


def test_text_that_is_not_utf_8_is_no_obstacle() -> None:
    odd = "b\udcff.py"
    context = MemoryContext({odd: (None, "one\n")})
    given = to_issues([("one", make_finding(file=odd, evidence="\udcfe"))], context.change, context.text)
    amendment = Amendment(given, context.change, context.text)
    amendment.issues.append(make_issue(file=odd, reviewer="two", description="\udcfd"))
    settled = amendment.finish(lambda issue: issue)
    assert [(i.file, i.path_bytes) for i in settled] == [(odd, "Yv8ucHk=")] * 2


def test_a_severity_as_a_plain_word_is_understood() -> None:
    (issue,) = amended(issues_of(("one", make_finding())), lambda issues: setattr(issues[0], "severity", "high"))
    assert issue.severity is Severity.HIGH
