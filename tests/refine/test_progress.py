"""Whether the loop gets anywhere, and what a model only failed to say again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from selfreview.api import Depth, Issue, Side
from selfreview.git.worktree_files import Entry
from selfreview.model.change import LineRange
from selfreview.model.result import ReviewerReport, ReviewerStatus
from selfreview.refine.checks import PREFIX
from selfreview.refine.progress import brought, carry_over, is_shrinking
from tests.conftest import Workspace as Person
from tests.refine.issues import issue
from tests.refine.lab import workspace_of
from tests.refine.results import result

A, B, C = issue("a", 5), issue("b", 9), issue("c", 20)
TESTS = issue("t", 0, reviewer=PREFIX + "tests")
WRITTEN = {"app.py": (LineRange(8, 10),)}


@pytest.mark.parametrize(
    ("before", "after", "new", "shrinks"),
    [
        ([A, B], [A], [], True),
        ([A], [A], [], True),  # nothing new: the next attempt may do better
        ([A], [B], [B], False),
        ([A], [A, B], [B], False),
        ([A], [C], [C], True),  # what is new lies elsewhere: the review had not seen it
        ([A], [B, C], [B, C], True),
        ([A, B, C], [A, B], [B], True),
        ([A], [issue("w", 0)], [issue("w", 0)], False),
        ([A], [issue("o", 30, side=Side.OLD)], [issue("o", 30, side=Side.OLD)], False),
        ([A], [issue("o", 9, file="other.py")], [issue("o", 9, file="other.py")], True),
        ([A], [TESTS], [TESTS], True),  # a check that had not been run while A blocked
        ([A], [issue("r", 1, line_end=8)], [issue("r", 1, line_end=8)], False),
    ],
)
def test_shrinking(before: list[Issue], after: list[Issue], new: list[Issue], shrinks: bool) -> None:
    assert is_shrinking(before, after, new, WRITTEN) is shrinks


@pytest.mark.parametrize("depth", [Depth.STATIC, Depth.MODEL])
def test_a_model_that_says_more_of_other_lines_shows_nothing_that_was_brought(depth: Depth) -> None:
    marks = ReviewerReport(name="marks", status=ReviewerStatus.OK, depth=depth)
    far, moved = issue("c", 20, evidence="y = 2"), issue("a2", 6)
    after = [moved, issue("b", 9, evidence="z = 3"), far, TESTS]
    new = brought(result(A), result(*after, reviewers=[marks]), after, WRITTEN)
    assert [one.id for one in new] == (["b"] if depth is Depth.MODEL else ["b", "c"])


def test_what_a_commit_holds_is_brought_by_no_edit() -> None:
    """It is told of as soon as the file does not hold it any more."""
    held = issue("held", 0, evidence="value 1", commit="1" * 40)
    assert brought(result(A), result(held), [held], WRITTEN) == []


def lines(*changed: int, above: int = 0) -> bytes:
    text = [f"line {n}{' changed' if n in changed else ''}\n" for n in range(1, 13)]
    return "".join(["new\n"] * above + text).encode()


@pytest.mark.parametrize(
    ("after", "depth", "said", "kept"),
    [
        (lines(12), Depth.MODEL, [], [5]),
        (lines(12, above=2), Depth.MODEL, [], [7]),
        (lines(12), Depth.TEXT, [], []),  # a static reviewer does not forget
        (lines(5), Depth.MODEL, [], []),
        (lines(2), Depth.MODEL, [], []),  # near enough to be its cause
        (lines(8), Depth.MODEL, [], []),
        (lines(9), Depth.MODEL, [], [5]),
        (lines(12), Depth.MODEL, [issue("again", 5, reviewer="model", evidence="line 5")], []),
    ],
)
def test_what_nobody_touched_stays_open(
    workspace: Person, tmp_path: Path, after: bytes, depth: Depth, said: list[Issue], kept: list[int]
) -> None:
    workspace.write("app.py", lines())
    one = issue("one", 5, reviewer="model", evidence="line 5")
    reports: list[Any] = [ReviewerReport(name="model", status=ReviewerStatus.OK, depth=depth)]
    first, second = result(one, reviewers=reports), result(*said, reviewers=reports)
    with workspace_of(workspace, tmp_path) as (_, scratch):
        scratch.write({"app.py": Entry("100644", after)})
        carry_over(first, second, scratch, scratch.start, scratch.tree())
    assert [i.line_start for i in second.issues if i not in said] == kept
