"""Issues, results and what they cost, as they are kept and counted."""

from __future__ import annotations

import msgspec
import pytest

from selfreview.model.event import Event
from selfreview.model.issue import CHECK_PREFIX, IssueStatus
from selfreview.model.result import Result, ReviewerReport, ReviewerStatus, ScopeSummary
from selfreview.model.usage import Usage
from selfreview.model.wire import document, from_json, to_json
from tests.review.builders import make_issue


def test_a_duplicate_names_the_issue_that_it_was_merged_into() -> None:
    twin = make_issue(status=IssueStatus.DUPLICATE, status_reason="duplicate of sr-12345678")
    assert twin.duplicate_of == "sr-12345678"  # as a plugin, or an earlier version, says it
    assert make_issue(status=IssueStatus.DUPLICATE).duplicate_of is None
    assert make_issue(status=IssueStatus.ACCEPTED, status_reason="duplicate of sr-1").duplicate_of is None


def test_a_failing_check_is_told_from_an_issue_of_a_rule() -> None:
    assert make_issue(reviewer=CHECK_PREFIX + "test", rule="test").is_check
    assert not make_issue(reviewer=CHECK_PREFIX + "test", rule="lint").is_check
    assert not make_issue(reviewer="ruff", rule="F401").is_check
    assert not make_issue(reviewer=CHECK_PREFIX, rule=None).is_check


def test_the_open_issues_are_those_that_count() -> None:
    first, second = make_issue(id="sr-1"), make_issue(id="sr-2", status=IssueStatus.ACCEPTED)
    assert Result(issues=[second, first]).open_issues == [first]


@pytest.mark.parametrize(
    ("mode", "partial", "whole"),
    [("branch", False, True), ("head", False, True), ("branch", True, False), ("staged", False, False)],
)
def test_a_part_of_a_branch_does_not_speak_for_it(mode: str, partial: bool, whole: bool) -> None:
    assert ScopeSummary(mode=mode, partial=partial).whole is whole


def test_costs_add_up_field_by_field() -> None:
    total = Usage(requests=1, input_tokens=10, cost_usd=0.5)
    total.add(Usage(requests=2, input_tokens=5, cache_read_tokens=3, cache_write_tokens=4, output_tokens=7, cost_usd=1))
    expected = Usage(
        requests=3, input_tokens=15, cache_read_tokens=3, cache_write_tokens=4, output_tokens=7, cost_usd=1.5
    )
    assert total == expected


def test_an_event_survives_the_way_to_json_and_back() -> None:
    event = Event(kind="review.completed", at="2026-01-02T03:04:05Z", run_id="r", data={"count": 1})
    data = to_json(event)
    assert b'"runId":"r"' in data
    assert from_json(data, Event) == event
    with pytest.raises(msgspec.ValidationError):
        from_json(b'{"kind": 1}', Event)
    with pytest.raises(msgspec.DecodeError):
        from_json(b"{", Event)


def test_text_that_is_no_unicode_is_made_valid_wherever_it_stands() -> None:
    value = {"\udcff": ["\udc80", ("a", 1, None)], "lone": "\ud800"}
    assert from_json(to_json(value), dict) == {"\ufffd": ["\ufffd", ["a", 1, None]], "lone": "?"}


def test_a_document_is_indented_and_hides_nothing() -> None:
    assert document({"a": "x\u202ey"}) == b'{\n  "a": "x\\u202ey"\n}\n'


def test_usages_add_up() -> None:
    one = Usage(requests=1, input_tokens=10, output_tokens=2, cost_usd=0.5)
    other = Usage(requests=2, cache_read_tokens=3, cache_write_tokens=4, cost_usd=0.25)
    assert Usage.total([one, other]) == Usage(
        requests=3, input_tokens=10, cache_read_tokens=3, cache_write_tokens=4, output_tokens=2, cost_usd=0.75
    )
    assert (one.requests, Usage.total([])) == (1, Usage())


def test_a_duplicate_names_what_it_was_merged_into_until_it_stands_for_itself() -> None:
    issue, other = make_issue(), make_issue(id="sr-87654321")
    issue.merge_into(other)
    assert (issue.status, issue.status_reason) == (IssueStatus.DUPLICATE, "duplicate of sr-87654321")
    issue.status_reason = "said in other words"
    assert issue.duplicate_of == "sr-87654321"
    assert b'"mergedInto":"sr-87654321"' in to_json(issue)
    issue.reopen()
    assert (issue.status, issue.status_reason, issue.duplicate_of) == (IssueStatus.OPEN, None, None)
    assert b"mergedInto" not in to_json(issue)


@pytest.mark.parametrize("status", ReviewerStatus)
@pytest.mark.parametrize("required", [False, True])
def test_a_part_is_missing_that_did_not_end_or_was_skipped_though_required(
    status: ReviewerStatus, required: bool
) -> None:
    ended = {ReviewerStatus.OK, ReviewerStatus.NOT_APPLICABLE, *([] if required else [ReviewerStatus.SKIPPED])}
    assert ReviewerReport(name="x", status=status, required=required).is_missing is (status not in ended)
