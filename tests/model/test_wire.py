"""Stored JSON: texts are masked, names are read back as they were."""

from __future__ import annotations

import enum
import typing
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from selfreview.apply.journal import Journal
from selfreview.apply.patches import PatchStore
from selfreview.git.worktree_files import Entry
from selfreview.model.issue import Category, Edit, Issue, IssueStatus, Severity, Side
from selfreview.model.notice import Notice
from selfreview.model.result import ErrorInfo, Excluded, Iteration, KeptPatch, Result, ReviewerReport, ReviewerStatus
from selfreview.model.session import Decision, Session
from selfreview.model.wire import WORDS, from_json, kept_json, to_json
from selfreview.pullrequest.git.landing import Kept, Pending
from selfreview.text.masking import MASK, masking

NAMES = frozenset(
    {
        "action", "also", "alsoReportedBy", "addressedIssueIds", "at", "base", "branch", "commit", "created",
        "file", "files", "fingerprint", "forge", "head", "humanReviewAt", "id", "issue", "issues", "key",
        "mention", "mergeBase", "mergedInto", "mode", "name", "newIssuesIntroduced", "outcome", "patch", "path",
        "pathBytes", "replacement", "repository", "requestUrl", "reviewer", "rule", "runId", "severityThreshold",
        "textOnly", "timestamp", "tree", "unaddressedIssueIds", "updated", "url", "who", "worktree",
    }
)  # fmt: skip
"""Fields that are read back by name, or was masked when it was made (the ``outcome`` of a notice's history)."""


@pytest.fixture
def hidden() -> Iterator[None]:
    masking().add(["password", "sha256", "duplicate"])
    yield
    masking().clear()


def texts(kind: object, seen: set[object]) -> Iterator[str]:
    """Yield what the fields that hold text are called, of a struct and of all that it holds."""
    if kind in seen:
        return
    seen.add(kind)
    for argument in typing.get_args(kind):
        yield from texts(argument, seen)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            if holds_text(field.type):
                yield field.encode_name
            yield from texts(field.type, seen)


def holds_text(kind: object) -> bool:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return False
    return kind is str or any(holds_text(argument) for argument in typing.get_args(kind))


def test_of_each_text_that_is_kept_it_is_known_whether_it_is_a_name_or_words() -> None:
    found = {name for kind in (Result, Iteration, Session, Notice) for name in texts(kind, set())}
    assert found - WORDS == NAMES
    assert not WORDS & NAMES


@pytest.mark.usefixtures("hidden")
def test_words_are_masked_and_names_are_kept() -> None:
    edit = Edit(line_start=1, column_start=0, line_end=1, column_end=1, replacement="x = 1")
    issue = Issue(
        id="sr-1",
        severity=Severity.HIGH,
        category=Category.LOGIC,
        file="src/password.py",
        line_start=1,
        line_end=1,
        side=Side.NEW,
        description="a password",
        reviewer="password",
        fingerprint="v1:password",
        status=IssueStatus.DUPLICATE,
        status_reason="duplicate of sr-12ab",
        edits=[edit],
    )
    result = Result(
        issues=[issue, msgspec.structs.replace(issue, edits=[msgspec.structs.replace(edit, replacement="password")])],
        notes=["the password", "a sha256"],
        error=ErrorInfo(message="no password"),
        reviewers=[ReviewerReport(name="password", status=ReviewerStatus.FAILED, error="password?", hint=None)],
        patch=KeptPatch(id="p-1", file="/password/change.patch", iteration=1, files=1),
    )
    result.coverage.excluded.append(Excluded(path="password", why="a password"))
    read = from_json(kept_json(result), Result)
    first, second = read.issues
    assert (first.file, first.reviewer, first.fingerprint) == ("src/password.py", "password", "v1:password")
    assert (first.description, first.duplicate_of, first.edits) == (f"a {MASK}", "sr-12ab", [edit])
    assert second.edits == []
    assert read.notes == [f"the {MASK}", f"a {MASK}"]
    assert read.error == ErrorInfo(message=f"no {MASK}")
    assert (read.reviewers[0].name, read.reviewers[0].error) == ("password", f"{MASK}?")
    assert read.patch == result.patch
    assert read.coverage.excluded == [Excluded(path="password", why=f"a {MASK}")]


@pytest.mark.usefixtures("hidden")
def test_a_session() -> None:
    session = Session(id="s-1", branch="password", worktree="/password", created="", updated="", error="a password")
    masking().add(["p-2026"])
    session.decisions = [Decision(action="undo", who="a", at="", reason="p-2026-ab")]
    read = from_json(kept_json(session), Session)
    assert (read.branch, read.worktree, read.error) == ("password", "/password", f"a {MASK}")
    assert read.decisions == session.decisions


@pytest.mark.usefixtures("hidden")
def test_a_patch_and_what_is_noted_while_it_is_applied(tmp_path: Path) -> None:
    store = PatchStore(tmp_path / "patches")
    files = {"src/password_reset.py": (Entry("100644", b"a"), Entry("100644", b"b"))}
    patch = store.keep(files, b"", at="2026-11-28T00:00:00Z", iteration=1)
    assert store.get(patch.id).manifest == patch.manifest
    journal = Journal(patch=patch.id, undo=False, staged=True, at="", index={0: "100644 password"}, branch="password")
    assert from_json(to_json(journal), Journal) == journal
    pending = Pending(request="owner/password#5", patch=patch.id, head="1" * 40, text="Selfreview-PR: owner/password#5")
    kept = Kept(tmp_path)
    kept.begin(pending)
    assert kept.pending() == pending


def test_nothing_is_masked_before_anything_is_known() -> None:
    assert kept_json({"why": "a password"}) == b'{"why":"a password"}'
