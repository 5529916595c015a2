"""Which fixer's edits a new issue came with."""

from __future__ import annotations

import pytest

from selfreview.api import Issue, Side
from selfreview.git.worktree_files import Entry
from selfreview.guard import Edited
from selfreview.model.refinement import FixerReport
from selfreview.refine.driver import blame
from selfreview.refine.stages import Stage
from tests.refine.issues import issue

START = "a\nb\nc\nd\n"
FIRST = "a\nB1\nB2\nc\nd\n"
SECOND = "top\na\nB1\nB2\nc\nD\n"


def stage(name: str, path: str, old: str, new: str | None) -> Stage:
    entries = (Entry("100644", old.encode()), None if new is None else Entry("100644", new.encode()))
    return Stage(FixerReport(name=name), {path: Edited(path, *entries)}, frozenset())


STAGES = [stage("first", "app.py", START, FIRST), stage("second", "app.py", FIRST, SECOND)]
OTHER = stage("other", "lib.py", "x\n", "y\n")


@pytest.mark.parametrize(
    ("new", "name"),
    [
        (issue("its-own-line", 1), "second"),
        (issue("moved-by-the-second", 3), "first"),
        (issue("over-both", 4, line_end=6), "second"),
        (issue("of-nobody", 5), "second"),
        (issue("of-the-whole-file", 0), "second"),
        (issue("of-what-is-gone", 3, side=Side.OLD), "second"),
        (issue("elsewhere", 1, file="lib.py"), "other"),
    ],
    ids=lambda value: value.id if isinstance(value, Issue) else value,
)
def test_it_belongs_to_who_wrote_the_line_else_to_who_was_last(new: Issue, name: str) -> None:
    ((guilty, why),) = blame([*STAGES, OTHER], [new]).items()
    assert guilty.report.name == name
    assert why == [f"{new.file}:{new.line_start}: new since this edit: {new.description}"]


def test_what_nobody_edited_is_nobodys_fault() -> None:
    assert blame([OTHER], [issue("new", 1)]) == {}


def test_a_file_that_is_gone_has_no_lines() -> None:
    assert list(blame([stage("removes", "app.py", START, None)], [issue("new", 1)])) != []
