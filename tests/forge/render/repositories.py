"""Repositories and labels as JSON of the REST API."""

from __future__ import annotations

from typing import Any

from tests.forge.labels import Label
from tests.forge.people import User
from tests.forge.render import people
from tests.forge.render.links import Links
from tests.forge.repository import ORDER, Repository
from tests.forge.world import stamp

_PLACES = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}


def minimal(links: Links, one: Repository) -> dict[str, Any]:
    """Return a repository in short."""
    url = links.repository(one)
    return {
        "id": one.id,
        "node_id": one.node_id,
        "name": one.name,
        "full_name": one.full_name,
        "owner": people.user(links, one.owner),
        "private": one.private,
        "html_url": f"{links.web}/{one.full_name}",
        "description": None,
        "fork": one.parent is not None,
        "url": url,
        **{name: url + place for name, place in _PLACES.items()},
    }


def repository(links: Links, one: Repository, viewer: User | None) -> dict[str, Any]:
    """Return a repository, with the permissions of ``viewer``."""
    level = ORDER.index(one.permission(viewer))
    web = f"{links.web}/{one.full_name}"
    host = links.web.partition("://")[2]
    return {
        **minimal(links, one),
        "git_url": f"git://{host}/{one.full_name}.git",
        "ssh_url": f"git@{host}:{one.full_name}.git",
        "clone_url": f"{web}.git",
        "svn_url": web,
        **dict.fromkeys(("homepage", "language", "mirror_url", "license")),
        **dict.fromkeys(("forks_count", "stargazers_count", "watchers_count", "size", "forks", "watchers"), 0),
        "open_issues_count": sum(pull.state == "open" for pull in one.pulls),
        "open_issues": sum(pull.state == "open" for pull in one.pulls),
        "default_branch": one.default_branch,
        "is_template": False,
        "topics": [],
        **dict.fromkeys(("has_issues", "has_projects", "has_wiki", "has_downloads"), True),
        **dict.fromkeys(("has_pages", "has_discussions", "disabled"), False),
        "archived": one.archived,
        "visibility": "private" if one.private else "public",
        "pushed_at": stamp(one.updated),
        "created_at": stamp(one.created),
        "updated_at": stamp(one.updated),
        "permissions": {
            "admin": level >= 3,
            "maintain": level >= 3,
            "push": level >= 2,
            "triage": level >= 2,
            "pull": level >= 1,
        },
    }


def whole(links: Links, one: Repository, viewer: User | None) -> dict[str, Any]:
    """Return a repository as its own page shows it."""
    found = {**repository(links, one, viewer), "subscribers_count": 0, "network_count": 0}
    if one.parent is not None:
        found["parent"] = found["source"] = repository(links, one.parent, viewer)
    return found


def label(links: Links, home: Repository, one: Label) -> dict[str, Any]:
    """Return a label."""
    return {
        "id": one.id,
        "node_id": one.node_id,
        "url": f"{links.repository(home)}/labels/{one.name}".replace(" ", "%20"),
        "name": one.name,
        "color": one.color,
        "default": False,
        "description": one.description,
    }
