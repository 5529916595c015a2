"""Issues that only their lines tell: known although something else stands around them now."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.model.issue import Issue, IssueStatus, Severity, Side
from selfreview.review.baseline import Entry
from selfreview.review.marks import Mark, OwnMarks
from tests.review.baselines import NEW_NAME, TEXT, Tree, baseline, entry, issue, mark_of, marked, stale


def by_lines(path: str = "a.py", line: int = 3, name: str = "v1:" + "f" * 32, **fields: Any) -> Entry:
    """An entry made while something else stood around its line."""
    return entry(name, file=path, line=line, **fields)


def test_an_issue_whose_surroundings_changed_is_known_by_its_lines() -> None:
    moved: list[tuple[Entry, Issue]] = []
    known, found = by_lines(), issue()
    mark = marked(baseline(known, on_moved=lambda *pair: moved.append(pair)), found)
    assert mark == Mark(IssueStatus.BASELINED, "known since 2026-01-02 (Ann): later", merged=True)
    assert moved == [(known, found)]
    assert stale(baseline(known), found) == []


def test_one_that_has_its_name_still_has_not_moved() -> None:
    moved: list[object] = []
    assert marked(baseline(entry(mark_of()), on_moved=lambda *pair: moved.append(pair)), issue()) is not None
    assert moved == []


@pytest.mark.parametrize("reach", list(OwnMarks))
@pytest.mark.parametrize("severity", [Severity.HIGH, Severity.CRITICAL])
def test_what_only_its_lines_tell_counts_as_what_the_change_itself_enters(reach: OwnMarks, severity: Severity) -> None:
    found = issue(severity=severity)
    assert (marked(baseline(by_lines(), reach=reach), found) is not None) is reach.reach(found)


@pytest.mark.parametrize(
    "fields", [{"line": 4}, {"rule": "R2"}, {"reviewer": "two"}, {"side": Side.OLD}, {"path": "b.py"}]
)
def test_other_lines_and_other_reports_are_not_taken_for_it(fields: dict[str, Any]) -> None:
    files: Any = {"a.py": (TEXT, TEXT + "x\n"), "b.py": (None, TEXT)}
    assert marked(baseline(by_lines(), files=files), issue(**fields)) is None


def test_where_more_of_the_same_are_there_than_entries_none_is_known() -> None:
    one, other = (issue(fingerprint="v1:" + digit * 32) for digit in "ab")
    assert marked(baseline(by_lines()), one, other) is None
    both = baseline(by_lines(), by_lines(name="v1:" + "e" * 32))
    assert marked(both, one, other) is not None
    assert both.mark(other) is not None
    assert marked(both, one) is not None


def test_an_entry_that_is_found_by_its_name_is_not_found_by_its_lines_too() -> None:
    exact = by_lines(name=mark_of())
    other = issue(fingerprint="v1:" + "b" * 32)
    assert marked(baseline(exact), other, issue()) is None
    named = by_lines("old.py", name=mark_of("old.py"))
    renamed = baseline(named, files=NEW_NAME, tree=Tree("new.py"))
    again = issue("new.py", fingerprint="v1:" + "b" * 32, line=3)
    assert marked(renamed, issue("new.py"), again) is None


def test_an_entry_without_lines_is_known_by_its_name_alone() -> None:
    assert marked(baseline(entry("v1:" + "f" * 32, lines=None)), issue()) is None
    assert marked(baseline(entry(mark_of(), lines=None)), issue()) is not None


def test_lines_of_a_file_that_is_called_otherwise_now() -> None:
    known = by_lines("old.py")
    assert marked(baseline(known, files=NEW_NAME, tree=Tree("new.py")), issue("new.py")) is not None
    assert marked(baseline(known, files=NEW_NAME, tree=Tree("new.py", "old.py")), issue("new.py")) is None
    told = {"files": NEW_NAME, "renamed": {"new.py": "old.py"}, "tree": Tree("new.py", "old.py")}
    assert marked(baseline(known, **told), issue("new.py")) is not None  # type: ignore[arg-type]


def test_an_issue_of_a_file_that_the_change_does_not_hold_has_no_lines() -> None:
    assert marked(baseline(by_lines("far.py"), tree=Tree("far.py")), issue("far.py")) is None


def test_an_issue_that_no_entry_is_about_does_not_end_the_search() -> None:
    known, found = baseline(by_lines()), issue()
    known.look([issue(line=7, reviewer="two"), found])
    assert known.mark(found) is not None
