"""Accounts as JSON of the REST API."""

from __future__ import annotations

from typing import Any

from tests.forge.people import User
from tests.forge.render.links import Links
from tests.forge.world import stamp

GHOST = "ghost"


def user(links: Links, one: User) -> dict[str, Any]:
    """Return an account."""
    login, number = (GHOST, 10137) if one.deleted else (one.login, one.id)
    url = f"{links.api}/users/{login}"
    return {
        "login": login,
        "id": number,
        "node_id": one.node_id,
        "avatar_url": f"{links.web}/avatars/{number}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{links.web}/{login}",
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": "User" if one.deleted else one.kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def author(links: Links, one: User) -> dict[str, Any] | None:
    """Return the author of something, or None where the account is gone."""
    return None if one.deleted else user(links, one)


def profile(links: Links, one: User) -> dict[str, Any]:
    """Return an account as its page shows it."""
    empty = ("company", "location", "email", "hireable", "bio", "twitter_username")
    return {
        **user(links, one),
        **dict.fromkeys(empty),
        "name": one.name,
        "blog": "",
        **dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0),
        "created_at": stamp(one.created),
        "updated_at": stamp(one.updated),
    }
