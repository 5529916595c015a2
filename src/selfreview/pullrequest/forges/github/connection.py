"""A repository on GitHub: its pull requests, looked at, read, opened, labelled and answered."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from selfreview.api import Location, RateLimit, Whereabouts
from selfreview.errors import ForgeError, NotFoundError, RefusedError, UnsureError
from selfreview.model.feedback import (
    ChangeRequest,
    Feedback,
    LabelChange,
    Marked,
    Permission,
    Person,
    RequestState,
    Sighting,
)
from selfreview.pullrequest.forges.github import comments, documents
from selfreview.pullrequest.forges.github.comments import MAX_CHARACTERS, RIGHT, clean, fit
from selfreview.pullrequest.forges.github.documents import Event, Pull, Repository, change_request, person, read
from selfreview.pullrequest.forges.github.snapshot import snapshot
from selfreview.pullrequest.forges.http.answers import GatewayError, Graph
from selfreview.pullrequest.forges.http.client import Call, Client

_MAX_AT_ONCE = 25
_MAX_FAILURES = 3
_FIELDS = """
fragment Look on PullRequest {
  number state isDraft updatedAt headRefOid baseRefName reviewDecision
  comments(last: 1) { totalCount nodes { databaseId updatedAt } }
  reviews(last: 1) { totalCount nodes { databaseId state updatedAt } }
  reviewThreads(last: 1) { totalCount nodes { id isResolved comments(last: 1) { totalCount nodes { databaseId } } } }
  commits(last: 1) { nodes { commit { oid statusCheckRollup { state } } } }
}
"""
_STATES = {"OPEN": RequestState.OPEN, "CLOSED": RequestState.CLOSED, "MERGED": RequestState.MERGED}


class Looker:
    """Looks at pull requests in batches, and remembers the batch size that the forge could manage."""

    def __init__(self) -> None:
        self._batch = _MAX_AT_ONCE
        self._lock = threading.Lock()

    def look(self, call: Call, owner: str, name: str, numbers: Sequence[int]) -> dict[int, Sighting]:
        """Return the sightings of pull requests, as far as the forge shows them.

        Raises:
            ForgeError: If nothing can be seen at all.
        """
        found: dict[int, Sighting] = {}
        left = list(dict.fromkeys(numbers))
        failures = 0
        while left:
            size = self._size()
            chunk = left[:size]
            try:
                graph = call.query(_query(chunk), {"owner": owner, "name": name}, tries=1)
            except GatewayError:
                if len(chunk) > 1:
                    self._halve(len(chunk))
                    continue
                failures += 1
                if failures >= _MAX_FAILURES or not call.rest_a_moment(failures):
                    if not found:
                        raise
                    return found
            except ForgeError:
                if not found:
                    raise
                return found  # the next look asks for the rest, and hears of it where it lasts
            else:
                failures = 0
                found.update(_sightings(graph, chunk))
            left = left[len(chunk) :]
        return found

    def _size(self) -> int:
        with self._lock:
            return self._batch

    def _halve(self, size: int) -> None:
        with self._lock:
            self._batch = max(1, min(self._batch, size // 2))


def _query(numbers: Sequence[int]) -> str:
    wanted = " ".join(f"p{int(number)}: pullRequest(number: {int(number)}) {{ ...Look }}" for number in numbers)
    return (
        "query($owner: String!, $name: String!) { rateLimit { cost remaining resetAt } "
        f"repository(owner: $owner, name: $name) {{ {wanted} }} }} {_FIELDS}"
    )


def _sightings(graph: Graph, numbers: Sequence[int]) -> Iterator[tuple[int, Sighting]]:
    repository = graph.at("repository")
    if not isinstance(repository, Mapping):
        raise graph.problem("GitHub does not show the repository's pull requests")
    # An error below a pull request leaves a gap in what is seen of it, such as checks that the token may not read.
    spoiled = {error.path for error in graph.errors}
    for number in numbers:
        alias = f"p{number}"
        node = repository.get(alias)
        if f"repository.{alias}" in spoiled or not isinstance(node, Mapping):
            continue
        state, head = _STATES.get(str(node.get("state"))), node.get("headRefOid")
        if state is not None and isinstance(head, str):
            yield (
                number,
                Sighting(
                    number=number, state=state, draft=bool(node.get("isDraft")), head_sha=head, mark=_digest(node)
                ),
            )


def _digest(node: Mapping[str, Any]) -> str:
    text = json.dumps(node, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


_MAX_TITLE = 256
_COLOUR = "ededed"
_TRIES = 3


def _asked(call: Call, base: str, number: int, logins: Sequence[str]) -> bool:
    """Ask for reviews; return whether GitHub accepts. A name with a slash is a team's. Asking twice does no harm."""
    people = [login for login in logins if "/" not in login]
    teams = [login.rpartition("/")[2] for login in logins if "/" in login]
    body = {**({"reviewers": people} if people else {}), **({"team_reviewers": teams} if teams else {})}
    path = f"{base}/pulls/{number}/requested_reviewers"
    return call.accepted("POST", path, body, needs=RIGHT)


def _find(
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


class _NewRequest(NamedTuple):
    """A pull request to open: between which branches, with which text, and whether as a draft."""

    head: str
    base: str
    title: str
    body: str
    draft: bool


def _create(
    call: Call,
    base: str,
    owner: str,
    new: _NewRequest,
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
            return change_request(read(call.send("POST", f"{base}/pulls", document, needs=RIGHT), Pull))
        except UnsureError as unsure:
            if not call.rest_a_moment(attempt + 1):
                raise
            try:
                found = _find(call, base, owner, head, None, source=source)
            except ForgeError as error:
                raise unsure from error
            if found is not None and (found.base, found.title) == (new.base, short):
                return found
            if found is not None:
                raise ForgeError(f"there is a pull request for {head} already: {found.url}") from None
            if attempt == _TRIES:
                raise
    raise AssertionError  # the last attempt returns or raises


class GitHubConnection:
    """Implements all protocols of :mod:`selfreview.api.forge`. May be used by several threads."""

    def __init__(self, location: Location, client: Client) -> None:
        self._location = location
        self._client = client
        self._base = "/repos/" + "/".join(urllib.parse.quote(part, safe="") for part in location.path.split("/"))
        self._owner, _, self._name = location.path.partition("/")
        self._looker = Looker()
        self._me: Person | None = None
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"GitHubConnection({self._location.host}/{self._location.path})"

    @property
    def location(self) -> Location:
        """Return the repository as it was asked for; a renamed one is found all the same."""
        return self._location

    def whoami(self) -> Person:
        """Return the account of the token."""
        return self._whoami(self._client.call())

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def request(self, number: int) -> ChangeRequest:
        """Return a pull request."""
        return change_request(read(self._client.call().get(f"{self._base}/pulls/{number}"), Pull))

    def find(self, branch: str, commit: str | None = None) -> ChangeRequest | None:
        """Return the open pull request of a branch of this repository, or None."""
        call = self._client.call()
        return _find(call, self._base, self._current_owner(call), branch, commit)

    def find_from(self, source: str, branch: str, commit: str | None = None) -> ChangeRequest | None:
        """Return the open pull request of a fork's branch, or None."""
        return _find(self._client.call(), self._base, source.partition("/")[0], branch, commit, source=source)

    def all_open(self) -> list[ChangeRequest]:
        """Return all open pull requests, the last updated first; of forks, whether they take pushes is not told."""
        path = f"{self._base}/pulls?state=open&sort=updated&direction=desc&per_page=100"
        pulls = read(self._client.call().pages(path), list[Pull])
        # One that is updated between two pages stands on both.
        return list({pull.number: change_request(pull) for pull in pulls}.values())

    def feedback(self, number: int) -> Feedback:
        """Return a snapshot of all feedback on a pull request."""
        return snapshot(self._client.call(), self._base, self._owner, self._name, number)

    def permission(self, login: str) -> Permission:
        """Return an account's permission in the repository."""
        path = f"{self._base}/collaborators/{urllib.parse.quote(login, safe='')}/permission"
        try:
            return documents.permission_of(self._client.call().get(path, needs="metadata: read"))
        except NotFoundError:
            return Permission.NONE

    def look(self, numbers: Sequence[int]) -> Mapping[int, Sighting]:
        """Look at many pull requests cheaply."""
        return self._looker.look(self._client.call(), self._owner, self._name, numbers)

    def whereabouts(self) -> Whereabouts:
        """Return the repository's current name, and whether it is archived."""
        found = self._repository(self._client.call())
        return Whereabouts(found.full_name, bool(found.archived), found.parent.full_name if found.parent else None)

    def rate_limit(self) -> RateLimit | None:
        """Return the scarcest remaining rate limit by the last answers; None where they do not say it."""
        return self._client.meter.scarcest(self._client.clock.now())

    def comment(self, number: int, mark: str, body: str) -> Marked:
        """Write a comment, or edit the one with the mark by us that is there already."""
        call = self._client.call()
        return comments.write_comment(comments.Request(call, self._base, number, self._whoami(call)), mark, body)

    def answer(self, number: int, thread: str, mark: str, body: str) -> Marked | None:
        """Answer in a thread unless an answer with the mark is there; None where the thread is gone."""
        call = self._client.call()
        request = comments.Request(call, self._base, number, self._whoami(call))
        return comments.answer(request, thread, mark, body)

    def request_reviews(self, number: int, logins: Sequence[str]) -> list[str]:
        """Ask all for reviews at once; if one cannot be asked, one by one. Return the logins that cannot be asked."""
        call, wanted = self._client.call(), list(dict.fromkeys(logins))
        if not wanted or _asked(call, self._base, number, wanted):
            return []
        if len(wanted) == 1:
            return wanted
        return [login for login in wanted if not _asked(call, self._base, number, [login])]

    def add_label(self, number: int, name: str) -> None:
        """Add a label; it is made where the repository has none of that name."""
        call, path = self._client.call(), f"{self._base}/issues/{number}/labels"
        try:
            call.send("POST", path, {"labels": [name]}, needs=RIGHT, repeatable=True)
        except (NotFoundError, RefusedError):
            label = {"name": name, "color": _COLOUR}
            # Not accepted: somebody made it in the meantime, or it was there and something else is wrong.
            call.accepted("POST", f"{self._base}/labels", label, needs="issues: write")
            call.send("POST", path, {"labels": [name]}, needs=RIGHT, repeatable=True)

    def remove_label(self, number: int, name: str) -> None:
        """Remove a label; nothing happens where it is not there."""
        path = f"{self._base}/issues/{number}/labels/{urllib.parse.quote(name, safe='')}"
        with contextlib.suppress(NotFoundError):
            self._client.call().send("DELETE", path, needs=RIGHT, repeatable=True)

    def label_changes(self, number: int) -> list[LabelChange]:
        """Return the changes of labels, oldest first."""
        events = read(self._client.call().pages(f"{self._base}/issues/{number}/events?per_page=100"), list[Event])
        return [
            LabelChange(
                name=event.label.name, added=event.event == "labeled", by=person(event.actor), at=event.created_at or ""
            )
            for event in events
            if event.event in ("labeled", "unlabeled") and event.label is not None
        ]

    def create(self, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request from a branch of this repository."""
        call = self._client.call()
        new = _NewRequest(head, base, title, body, draft)
        return _create(call, self._base, self._current_owner(call), new)

    def create_from(self, source: str, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request from a branch of a fork."""
        call, owner = self._client.call(), source.partition("/")[0]
        new = _NewRequest(head, base, title, body, draft)
        return _create(call, self._base, owner, new, source=source)

    def default_branch(self) -> str:
        """Return the default branch, to which pull requests go."""
        return self._repository(self._client.call()).default_branch or "main"

    def _repository(self, call: Call) -> Repository:
        return read(call.get(self._base), Repository)

    def _current_owner(self, call: Call) -> str:
        """Return the repository's current owner: branches are looked up by owner, also after a transfer."""
        return self._repository(call).full_name.partition("/")[0]

    def _whoami(self, call: Call) -> Person:
        with self._lock:
            me = self._me
        if me is None:
            me = documents.whose(call)
            with self._lock:
                self._me = me
        return me
