"""Mutations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tests.forge.call import Call, RefusedError
from tests.forge.conversation import IssueComment, Remark, Thread
from tests.forge.graph.fields.repositories import node
from tests.forge.graph.table import Field, Table, refusal
from tests.forge.labels import Label
from tests.forge.people import User
from tests.forge.pulls import PullRequest
from tests.forge.repository import Repository
from tests.forge.rest.comments import MOST
from tests.forge.rest.pulls import open_pull
from tests.forge.rest.reviews import write
from tests.forge.world import Entity

_E = TypeVar("_E", bound=Entity)


def _find(call: Call, kind: type[_E], node_id: str) -> _E:
    found = node(None, call, node_id)
    if not isinstance(found, kind):
        raise refusal("NOT_FOUND", f"Could not resolve to {kind.__name__} node with the global id of '{node_id}'.")
    return found


def _permit(call: Call, repository: Repository, permission: str, right: str = "pull_requests") -> User:
    """Return the account that writes, if it may."""
    if repository.archived:
        raise refusal("UNPROCESSABLE", "Repository was archived so is read-only.")
    if call.token is not None and right in call.token.lacks:
        raise refusal("FORBIDDEN", "Resource not accessible by personal access token")
    if not repository.may(call.viewer, permission):
        raise refusal("FORBIDDEN", f"{call.author.login} does not have the correct permissions to execute this.")
    return call.author


def _text(body: str) -> str:
    if not body.strip():
        raise refusal("UNPROCESSABLE", "Body cannot be blank")
    if len(body) > MOST:
        raise refusal("UNPROCESSABLE", f"Body is too long (maximum is {MOST} characters)")
    return body


def _add_comment(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    pull = _find(call, PullRequest, asked["subjectId"])
    made = pull.comment(_permit(call, pull.repository, "read"), _text(asked["body"]))
    return {"commentEdge": {"cursor": made.node_id, "node": made}, "subject": pull}


def _update_comment(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    comment = _find(call, IssueComment, asked["id"])
    _own(call, comment)
    comment.edit(_text(asked["body"]), call.viewer)
    return {"issueComment": comment}


def _delete_comment(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    comment = _find(call, IssueComment, asked["id"])
    _own(call, comment)
    comment.delete(call.viewer)
    return {}


def _own(call: Call, remark: Remark) -> None:
    _permit(call, remark.pull.repository, "read" if remark.author is call.viewer else "write")


def _review(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    pull = _find(call, PullRequest, asked["pullRequestId"])
    _permit(call, pull.repository, "read")
    places = {"start_line": "startLine", "start_side": "startSide"}
    threads = [
        {**one, **{ours: one.get(theirs) for ours, theirs in places.items()}} for one in asked.get("threads") or ()
    ]
    try:
        return {"pullRequestReview": write(call, pull, asked.get("event") or "", asked.get("body") or "", threads)}
    except RefusedError as refused:
        raise refusal("UNPROCESSABLE", _first(refused)) from refused


def _first(refused: RefusedError) -> str:
    """Return the first error of a refusal."""
    error = (refused.answer.body.get("errors") or [str(refused)])[0]
    return str(error["message"] if isinstance(error, dict) else error)


def _reply(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    thread = _find(call, Thread, asked["pullRequestReviewThreadId"])
    return {"comment": thread.reply(_permit(call, thread.pull.repository, "read"), _text(asked["body"]))}


def _settle(resolved: bool) -> Callable[[Call, dict[str, Any]], dict[str, Any]]:
    def act(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
        thread = _find(call, Thread, asked["threadId"])
        needed = "read" if thread.pull.author is call.viewer else "write"
        by = _permit(call, thread.pull.repository, needed, "contents")
        thread.resolve(by) if resolved else thread.unresolve(by)
        return {"thread": thread}

    return act


def _on_pull(act: Callable[[PullRequest, User], object]) -> Callable[[Call, dict[str, Any]], dict[str, Any]]:
    """Return the mutation for an action on a pull request; its author may, and everybody with write permission."""

    def done(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
        pull = _find(call, PullRequest, asked["pullRequestId"])
        act(pull, _permit(call, pull.repository, "read" if pull.author is call.viewer else "write"))
        return {"pullRequest": pull}

    return done


def _create(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    repository = _find(call, Repository, asked["repositoryId"])
    _permit(call, repository, "read")
    owner = None
    if asked.get("headRepositoryId"):
        owner = _find(call, Repository, asked["headRepositoryId"]).owner.login
    head = f"{owner}:{asked['headRefName']}" if owner else asked["headRefName"]
    wanted = {"draft": asked.get("draft"), "maintainer_can_modify": asked.get("maintainerCanModify")}
    try:
        made = open_pull(
            repository,
            call.author,
            title=asked["title"],
            body=asked.get("body") or "",
            head=head,
            base=asked["baseRefName"],
            wanted=wanted,
        )
    except RefusedError as refused:
        raise refusal("UNPROCESSABLE", _first(refused)) from refused
    return {"pullRequest": made}


def _update(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    pull = _find(call, PullRequest, asked["pullRequestId"])
    by = _permit(call, pull.repository, "read" if pull.author is call.viewer else "write")
    names = {"title": "title", "body": "body", "baseRefName": "base"}
    pull.edit(by=by, **{ours: asked[theirs] for theirs, ours in names.items() if asked.get(theirs) is not None})
    if asked.get("state") == "CLOSED":
        pull.close(by)
    elif asked.get("state") == "OPEN":
        pull.reopen(by)
    return {"pullRequest": pull}


def _labels(add: bool) -> Callable[[Call, dict[str, Any]], dict[str, Any]]:
    def act(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
        pull = _find(call, PullRequest, asked["labelableId"])
        by = _permit(call, pull.repository, "write")
        for one in [_find(call, Label, label) for label in asked["labelIds"]]:
            pull.label(one.name, by) if add else pull.unlabel(one.name, by)
        return {"labelable": pull}

    return act


def _request(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    pull = _find(call, PullRequest, asked["pullRequestId"])
    by = _permit(call, pull.repository, "write")
    users = [_find(call, User, one) for one in asked.get("userIds") or ()]
    if pull.author in users:
        raise refusal("UNPROCESSABLE", "Review cannot be requested from pull request author.")
    if not asked.get("union"):
        pull.requested = [one for one in pull.requested if one in users]
    pull.request_review(*users, by=by)
    return {"pullRequest": pull, "actor": by}


def _minimize(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    remark = _find(call, Remark, asked["subjectId"])
    _permit(call, remark.pull.repository, "write")
    remark.minimize(asked["classifier"].lower())
    return {"minimizedComment": remark}


def _unminimize(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    remark = _find(call, Remark, asked["subjectId"])
    _permit(call, remark.pull.repository, "write")
    remark.minimized = None
    return {"unminimizedComment": remark}


def _mutation(act: Callable[[Call, dict[str, Any]], dict[str, Any]]) -> Field:
    def field(_root: object, call: Call, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002 - as it is named
        return {**act(call, input), "clientMutationId": input.get("clientMutationId")}

    return field


_ACTS: dict[str, Callable[[Call, dict[str, Any]], dict[str, Any]]] = {
    "addPullRequestReview": _review,
    "addComment": _add_comment,
    "updateIssueComment": _update_comment,
    "deleteIssueComment": _delete_comment,
    "addPullRequestReviewThreadReply": _reply,
    "resolveReviewThread": _settle(True),
    "unresolveReviewThread": _settle(False),
    "markPullRequestReadyForReview": _on_pull(lambda pull, by: pull.set_draft(False, by)),
    "convertPullRequestToDraft": _on_pull(lambda pull, by: pull.set_draft(True, by)),
    "closePullRequest": _on_pull(lambda pull, by: pull.close(by)),
    "reopenPullRequest": _on_pull(lambda pull, by: pull.reopen(by)),
    "createPullRequest": _create,
    "updatePullRequest": _update,
    "addLabelsToLabelable": _labels(True),
    "removeLabelsFromLabelable": _labels(False),
    "requestReviews": _request,
    "minimizeComment": _minimize,
    "unminimizeComment": _unminimize,
}

FIELDS: Table = {"Mutation": {name: _mutation(act) for name, act in _ACTS.items()}}
