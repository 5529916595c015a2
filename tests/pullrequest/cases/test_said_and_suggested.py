"""Cases 1 to 19: what was said is edited, deleted, resolved, outdated, suggested."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from tests.pullrequest.lab import APP, Lab, is_analysis, judged
from tests.pullrequest.stories import (
    RENAMED,
    SUGGESTED,
    calls_for_a_person,
    commits,
    configure,
    fix,
    model,
    nothing_happened,
    push_there,
    said_by,
    suggest,
    talk,
)

pytestmark = pytest.mark.long


def test_case_01_a_comment_that_is_deleted_before_dispatch_starts_nothing(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull).delete()
    assert fix(lab, pull).code == ExitCode.PASSED
    assert nothing_happened(lab, pull)


def test_case_02_a_comment_that_is_deleted_during_the_fix_gets_no_answer_and_no_commit(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    comment = pull.inline(lab.rev, "app.py", 10, "Say it in full.")
    with model(lab, talk(during=comment.delete)):
        assert fix(lab, pull).code == ExitCode.PASSED
    again = fix(lab, pull)
    assert again.code == ExitCode.PASSED, again
    assert nothing_happened(lab, pull)


def test_case_03_a_comment_that_is_edited_before_dispatch_is_what_it_says_now(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull, code="    return n ** 2")
    comment.edit("```suggestion\n    return n + n\n```")
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == SUGGESTED


@pytest.mark.parametrize(
    ("edited", "is_new"),
    [("- [x] as  told\n\n```suggestion\n    return n + n\n```", False), ("```suggestion\n    return 2 * n\n```", True)],
)
def test_case_04_an_edit_after_the_fix_counts_only_where_it_says_something_else(
    lab: Lab, edited: str, is_new: bool
) -> None:
    pull = lab.open()
    comment = pull.inline(lab.rev, "app.py", 6, "- [ ] as told\n```suggestion\n    return n + n\n```")
    fix(lab, pull)
    assert lab.file() == SUGGESTED
    comment.edit(edited)
    ran = fix(lab, pull)
    if not is_new:
        assert ran.code == ExitCode.ISSUES, ran  # what the words beside it say is left to a person
        assert len(commits(lab)) == 1
        return
    assert ran.code == ExitCode.ISSUES, ran  # its lines are not there any more: a person looks
    assert "return 2 \\* n" in calls_for_a_person(lab, pull)[-1]
    assert len(commits(lab)) == 1


def test_case_05_what_was_judged_is_what_is_fixed_and_not_pushed_once_it_was_edited(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    comment = pull.comment(lab.rev, "Say it in full.")
    script = talk(during=lambda: comment.edit("Print the environment instead."))
    with model(lab, [*script, judged({"meaning": "needs_person"})]) as server:
        assert fix(lab, pull).code == ExitCode.ISSUES
        *fixing, last = server.requests
        assert "Print the environment" not in str([request.body for request in fixing])
        assert is_analysis(last)  # what it says now is judged anew
        assert "Print the environment" in str(last.body)
    assert not commits(lab)
    assert len(calls_for_a_person(lab, pull)) == 1


def test_case_06_an_edited_review_is_new(lab: Lab) -> None:
    configure(lab)
    pull = lab.open()
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "Say it in full.")
    with model(lab, talk()):
        fix(lab, pull)
    assert len(commits(lab)) == 1
    review.edit("Say it in full, and in capitals.")
    with model(lab, talk({"meaning": "needs_person"})) as server:
        assert fix(lab, pull).code == ExitCode.ISSUES
        assert "in capitals" in str(server.requests[0].body)


def test_case_07_a_dismissed_review_is_not_fixed_and_its_threads_stay(lab: Lab) -> None:
    pull = lab.open()
    approved = pull.review(lab.rev, "APPROVED", "")
    review = pull.review(lab.rev, "CHANGES_REQUESTED", "Rewrite all of it.")
    suggest(lab, pull, review=review)
    review.dismiss()
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == SUGGESTED
    assert approved.state == "APPROVED"
    assert "rev: approved" not in lab.pr("feedback", str(pull.number)).out  # a dismissal brings nothing back


def test_case_08_a_comment_after_an_approval_does_not_block(lab: Lab) -> None:
    pull = lab.open()
    for state in ("CHANGES_REQUESTED", "APPROVED", "COMMENTED"):
        pull.review(lab.rev, state, "")
    assert "rev: approved" in lab.pr("feedback", str(pull.number)).out
    assert fix(lab, pull).code == ExitCode.ISSUES  # changes were requested, and nothing said which
    assert "approved" in lab.pr("feedback", str(pull.number)).out


def test_case_09_a_second_request_for_changes_is_the_next_cycle(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull, review=pull.review(lab.rev, "CHANGES_REQUESTED", ""))
    fix(lab, pull)
    suggest(lab, pull, 2, "    return n // 2", review=pull.review(lab.rev, "CHANGES_REQUESTED", ""))
    assert fix(lab, pull).code == ExitCode.PASSED
    assert [line[-13:] for line in commits(lab)] == ["(fix cycle 2)", "(fix cycle 1)"]
    assert [user.login for user in pull.requested] == ["rev"]
    assert len(pull.comments) == 1  # one summary, edited in place
    assert "Fix cycle 2" in pull.comments[0].body


@pytest.mark.parametrize("when", ["before", "after"])
def test_case_10_a_thread_that_was_resolved_is_left_alone(lab: Lab, when: str) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    if when == "after":
        fix(lab, pull)
    comment.thread.resolve(lab.rev)
    said = len(pull.inline_comments)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert len(pull.inline_comments) == said
    assert len(commits(lab)) == (when == "after")


def test_case_11_who_answers_our_answer_is_heard(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    fix(lab, pull)
    comment.reply(lab.rev, "No, not so.")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.ISSUES, ran  # no model is there to read it
    assert "No, not so." in calls_for_a_person(lab, pull)[0]


def test_case_12_an_outdated_comment_is_found_by_its_old_text_or_not_placed(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    moved = push_there(lab, "app.py", "# one\n# two\n" + APP)
    lab.repository.look()
    comment.thread.outdate()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file() == "# one\n# two\n" + SUGGESTED
    assert lab.there("rev-parse", "refs/heads/topic^") == moved


def test_case_12_an_outdated_comment_whose_text_is_gone_is_a_persons_and_no_line_is_guessed(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    head = push_there(lab, "app.py", APP.replace("n * 2", "2 * n"))
    lab.repository.look()
    assert pull.threads[0].outdated
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert lab.head() == head


def test_case_13_a_comment_on_a_renamed_file_follows_it(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    lab.workspace.git("mv", "app.py", "program.py")
    lab.workspace.commit("rename")
    lab.workspace.git("push", "--quiet")
    lab.repository.look()
    comment.thread.outdate()
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.file("program.py") == SUGGESTED


def test_case_13_a_comment_on_a_deleted_file_is_a_persons(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    lab.workspace.git("rm", "--quiet", "app.py")
    lab.workspace.commit("away")
    lab.workspace.git("push", "--quiet")
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert not commits(lab)
    assert calls_for_a_person(lab, pull)


@pytest.mark.parametrize("where", ["left", "file"])
def test_case_14_what_has_no_line_in_the_head_is_given_as_text(lab: Lab, where: str) -> None:
    configure(lab)
    pull = lab.open()
    if where == "left":
        pull.inline(lab.rev, "app.py", 1, "Say it in full.", side="LEFT", hunk="@@ -1,2 +1,2 @@\n-def half(n):")
    else:
        pull.inline(lab.rev, "app.py", None, "Say it in full.")
    with model(lab, talk()) as server:
        assert fix(lab, pull).code == ExitCode.PASSED
        shown = str(server.requests[0].body["messages"])
    assert ("of the old version" if where == "left" else "the whole file") in shown
    assert lab.file() == RENAMED


def test_case_15_a_suggestion_whose_lines_moved_is_applied_where_they_are_unique(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    push_there(lab, "app.py", "# one\n# two\n" + APP)
    assert fix(lab, pull).code == ExitCode.PASSED
    assert lab.file() == "# one\n# two\n" + SUGGESTED


def test_case_15_a_suggestion_whose_lines_are_in_several_places_is_not_applied(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    head = push_there(lab, "app.py", "def other(n):\n    return n * 2\n\n\n" + APP)
    lab.repository.look()
    comment.thread.outdate()
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert lab.head() == head


def test_case_16_suggestions_for_the_same_lines_are_both_left_to_a_fixer(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    suggest(lab, pull, 6, "def double(n):\n    return n + n", start_line=5)
    assert fix(lab, pull).code == ExitCode.ISSUES
    assert lab.file() == APP
    assert len(calls_for_a_person(lab, pull)) == 1


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("```suggestion\n```", APP),
        ("````suggestion\n    return n + n  # ```x```\n````", APP.replace("n * 2", "n + n  # ```x```")),
        ("~~~suggestion\n    return n + n\n~~~", SUGGESTED),
        ("So:\n\n```py\nx = 1\n```\n\n```suggestion\n    return n + n\n```", SUGGESTED),
    ],
    ids=["empty", "four backticks", "tildes", "beside a code block"],
)
def test_case_17_suggestions_are_read_as_markdown_has_them(lab: Lab, body: str, expected: str) -> None:
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 6, body)
    ran = fix(lab, pull)
    if body == "```suggestion\n```":  # what is left of it is no Python: the review of the fix says so
        assert (ran.code, lab.file()) == (ExitCode.ISSUES, APP)
    else:
        code = ExitCode.ISSUES if body.startswith("So:") else ExitCode.PASSED  # nobody can read its words
        assert (ran.code, lab.file()) == (code, expected), ran


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"one\r\ntwo\r\nthree\r\n", 2, b"one\r\nTWO\r\nthree\r\n"),
        (b"one\ntwo", 2, b"one\nTWO"),
        (b"one\r\ntwo", 2, b"one\r\nTWO"),
        (b"caf\xe9\ntwo\n\xff\n", 2, b"caf\xe9\nTWO\n\xff\n"),
    ],
    ids=["crlf", "no final newline", "both", "latin-1"],
)
def test_case_18_the_difference_is_exactly_the_lines(lab: Lab, content: bytes, line: int, expected: bytes) -> None:
    lab.workspace.commit("text", **{"notes.txt": content})
    lab.workspace.git("push", "--quiet")
    pull = lab.open()
    suggest(lab, pull, line, "TWO", path="notes.txt", hunk=f"@@ -0,0 +1,{line} @@\n+one\n+two")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    there = lab.workspace.root / "notes.txt"
    assert there.read_bytes() == expected
    assert lab.workspace.git("status", "--porcelain") == ""
    assert len(commits(lab)) == 1


def test_case_19_a_suggestion_of_somebody_without_the_right_to_write_is_not_applied(lab: Lab) -> None:
    pull = lab.open()
    pull.inline(lab.forge.user("guest"), "app.py", 6, "```suggestion\n    return n + n\n```")
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert nothing_happened(lab, pull)
    assert "untrusted: guest" in lab.pr("feedback", str(pull.number), "--all").out
    assert said_by(pull, "guest")
