"""Pull requests: ``/pulls``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.forge.call import Answer, Call, invalid, page
from tests.forge.people import User
from tests.forge.pulls import PullRequest
from tests.forge.render import pulls
from tests.forge.repository import Repository
from tests.forge.rest import find
from tests.forge.route import Route

_ORDERS: dict[str, Callable[[PullRequest], Any]] = {
    "created": lambda one: (one.created, one.number),
    "updated": lambda one: (one.updated, one.number),
    "popularity": lambda one: (len(one.comments), one.number),
    "long-running": lambda one: (one.created, one.number),
}


def list_all(call: Call, repository: Repository) -> Answer:
    """Answer with pull requests: ``state``, ``head``, ``base``, ``sort`` and ``direction`` choose."""
    state, sort = call.query.get("state", "open"), call.query.get("sort", "created")
    if state not in {"open", "closed", "all"} or sort not in _ORDERS:
        raise invalid("PullRequest", "state", "is not included in the list")
    falling = call.query.get("direction", "desc" if sort == "created" else "asc") == "desc"
    found = [one for one in repository.pulls if state in {"all", one.state} and _fits(call, one)]
    found.sort(key=_ORDERS[sort], reverse=falling)
    shown, headers = page(call, found)
    return Answer(200, [pulls.simple(call.links, one, call.viewer) for one in shown], headers)


def _fits(call: Call, one: PullRequest) -> bool:
    """Return whether a pull request is of the head and the base that are asked for; a bare branch chooses none."""
    head, base = call.query.get("head"), call.query.get("base")
    if base and one.base != base:
        return False
    owner, colon, branch = (head or "").partition(":")
    if not colon:
        return True
    owns = one.head_repository.owner if one.head_repository else one.author
    return one.head == branch and owns.login.lower() == owner.lower()


def get(call: Call, repository: Repository, number: int) -> Answer:
    """Answer with a pull request."""
    return Answer(200, pulls.whole(call.links, find.pull(repository, number), call.viewer))


def create(call: Call, repository: Repository) -> Answer:
    """Open a pull request."""
    title, head, base = call.text("title"), call.text("head"), call.text("base")
    body = call.text("body", required=False)
    made = open_pull(repository, call.author, title=title, body=body, head=head, base=base, wanted=call.body)
    told = pulls.whole(call.links, made, call.viewer)
    return Answer(201, told, {"location": told["url"]})


def open_pull(
    repository: Repository, author: User, *, title: str, body: str, head: str, base: str, wanted: Mapping[str, Any]
) -> PullRequest:
    """Open a pull request, if the forge accepts it.

    Args:
        head: A branch, or ``owner:branch``.
        wanted: ``draft`` and ``maintainer_can_modify``.

    Raises:
        RefusedError: If a branch is not there, nothing is different, or there is one already.
    """
    owner, colon, branch = head.rpartition(":")
    home = _home(repository, owner) if colon else repository
    if not base or base not in repository.heads():
        raise invalid("PullRequest", "base", "Validation failed", "invalid")
    if home is None or branch not in home.heads():
        raise invalid("PullRequest", "head", "Validation failed", "invalid")
    label = f"{home.owner.login}:{branch}"
    for one in repository.pulls:
        if one.state == "open" and (one.head_repository, one.head, one.base) == (home, branch, base):
            raise invalid("PullRequest", "", f"A pull request already exists for {label}.")
    if home.sha(branch) == repository.sha(base):
        raise invalid("PullRequest", "", f"No commits between {base} and {branch}")
    return repository.pull(
        branch,
        author=author,
        base=base,
        title=title,
        body=body or None,
        draft=bool(wanted.get("draft")),
        fork=None if home is repository else home,
        maintainer_can_modify=home is not repository and wanted.get("maintainer_can_modify") is not False,
    )


def edit(call: Call, repository: Repository, number: int) -> Answer:
    """Change a pull request."""
    one = find.pull(repository, number)
    texts = {name: call.text(name) for name in ("title", "body", "base") if call.body.get(name) is not None}
    if texts:
        one.edit(**texts, by=call.viewer)
    match call.body.get("state"):
        case "closed" if one.state == "open":
            one.close(call.viewer)
        case "open" if one.state == "closed" and one.merged is None:
            one.reopen(call.viewer)
    return Answer(200, pulls.whole(call.links, one, call.viewer))


def _home(repository: Repository, owner: str) -> Repository | None:
    """Return the repository of somebody that is this one, or a fork of it."""
    for one in repository.world.repositories.values():
        if one.owner.login.lower() == owner.lower() and (one is repository or one.parent is repository):
            return one
    return None


ROUTES = (
    Route("GET", "/pulls", list_all),
    Route("POST", "/pulls", create),
    Route("GET", "/pulls/{number}", get),
    Route("PATCH", "/pulls/{number}", edit, needs="write"),
)
