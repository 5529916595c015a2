"""Labels of a repository, and of a pull request."""

from __future__ import annotations

from typing import Any

from tests.forge.call import Answer, Call, RefusedError, invalid, not_found, page
from tests.forge.pulls import PullRequest
from tests.forge.render import people, repositories
from tests.forge.repository import Repository
from tests.forge.rest import find
from tests.forge.route import Route
from tests.forge.world import stamp


def of_repository(call: Call, repository: Repository) -> Answer:
    """Answer with all labels."""
    shown, headers = page(call, list(repository.labels.values()))
    return Answer(200, [repositories.label(call.links, repository, one) for one in shown], headers)


def create(call: Call, repository: Repository) -> Answer:
    """Make a label."""
    name, color = call.text("name"), call.text("color", required=False)
    if name.lower() in repository.labels:
        raise RefusedError(422, "Validation Failed", errors=[_error("name", "already_exists")])
    if color and (len(color) != 6 or not color.isalnum()):
        raise RefusedError(422, "Validation Failed", errors=[_error("color", "invalid")])
    made = repository.label(name, color or "ededed", call.text("description", required=False) or None)
    told = repositories.label(call.links, repository, made)
    return Answer(201, told, {"location": told["url"]})


def get(call: Call, repository: Repository, name: str) -> Answer:
    """Answer with a label."""
    found = repository.labels.get(name.lower())
    if found is None:
        raise not_found()
    return Answer(200, repositories.label(call.links, repository, found))


def of_pull(call: Call, repository: Repository, number: int) -> Answer:
    """Answer with the labels of a pull request."""
    return _told(call, find.pull(repository, number))


def add(call: Call, repository: Repository, number: int) -> Answer:
    """Put labels on a pull request; those that the repository does not have are made."""
    pull = find.pull(repository, number)
    names = [one.get("name") if isinstance(one, dict) else one for one in call.body.get("labels") or ()]
    if not names or not all(isinstance(name, str) and name for name in names):
        raise invalid("Label", "name", "Name can't be blank")
    for name in names:
        pull.label(str(name), call.viewer)
    return _told(call, pull)


def remove(call: Call, repository: Repository, number: int, name: str) -> Answer:
    """Take a label off a pull request."""
    pull = find.pull(repository, number)
    if not pull.unlabel(name, call.viewer):
        raise RefusedError(404, "Label does not exist")
    return _told(call, pull)


def events(call: Call, repository: Repository, number: int) -> Answer:
    """Answer with the label events of a pull request, oldest first; other events are not kept."""
    shown, headers = page(call, find.pull(repository, number).label_events)
    told = [
        {
            "id": one.id,
            "node_id": f"LE_{one.id}",
            "url": f"{call.links.repository(repository)}/issues/events/{one.id}",
            "event": one.event,
            "commit_id": None,
            "commit_url": None,
            "performed_via_github_app": None,
            "actor": people.user(call.links, one.by),
            "created_at": stamp(one.at),
            "label": {"name": one.label, "color": "ededed"},
        }
        for one in shown
    ]
    return Answer(200, told, headers)


def _told(call: Call, pull: PullRequest) -> Answer:
    return Answer(200, [repositories.label(call.links, pull.repository, one) for one in pull.labels])


def _error(field: str, code: str) -> dict[str, Any]:
    return {"resource": "Label", "field": field, "code": code}


ROUTES = (
    Route("GET", "/labels", of_repository),
    Route("POST", "/labels", create, needs="write"),
    Route("GET", "/labels/{name}", get),
    Route("GET", "/issues/{number}/labels", of_pull),
    Route("GET", "/issues/{number}/events", events),
    Route("POST", "/issues/{number}/labels", add, needs="write"),
    Route("DELETE", "/issues/{number}/labels/{name}", remove, needs="write"),
)
