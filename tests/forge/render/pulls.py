"""Pull requests as JSON of the REST API."""

from __future__ import annotations

from typing import Any

from tests.forge.people import User
from tests.forge.pulls import PullRequest
from tests.forge.render import people, repositories
from tests.forge.render.links import Links
from tests.forge.repository import Repository
from tests.forge.world import stamp


def simple(links: Links, one: PullRequest, viewer: User | None) -> dict[str, Any]:
    """Return a pull request as lists show it."""
    url, issue, page = links.pull(one), links.issue(one), links.page(one)
    home = links.repository(one.repository)
    places = {
        "self": url,
        "html": page,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{home}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{home}/statuses/{one.head_sha}",
    }
    return {
        "url": url,
        "id": one.id,
        "node_id": one.node_id,
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue,
        "number": one.number,
        "state": one.state,
        "locked": False,
        "title": one.title,
        "user": people.user(links, one.author),
        "body": one.body,
        "created_at": stamp(one.created),
        "updated_at": stamp(one.updated),
        "closed_at": stamp(one.closed),
        "merged_at": stamp(one.merged),
        "merge_commit_sha": None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [people.user(links, user) for user in one.requested],
        "requested_teams": [],
        "labels": [repositories.label(links, one.repository, label) for label in one.labels],
        "milestone": None,
        "draft": one.draft,
        **{f"{name}_url": place for name, place in places.items() if name not in {"self", "html", "issue"}},
        "head": _end(links, one.head_repository, one.author, one.head, one.head_sha, viewer=viewer),
        "base": _end(links, one.repository, None, one.base, one.repository.sha(one.base), viewer=viewer),
        "_links": {name: {"href": place} for name, place in places.items()},
        "author_association": one.repository.association(one.author),
        "auto_merge": None,
        "active_lock_reason": None,
    }


def whole(links: Links, one: PullRequest, viewer: User | None) -> dict[str, Any]:
    """Return a pull request as its own page shows it."""
    commits, additions, deletions, files = one.sizes()
    return {
        **simple(links, one, viewer),
        "merged": one.merged is not None,
        "mergeable": None if one.merged else True,
        "rebaseable": None if one.merged else True,
        "mergeable_state": "unknown" if one.merged else "draft" if one.draft else "clean",
        "merged_by": None if one.merged_by is None else people.user(links, one.merged_by),
        "comments": len(one.comments),
        "review_comments": len(one.inline_comments),
        "maintainer_can_modify": one.maintainer_can_modify,
        "commits": commits,
        "additions": additions,
        "deletions": deletions,
        "changed_files": files,
    }


def minimal(links: Links, one: PullRequest) -> dict[str, Any]:
    """Return a pull request as check runs show it."""
    head = one.head_repository or one.repository
    return {
        "id": one.id,
        "number": one.number,
        "url": links.pull(one),
        "head": {"ref": one.head, "sha": one.head_sha, "repo": _brief(links, head)},
        "base": {"ref": one.base, "sha": one.repository.sha(one.base), "repo": _brief(links, one.repository)},
    }


def _brief(links: Links, one: Repository) -> dict[str, Any]:
    return {"id": one.id, "url": links.repository(one), "name": one.name}


def _end(
    links: Links, home: Repository | None, author: User | None, ref: str, sha: str, *, viewer: User | None
) -> dict[str, Any]:
    """Return one end of a pull request; a fork that was deleted is null."""
    owner = home.owner if home is not None else author
    return {
        "label": f"{owner.login if owner else 'unknown'}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": None if owner is None or owner.deleted else people.user(links, owner),
        "repo": None if home is None else repositories.repository(links, home, viewer),
    }
