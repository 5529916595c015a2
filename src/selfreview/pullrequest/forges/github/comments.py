"""Comments of our own, and replies in threads: each known by its mark, and never written twice."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from selfreview.errors import ForgeError, NotFoundError, RefusedError, UnsureError
from selfreview.model.feedback import Marked, Person, hidden, mark_of
from selfreview.pullrequest.forges.github.documents import Comment, Inline, User, Written, graph_login, read
from selfreview.pullrequest.forges.http.answers import next_cursor
from selfreview.pullrequest.forges.http.client import Call

_NOTE = "*The rest was cut: it is longer than a comment may be.*"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_JOINER = "\u200d"


def fit(text: str, limit: int) -> str:
    """Return a text of at most ``limit`` characters, cut where a character ends, with its code fences closed."""
    text = clean(text)
    if len(text) <= limit:
        return text
    room = limit - len(_NOTE) - 4
    while True:
        kept = text[: _border(text, room)]
        fence = open_fence(kept)
        end = f"\n{fence}\n\n{_NOTE}" if fence else f"\n\n{_NOTE}"
        if len(kept) + len(end) <= limit:
            return kept + end
        room -= len(kept) + len(end) - limit


def clean(text: str) -> str:
    """Return a text in which characters that no forge takes, NUL and lone surrogates, are replaced."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def open_fence(text: str) -> str:
    """Return the fence that closes the code block open at a text's end, or an empty string."""
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line.rstrip("\r"))
        if match is None:
            continue
        marks, rest = match[1], match[2]
        if not fence:
            fence = "" if marks[0] == "`" and "`" in rest else marks
        elif marks[0] == fence[0] and len(marks) >= len(fence) and not rest.strip():
            fence = ""
    return fence


def _border(text: str, end: int) -> int:
    """Return the last place up to ``end`` that does not split a character as a reader sees it."""
    at = end
    while at > max(end - 64, 1) and (_continues(text[at]) or text[at - 1] == _JOINER):
        at -= 1
    return at


def _continues(char: str) -> bool:
    return char == _JOINER or unicodedata.category(char) in ("Mn", "Mc", "Me") or "\U0001f3fb" <= char <= "\U0001f3ff"


MAX_CHARACTERS = 65_000
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
    return f"{line}\n{fit(body, MAX_CHARACTERS - len(line) - 1)}"


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
    return [
        comment
        for comment in reversed(comments)
        if is_own(comment.user, request.me) and mark_of(comment.body or "") == mark
    ]


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


_THREAD = """
query($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { databaseId url body author { login __typename } }
      }
    }
  }
}
"""
_REPLY = """
mutation($id: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: $body}) {
    comment { databaseId url }
  }
}
"""


class _ThreadSeen:
    """Current state of a thread: its first comment, and the answer with the mark."""

    def __init__(self) -> None:
        self.top: int | None = None
        self.answer: Marked | None = None


def answer(request: Request, thread: str, mark: str, body: str) -> Marked | None:
    """Answer in a thread unless an answer with the mark is there; None where the thread is gone."""
    text = marked_text(mark, body)
    call = request.call

    def see() -> _ThreadSeen:
        if thread.startswith("inline:"):
            return _seen_by_rest(request, int(thread.partition(":")[2]), mark)
        return _seen_by_graph(call, thread, mark, request.me)

    seen = see()
    if seen.answer is not None or seen.top is None:
        return seen.answer
    top = seen.top

    def reply() -> Marked:
        path = f"{request.base}/pulls/{request.number}/comments/{top}/replies"
        try:
            return _marked(call.send("POST", path, {"body": text}, needs=RIGHT))
        except NotFoundError:
            if thread.startswith("inline:"):
                raise
            return _reply_by_graph(call, thread, text)

    def look() -> Marked | None:
        found = see().answer
        return None if found is None else Marked(id=found.id, url=found.url)

    try:
        return once(call, reply, look)
    except NotFoundError:
        return None


def _marked(data: object) -> Marked:
    written = read(data, Written)
    return Marked(id=f"inline:{written.id}", url=written.html_url)


def _reply_by_graph(call: Call, thread: str, text: str) -> Marked:
    graph = call.mutate(_REPLY, {"id": thread, "body": text})
    comment = graph.at("addPullRequestReviewThreadReply", "comment")
    if not isinstance(comment, Mapping):
        raise graph.problem("GitHub does not take the answer")
    return Marked(id=f"inline:{comment.get('databaseId')}", url=str(comment.get("url") or ""))


def _seen_by_rest(request: Request, top: int, mark: str) -> _ThreadSeen:
    path = f"{request.base}/pulls/{request.number}/comments?per_page=100"
    comments = read(request.call.pages(path), list[Inline])
    members = sorted(
        (comment for comment in comments if top in (comment.id, comment.in_reply_to_id)), key=lambda comment: comment.id
    )
    seen = _ThreadSeen()
    seen.top = top if members else None
    for comment in members:
        if is_own(comment.user, request.me) and mark_of(comment.body or "") == mark:
            seen.answer = Marked(id=f"inline:{comment.id}", url=comment.html_url, created=False)
    return seen


def _seen_by_graph(call: Call, thread: str, mark: str, me: Person) -> _ThreadSeen:
    seen = _ThreadSeen()
    after: str | None = None
    while True:
        graph = call.query(_THREAD, {"id": thread, "after": after})
        page = graph.at("node", "comments")
        if not isinstance(page, Mapping):
            problem = graph.problem("GitHub does not show the thread")
            if graph.errors and not isinstance(problem, NotFoundError):
                raise problem
            return _ThreadSeen()
        for node in page.get("nodes") or ():
            if isinstance(node, Mapping):
                _note(seen, node, mark, me)
        after = next_cursor(page, after)
        if after is None:
            return seen


def _note(seen: _ThreadSeen, node: Mapping[str, Any], mark: str, me: Person) -> None:
    number, author = node.get("databaseId"), node.get("author")
    if not isinstance(number, int):
        return
    if seen.top is None:
        seen.top = number
    if isinstance(author, Mapping) and mark_of(str(node.get("body") or "")) == mark:
        login = graph_login(str(author.get("login")), str(author.get("__typename")))
        if login.lower() == me.login.lower():
            seen.answer = Marked(id=f"inline:{number}", url=str(node.get("url") or ""), created=False)
