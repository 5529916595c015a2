"""What CI systems say of a change, from their variables alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from selfreview.ci import detect
from selfreview.errors import UsageError

BASE, HEAD, BEFORE = "a" * 40, "b" * 40, "c" * 40


def github(tmp_path: Path, event: object, **variables: str) -> dict[str, str]:
    path = tmp_path / "event.json"
    path.write_text(event if isinstance(event, str) else json.dumps(event))
    return {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(path), **variables}


def pull_request(ours: str | None = "us/it", theirs: Any = "us/it") -> dict[str, Any]:
    head = {"sha": HEAD, "repo": {"full_name": theirs} if theirs else None}
    return {"pull_request": {"base": {"sha": BASE, "ref": "main", "repo": {"full_name": ours}}, "head": head}}


def test_a_pull_request_names_the_tip_of_its_base(tmp_path: Path) -> None:
    found = detect(github(tmp_path, pull_request()))
    assert found is not None
    assert found.bases == (BASE, "refs/remotes/origin/main")
    assert (found.merged, found.fork, found.target) == (HEAD, False, "main")


@pytest.mark.parametrize(("theirs", "fork"), [("us/it", False), ("them/it", True), (None, True)])
def test_a_pull_request_is_from_a_fork(tmp_path: Path, theirs: str | None, fork: bool) -> None:
    found = detect(github(tmp_path, pull_request(theirs=theirs)))
    assert found is not None
    assert found.fork is fork


def test_what_an_event_does_not_say_is_not_guessed(tmp_path: Path) -> None:
    found = detect(github(tmp_path, {"pull_request": {"base": {"sha": "HEAD"}}}))
    assert found is not None
    assert (found.bases, found.merged, found.fork, found.target) == ((), None, None, None)


def test_a_branch_that_is_pushed_is_compared_with_the_default_branch(tmp_path: Path) -> None:
    event = {"before": BEFORE, "repository": {"default_branch": "trunk"}}
    found = detect(github(tmp_path, event, GITHUB_REF="refs/heads/work"))
    assert found is not None
    assert found.bases == ("refs/remotes/origin/trunk",)


def test_a_push_to_the_default_branch_is_compared_with_what_was_there(tmp_path: Path) -> None:
    event = {"before": BEFORE, "repository": {"default_branch": "trunk"}}
    found = detect(github(tmp_path, event, GITHUB_REF="refs/heads/trunk"))
    assert found is not None
    assert found.bases == (BEFORE,)


def test_the_first_push_of_all_has_no_base(tmp_path: Path) -> None:
    event = {"before": "0" * 40, "repository": {"default_branch": "trunk"}}
    found = detect(github(tmp_path, event, GITHUB_REF="refs/heads/trunk"))
    assert found is not None
    assert found.bases == ()


def test_a_merge_queue_names_its_base(tmp_path: Path) -> None:
    event = {"merge_group": {"base_sha": BASE, "base_ref": "refs/heads/main"}}
    found = detect(github(tmp_path, event, GITHUB_EVENT_NAME="merge_group"))
    assert found is not None
    assert (found.bases, found.fork, found.target) == ((BASE,), False, "main")


@pytest.mark.parametrize("event", ["", "[1]", "{", "[" * 100_000])
def test_an_event_that_cannot_be_read_is_an_error(tmp_path: Path, event: str) -> None:
    with pytest.raises(UsageError, match="GITHUB_EVENT_PATH"):
        detect(github(tmp_path, event))


PUSH = {"before": BEFORE, "repository": {"default_branch": "main"}}
RUN = {"workflow_run": {"event": "pull_request"}, "repository": {"default_branch": "main"}}
GROUP = {"merge_group": {"base_sha": BASE}}


@pytest.mark.parametrize("ref", ["main", "work"])
@pytest.mark.parametrize(
    ("name", "event", "fork"),
    [
        ("push", PUSH, False),
        ("push", RUN, None),
        ("push", None, None),
        ("", PUSH, None),
        ("workflow_run", RUN, None),
        ("workflow_dispatch", PUSH, None),
        ("issue_comment", None, None),
        ("pull_request_target", {}, None),
        ("merge_group", GROUP, False),
        ("repository_dispatch", GROUP, None),
    ],
)
def test_only_a_push_and_a_merge_queue_are_known_to_be_of_no_fork(
    tmp_path: Path, ref: str, name: str, event: object, fork: bool | None
) -> None:
    environ = github(tmp_path, event, GITHUB_EVENT_NAME=name, GITHUB_REF=f"refs/heads/{ref}")
    if event is None:
        del environ["GITHUB_EVENT_PATH"]
    found = detect(environ)
    assert found is not None
    assert found.fork is fork


def gitlab(**variables: str) -> dict[str, str]:
    return {"GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "main", **variables}


def merge_request(**variables: str) -> dict[str, str]:
    given = {
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE,
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1",
        "CI_MERGE_REQUEST_PROJECT_ID": "1",
    }
    return gitlab(**{**given, **variables})


def test_a_merge_request_prefers_the_tip_of_its_target() -> None:
    found = detect(merge_request(CI_MERGE_REQUEST_TARGET_BRANCH_SHA=BEFORE, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=HEAD))
    assert found is not None
    assert found.bases == (BEFORE, "refs/remotes/origin/main", BASE)
    assert (found.merged, found.fork) == (HEAD, False)


@pytest.mark.parametrize(("source", "fork"), [("1", False), ("2", True), ("", None)])
def test_a_merge_request_is_from_a_fork(source: str, fork: bool | None) -> None:
    found = detect(merge_request(CI_MERGE_REQUEST_SOURCE_PROJECT_ID=source))
    assert found is not None
    assert found.fork is fork


def test_a_branch_pipeline_of_gitlab() -> None:
    work = detect(gitlab(CI_COMMIT_BRANCH="work", CI_COMMIT_BEFORE_SHA=BEFORE))
    main = detect(gitlab(CI_COMMIT_BRANCH="main", CI_COMMIT_BEFORE_SHA=BEFORE))
    assert work is not None
    assert main is not None
    assert work.bases == ("refs/remotes/origin/main",)
    assert main.bases == (BEFORE,)


@pytest.mark.parametrize(
    ("source", "kind"),
    [("schedule", "schedule"), ("web", "web"), ("push", "push, the first one of its branch"), ("", "")],
)
def test_a_pipeline_of_the_default_branch_that_follows_nothing_says_what_it_is(source: str, kind: str) -> None:
    found = detect(gitlab(CI_COMMIT_BRANCH="main", CI_COMMIT_BEFORE_SHA="0" * 40, CI_PIPELINE_SOURCE=source))
    assert found is not None
    assert (found.bases, found.kind) == ((), kind)


@pytest.mark.parametrize("branch", ["main", "work"])
@pytest.mark.parametrize(("source", "fork"), [("push", False), ("external_pull_request_event", None), ("", None)])
def test_only_a_push_to_gitlab_is_known_to_be_of_no_fork(branch: str, source: str, fork: bool | None) -> None:
    found = detect(gitlab(CI_COMMIT_BRANCH=branch, CI_PIPELINE_SOURCE=source))
    assert found is not None
    assert found.fork is fork


@pytest.mark.parametrize("base", ["", "origin/stable"])
@pytest.mark.parametrize("said", ["true", "false"])
@pytest.mark.parametrize("theirs", ["us/it", "them/it"])
def test_our_own_word_beside_a_systems_only_tightens(tmp_path: Path, base: str, said: str, theirs: str) -> None:
    environ = github(tmp_path, pull_request(theirs=theirs), SELFREVIEW_CI_BASE=base, SELFREVIEW_CI_FORK=said)
    found = detect(environ)
    assert found is not None
    assert found.fork is (said == "true" or theirs == "them/it")


@pytest.mark.parametrize(("base", "fork"), [("", None), ("origin/stable", False)])
def test_only_who_names_the_base_too_says_that_it_is_no_fork(base: str, fork: bool | None) -> None:
    environ = {"GITHUB_ACTIONS": "true", "SELFREVIEW_CI_BASE": base, "SELFREVIEW_CI_FORK": "false"}
    found = detect(environ)
    assert found is not None
    assert found.fork is fork


def test_our_own_variables_do_without_an_event(tmp_path: Path) -> None:
    found = detect(github(tmp_path, "{", SELFREVIEW_CI_BASE="main"))
    assert found is not None
    assert (found.bases, found.fork) == (("main",), None)


@pytest.mark.parametrize("said", ["true", "false", "perhaps"])
def test_our_own_word_alone_is_an_error(said: str) -> None:
    with pytest.raises(UsageError, match="SELFREVIEW_CI_FORK"):
        detect({"SELFREVIEW_CI_FORK": said})


def test_our_own_variables_win(tmp_path: Path) -> None:
    environ = github(tmp_path, pull_request(), SELFREVIEW_CI_BASE="origin/stable", SELFREVIEW_CI_FORK="yes")
    found = detect(environ)
    assert found is not None
    assert (found.bases, found.fork) == (("origin/stable",), True)


def test_our_own_variables_can_be_wrong() -> None:
    with pytest.raises(UsageError, match="SELFREVIEW_CI_FORK"):
        detect({"SELFREVIEW_CI_BASE": "main", "SELFREVIEW_CI_FORK": "perhaps"})


def test_no_ci_is_none() -> None:
    assert detect({"CI": "true", "GITHUB_ACTIONS": "false", "GITLAB_CI": ""}) is None
