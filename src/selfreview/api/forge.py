"""The forge: reads what is said about a pull request, and answers there.

A forge is small capabilities. What a connection cannot do it does not have: callers ask with ``isinstance`` against the
protocols here, and go on without, saying so. All calls may take seconds; each has a deadline of its own. They raise
ForgeError (or its subclasses) for what a person can repair; nothing is ever repeated that could have happened already
without looking whether it has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from selfreview.api.config import ConfigView
from selfreview.errors import ForgeError
from selfreview.model.feedback import ChangeRequest, Feedback, LabelChange, Marked, Permission, Person, Sighting


class Location(NamedTuple):
    """A repository on a forge.

    Attributes:
        host: Such as ``github.com``.
        path: ``owner/name``, with more parts where the forge has groups.
    """

    host: str
    path: str


class Whereabouts(NamedTuple):
    """The state of a repository on its forge: its current path, whether it is archived, and its parent.

    Attributes:
        path: What it is called now: another path than that of the connection's location means that it was renamed.
        archived: Whether nothing in it may be changed.
        parent: What it is a fork of, as ``owner/name``; None where it is no fork.
    """

    path: str
    archived: bool
    parent: str | None = None


@dataclasses.dataclass(frozen=True)
class RateLimit:
    """A token's rate limit on a forge, and the remaining part of it.

    Attributes:
        limit: Requests, or points, that are allowed until they are renewed; at least 1.
        remaining: Those that are left.
        reset_s: Seconds until they are renewed.

    Raises:
        ForgeError: If the limit is less than 1: a forge that has none does not tell one.
    """

    limit: int
    remaining: int
    reset_s: float

    def __post_init__(self) -> None:
        """Refuse a limit below 1, of which there is no remaining share."""
        if self.limit < 1:
            raise ForgeError(
                f"a rate limit of {self.limit} is none", hint="rate_limit() is None where there is no limit"
            )

    @property
    def share(self) -> float:
        """The remaining share of the limit, from 0 to 1."""
        return self.remaining / self.limit


class Connection(Protocol):
    """A repository on a forge, with the right to read it at least."""

    @property
    def location(self) -> Location:
        """The repository's location."""

    def whoami(self) -> Person:
        """Return the account of the token."""

    def close(self) -> None:
        """Close the connection."""


@runtime_checkable
class ReadsRequests(Connection, Protocol):
    """Reads pull requests."""

    def request(self, number: int) -> ChangeRequest:
        """Return a pull request.

        Raises:
            NotFoundError: If there is none.
        """

    def find(self, branch: str, commit: str | None = None) -> ChangeRequest | None:
        """Return the open pull request of a branch of this repository, or None.

        Args:
            branch: The head branch.
            commit: Where several are open: the one with this head, if there is one.
        """

    def all_open(self) -> list[ChangeRequest]:
        """Return all open pull requests, the last updated first."""


@runtime_checkable
class ReadsFeedback(Connection, Protocol):
    """Reads all feedback on a pull request."""

    def feedback(self, number: int) -> Feedback:
        """Return a snapshot of all feedback on a pull request."""

    def permission(self, login: str) -> Permission:
        """Return a person's permission in the repository; somebody who is not known has none."""


@runtime_checkable
class Detects(Connection, Protocol):
    """Detects cheaply which pull requests have new feedback."""

    def look(self, numbers: Sequence[int]) -> Mapping[int, Sighting]:
        """Look at many pull requests; those that cannot be read are left out, and are asked for again by the next look.

        What of one the token may not read, such as its checks, is not part of what its mark stands for.
        """


@runtime_checkable
class TellsWhereabouts(Connection, Protocol):
    """Knows whether the repository was renamed or archived."""

    def whereabouts(self) -> Whereabouts:
        """Return the repository's current path, and whether it is archived."""


@runtime_checkable
class ReadsRateLimit(Connection, Protocol):
    """Reports the forge's rate limits."""

    def rate_limit(self) -> RateLimit | None:
        """Return the scarcest rate limit, by the forge's last answer; None where it reports none. No I/O."""


@runtime_checkable
class Comments(Connection, Protocol):
    """Writes general comments, each identified by a hidden mark."""

    def comment(self, number: int, mark: str, body: str) -> Marked:
        """Write a comment, or edit our own that has the mark already.

        Args:
            number: The pull request.
            mark: Any text that is not empty. What is written begins with the line ``hidden(mark)``, by which selfreview
                knows it again; ``mark_of(text) == mark`` finds ours that has it already, if its author is the token's
                account. Both are of :mod:`selfreview.api`.
            body: Markdown; cut at the forge's limit.
        """


@runtime_checkable
class AnswersThreads(Connection, Protocol):
    """Replies in threads."""

    def answer(self, number: int, thread: str, mark: str, body: str) -> Marked | None:
        """Reply in a thread unless a reply with the mark is there; None where the thread is gone.

        The mark is that of :meth:`Comments.comment`.
        """


@runtime_checkable
class RequestsReviews(Connection, Protocol):
    """Requests reviews from people."""

    def request_reviews(self, number: int, logins: Sequence[str]) -> list[str]:
        """Request reviews; return the logins that cannot be asked."""


@runtime_checkable
class Labels(Connection, Protocol):
    """Puts labels on pull requests."""

    def add_label(self, number: int, name: str) -> None:
        """Add a label; it is made where the repository has none of that name."""

    def remove_label(self, number: int, name: str) -> None:
        """Remove a label; nothing happens where it is not there."""


@runtime_checkable
class TellsLabelChanges(Connection, Protocol):
    """Reports which people put labels on pull requests, and took them away."""

    def label_changes(self, number: int) -> list[LabelChange]:
        """Return the events of labels, oldest first."""


@runtime_checkable
class CreatesRequests(Connection, Protocol):
    """Opens pull requests."""

    def create(self, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request from a branch of this repository.

        Raises:
            ForgeError: If there is one already, or the forge refuses.
        """

    def default_branch(self) -> str:
        """Return the branch that pull requests go to by default."""


@runtime_checkable
class TakesForks(CreatesRequests, Protocol):
    """Opens and finds pull requests whose branch is in a fork."""

    def find_from(self, source: str, branch: str, commit: str | None = None) -> ChangeRequest | None:
        """Return the open pull request of a fork's branch, or None.

        Args:
            source: The fork, as ``owner/name``.
            branch: The head branch.
            commit: Where several are open: the one with this head, if there is one.
        """

    def create_from(self, source: str, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request from a branch of a fork.

        Raises:
            ForgeError: If there is one already, or the forge refuses.
        """


class Forge(Protocol):
    """A kind of forge."""

    @property
    def name(self) -> str:
        """The name that a person types."""

    def locate(self, url: str, config: ConfigView) -> Location | None:
        """Return which repository a remote's URL means, or None where it is not of this forge. No I/O."""

    def connect(self, location: Location, config: ConfigView, environ: Mapping[str, str]) -> Connection:
        """Connect, with the token that the environment or the person's configuration gives. No request is made yet.

        Raises:
            ForgeError: If there is no token.
        """

    def secrets(self, environ: Mapping[str, str], config: ConfigView) -> Sequence[str]:
        """Return the secret values, which must not be printed, stored or sent. No I/O.

        Asked before anything else is done, and again once a connection is there. They are hidden in all that is
        printed, kept, sent to a model or to people; those of less than 6 characters are not.
        """
