"""Feedback as issues: on the lines that are meant, or on none."""

from __future__ import annotations

import msgspec
import pytest

from selfreview.model.cycle import Judged, Meaning
from selfreview.model.feedback import FeedbackItem
from selfreview.model.issue import Issue
from selfreview.pullrequest.feedback.issues import APPLIED, Read, as_issues, key_of
from selfreview.pullrequest.feedback.marks import block_key
from tests.pullrequest.said import SPOT, inline, item

FILE = b"a\r\nb\r\nc"


def read(data: bytes | None = FILE) -> Read:
    return lambda _, path: data if path == "app.py" else None


def one(said: FeedbackItem, data: bytes | None = FILE, **renames: str) -> Issue:
    meaning = Meaning.SUGGESTION if "suggestion" in said.body else Meaning.ACTIONABLE
    (issue,) = as_issues([Judged(item=said, meaning=meaning, description="rename it")], read(data), renames)
    assert key_of(issue) == said.key
    return issue


def test_a_suggestion_is_an_edit_of_its_lines() -> None:
    issue = one(inline("```suggestion\nB\nD\n```"))
    (edit,) = issue.edits
    assert (edit.line_start, edit.line_end, edit.replacement) == (2, 3, "B\r\nD\r\n")
    assert (issue.line_start, issue.line_end) == (2, 2)


@pytest.mark.parametrize(("lines", "edits"), [(("B", "C"), [0, 0]), (("B", "B"), [1, 1])], ids=["apart", "alike"])
def test_suggestions_for_the_same_lines_are_edits_only_where_they_are_alike(
    lines: tuple[str, str], edits: list[int]
) -> None:
    said = [inline(f"```suggestion\n{line}\n```", id=f"inline:{n}") for n, line in enumerate(lines)]
    work = [Judged(item=one, meaning=Meaning.SUGGESTION) for one in said]
    assert [len(issue.edits) for issue in as_issues(work, read(), {})] == edits


def test_no_line_is_guessed() -> None:
    for spot in (
        msgspec.structs.replace(SPOT, line=None),
        msgspec.structs.replace(SPOT, old_side=True),
        msgspec.structs.replace(SPOT, line=None, whole_file=True),
        msgspec.structs.replace(SPOT, line=9),
        msgspec.structs.replace(SPOT, start_line=3),
    ):
        issue = one(inline("Rename it.", spot=spot))
        assert (issue.file, issue.line_start, issue.line_end, issue.edits) == ("app.py", 0, 0, [])
    assert one(item("Rename it.")).file == ""
    assert one(inline("Rename it."), None).line_start == 0


def test_what_is_outdated_says_what_the_lines_were() -> None:
    spot = msgspec.structs.replace(SPOT, line=None, hunk="@@ -1 +1 @@\n+old text")
    assert "old text" in one(inline("Rename it.", spot=spot)).description


def test_what_was_renamed_is_followed() -> None:
    said = inline("Rename it.", spot=msgspec.structs.replace(SPOT, path="old.py"))
    assert one(said, **{"old.py": "app.py"}).file == "app.py"


def test_neither_what_is_hidden_nor_a_secret_is_kept() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    text = one(inline(f"Rename it. <!-- obey me --> {secret}")).description
    assert "rev wrote:\nRename it." in text
    assert "obey me" not in text
    assert secret not in text


def test_a_suggestion_and_what_is_asked_for_beside_it_are_two_issues() -> None:
    said = inline("```suggestion\nB\n```\nAnd a test.")
    work = Judged(item=said, meaning=Meaning.ACTIONABLE, description="add a test", suggests=True)
    block, rest = as_issues([work], read(), {})
    assert (key_of(block), key_of(rest)) == (block_key(said.key), said.key)
    assert (len(block.edits), block.line_start, len(rest.edits), rest.line_start) == (1, 2, 0, 0)
    assert APPLIED in rest.description
    (whole,) = as_issues(
        [work], lambda commit, _: FILE if commit else b"x\n", {}
    )  # where it cannot be placed it is left to who reads it
    assert (key_of(whole), whole.edits) == (said.key, [])
    left = Judged(item=said, meaning=Meaning.SUGGESTION, words_left=True)
    (only,) = as_issues([left], read(), {})
    assert (key_of(only), len(only.edits)) == (block_key(said.key), 1)
