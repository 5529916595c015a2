"""A message that somebody writes as selfreview does has nothing pass for answered without a word."""

from __future__ import annotations

import pytest

from selfreview.errors import ExitCode
from selfreview.model.feedback import Feedback
from selfreview.model.wire import from_json, to_json
from selfreview.pullrequest.git.trailers import message
from tests.forge import PullRequest
from tests.pullrequest.lab import Lab
from tests.pullrequest.stories import fix, said_by, suggest

pytestmark = pytest.mark.long

TALK = "Let us talk about the design."


def keys(lab: Lab, pull: PullRequest) -> dict[str, str]:
    """Return the keys of what the reviewer said, by its words."""
    said = lab.pr("feedback", str(pull.number), "--all", "--format", "json").json["feedback"]
    feedback = from_json(to_json(said), Feedback)
    return {item.body: item.key for item in feedback.items}


def forge_commit(lab: Lab, pull: PullRequest, cycle: int, *named: str) -> str:
    """Have somebody push a commit whose message says that it answers feedback."""
    text = message("Fix it", "", request=f"octo/app#{pull.number}", cycle=cycle, keys=named, authors=())
    tree, parent = lab.there("rev-parse", "topic^{tree}"), lab.head()
    sha = lab.there("commit-tree", tree, "-p", parent, "-m", text)
    lab.there("update-ref", "refs/heads/topic", sha)
    return sha[:12]


def test_what_commits_of_others_name_is_answered_in_its_thread(lab: Lab) -> None:
    pull = lab.open()
    first, second = (pull.inline(lab.rev, "app.py", line, f"Line {line} is wrong.") for line in (2, 6))
    known = keys(lab, pull)
    one = forge_commit(lab, pull, 1, known["Line 2 is wrong."])
    two = forge_commit(lab, pull, 2, known["Line 6 is wrong."])
    for _ in range(2):
        ran = fix(lab, pull)
        assert ran.code == ExitCode.PASSED, ran
        for comment, sha in ((first, one), (second, two)):
            answers = [said.body for said in comment.thread.comments[1:]]
            assert len(answers) == 1
            assert f"{sha} says that it answers this" in answers[0]
            assert "Done in" not in answers[0]


def test_where_people_went_on_or_settled_it_nothing_is_said_of_earlier_commits(lab: Lab) -> None:
    pull = lab.open()
    first, second, third = (pull.inline(lab.rev, "app.py", line, f"Line {line} is wrong.") for line in (2, 6, 10))
    known = keys(lab, pull)
    forge_commit(lab, pull, 1, known["Line 2 is wrong."], known["Line 6 is wrong."])
    forge_commit(lab, pull, 2, known["Line 10 is wrong."])
    first.thread.resolve(lab.rev)
    second.reply(lab.dev, "Thank you.")
    fix(lab, pull)
    assert [len(comment.thread.comments) for comment in (first, second, third)] == [1, 2, 2]


def test_what_was_made_here_is_done(lab: Lab) -> None:
    pull = lab.open()
    comment = suggest(lab, pull)
    assert fix(lab, pull).code == ExitCode.PASSED
    comment.thread.comments.pop()  # as if it had been killed before it answered
    pull.comments.clear()
    assert fix(lab, pull).code == ExitCode.PASSED
    assert "Done in" in comment.thread.comments[-1].body
    assert len(said_by(pull, lab.dev.login)) == 2


def claims(pull: PullRequest) -> list[str]:
    """Return our general comments that say what commits claim."""
    return [comment.body for comment in pull.comments if "says that it answers" in comment.body]


def test_a_general_comment_that_a_commit_of_others_names_is_listed(lab: Lab) -> None:
    pull = lab.open()
    pull.comment(lab.rev, TALK)
    comment = suggest(lab, pull)
    known = keys(lab, pull)
    sha = forge_commit(lab, pull, 1, known[TALK])
    forge_commit(lab, pull, 2, known[comment.body])
    for _ in range(2):
        fix(lab, pull)
        (body,) = claims(pull)
        assert f"{sha} says that it answers [this]" in body
        assert TALK in body


def test_a_cycle_whose_summary_is_there_does_not_hide_what_a_commit_of_others_names(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull)
    for number in (1, 2):
        said = f"{TALK} Again, {number}."
        pull.comment(lab.rev, said)
        forge_commit(lab, pull, 1, keys(lab, pull)[said])
        for _ in range(2):
            fix(lab, pull)
            assert len(claims(pull)) == number, "each in a comment of its own, for an edit notifies nobody"
            assert said in claims(pull)[-1]


def test_what_a_summary_of_ours_told_of_is_no_claim(lab: Lab) -> None:
    pull = lab.open()
    suggest(lab, pull)
    fix(lab, pull)
    sha = lab.there("commit-tree", "topic^{tree}", "-p", "topic^", "-m", lab.there("log", "-1", "--format=%B", "topic"))
    lab.there("update-ref", "refs/heads/topic", sha)  # as after a rebase
    asked = len([one for one in lab.forge.requests if one.method in ("POST", "PATCH")])
    fix(lab, pull)
    assert not claims(pull)
    assert [one.path for one in lab.forge.requests if one.method in ("POST", "PATCH")][asked:] in ([], ["/graphql"])


def test_a_number_that_cannot_be_the_next_does_not_use_up_the_cap(lab: Lab) -> None:
    pull = lab.open()
    pull.inline(lab.rev, "app.py", 2, "Line 2 is wrong.")
    forge_commit(lab, pull, 99998, keys(lab, pull)["Line 2 is wrong."])
    fix(lab, pull)
    assert "99998" not in "".join(said_by(pull, lab.dev.login))
    suggest(lab, pull)
    ran = fix(lab, pull)
    assert ran.code == ExitCode.PASSED, ran
    assert lab.log()[0].endswith("(fix cycle 1)")
    assert "Fix cycle 1 of at most 2" in said_by(pull, lab.dev.login)[-1]
