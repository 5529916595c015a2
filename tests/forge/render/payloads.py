"""Payloads of webhooks."""

from __future__ import annotations

from typing import Any

from tests.forge.checks import CheckRun, Status
from tests.forge.conversation import InlineComment, IssueComment, Review, Thread
from tests.forge.labels import Label
from tests.forge.people import User
from tests.forge.pulls import PullRequest
from tests.forge.render import checks, people, pulls, remarks, repositories
from tests.forge.render.links import Links
from tests.forge.repository import Repository


def payload(
    links: Links, action: str, repository: Repository, by: User | None, about: dict[str, Any]
) -> dict[str, Any]:
    """Return the payload of an event."""
    told: dict[str, Any] = {"repository": repositories.repository(links, repository, None)}
    if action:
        told["action"] = action
    if by is not None:
        told["sender"] = people.user(links, by)
    of_issue = isinstance(about.get("comment"), IssueComment)
    for name, value in about.items():
        match value:
            case PullRequest() if of_issue:
                told["issue"] = _issue(links, value)
            case PullRequest():
                told |= {"number": value.number, "pull_request": pulls.whole(links, value, None)}
            case Status():
                told |= {**checks.status(links, repository, value), "sha": value.sha}
            case _:
                told[name] = _told(links, repository, value)
    return told


def _told(links: Links, repository: Repository, value: object) -> dict[str, Any]:
    match value:
        case IssueComment():
            return remarks.comment(links, value)
        case InlineComment():
            return remarks.inline(links, value)
        case Review():
            return {**remarks.review(links, value), "state": value.state.lower()}
        case Thread():
            return {"node_id": value.node_id, "comments": [remarks.inline(links, one) for one in value.comments]}
        case Label():
            return repositories.label(links, repository, value)
        case User():
            return people.user(links, value)
        case CheckRun():
            return checks.check_run(links, repository, value)
    raise NotImplementedError(type(value))


def _issue(links: Links, one: PullRequest) -> dict[str, Any]:
    """Return a pull request as an issue, the form that it has in events of general comments."""
    url = links.pull(one)
    whole = pulls.simple(links, one, None)
    names = (
        "id",
        "node_id",
        "number",
        "title",
        "state",
        "user",
        "labels",
        "body",
        "created_at",
        "updated_at",
        "html_url",
    )
    told = {name: whole[name] for name in names}
    return {**told, "url": links.issue(one), "draft": one.draft, "pull_request": {"url": url, "merged_at": None}}
