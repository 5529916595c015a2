"""Snapshot of all feedback on a pull request."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from selfreview.errors import BusyError, ForgeError, NotFoundError, RefusedError
from selfreview.model.feedback import CheckState, Feedback, FeedbackItem, ItemKind, Opinion, RemoteCheck, Spot, Thread
from selfreview.pullrequest.forges.github.documents import (
    CheckRun,
    Comment,
    Inline,
    Pull,
    Review,
    Status,
    change_request,
    person,
    read,
)
from selfreview.pullrequest.forges.http.answers import next_cursor
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


_CONCLUSIONS = {
    "success": CheckState.PASSING,
    "neutral": CheckState.NEUTRAL,
    "skipped": CheckState.NEUTRAL,
    "stale": CheckState.NEUTRAL,
}
_STATUSES = {"success": CheckState.PASSING, "pending": CheckState.PENDING}


def latest(runs: Iterable[CheckRun], statuses: Iterable[Status], sha: str) -> tuple[RemoteCheck, ...]:
    """Return the latest attempt of each check on a commit, by who runs it and its name."""
    found: dict[tuple[str, str], CheckRun] = {}
    for run in runs:
        key = (str(run.app.id or run.app.slug) if run.app else "", run.name)
        if run.head_sha == sha and (key not in found or run.id > found[key].id):
            found[key] = run
    newest: dict[str, Status] = {}
    for status in statuses:
        if status.context not in newest or status.id > newest[status.context].id:
            newest[status.context] = status
    checks = [*map(_of_run, found.values()), *(_of_status(status, sha) for status in newest.values())]
    return tuple(sorted(checks, key=lambda check: (check.name, check.id)))


def _of_run(run: CheckRun) -> RemoteCheck:
    output = run.output
    summary = (output.title or output.summary) if output else None
    return RemoteCheck(
        id=f"check:{run.id}",
        name=run.name,
        state=_state(run),
        sha=run.head_sha,
        url=run.html_url or run.details_url or "",
        text=summary or (run.conclusion or run.status).replace("_", " "),
    )


def _state(run: CheckRun) -> CheckState:
    """Return the state of a check run; a finished one not known to be well failed, even if cancelled or timed out."""
    if run.status.lower() != "completed" or run.conclusion is None:
        return CheckState.PENDING
    return _CONCLUSIONS.get(run.conclusion.lower(), CheckState.FAILING)


def _of_status(status: Status, sha: str) -> RemoteCheck:
    return RemoteCheck(
        id=f"check:status-{status.id}",
        name=status.context,
        state=_STATUSES.get(status.state.lower(), CheckState.FAILING),
        sha=sha,
        url=status.target_url or "",
        text=status.description or "",
    )


_OPINIONS = {
    "APPROVED": Opinion.APPROVED,
    "CHANGES_REQUESTED": Opinion.CHANGES_REQUESTED,
    "COMMENTED": Opinion.COMMENTED,
    "DISMISSED": Opinion.DISMISSED,
}
T = TypeVar("T")


def snapshot(call: Call, base: str, owner: str, name: str, number: int) -> Feedback:
    """Read all feedback on a pull request."""
    problems: list[str] = []
    not_shown: list[str] = []
    pull = read(call.get(f"{base}/pulls/{number}"), Pull)
    reviews = read(call.pages(f"{base}/pulls/{number}/reviews?per_page=100"), list[Review])
    inline = read(call.pages(f"{base}/pulls/{number}/comments?per_page=100"), list[Inline])
    comments = read(call.pages(f"{base}/issues/{number}/comments?per_page=100"), list[Comment])
    checks = _checks(call, base, pull.head.sha, not_shown)
    known = _threads(call, owner, name, number, problems) if inline or reviews else None
    threads, thread_of = joined(known, inline)
    known = known or Known()
    ordered = sorted(
        [
            *_reviews(reviews, known.hidden_reviews),
            *(
                (
                    comment.created_at or "",
                    comment.id,
                    _inline(comment, thread_of[comment.id], comment.id in known.hidden),
                )
                for comment in inline
            ),
            *((comment.created_at or "", comment.id, _comment(comment)) for comment in comments),
        ],
        key=lambda entry: (entry[0], entry[1], entry[2].kind),
    )
    return Feedback(
        request=change_request(pull),
        items=tuple(item for _, _, item in ordered),
        threads=threads,
        checks=checks,
        problems=tuple(problems),
        not_shown=tuple(not_shown),
    )


def _threads(call: Call, owner: str, name: str, number: int, problems: list[str]) -> Known | None:
    try:
        return read_threads(call, owner, name, number)
    except BusyError:
        raise
    except ForgeError as error:
        problems.append(f"Which threads are resolved, and what is hidden, could not be read: {error.message}.")
        return None


def _checks(call: Call, base: str, sha: str, not_shown: list[str]) -> tuple[RemoteCheck, ...]:
    """Return the checks of a commit, as far as the token may read them: feedback does not depend on them."""

    def tried(path: str, within: str, shape: type[list[T]], right: str) -> list[T]:
        try:
            return read(call.pages(path, within=within, needs=right), shape)
        except (RefusedError, NotFoundError) as error:
            # Without the address: it is the same sentence for every commit, so that it is told once.
            why = error.hint or f"the token needs the right `{right}`"
            not_shown.append(f"The {right.partition(':')[0]} are not shown: {why}.")
            return []

    commit = f"{base}/commits/{sha}"
    runs = tried(f"{commit}/check-runs?filter=latest&per_page=100", "check_runs", list[CheckRun], "checks: read")
    statuses = tried(f"{commit}/status?per_page=100", "statuses", list[Status], "commit statuses: read")
    return latest(runs, statuses, sha)


def _reviews(reviews: Iterable[Review], hidden: Container[int]) -> Iterator[tuple[str, int, FeedbackItem]]:
    """Yield reviews, without those that only hold inline comments, and without pending ones."""
    when = ""
    for review in reviews:
        opinion = _OPINIONS.get(review.state.upper())
        when = review.submitted_at or when  # they come in order, and not each has a time
        body = review.body or ""
        if opinion is None or (opinion is Opinion.COMMENTED and not body.strip()):
            continue
        item = FeedbackItem(
            id=f"review:{review.id}",
            kind=ItemKind.REVIEW,
            author=person(review.user),
            body=body,
            created=review.submitted_at or "",
            url=review.html_url,
            opinion=opinion,
            commit=review.commit_id,
            hidden=review.id in hidden,
        )
        yield when, review.id, item


def _inline(comment: Inline, thread: str, hidden: bool) -> FeedbackItem:
    spot = Spot(
        path=comment.path,
        line=comment.line,
        start_line=comment.start_line,
        original_line=comment.original_line,
        original_start_line=comment.original_start_line,
        old_side=comment.side == "LEFT",
        whole_file=comment.subject_type == "file",
        commit=comment.commit_id,
        original_commit=comment.original_commit_id,
        hunk=comment.diff_hunk or "",
    )
    review = comment.pull_request_review_id
    return FeedbackItem(
        id=f"inline:{comment.id}",
        kind=ItemKind.INLINE,
        author=person(comment.user),
        body=comment.body or "",
        created=comment.created_at or "",
        updated=comment.updated_at or "",
        url=comment.html_url,
        spot=spot,
        thread=thread,
        review=None if review is None else f"review:{review}",
        commit=comment.original_commit_id,  # the other one moves to the head with lines that still stand
        hidden=hidden,
    )


def _comment(comment: Comment) -> FeedbackItem:
    return FeedbackItem(
        id=f"comment:{comment.id}",
        kind=ItemKind.COMMENT,
        author=person(comment.user),
        body=comment.body or "",
        created=comment.created_at or "",
        updated=comment.updated_at or "",
        url=comment.html_url,
        hidden=bool(comment.minimized),
    )
