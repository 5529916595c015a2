"""Reviews: ``/pulls/{number}/reviews``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.forge.call import Answer, Call, RefusedError, page
from tests.forge.conversation import Review
from tests.forge.pulls import PullRequest
from tests.forge.render import remarks
from tests.forge.repository import Repository
from tests.forge.rest import find, inline
from tests.forge.route import Route

_STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}


def list_all(call: Call, repository: Repository, number: int) -> Answer:
    """Answer with the reviews of a pull request, oldest first, and the caller's own pending one."""
    found = [one for one in find.pull(repository, number).reviews if find.visible(one, call.viewer)]
    shown, headers = page(call, found)
    return Answer(200, [remarks.review(call.links, one) for one in shown], headers)


def get(call: Call, repository: Repository, number: int, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Answer with a review."""
    return _told(call, find.review(find.pull(repository, number), id, call.viewer))


def create(call: Call, repository: Repository, number: int) -> Answer:
    """Review, with inline comments or without; without ``event`` it stays pending."""
    pull = find.pull(repository, number)
    event, text = call.text("event", required=False), call.text("body", required=False)
    return _told(call, write(call, pull, event, text, call.body.get("comments") or ()))


def write(call: Call, pull: PullRequest, event: str, text: str, comments: Iterable[dict[str, Any]]) -> Review:
    """Review as the caller, if they may; without an event it stays pending.

    Raises:
        RefusedError: If they may not, or a comment is not in the diff: nothing is written then.
    """
    comments = list(comments)
    state = _state(call, pull, event, text, bool(comments)) if event else "PENDING"
    if any(one.state == "PENDING" and one.author is call.viewer for one in pull.reviews):
        raise RefusedError(
            422, "Unprocessable Entity", errors=["User can only have one pending review per pull request"]
        )
    made = pull.review(call.author, "PENDING", text)
    try:
        for asked in comments:
            inline.begin(call, pull, asked, made)
    except RefusedError:
        for comment in made.comments:
            comment.delete()
        pull.reviews.remove(made)
        raise
    if state != "PENDING":
        made.submit(state)
    return made


def submit(call: Call, repository: Repository, number: int, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Submit a pending review."""
    pull = find.pull(repository, number)
    one = find.review(pull, id, call.viewer)
    text = call.text("body", required=False)
    if one.state != "PENDING":
        raise RefusedError(422, "Unprocessable Entity", errors=["Can not submit a review that is not pending"])
    one.submit(_state(call, pull, call.text("event"), text or one.body, bool(one.comments)), text or None)
    return _told(call, one)


def edit(call: Call, repository: Repository, number: int, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Change the body of a review."""
    one = find.review(find.pull(repository, number), id, call.viewer)
    if one.author is not call.viewer:
        raise RefusedError(422, "Unprocessable Entity", errors=["Only the author can edit a review"])
    one.edit(call.text("body"), call.viewer)
    return _told(call, one)


def dismiss(call: Call, repository: Repository, number: int, id: int) -> Answer:  # noqa: A002 - as the path names it
    """Dismiss a review."""
    one = find.review(find.pull(repository, number), id, call.viewer)
    call.text("message")
    if one.state not in {"APPROVED", "CHANGES_REQUESTED"}:
        raise RefusedError(422, "Unprocessable Entity", errors=["Can not dismiss a commented pull request review"])
    one.dismiss(call.viewer)
    return _told(call, one)


def _state(call: Call, pull: PullRequest, event: str, text: str, has_comments: bool) -> str:
    """Return the state that an event leads to; nobody may judge what is their own."""
    if event not in _STATES:
        raise RefusedError(422, "Unprocessable Entity", errors=[f"Variable $event is invalid: {event}"])
    if call.viewer is pull.author and event != "COMMENT":
        what = "approve" if event == "APPROVE" else "request changes on"
        raise RefusedError(422, "Unprocessable Entity", errors=[f"Can not {what} your own pull request"])
    if not text and event != "APPROVE" and not (event == "COMMENT" and has_comments):
        raise RefusedError(422, "Unprocessable Entity", errors=["Body can't be blank"])
    return _STATES[event]


def _told(call: Call, one: Review) -> Answer:
    return Answer(200, remarks.review(call.links, one))


ROUTES = (
    Route("GET", "/pulls/{number}/reviews", list_all),
    Route("POST", "/pulls/{number}/reviews", create),
    Route("GET", "/pulls/{number}/reviews/{id}", get),
    Route("PUT", "/pulls/{number}/reviews/{id}", edit),
    Route("POST", "/pulls/{number}/reviews/{id}/events", submit),
    Route("PUT", "/pulls/{number}/reviews/{id}/dismissals", dismiss, needs="write"),
)
