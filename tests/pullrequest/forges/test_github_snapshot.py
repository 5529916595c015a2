"""The snapshot: all that is said, as it was said, in the order in which it was said."""

from __future__ import annotations

import random
from typing import Any

import pytest

from selfreview.api import CheckState, ItemKind, Opinion, Permission, Person, RequestState
from selfreview.errors import BusyError, ForgeError, NotFoundError, RefusedError
from selfreview.model.feedback import hidden, mark_of
from selfreview.pullrequest.forges.github.documents import (
    CheckRun,
    Inline,
    Pull,
    Review,
    Status,
    change_request,
    graph_login,
    permission_of,
    read,
)
from selfreview.pullrequest.forges.github.snapshot import _reviews, joined, latest
from tests.pullrequest.forges.conftest import Octo
from tests.pullrequest.forges.scripted import TOKEN


def test_three_kinds_of_feedback_in_order(octo: Octo) -> None:
    pull = octo.pull
    first = pull.comment(octo.ann, "general")
    review = pull.review(octo.ann, "PENDING", "not good")
    line = pull.inline(octo.ann, "a.py", 3, "here", review=review)
    review.submit("CHANGES_REQUESTED")
    last = pull.comment(octo.me, "answer")
    found = octo.connection.feedback(pull.number)
    ids = [f"comment:{first.id}", f"inline:{line.id}", f"review:{review.id}", f"comment:{last.id}"]
    assert [item.id for item in found.items] == ids
    assert [item.kind for item in found.items] == ["comment", "inline", "review", "comment"]
    assert found.opinions == {"ann": Opinion.CHANGES_REQUESTED}
    inline = found.items[1]
    assert inline.review == f"review:{review.id}"
    assert (found.threads[0].id, found.threads[0].items) == (inline.thread, (inline.id,))
    assert found.problems == ()
    assert found.request.head_sha == pull.head_sha
    assert all(item.created.endswith("Z") and item.url for item in found.items)


def test_pending_reviews_and_empty_ones_are_no_items(octo: Octo) -> None:
    octo.pull.review(octo.me, "PENDING", "not yet")
    octo.pull.inline(octo.ann, "a.py", 3, "alone")  # comes with an empty review of its own
    octo.pull.review(octo.ann, "APPROVED")
    found = octo.connection.feedback(octo.pull.number)
    assert [(item.kind, item.opinion) for item in found.items] == [
        (ItemKind.INLINE, None),
        (ItemKind.REVIEW, Opinion.APPROVED),
    ]


def test_case_7_a_dismissed_review_is_no_opinion(octo: Octo) -> None:
    octo.pull.review(octo.ann, "APPROVED")
    octo.pull.review(octo.ann, "CHANGES_REQUESTED", "no").dismiss()
    assert octo.connection.feedback(octo.pull.number).opinions == {}


def test_case_8_a_comment_clears_no_opinion(octo: Octo) -> None:
    for state in ("CHANGES_REQUESTED", "APPROVED", "COMMENTED"):
        octo.pull.review(octo.ann, state, "words")
    assert octo.connection.feedback(octo.pull.number).opinions == {"ann": Opinion.APPROVED}


def test_case_6_an_edited_review_has_another_key(octo: Octo) -> None:
    review = octo.pull.review(octo.ann, "CHANGES_REQUESTED", "one")
    (before,) = octo.connection.feedback(octo.pull.number).items
    review.edit("two")
    (after,) = octo.connection.feedback(octo.pull.number).items
    assert before.id == after.id
    assert before.key != after.key


def test_a_review_without_a_time_stays_where_it_was(octo: Octo) -> None:
    times = ["2026-01-01T00:00:00Z", None, "2026-01-03T00:00:00Z"]
    reviews = [
        Review(id=number, state="APPROVED", submitted_at=time) for number, time in zip((9, 8, 7), times, strict=True)
    ]
    assert [(when[:10], item.id) for when, _, item in _reviews(reviews, ())] == [
        ("2026-01-01", "review:9"),
        ("2026-01-01", "review:8"),
        ("2026-01-03", "review:7"),
    ]


def test_case_12_an_outdated_comment_has_no_line_in_the_head(octo: Octo) -> None:
    comment = octo.pull.inline(octo.ann, "a.py", 9, "range", start_line=4, hunk="@@ -1 +1 @@\n+x")
    comment.thread.outdate()
    found = octo.connection.feedback(octo.pull.number)
    spot = found.items[0].spot
    assert spot is not None
    assert spot.outdated
    assert (spot.line, spot.start_line, spot.original_line, spot.original_start_line) == (None, None, 9, 4)
    assert spot.hunk == "@@ -1 +1 @@\n+x"
    assert spot.original_commit
    assert found.threads[0].outdated


def test_case_14_a_comment_on_the_old_side_or_on_the_file(octo: Octo) -> None:
    octo.pull.inline(octo.ann, "a.py", 9, "old", side="LEFT")
    octo.pull.inline(octo.ann, "a.py", None, "file")
    old, whole = (item.spot for item in octo.connection.feedback(octo.pull.number).items)
    assert old is not None
    assert whole is not None
    assert (old.old_side, old.whole_file, old.outdated) == (True, False, False)
    assert (whole.old_side, whole.whole_file, whole.outdated) == (False, True, False)


@pytest.mark.parametrize(
    "body",
    [
        "```suggestion\n```",
        "````suggestion\n```\nx\n```\n````",
        "~~~suggestion\r\na\r\n~~~",
        "  ```suggestion\nx\n```  \n",
    ],
)
def test_case_17_suggestions_arrive_as_they_were_written(octo: Octo, body: str) -> None:
    octo.pull.inline(octo.ann, "a.py", 9, body)
    assert octo.connection.feedback(octo.pull.number).items[0].body == body


def test_cases_10_and_11_threads_with_their_answers(octo: Octo) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    answer = top.reply(octo.me, "because")
    again = top.reply(octo.ann, "no")
    other = octo.pull.inline(octo.ann, "b.py", 1, "resolved")
    other.thread.resolve(octo.ann)
    threads = octo.connection.feedback(octo.pull.number).threads
    assert threads[0].items == tuple(f"inline:{one.id}" for one in (top, answer, again))
    assert [thread.id for thread in threads] == [top.thread.node_id, other.thread.node_id]
    assert [thread.resolved for thread in threads] == [False, True]


def test_a_thread_keeps_its_id_when_its_first_comment_goes(octo: Octo) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    reply = top.reply(octo.me, "because")
    before = octo.connection.feedback(octo.pull.number).threads
    top.delete()
    after = octo.connection.feedback(octo.pull.number).threads
    assert before[0].id == after[0].id
    assert after[0].items == (f"inline:{reply.id}",)


def test_more_than_a_page_of_everything(octo: Octo) -> None:
    long = octo.pull.inline(octo.ann, "a.py", 9, "long")
    for number in range(260):
        long.reply(octo.ann, f"more {number}")
    for number in range(130):
        octo.pull.inline(octo.ann, "b.py", number + 1, f"thread {number}")
        octo.pull.comment(octo.ann, f"comment {number}")
        octo.pull.review(octo.ann, "COMMENTED", f"review {number}")
    octo.pull.threads[-1].resolve(octo.me)
    found = octo.connection.feedback(octo.pull.number)
    assert found.problems == ()
    assert len(found.items) == 1 + 260 + 130 * 3
    assert len(found.threads) == 131
    assert len(found.threads[0].items) == 261
    assert [thread.resolved for thread in found.threads] == [False] * 130 + [True]
    assert [item.created for item in found.items] == sorted(item.created for item in found.items)


def test_case_59_without_graphql_there_is_a_snapshot_that_says_what_it_lacks(octo: Octo) -> None:
    top = octo.pull.inline(octo.ann, "a.py", 9, "why?")
    reply = top.reply(octo.me, "because")
    octo.forge.fail("POST", "/graphql", times=None)
    found = octo.connection.feedback(octo.pull.number)
    assert [item.thread for item in found.items] == [f"inline:{top.id}"] * 2
    assert found.threads[0].items == (f"inline:{top.id}", f"inline:{reply.id}")
    (problem,) = found.problems
    assert problem.startswith("Which threads are resolved, and what is hidden, could not be read")


def test_general_comments_alone_need_no_graphql(octo: Octo) -> None:
    octo.pull.comment(octo.ann, "general")
    octo.connection.feedback(octo.pull.number)
    assert not [said for said in octo.said if "graphql" in said]


def test_bots_deleted_accounts_and_hidden_comments(octo: Octo) -> None:
    bot, gone = octo.forge.user("lint[bot]"), octo.forge.user("gone")
    octo.pull.comment(bot, "beep")
    octo.pull.comment(gone, "bye")
    octo.pull.inline(octo.ann, "a.py", 1, "hide me").minimize()
    octo.pull.comment(octo.ann, "hide me too").minimize()
    octo.pull.review(octo.ann, "CHANGES_REQUESTED", "and me").minimize()
    octo.pull.review(octo.ann, "COMMENTED", "but not me")
    gone.delete()
    beep, bye, inline, general, hidden_review, shown_review = octo.connection.feedback(octo.pull.number).items
    assert beep.author == Person(login="lint[bot]", id=str(bot.id), is_bot=True)
    assert bye.author is None
    assert (beep.hidden, inline.hidden, general.hidden) == (False, True, True)
    assert (hidden_review.hidden, shown_review.hidden) == (True, False)


def test_bots_of_graphql_are_written_as_those_of_rest() -> None:
    assert graph_login("lint", "Bot") == graph_login("lint[bot]", "Bot") == "lint[bot]"
    assert graph_login("ann", "User") == "ann"


@pytest.mark.parametrize("body", ["a\0b", "lone \ud83d half", "\u202eabc\u2066", "x" * 65_536, "\r\n\r\n", "😀" * 1000])
def test_case_61_bodies_survive(octo: Octo, body: str) -> None:
    octo.pull.comment(octo.ann, body)
    octo.pull.inline(octo.ann, "a.py", 1, body)
    items = octo.connection.feedback(octo.pull.number).items
    assert [item.body for item in items] == [body, body]
    assert all(item.digest for item in items)


def test_case_46_our_marks_can_be_counted_on_the_forge(octo: Octo) -> None:
    octo.connection.comment(octo.pull.number, "summary=1", "cycle 1")
    octo.connection.comment(octo.pull.number, "summary=2", "cycle 2")
    octo.pull.comment(octo.ann, hidden("summary=3"))
    me = octo.connection.whoami()
    own = [item for item in octo.connection.feedback(octo.pull.number).items if item.author == me]
    assert [mark_of(item.body) for item in own] == ["summary=1", "summary=2"]


def test_case_1_a_comment_that_was_deleted_is_gone(octo: Octo) -> None:
    comment = octo.pull.comment(octo.ann, "oops")
    assert octo.connection.feedback(octo.pull.number).items
    comment.delete()
    assert octo.connection.feedback(octo.pull.number).items == ()


def test_reading_again_costs_nothing(octo: Octo) -> None:
    octo.pull.comment(octo.ann, "general")
    octo.connection.feedback(octo.pull.number)
    used = octo.forge.limits.of(octo.me, "core").used
    octo.connection.feedback(octo.pull.number)
    assert octo.forge.limits.of(octo.me, "core").used == used


def test_case_57_an_exhausted_limit_lasts_until_the_forge_says(octo: Octo) -> None:
    octo.forge.limits.exhaust(octo.me)
    with pytest.raises(BusyError) as caught:
        octo.connection.feedback(octo.pull.number)
    assert 0 < caught.value.wait_s <= 3602


# --- checks ----------------------------------------------------------------------------------------------------------


def test_checks_of_the_head(octo: Octo) -> None:
    sha = octo.pull.head_sha
    octo.repository.check("tests", "failure", sha)
    octo.repository.check("tests", "success", sha)
    octo.repository.check("lint", "failure", sha)
    octo.repository.check("slow", None, sha)
    octo.repository.status("old/ci", "pending", sha)
    octo.repository.status("old/ci", "error", sha, "broke")
    octo.repository.check("of another commit", "failure", "b" * 40)
    checks = octo.connection.feedback(octo.pull.number).checks
    assert {check.name: check.state for check in checks} == {
        "tests": CheckState.PASSING,
        "lint": CheckState.FAILING,
        "slow": CheckState.PENDING,
        "old/ci": CheckState.FAILING,
    }
    assert all(check.sha == sha for check in checks)
    assert len({check.id for check in checks}) == 4


def test_no_checks_are_none(octo: Octo) -> None:
    assert octo.connection.feedback(octo.pull.number).checks == ()


@pytest.mark.parametrize("status", [403, 404])
def test_checks_that_may_not_be_read_are_told_and_no_problem(octo: Octo, status: int) -> None:
    octo.forge.fail("GET", "*/check-runs*", status=status, message="Resource not accessible by personal access token")
    octo.repository.status("ci", "success", octo.pull.head_sha)
    found = octo.connection.feedback(octo.pull.number)
    assert [check.name for check in found.checks] == ["ci"]
    assert found.problems == ()
    assert found.not_shown == ("The checks are not shown: the token needs the right `checks: read`.",)


def test_checks_that_the_forge_fails_to_read_are_an_error(octo: Octo) -> None:
    octo.forge.fail("GET", "*/check-runs*", status=500, times=None)
    with pytest.raises(ForgeError):
        octo.connection.feedback(octo.pull.number)


@pytest.mark.parametrize(
    ("conclusion", "state"),
    [
        ("success", "passing"),
        ("neutral", "neutral"),
        ("skipped", "neutral"),
        ("stale", "neutral"),
        ("failure", "failing"),
        ("timed_out", "failing"),
        ("action_required", "failing"),
        ("startup_failure", "failing"),
        ("cancelled", "failing"),
        ("something new", "failing"),
        (None, "pending"),
    ],
)
def test_each_conclusion(conclusion: str | None, state: str) -> None:
    run = CheckRun(id=1, name="x", status="completed", conclusion=conclusion, head_sha="s")
    assert latest([run], [], "s")[0].state == state


def test_the_latest_attempt_of_each_app_counts() -> None:
    runs: list[Any] = [
        {"id": number, "name": "test", "status": "completed", "conclusion": what, "head_sha": "s", "app": {"id": app}}
        for number, what, app in [(1, "failure", 1), (2, "success", 1), (3, "failure", 2)]
    ]
    runs.append({"id": 4, "name": "test", "status": "queued", "head_sha": "another", "app": {"id": 1}})
    statuses = [Status(id=2, context="c", state="SUCCESS"), Status(id=1, context="c", state="failure")]
    random.Random(1).shuffle(runs)
    found = latest(read(runs, list[CheckRun]), statuses, "s")
    assert [(one.id, one.state) for one in found] == [
        ("check:status-2", "passing"),
        ("check:2", "passing"),
        ("check:3", "failing"),
    ]


# --- pull requests ---------------------------------------------------------------------------------------------------


def test_a_pull_request(octo: Octo) -> None:
    octo.pull.label("bug")
    octo.pull.request_review(octo.ann)
    found = octo.connection.request(octo.pull.number)
    assert (found.number, found.head, found.base, found.state) == (octo.pull.number, "feature", "main", "open")
    assert (found.same_repository, found.may_push, found.head_repository) == (True, True, "octo/app")
    assert (found.labels, found.requested) == (("bug",), ("ann",))
    assert found.author == octo.connection.whoami()
    with pytest.raises(NotFoundError):
        octo.connection.request(999)


def test_where_a_pull_request_stands(octo: Octo) -> None:
    octo.pull.close()
    assert octo.connection.request(octo.pull.number).state is RequestState.CLOSED
    octo.pull.reopen()
    assert octo.connection.request(octo.pull.number).state is RequestState.OPEN
    octo.pull.merge()
    assert octo.connection.request(octo.pull.number).state is RequestState.MERGED


@pytest.mark.parametrize(
    ("kind", "ticked", "expected"),
    [("User", True, True), ("User", False, False), ("Organization", True, False), ("User", None, False)],
)
def test_case_31_whether_a_fork_takes_pushes(kind: str, ticked: bool | None, expected: bool) -> None:
    head = {"id": 2, "full_name": "her/app", "owner": {"login": "her", "type": kind}}
    base = {"id": 1, "full_name": "octo/app"}
    pull = {
        "number": 1,
        "state": "open",
        "head": {"ref": "f", "sha": "s", "repo": head},
        "base": {"ref": "main", "sha": "t", "repo": base},
        "maintainer_can_modify": ticked,
    }
    request = change_request(read(pull, Pull))
    assert (request.may_push, request.same_repository, request.author) == (expected, False, None)


def test_a_deleted_fork_takes_nothing() -> None:
    side = {"ref": "f", "sha": "s", "repo": None}
    request = change_request(read({"number": 1, "state": "open", "head": side, "base": side}, Pull))
    assert (request.may_push, request.same_repository, request.head_repository) == (False, False, None)


def test_the_pull_request_of_a_branch(octo: Octo) -> None:
    assert octo.connection.find("nothing") is None
    found = octo.connection.find("feature")
    assert found is not None
    assert found.number == octo.pull.number
    second = octo.repository.pull("feature", author=octo.me, base="other")
    assert octo.connection.find("feature", second.head_sha) is not None
    octo.pull.close()
    second.close()
    assert octo.connection.find("feature") is None


def test_a_branch_of_a_fork_is_not_the_repositorys_of_the_same_name(octo: Octo) -> None:
    fork = octo.forge.repository("octo/fork", parent=octo.repository)
    octo.repository.pull("topic", author=octo.ann, fork=fork)
    assert octo.connection.find("topic") is None


def test_all_open_ones(octo: Octo) -> None:
    for number in range(104):
        octo.repository.pull(f"b{number}", author=octo.me)
    octo.pull.comment(octo.ann, "news")
    found = octo.connection.all_open()
    assert len(found) == len({one.number for one in found}) == 105
    assert found[0].number == octo.pull.number


@pytest.mark.parametrize("given", list(Permission))
def test_what_somebody_may_do(octo: Octo, given: Permission) -> None:
    octo.repository.allow(octo.forge.user("bob"), given.value)
    # Everybody may read what is public.
    expected = Permission.READ if given is Permission.NONE else given
    assert octo.connection.permission("bob") in (given, expected)


def test_roles_that_are_not_known_allow_nothing() -> None:
    roles = ("admin", "maintain", "write", "triage", "read", "none", "emperor", None)
    found = [permission_of({"permission": role}) for role in roles]
    assert found == ["admin", "write", "write", "read", "read", "none", "none", "none"]
    assert permission_of([]) is Permission.NONE


@pytest.mark.parametrize("login", ["stranger", "lint[bot]", "../../user", "a/b", "a?b", "ä"])
def test_who_is_not_known_may_do_nothing(octo: Octo, login: str) -> None:
    octo.forge.repository("octo/secret", private=True)
    found = octo.connection.permission(login)
    assert found in (Permission.NONE, Permission.READ)
    assert not found.may_write


def test_a_token_that_may_not_ask_is_refused(octo: Octo) -> None:
    octo.forge.fail("GET", "*/permission", status=403, message="Must have push access to view collaborator permission.")
    with pytest.raises(RefusedError, match="push access"):
        octo.connection.permission("ann")


def test_whose_token_it_is_where_it_is_an_apps(octo: Octo) -> None:
    octo.forge.fail("GET", "/user", status=403, message="Resource not accessible by integration")
    assert octo.connection.whoami().login == "me"
    assert octo.connection.whoami().id == str(octo.me.id)


def test_a_revoked_token_is_told(octo: Octo) -> None:
    octo.forge.revoke(TOKEN)
    with pytest.raises(ForgeError, match="does not accept the token"):
        octo.connection.request(octo.pull.number)


def test_a_renamed_repository_is_followed(octo: Octo) -> None:
    octo.repository.rename("renamed")
    assert octo.connection.request(octo.pull.number).number == octo.pull.number
    octo.connection.comment(octo.pull.number, "m", "one")
    assert len(octo.pull.comments) == 1
    assert octo.connection.find("feature") is not None
    octo.pull.inline(octo.ann, "a.py", 1, "x")
    assert octo.connection.feedback(octo.pull.number).problems == ()


def test_comments_without_graphql_make_threads_by_their_first() -> None:
    def one(number: int, top: int | None) -> Inline:
        return Inline(id=number, path="a", in_reply_to_id=top, line=1)

    threads, of = joined(None, [one(5, 3), one(3, None), one(4, None), one(9, 8)])
    assert [(thread.id, thread.items) for thread in threads] == [
        ("inline:3", ("inline:3", "inline:5")),
        ("inline:4", ("inline:4",)),
        ("inline:8", ("inline:9",)),
    ]
    assert of == {3: "inline:3", 5: "inline:3", 4: "inline:4", 9: "inline:8"}
