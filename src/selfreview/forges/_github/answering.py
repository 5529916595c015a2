"""Replies in review threads: each once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.errors import NotFoundError
from selfreview.forges._github.people import graph_login
from selfreview.forges._github.shapes import Inline, Written, read
from selfreview.forges._github.threads import next_cursor
from selfreview.forges._github.writing import RIGHT, Request, is_own, marked_text, once
from selfreview.forges._http.call import Call
from selfreview.model.feedback import Marked, Person
from selfreview.model.mark import mark_of

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
    members = sorted((one for one in comments if top in (one.id, one.in_reply_to_id)), key=lambda one: one.id)
    seen = _ThreadSeen()
    seen.top = top if members else None
    for one in members:
        if is_own(one.user, request.me) and mark_of(one.body or "") == mark:
            seen.answer = Marked(id=f"inline:{one.id}", url=one.html_url, created=False)
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
