"""A program looks where a pull request stands, and what is said on it; nothing is done about it."""

from __future__ import annotations

from selfreview.api import Meaning
from selfreview.app.pr.answer import answer_feedback
from selfreview.app.pr.request import FeedbackRequest
from selfreview.app.pr.status import standing_of
from selfreview.app.ui import SilentUi
from selfreview.model.session import SessionState
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import nothing_happened, suggest


def test_before_and_after_an_answer(connected: Lab) -> None:
    pull = connected.open()
    suggest(connected, pull)
    asked = FeedbackRequest(folder=connected.workspace.root, number=pull.number)
    before = standing_of(asked)
    assert (before.session, before.counted, before.analysis) == (None, 0, None)
    assert before.following == "look at 1 piece of feedback"
    assert before.tree == connected.workspace.root
    assert nothing_happened(connected, pull)
    answer_feedback(asked)
    after = standing_of(asked)
    assert after.session is not None
    assert (after.session.state, after.counted) == (SessionState.AWAITING_PR_FEEDBACK, 1)
    assert (after.following, after.undone) == ("nothing", [])
    assert [commit.sha for commit in after.answered.commits] == [connected.head()]


def test_what_is_said_is_judged_where_that_is_asked_for(connected: Lab) -> None:
    pull = connected.open()
    suggest(connected, pull)
    pull.inline(connected.rev, "app.py", 10, "Say it in full.")
    ui = SilentUi()
    standing = standing_of(FeedbackRequest(folder=connected.workspace.root), ui=ui, reads=True)
    assert standing.analysis is not None
    meanings = [piece.meaning for piece in standing.analysis.judged]
    assert sorted(meanings) == sorted([Meaning.SUGGESTION, Meaning.NEEDS_PERSON])
    assert any(note.startswith("note: claude may not read here") for note in ui.notes)
    assert nothing_happened(connected, pull)
