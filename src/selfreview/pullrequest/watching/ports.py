"""Values that the parts of a watcher hand one another: jobs and their outcomes, the configuration, events."""

from __future__ import annotations

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
        busy: Whether it is the forge that asks for that pause.
    """

    outcome: str
    code: int
    why: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()
    wait_s: float | None = None
    busy: bool = False

    @property
    def finished(self) -> bool:
        """Return whether everything was handled, by us or by calling a person."""
        return self.outcome not in _UNSETTLED


class Settings(NamedTuple):
    """Current configuration of the watcher.

    Attributes:
        auto: Whether feedback is answered at all; else news are only listed.
        interval: Seconds between two looks.
        max_concurrency: How many cycles run at once.
        off: That selfreview is switched off, as a sentence, or None: then nothing is answered or sent.
    """

    auto: bool
    interval: float
    max_concurrency: int
    off: str | None = None


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
