"""Reviews asked for, labels, and new pull requests."""

from __future__ import annotations

import urllib.parse
from collections.abc import Sequence
from typing import NamedTuple

from selfreview.errors import ForgeError, NotFoundError, RefusedError, UnsureError
from selfreview.model.feedback import ChangeRequest, LabelChange
from selfreview.pullrequest.forges.github.comments import MAX_CHARACTERS, clean, fit
from selfreview.pullrequest.forges.github.documents import Event, Pull, change_request, person, read
from selfreview.pullrequest.forges.http.client import Call

_RIGHT = "pull requests: write"
_MAX_TITLE = 256
_COLOUR = "ededed"
_TRIES = 3


def request_reviews(call: Call, base: str, number: int, logins: Sequence[str]) -> list[str]:
    """Ask all for reviews at once; if one cannot be asked, one by one. Return those who cannot be asked."""
    wanted = list(dict.fromkeys(logins))
    if not wanted or _asked(call, base, number, wanted):
        return []
    if len(wanted) == 1:
        return wanted
    return [login for login in wanted if not _asked(call, base, number, [login])]


def _asked(call: Call, base: str, number: int, logins: Sequence[str]) -> bool:
    """Ask for reviews; return whether GitHub accepts. A name with a slash is a team's. Asking twice does no harm."""
    people = [login for login in logins if "/" not in login]
    teams = [login.rpartition("/")[2] for login in logins if "/" in login]
    body = {**({"reviewers": people} if people else {}), **({"team_reviewers": teams} if teams else {})}
    path = f"{base}/pulls/{number}/requested_reviewers"
    return call.accepted("POST", path, body, needs=_RIGHT)


def add_label(call: Call, base: str, number: int, name: str) -> None:
    """Add a label; make it first where it is missing."""
    path = f"{base}/issues/{number}/labels"
    try:
        call.send("POST", path, {"labels": [name]}, needs=_RIGHT, repeatable=True)
    except (NotFoundError, RefusedError):
        label = {"name": name, "color": _COLOUR}
        # Not accepted: somebody made it in the meantime, or it was there and something else is wrong, as said next.
        call.accepted("POST", f"{base}/labels", label, needs="issues: write")
        call.send("POST", path, {"labels": [name]}, needs=_RIGHT, repeatable=True)


def remove_label(call: Call, base: str, number: int, name: str) -> None:
    """Remove a label, if it is there."""
    path = f"{base}/issues/{number}/labels/{urllib.parse.quote(name, safe='')}"
    try:
        call.send("DELETE", path, needs=_RIGHT, repeatable=True)
    except NotFoundError:
        return


def label_changes(call: Call, base: str, number: int) -> list[LabelChange]:
    """Return the changes of labels, oldest first."""
    events = read(call.pages(f"{base}/issues/{number}/events?per_page=100"), list[Event])
    return [
        LabelChange(
            name=event.label.name, added=event.event == "labeled", by=person(event.actor), at=event.created_at or ""
        )
        for event in events
        if event.event in ("labeled", "unlabeled") and event.label is not None
    ]


def find(
    call: Call, base: str, owner: str, branch: str, commit: str | None, *, source: str | None = None
) -> ChangeRequest | None:
    """Return the open pull request of a branch of the repository itself, or of a fork, or None."""
    head = urllib.parse.quote(f"{owner}:{branch}", safe="")
    pulls = read(call.pages(f"{base}/pulls?state=open&head={head}&per_page=100"), list[Pull])
    requests = [change_request(pull) for pull in pulls]
    own = [request for request in requests if request.head == branch and _is_of(request, source)]
    return next((request for request in own if request.head_sha == commit), own[0] if own else None)


def _is_of(request: ChangeRequest, source: str | None) -> bool:
    if source is None:
        return request.same_repository
    return (request.head_repository or "").lower() == source.lower()


class NewRequest(NamedTuple):
    """A pull request to open: between which branches, with which text, and whether as a draft."""

    head: str
    base: str
    title: str
    body: str
    draft: bool


def create(
    call: Call,
    base: str,
    owner: str,
    new: NewRequest,
    *,
    source: str | None = None,
) -> ChangeRequest:
    """Open a pull request; where it is not known whether that worked, look for it before trying again."""
    head, short = new.head, " ".join(clean(new.title).split())[:_MAX_TITLE]
    label = head if source is None else f"{owner}:{head}"
    body = fit(new.body, MAX_CHARACTERS)
    document = {"head": label, "base": new.base, "title": short, "body": body, "draft": new.draft}
    if source is not None and base.split("/")[2].lower() == owner.lower():
        document["head_repo"] = source.partition("/")[2]  # an owner's name alone does not tell which is meant
    for attempt in range(1, _TRIES + 1):
        try:
            return change_request(read(call.send("POST", f"{base}/pulls", document, needs=_RIGHT), Pull))
        except UnsureError as unsure:
            if not call.rest_a_moment(attempt + 1):
                raise
            try:
                found = find(call, base, owner, head, None, source=source)
            except ForgeError as error:
                raise unsure from error
            if found is not None and (found.base, found.title) == (new.base, short):
                return found
            if found is not None:
                raise ForgeError(f"there is a pull request for {head} already: {found.url}") from None
            if attempt == _TRIES:
                raise
    raise AssertionError  # the last attempt returns or raises
