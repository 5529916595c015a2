from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfreview.model.issue import Finding, IssueStatus, Place, Side
from selfreview.review.anchor import Anchored, anchor, by_path
from selfreview.testing.context import MemoryContext
from tests.review.builders import make_finding

OLD = "one\ntwo\nthree\nfour\n"
NEW = "one\ntwo and a half\nthree\nfour\nfive\n"
CONTEXT = MemoryContext({"a.py": (OLD, NEW), "gone.py": ("x\ny\n", None)})


def place(finding: Finding, context: MemoryContext = CONTEXT) -> Anchored:
    return anchor(finding, by_path(context.change), context.text)


def test_a_changed_line_is_in_scope() -> None:
    anchored = place(make_finding(line_start=2))
    assert (anchored.line_start, anchored.line_end, anchored.status) == (2, 2, IssueStatus.OPEN)
    assert anchored.evidence == "two and a half"


def test_an_unchanged_line_is_out_of_scope_and_kept() -> None:
    anchored = place(make_finding(line_start=3))
    assert anchored.status is IssueStatus.OUT_OF_SCOPE
    assert anchored.evidence == "three"


def test_a_range_that_reaches_a_changed_line_is_in_scope() -> None:
    assert place(make_finding(line_start=3, line_end=5)).status is IssueStatus.OPEN


def test_a_related_changed_line_brings_an_issue_into_scope() -> None:
    related = (Place(file="a.py", line_start=5, line_end=5),)
    assert place(make_finding(line_start=3, related=related)).status is IssueStatus.OPEN
    unrelated = (Place(file="a.py", line_start=4, line_end=4),)
    assert place(make_finding(line_start=3, related=unrelated)).status is IssueStatus.OUT_OF_SCOPE


def test_removed_lines_count_on_the_old_side() -> None:
    anchored = place(make_finding(line_start=2, side=Side.OLD))
    assert (anchored.status, anchored.evidence) == (IssueStatus.OPEN, "two")
    assert place(make_finding(line_start=3, side=Side.OLD)).status is IssueStatus.OUT_OF_SCOPE


def test_quoted_code_relocates_a_wrong_number() -> None:
    anchored = place(make_finding(line_start=4, evidence="  two and  a half "))
    assert (anchored.line_start, anchored.status) == (2, IssueStatus.OPEN)
    assert "moved from line 4" in (anchored.reason or "")


def test_quoted_code_that_stands_where_it_was_said_to_is_not_moved() -> None:
    assert place(make_finding(line_start=2, evidence="two and a half")).reason is None


def test_quoted_code_that_is_nowhere_keeps_an_existing_line() -> None:
    assert place(make_finding(line_start=5, evidence="no such code")).line_start == 5


def test_what_cannot_be_placed_is_kept_and_does_not_block() -> None:
    for finding in (
        make_finding(line_start=99, evidence="no such code"),
        make_finding(file="other.py"),
        make_finding(file="gone.py", line_start=1),
        make_finding(file="gone.py", line_start=0),
    ):
        anchored = place(finding)
        assert anchored.status is IssueStatus.OUT_OF_SCOPE
        assert anchored.reason


def test_a_deleted_file_has_an_old_side() -> None:
    assert place(make_finding(file="gone.py", line_start=1, side=Side.OLD)).status is IssueStatus.OPEN


def test_the_file_as_a_whole() -> None:
    anchored = place(make_finding(line_start=0))
    assert (anchored.line_start, anchored.status) == (0, IssueStatus.OPEN)


@given(
    st.lists(st.sampled_from(["a", "b", "", "  a", "c d"]), max_size=8),
    st.lists(st.sampled_from(["a", "b", "", "  a", "c d"]), max_size=8),
    st.integers(-2, 12),
    st.integers(-2, 12),
    st.sampled_from(["", "a", "c d", "zzz", None]),
    st.sampled_from(list(Side)),
)
def test_an_open_issue_always_stands_on_a_real_line(
    old: list[str], new: list[str], first: int, last: int, evidence: str | None, side: Side
) -> None:
    context = MemoryContext({"a.py": ("\n".join(old), "\n".join(new))})
    anchored = place(make_finding(line_start=first, line_end=last, evidence=evidence, side=side), context)
    if anchored.status is IssueStatus.OPEN and anchored.line_start != 0:
        text = context.text(context.change.files[0], side)
        assert text is not None
        assert 1 <= anchored.line_start <= anchored.line_end <= len(text.lines)
