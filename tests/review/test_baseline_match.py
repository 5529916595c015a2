"""Baselines: entries that are found again when lines move, and those that match nothing any more."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.model.issue import CHECK_PREFIX, Issue, IssueStatus, Severity, Side
from selfreview.review.baseline import Entry
from selfreview.review.marks import Mark, OwnMarks
from tests.review.baselines import NEW_NAME, TEXT, Everybody, Tree, baseline, entry, issue, mark_of, marked, stale


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


def test_an_entry_that_matches_nothing_is_stale() -> None:
    told: list[Entry] = []
    gone = entry(mark_of(line=7))
    assert stale(baseline(entry(mark_of()), gone, on_stale=told.append), issue()) == [("a.py", Side.NEW)]
    assert told == [gone]


def test_one_that_the_change_takes_out_is_not_nor_one_of_the_change_itself_that_matches() -> None:
    assert stale(baseline(entry(mark_of(line=7)), still=())) == []
    assert stale(baseline(own=(entry(mark_of()),)), issue()) == []
    assert stale(baseline(own=(entry(mark_of(line=7), line=7),)), issue()) == [("a.py", Side.NEW)]


def test_one_that_comes_first_does_not_hide_the_next() -> None:
    first, second = entry(mark_of()), entry(mark_of(line=7))
    assert len(stale(baseline(first, second, still=(second,)))) == 1
    assert len(stale(baseline(first, second), issue())) == 1


def test_while_not_everybody_has_looked_nothing_is_stale() -> None:
    assert stale(baseline(entry(mark_of())), looked=Everybody(("one", "a.py"))) == []


def test_an_issue_that_no_baseline_marks_keeps_no_entry() -> None:
    check = issue(reviewer=CHECK_PREFIX + "R1", rule="R1")
    assert stale(baseline(entry(mark_of())), check) == [("a.py", Side.NEW)]


NOBODY = Everybody(("one", "a.py"), ("one", "old.py"), ("one", "new.py"), ("one", "far.py"))


def test_where_a_file_of_the_change_is_gone_its_entries_are_stale_whoever_has_looked() -> None:
    known = baseline(entry(mark_of()), files={"a.py": (TEXT, None)}, tree=Tree())
    assert stale(known, looked=NOBODY) == [("a.py", Side.OLD)]


def test_a_file_that_the_change_does_not_touch_is_only_judged_where_the_whole_tree_is_reviewed() -> None:
    far = entry(mark_of("far.py"), file="far.py")
    assert stale(baseline(far, tree=Tree()), looked=NOBODY) == []
    assert stale(baseline(far, tree=Tree(), whole=True), looked=NOBODY) == [("far.py", Side.NEW)]
    assert stale(baseline(far, tree=Tree("far.py"), whole=True), looked=NOBODY) == []


def test_an_entry_of_a_renamed_file_is_judged_by_its_new_name() -> None:
    known = entry(mark_of("old.py", 7), file="old.py")
    more = {"files": {"a.py": (None, TEXT), **NEW_NAME}, "renamed": {"new.py": "old.py"}}
    assert stale(baseline(known, tree=Tree("new.py"), **more)) == [("new.py", Side.NEW)]
    assert stale(baseline(known, tree=Tree("new.py"), **more), looked=NOBODY) == []
    assert stale(baseline(known, tree=Tree(), **more), looked=NOBODY) == [("new.py", Side.NEW)]


def test_what_says_the_same_as_a_stale_entry_is_not_told_twice() -> None:
    told: list[Entry] = []
    first = entry(mark_of(line=7), line=7)
    twin = entry("v1:" + "b" * 32, reviewer="two", same_as=first.fingerprint)
    assert len(stale(baseline(first, twin, on_stale=told.append))) == 1
    assert told == [first, twin]
    assert len(stale(baseline(first, twin), issue(line=7))) == 1
    assert len(stale(baseline(first, twin, entry(mark_of())))) == 2  # what comes after it is told


def test_it_says_in_which_line_it_was() -> None:
    (found,) = baseline(entry(mark_of(line=7), line=7)).leftovers(Everybody())
    assert "an issue here (in line 7 when it was entered) that is not found any more" in found.description
    (found,) = baseline(entry(mark_of(line=7), line=0)).leftovers(Everybody())
    assert "an issue here that is not found any more" in found.description
