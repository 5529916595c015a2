"""A repository on GitHub."""

from __future__ import annotations

import threading
import urllib.parse
from collections.abc import Mapping, Sequence

from selfreview.api import Location, RateLimit, Whereabouts
from selfreview.errors import NotFoundError
from selfreview.forges._github import answering, people, pull_requests, writing
from selfreview.forges._github.looking import Looker
from selfreview.forges._github.requests import change_request
from selfreview.forges._github.shapes import Pull, Repository, read
from selfreview.forges._github.snapshot import snapshot
from selfreview.forges._http.call import Call
from selfreview.forges._http.client import Client
from selfreview.model.feedback import ChangeRequest, Feedback, LabelChange, Marked, Permission, Person, Sighting


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
            return people.permission_of(self._client.call().get(path, needs="metadata: read"))
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
        return writing.write_comment(writing.Request(call, self._base, number, self._whoami(call)), mark, body)

    def answer(self, number: int, thread: str, mark: str, body: str) -> Marked | None:
        """Answer in a thread unless an answer with the mark is there; None where the thread is gone."""
        call = self._client.call()
        request = writing.Request(call, self._base, number, self._whoami(call))
        return answering.answer(request, thread, mark, body)

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
        return pull_requests.create(
            call, self._base, self._current_owner(call), head=head, target=base, title=title, body=body, draft=draft
        )

    def create_from(self, source: str, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request from a branch of a fork."""
        call, owner = self._client.call(), source.partition("/")[0]
        return pull_requests.create(
            call, self._base, owner, head=head, target=base, title=title, body=body, draft=draft, source=source
        )

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
            me = people.whose(call)
            with self._lock:
                self._me = me
        return me
