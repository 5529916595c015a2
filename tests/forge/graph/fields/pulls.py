"""Fields of pull requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.forge.call import Call
from tests.forge.conversation import Review, Thread
from tests.forge.graph.commits import Branch, Commit, rollup
from tests.forge.graph.fields.people import actor
from tests.forge.graph.fields.repositories import state
from tests.forge.graph.table import Table, attribute, connection, constant
from tests.forge.people import User
from tests.forge.pulls import PullRequest
from tests.forge.rest.find import visible
from tests.forge.world import stamp

_OPINIONS = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")


def _reviews(
    one: PullRequest, call: Call, states: Sequence[str] | None = None, author: str | None = None
) -> list[Review]:
    return [
        review
        for review in one.reviews
        if visible(review, call.viewer)
        and (not states or review.state in states)
        and author in {None, review.author.bare_login}
    ]


def _latest(reviews: Sequence[Review]) -> list[Review]:
    return list({review.author: review for review in reviews if review.state != "PENDING"}.values())


def _opinions(one: PullRequest, _call: Call) -> list[Review]:
    return _latest([review for review in one.reviews if review.state in _OPINIONS])


def _decision(one: PullRequest, call: Call) -> str | None:
    """Return the review decision by the rules of the repository; without such rules, nothing."""
    if not one.repository.requires_reviews:
        return None
    states = [review.state for review in _opinions(one, call) if one.repository.may(review.author, "write")]
    if "CHANGES_REQUESTED" in states:
        return "CHANGES_REQUESTED"
    return "APPROVED" if "APPROVED" in states else "REVIEW_REQUIRED"


def _threads(one: PullRequest, call: Call) -> list[Thread]:
    return [thread for thread in one.threads if any(visible(item.review, call.viewer) for item in thread.comments)]


def _head_commit(one: PullRequest) -> Commit:
    return Commit(one.repository, one.head_sha)


def _commits(one: PullRequest, _call: Call) -> list[dict[str, Any]]:
    return [{"id": f"PRC_{one.id}_{sha}", "commit": Commit(one.repository, sha), "pull": one} for sha in one.commits()]


def _head_ref(one: PullRequest, _call: Call) -> Branch | None:
    home = one.head_repository
    return Branch(home, one.head) if home is not None and one.head in home.heads() else None


def _owner(one: PullRequest, _call: Call) -> User | None:
    return None if one.head_repository is None else actor(one.head_repository.owner)


FIELDS: Table = {
    "PullRequest": {
        "id": attribute("node_id"),
        "databaseId": attribute("id"),
        "fullDatabaseId": lambda one, _call: str(one.id),
        "number": attribute("number"),
        "url": lambda one, call: call.links.page(one),
        "title": attribute("title"),
        "body": lambda one, _call: one.body or "",
        "state": lambda one, _call: state(one),
        "isDraft": attribute("draft"),
        "closed": lambda one, _call: one.state == "closed",
        "closedAt": lambda one, _call: stamp(one.closed),
        "merged": lambda one, _call: one.merged is not None,
        "mergedAt": lambda one, _call: stamp(one.merged),
        "mergedBy": lambda one, _call: actor(one.merged_by),
        "author": lambda one, _call: actor(one.author),
        "authorAssociation": lambda one, _call: one.repository.association(one.author),
        "headRefName": attribute("head"),
        "headRefOid": attribute("head_sha"),
        "headRef": _head_ref,
        "headRepository": attribute("head_repository"),
        "headRepositoryOwner": _owner,
        "baseRefName": attribute("base"),
        "baseRefOid": lambda one, _call: one.repository.sha(one.base),
        "baseRef": lambda one, _call: Branch(one.repository, one.base),
        "baseRepository": attribute("repository"),
        "isCrossRepository": attribute("is_fork"),
        "maintainerCanModify": attribute("maintainer_can_modify"),
        "createdAt": lambda one, _call: stamp(one.created),
        "updatedAt": lambda one, _call: stamp(one.updated),
        "lastEditedAt": lambda one, _call: stamp(one.edited),
        "mergeable": lambda one, _call: "UNKNOWN" if one.merged else "MERGEABLE",
        "mergeStateStatus": lambda one, _call: "UNKNOWN" if one.merged else "DRAFT" if one.draft else "CLEAN",
        **dict.fromkeys(("mergeCommit", "potentialMergeCommit", "milestone"), constant(None)),
        "additions": lambda one, _call: one.sizes()[1],
        "deletions": lambda one, _call: one.sizes()[2],
        "changedFiles": lambda one, _call: one.sizes()[3],
        "files": connection(lambda one, _call: one.files()),
        "reviewDecision": _decision,
        "reviews": connection(_reviews, "states", "author"),
        "latestReviews": connection(lambda one, _call: _latest(one.reviews)),
        "latestOpinionatedReviews": connection(_opinions),
        "reviewRequests": connection(
            lambda one, _call: [{"id": f"RR_{one.id}_{user.id}", "user": user} for user in one.requested]
        ),
        "reviewThreads": connection(_threads),
        "comments": connection(attribute("comments")),
        "commits": connection(_commits),
        "labels": connection(attribute("labels")),
        "assignees": connection(constant(())),
        "projectCards": connection(constant(())),
        "projectItems": connection(constant(())),
        "reactionGroups": constant(()),
        "statusCheckRollup": lambda one, _call: rollup(_head_commit(one)),
        "repository": attribute("repository"),
        "totalCommentsCount": lambda one, _call: len(one.comments) + len(one.inline_comments),
        "viewerDidAuthor": lambda one, call: one.author is call.viewer,
        "viewerCanUpdate": lambda one, call: one.author is call.viewer or one.repository.may(call.viewer, "write"),
    },
    "PullRequestCommit": {
        "pullRequest": lambda one, _call: one["pull"],
        "url": lambda one, call: f"{call.links.page(one['pull'])}/commits/{one['commit'].sha}",
    },
    "ReviewRequest": {"requestedReviewer": lambda one, _call: actor(one["user"])},
    "PullRequestChangedFile": {
        "path": lambda one, _call: one[0],
        "additions": lambda one, _call: one[1],
        "deletions": lambda one, _call: one[2],
    },
}
