"""Repositories and permissions in them: ``/repos/{owner}/{repo}``."""

from __future__ import annotations

from tests.forge.call import Answer, Call, not_found
from tests.forge.render import people, repositories
from tests.forge.repository import Repository
from tests.forge.route import Route


def get(call: Call, repository: Repository) -> Answer:
    """Answer with the repository."""
    return Answer(200, repositories.whole(call.links, repository, call.viewer))


def permission(call: Call, repository: Repository, login: str) -> Answer:
    """Answer with an account's permission."""
    user = call.world.users.get(login.lower())
    if user is None or user.deleted:
        raise not_found()
    level = repository.permission(user)
    rights = {"admin": level == "admin", "maintain": level == "admin", "push": level in {"admin", "write"}}
    rights |= {"triage": rights["push"], "pull": level != "none"}
    told = {**people.user(call.links, user), "permissions": rights, "role_name": level}
    return Answer(200, {"permission": level, "user": told, "role_name": level})


ROUTES = (
    Route("GET", "", get),
    Route("GET", "/collaborators/{login}/permission", permission, needs="write"),
)
