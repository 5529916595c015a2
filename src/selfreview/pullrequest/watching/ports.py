"""Ports of a watcher: the queue of fix cycles, the configuration, and notices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from selfreview.errors import ExitCode, SelfreviewError
from selfreview.pullrequest.ports import Outcome

FAILED = "failed"
_UNSETTLED = frozenset({Outcome.WAITING.value, FAILED})


class QueueError(SelfreviewError):
    """The queue of fix cycles cannot be used."""


class Job(NamedTuple):
    """One fix cycle.

    Attributes:
        number: Of the pull request.
        mark: What a look at it showed when the cycle was scheduled.
    """

    number: int
    mark: str


class Done(NamedTuple):
    """Outcome of a queued fix cycle.

    Attributes:
        outcome: A value of :class:`selfreview.pullrequest.ports.Outcome`, or ``failed``.
        code: The exit code.
        why: Reasons, as sentences.
        notes: What it told besides, one line each.
        not_shown: What the forge does not show to the token, as sentences.
        wait_s: Seconds until a quota is there again that is used up, or the forge may be asked again; or None.
        busy: Whether it is the forge that wants to be left alone for so long.
    """

    outcome: str
    code: int
    why: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()
    wait_s: float | None = None
    busy: bool = False

    @property
    def settled(self) -> bool:
        """Return whether everything was handled, by us or by calling a person."""
        return self.outcome not in _UNSETTLED


class Settings(NamedTuple):
    """Current configuration of the watcher.

    Attributes:
        auto: Whether feedback is answered at all; else it is only told of.
        interval: Seconds between two looks.
        max_concurrency: How many cycles run at once.
        off: That selfreview is switched off, as a sentence, or None: then nothing is answered or sent.
    """

    auto: bool
    interval: float
    max_concurrency: int
    off: str | None = None


class Queue(Protocol):
    """Queue of fix cycles; at most one for each pull request at a time, whoever schedules it."""

    @property
    def active(self) -> Mapping[int, Job]:
        """Unfinished cycles, by the number of their pull request."""

    def put(self, job: Job, *, fresh: bool) -> Done | None:
        """Schedule a cycle, unless the pull request has an unfinished one: then that one is followed.

        Args:
            job: It.
            fresh: Whether one is run also where the same job ended well somewhere already.

        Returns:
            How the same job ended elsewhere, or None where it is yet to end.

        Raises:
            QueueError: If it cannot be put down.
        """

    def stop(self, number: int) -> bool:
        """Ask the cycle of a closed pull request to end; return whether it runs here and had not been asked."""

    def ended(self) -> list[tuple[Job, Done]]:
        """Return the cycles that ended since the last call.

        Raises:
            QueueError: If that cannot be known.
        """

    def resize(self, most: int) -> None:
        """Change the maximum number of concurrent cycles."""

    def tidy(self) -> list[int]:
        """Give up cycles of watchers that did not come back, and remove old ones.

        Returns:
            The numbers of the pull requests whose cycles were given up.
        """

    def close(self, wait_s: float) -> list[tuple[Job, Done]]:
        """Begin no more cycles, wait for those that run here, and return those that ended."""


class Tell(Protocol):
    """Callback for every event of a watcher; may be called from any thread."""

    def __call__(self, event: str, number: int | None = None, **about: object) -> None:
        """Report an event."""


def worst(one: int, other: int) -> int:
    """Return the worse of two exit codes."""
    return max(one, other, key=_RANKS.index)


_RANKS = (
    *(ExitCode.PASSED, ExitCode.ISSUES, ExitCode.INCOMPLETE, ExitCode.USAGE),
    *(ExitCode.INTERNAL_ERROR, ExitCode.INTERRUPTED),
)
