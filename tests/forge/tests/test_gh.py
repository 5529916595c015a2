"""The fake, driven by a client that nobody here wrote: GitHub's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Workspace
from tests.forge import FakeGitHub, PullRequest, Repository

pytestmark = [
    pytest.mark.real_gh,
    pytest.mark.skipif(shutil.which("gh") is None, reason="gh is not installed"),
]

FIELDS = (
    "additions,assignees,author,baseRefName,body,changedFiles,closed,closedAt,comments,commits,createdAt,deletions,files,"
    "headRefName,headRefOid,headRepository,headRepositoryOwner,id,isCrossRepository,isDraft,labels,latestReviews,"
    "maintainerCanModify,mergeStateStatus,mergeable,mergedAt,mergedBy,milestone,number,reviewDecision,reviewRequests,"
    "reviews,state,statusCheckRollup,title,updatedAt,url"
)


class Gh:
    """A clone of ``octo/app`` in which gh is run, as ann."""

    def __init__(self, forge: FakeGitHub, folder: Path, clone: Path) -> None:
        self.forge = forge
        self.repository: Repository = forge.repository("octo/app")
        self.ann = self.repository.allow(forge.user("ann"), "write")
        self.bob = self.repository.allow(forge.user("bob"), "write")
        forge.token("t0", self.ann)
        self.pull: PullRequest = self.repository.pull("feature", author=self.ann, title="Sum", body="Adds.")
        self._clone = clone
        folder.mkdir()
        (folder / "config.yml").write_text(f"http_unix_socket: {forge.socket}\n")
        self._environ = {**os.environ, "GH_CONFIG_DIR": str(folder), "GH_TOKEN": "t0", "GH_PROMPT_DISABLED": "1"}

    def __call__(self, *args: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["gh", *args], cwd=self._clone, env=self._environ, capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode != 0) is fails, done.stderr
        return done.stderr if fails else done.stdout

    def view(self, number: int, fields: str = FIELDS) -> dict[str, Any]:
        """Return what ``pr view`` knows."""
        return json.loads(self("pr", "view", str(number), "--json", fields))


@pytest.fixture
def gh(tmp_path: Path, workspace: Workspace) -> Iterator[Gh]:
    workspace.git("remote", "add", "origin", "https://github.com/octo/app.git")
    with FakeGitHub(unix_socket=True) as forge:
        yield Gh(forge, tmp_path / "gh", workspace.root)


def test_it_sees_a_pull_request_whole(gh):
    review = gh.pull.review(gh.bob, "CHANGES_REQUESTED", "No.")
    gh.pull.inline(gh.bob, "a.py", 3, "Why?", review=review)
    gh.pull.comment(gh.forge.user("helper[bot]"), "Beep.")
    gh.pull.label("ready")
    gh.pull.request_review(gh.forge.user("eve"))
    gh.repository.check("unit", "failure", gh.pull.head_sha)
    gh.repository.status("ci/old", "success", gh.pull.head_sha)
    seen = gh.view(1)
    assert (seen["number"], seen["state"], seen["headRefOid"]) == (1, "OPEN", gh.pull.head_sha)
    assert [(one["author"]["login"], one["state"], one["body"]) for one in seen["reviews"]] == [
        ("bob", "CHANGES_REQUESTED", "No.")
    ]
    assert [(one["author"]["login"], one["body"]) for one in seen["comments"]] == [("helper", "Beep.")]
    assert [one["name"] for one in seen["labels"]] == ["ready"]
    assert [one["login"] for one in seen["reviewRequests"]] == ["eve"]
    checks = {
        one.get("name") or one["context"]: one.get("conclusion") or one["state"] for one in seen["statusCheckRollup"]
    }
    assert checks == {"unit": "FAILURE", "ci/old": "SUCCESS"}


def test_it_lists_what_is_open_and_finds_it_by_its_branch(gh):
    gh.repository.pull("closed", author=gh.bob).close()
    merged = gh.repository.pull("merged", author=gh.bob)
    merged.merge()
    assert [one["number"] for one in json.loads(gh("pr", "list", "--json", "number"))] == [1]
    assert [one["number"] for one in json.loads(gh("pr", "list", "--head", "feature", "--json", "number"))] == [1]
    assert json.loads(gh("pr", "view", "merged", "--json", "state")) == {"state": "MERGED"}
    assert gh("pr", "view", "9", fails=True) == (
        "GraphQL: Could not resolve to a PullRequest with the number of 9. (repository.pullRequest)\n"
    )


def test_it_reads_all_pages_of_rest_and_is_told_what_is_wrong(gh):
    for number in range(5):
        gh.pull.comment(gh.bob, str(number))
    path = "repos/octo/app/issues/1/comments?per_page=2"
    assert gh("api", "--paginate", path, "--jq", ".[].body").split() == list("01234")
    assert gh("api", "user", "--jq", ".login") == "ann\n"
    assert "Not Found (HTTP 404)" in gh("api", "repos/octo/other", fails=True)
    query = 'query($n: Int!) { repository(owner: "octo", name: "app") { pullRequest(number: $n) { headRefName } } }'
    assert "feature" in gh("api", "graphql", "-f", f"query={query}", "-F", "n=1")


def test_it_comments_labels_and_asks_for_a_review(gh):
    assert gh("pr", "comment", "1", "--body", "Hello.") == f"{gh.view(1)['comments'][0]['url']}\n"
    gh.repository.label("ready")
    gh("pr", "edit", "1", "--add-label", "ready", "--add-reviewer", "bob", "--title", "Sums")
    assert [one.body for one in gh.pull.comments] == ["Hello."]
    assert ([one.name for one in gh.pull.labels], gh.pull.requested, gh.pull.title) == (["ready"], [gh.bob], "Sums")
    gh("pr", "edit", "1", "--remove-label", "ready")
    assert gh.pull.labels == []


def test_it_opens_reviews_and_closes_a_pull_request(gh):
    gh.repository.sha("other")
    made = gh("pr", "create", "--head", "other", "--base", "main", "--title", "New", "--body", "B", "--draft")
    assert made == "https://github.com/octo/app/pull/2\n"
    pull = gh.repository.pulls[1]
    assert (pull.head, pull.base, pull.draft, pull.author) == ("other", "main", True, gh.ann)
    again = gh("pr", "create", "--head", "other", "--base", "main", "--title", "New", "--body", "B", fails=True)
    assert "already exists" in again
    gh("pr", "ready", "2")
    assert pull.draft is False
    assert "Can not approve your own pull request" in gh("pr", "review", "2", "--approve", fails=True)
    gh("pr", "review", "2", "--comment", "--body", "Hm.")
    assert [(one.state, one.body) for one in pull.reviews] == [("COMMENTED", "Hm.")]
    gh("pr", "close", "2")
    assert pull.state == "closed"
