"""At the cap a person is called, once, with all that was said; a person's reset allows more."""

from __future__ import annotations

from pathlib import Path

from selfreview.errors import ExitCode
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab

LINES = ["    return n / 2", "    return n * 2", '    return "app"']
NEW = ["    return n // 2", "    return n + n", '    return "application"']


def ask(lab: Lab, pull: PullRequest, number: int) -> None:
    """Have the reviewer ask for one more change."""
    here = (lab.workspace.root / "app.py").read_text().split("\n")
    line = here.index(LINES[number]) + 1
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "")
    pull.inline(lab.rev, "app.py", line, f"```suggestion\n{NEW[number]}\n```", review=review)


def test_the_third_rejection_calls_a_person_once_and_a_reset_allows_more(lab: Lab, tmp_path: Path) -> None:
    pull = lab.open()
    for number in (0, 1):
        ask(lab, pull, number)
        assert lab.pr("fix").code == ExitCode.PASSED
    assert len(lab.log()) == 3
    ask(lab, pull, 2)
    ran = lab.pr("fix")
    assert ran.code == ExitCode.ISSUES, ran
    assert "cap of 2 fix cycles" in ran.out
    assert len(lab.log()) == 3
    assert "human-review-required" in [label.name for label in pull.labels]
    calls = [comment for comment in pull.comments if "A person is needed" in comment.body]
    assert len(calls) == 1
    assert "What was said" in calls[0].body
    (lab.workspace.root / ".git" / "selfreview" / "store.sqlite3").unlink(missing_ok=True)
    again = lab.pr("fix")
    assert again.code == ExitCode.ISSUES, again
    assert "cap of 2 fix cycles" in again.out
    assert "selfreview reset" in again.out
    assert len([comment for comment in pull.comments if "A person is needed" in comment.body]) == 1


def test_a_reset_allows_more(lab: Lab) -> None:
    pull = lab.open()
    for number in (0, 1, 2):
        ask(lab, pull, number)
        ran = lab.pr("fix")
    assert ran.code == ExitCode.ISSUES, ran
    done = lab.workspace.selfreview("reset", "--reason", "one more")
    assert done.code == ExitCode.PASSED, done
    ran = lab.pr("fix")
    assert ran.code == ExitCode.PASSED, ran
    assert NEW[2] in lab.file()
    assert "human-review-required" not in [label.name for label in pull.labels]


def test_a_label_that_the_forge_failed_to_set_is_set_by_the_next_cycle(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, "This whole approach is wrong, let us talk.")
    lab.forge.fail("POST", "*/labels", status=502, times=3)
    assert lab.pr("fix").code not in (ExitCode.PASSED, ExitCode.ISSUES, ExitCode.INTERNAL_ERROR)
    assert lab.pr("fix").code == ExitCode.ISSUES
    assert "human-review-required" in [label.name for label in pull.labels]
    assert len([comment for comment in pull.comments if "A person is needed" in comment.body]) == 1
