"""What reviewers say alike is said once, by the one who says the worst or the most."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.model.issue import Category, Edit, Finding, Issue, IssueStatus, Place, Severity, Side
from selfreview.review.anchor import anchor, by_path
from selfreview.review.fingerprint import Identity
from selfreview.review.triage import Names, merge_duplicates, shorten_ids, to_issues
from selfreview.reviewers.ruff.rules import category as category_of
from selfreview.testing.context import MemoryContext
from tests.review.builders import make_finding, make_issue
from tests.review.triaged import CONTEXT, issues_of


def test_two_reviewers_on_one_weakness_are_one_issue() -> None:
    worse = make_finding(severity=Severity.HIGH, category=Category.SECURITY, description="shell injection")
    other = make_finding(severity=Severity.MEDIUM, category=Category.SECURITY, description="subprocess with shell=True")
    kept, duplicate = sorted(issues_of(("ruff", other), ("rules", worse)), key=lambda i: i.status)[::-1]
    assert (kept.status, kept.reviewer, kept.severity) == (IssueStatus.OPEN, "rules", Severity.HIGH)
    assert kept.also_reported_by == ["ruff"]
    assert (duplicate.status, duplicate.status_reason) == (IssueStatus.DUPLICATE, f"duplicate of {kept.id}")


def test_different_mistakes_on_one_line_both_stay() -> None:
    one = make_finding(description="the name `x` is undefined")
    other = make_finding(description="comparison of a constant with itself")
    assert [i.status for i in issues_of(("ruff", one), ("rules", other))] == [IssueStatus.OPEN] * 2
    leak = make_finding(category=Category.SECURITY, description="a password")
    shell = make_finding(category=Category.SECURITY, description="a shell command")
    assert [i.status for i in issues_of(("secrets", leak), ("rules", shell))] == [IssueStatus.OPEN] * 2


@pytest.mark.parametrize("severity", [Severity.LOW, Severity.HIGH])
def test_what_nobody_could_review_goes_with_no_other_issue(severity: Severity) -> None:
    unread = make_finding(category=Category.SECURITY, severity=Severity.MEDIUM, description="shell", unreviewed=True)
    other = make_finding(category=Category.SECURITY, severity=severity, description="shell")
    issues = issues_of(("ruff", unread), ("rules", other))
    assert [(issue.status, issue.unreviewed, issue.also_reported_by) for issue in issues] == [
        (IssueStatus.OPEN, issue.reviewer == "ruff", []) for issue in issues
    ]


def test_others_are_merged_beside_what_nobody_could_review() -> None:
    unread = make_finding(category=Category.SECURITY, severity=Severity.CRITICAL, description="shell", unreviewed=True)
    other = make_finding(category=Category.SECURITY, severity=Severity.MEDIUM, description="shell")
    issues = issues_of(("gate", unread), ("ruff", other), ("rules", other))
    assert sorted((issue.status, issue.reviewer == "gate") for issue in issues) == [
        (IssueStatus.DUPLICATE, False), (IssueStatus.OPEN, False), (IssueStatus.OPEN, True),
    ]  # fmt: skip


def test_one_reviewer_is_never_its_own_duplicate() -> None:
    one, other = make_finding(description="x is bad", rule="A"), make_finding(description="x is bad", rule="B")
    assert [i.status for i in issues_of(("ruff", one), ("ruff", other))] == [IssueStatus.OPEN] * 2


def shell(rule: str, line_start: int, *, reviewer: str = "rules", **more: Any) -> tuple[str, Finding]:
    return reviewer, make_finding(rule=rule, line_start=line_start, category=Category.SECURITY, **more)


def test_rules_of_one_topic_are_one_issue_even_of_one_reviewer() -> None:
    worse = shell("python-subprocess-shell-injection", 2, severity=Severity.HIGH)
    kept, other = issues_of(worse, shell("python-options-from-values", 2))
    assert (kept.rule, kept.also_reported_by) == ("python-subprocess-shell-injection", [])
    assert (other.status, other.duplicate_of) == (IssueStatus.DUPLICATE, kept.id)


@pytest.mark.parametrize(
    ("place", "merged"),
    [
        ({"line_start": 1, "line_end": 2}, True),
        ({"line_start": 3, "related": (Place(file="a.py", line_start=2, line_end=2),)}, True),
        ({"line_start": 3, "related": (Place(file="b.py", line_start=2, line_end=2),)}, False),
        ({"line_start": 3, "related": (Place(file="a.py", line_start=2, line_end=2, side=Side.OLD),)}, False),
        ({"line_start": 3}, False),
        ({"line_start": 2, "category": Category.LOGIC}, False),
        ({"line_start": 2, "rule": "python-eval"}, False),
    ],
)
def test_rules_of_one_topic_are_merged_where_they_touch(place: dict[str, Any], merged: bool) -> None:
    _, worse = shell("python-shell-injection", 2, severity=Severity.HIGH)
    other = make_finding(**{"rule": "python-shell-variable", "category": Category.SECURITY, **place})
    found = issues_of(("rules", worse), ("rules", other))
    assert [i.status is IssueStatus.DUPLICATE for i in sorted(found, key=lambda i: i.severity.rank)] == [merged, False]


def test_one_rule_on_two_lines_of_one_statement_stays_two() -> None:
    found = issues_of(shell("S602", 2, reviewer="ruff", line_end=3), shell("S602", 3, reviewer="ruff"))
    assert [i.status for i in found] == [IssueStatus.OPEN] * 2


def test_what_is_said_twice_in_the_same_words_is_said_once() -> None:
    assert len(issues_of(("ruff", make_finding(rule="A")), ("ruff", make_finding(rule="A")))) == 1


issues = st.builds(
    make_issue,
    severity=st.sampled_from(Severity),
    category=st.sampled_from([Category.SECURITY, Category.LOGIC]),
    reviewer=st.sampled_from(["ruff", "rules", "secrets", "claude"]),
    rule=st.sampled_from([None, "S602", "python-shell-variable", "python-options-from-values"]),
    description=st.sampled_from(["shell injection here", "shell injection there", "undefined name"]),
    line_start=st.integers(0, 2),
    status=st.sampled_from([IssueStatus.OPEN, IssueStatus.OUT_OF_SCOPE]),
)


@given(st.lists(issues, max_size=12))
def test_merging_loses_nothing_and_keeps_the_worst(given_issues: list[Issue]) -> None:
    for number, issue in enumerate(given_issues):
        issue.id = f"sr-{number}"
    before = [(i.id, i.severity) for i in given_issues]
    worst = max((i.severity.rank for i in given_issues if i.is_open), default=None)
    merge_duplicates(given_issues)
    assert [(i.id, i.severity) for i in given_issues] == before
    assert max((i.severity.rank for i in given_issues if i.is_open), default=None) == worst
    by_id = {i.id: i for i in given_issues}
    for issue in given_issues:
        if issue.status is IssueStatus.DUPLICATE:
            kept = by_id[(issue.status_reason or "").removeprefix("duplicate of ")]
            assert kept.is_open
            assert kept.severity.at_least(issue.severity)
            assert issue.reviewer in (kept.reviewer, *kept.also_reported_by)


def test_what_ruff_and_the_rule_pack_say_of_an_assertion_of_a_tuple_is_one_issue() -> None:
    ours = make_finding(rule="python-assert-tuple", category=Category.TESTING, severity=Severity.HIGH, line_start=2)
    theirs = make_finding(rule="F631", category=category_of("F631"), description="Assert on a tuple", line_start=2)
    found = issues_of(
        ("rules", ours),
        ("ruff", theirs),
    )
    assert [(i.rule, i.status.value) for i in found] == [("python-assert-tuple", "open"), ("F631", "duplicate")]


# --- what two reviewers say alike ---------------------------------------------------------------------------------


def statuses(*found: tuple[str, Finding]) -> dict[str, IssueStatus]:
    return {issue.reviewer: issue.status for issue in issues_of(*found)}


def words(first: int, last: int) -> str:
    """Words that no other number has."""
    return " ".join(f"word{number:03}" for number in range(first, last + 1))


@pytest.mark.parametrize(("one", "other", "merged"), [
    (words(1, 10), words(1, 10), True),
    (words(1, 3), words(1, 10), True),  # three of ten, which is just enough
    (words(1, 5), words(4, 10), False),  # two of ten
    ("Word001, WORD002", "word001 word002", True),
    ("the and for with", "the and for with", False),  # words that say nothing
    ("word001", "the and", False),
    ("a b", "a b", False),
])  # fmt: skip
def test_descriptions_that_share_enough_words_mean_the_same(one: str, other: str, merged: bool) -> None:
    found = statuses(("one", make_finding(description=one)), ("other", make_finding(description=other)))
    assert (IssueStatus.DUPLICATE in found.values()) is merged


def test_what_is_of_another_category_or_about_the_whole_file_stays() -> None:
    style = make_finding(category=Category.STYLE)
    assert set(statuses(("one", make_finding()), ("other", style)).values()) == {IssueStatus.OPEN}
    whole = make_finding(line_start=0)
    assert set(statuses(("one", whole), ("other", whole)).values()) == {IssueStatus.OPEN}


def test_of_two_alike_the_one_that_can_be_mended_stays() -> None:
    def kept(**one: Any) -> str:
        issues = [make_issue(id="sr-1", reviewer="other"), make_issue(id="sr-2", reviewer="one", **one)]
        merge_duplicates(issues)
        return next(issue.reviewer for issue in issues if issue.is_open)

    edit = Edit(line_start=1, column_start=0, line_end=2, column_end=0, replacement="x\n")
    assert kept() == "other"
    assert kept(suggested_fix="do this") == "one"
    assert kept(edits=[edit]) == "one"
    issues = [
        make_issue(id="sr-1", reviewer="other", suggested_fix="do this"),
        make_issue(id="sr-2", reviewer="one", edits=[edit]),
        make_issue(id="sr-3", reviewer="worse", severity=Severity.HIGH),
    ]
    merge_duplicates(issues)
    assert [issue.reviewer for issue in issues if issue.is_open] == ["worse"]
    assert issues[2].also_reported_by == ["one", "other"]
    assert {issue.duplicate_of for issue in issues[:2]} == {"sr-3"}


def test_a_reviewer_is_named_once_however_often_it_says_it() -> None:
    issues = [make_issue(id="sr-1", reviewer="one", severity=Severity.HIGH)]
    issues += [make_issue(id=f"sr-{number}", reviewer="other", rule=f"R{number}") for number in (2, 3)]
    merge_duplicates(issues)
    assert issues[0].also_reported_by == ["other"]
    assert [issue.is_open for issue in issues] == [True, False, False]


def test_a_reviewer_that_says_the_same_twice_is_heard_once() -> None:
    one = make_finding(rule="R", column=1)
    assert len(issues_of(("one", one), ("one", one))) == 1
    for fields in ({"column": 2}, {"rule": "S"}, {"line_end": 2}, {"description": "other words"}, {"line_start": 2}):
        assert len(issues_of(("one", one), ("one", make_finding(**{"rule": "R", "column": 1, **fields})))) == 2
    assert len(issues_of(("one", one), ("two", one))) == 2


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


def test_what_makes_a_file_unreadable_reaches_from_where_it_opens_to_where_that_is_noticed() -> None:
    def statuses(opened: int, noticed: int, other: int) -> set[IssueStatus]:
        related = [Place(file="a.py", line_start=opened, line_end=opened)]
        late = make_finding(rule="broken-syntax", line_start=noticed, related=related)
        return {
            i.status
            for i in issues_of(("rules", late), ("ruff", make_finding(rule="invalid-syntax", line_start=other)))
        }

    assert statuses(opened=1, noticed=4, other=2) == {IssueStatus.OPEN, IssueStatus.DUPLICATE}
    assert statuses(opened=3, noticed=4, other=1) == {IssueStatus.OPEN}
