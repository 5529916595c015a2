"""Review threads: which comments answer one another, and which are resolved. Only GraphQL shows the latter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from selfreview.errors import ForgeError
from selfreview.model.feedback import Thread
from selfreview.pullrequest.forges.github.documents import Inline
from selfreview.pullrequest.forges.http.client import Call

_COMMENT = "databaseId isMinimized"
_THREADS = f"""
query(
  $owner: String!, $name: String!, $number: Int!,
  $threads: Boolean!, $threadsAfter: String, $reviews: Boolean!, $reviewsAfter: String
) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      reviewThreads(first: 100, after: $threadsAfter) @include(if: $threads) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          id isResolved isOutdated
          comments(first: 50) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ {_COMMENT} }} }}
        }}
      }}
      reviews(first: 100, after: $reviewsAfter) @include(if: $reviews) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{ {_COMMENT} }}
      }}
    }}
  }}
}}
"""
_MORE = f"""
query($id: ID!, $after: String) {{
  node(id: $id) {{
    ... on PullRequestReviewThread {{
      comments(first: 100, after: $after) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ {_COMMENT} }} }}
    }}
  }}
}}
"""


class Known:
    """Facts about a pull request that GraphQL gives, and REST does not.

    Attributes:
        threads: The threads, with REST's ids of their comments.
        hidden: REST's ids of the inline comments that somebody hid.
        hidden_reviews: The same of reviews.
    """

    def __init__(self) -> None:
        self.threads: list[tuple[Mapping[str, Any], list[int]]] = []
        self.hidden: set[int] = set()
        self.hidden_reviews: set[int] = set()


def read_threads(call: Call, owner: str, name: str, number: int) -> Known:
    """Read all threads, each to its last comment, and which reviews are hidden.

    Raises:
        ForgeError: If any of it cannot be read.
    """
    known = Known()
    left: dict[str, str | None] = {"threads": None, "reviews": None}
    while left:
        variables: dict[str, object] = {"owner": owner, "name": name, "number": number}
        for part in ("threads", "reviews"):
            variables |= {part: part in left, f"{part}After": left.get(part)}
        graph = call.query(_THREADS, variables)
        pull = graph.at("repository", "pullRequest")
        if graph.errors or not isinstance(pull, Mapping):
            raise graph.problem("GitHub does not show the threads")
        after: dict[str, str | None] = {}
        for part, before in left.items():
            page = pull.get("reviewThreads" if part == "threads" else "reviews")
            if not isinstance(page, Mapping):
                raise ForgeError("GitHub does not show the threads")
            _take(call, page, known, part)
            cursor = next_cursor(page, before)
            if cursor is not None:
                after[part] = cursor
        left = after
    return known


def _take(call: Call, page: Mapping[str, Any], known: Known, part: str) -> None:
    for node in page.get("nodes") or ():
        if not isinstance(node, Mapping):
            raise ForgeError(f"GitHub does not show all {part}")
        if part == "threads":
            known.threads.append((node, _comments(call, node, known)))
        elif node.get("isMinimized") and isinstance(node.get("databaseId"), int):
            known.hidden_reviews.add(node["databaseId"])


def next_cursor(page: Mapping[str, Any], before: str | None) -> str | None:
    """Return the cursor of a connection's next page, or None after the last.

    Raises:
        ForgeError: If it begins where this one did.
    """
    info = page.get("pageInfo")
    if not isinstance(info, Mapping) or not info.get("hasNextPage"):
        return None
    after = info.get("endCursor")
    if not isinstance(after, str) or after == before:
        raise ForgeError("GitHub sends pages in circles")
    return after


def _comments(call: Call, thread: Mapping[str, Any], known: Known) -> list[int]:
    ids: list[int] = []
    page = thread.get("comments")
    after: str | None = None
    while isinstance(page, Mapping):
        for comment in page.get("nodes") or ():
            if isinstance(comment, Mapping) and isinstance(comment.get("databaseId"), int):
                ids.append(comment["databaseId"])
                if comment.get("isMinimized"):
                    known.hidden.add(comment["databaseId"])
        after = next_cursor(page, after)
        if after is None:
            return ids
        graph = call.query(_MORE, {"id": thread.get("id"), "after": after})
        page = graph.at("node", "comments")
        if graph.errors:
            raise graph.problem("GitHub does not show all comments of a thread")
    raise ForgeError("GitHub does not show the comments of a thread")


def joined(known: Known | None, comments: Iterable[Inline]) -> tuple[tuple[Thread, ...], dict[int, str]]:
    """Return the threads, and the thread's id of each comment.

    Args:
        known: What GraphQL says; None where it says nothing, then threads are known by their first comment.
        comments: All inline comments.
    """
    comments = sorted(comments, key=lambda comment: comment.id)
    thread_of: dict[int, str] = {}
    facts: dict[str, Mapping[str, Any]] = {}
    for facts_of, ids in known.threads if known else ():
        name = str(facts_of.get("id"))
        facts[name] = facts_of
        thread_of.update(dict.fromkeys(ids, name))
    tops: dict[int, str] = {}
    for comment in comments:
        top = comment.in_reply_to_id or comment.id
        if comment.id not in thread_of:
            thread_of[comment.id] = thread_of.get(top) or tops.get(top) or f"inline:{top}"
        tops.setdefault(top, thread_of[comment.id])
    members: dict[str, list[Inline]] = {}
    for comment in comments:
        members.setdefault(thread_of[comment.id], []).append(comment)
    return tuple(_thread(name, found, facts.get(name)) for name, found in members.items()), thread_of


def _thread(name: str, comments: list[Inline], facts: Mapping[str, Any] | None) -> Thread:
    first = comments[0]
    outdated = first.line is None and first.subject_type != "file"
    return Thread(
        id=name,
        items=tuple(f"inline:{comment.id}" for comment in comments),
        resolved=bool(facts and facts.get("isResolved")),
        outdated=bool(facts.get("isOutdated")) if facts else outdated,
    )
