"""What fixers do, and how that has to end: one table for agents, one for a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from tests.cli.refining.lab import APP, MENDED


@dataclasses.dataclass(frozen=True, kw_only=True)
class Case:
    """One fixer.

    Attributes:
        deed: What it does.
        stop: Why the loop ends.
        iterations: How many there are then.
        files: What is in the person's tree afterwards, by path, where that is not what was there; None: it is gone.
        says: What the refinement's notes hold.
        passes: Whether the tree passes afterwards.
        top: Configuration.
    """

    deed: str
    stop: str
    iterations: int = 1
    files: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    says: str = ""
    passes: bool = False
    top: str = ""

    @property
    def state(self) -> str:
        """The session's state afterwards."""
        return "self_review_passed" if self.passes else "self_review_failed"


def mended(deed: str, /, *, says: str = "", **more: bytes) -> Case:
    """Return a case in which the person gets what they wanted."""
    return Case(deed=deed, stop="passed", files={"app.py": MENDED, **more}, passes=True, says=says)


def waiting(deed: str, says: str, /) -> Case:
    """Return a case in which the person gets what they wanted, and an edit of a test waits on top of it."""
    return dataclasses.replace(mended(deed, says=says), iterations=2)


def refused(deed: str, says: str, /, *, top: str = "") -> Case:
    """Return a case in which nothing of what the fixer did is kept."""
    return Case(deed=deed, stop="no_change", says=says, top=top)


ZERO_TEST = b"from app import half\n\n\ndef test_zero():\n    assert half(0) == 0\n"

AGENTS = (
    mended("good"),
    mended("new_test", **{"tests/test_app_zero.py": ZERO_TEST}),
    mended("test_by_its_topic", **{"tests/test_regression.py": ZERO_TEST}),
    Case(deed="partial", stop="cap", iterations=3, files={"app.py": APP.replace(b"  # BUG-one", b"")}),
    Case(deed="wrong", stop="cap", iterations=3),
    Case(deed="empty", stop="cap", iterations=3, says="agent-mine edited nothing"),
    Case(deed="malformed", stop="cap", iterations=3, says="mine gave no report"),
    mended("malformed_but_good", says="mine gave no report"),
    refused("silent", "mine printed nothing"),
    refused("refusing", "needs person: as told"),
    waiting("test_deleting", "waits for a person: tests/test_app.py:1: a test file that you have is gone"),
    waiting("assertion_weakening", "waits for a person: tests/test_app.py:5: the test 'test_half'"),
    refused("only_a_test", "tests that are there belong to the person"),
    mended("better_the_second_time", says="tests that are there belong to the person"),
    refused("removes_everything", "(file-deleted)"),
    refused("out_of_scope", "(outside-change)"),
    mended("out_of_scope_with_a_reason", **{"other.py": b"LIMIT = 2\n"}),
    mended("hooks_of_the_workspace"),
    mended("git_folder_inside"),
    refused("link_out", "(symbolic-link)"),
    refused("link_instead_of_folder", "(symbolic-link)"),
    mended("beside_the_workspace"),
    refused("secret", "(secret)"),
    refused("endless", "did not finish within", top="fixer_timeout = 1\n"),
    mended("slow"),
    Case(deed="endless", stop="deadline", says="did not finish within", top="refine_timeout = 1\n"),
    Case(deed="to_and_fro", stop="seen_before", iterations=2),
    Case(deed="another_each_time", stop="not_shrinking"),
    Case(deed="mends_and_breaks", stop="not_shrinking"),
    refused("crashing", "ended with status 1: no connection"),
    refused("killed", "was killed by SIGABRT"),
)

SHORT = (
    "good-passed",
    "new_test-passed",
    "partial-cap",
    "malformed_but_good-passed",
    "silent-no_change",
    "refusing-no_change",
    "assertion_weakening-passed",
    "only_a_test-no_change",
    "removes_everything-no_change",
    "out_of_scope-no_change",
    "git_folder_inside-passed",
    "link_out-no_change",
    "secret-no_change",
    "endless-deadline",
    "to_and_fro-seen_before",
    "mends_and_breaks-not_shrinking",
    "crashing-no_change",
)
"""Those of each way to end, and of each reason, that the short form of the suite runs."""
