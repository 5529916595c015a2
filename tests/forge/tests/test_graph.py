"""The forge's GraphQL, as a client sees it."""

from __future__ import annotations

import pytest

from tests.forge.graph.execute import schema
from tests.forge.graph.fields import FIELDS


@pytest.fixture
def query(scene):
    def ask(text, *, token="t0", **variables):
        answer = scene.ask("POST", "/graphql", token=token, json={"query": text, "variables": variables})
        assert answer.status_code == 200
        return answer.json()

    return ask


def in_pull(fields: str) -> str:
    return f'{{ repository(owner: "octo", name: "app") {{ pullRequest(number: 1) {{ {fields} }} }} }}'


def test_threads_know_whether_they_are_settled_and_their_comments_what_they_are_in_rest(scene, query):
    first = scene.pull.inline(scene.bob, "a.py", 4, "Why?", start_line=2)
    first.reply(scene.ann, "Because.")
    second = scene.pull.inline(scene.bob, "b.py", None, "Whole.")
    first.thread.resolve(scene.bob)
    second.thread.outdate()
    threads = query(
        in_pull(
            "reviewThreads(first: 10) { nodes { id isResolved isOutdated startLine line subjectType"
            " comments(first: 5) { totalCount nodes { databaseId body replyTo { databaseId } } } } }"
        )
    )["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"]
    assert [(one["isResolved"], one["isOutdated"], one["startLine"], one["line"]) for one in threads] == [
        (True, False, 2, 4),
        (False, False, None, None),
    ]
    told = [one["id"] for one in scene.get("pulls/1/comments")]
    comments = [one for thread in threads for one in thread["comments"]["nodes"]]
    assert [one["databaseId"] for one in comments] == told
    assert comments[1]["replyTo"] == {"databaseId": first.id}


def test_a_bot_has_no_brackets_here_and_who_is_gone_is_null(scene, query):
    scene.pull.comment(scene.forge.user("helper[bot]"), "Beep.")
    scene.pull.comment(scene.eve, "Bye.")
    scene.eve.delete()
    nodes = query(in_pull("comments(first: 9) { nodes { author { login __typename } } }"))
    told = [one["author"] for one in nodes["data"]["repository"]["pullRequest"]["comments"]["nodes"]]
    assert told == [{"login": "helper", "__typename": "Bot"}, None]
    assert [one["user"] and one["user"]["login"] for one in scene.get("issues/1/comments")] == ["helper[bot]", None]


def test_many_are_asked_for_in_one_query_and_one_that_cannot_be_read_keeps_no_other_back(scene, query):
    scene.repository.pull("second", author=scene.bob)
    scene.forge.refuse("repository.p2")
    text = (
        '{ repository(owner: "octo", name: "app") {'
        " p1: pullRequest(number: 1) { number } p2: pullRequest(number: 2) { number }"
        " p3: pullRequest(number: 3) { number } } }"
    )
    told = query(text)
    assert told["data"]["repository"] == {"p1": {"number": 1}, "p2": None, "p3": None}
    assert [(one["type"], one["path"]) for one in told["errors"]] == [
        ("FORBIDDEN", ["repository", "p2"]),
        ("NOT_FOUND", ["repository", "p3"]),
    ]
    assert query(text)["data"]["repository"]["p2"] == {"number": 2}


def test_checks_of_both_kinds_are_rolled_up_and_only_the_latest_attempt_counts(scene, query):
    sha = scene.pull.head_sha
    ask = in_pull(
        "commits(last: 1) { nodes { commit { oid statusCheckRollup { state contexts(first: 9) { nodes {"
        " __typename ... on CheckRun { name conclusion } ... on StatusContext { context state } } } } } } }"
    )

    def rollup():
        told = query(ask)["data"]["repository"]["pullRequest"]["commits"]["nodes"][0]["commit"]
        assert told["oid"] == sha
        return told["statusCheckRollup"]

    assert rollup() is None
    scene.repository.check("unit", "failure", sha)
    assert rollup()["state"] == "FAILURE"
    again = scene.repository.check("unit", None, sha)
    assert rollup()["state"] == "PENDING"
    again.finish("success")
    scene.repository.status("ci/old", "success", sha)
    assert rollup() == {
        "state": "SUCCESS",
        "contexts": {
            "nodes": [
                {"__typename": "CheckRun", "name": "unit", "conclusion": "SUCCESS"},
                {"__typename": "StatusContext", "context": "ci/old", "state": "SUCCESS"},
            ]
        },
    }
    assert [one["conclusion"] for one in scene.get(f"commits/{sha}/check-runs")["check_runs"]] == ["success"]
    assert scene.get(f"commits/{sha}/check-runs?filter=all")["total_count"] == 2
    assert scene.get("commits/feature/status")["state"] == "success"


def test_an_opinion_outlives_a_comment_and_a_dismissal_takes_it_away(scene, query):
    ask = in_pull("state reviewDecision latestOpinionatedReviews(first: 9) { nodes { state author { login } } }")

    def opinions():
        told = query(ask)["data"]["repository"]["pullRequest"]
        return told["reviewDecision"], [one["state"] for one in told["latestOpinionatedReviews"]["nodes"]]

    blocking = scene.pull.review(scene.bob, "CHANGES_REQUESTED", "No.")
    scene.pull.review(scene.bob, "COMMENTED", "Hm.")
    assert opinions() == (None, ["CHANGES_REQUESTED"])
    scene.repository.requires_reviews = True
    assert opinions() == ("CHANGES_REQUESTED", ["CHANGES_REQUESTED"])
    blocking.dismiss(scene.ann)
    assert opinions() == ("REVIEW_REQUIRED", ["DISMISSED"])


def test_pages_lead_to_one_another_from_both_ends(scene, query):
    for number in range(5):
        scene.pull.comment(scene.bob, str(number))

    def bodies(arguments):
        told = query(in_pull(f"comments({arguments}) {{ nodes {{ body }} pageInfo {{ hasNextPage endCursor }} }}"))
        comments = told["data"]["repository"]["pullRequest"]["comments"]
        return "".join(one["body"] for one in comments["nodes"]), comments["pageInfo"]

    first, info = bodies("first: 2")
    assert (first, info["hasNextPage"]) == ("01", True)
    rest, info = bodies(f'first: 9, after: "{info["endCursor"]}"')
    assert (rest, info["hasNextPage"]) == ("234", False)
    assert bodies("last: 2")[0] == "34"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("nothing", "Cannot query field"),
        ("comments { nodes { id } }", "You must provide a `first` or `last` value"),
        ("comments(first: 101) { nodes { id } }", "exceeds the `first` limit of 100"),
        ("number(", "Syntax Error"),
    ],
)
def test_what_the_forge_does_not_know_is_an_error(query, fields, expected):
    assert expected in query(in_pull(fields))["errors"][0]["message"]


def test_a_query_costs_by_what_it_may_return(scene, query):
    rate = "rateLimit { cost remaining limit resetAt nodeCount }"
    threads = "reviewThreads(first: 50) { nodes { comments(first: 20) { totalCount } } }"
    full = f"pullRequests(first: 25) {{ nodes {{ {threads} }} }}"
    told = query(f'{{ {rate} repository(owner: "octo", name: "app") {{ {full} }} }}')["data"]["rateLimit"]
    assert (told["cost"], told["nodeCount"]) == (13, 25 + 25 * 50 + 25 * 50 * 20)
    assert told["remaining"] == told["limit"] - 13
    scene.forge.limits.exhaust(scene.ann, "graphql")
    assert query(f"{{ {rate} }}")["errors"][0]["type"] == "RATE_LIMITED"
    assert scene.get("pulls/1")["number"] == 1


def test_settling_a_thread_needs_the_right_to_its_contents(scene, query):
    comment = scene.pull.inline(scene.bob, "a.py", 4, "Why?")
    before = comment.updated
    settle = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"
    scene.forge.token("weak", scene.ann, lacks={"contents"})
    refused = query(settle, token="weak", id=comment.thread.node_id)
    assert refused["errors"][0]["type"] == "FORBIDDEN"
    assert comment.thread.resolved_by is None
    done = query(settle, id=comment.thread.node_id)
    assert done["data"]["resolveReviewThread"]["thread"] == {"isResolved": True}
    assert comment.updated == before
    answer = (
        'mutation($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: "Yes."})'
        " { comment { body replyTo { databaseId } } } }"
    )
    told = query(answer, id=comment.thread.node_id)["data"]["addPullRequestReviewThreadReply"]["comment"]
    assert told == {"body": "Yes.", "replyTo": {"databaseId": comment.id}}
    assert query(settle, id="gone")["errors"][0]["type"] == "NOT_FOUND"


def test_a_pending_review_is_its_author_s_alone(scene, query):
    pending = scene.pull.review(scene.bob, "PENDING", "Wait.")
    scene.pull.inline(scene.bob, "a.py", 4, "Why?", review=pending)
    ask = in_pull("reviews(first: 9) { totalCount } reviewThreads(first: 9) { totalCount }")
    counts = [
        [one["totalCount"] for one in query(ask, token=token)["data"]["repository"]["pullRequest"].values()]
        for token in ("t0", "t1")
    ]
    assert counts == [[0, 0], [1, 1]]
    assert scene.get("pulls/1/reviews") == []
    pending.submit("APPROVED")
    assert [one["state"] for one in scene.get("pulls/1/reviews")] == ["APPROVED"]


PLAIN = {
    "Connection",
    "Edge",
    "Payload",
    "PageInfo",
    "RateLimit",
    "GitActor",
    "CheckSuite",
    "App",
    "WorkflowRun",
    "Workflow",
}
ABSENT = {
    "Milestone",
    "ProjectV2",
    "ProjectV2Item",
    "Project",
    "ProjectCard",
    "ProjectColumn",
    "ReactionGroup",
    "Team",
    "Status",
}


def test_every_field_of_the_schema_is_answered():
    missing = [
        f"{name}.{field}"
        for name, kind in schema().type_map.items()
        if type(kind).__name__ == "GraphQLObjectType" and not name.startswith("__")
        if not any(name.endswith(ending) for ending in PLAIN) and name not in ABSENT
        for field in kind.fields
        if field not in FIELDS.get(name, {})
    ]
    assert missing == ["Query.rateLimit", "PullRequestCommit.id", "PullRequestCommit.commit", "ReviewRequest.id"]
