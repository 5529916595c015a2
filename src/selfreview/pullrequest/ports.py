"""Ports and result types of a fix cycle."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from selfreview.api import Analysis, ChangeRequest, Connection, Cycle, Feedback, FeedbackItem, Judged, Notice, Opinion
from selfreview.errors import ExitCode, SelfreviewError
from selfreview.pullrequest.feedback.trust import Policy
from selfreview.pullrequest.feedback.unresolved import Unresolved
from selfreview.pullrequest.fix_outcome import Fixed
from selfreview.pullrequest.git.branch import Branch
from selfreview.pullrequest.git.landing import Landing
from selfreview.pullrequest.git.trailers import FixCommit


class TamperedError(SelfreviewError):
    """Something of the person's own changed while an agent read feedback: nothing goes on before they checked it.

    Args:
        message: What is wrong, as in :class:`SelfreviewError`.
        hint: What to do about it.
        items: What was being read.
    """

    exit_code = ExitCode.INCOMPLETE

    def __init__(self, message: str, *, hint: str | None, items: Sequence[FeedbackItem]) -> None:
        super().__init__(message, hint=hint)
        self.items = items


class Outcome(enum.StrEnum):
    """Outcome of a fix cycle."""

    NOTHING = "nothing_to_do"
    FIXED = "fixed"
    ANSWERED = "answered"
    ESCALATED = "human_review_required"
    WAITING = "waiting"
    PAUSED = "paused"
    ENDED = "ended"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ended:
    """Outcome of a fix cycle, with the reasons.

    Attributes:
        outcome: What the cycle came to.
        why: Reasons, as sentences.
        request: The pull request as it was read.
        analysis: What the feedback was taken to mean; None where it did not come to that.
        commit: The commit that was pushed, or None.
        undone: What belongs to it, or to an earlier one, and is not done yet, as phrases.
        cycles: Answers on the branch by now.
        opinions: The opinion that counts of each reviewer who is listened to, by login.
        not_shown: What the forge does not show to the token and nothing hangs on, as sentences.
        left: What is left to a person, from now or before.
        called: Whether they were called for it in this cycle.
        label: The label that a person may take away, which settles all of it, or empty.
        nothing_waits: Whether a person was called before, and nothing waits for them any more.
        wait_s: Seconds until a quota is there again that is used up, or the forge may be asked again; None: there
            is nothing to wait for.
        busy: Whether it is the forge that asks for that pause.
    """

    outcome: Outcome
    request: ChangeRequest
    why: tuple[str, ...] = ()
    analysis: Analysis | None = None
    commit: FixCommit | None = None
    undone: tuple[str, ...] = ()
    cycles: int = 0
    opinions: Mapping[str, Opinion] = dataclasses.field(default_factory=dict)
    not_shown: tuple[str, ...] = ()
    left: tuple[Unresolved, ...] = ()
    called: bool = False
    label: str = ""
    nothing_waits: bool = False
    wait_s: float | None = None
    busy: bool = False


class Workshop(Protocol):
    """Operations of a fix cycle on this machine."""

    def begin(self, request: ChangeRequest) -> None:
        """Set the pull request that the following calls are about."""

    def branch(self, request: ChangeRequest) -> Branch:
        """Return the pull request's branch in its working tree.

        Raises:
            NotHereError: If no working tree has it.
            CycleError: If nothing may be pushed to it.
        """

    def why_off(self, branch: Branch) -> str | None:
        """Return that selfreview is switched off by the settings that count now, as a sentence, or None."""

    def landing(self, branch: Branch, request: ChangeRequest) -> Landing:
        """Return the object that lands fixes on a branch."""

    def analyse(
        self, feedback: Feedback, policy: Policy, handled: frozenset[str], anew: frozenset[str] = frozenset()
    ) -> Analysis:
        """Judge the feedback of a snapshot.

        Args:
            feedback: The feedback of one snapshot.
            policy: Who is listened to.
            handled: Keys of what needs nothing more.
            anew: Keys of what was left to a person who wants it tried again.

        Raises:
            LimitError: If whoever reads it may not be asked for now.
            ModelAwayError: If they could not be asked.
        """

    def in_place(self, branch: Branch, work: Sequence[Judged]) -> Mapping[str, str]:
        """Return the keys of suggestions that the remote's branch has already, each with the commit since which it has.

        That is empty where it is not known.
        """

    def fix(self, branch: Branch, work: Sequence[Judged]) -> Fixed:
        """Have feedback fixed in a workspace; the branch's working tree is clean, and stays as it is.

        Raises:
            SelfreviewError: If this machine fails at it: of that nothing is said on the forge.
        """

    def check(self, branch: Branch) -> str | None:
        """Review a checked-out fix, and run the project's checks on it; return what is wrong with it, or None.

        Raises:
            LimitError: If whoever reviews it may not be asked for now.
            ModelAwayError: If they could not be asked.
        """

    def veto(self, cycle: Cycle) -> str | None:
        """Ask plugins whether a commit may be pushed; return why not, or None."""


class Journal(Protocol):
    """Record of fix cycles, and the notices to people."""

    @property
    def counted(self) -> int:
        """Answers that count towards the cap, as far as is remembered; those before a person's reset do not."""

    @property
    def total(self) -> int:
        """Answers so far, as far as is remembered, whether they count or not."""

    @property
    def uncounted(self) -> int:
        """Answers on the branch that a person's reset does not count."""

    @property
    def again(self) -> bool:
        """Return whether feedback that a person was called for is to be tried again."""

    @property
    def resets(self) -> int:
        """Number of times that a person has had everything tried again."""

    @property
    def resolved(self) -> Collection[str]:
        """Ids of feedback whose threads people had resolved at the last reading, as far as remembered."""

    def remember_resolved(self, ids: Sequence[str]) -> None:
        """Record ids of feedback whose threads people resolved."""

    def dropped(self, commit: FixCommit) -> None:
        """Record that a fix was discarded as its feedback was withdrawn: it counts as an answer."""

    def waited(self) -> int:
        """Record that this machine could do nothing; return how often that was in a row, with this time."""

    def received(self, request: ChangeRequest, analysis: Analysis) -> None:
        """Record that there is feedback, before anything is done about it."""

    def pushing(self, commit: FixCommit) -> None:
        """Record that a commit is about to be pushed."""

    def pushed(self, commit: FixCommit) -> None:
        """Record that a commit was pushed, before anybody is told of it."""

    def asked(self, logins: Sequence[str]) -> None:
        """Record that people were asked for another review."""

    def made(self, commit: FixCommit) -> bool:
        """Return whether a commit is recorded as pushed from here."""

    def note(self, text: str) -> None:
        """Report something that a person may want to know."""

    def tell(self, notice: Notice) -> None:
        """Send a notice to people."""

    def now(self) -> str:
        """Return the time in the form of results."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class CycleSettings:
    """Configuration of a fix cycle.

    Attributes:
        max_fix_cycles: How many answers there may be; 0: feedback is only read.
        drafts: Whether drafts are answered too.
        label: Of a pull request that needs a person, or empty.
        waits: How often in a row this machine may be able to do nothing, until people are told of that.
        unchecked: Which of the project's checks take no part, and why, as a sentence; or empty.
    """

    max_fix_cycles: int = 2
    drafts: bool = False
    label: str = ""
    waits: int = 10
    unchecked: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parts:
    """Dependencies of a fix cycle.

    Attributes:
        connection: The forge.
        policy: Who is listened to.
        settings: What is configured.
        workshop: What is done on this machine.
        journal: What is remembered and told.
    """

    connection: Connection
    policy: Policy
    settings: CycleSettings
    workshop: Workshop
    journal: Journal
