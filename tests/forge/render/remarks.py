"""Comments and reviews of pull requests as REST shows them."""

from __future__ import annotations

from typing import Any

from tests.forge.conversation import InlineComment, IssueComment, Review
from tests.forge.render import people
from tests.forge.render.links import Links
from tests.forge.world import stamp

_REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket")


def comment(links: Links, one: IssueComment) -> dict[str, Any]:
    """Return a general comment."""
    url = f"{links.repository(one.pull.repository)}/issues/comments/{one.id}"
    found = {
        "id": one.id,
        "node_id": one.node_id,
        "url": url,
        "html_url": f"{links.page(one.pull)}#issuecomment-{one.id}",
        "issue_url": links.issue(one.pull),
        "user": people.author(links, one.author),
        "created_at": stamp(one.created),
        "updated_at": stamp(one.updated),
        "body": one.body,
        "author_association": one.pull.repository.association(one.author),
        "performed_via_github_app": None,
        "reactions": _reactions(url),
    }
    if one.minimized is not None:
        found["minimized"] = {"reason": one.minimized}
    return found


def review(links: Links, one: Review) -> dict[str, Any]:
    """Return a review: there is no time of its last edit in it."""
    page = f"{links.page(one.pull)}#pullrequestreview-{one.id}"
    pull = links.pull(one.pull)
    found = {
        "id": one.id,
        "node_id": one.node_id,
        "user": people.author(links, one.author),
        "body": one.body,
        "state": one.state,
        "html_url": page,
        "pull_request_url": pull,
        "author_association": one.pull.repository.association(one.author),
        "_links": {"html": {"href": page}, "pull_request": {"href": pull}},
        "commit_id": one.commit,
    }
    if one.submitted is not None:
        found["submitted_at"] = stamp(one.submitted)
    return found


def inline(links: Links, one: InlineComment) -> dict[str, Any]:
    """Return an inline comment; ``line`` and ``start_line`` are null where it is outdated."""
    thread = one.thread
    url = f"{links.repository(one.pull.repository)}/pulls/comments/{one.id}"
    page = f"{links.page(one.pull)}#discussion_r{one.id}"
    pull = links.pull(one.pull)
    several = thread.original_start_line is not None
    found = {
        "url": url,
        "pull_request_review_id": one.review.id,
        "id": one.id,
        "node_id": one.node_id,
        "diff_hunk": thread.hunk,
        "path": thread.path,
        "commit_id": thread.commit,
        "original_commit_id": thread.original_commit,
        "user": people.author(links, one.author),
        "body": one.body,
        "created_at": stamp(one.created),
        "updated_at": stamp(one.updated),
        "html_url": page,
        "pull_request_url": pull,
        "author_association": one.pull.repository.association(one.author),
        "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull}},
        "reactions": _reactions(url),
        "start_line": thread.start_line,
        "original_start_line": thread.original_start_line,
        "start_side": thread.side if several else None,
        "line": thread.line,
        "original_line": thread.original_line,
        "side": thread.side,
        "subject_type": "file" if thread.whole_file else "line",
    }
    if one.top is not None:
        found["in_reply_to_id"] = one.top.id
    return found


def _reactions(url: str) -> dict[str, Any]:
    return {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(_REACTIONS, 0)}
