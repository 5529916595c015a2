"""Issues that are known: found again by fingerprint, or under their file's former name."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.model.issue import CHECK_PREFIX, GATE, IssueStatus, Severity, Side
from selfreview.review.acceptance_match import flagged_key
from selfreview.review.marks import Mark, OwnMarks
from tests.review.baselines import LINES, NEW_NAME, TEXT, Tree, baseline, entry, issue, mark_of, marked


def test_a_known_issue_says_since_when_by_whom_and_why() -> None:
    mark = marked(baseline(entry(mark_of())), issue())
    assert mark == Mark(IssueStatus.BASELINED, "known since 2026-01-02 (Ann): later", merged=True)


def test_what_is_not_known_is_left_alone() -> None:
    assert marked(baseline(entry(mark_of())), issue(line=7)) is None
    assert marked(baseline(), issue()) is None


def test_what_no_baseline_may_mark_is_left_alone() -> None:
    for reviewer, rule in ((GATE, "R1"), (CHECK_PREFIX + "R1", "R1")):
        assert marked(baseline(entry(mark_of())), issue(reviewer=reviewer, rule=rule)) is None


@pytest.mark.parametrize("reach", list(OwnMarks))
@pytest.mark.parametrize("severity", [Severity.HIGH, Severity.CRITICAL])
def test_what_the_change_itself_enters_counts_as_far_as_it_reaches(reach: OwnMarks, severity: Severity) -> None:
    found = issue(severity=severity)
    assert (marked(baseline(own=(entry(mark_of()),), reach=reach), found) is not None) is reach.reach(found)
    assert marked(baseline(entry(mark_of()), own=(entry(mark_of()),), reach=reach), found) is not None


# --- files that were renamed ----------------------------------------------------------------------------------------


def test_an_issue_of_a_file_whose_name_is_gone_is_found_again() -> None:
    """As where the rename was committed before, so that nothing tells of it: its lines tell, and no more than that."""
    known = entry(mark_of("old.py"), file="old.py")
    for reach in OwnMarks:
        mark = marked(baseline(known, files=NEW_NAME, tree=Tree("new.py"), reach=reach), issue("new.py"))
        assert (mark is not None) is reach.reach(issue("new.py"))


def test_one_entry_stands_for_one_issue() -> None:
    known = entry(mark_of("old.py"), file="old.py")
    files: Any = {"new.py": (None, TEXT), "more.py": (None, TEXT)}
    found = baseline(known, files=files, tree=Tree("new.py", "more.py"), reach=OwnMarks.COUNT)
    assert marked(found, issue("new.py"), issue("more.py")) is None


def test_a_copy_above_a_known_issue_does_not_take_its_place() -> None:
    """The first of a kind has the fingerprint that the old one had while it was alone."""
    files: Any = {"a.py": (TEXT, TEXT + TEXT)}
    copy, old = issue(), issue(line=12, fingerprint=mark_of(occurrence=1))
    for reach in OwnMarks:
        mark = marked(baseline(entry(mark_of()), files=files, reach=reach), copy, old)
        assert (mark is not None) is reach.reach(copy)


def test_a_copy_does_not_count_as_known_because_another_file_holds_the_same_lines() -> None:
    files: Any = {"a.py": (TEXT, TEXT + TEXT), "b.py": (TEXT, TEXT + "more\n")}
    elsewhere = entry(mark_of("b.py"), file="b.py", lines=entry(mark_of()).lines)
    copy, old, other = issue(), issue(line=12, fingerprint=mark_of(occurrence=1)), issue("b.py")
    known = baseline(entry(mark_of()), elsewhere, files=files, reach=OwnMarks.IGNORE)
    known.look([copy, old, other])
    assert [known.mark(one) is not None for one in (copy, old, other)] == [False, False, True]


@pytest.mark.parametrize("where", ["entries", "own"])
def test_wherever_it_was_entered(where: str) -> None:
    known = entry(mark_of("old.py"), file="old.py")
    both = {"entries": ((known,), ()), "own": ((), (known,))}[where]
    found = baseline(*both[0], own=both[1], files=NEW_NAME, tree=Tree("new.py"), reach=OwnMarks.COUNT)
    assert marked(found, issue("new.py")) is not None


@pytest.mark.parametrize(
    ("path", "fields", "tree"),
    [
        ("new.py", {}, ("new.py", "old.py")),
        ("new.py", {"rule": "R2"}, ("new.py",)),
        ("new.py", {"reviewer": "two"}, ("new.py",)),
        ("new.py", {"line_start": 7, "line_end": 7}, ("new.py",)),
        ("other.py", {}, ("new.py",)),
    ],
)
def test_no_other_issue_is_taken_for_it(path: str, fields: dict[str, Any], tree: tuple[str, ...]) -> None:
    known = baseline(entry(mark_of("old.py"), file="old.py"), files=NEW_NAME, tree=Tree(*tree))
    assert marked(known, issue(path, **fields)) is None


def test_the_second_of_a_kind_is_found_again_without_the_first() -> None:
    second = entry(mark_of("old.py", occurrence=1), file="old.py")
    found = issue("new.py", fingerprint=mark_of("new.py", occurrence=1))
    assert marked(baseline(second, files=NEW_NAME, tree=Tree("new.py")), found) is not None


def test_an_issue_of_the_file_as_a_whole_is_found_again() -> None:
    known = entry(mark_of("old.py", 0, lines=()), file="old.py", line=0)
    found = marked(baseline(known, files=NEW_NAME, tree=Tree("new.py")), issue("new.py", 0))
    assert found is not None


def test_one_of_all_that_the_file_holds_is_not_known_by_its_words() -> None:
    known = entry(mark_of("old.py", 0, lines=()), file="old.py", line=0)
    found = issue("new.py", 0, evidence="content of another state")
    assert marked(baseline(known, files=NEW_NAME, tree=Tree("new.py")), found) is None


def test_an_issue_on_the_old_side_is_found_again_there() -> None:
    key = flagged_key(issue(side=Side.OLD), "", LINES)
    known = entry(mark_of("old.py", side="old"), file="old.py", lines=key)
    files = {"new.py": (TEXT, "changed\n")}
    found = baseline(known, files=files, tree=Tree("new.py"))
    assert marked(found, issue("new.py", side=Side.OLD)) is not None
    assert marked(found, issue("new.py")) is None


def test_the_tree_is_asked_once_and_only_if_there_is_something_to_ask() -> None:
    tree = Tree("a.py")
    known = baseline(entry(mark_of("old.py"), file="old.py"), own=(entry("v1:x", file="b.py", line=7),), tree=tree)
    known.look([issue(line=line) for line in (3, 4, 5)])
    assert tree.asked == [["b.py", "old.py"]]
    for empty, issues in ((baseline(tree=tree), [issue()]), (baseline(entry(mark_of()), tree=tree), [issue()])):
        empty.look(issues)
    baseline(entry(mark_of()), tree=tree).look([])
    assert len(tree.asked) == 1
