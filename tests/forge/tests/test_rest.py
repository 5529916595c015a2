"""The forge's REST, as a client sees it."""

from __future__ import annotations

import pytest


def test_a_review_an_inline_comment_and_a_general_comment_are_read_where_each_of_them_lives(scene):
    review = scene.pull.review(scene.bob, "CHANGES_REQUESTED", "No.")
    inline = scene.pull.inline(scene.bob, "a.py", 4, "Why?", start_line=2, review=review)
    general = scene.pull.comment(scene.eve, "Hello.")
    assert [(one["id"], one["state"], one["body"]) for one in scene.get("pulls/1/reviews")] == [
        (review.id, "CHANGES_REQUESTED", "No.")
    ]
    told = scene.get("pulls/1/comments")
    assert [(one["id"], one["pull_request_review_id"]) for one in told] == [(inline.id, review.id)]
    assert (told[0]["start_line"], told[0]["line"], told[0]["side"]) == (2, 4, "RIGHT")
    assert [(one["id"], one["user"]["login"]) for one in scene.get("issues/1/comments")] == [(general.id, "eve")]


def test_an_answer_goes_to_the_top_of_its_thread_only_and_brings_an_empty_review(scene):
    top = scene.pull.inline(scene.bob, "a.py", 4, "Why?")
    first = scene.ask("POST", f"pulls/1/comments/{top.id}/replies", json={"body": "Because."})
    assert first.status_code == 201
    assert first.json()["in_reply_to_id"] == top.id
    assert [one["body"] for one in scene.get("pulls/1/reviews")] == ["", ""]
    again = scene.ask("POST", f"pulls/1/comments/{first.json()['id']}/replies", json={"body": "And?"})
    assert again.status_code == 404
    assert len(top.thread.comments) == 2


def test_who_reviews_is_not_asked_any_more_and_can_be_asked_again(scene):
    ask = {"json": {"reviewers": ["bob"]}}
    assert scene.ask("POST", "pulls/1/requested_reviewers", **ask).status_code == 201
    assert [one["login"] for one in scene.get("pulls/1")["requested_reviewers"]] == ["bob"]
    scene.pull.review(scene.bob, "CHANGES_REQUESTED", "No.")
    assert scene.get("pulls/1")["requested_reviewers"] == []
    assert scene.ask("POST", "pulls/1/requested_reviewers", **ask).status_code == 201
    assert scene.pull.requested == [scene.bob]


@pytest.mark.parametrize("login", ["ann", "eve", "nobody"])
def test_one_who_cannot_be_asked_loses_the_others(scene, login):
    answer = scene.ask("POST", "pulls/1/requested_reviewers", json={"reviewers": ["bob", login]})
    assert answer.status_code == 422
    assert scene.pull.requested == []


def test_a_pull_request_is_opened_once_for_a_head(scene):
    scene.repository.sha("other")
    body = {"title": "t", "head": "other", "base": "main", "draft": True}
    made = scene.ask("POST", "pulls", json=body)
    assert (made.status_code, made.json()["draft"]) == (201, True)
    again = scene.ask("POST", "pulls", json=body)
    assert again.status_code == 422
    assert again.json()["errors"][0]["message"] == "A pull request already exists for octo:other."
    gone = scene.ask("POST", "pulls", json={**body, "head": "nowhere"})
    assert gone.json()["errors"][0]["field"] == "head"


def test_labels_are_made_when_they_are_put_on_and_absent_ones_are_not_found(scene):
    assert scene.ask("DELETE", "issues/1/labels/ready").status_code == 404
    added = scene.ask("POST", "issues/1/labels", json={"labels": ["ready for review"]})
    assert [one["name"] for one in added.json()] == ["ready for review"]
    assert scene.ask("POST", "labels", json={"name": "Ready For Review"}).status_code == 422
    assert scene.ask("DELETE", "issues/1/labels/ready%20for%20review").json() == []


def test_lists_have_pages_that_lead_to_one_another(scene):
    for number in range(5):
        scene.pull.comment(scene.bob, str(number))
    seen, where, ways = [], "issues/1/comments?per_page=2", []
    while where:
        answer = scene.ask("GET", where)
        seen += [one["body"] for one in answer.json()]
        where = answer.links.get("next", {}).get("url")
        ways.append(sorted(answer.links))
    assert seen == list("01234")
    assert ways == [["last", "next"], ["first", "last", "next", "prev"], ["first", "prev"]]


def test_a_bad_token_a_missing_right_and_what_is_hidden_are_told_apart(scene):
    assert scene.ask("GET", "pulls/1", token="no").status_code == 401
    assert scene.ask("GET", "pulls/1", token=None).status_code == 200
    assert scene.ask("POST", "issues/1/comments", token=None, json={"body": "x"}).status_code == 401
    assert scene.ask("POST", "issues/1/labels", token="t2", json={"labels": ["x"]}).status_code == 403
    assert scene.ask("POST", "issues/1/comments", token="t2", json={"body": "x"}).status_code == 201
    scene.repository.private = True
    assert scene.ask("GET", "pulls/1", token="t2").status_code == 404
    assert scene.get("collaborators/bob/permission")["permission"] == "write"
    assert scene.get("collaborators/eve/permission")["permission"] == "none"
    assert scene.ask("GET", "collaborators/nobody/permission").status_code == 404


def test_a_renamed_repository_is_led_to_and_an_archived_one_refuses_to_be_changed(scene):
    scene.repository.rename("new")
    answer = scene.ask("GET", "pulls/1")
    assert answer.status_code == 301
    assert scene.get(answer.headers["location"])["base"]["repo"]["full_name"] == "octo/new"
    scene.repository.archived = True
    assert scene.ask("POST", "/repos/octo/new/issues/1/comments", json={"body": "x"}).status_code == 403


def test_bodies_have_a_limit_and_keep_what_is_strange(scene):
    strange = "a\x00b\ud800é"
    made = scene.ask("POST", "issues/1/comments", content=b'{"body": "a\\u0000b\\ud800\\u00e9"}')
    assert made.json()["body"] == strange
    assert scene.ask("POST", "issues/1/comments", json={"body": "x" * 65_536}).status_code == 201
    assert scene.ask("POST", "issues/1/comments", json={"body": "x" * 65_537}).status_code == 422
    assert scene.ask("POST", "issues/1/comments", content=b"{").status_code == 400


def test_a_lost_answer_may_have_had_its_effect(scene):
    scene.forge.fail("POST", "*/issues/1/comments", after_effect=True)
    scene.forge.reset("POST", "*/issues/1/comments")
    assert scene.ask("POST", "issues/1/comments", json={"body": "x"}).status_code == 502
    with pytest.raises(Exception, match=r"(?i)reset|disconnected|closed"):
        scene.ask("POST", "issues/1/comments", json={"body": "y"})
    assert [one.body for one in scene.pull.comments] == ["x"]
    assert [one.status for one in scene.forge.requests] == [502, None]


def test_what_is_asked_for_again_with_its_tag_costs_nothing(scene):
    first = scene.ask("GET", "pulls/1")
    same = scene.ask("GET", "pulls/1", headers={"if-none-match": first.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert same.headers["x-ratelimit-used"] == first.headers["x-ratelimit-used"] == "1"
    scene.pull.comment(scene.bob, "x")
    assert scene.ask("GET", "pulls/1", headers={"if-none-match": first.headers["etag"]}).status_code == 200


def test_nothing_is_left_until_the_hour_is_over(scene):
    scene.forge.limits.exhaust(scene.ann, remaining=1)
    assert scene.ask("GET", "pulls/1").headers["x-ratelimit-remaining"] == "0"
    refused = scene.ask("GET", "pulls/1")
    assert refused.status_code == 403
    assert scene.ask("GET", "pulls/1", token="t1").status_code == 200
    assert scene.get("/rate_limit")["rate"]["remaining"] == 0
    scene.forge.clock.now = scene.forge.clock.now.fromtimestamp(
        int(refused.headers["x-ratelimit-reset"]), scene.forge.clock.now.tzinfo
    )
    assert scene.ask("GET", "pulls/1").status_code == 200
