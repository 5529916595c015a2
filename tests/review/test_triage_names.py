"""How issues are called, and the order in which they are listed."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.model.issue import Category, Severity, Side
from selfreview.review.anchor import anchor, by_path
from selfreview.review.fingerprint import Identity
from selfreview.review.triage import Names, shorten_ids, to_issues
from selfreview.testing.context import MemoryContext
from tests.review.builders import make_finding, make_issue
from tests.review.triaged import CONTEXT, issues_of


@pytest.mark.parametrize(("shared", "length"), [(0, 8), (7, 8), (8, 9), (20, 21), (31, 32)])
def test_ids_are_as_short_as_they_can_be_and_differ(shared: int, length: int) -> None:
    issues = [make_issue(fingerprint="v1:" + "a" * shared + digit * (32 - shared)) for digit in "bcd"]
    shorten_ids(issues)
    assert [len(issue.id) for issue in issues] == [len("sr-") + length] * 3
    assert len({issue.id for issue in issues}) == 3


def test_ids_are_cut_from_fingerprints_and_end_where_these_do() -> None:
    issues = [make_issue(fingerprint="v1:" + "0123456789abcdef" * 2) for _ in range(2)]
    shorten_ids(issues[:1])
    assert issues[0].id == "sr-01234567"
    shorten_ids(issues)
    assert {issue.id for issue in issues} == {"sr-" + "0123456789abcdef" * 2}
    shorten_ids([])


def test_the_same_mistake_on_like_lines_has_its_own_id_each() -> None:
    found = [("ruff", make_finding(rule="A", line_start=n)) for n in (2, 3)]
    ids = {issue.id for issue in issues_of(*found)}
    assert len(ids) == 2
    assert all(len(i) == len("sr-") + 8 for i in ids)


def test_issues_come_in_order_of_file_and_line_with_the_worst_first() -> None:
    found = [
        ("x", make_finding(file="b.py")),
        ("x", make_finding(line_start=4, rule="low", severity=Severity.LOW)),
        ("x", make_finding(line_start=4, rule="high", severity=Severity.HIGH)),
        ("x", make_finding(line_start=2)),
    ]
    order = [(i.file, i.line_start, i.severity.value) for i in issues_of(*found)]
    assert order == [("a.py", 2, "medium"), ("a.py", 4, "high"), ("a.py", 4, "low"), ("b.py", 1, "medium")]


@pytest.mark.parametrize("line", [0, 7])
def test_a_file_that_the_change_does_not_hold_keeps_its_name(line: int) -> None:
    (issue,) = issues_of(("one", make_finding(file="nowhere.py", line_start=line)))
    assert (issue.file, issue.line_start) == ("nowhere.py", line)


def test_what_is_the_same_is_counted_and_never_shares_a_name() -> None:
    found = [
        ("one", make_finding(rule="R", line_start=line, column=column)) for line, column in [(2, 1), (2, 5), (2, 9)]
    ]
    marks = [issue.fingerprint for issue in issues_of(*found)]
    assert len(set(marks)) == 3
    assert marks[0] == issues_of(found[0])[0].fingerprint
    assert marks == [of_occurrence(number) for number in range(3)]


def of_occurrence(number: int) -> str:
    text = CONTEXT.text(CONTEXT.change.files[0], Side.NEW)
    assert text is not None
    return Identity(
        reviewer="one", rule="R", category=Category.LOGIC, evidence=None, path="a.py", lines=text.lines,
        line_start=2, line_end=2, side="new", occurrence=number,
    ).fingerprint()  # fmt: skip


def test_names_that_are_taken_are_passed_over() -> None:
    settled = anchor(make_finding(rule="R", line_start=2), by_path(CONTEXT.change), CONTEXT.text)
    names = Names([of_occurrence(0), of_occurrence(2)])
    given = [names.give("one", settled, CONTEXT.change.files[0], CONTEXT.text) for _ in range(2)]
    assert given == [of_occurrence(1), of_occurrence(3)]


def test_the_fingerprint_of_a_whole_file_does_not_depend_on_its_lines() -> None:
    def mark(text: str | None, **fields: Any) -> str:
        context = MemoryContext({"a.py": ("gone\n", text)})
        (issue,) = to_issues([("one", make_finding(rule="R", **fields))], context.change, context.text)
        return issue.fingerprint

    assert mark("x\n", line_start=0) == mark("y\n", line_start=0)
    assert mark("x\n", line_start=1) != mark("y\n", line_start=1)
    assert mark("x\n", line_start=1) != mark("x\n", line_start=0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"file": "a.py", "line_start": 3}, {"file": "b.py", "line_start": 1}),
        ({"line_start": 1}, {"line_start": 2, "severity": Severity.CRITICAL}),
        ({"severity": Severity.HIGH, "column": 9}, {"severity": Severity.LOW, "column": 1}),
        ({}, {"column": 1}),
        ({"column": 1}, {"column": 2}),
        ({}, {"rule": "A"}),
        ({"rule": "A"}, {"rule": "B", "description": "a"}),
        ({"description": "a"}, {"description": "b"}),
    ],
)
def test_issues_are_listed_in_one_order(first: dict[str, Any], second: dict[str, Any]) -> None:
    one, other = make_finding(**first), make_finding(**second)
    expected = [(finding.file, finding.column, finding.rule, finding.description) for finding in (one, other)]
    for found in ([one, other], [other, one]):
        issues = issues_of(*(("one", finding) for finding in found))
        assert [(issue.file, issue.column, issue.rule, issue.description) for issue in issues] == expected
