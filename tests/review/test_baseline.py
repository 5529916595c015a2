"""Baselines: the file, and entries that are found again when lines move or files are renamed, and stale ones."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.errors import ConfigError
from selfreview.model.issue import CHECK_PREFIX, GATE, Issue, IssueStatus, Severity, Side
from selfreview.review.accepted_issues import flagged_key
from selfreview.review.baseline import BaselineEntry, format_baseline, parse_baseline
from selfreview.review.marks import Mark, OwnMarks
from tests.review.baselines import (
    LINES,
    NEW_NAME,
    TEXT,
    Everybody,
    Tree,
    baseline,
    entry,
    issue,
    mark_of,
    marked,
    stale,
)


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
    assert (marked(baseline(own=(entry(mark_of()),), reach=reach), found) is not None) is reach.applies_to(found)
    assert marked(baseline(entry(mark_of()), own=(entry(mark_of()),), reach=reach), found) is not None


# --- files that were renamed ----------------------------------------------------------------------------------------


def test_an_issue_of_a_file_whose_name_is_gone_is_found_again() -> None:
    """As where the rename was committed before, so that nothing tells of it: its lines tell, and no more than that."""
    known = entry(mark_of("old.py"), file="old.py")
    for reach in OwnMarks:
        mark = marked(baseline(known, files=NEW_NAME, tree=Tree("new.py"), reach=reach), issue("new.py"))
        assert (mark is not None) is reach.applies_to(issue("new.py"))


ADDED: Any = {"new.py": (None, TEXT)}


def test_code_of_a_deleted_file_is_new_wherever_it_is_written_again() -> None:
    known = entry(mark_of("old.py"), file="old.py")
    found = baseline(known, files=ADDED, tree=Tree("new.py"), reach=OwnMarks.COUNT)
    assert marked(found, issue("new.py")) is None
    assert stale(found, issue("new.py"), looked=Everybody()) == [("old.py", Side.NEW)]
    whole = entry(mark_of("old.py", 0, lines=()), file="old.py", line=0)
    assert marked(baseline(whole, files=ADDED, tree=Tree("new.py")), issue("new.py", 0)) is None
    removed = entry(mark_of("old.py", side="old"), file="old.py", lines=flagged_key(issue(side=Side.OLD), "", LINES))
    files: Any = {"new.py": (TEXT, "changed\n")}
    assert marked(baseline(removed, files=files, tree=Tree("new.py")), issue("new.py", side=Side.OLD)) is None


@pytest.mark.parametrize(
    "how",
    [
        {"renamed": {"new.py": "old.py"}},
        {"later": {"old.py": ["mid.py", "new.py"]}.__getitem__},
        {"whole": True},
    ],
    ids=["renamed by the change", "renamed before", "all of the tree"],
)
def test_an_entry_of_a_file_that_has_another_name_now_counts_there(how: dict[str, Any]) -> None:
    known = entry(mark_of("old.py"), file="old.py")
    others: Any = {**ADDED, "same.py": (None, "x\n" + TEXT)} if "whole" not in how else ADDED
    found = baseline(known, files=others, tree=Tree("new.py", "same.py"), reach=OwnMarks.COUNT, **how)
    same = [issue("same.py", 4)] if "whole" not in how else []
    assert marked(found, issue("new.py"), *same) is not None
    assert [found.mark(other) for other in same] == [None] * len(same)


def test_an_entry_is_not_stale_while_its_code_only_moved() -> None:
    known = entry(mark_of("old.py"), file="old.py")
    moved = issue("new.py", status=IssueStatus.OUT_OF_SCOPE)
    assert stale(baseline(known, files=ADDED, tree=Tree("new.py"), reach=OwnMarks.COUNT), moved) == []


def test_the_names_of_a_file_are_asked_for_once_and_only_where_an_issue_may_be_known() -> None:
    asked: list[str] = []

    def later(path: str) -> list[str]:
        asked.append(path)
        return []

    entries = [entry(f"v1:{line}", file="old.py", line=line, lines=entry(mark_of()).lines) for line in (3, 4)]
    other = entry("v1:x", file="gone.py", lines="0" * 32)
    baseline(*entries, other, files=ADDED, tree=Tree("new.py"), later=later).look([issue("new.py")])
    assert asked == ["old.py"]


def test_one_entry_stands_for_one_issue() -> None:
    known = entry(mark_of("old.py"), file="old.py")
    files: Any = {**NEW_NAME, "more.py": NEW_NAME["new.py"]}
    found = baseline(known, files=files, tree=Tree("new.py", "more.py"), reach=OwnMarks.COUNT)
    assert marked(found, issue("new.py"), issue("more.py")) is None


def test_a_copy_above_a_known_issue_does_not_take_its_place() -> None:
    """The first of a kind has the fingerprint that the old one had while it was alone."""
    files: Any = {"a.py": (TEXT, TEXT + TEXT)}
    copy, old = issue(), issue(line=12, fingerprint=mark_of(occurrence=1))
    for reach in OwnMarks:
        mark = marked(baseline(entry(mark_of()), files=files, reach=reach), copy, old)
        assert (mark is not None) is reach.applies_to(copy)


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
    told = baseline(known, files=NEW_NAME, tree=Tree("new.py"), later=lambda _path: ["new.py"])
    assert marked(told, issue("new.py", 0)) is not None


def test_one_of_all_that_the_file_holds_is_not_known_by_its_words() -> None:
    known = entry(mark_of("old.py", 0, lines=()), file="old.py", line=0)
    found = issue("new.py", 0, evidence="content of another state")
    assert marked(baseline(known, files=NEW_NAME, tree=Tree("new.py")), found) is None


def test_an_issue_on_the_old_side_is_found_again_there() -> None:
    key = flagged_key(issue(side=Side.OLD), "", LINES)
    known = entry(mark_of("old.py", side="old"), file="old.py", lines=key)
    files: Any = {"new.py": (TEXT, "changed\n")}
    found = baseline(known, files=files, tree=Tree("new.py"), later=lambda _path: ["new.py"])
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


def by_lines(path: str = "a.py", line: int = 3, name: str = "v1:" + "f" * 32, **fields: Any) -> BaselineEntry:
    """An entry made while something else stood around its line."""
    return entry(name, file=path, line=line, **fields)


def test_an_issue_whose_surroundings_changed_is_known_by_its_lines() -> None:
    moved: list[tuple[BaselineEntry, Issue]] = []
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
    assert (marked(baseline(by_lines(), reach=reach), found) is not None) is reach.applies_to(found)


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
    told: list[BaselineEntry] = []
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
    told: list[BaselineEntry] = []
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


MARK = "v1:" + "a" * 32
FIELDS = {
    "file": '"a.py"',
    "line": "3",
    "severity": '"high"',
    "category": '"security"',
    "reviewer": '"ruff"',
    "description": '"wrong"',
    "reason": '"old"',
    "by": '"Ann"',
    "date": "2026-01-02",
}


def text(**changes: str | None) -> bytes:
    fields = {name: value for name, value in {**FIELDS, **changes}.items() if value is not None}
    body = "".join(f"{name} = {value}\n" for name, value in fields.items())
    return f'# known\nversion = 1\n\n["{MARK}"]\n{body}'.encode()


def refused(data: bytes) -> ConfigError:
    with pytest.raises(ConfigError) as error:
        parse_baseline(data, "known.toml")
    assert error.value.hint
    assert "\n" not in error.value.message
    return error.value


def test_what_is_written_is_read() -> None:
    entries = parse_baseline(text(), "known.toml")
    assert parse_baseline(format_baseline(entries.values()), "known.toml") == entries


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"file": None}, f"known.toml:4: {MARK} file is missing"),
        ({"line": '"3"'}, f"known.toml:6: {MARK} line is '3', not the number of a line"),
        ({"line": "true"}, f"known.toml:6: {MARK} line is True, not the number of a line"),
        ({"line": "2147483648"}, f"known.toml:6: {MARK} line is 2147483648, not the number of a line"),
        ({"line": "-1"}, f"known.toml:6: {MARK} line is -1, not the number of a line"),
        ({"severity": '"bad"'}, f"known.toml:7: {MARK} severity is 'bad', not one of "),
        ({"category": '"bad"'}, f"known.toml:8: {MARK} category is 'bad', not one of "),
        ({"reviewer": "1"}, f"known.toml:9: {MARK} reviewer is 1, not text"),
        ({"reason": '" "'}, f"known.toml:11: {MARK} reason is empty"),
        ({"date": '"some day"'}, f"known.toml:13: {MARK} date is 'some day', not a date"),
        ({"date": '"2026-02-31"'}, f"known.toml:13: {MARK} date is '2026-02-31', not a date"),
        ({"rule": "[]"}, f"known.toml:14: {MARK} rule is [], not text"),
    ],
)
def test_an_entry_that_is_wrong_is_told_with_its_line(changes: dict[str, str | None], said: str) -> None:
    error = refused(text(**changes))
    assert error.message.startswith(said)
    assert error.hint == "fix it, or remove the entry: selfreview baseline update adds open issues again"


def test_what_is_no_table_is_told_with_its_line() -> None:
    assert refused(f'version = 1\n"{MARK}" = 3\n'.encode()).message == f"known.toml:2: {MARK} is not a table"


@pytest.mark.parametrize(
    ("head", "said", "hint"),
    [
        ("version = 2\n", "version is 2, not 1", "use the version of selfreview that wrote it; or move the file away"),
        ("", "it says no version", "begin it with version = 1; or move the file away"),
    ],
)
def test_one_of_another_version_does_not_lead_in_a_circle(head: str, said: str, hint: str) -> None:
    error = refused(head.encode())
    assert error.message == f"known.toml: {said}"
    assert str(error.hint).startswith(hint)
    assert str(error.hint).endswith("then: selfreview baseline create --reason TEXT")


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "version = " + "1" * 5_000, "version = 0x" + "f" * 9_000])
def test_what_no_reader_of_toml_gets_through_is_told_in_one_line(text: str) -> None:
    assert len(refused(text.encode()).message) < 100


def test_every_number_that_a_line_may_have_is_read() -> None:
    for line in ("0", "2147483647"):
        (entry,) = parse_baseline(text(line=line), "known.toml").values()
        assert str(entry.line) == line
