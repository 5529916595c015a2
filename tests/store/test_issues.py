"""Issues: one record a fingerprint, across runs."""

from __future__ import annotations

import pytest

from selfreview.errors import UsageError
from selfreview.model.issue import IssueStatus
from selfreview.store import Store

from .builders import make_issue, make_result


def test_a_fingerprint_has_one_history(store: Store) -> None:
    first = store.add_result(make_result(make_issue("v1:ab12"), timestamp="2026-11-27T21:00:00Z"))
    store.add_result(make_result(timestamp="2026-11-28T21:00:00Z"))
    moved = make_issue("v1:ab12", line_start=9, line_end=9, status=IssueStatus.ACCEPTED)
    last = store.add_result(make_result(moved, timestamp="2026-11-29T21:00:00Z"))
    issue, history = store.issue("sr-ab12")
    assert issue == moved
    assert history._asdict() == {
        "fingerprint": "v1:ab12",
        "id": "sr-ab12",
        "first_seen": "2026-11-27T21:00:00Z",
        "last_seen": "2026-11-29T21:00:00Z",
        "first_run": first,
        "last_run": last,
        "runs": 2,
        "status": "accepted",
    }


def test_an_issue_reported_twice_in_a_run_is_one_sighting(store: Store) -> None:
    store.add_result(make_result(make_issue("v1:ab12"), make_issue("v1:ab12", status=IssueStatus.DUPLICATE)))
    issue, history = store.issue("v1:ab12")
    assert (history.runs, history.status, issue.status) == (1, "open", IssueStatus.OPEN)


def test_an_issue_is_found_by_the_beginning_of_its_id_or_fingerprint(store: Store) -> None:
    store.add_result(make_result(make_issue("v1:ab12cd34ef"), make_issue("v1:cd")))
    for name in ("sr-ab12cd34", "sr-ab", "v1:ab", "v1:ab12cd34ef"):
        assert store.issue(name).issue.fingerprint == "v1:ab12cd34ef"


def test_a_beginning_of_several_names_them(store: Store) -> None:
    store.add_result(make_result(make_issue("v1:ab12"), make_issue("v1:ab34")))
    with pytest.raises(UsageError, match="several issues") as caught:
        store.issue("sr-ab")
    assert caught.value.hint == "one of sr-ab12, sr-ab34"


def test_a_whole_id_wins_over_longer_ones(store: Store) -> None:
    short = make_issue("v1:ab12", id="sr-ab12")
    store.add_result(make_result(short, make_issue("v1:ab1299", id="sr-ab1299")))
    assert store.issue("sr-ab12").issue == short


def test_issues_of_the_same_id_are_told_apart_by_their_fingerprints(store: Store) -> None:
    store.add_result(make_result(make_issue("v1:ab12x", id="sr-ab12")))
    store.add_result(make_result(make_issue("v1:ab12y", id="sr-ab12")))
    with pytest.raises(UsageError) as caught:
        store.issue("sr-ab12")
    assert caught.value.hint == "one of sr-ab12 (v1:ab12y), sr-ab12 (v1:ab12x)"
    assert store.issue("v1:ab12x").issue.fingerprint == "v1:ab12x"


@pytest.mark.parametrize("name", ["sr-9", "sr_", "%", "", "v1:ab12\N{SNOWMAN}"])
def test_an_unknown_issue_is_a_usage_error(store: Store, name: str) -> None:
    store.add_result(make_result(make_issue("v1:ab12", id="sr-ab12"), make_issue("v1:cd12", id="sr-cd12")))
    with pytest.raises(UsageError):
        store.issue(name)


def test_an_issue_without_a_fingerprint_has_no_history(store: Store) -> None:
    store.add_result(make_result(make_issue("")))
    with pytest.raises(UsageError, match="no issue"):
        store.issue("sr-")
