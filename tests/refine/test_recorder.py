"""A session's moves: checked, kept before they take effect, and told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from selfreview.errors import UsageError
from selfreview.model.refinement import Refinement
from selfreview.model.session import Decision
from selfreview.model.session import SessionState as S
from selfreview.plugins.manager import PluginManager
from selfreview.refine.recorder import Recorder, new_session
from selfreview.store import ReviewStore, Store
from selfreview.testing.context import MemoryConfig


class Observers:
    """Stands for the plugins: notes what they are told, and what the store says at that moment."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.told: list[Any] = []

    def call_observers(self, hook: str, *, report: Any, config: Any, **given: Any) -> None:
        if hook == "selfreview_refinement_completed":
            self.told.append(given["refinement"])
            return
        kept = self.store.session("/tree", "work")
        self.told.append((given["previous"], given["new"], kept.state if kept is not None else None))


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[tuple[Recorder, Store, Observers]]:
    with Store.open(tmp_path / "store") as store:
        observers = Observers(store)
        manager = cast(PluginManager, observers)
        session = new_session("work", "/tree", 3)
        yield Recorder(session, ReviewStore(store), manager, MemoryConfig(), lambda *_: None), store, observers


def test_a_move_is_kept_before_it_is_told(kept: tuple[Recorder, Store, Observers]) -> None:
    recorder, store, observer = kept
    recorder.move(S.SELF_REVIEWING)
    recorder.move(S.SELF_REVIEW_FAILED, verdict="needs_work")
    assert observer.told == [
        (S.PENDING_SELF_REVIEW, S.SELF_REVIEWING, S.SELF_REVIEWING),
        (S.SELF_REVIEWING, S.SELF_REVIEW_FAILED, S.SELF_REVIEW_FAILED),
    ]
    first, second = store.session_events(recorder.session.id)
    assert (first.kind, first.data["previous"], first.data["new"]) == (
        "session.state_changed", "pending_self_review", "self_reviewing",
    )  # fmt: skip
    assert second.data["verdict"] == "needs_work"


def test_a_move_that_is_not_allowed_changes_nothing(kept: tuple[Recorder, Store, Observers]) -> None:
    recorder, store, observer = kept
    with pytest.raises(UsageError):
        recorder.move(S.APPROVED)
    assert recorder.session.state is S.PENDING_SELF_REVIEW
    assert observer.told == []
    assert store.session_events(recorder.session.id) == []


def test_a_failure_is_remembered_until_it_goes_on(kept: tuple[Recorder, Store, Observers]) -> None:
    recorder, store, observer = kept
    recorder.move(S.SELF_REVIEWING)
    recorder.failed("refinement", "no room")
    session = store.session("/tree", "work")
    assert session is not None
    assert (session.state, session.failed_in, session.error) == (S.FAILED, S.SELF_REVIEWING, "no room")
    assert observer.told[-1][:2] == (S.SELF_REVIEWING, S.FAILED)
    recorder.move(S.PENDING_SELF_REVIEW)
    session = store.session("/tree", "work")
    assert session is not None
    assert (session.failed_in, session.error) == (None, None)


def test_decisions_and_refinements_are_events(kept: tuple[Recorder, Store, Observers]) -> None:
    recorder, store, observer = kept
    recorder.decide(Decision(action="accept", who="Sam", at="2026-01-01T00:00:00Z", reason="known", fingerprint="v1:1"))
    refinement = Refinement(addressed_issue_ids=["a"], patch="p-1")
    recorder.refined(refinement, 1)
    first, second = store.session_events(recorder.session.id)
    assert (first.kind, first.data["who"], first.data["issue"]) == ("person.accept", "Sam", "v1:1")
    assert (second.kind, second.data["addressed"], second.data["patch"]) == (
        "session.refinement_completed", ["a"], "p-1",
    )  # fmt: skip
    assert observer.told == [refinement]
    session = store.session("/tree", "work")
    assert session is not None
    assert [d.reason for d in session.decisions] == ["known"]
