"""The conversation on a pull request: general comments, reviews, threads of inline comments."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from tests.forge.people import User
from tests.forge.world import Entity

if TYPE_CHECKING:
    from tests.forge.pulls import PullRequest


class Remark(Entity):
    """A comment or review by somebody.

    Attributes:
        pull: What it is about.
        author: Who.
        body: What.
        edited: When it was last edited, or None.
        minimized: Why somebody hid it (``spam``, ``off_topic``, ``resolved``), or None.
    """

    event = "issue_comment"

    def __init__(self, pull: PullRequest, author: User, body: str) -> None:
        super().__init__(pull.world)
        self.pull = pull
        self.author = author
        self.body = body
        self.edited: datetime.datetime | None = None
        self.minimized: str | None = None

    def edit(self, body: str, by: User | None = None) -> None:
        """Edit the body."""
        with self.world.lock:
            self.body = body
            self.edited = self.updated = self.pull.touch()
            self.pull.tell(self.event, "edited", by or self.author, comment=self)

    def minimize(self, reason: str = "spam") -> None:
        """Minimize the comment."""
        with self.world.lock:
            self.minimized = reason


class IssueComment(Remark):
    """A general comment."""

    prefix = "IC"

    def delete(self, by: User | None = None) -> None:
        """Delete the comment."""
        with self.world.lock:
            self.pull.comments.remove(self)
            self.world.forget(self)
            self.pull.touch()
            self.pull.tell(self.event, "deleted", by or self.author, comment=self)


class Review(Remark):
    """A review.

    Attributes:
        state: ``APPROVED``, ``CHANGES_REQUESTED``, ``COMMENTED``, ``DISMISSED`` or ``PENDING``.
        commit: What was reviewed.
        submitted: When, or None while it is pending.
    """

    prefix = "PRR"
    event = "pull_request_review"

    def __init__(self, pull: PullRequest, author: User, state: str, body: str) -> None:
        super().__init__(pull, author, body)
        self.state = state
        self.commit = pull.head_sha
        self.submitted: datetime.datetime | None = None

    @property
    def comments(self) -> list[InlineComment]:
        """The inline comments of the review."""
        return [comment for comment in self.pull.inline_comments if comment.review is self]

    def submit(self, state: str, body: str | None = None) -> None:
        """Submit a pending review; its author is no longer a requested reviewer."""
        with self.world.lock:
            self.state, self.body = state, self.body if body is None else body
            self.submitted = self.pull.touch()
            if self.author in self.pull.requested:
                self.pull.requested.remove(self.author)
            self.pull.tell(self.event, "submitted", self.author, review=self)
            for comment in self.comments:
                self.pull.tell(comment.event, "created", self.author, comment=comment)

    def dismiss(self, by: User | None = None) -> None:
        """Dismiss the review."""
        with self.world.lock:
            self.state = "DISMISSED"
            self.pull.touch()
            self.pull.tell(self.event, "dismissed", by or self.author, review=self)


class Thread(Entity):
    """A thread of inline comments about one place.

    Attributes:
        path: The file.
        side: ``RIGHT``, or ``LEFT`` for the base's lines.
        whole_file: Whether it is about the file and no lines.
        line, start_line: The last and the first line in the head of today; None where they are gone.
        original_line, original_start_line, original_commit: The same when it was written.
        commit: What ``line`` counts in.
        hunk: The diff above it.
        resolved_by: Who settled it, or None.
    """

    prefix = "PRRT"

    def __init__(
        self,
        pull: PullRequest,
        path: str,
        line: int | None,
        *,
        start_line: int | None = None,
        side: str = "RIGHT",
        hunk: str = "",
    ) -> None:
        super().__init__(pull.world)
        self.pull = pull
        self.path = path
        self.side = side
        self.whole_file = line is None
        self.line = self.original_line = line
        self.start_line = self.original_start_line = start_line
        self.commit = self.original_commit = pull.head_sha
        self.hunk = hunk
        self.comments: list[InlineComment] = []
        self.resolved_by: User | None = None

    @property
    def outdated(self) -> bool:
        """Return whether its lines are not there any more."""
        return self.line is None and not self.whole_file

    def outdate(self) -> None:
        """Mark the thread as outdated, as by a push that changes its lines."""
        with self.world.lock:
            self.line = self.start_line = None

    def resolve(self, by: User) -> None:
        """Resolve the thread; no comment's time changes."""
        with self.world.lock:
            self.resolved_by = by
            self.pull.tell("pull_request_review_thread", "resolved", by, thread=self)

    def unresolve(self, by: User) -> None:
        """Unresolve the thread."""
        with self.world.lock:
            self.resolved_by = None
            self.pull.tell("pull_request_review_thread", "unresolved", by, thread=self)

    def reply(self, author: User, body: str, review: Review | None = None) -> InlineComment:
        """Reply in the thread, with a review of its own if there is none."""
        with self.world.lock:
            return self.pull.add_inline(self, author, body, review)


class InlineComment(Remark):
    """One comment of a thread.

    Attributes:
        thread: Where it is.
        review: What it came with.
    """

    prefix = "PRRC"
    event = "pull_request_review_comment"

    def __init__(self, thread: Thread, author: User, body: str, review: Review) -> None:
        super().__init__(thread.pull, author, body)
        self.thread = thread
        self.review = review

    @property
    def top(self) -> InlineComment | None:
        """The first comment of the thread; None where this is it."""
        first = self.thread.comments[0] if self.thread.comments else self
        return None if first is self else first

    def reply(self, author: User, body: str) -> InlineComment:
        """Reply to the comment."""
        return self.thread.reply(author, body)

    def delete(self, by: User | None = None) -> None:
        """Delete the comment, and its thread where that has no other."""
        with self.world.lock:
            self.thread.comments.remove(self)
            self.world.forget(self)
            if not self.thread.comments:
                self.pull.threads.remove(self.thread)
                self.world.forget(self.thread)
            self.pull.touch()
            self.pull.tell(self.event, "deleted", by or self.author, comment=self)
