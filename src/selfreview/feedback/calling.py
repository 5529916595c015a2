"""Telling people of a cycle: a notice of what was done, or of what is left to them, which the forge is told too."""

from __future__ import annotations

from collections.abc import Sequence

from selfreview.api import Analysis, ChangeRequest, Judged, NoticeEvent
from selfreview.feedback import escalating
from selfreview.feedback.seams import Parts
from selfreview.feedback.standing import Standing


class Calling:
    """Tells people of one pull request.

    Args:
        parts: What the cycle works with.
        request: The pull request.
        standing: What was done already.
        analysis: What the feedback was taken to mean, or None where it did not come to that.
    """

    def __init__(self, parts: Parts, request: ChangeRequest, standing: Standing, analysis: Analysis | None) -> None:
        self._parts = parts
        self._request = request
        self._standing = standing
        self._told = escalating.history(analysis, standing) if analysis is not None else []

    def call(self, why: Sequence[str], left: Sequence[Judged], *, waits: bool = False) -> None:
        """Call a person.

        Args:
            why: The reasons, as sentences.
            left: The feedback that is left to them.
            waits: Whether it only waits for them, and is answered after that.

        Raises:
            ForgeError: If the comment cannot be written.
        """
        # The notice first: it is kept once, and what the forge is told makes this one the last look at these.
        about = [one.item.key for one in left] or list(why)
        name = f"{self._parts.connection.location.path}#{self._request.number}"
        title = f"{name} waits for a person" if waits else f"{name} needs a person"
        author = self._request.author
        owner = [author.login] if author is not None and author.id is not None and not author.is_bot else []
        self.tell(NoticeEvent.ESCALATED, title, why, ["waits", *about] if waits else about, mention=owner)
        escalating.escalate(
            self._parts.connection,
            self._request,
            self._standing,
            why=why,
            left=left,
            told=self._told,
            label=self._parts.rules.label,
            note=self._parts.journal.note,
            waits=waits,
        )

    def tell(
        self, event: NoticeEvent, title: str, why: Sequence[str], about: Sequence[str], *, mention: Sequence[str] = ()
    ) -> None:
        """Have a notice kept until it is sent; one about the same is kept once.

        Args:
            event: What it is about.
            title: One line.
            why: More lines.
            about: What makes it this notice and no other.
            mention: Logins of people whom it concerns.
        """
        location = self._parts.connection.location
        notice = escalating.notice(
            event,
            self._request,
            f"{location.host}/{location.path}",
            title=title,
            why=why,
            about=about,
            told=self._told if event is NoticeEvent.ESCALATED else (),
            mention=mention,
            at=self._parts.journal.now(),
        )
        self._parts.journal.tell(notice)

    def ready(self, commit: str, reviewers: Sequence[str]) -> None:
        """Say that people can take over again: nothing that they asked for is open.

        Args:
            commit: The commit that answered it.
            reviewers: Whom it concerns.
        """
        title = escalating.ready_title(self._parts.connection.location.path, self._request)
        self.tell(NoticeEvent.READY, title, [self._request.title], [commit], mention=reviewers)
