"""Inline comments: ``/pulls/{number}/comments`` and ``/pulls/comments``."""

from __future__ import annotations

from typing import Any

from tests.forge.call import Answer, Call, RefusedError, invalid, not_found, page
from tests.forge.conversation import InlineComment, Review
from tests.forge.pulls import PullRequest
from tests.forge.render import remarks
from tests.forge.repository import Repository
from tests.forge.rest import find
from tests.forge.rest.comments import body
from tests.forge.rest.select import direction, since
from tests.forge.route import Route


def of_pull(call: Call, repository: Repository, number: int) -> Answer:
    """Answer with the inline comments of a pull request."""
    return _list(call, find.pull(repository, number).inline_comments)


def of_repository(call: Call, repository: Repository) -> Answer:
    """Answer with the inline comments of all pull requests."""
    return _list(call, [one for pull in repository.pulls for one in pull.inline_comments])


def _list(call: Call, found: list[InlineComment]) -> Answer:
    seen = [one for one in found if one.review.state != "PENDING"]
    shown, headers = page(call, direction(call, since(call, seen)))
    return Answer(200, [remarks.inline(call.links, one) for one in shown], headers)


def get(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Answer with an inline comment."""
    return Answer(200, remarks.inline(call.links, find.inline(repository, id, call.viewer)))


def create(call: Call, repository: Repository, number: int) -> Answer:
    """Write an inline comment, or an answer to one by ``in_reply_to``."""
    pull, above = find.pull(repository, number), call.number("in_reply_to")
    if above is not None:
        return _reply(call, pull, above)
    text = body(call, "PullRequestReviewComment")
    if call.text("commit_id") not in {pull.head_sha}:
        raise invalid("PullRequestReviewComment", "commit_id", "commit_id is not part of the pull request")
    return _made(call, begin(call, pull, {**call.body, "body": text}, None))


def begin(call: Call, pull: PullRequest, asked: dict[str, Any], review: Review | None) -> InlineComment:
    """Begin a thread from a request.

    Raises:
        RefusedError: If the lines are not part of the diff.
    """
    path, line, start = asked.get("path"), asked.get("line"), asked.get("start_line")
    side = asked.get("side") or "RIGHT"
    whole = asked.get("subject_type") == "file"
    if not isinstance(path, str) or side not in {"LEFT", "RIGHT"} or not (whole or isinstance(line, int)):
        raise RefusedError(422, 'Invalid request.\n\nNo subschema in "oneOf" matched.')
    if isinstance(start, int) and isinstance(line, int) and start >= line:
        raise invalid("PullRequestReviewComment", "start_line", "start_line must precede the end line.")
    hunk = None if whole else pull.hunk(path, line, side)
    if not whole and hunk is None and pull.repository.remote is not None:
        message = "pull_request_review_thread.line must be part of the diff"
        raise invalid("PullRequestReviewComment", "pull_request_review_thread.line", message)
    return pull.inline(
        call.author,
        path,
        None if whole else line,
        str(asked["body"]),
        start_line=None if whole else start,
        side=side,
        hunk=hunk,
        review=review,
    )


def reply(call: Call, repository: Repository, number: int, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Answer an inline comment, which has to be the first of its thread."""
    return _reply(call, find.pull(repository, number), id)


def _reply(call: Call, pull: PullRequest, above: int) -> Answer:
    found = find.inline(pull.repository, above, call.viewer)
    if found.pull is not pull or found.top is not None:
        raise not_found()
    return _made(call, found.reply(call.author, body(call, "PullRequestReviewComment")))


def _made(call: Call, one: InlineComment) -> Answer:
    told = remarks.inline(call.links, one)
    return Answer(201, told, {"location": told["url"]})


def edit(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Change an inline comment."""
    one = _own(call, repository, id)
    one.edit(body(call, "PullRequestReviewComment"), call.viewer)
    return Answer(200, remarks.inline(call.links, one))


def delete(call: Call, repository: Repository, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Delete an inline comment."""
    _own(call, repository, id).delete(call.viewer)
    return Answer(204)


def _own(call: Call, repository: Repository, number: int) -> InlineComment:
    one = find.inline(repository, number, call.viewer)
    if not find.may_edit(call, repository, one):
        raise RefusedError(403, "Must have admin rights to Repository.")
    return one


ROUTES = (
    Route("GET", "/pulls/{number}/comments", of_pull),
    Route("POST", "/pulls/{number}/comments", create),
    Route("POST", "/pulls/{number}/comments/{id}/replies", reply),
    Route("GET", "/pulls/comments", of_repository),
    Route("GET", "/pulls/comments/{id}", get),
    Route("PATCH", "/pulls/comments/{id}", edit),
    Route("DELETE", "/pulls/comments/{id}", delete),
)
