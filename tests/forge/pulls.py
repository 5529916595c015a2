"""Pull requests."""

from __future__ import annotations

import datetime
import hashlib
from typing import TYPE_CHECKING, Any

from tests.forge.conversation import InlineComment, IssueComment, Review, Thread
from tests.forge.labels import Label, LabelEvent
from tests.forge.people import User
from tests.forge.world import Entity

if TYPE_CHECKING:
    from tests.forge.repository import Repository


class PullRequest(Entity):
    """A pull request.

    Attributes:
        repository: Where it goes.
        number: Its number there.
        head, base: Names of the branches.
        head_repository: Where the head branch is; None where that was deleted.
        head_sha: What the head branch pointed at when somebody last looked.
        state: ``open`` or ``closed``; ``merged`` says which kind of closed.
        requested: Who is asked for a review and gave none since.
        maintainer_can_modify: Whether those who may write to the base's repository may push to a fork's branch.
    """

    prefix = "PR"

    def __init__(
        self,
        repository: Repository,
        number: int,
        *,
        author: User,
        head: str,
        base: str,
        title: str,
        body: str | None = None,
        draft: bool = False,
        head_repository: Repository | None = None,
        maintainer_can_modify: bool = False,
    ) -> None:
        super().__init__(repository.world)
        self.repository = repository
        self.number = number
        self.author = author
        self.head, self.base = head, base
        self.title, self.body = title, body
        self.draft = draft
        self.head_repository: Repository | None = head_repository or repository
        self.maintainer_can_modify = maintainer_can_modify
        self.state = "open"
        self.edited: datetime.datetime | None = None
        self.closed: datetime.datetime | None = None
        self.merged: datetime.datetime | None = None
        self.merged_by: User | None = None
        self.labels: list[Label] = []
        self.label_events: list[LabelEvent] = []
        self.requested: list[User] = []
        self.comments: list[IssueComment] = []
        self.reviews: list[Review] = []
        self.threads: list[Thread] = []
        self.head_sha = (head_repository or repository).sha(head)

    @property
    def inline_comments(self) -> list[InlineComment]:
        """The comments of all threads, in the order of their ids."""
        return sorted((comment for thread in self.threads for comment in thread.comments), key=lambda one: one.id)

    @property
    def is_fork(self) -> bool:
        """Return whether the head is in another repository."""
        return self.head_repository is not self.repository

    def sizes(self) -> tuple[int, int, int, int]:
        """Return the numbers of commits, added lines, deleted lines and files; made up without a remote."""
        files = self.files()
        return len(self.commits()), sum(one[1] for one in files), sum(one[2] for one in files), len(files)

    def files(self) -> list[tuple[str, int, int]]:
        """Return path, added and deleted lines of each file; made up without a remote."""
        remote = self.repository.remote
        return [("a.py", 1, 0)] if remote is None else remote.files(self.repository.sha(self.base), self.head_sha)

    def _has_hunks(self, path: str) -> bool:
        """Return whether lines of a file are changed; without a remote, those of any are."""
        remote = self.repository.remote
        return remote is None or remote.has_hunks(self.repository.sha(self.base), self.head_sha, path)

    def commits(self) -> list[str]:
        """Return the commits, oldest first; the head alone without a remote."""
        remote = self.repository.remote
        return [self.head_sha] if remote is None else remote.commits(self.repository.sha(self.base), self.head_sha)

    def touch(self) -> datetime.datetime:
        """Update the time of the last change, and return it."""
        self.updated = self.world.clock.tick()
        return self.updated

    def tell(self, event: str, action: str, by: User | None, **about: Any) -> None:
        """Report an event to listeners such as webhooks."""
        for listener in self.world.listeners:
            listener(event, action, self.repository, by, {"pull": self, **about})

    # --- what people say ----------------------------------------------------------------------------------------------

    def comment(self, author: User, body: str) -> IssueComment:
        """Write a general comment."""
        with self.world.lock:
            comment = IssueComment(self, author, body)
            self.comments.append(comment)
            self.touch()
            self.tell(comment.event, "created", author, comment=comment)
            return comment

    def review(self, author: User, state: str = "COMMENTED", body: str = "") -> Review:
        """Add a review; a ``PENDING`` one is seen by nobody else, until it is submitted."""
        with self.world.lock:
            review = Review(self, author, "PENDING", body)
            self.reviews.append(review)
            if state != "PENDING":
                review.submit(state)
            return review

    def inline(
        self,
        author: User,
        path: str,
        line: int | None,
        body: str,
        *,
        start_line: int | None = None,
        side: str = "RIGHT",
        hunk: str | None = None,
        review: Review | None = None,
    ) -> InlineComment:
        """Begin a thread at a line, or at a whole file where ``line`` is None.

        Args:
            start_line: The first of several lines; ``line`` is the last.
            side: ``LEFT`` for the base's lines.
            hunk: The diff above it; None takes it from the remote, where there is one.
            review: What it comes with; None makes an empty review of its own, as the forge does.

        Raises:
            ValueError: If the pull request does not change that file, and no hunk is given.
        """
        with self.world.lock:
            known = self.hunk(path, line, side) if hunk is None else hunk
            if known is None and line is not None and not self._has_hunks(path):
                raise ValueError(
                    f"#{self.number} does not change {path!r}: give the hunk that its lines are commented in"
                )
            thread = Thread(self, path, line, start_line=start_line, side=side, hunk=known or "@@ -1 +1 @@\n+?")
            self.threads.append(thread)
            return self.add_inline(thread, author, body, review)

    def hunk(self, path: str, line: int | None, side: str) -> str | None:
        """Return the diff hunk above a line, or None where it is not part of the diff or nothing is known of it."""
        if self.repository.remote is None or line is None:
            return None
        base = self.repository.sha(self.base)
        return self.repository.remote.hunk(base, self.head_sha, path, line, old_side=side == "LEFT")

    def add_inline(self, thread: Thread, author: User, body: str, review: Review | None) -> InlineComment:
        """Add a comment to a thread."""
        alone = review is None
        with self.world.lock:
            review = review or self.review(author, "PENDING")
            comment = InlineComment(thread, author, body, review)
            thread.comments.append(comment)
            if alone:
                review.submit("COMMENTED")
            elif review.state != "PENDING":
                self.touch()
                self.tell(comment.event, "created", author, comment=comment)
            return comment

    # --- what happens to it -------------------------------------------------------------------------------------------

    def push(self, sha: str | None = None) -> str:
        """Move the head, in a repository without a remote; return the new commit."""
        with self.world.lock:
            sha = sha or invented_sha(f"{self.node_id}{self.head_sha}")
            if self.head_repository is not None:
                self.head_repository.set_sha(self.head, sha)
            self.moved_to(sha)
            return sha

    def moved_to(self, sha: str) -> None:
        """Set a new head: lines of threads move, or become outdated."""
        before, self.head_sha = self.head_sha, sha
        remote = self.repository.remote
        for thread in self.threads:
            if remote is not None and thread.line is not None and thread.side == "RIGHT":
                first = thread.start_line or thread.line
                found = remote.moved(before, sha, thread.path, first, thread.line)
                thread.line = found[1] if found else None
                thread.start_line = found[0] if found and thread.start_line is not None else None
            if not thread.outdated:
                thread.commit = sha
        self.touch()
        self.tell("pull_request", "synchronize", self.author)

    def close(self, by: User | None = None) -> None:
        """Close the pull request."""
        with self.world.lock:
            self.state, self.closed = "closed", self.touch()
            self.tell("pull_request", "closed", by or self.author)

    def reopen(self, by: User | None = None) -> None:
        """Reopen the pull request."""
        with self.world.lock:
            self.state, self.closed = "open", None
            self.touch()
            self.tell("pull_request", "reopened", by or self.author)

    def merge(self, by: User | None = None) -> None:
        """Merge the pull request; the remote, if there is one, is not changed."""
        with self.world.lock:
            self.merged, self.merged_by = self.world.clock.tick(), by or self.author
            self.close(by)

    def set_draft(self, draft: bool, by: User | None = None) -> None:
        """Convert the pull request to a draft, or mark it as ready for review."""
        with self.world.lock:
            self.draft = draft
            self.touch()
            self.tell("pull_request", "converted_to_draft" if draft else "ready_for_review", by or self.author)

    def edit(
        self, *, title: str | None = None, body: str | None = None, base: str | None = None, by: User | None = None
    ) -> None:
        """Edit the title, the body or the base."""
        with self.world.lock:
            self.title = self.title if title is None else title
            self.body = self.body if body is None else body
            self.base = self.base if base is None else base
            self.edited = self.touch()
            self.tell("pull_request", "edited", by or self.author)

    def label(self, name: str, by: User | None = None) -> None:
        """Add a label, which is made if the repository has none of that name."""
        with self.world.lock:
            label = self.repository.label(name)
            if label not in self.labels:
                self.labels.append(label)
                self._labelled("labeled", label, by or self.author)

    def unlabel(self, name: str, by: User | None = None) -> bool:
        """Remove a label; False where it is not there."""
        with self.world.lock:
            for label in self.labels:
                if label.name.lower() == name.lower():
                    self.labels.remove(label)
                    self._labelled("unlabeled", label, by or self.author)
                    return True
            return False

    def _labelled(self, event: str, label: Label, by: User) -> None:
        self.label_events.append(LabelEvent(len(self.label_events) + 1, event, by, label.name, self.touch()))
        self.tell("pull_request", event, by, label=label)

    def request_review(self, *users: User, by: User | None = None) -> None:
        """Request reviews; those requested already are not requested again."""
        with self.world.lock:
            for user in users:
                if user not in self.requested:
                    self.requested.append(user)
                    self.touch()
                    self.tell("pull_request", "review_requested", by or self.author, requested_reviewer=user)


def invented_sha(seed: str) -> str:
    """Return an invented commit id."""
    return hashlib.sha1(seed.encode(), usedforsecurity=False).hexdigest()
