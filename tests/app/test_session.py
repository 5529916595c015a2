"""How a run ends for its branch: what people are told of it, and what decided it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from selfreview.app.session import LiveSession
from selfreview.model.refinement import Stop
from selfreview.model.session import SessionState
from selfreview.plugins.manager import PluginManager
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.refinement_result import RefinementResult
from selfreview.store import ReviewStore, Store
from selfreview.testing.context import MemoryConfig
from tests.store.builders import make_issue, make_result


class Observers:
    def __init__(self) -> None:
        self.summaries: list[str] = []

    def call_observers(self, hook: str, **given: Any) -> None:
        if hook == "selfreview_ready_for_human":
            self.summaries.append(given["summary"])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store") as opened:
        yield opened


@pytest.mark.parametrize(
    ("passes", "stop", "kinds"),
    [
        (True, Stop.HELD, ["session.human_review_required", "session.ready_for_human"]),
        (False, Stop.CAP, ["session.human_review_required", "session.escalated"]),
        (True, Stop.PASSED, ["session.run_ended"]),
        (False, Stop.INTERRUPTED, ["session.run_ended"]),
    ],
)
def test_a_person_is_called_to_what_passed_and_to_what_did_not(
    store: Store, passes: bool, stop: Stop, kinds: list[str]
) -> None:
    observers = Observers()
    session = new_session("work", "/tree", 3)
    session.state = SessionState.SELF_REVIEW_PASSED if passes else SessionState.SELF_REVIEW_FAILED
    recorder = Recorder(session, ReviewStore(store), cast(PluginManager, observers), MemoryConfig(), lambda *_: None)
    result = make_result(*([] if passes else [make_issue()]))
    LiveSession(recorder, tracked=True).finish(result, RefinementResult(first=result, stop=stop, why="so it is"))
    told = store.session_events(session.id)
    assert [event.kind for event in told] == kinds
    assert observers.summaries == ["so it is"] * (len(kinds) - 1)
    assert "so it is" in told[-1].data.values() or len(kinds) == 1
