"""The fixer: turns open issues into edits of a scratch workspace."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from selfreview.api.config import ConfigView
from selfreview.model.change import Change
from selfreview.model.issue import DEFAULT_THRESHOLD, Issue
from selfreview.model.refinement import FixAnswer
from selfreview.model.usage import Outage, Usage


class Attempt(NamedTuple):
    """An attempt of an earlier iteration at an issue.

    Attributes:
        iteration: Its number, from 1.
        issue: Id of the issue.
        what: What the fixer said that it did, or why its patch was not kept.
    """

    iteration: int
    issue: str
    what: str


class Document(NamedTuple):
    """A text for the fixer's prompt: a requirement, a guideline."""

    path: str
    text: str


class Occasion(NamedTuple):
    """The reason to edit a change that was reviewed once more: feedback of reviewers on its pull request.

    Attributes:
        heading: What is done, in a sentence of ours.
        material: What they said, as text of others.
        instructions: What to do about it, as text of ours and of the person's own configuration.
    """

    heading: str
    material: str
    instructions: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class FixRequest:
    """A request to a fixer: the issues to fix, with what earlier iterations tried.

    Attributes:
        issues: Issues that this fixer takes, worst first; their lines are those of the workspace as it is now, and one
            whose code is not there any more is left out.
        attempts: What earlier iterations tried with them, oldest first.
        rejected: Why this fixer's patch of a moment ago was not kept; empty the first time.
        requirements: What the change is meant to do.
        guidelines: What the repository asks of who edits it.
        iteration: Number of this refinement, from 1.
        threshold: What blocks, in words for a prompt.
        occasion: What reviewers of the pull request said, where that is what the issues come from.
    """

    issues: Sequence[Issue]
    attempts: Sequence[Attempt] = ()
    rejected: Sequence[str] = ()
    requirements: Sequence[Document] = ()
    guidelines: Sequence[Document] = ()
    iteration: int = 1
    threshold: str = DEFAULT_THRESHOLD
    occasion: Occasion | None = None


class CheckOutcome(NamedTuple):
    """The outcome of one of the project's checks.

    Attributes:
        name: As configured.
        passed: Whether it succeeded; None where it could not run.
        output: The end of what it printed, or why it could not run.
    """

    name: str
    passed: bool | None
    output: str


class FixContext(Protocol):
    """The workspace, and the way to run tools in it.

    What a fixer changes there is looked at afterwards, and thrown away where it breaks a rule. It must not write
    anywhere else.
    """

    @property
    def root(self) -> Path:
        """Top level of the workspace: a scratch repository that holds exactly what is under review."""

    @property
    def change(self) -> Change:
        """The change under review, as it was before the first refinement."""

    @property
    def config(self) -> ConfigView:
        """The resolved configuration."""

    def edited(self) -> list[str]:
        """Return the paths of files of the workspace that are new, or edited since this fixer began.

        Raises:
            GitError: If git cannot read the workspace.
        """

    @property
    def checks(self) -> Sequence[str]:
        """Names of the project's checks that may run."""

    def run_check(self, name: str) -> CheckOutcome:
        """Run one of the project's checks in the workspace.

        Raises:
            KeyError: If there is no such check.
        """

    def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path | None = None,
        stdin: bytes | None = None,
        ok: Iterable[int] = (0,),
        env: dict[str, str] | None = None,
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a tool, by default in the workspace, until it ends or this fixer's deadline comes; as for reviewers.

        Raises:
            ToolError: If it cannot be started, ends otherwise, is killed, or says too much.
            ToolTimeout: If the deadline comes first.
        """

    def on_stop(self, callback: Callable[[], None]) -> None:
        """Have something called, from another thread, when the run is interrupted or over."""

    def remaining(self) -> float:
        """Return the seconds until this fixer's deadline."""


@dataclasses.dataclass(kw_only=True)
class Fix:
    """The result of a fixer: an answer for each issue, notes and cost.

    Attributes:
        answers: Its word on each issue; one that is missing counts as not addressed.
        notes: New concerns, as plain text for a person.
        usage: What it cost, or None.
        error: Why it failed, in one line; what it wrote until then is thrown away.
        hint: What a person can do about it.
        over_budget: Whether it stopped because its budget is used up.
        reasons: By path, why a file had to be edited that is neither of the change nor a test of it.
        outage: Why a model could not be asked, where ``error`` says that; a fix cycle then waits.
    """

    answers: list[FixAnswer] = dataclasses.field(default_factory=list)
    notes: str = ""
    usage: Usage | None = None
    error: str | None = None
    hint: str | None = None
    over_budget: bool = False
    reasons: dict[str, str] = dataclasses.field(default_factory=dict)
    outage: Outage | None = None


class Fixer(Protocol):
    """One fixer. It may raise a SelfreviewError; anything else is a crash of this fixer, and reported as such.

    Optional methods, looked up by name: ``unavailable(config) -> str | None`` (why it cannot take part, for a person),
    ``timeout(config) -> float`` (seconds, else ``fixer_timeout``).

    Attributes:
        name: What a person types after ``--fixer``.
        is_mechanical: Whether it only makes edits that are known to be right, so that it goes before those that think.
    """

    @property
    def name(self) -> str:
        """Unique name."""

    @property
    def is_mechanical(self) -> bool:
        """Return whether its edits are mechanical: they need no judgement."""

    def takes(self, issue: Issue, config: ConfigView) -> bool:
        """Return whether the fixer would try this issue. Cheap, no I/O."""

    def fix(self, request: FixRequest, context: FixContext) -> Fix:
        """Edit the workspace."""
