"""What is written on GitHub is written once, whatever happens on the way."""

from __future__ import annotations

import pytest

from selfreview.errors import BusyError, ForgeError, RefusedError, UnsureError
from selfreview.model.feedback import hidden, mark_of
from tests.pullrequest.forges.conftest import Octo

MARK = "op=summary/octo/app@5"
COMMENTS = "/repos/octo/app/issues/*/comments"


def test_a_mark_is_hidden_and_found_again() -> None:
    assert mark_of(f"{hidden(MARK)}\ntext") == MARK
    assert mark_of(f"> {hidden(MARK)}\ntext") is None
    assert mark_of(f"text {hidden(MARK)}") is None


def test_a_comment_is_written_then_edited(octo: Octo) -> None:
    first = octo.connection.comment(octo.pull.number, MARK, "one")
    second = octo.connection.comment(octo.pull.number, MARK, "two")
    assert (first.created, second.created, first.id) == (True, False, second.id)
    (comment,) = octo.pull.comments
    assert comment.body == f"{hidden(MARK)}\ntwo"
    assert first.id == f"comment:{comment.id}"
    assert first.url


def test_a_comment_that_says_it_already_is_left_alone(octo: Octo) -> None:
    octo.connection.comment(octo.pull.number, MARK, "one")
    assert octo.said
    octo.connection.comment(octo.pull.number, MARK, "one")
    assert all(said.startswith("GET ") for said in octo.said)


def test_case_55_a_comment_with_our_mark_by_somebody_else_is_not_ours(octo: Octo) -> None:
    theirs = octo.pull.comment(octo.ann, f"{hidden(MARK)}\ncopied")
    quoted = octo.pull.comment(octo.me, f"> {hidden(MARK)}\n\nI quote")
    octo.connection.comment(octo.pull.number, MARK, "one")
    assert len(octo.pull.comments) == 3
    assert theirs.body.endswith("copied")
    assert quoted.body.endswith("I quote")


def test_another_mark_is_another_comment(octo: Octo) -> None:
    octo.connection.comment(octo.pull.number, "a=1", "one")
    octo.connection.comment(octo.pull.number, "a=10", "two")
    assert len(octo.pull.comments) == 2


@pytest.mark.parametrize("status", [403, 404])
def test_a_comment_that_cannot_be_edited_is_written_anew_and_that_one_is_edited(octo: Octo, status: int) -> None:
    octo.connection.comment(octo.pull.number, MARK, "one")
    old = octo.pull.comments[0]
    octo.forge.fail("PATCH", f"*/issues/comments/{old.id}", status=status, message="no", times=None)
    again = octo.connection.comment(octo.pull.number, MARK, "two")
    assert again.created
    assert len(octo.pull.comments) == 2
    assert octo.said
    third = octo.connection.comment(octo.pull.number, MARK, "three")
    assert third.id == again.id
    assert [one.body.rpartition("\n")[2] for one in octo.pull.comments] == ["one", "three"]
    new = again.id.partition(":")[2]
    assert [said for said in octo.said if said.startswith("PATCH")] == [f"PATCH /repos/octo/app/issues/comments/{new}"]


@pytest.mark.parametrize("fault", ["502", "reset"])
@pytest.mark.parametrize("after", [True, False])
def test_cases_45_and_58_a_comment_whose_answer_is_lost_is_written_once(octo: Octo, fault: str, after: bool) -> None:
    if fault == "502":
        octo.forge.fail("POST", COMMENTS, after_effect=after)
    else:
        octo.forge.reset("POST", COMMENTS, after_effect=after)
    marked = octo.connection.comment(octo.pull.number, MARK, "one")
    assert len(octo.pull.comments) == 1
    assert marked.id == f"comment:{octo.pull.comments[0].id}"
    assert marked.created
    assert sum(said.startswith("POST") for said in octo.said) == (1 if after else 2)
    assert octo.clock.slept


@pytest.mark.parametrize("after", [True, False])
def test_case_58_an_edit_whose_answer_is_lost(octo: Octo, after: bool) -> None:
    octo.connection.comment(octo.pull.number, MARK, "one")
    octo.forge.fail("PATCH", "*", after_effect=after)
    marked = octo.connection.comment(octo.pull.number, MARK, "two")
    assert [one.body.rpartition("\n")[2] for one in octo.pull.comments] == ["two"]
    assert not marked.created
    assert sum(said.startswith("PATCH") for said in octo.said) == (1 if after else 2)


def test_case_58_what_stays_unknown_is_said_to_be(octo: Octo) -> None:
    octo.forge.fail("POST", COMMENTS, times=None)
    with pytest.raises(UnsureError):
        octo.connection.comment(octo.pull.number, MARK, "one")
    assert octo.pull.comments == []


def test_case_45_killed_after_the_post_and_started_again(octo: Octo) -> None:
    octo.pull.comment(octo.me, f"{hidden(MARK)}\none")
    assert not octo.connection.comment(octo.pull.number, MARK, "one").created
    assert len(octo.pull.comments) == 1


def test_case_61_a_comment_is_cut_before_the_limit(octo: Octo) -> None:
    octo.connection.comment(octo.pull.number, MARK, "```\n" + "😀x" * 40_000)
    (comment,) = octo.pull.comments
    assert len(comment.body) <= 65_000
    assert mark_of(comment.body) == MARK
    assert "\n```\n" in comment.body[-200:]
    octo.connection.comment(octo.pull.number, "other", "a\0b\ud800c")
    assert octo.pull.comments[1].body.endswith("a\ufffdb\ufffdc")


def test_one_comment_among_many_pages_is_found(octo: Octo) -> None:
    octo.connection.comment(octo.pull.number, MARK, "one")
    for number in range(230):
        octo.pull.comment(octo.ann, f"noise {number}")
    assert not octo.connection.comment(octo.pull.number, MARK, "two").created


@pytest.mark.parametrize("status", [403, 422, 429])
def test_case_57_a_limit_at_a_post_is_told_and_the_post_was_not_done(octo: Octo, status: int) -> None:
    octo.forge.limit("POST", COMMENTS, status=status)
    with pytest.raises(BusyError) as caught:
        octo.connection.comment(octo.pull.number, MARK, "one")
    assert caught.value.wait_s == 60
    assert octo.pull.comments == []
    octo.clock.time += 61
    octo.connection.comment(octo.pull.number, MARK, "one")
    assert len(octo.pull.comments) == 1


def test_case_57_what_is_asked_too_quickly_is_not_taken_for_a_reviewer_who_cannot_be_asked(octo: Octo) -> None:
    octo.forge.limit("POST", "*/requested_reviewers", status=422)
    with pytest.raises(BusyError):
        octo.connection.request_reviews(octo.pull.number, ["ann"])
    octo.clock.time += 61
    assert octo.connection.request_reviews(octo.pull.number, ["ann"]) == []
    assert octo.pull.requested == [octo.ann]


def test_a_token_without_the_right_is_told_which(octo: Octo) -> None:
    octo.forge.token("poor", octo.me, lacks={"pull_requests"})
    octo.forge.fail("POST", COMMENTS, status=403, message="Resource not accessible by personal access token")
    with pytest.raises(RefusedError) as caught:
        octo.connection.comment(octo.pull.number, MARK, "one")
    assert "pull requests: write" in (caught.value.hint or "")


# --- reviews, labels, new pull requests ------------------------------------------------------------------------------


def test_reviews_are_asked_for_in_one_request(octo: Octo) -> None:
    bob = octo.repository.allow(octo.forge.user("bob"), "write")
    assert octo.connection.request_reviews(octo.pull.number, ["ann", "bob", "ann"]) == []
    assert octo.pull.requested == [octo.ann, bob]
    assert len(octo.said) == 1


def test_one_who_cannot_be_asked_does_not_cost_the_others(octo: Octo) -> None:
    assert octo.connection.request_reviews(octo.pull.number, ["me", "ann", "nobody"]) == ["me", "nobody"]
    assert octo.pull.requested == [octo.ann]
    assert octo.connection.request_reviews(octo.pull.number, ["nobody"]) == ["nobody"]
    assert octo.connection.request_reviews(octo.pull.number, []) == []


def test_a_reviewer_who_answered_is_asked_again(octo: Octo) -> None:
    octo.connection.request_reviews(octo.pull.number, ["ann"])
    octo.pull.review(octo.ann, "CHANGES_REQUESTED", "no")
    assert octo.pull.requested == []
    octo.forge.fail("POST", "*/requested_reviewers", after_effect=True)
    assert octo.connection.request_reviews(octo.pull.number, ["ann"]) == []
    assert octo.pull.requested == [octo.ann]


def test_a_request_that_is_refused_is_an_error(octo: Octo) -> None:
    octo.forge.fail("POST", "*/requested_reviewers", status=403, message="no")
    with pytest.raises(RefusedError):
        octo.connection.request_reviews(octo.pull.number, ["ann"])


def test_labels_are_put_on_and_taken_off(octo: Octo) -> None:
    name = "needs human / now"
    octo.connection.add_label(octo.pull.number, name)
    octo.connection.add_label(octo.pull.number, name)
    assert [label.name for label in octo.pull.labels] == [name]
    octo.connection.remove_label(octo.pull.number, name)
    octo.connection.remove_label(octo.pull.number, name)
    assert octo.pull.labels == []
    changes = octo.connection.label_changes(octo.pull.number)
    assert [(one.name, one.added) for one in changes] == [(name, True), (name, False)]
    assert [one.by for one in changes] == [octo.connection.whoami()] * 2
    assert changes[0].at < changes[1].at


def test_a_label_that_the_repository_has_not_is_made(octo: Octo) -> None:
    octo.forge.fail("POST", "*/issues/*/labels", status=422, message="Validation Failed")
    octo.connection.add_label(octo.pull.number, "ready-for-review")
    assert [label.name for label in octo.pull.labels] == ["ready-for-review"]


def test_a_pull_request_is_opened(octo: Octo) -> None:
    octo.repository.set_sha("topic", "a" * 40)
    made = octo.connection.create(head="topic", base="main", title="A\nB", body="c", draft=True)
    assert (made.head, made.base, made.title, made.draft, made.same_repository) == ("topic", "main", "A B", True, True)
    assert octo.connection.request(made.number) == made
    with pytest.raises(ForgeError, match="already exists"):
        octo.connection.create(head="topic", base="main", title="A", body="c", draft=True)


@pytest.mark.parametrize("after", [True, False])
def test_case_58_a_pull_request_whose_answer_is_lost_is_opened_once(octo: Octo, after: bool) -> None:
    octo.repository.set_sha("topic", "a" * 40)
    octo.forge.fail("POST", "/repos/octo/app/pulls", after_effect=after)
    made = octo.connection.create(head="topic", base="main", title="A", body="c", draft=False)
    assert [one.number for one in octo.connection.all_open() if one.head == "topic"] == [made.number]


def test_somebody_elses_pull_request_is_not_taken_for_ours(octo: Octo) -> None:
    octo.repository.pull("topic", author=octo.ann, title="theirs")
    octo.forge.fail("POST", "/repos/octo/app/pulls")
    with pytest.raises(ForgeError, match="already"):
        octo.connection.create(head="topic", base="main", title="A", body="c", draft=False)


def test_the_default_branch(octo: Octo) -> None:
    assert octo.connection.default_branch() == "main"
