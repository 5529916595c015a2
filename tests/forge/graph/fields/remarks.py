"""Fields of reviews, threads, inline comments and general comments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.forge.call import Call
from tests.forge.conversation import InlineComment, Remark, Review, Thread
from tests.forge.graph.commits import Commit
from tests.forge.graph.fields.people import actor
from tests.forge.graph.table import Field, Table, attribute, connection, constant
from tests.forge.rest.find import visible
from tests.forge.world import stamp


def _remark(anchor: str) -> dict[str, Field]:
    """Return the fields that all comments and reviews have."""
    return {
        "id": attribute("node_id"),
        "databaseId": attribute("id"),
        "fullDatabaseId": lambda one, _call: str(one.id),
        "author": lambda one, _call: actor(one.author),
        "authorAssociation": lambda one, _call: one.pull.repository.association(one.author),
        "body": attribute("body"),
        "createdAt": lambda one, _call: stamp(one.created),
        "updatedAt": lambda one, _call: stamp(one.updated),
        "publishedAt": lambda one, _call: stamp(one.created),
        "lastEditedAt": lambda one, _call: stamp(one.edited),
        "includesCreatedEdit": lambda one, _call: one.edited is not None,
        "isMinimized": lambda one, _call: one.minimized is not None,
        "minimizedReason": lambda one, _call: one.minimized and one.minimized.replace("_", "-"),
        "url": lambda one, call: f"{call.links.page(one.pull)}{anchor}{one.id}",
        "pullRequest": attribute("pull"),
        "viewerDidAuthor": lambda one, call: one.author is call.viewer,
        "reactionGroups": constant(()),
    }


def _commit(sha: str) -> Callable[[Remark, Call], Commit]:
    get: Any = attribute(sha)
    return lambda one, call: Commit(one.pull.repository, get(one, call))


def _of_review(one: Review, _call: Call) -> list[InlineComment]:
    return one.comments


def _of_thread(one: Thread, call: Call) -> list[InlineComment]:
    return [item for item in one.comments if visible(item.review, call.viewer)]


def _place(prefix: str) -> dict[str, Field]:
    """Return the fields of a thread that its comments have too."""
    return {
        "path": attribute(f"{prefix}path"),
        "line": attribute(f"{prefix}line"),
        "startLine": attribute(f"{prefix}start_line"),
        "originalLine": attribute(f"{prefix}original_line"),
        "originalStartLine": attribute(f"{prefix}original_start_line"),
    }


def _settles(one: Thread, call: Call) -> bool:
    return one.pull.author is call.viewer or one.pull.repository.may(call.viewer, "write")


def _several(one: Thread, _call: Call) -> str | None:
    return None if one.original_start_line is None else one.side


def _kind(one: Thread, _call: Call) -> str:
    return "FILE" if one.whole_file else "LINE"


FIELDS: Table = {
    "IssueComment": _remark("#issuecomment-"),
    "PullRequestReview": {
        **_remark("#pullrequestreview-"),
        "state": attribute("state"),
        "submittedAt": lambda one, _call: stamp(one.submitted),
        "commit": _commit("commit"),
        "comments": connection(_of_review),
    },
    "PullRequestReviewComment": {
        **_remark("#discussion_r"),
        **_place("thread."),
        "diffHunk": attribute("thread.hunk"),
        "outdated": attribute("thread.outdated"),
        "subjectType": lambda one, call: _kind(one.thread, call),
        "state": lambda one, _call: "PENDING" if one.review.state == "PENDING" else "SUBMITTED",
        "commit": _commit("thread.commit"),
        "originalCommit": _commit("thread.original_commit"),
        "replyTo": attribute("top"),
        "pullRequestReview": attribute("review"),
    },
    "PullRequestReviewThread": {
        "id": attribute("node_id"),
        **_place(""),
        "isResolved": lambda one, _call: one.resolved_by is not None,
        "isOutdated": attribute("outdated"),
        "isCollapsed": lambda one, _call: one.resolved_by is not None or one.outdated,
        "resolvedBy": lambda one, _call: actor(one.resolved_by),
        "diffSide": attribute("side"),
        "startDiffSide": _several,
        "subjectType": _kind,
        "comments": connection(_of_thread),
        "pullRequest": attribute("pull"),
        "repository": attribute("pull.repository"),
        "viewerCanReply": lambda _one, call: call.viewer is not None,
        "viewerCanResolve": lambda one, call: one.resolved_by is None and _settles(one, call),
        "viewerCanUnresolve": lambda one, call: one.resolved_by is not None and _settles(one, call),
    },
}
