"""Several passes become one list in which nothing is said twice and nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfreview.llm.answers.reading import ALIKE, merge, similarity
from selfreview.model.issue import Category, Finding, Place, Severity, Side

SAME = "getValue returns None for an empty list, so the caller crashes"
ALSO = "An empty list makes get_value return None and the caller crashes with TypeError -> should return 0"

STYLE = "An empty list and None for the caller of getValue are hard to tell apart in their names"


def said(description: str = SAME, line: int = 10, **more: object) -> Finding:
    return Finding(
        **{
            "file": "a.py",
            "line_start": line,
            "line_end": line,
            "severity": Severity.MEDIUM,
            "category": Category.LOGIC,
            "description": description,
        }
        | more
    )  # type: ignore[arg-type]


def test_one_defect_of_two_passes_is_one_finding_in_the_words_of_the_worst():
    place = Place(file="b.py", line_start=1, line_end=1)
    one = said(severity=Severity.CRITICAL, category=Category.SECURITY, confidence=0.6, suggested_fix="short")
    two = said(ALSO, 13, confidence=0.5, suggested_fix="fuller", related=(place,))
    for passes in ([[one], [two]], [[two], [one]]):
        (found,) = merge(passes)
        assert (found.severity, found.category, found.line_start) == (Severity.CRITICAL, Category.SECURITY, 10)
        assert (found.description, found.suggested_fix, found.related) == (one.description, "short", (place,))
        assert found.confidence == pytest.approx(0.8)
        (found,) = merge([*passes, [said(ALSO, severity=Severity.CRITICAL, category=Category.SECURITY)]])
        assert (found.description, found.suggested_fix) == (ALSO, "short")


@pytest.mark.parametrize(
    "other",
    [
        said(ALSO, 14),
        said(ALSO, file="b.py"),
        said(ALSO, side=Side.OLD),
        said(ALSO, 0),
        said(STYLE, category=Category.STYLE),
        said("The lock is not released when the write fails"),
    ],
)
def test_what_may_be_another_defect_stays_apart(other):
    assert merge([[said()], [other]]) == [said(), other]


def test_one_pass_means_two_things_by_two_findings():
    assert len(merge([[said(), said(ALSO)]])) == 2
    assert len(merge([[said(confidence=0.5), said(confidence=0.4)]])) == 1
    assert merge([[said(confidence=0.5), said(confidence=0.4)]])[0].confidence == 0.5


def test_confidence_rises_with_each_pass_and_never_to_certainty():
    sure = [merge([[said(confidence=None)]] * n)[0].confidence for n in (1, 2, 3, 30)]
    assert sure == [None, 0.75, 0.875, 0.99]
    assert merge([[said(confidence=1.0)], [said(confidence=0.1)]])[0].confidence == 1.0


def test_words_that_are_half_alike_need_a_category_that_is_close():
    assert ALIKE <= similarity(SAME, STYLE) < 0.5
    assert len(merge([[said()], [said(STYLE)]])) == 1


FEW = "Retrying swallows `last_error` before parse_reply runs, hiding every timeout from whoever called send"
"""Alike in less than two of ten words, with two names in common."""
WITH_NAMES = "When parse_reply fails, nobody learns why since `last_error` was overwritten by another attempt"


def test_on_the_same_lines_and_in_the_same_category_fewer_words_are_enough():
    two_of_ten = "For an empty list nothing is checked, and getValue then fails on the first element"
    assert 0.2 <= similarity(SAME, two_of_ten) < ALIKE
    assert len(merge([[said()], [said(two_of_ten)]])) == 1
    assert len(merge([[said()], [said(two_of_ten, 9, line_end=12)]])) == 1
    for apart in (
        said(two_of_ten, 11),
        said(two_of_ten, category=Category.SECURITY),
        said(two_of_ten, 2, line_end=40),
    ):
        assert len(merge([[said()], [apart]])) == 2
    assert len(merge([[said(line=0)], [said(two_of_ten, 0)]])) == 2


def test_names_of_the_program_and_the_same_fix_make_up_for_words_there():
    assert 0.15 <= similarity(FEW, WITH_NAMES) < 0.2
    assert len(merge([[said(FEW)], [said(WITH_NAMES)]])) == 1
    assert len(merge([[said(FEW)], [said(WITH_NAMES.replace("last_error", "last error"))]])) == 2
    other = "The lock is not released when the write fails"
    fix = "Wrap the write in try/finally and release the lock"
    assert len(merge([[said(suggested_fix=fix)], [said(other, suggested_fix=fix + " there")]])) == 1
    assert len(merge([[said(suggested_fix=fix)], [said(other, suggested_fix="Return 0")]])) == 2


def test_names_are_compared_by_their_parts():
    assert similarity("getUserName failed", "get_user_name fails") > 0.5
    assert similarity("", "x") == 0


FINDINGS = st.builds(
    said,
    st.sampled_from([SAME, ALSO, "The lock is not released"]),
    st.integers(0, 20),
    severity=st.sampled_from(Severity),
    category=st.sampled_from(Category),
    confidence=st.none() | st.floats(0, 1),
)


@given(st.lists(st.lists(FINDINGS, max_size=5), max_size=4))
def test_no_severity_is_lost_and_nothing_is_made_up(passes):
    everything = [finding for one in passes for finding in one]
    found = merge(passes)
    assert len(found) <= len(everything)
    for finding in everything:
        assert any(
            kept.severity.at_least(finding.severity) and abs(kept.line_start - finding.line_start) <= 6
            for kept in found
        )
    assert all(f.confidence is None or 0 <= f.confidence <= 1 for f in found)
