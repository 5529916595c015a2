"""A repository on GitHub."""

from __future__ import annotations

import hashlib
import json
import threading
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from selfreview.api import Location, RateLimit, Whereabouts
from selfreview.errors import ForgeError, NotFoundError
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
from selfreview.pullrequest.forges.github import comments, documents, pull_requests
from selfreview.pullrequest.forges.github.documents import Pull, Repository, change_request, read
from selfreview.pullrequest.forges.github.snapshot import snapshot
from selfreview.pullrequest.forges.http.client import Call, Client
from selfreview.pullrequest.forges.http.graph import Graph
from selfreview.pullrequest.forges.http.refusals import GatewayError

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
        self._most = _MAX_AT_ONCE
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
            return self._most

    def _halve(self, size: int) -> None:
        with self._lock:
            self._most = max(1, min(self._most, size // 2))


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


class GitHubConnection:
    """Implements all protocols of :mod:`selfreview.api.forge`. May be used by several threads.

    Args:
        location: Which repository.
        client: How it is asked.
    """

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
        return pull_requests.find(call, self._base, self._current_owner(call), branch, commit)

    def find_from(self, source: str, branch: str, commit: str | None = None) -> ChangeRequest | None:
        """Return the open pull request of a fork's branch, or None."""
        return pull_requests.find(
            self._client.call(), self._base, source.partition("/")[0], branch, commit, source=source
        )

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
        """Ask for reviews; return the logins that cannot be asked."""
        return pull_requests.request_reviews(self._client.call(), self._base, number, logins)

    def add_label(self, number: int, name: str) -> None:
        """Add a label; it is made where the repository has none of that name."""
        pull_requests.add_label(self._client.call(), self._base, number, name)

    def remove_label(self, number: int, name: str) -> None:
        """Remove a label; nothing happens where it is not there."""
        pull_requests.remove_label(self._client.call(), self._base, number, name)

    def label_changes(self, number: int) -> list[LabelChange]:
        """Return the changes of labels, oldest first."""
        return pull_requests.label_changes(self._client.call(), self._base, number)

    def create(self, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request from a branch of this repository."""
        call = self._client.call()
        new = pull_requests.NewRequest(head, base, title, body, draft)
        return pull_requests.create(call, self._base, self._current_owner(call), new)

    def create_from(self, source: str, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request from a branch of a fork."""
        call, owner = self._client.call(), source.partition("/")[0]
        new = pull_requests.NewRequest(head, base, title, body, draft)
        return pull_requests.create(call, self._base, owner, new, source=source)

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
