"""Entries that match nothing any more: stale where all who could find them have looked."""

from __future__ import annotations

from selfreview.model.issue import CHECK_PREFIX, Side
from selfreview.review.baseline import Entry
from tests.review.baselines import NEW_NAME, TEXT, Everybody, Tree, baseline, entry, issue, mark_of, stale


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
