"""Events by their kinds: what is stored is read back as what it was, also by a version that knows less or more."""

from __future__ import annotations

import os

import msgspec
import pytest

from selfreview.model.event import EventData, PersonDecided, StateChanged
from selfreview.model.request_event import KINDS, typed
from selfreview.model.session import SessionState

MOVED = StateChanged(
    previous=SessionState.PENDING_SELF_REVIEW, new=SessionState.SELF_REVIEWING, iteration=0, max_iterations=3
)


def test_data_is_stored_and_read_back_by_its_kind() -> None:
    event = MOVED.event("2026-11-27T21:00:00Z", run_id="r-1", session="s-1")
    assert (event.kind, event.at, event.run_id, event.session) == (
        "session.state_changed", "2026-11-27T21:00:00Z", "r-1", "s-1",
    )  # fmt: skip
    assert event.data == {
        "pid": os.getpid(),
        "previous": "pending_self_review",
        "new": "self_reviewing",
        "iteration": 0,
        "maxIterations": 3,
    }
    assert typed(event.kind, event.data) == MOVED


def test_a_decision_is_stored_by_what_was_decided() -> None:
    decided = PersonDecided(action="accept", who="Sam", reason="known", issue="v1:1")
    event = decided.event("now")
    assert event.kind == "person.accept"
    assert typed("person.accept", event.data) == decided
    before = {key: value for key, value in event.data.items() if key != "action"}  # as earlier versions stored it
    assert typed("person.accept", before) == decided


@pytest.mark.parametrize(
    ("kind", "data"), [("of.tomorrow", {}), ("review.completed", {}), ("session.state_changed", {"new": "dreaming"})]
)
def test_what_another_version_stored_has_no_type(kind: str, data: dict[str, object]) -> None:
    assert typed(kind, data) is None


def test_keys_of_a_newer_version_are_left_out() -> None:
    assert typed(MOVED.kind, {**MOVED.event("now").data, "mood": "good"}) == MOVED


@pytest.mark.parametrize("data", KINDS.values())
def test_every_kind_has_words_for_itself_and_its_keys(data: type[EventData]) -> None:
    assert (data.__doc__ or "").strip()
    assert msgspec.structs.fields(data)
    assert "pid" not in data.__struct_fields__
