"""The fake, compared with what GitHub itself says of its interfaces."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx2
import pytest

from tests.forge.graph.execute import schema
from tests.forge.rest import ROUTES
from tests.forge.tests.descriptions import Description, fetch

pytestmark = pytest.mark.github_descriptions


@pytest.fixture(autouse=True)
def _asked_for(request: pytest.FixtureRequest) -> None:
    if "github_descriptions" not in request.config.getoption("markexpr"):
        pytest.skip("needs the network: -m github_descriptions")
    assert shutil.which("npm") is not None, "npm is not installed"


def test_what_rest_is_asked_and_answers_is_what_the_description_says(scene, tmp_path: Path):
    description = Description(fetch("@octokit/openapi", "generated/api.github.com.json", tmp_path))
    seen: list[httpx2.Response] = []

    def ask(method: str, path: str, expected: int, **more):
        answer = scene.ask(method, path, **more)
        assert answer.status_code == expected, (method, path, answer.text)
        seen.append(answer)
        return answer

    _reading(scene, ask)
    _hooks(scene, ask)
    _writing(scene, ask)
    _refusals(scene, ask)
    problems = [problem for answer in seen for problem in description.problems(answer)]
    assert not problems, "\n".join(problems)
    asked = {
        (one.request.method, description.operation(one.request.method, one.request.url.path)[0])
        for one in seen
        if one.status_code < 300
    }
    left = [
        (route.method, route.path)
        for route in ROUTES
        if (route.method, description.operation(route.method, _filled(f"/repos/octo/app{route.path}"))[0]) not in asked
    ]
    assert left == []


def _filled(path: str) -> str:
    return path.replace("{number}", "1").replace("{id}", "1").replace("{", "").replace("}", "")


def _reading(scene, ask) -> None:
    pull, sha = scene.pull, scene.pull.head_sha
    fork = scene.forge.repository("eve/app", parent=scene.repository)
    other = scene.repository.pull("patch", author=scene.eve, fork=fork, draft=True)
    other.head_repository = None
    merged = scene.repository.pull("merged", author=scene.bob)
    merged.merge(scene.ann)
    gone = scene.forge.user("gone")
    review = pull.review(scene.bob, "CHANGES_REQUESTED", "No.")
    top = pull.inline(scene.bob, "a.py", 4, "Why?", start_line=2, review=review)
    top.reply(gone, "Because.")
    pull.inline(scene.bob, "b.py", None, "Whole.")
    pull.inline(scene.bob, "c.py", 3, "Old.", side="LEFT")
    comment = pull.comment(gone, "Hello.")
    pull.comment(scene.forge.user("helper[bot]"), "Beep.")
    gone.delete()
    comment.minimize("spam")
    pull.label("ready")
    pull.request_review(scene.bob)
    run = scene.repository.check("unit", "failure", sha, title="Red", summary="1 failed")
    run.annotate("a.py", 3, "wrong", title="Wrong")
    scene.repository.check("lint", None, sha)
    scene.repository.status("ci/old", "success", sha, "green")
    for path in (
        *("", "pulls/1", "pulls/2", "pulls/3", "pulls?state=all&sort=updated&direction=desc&per_page=2"),
        *("pulls?head=octo:feature&base=main", "pulls/1/reviews", f"pulls/1/reviews/{review.id}"),
        *("pulls/1/comments?sort=updated", "pulls/comments?since=2020-01-01T00:00:00Z", f"pulls/comments/{top.id}"),
        *("issues/1/comments", "issues/comments?sort=created&direction=asc", f"issues/comments/{comment.id}"),
        *("labels", "labels/ready", "issues/1/labels", "pulls/1/requested_reviewers"),
        *(f"commits/{sha}/check-runs?filter=latest", "commits/feature/status", "collaborators/bob/permission"),
        *(f"check-runs/{run.id}", f"check-runs/{run.id}/annotations?per_page=1"),
        *("/user", "/users/bob", "/rate_limit"),
    ):
        ask("GET", path, 200)
    tag = ask("GET", "pulls", 200).headers["etag"]
    ask("GET", "pulls", 304, headers={"if-none-match": tag})


def _hooks(scene, ask) -> None:
    hook = scene.forge.webhooks_to("http://127.0.0.1:1/")
    scene.pull.comment(scene.bob, "x")
    scene.repository.status("ci/old", "success", scene.pull.head_sha)
    scene.forge.flush_webhooks()
    scene.repository.allow(scene.ann, "admin")
    (first, _second) = ask("GET", f"hooks/{hook.id}/deliveries?per_page=10", 200).json()
    ask("POST", f"hooks/{hook.id}/deliveries/{first['id']}/attempts", 202)


def _writing(scene, ask) -> None:
    scene.repository.sha("new")
    said = ask("POST", "issues/1/comments", 201, json={"body": "x"}).json()["id"]
    ask("PATCH", f"issues/comments/{said}", 200, json={"body": "y"})
    ask("DELETE", f"issues/comments/{said}", 204)
    inline = {"body": "x", "commit_id": scene.pull.head_sha, "path": "a.py", "line": 3, "side": "RIGHT"}
    top = ask("POST", "pulls/1/comments", 201, json=inline).json()["id"]
    ask("POST", f"pulls/1/comments/{top}/replies", 201, json={"body": "x"})
    ask("PATCH", f"pulls/comments/{top}", 200, json={"body": "y"})
    ask("DELETE", f"pulls/comments/{top}", 204)
    ask("POST", "labels", 201, json={"name": "new", "color": "ff0000", "description": "d"})
    ask("POST", "issues/1/labels", 200, json={"labels": ["new"]})
    ask("DELETE", "issues/1/labels/new", 200)
    ask("GET", "issues/1/events", 200)
    ask("POST", "pulls/1/requested_reviewers", 201, json={"reviewers": ["bob"]})
    ask("DELETE", "pulls/1/requested_reviewers", 200, json={"reviewers": ["bob"]})
    ask("POST", "pulls", 201, json={"title": "t", "head": "new", "base": "main", "draft": True, "body": "b"})
    ask("PATCH", "pulls/1", 200, json={"title": "t", "base": "main"})
    comments = [{"path": "a.py", "line": 3, "body": "c"}]
    pending = ask("POST", "pulls/1/reviews", 200, token="t1", json={"body": "x", "comments": comments}).json()["id"]
    ask("POST", f"pulls/1/reviews/{pending}/events", 200, token="t1", json={"event": "REQUEST_CHANGES", "body": "n"})
    ask("PUT", f"pulls/1/reviews/{pending}", 200, token="t1", json={"body": "z"})
    ask("PUT", f"pulls/1/reviews/{pending}/dismissals", 200, json={"message": "m"})


def _refusals(scene, ask) -> None:
    ask("GET", "pulls/99", 404)
    ask("GET", "pulls", 401, token="no")
    ask("GET", "pulls?state=none", 422)
    ask("POST", "issues/1/comments", 422, json={"body": "x" * 65_537})
    ask("POST", "pulls", 422, json={"title": "t", "head": "new", "base": "main"})
    ask("POST", "labels", 422, json={"name": "new"})
    ask("POST", "pulls/1/requested_reviewers", 422, json={"reviewers": ["eve"]})
    ask("POST", "pulls/1/reviews", 422, json={"event": "APPROVE"})
    ask("DELETE", "issues/1/labels/none", 404)
    ask("POST", "issues/1/labels", 403, token="t2", json={"labels": ["x"]})
    scene.repository.rename("other")
    ask("GET", "", 301)


def test_what_graphql_knows_is_part_of_the_whole_schema(tmp_path: Path):
    from graphql import build_schema
    from graphql.utilities import find_breaking_changes

    text = fetch("@octokit/graphql-schema", "schema.graphql", tmp_path).decode()
    whole = build_schema(text, assume_valid_sdl=True)
    assert [change.description for change in find_breaking_changes(schema(), whole)] == []
