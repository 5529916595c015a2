"""General comments of our own, each known by its mark; never the same one twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from selfreview.errors import ForgeError, NotFoundError, RefusedError, UnsureError
from selfreview.forges._cutting import fit
from selfreview.forges._github.shapes import Comment, User, Written, read
from selfreview.forges._http.call import Call
from selfreview.model.feedback import Marked, Person
from selfreview.model.mark import hidden, mark_of

MOST_CHARACTERS = 65_000
_TRIES = 3
RIGHT = "pull requests: write"


class Request(NamedTuple):
    """A pull request to write to.

    Attributes:
        call: What writes.
        base: ``/repos/OWNER/NAME``.
        number: Its number.
        me: Whose the token is.
    """

    call: Call
    base: str
    number: int
    me: Person


def marked_text(mark: str, body: str) -> str:
    """Return a comment's text with its mark, within GitHub's maximum length."""
    line = hidden(mark)
    return f"{line}\n{fit(body, MOST_CHARACTERS - len(line) - 1)}"


def write_comment(request: Request, mark: str, body: str) -> Marked:
    """Write a general comment, or edit the existing one."""
    text = marked_text(mark, body)
    call, base = request.call, request.base
    before: set[int] = set()

    def marked(comment: Comment | Written) -> Marked:
        return Marked(id=f"comment:{comment.id}", url=comment.html_url, created=comment.id not in before)

    def write() -> Marked:
        for comment in _own_comments(request, mark):
            before.add(comment.id)
            if _same(comment.body, text) or _edited(call, base, comment.id, text):
                return marked(comment)
        path = f"{base}/issues/{request.number}/comments"
        return marked(read(call.send("POST", path, {"body": text}, needs=RIGHT), Written))

    def look() -> Marked | None:
        own = _own_comments(request, mark)
        return next((marked(comment) for comment in own if _same(comment.body, text)), None)

    return once(call, write, look)


def once(call: Call, do: Callable[[], Marked], look: Callable[[], Marked | None]) -> Marked:
    """Do something that must not happen twice: after an unclear outcome, look whether it happened.

    Raises:
        UnsureError: If that stays unknown, or there is no time left to try again.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            return do()
        except UnsureError as unsure:
            if not call.rest_a_moment(attempt + 1):  # what was written shows after a moment
                raise
            try:
                found = look()
            except ForgeError as error:
                raise unsure from error
            if found is not None:
                return found
            if attempt == _TRIES:
                raise
    raise AssertionError  # the last attempt returns or raises


def _own_comments(request: Request, mark: str) -> list[Comment]:
    """Return our comments with a mark, newest first: an older one may be there that could not be edited."""
    path = f"{request.base}/issues/{request.number}/comments?per_page=100"
    comments = read(request.call.pages(path), list[Comment])
    return [one for one in reversed(comments) if is_own(one.user, request.me) and mark_of(one.body or "") == mark]


def _edited(call: Call, base: str, comment: int, text: str) -> bool:
    """Return whether a comment could be edited; where it cannot, another takes its place."""
    try:
        call.send("PATCH", f"{base}/issues/comments/{comment}", {"body": text}, needs=RIGHT)
    except (NotFoundError, RefusedError):
        return False
    return True


def is_own(user: User | None, me: Person) -> bool:
    """Return whether an account is the token's."""
    if user is None:
        return False
    return user.login.lower() == me.login.lower() if me.id is None else str(user.id) == me.id


def _same(there: str | None, text: str) -> bool:
    return (there or "").replace("\r\n", "\n").strip() == text.replace("\r\n", "\n").strip()
