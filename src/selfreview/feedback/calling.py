"""Notices of a fix cycle: of fixes made, or of feedback left to people, which the forge is told too."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from selfreview.api import Analysis, ChangeRequest, Notice, NoticeEvent
from selfreview.feedback import escalating
from selfreview.feedback.answered_state import Standing
from selfreview.feedback.marks import call_of
from selfreview.feedback.ports import Parts
from selfreview.feedback.transient_errors import without_words
from selfreview.feedback.unresolved import Left, listed


class Calling:
    """Notifies people about one pull request.

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
        self._analysis = analysis

    @property
    def name(self) -> str:
        """The pull request, as ``owner/name#5``."""
        return f"{self._parts.connection.location.path}#{self._request.number}"

    def call(self, why: Sequence[str], new: Sequence[Left], before: Sequence[Left]) -> None:
        """Call a person.

        Args:
            why: Reasons that are of no one piece of feedback, as sentences.
            new: The feedback that is left to them.
            before: What was left to them before, and waits still.

        Raises:
            ForgeError: If the comment cannot be written.
        """
        new, why = [one._replace(why=without_words(one.why)) for one in new], [without_words(one) for one in why]
        left = [*new, *before]
        told = escalating.history(self._analysis, self._standing, left) if self._analysis is not None else []
        resets = self._parts.journal.resets
        about = [f"reset {resets}", *([one.judged.item.key for one in new] or why)]
        # The notice first: it is kept once, and what the forge is told makes this one the last look at these.
        title, about_it = f"{self.name} needs a person", [*why, *listed(left)]
        author = self._request.author
        owner = [author.login] if author is not None and author.id is not None and not author.is_bot else []
        notice = self._notice(NoticeEvent.ESCALATED, title, about_it, about, mention=owner)
        self._parts.journal.tell(msgspec.structs.replace(notice, history=tuple(told)))
        escalating.escalate(
            self._parts.connection,
            self._request,
            self._standing,
            mark=call_of(resets, self._standing.cycles, [one.judged.item.key for one in new]),
            why=why,
            left=left,
            told=told,
            label=self._parts.rules.label,
            note=self._parts.journal.note,
        )

    def tell_here(self, why: str, about: Sequence[str]) -> None:
        """Notify of a problem on this machine, now or lasting: by people's own channels, and never on the forge.

        Args:
            why: Why, as a sentence.
            about: Keys of the feedback that waits.
        """
        title = f"{self.name}: feedback waits, for here nothing can be done now"
        notice = self._notice(NoticeEvent.ESCALATED, title, [without_words(why)], ["here", *about])
        self._parts.journal.tell(msgspec.structs.replace(notice, number=None))  # so it is none for a pull request

    def tell_fixed(self, commit: str, reviewers: Sequence[str]) -> None:
        """Notify that a fix was pushed.

        Args:
            commit: It.
            reviewers: Whom it concerns.
        """
        title = "feedback is answered with a fix"
        self._parts.journal.tell(self._notice(NoticeEvent.FIXED, title, (), [commit], mention=reviewers))

    def ready(self, commit: str, reviewers: Sequence[str]) -> None:
        """Notify that people can take over again: nothing that they asked for is open.

        Args:
            commit: The commit that answered it.
            reviewers: Whom it concerns.
        """
        title = escalating.ready_title(self._parts.connection.location.path, self._request)
        about = [self._request.title]
        self._parts.journal.tell(self._notice(NoticeEvent.READY, title, about, [commit], mention=reviewers))

    def _notice(
        self, event: NoticeEvent, title: str, why: Sequence[str], about: Sequence[str], *, mention: Sequence[str] = ()
    ) -> Notice:
        location = self._parts.connection.location
        return escalating.notice(
            event,
            self._request,
            f"{location.host}/{location.path}",
            title=title,
            why=why,
            about=about,
            mention=mention,
            at=self._parts.journal.now(),
        )
