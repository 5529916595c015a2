"""Issues that are known: found again by fingerprint or under their file's former name, and stale when they are gone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import msgspec
import pytest

from selfreview.model.change import Change, FileStatus
from selfreview.model.issue import CHECK_PREFIX, GATE, Issue, IssueStatus, Severity, Side
from selfreview.review.baseline import Entry, Known
from selfreview.review.baselined import Baseline
from selfreview.review.fingerprint import fingerprint
from selfreview.review.marks import Mark, OwnMarks
from selfreview.review.recognising import flagged_key
from selfreview.testing.context import MemoryContext
from tests.review.builders import make_issue

TEXT = "".join(f"line {number}\n" for number in range(1, 10))
LINES = TEXT.split("\n")


def mark_of(path: str = "a.py", line: int = 3, *, side: str = "new", occurrence: int = 0, lines: Any = LINES) -> str:
    return fingerprint(
        reviewer="one", rule="R1", category=make_issue().category, evidence=None, path=path, lines=lines,
        line_start=line, line_end=line, side=side, occurrence=occurrence,
    )  # fmt: skip


def entry(mark: str, **fields: Any) -> Entry:
    issue = make_issue()
    values: dict[str, Any] = {
        "file": "a.py", "line": 3, "severity": issue.severity, "category": issue.category, "reviewer": "one",
        "rule": "R1", "description": issue.description, "reason": "later", "by": "Ann", "date": "2026-01-02",
    }  # fmt: skip
    return Entry(fingerprint=mark, **{**values, **fields})


def issue(path: str = "a.py", line: int = 3, **fields: Any) -> Issue:
    values = {"file": path, "line_start": line, "line_end": line, "rule": "R1", "fingerprint": mark_of(path, line)}
    return make_issue(**{**values, **fields})


class Everybody:
    """Who has looked at everything, but for some."""

    def __init__(self, *unfinished: tuple[str, str]) -> None:
        self.unfinished = unfinished

    def has_finished(self, reviewer: str, path: str) -> bool:
        return (reviewer, path) not in self.unfinished


class Tree:
    """The files of a tree; remembers what it was asked."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths
        self.asked: list[list[str]] = []

    def __call__(self, paths: Iterable[str]) -> Collection[str]:
        self.asked.append(sorted(paths))
        return [path for path in self.asked[-1] if path in self.paths]


def by_mark(*entries: Entry) -> dict[str, Entry]:
    return {entry.fingerprint: entry for entry in entries}


def baseline(
    *entries: Entry,
    own: tuple[Entry, ...] = (),
    still: tuple[Entry, ...] | None = None,
    files: dict[str, tuple[str | None, str | None]] | None = None,
    renamed: dict[str, str] | None = None,
    tree: Tree | None = None,
    reach: OwnMarks = OwnMarks.LIST,
    whole: bool = False,
    on_stale: Any = None,
    on_moved: Any = None,
) -> Baseline:
    context = MemoryContext(files if files is not None else {"a.py": (None, TEXT)})
    changed = [
        msgspec.structs.replace(file, old_path=renamed[file.path], status=FileStatus.RENAMED)
        if renamed and file.path in renamed
        else file
        for file in context.change.files
    ]
    change = Change(scope=context.change.scope, files=tuple(changed))
    held = still if still is not None else (*entries, *own)
    known = Known(by_mark(*entries), by_mark(*own), frozenset(by_mark(*held)), whole, on_stale, on_moved)
    there = tree or Tree("a.py", "b.py")
    return Baseline(known, change, context.text, there, reach)


def marked(known: Baseline, first: Issue, *others: Issue) -> Mark | None:
    """Return the mark of the first of some issues."""
    known.look([first, *others])
    return known.mark(first)


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

NEW_NAME = {"new.py": (None, TEXT)}


def test_an_issue_of_a_file_whose_name_is_gone_is_found_again() -> None:
    """As where the rename was committed before, so that nothing tells of it."""
    known = entry(mark_of("old.py"), file="old.py")
    mark = marked(baseline(known, files=NEW_NAME, tree=Tree("new.py"), reach=OwnMarks.IGNORE), issue("new.py"))
    assert mark is not None
    assert mark.status is IssueStatus.BASELINED


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


def test_an_issue_on_the_old_side_is_found_again_there() -> None:
    known = entry(mark_of("old.py", side="old"), file="old.py")
    files = {"new.py": (TEXT, "changed\n")}
    found = baseline(known, files=files, tree=Tree("new.py"))
    assert marked(found, issue("new.py", side=Side.OLD)) is not None
    assert marked(found, issue("new.py")) is None


def test_the_tree_is_asked_once_and_only_if_there_is_something_to_ask() -> None:
    tree = Tree("a.py")
    known = baseline(entry(mark_of("old.py"), file="old.py"), own=(entry("v1:x", file="b.py"),), tree=tree)
    known.look([issue(line=line) for line in (3, 4, 5)])
    assert tree.asked == [["b.py", "old.py"]]
    for empty, issues in ((baseline(tree=tree), [issue()]), (baseline(entry(mark_of()), tree=tree), [issue()])):
        empty.look(issues)
    baseline(entry(mark_of()), tree=tree).look([])
    assert len(tree.asked) == 1


# --- issues that only their lines tell ------------------------------------------------------------------------------


def by_lines(path: str = "a.py", line: int = 3, name: str = "v1:" + "f" * 32, **fields: Any) -> Entry:
    """An entry made while something else stood around its line."""
    key = flagged_key(issue(path, line), path, LINES)
    return entry(name, file=path, line=line, lines=key, **fields)


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
    assert marked(renamed, issue("new.py"), again) is not None


def test_an_entry_without_lines_is_known_by_its_name_alone() -> None:
    assert marked(baseline(entry("v1:" + "f" * 32)), issue()) is None


def test_lines_of_a_file_that_is_called_otherwise_now() -> None:
    known = by_lines("old.py")
    assert marked(baseline(known, files=NEW_NAME, tree=Tree("new.py")), issue("new.py")) is not None
    assert marked(baseline(known, files=NEW_NAME, tree=Tree("new.py", "old.py")), issue("new.py")) is None
    told = {"files": NEW_NAME, "renamed": {"new.py": "old.py"}, "tree": Tree("new.py", "old.py")}
    assert marked(baseline(known, **told), issue("new.py")) is not None  # type: ignore[arg-type]


def test_an_issue_of_a_file_that_the_change_does_not_hold_has_no_lines() -> None:
    assert marked(baseline(by_lines("far.py"), tree=Tree("far.py")), issue("far.py")) is None


# --- what is stale --------------------------------------------------------------------------------------------------


def stale(known: Baseline, *issues: Issue, looked: Any = None) -> list[tuple[str, Side]]:
    known.look(issues)
    findings = list(known.leftovers(looked or Everybody()))
    for finding in findings:
        assert (finding.rule, finding.line_start, finding.severity) == ("stale-baseline", 0, Severity.LOW)
        assert finding.category.value == "style"
        assert finding.suggested_fix == "selfreview baseline prune takes it out."
        assert finding.description.endswith("is not found any more: something is wrong here")
    return [(finding.file, finding.side) for finding in findings]


def test_an_entry_that_matches_nothing_is_stale() -> None:
    told: list[Entry] = []
    gone = entry(mark_of(line=7))
    assert stale(baseline(entry(mark_of()), gone, on_stale=told.append), issue()) == [("a.py", Side.NEW)]
    assert told == [gone]


def test_one_that_the_change_takes_out_is_not_nor_one_of_the_change_itself_that_matches() -> None:
    assert stale(baseline(entry(mark_of(line=7)), still=())) == []
    assert stale(baseline(own=(entry(mark_of()),)), issue()) == []
    assert stale(baseline(own=(entry(mark_of(line=7)),)), issue()) == [("a.py", Side.NEW)]


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
