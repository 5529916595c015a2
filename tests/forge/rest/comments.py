"""General comments: ``/issues/{number}/comments`` and ``/issues/comments``."""

from __future__ import annotations

from tests.forge.call import Answer, Call, RefusedError, invalid, page
from tests.forge.conversation import IssueComment
from tests.forge.render import remarks
from tests.forge.repository import Repository
from tests.forge.rest import find
from tests.forge.rest.select import direction, since
from tests.forge.route import Route

MOST = 65_536
"""Maximum characters of a body."""


def body(call: Call, resource: str = "IssueComment") -> str:
    """Return the body of a new comment.

    Raises:
        RefusedError: If it is empty or too long.
    """
    text = call.text("body")
    if not text.strip():
        raise invalid(resource, "body", "Body cannot be blank", "missing_field")
    if len(text) > MOST:
        raise invalid(resource, "body", f"body is too long (maximum is {MOST} characters)")
    return text


def of_pull(call: Call, repository: Repository, number: int) -> Answer:
    """Answer with the comments of a pull request, oldest first."""
    shown, headers = page(call, since(call, find.pull(repository, number).comments))
    return Answer(200, [remarks.comment(call.links, one) for one in shown], headers)


def of_repository(call: Call, repository: Repository) -> Answer:
    """Answer with the comments of all pull requests."""
    found: list[IssueComment] = [one for pull in repository.pulls for one in pull.comments]
    shown, headers = page(call, direction(call, since(call, found)))
    return Answer(200, [remarks.comment(call.links, one) for one in shown], headers)


def get(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Answer with a comment."""
    return Answer(200, remarks.comment(call.links, find.comment(repository, id)))


def create(call: Call, repository: Repository, number: int) -> Answer:
    """Write a comment."""
    pull = find.pull(repository, number)
    told = remarks.comment(call.links, pull.comment(call.author, body(call)))
    return Answer(201, told, {"location": told["url"]})


def edit(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Change a comment."""
    one = _own(call, repository, id)
    one.edit(body(call), call.viewer)
    return Answer(200, remarks.comment(call.links, one))


def delete(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Delete a comment."""
    _own(call, repository, id).delete(call.viewer)
    return Answer(204)


def _own(call: Call, repository: Repository, number: int) -> IssueComment:
    one = find.comment(repository, number)
    if not find.may_edit(call, repository, one):
        raise RefusedError(403, "Must have admin rights to Repository.")
    return one


ROUTES = (
    Route("GET", "/issues/{number}/comments", of_pull),
    Route("POST", "/issues/{number}/comments", create),
    Route("GET", "/issues/comments", of_repository),
    Route("GET", "/issues/comments/{id}", get),
    Route("PATCH", "/issues/comments/{id}", edit),
    Route("DELETE", "/issues/comments/{id}", delete),
)
