"""Requested reviewers: ``/pulls/{number}/requested_reviewers``."""

from __future__ import annotations

from tests.forge.call import Answer, Call, RefusedError
from tests.forge.people import User
from tests.forge.render import people, pulls
from tests.forge.repository import Repository
from tests.forge.rest import find
from tests.forge.route import Route


def list_all(call: Call, repository: Repository, number: int) -> Answer:
    """Answer with the requested reviewers."""
    asked = find.pull(repository, number).requested
    return Answer(200, {"users": [people.user(call.links, one) for one in asked], "teams": []})


def add(call: Call, repository: Repository, number: int) -> Answer:
    """Request reviews: of everybody named, or of nobody."""
    pull = find.pull(repository, number)
    users = _users(call, repository)
    if pull.author in users:
        raise RefusedError(422, "Review cannot be requested from pull request author.")
    pull.request_review(*users, by=call.viewer)
    return Answer(201, pulls.simple(call.links, pull, call.viewer))


def remove(call: Call, repository: Repository, number: int) -> Answer:
    """Remove requests for reviews."""
    pull = find.pull(repository, number)
    gone = _users(call, repository)
    pull.requested = [one for one in pull.requested if one not in gone]
    pull.touch()
    return Answer(200, pulls.simple(call.links, pull, call.viewer))


def _users(call: Call, repository: Repository) -> list[User]:
    names, teams = call.names("reviewers"), call.names("team_reviewers")
    users = [call.world.users.get(name.lower()) for name in names]
    found = [one for one in users if one is not None and not one.deleted and repository.is_collaborator(one)]
    if len(found) < len(names) or teams:
        message = (
            "Reviews may only be requested from collaborators. One or more of the users or teams you specified "
            f"is not a collaborator of the {repository.full_name} repository."
        )
        raise RefusedError(422, message)
    return found


ROUTES = (
    Route("GET", "/pulls/{number}/requested_reviewers", list_all),
    Route("POST", "/pulls/{number}/requested_reviewers", add, needs="write"),
    Route("DELETE", "/pulls/{number}/requested_reviewers", remove, needs="write"),
)
