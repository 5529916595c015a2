"""Fields at which queries begin, and those of repositories, labels and branches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tests.forge.call import Call
from tests.forge.graph.commits import Branch
from tests.forge.graph.table import Table, attribute, connection, constant, refusal
from tests.forge.labels import Label
from tests.forge.people import User
from tests.forge.pulls import PullRequest
from tests.forge.repository import Repository
from tests.forge.world import Entity, stamp


def _repository(_root: object, call: Call, owner: str, name: str, **_more: object) -> Repository:
    found = call.world.repositories.get(f"{owner}/{name}".lower())
    if found is None or not found.may(call.viewer, "read"):
        raise refusal("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
    return found


def node(_root: object, call: Call, id: str) -> Entity:  # noqa: A002 - as the argument is named
    """Return the object of a node id."""
    found = call.world.nodes.get(id)
    home = found if isinstance(found, Repository) else getattr(getattr(found, "pull", found), "repository", None)
    if found is None or (isinstance(home, Repository) and not home.may(call.viewer, "read")):
        raise refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{id}'")
    return found


def _user(_root: object, call: Call, login: str) -> User:
    found = call.world.users.get(login.lower())
    if found is None or found.deleted or found.kind != "User":
        raise refusal("NOT_FOUND", f"Could not resolve to a User with the login of '{login}'.")
    return found


def _organization(_root: object, call: Call, login: str) -> User:
    found = call.world.users.get(login.lower())
    if found is None or found.kind != "Organization":
        raise refusal("NOT_FOUND", f"Could not resolve to an Organization with the login of '{login}'.")
    return found


def _pull(one: Repository, _call: Call, number: int) -> PullRequest:
    for pull in one.pulls:
        if pull.number == number:
            return pull
    raise refusal("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")


def _pulls(
    one: Repository,
    _call: Call,
    *,
    states: Sequence[str] | None = None,
    headRefName: str | None = None,  # noqa: N803 - as the argument is named
    baseRefName: str | None = None,  # noqa: N803
    labels: Sequence[str] | None = None,
    orderBy: dict[str, Any] | None = None,  # noqa: N803
) -> list[PullRequest]:
    found = [
        pull
        for pull in one.pulls
        if (not states or state(pull) in states)
        and headRefName in {None, pull.head}
        and baseRefName in {None, pull.base}
        and (not labels or any(label.name in labels for label in pull.labels))
    ]
    order = orderBy or {"field": "CREATED_AT", "direction": "ASC"}
    by = "updated" if order["field"] == "UPDATED_AT" else "created"
    return sorted(found, key=lambda pull: (getattr(pull, by), pull.id), reverse=order["direction"] == "DESC")


def state(pull: PullRequest) -> str:
    """Return a pull request's state: merged is a state here."""
    return "MERGED" if pull.merged else pull.state.upper()


def _ref(one: Repository, _call: Call, qualifiedName: str) -> Branch | None:  # noqa: N803 - as the argument is named
    name = qualifiedName.removeprefix("refs/heads/")
    return Branch(one, name) if name in one.heads() else None


def _permission(one: Repository, call: Call) -> str | None:
    level = one.permission(call.viewer)
    return None if level == "none" else level.upper()


def _people(one: Repository, _call: Call, query: str | None = None) -> list[User]:
    return [user for user in one.collaborators() if not query or query in user.login]


def _labels(one: Repository, _call: Call) -> list[Label]:
    return list(one.labels.values())


def _forks(one: Repository, call: Call) -> list[Repository]:
    return [other for other in dict.fromkeys(call.world.repositories.values()) if other.parent is one]


FIELDS: Table = {
    "Query": {
        "id": constant("Q_fake"),
        "repository": _repository,
        "node": node,
        "nodes": lambda root, call, ids: [node(root, call, one) for one in ids],
        "viewer": lambda _root, call: call.author,
        "user": _user,
        "organization": _organization,
    },
    "Repository": {
        "id": attribute("node_id"),
        "databaseId": attribute("id"),
        "name": attribute("name"),
        "nameWithOwner": attribute("full_name"),
        "owner": attribute("owner"),
        "url": lambda one, call: f"{call.links.web}/{one.full_name}",
        "description": constant(None),
        "isPrivate": attribute("private"),
        "isArchived": attribute("archived"),
        "isFork": lambda one, _call: one.parent is not None,
        "parent": attribute("parent"),
        "viewerPermission": _permission,
        "viewerCanAdminister": lambda one, call: one.may(call.viewer, "admin"),
        "defaultBranchRef": lambda one, _call: Branch(one, one.default_branch),
        "ref": _ref,
        **dict.fromkeys(("hasIssuesEnabled", "hasWikiEnabled", "hasProjectsEnabled"), constant(True)),
        **dict.fromkeys(("mergeCommitAllowed", "rebaseMergeAllowed", "squashMergeAllowed"), constant(True)),
        "deleteBranchOnMerge": constant(False),
        "pullRequest": _pull,
        "pullRequests": connection(_pulls, "states", "headRefName", "baseRefName", "labels", "orderBy"),
        "labels": connection(_labels),
        "label": lambda one, _call, name: one.labels.get(name.lower()),
        "assignableUsers": connection(_people, "query"),
        "milestones": connection(constant(())),
        "forks": connection(_forks),
        "createdAt": lambda one, _call: stamp(one.created),
        "updatedAt": lambda one, _call: stamp(one.updated),
    },
    "Label": {
        "id": attribute("node_id"),
        "name": attribute("name"),
        "description": attribute("description"),
        "color": attribute("color"),
        "url": lambda one, call: f"{call.links.web}/labels/{quote(one.name)}",
    },
    "Ref": {
        "id": lambda one, _call: f"REF_{one.repository.id}_{one.name}",
        "name": attribute("name"),
        "prefix": constant("refs/heads/"),
        "target": attribute("commit"),
    },
}
