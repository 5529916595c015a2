"""The state of one run: what was asked for, whose word counts, and what the stages have come to so far."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from selfreview.api import Change, ConfigView, Registry, Reviewer
from selfreview.app.request import RunRequest
from selfreview.app.ui import Ui, observer_failed
from selfreview.git.repo import Repo
from selfreview.review.baseline import Known
from selfreview.review.context import SettingsSource, Workbench
from selfreview.review.marks import OwnMarks
from selfreview.review.select_reviewers import Selected
from selfreview.review.verdict import Threshold

if TYPE_CHECKING:
    from selfreview.app.loading import Project
    from selfreview.app.outputs import Output
    from selfreview.app.session import Hindrance, LiveSession
    from selfreview.git.collect import Collected
    from selfreview.git.content import Content
    from selfreview.model.result import Result
    from selfreview.plugins.manager import PluginManager
    from selfreview.refine.refinement_result import RefinementResult
    from selfreview.review.engine import Engine
    from selfreview.review.privacy import Privacy
    from selfreview.store.review_store import ReviewStore


class RunScope:
    """All that a run holds open, and the way to cancel the run from another thread.

    Attributes:
        whole: Closed at the end of the run.
        branch: The store and the lock of the branch's session, closed before the report is written.
    """

    def __init__(self) -> None:
        self.whole = contextlib.ExitStack()
        self.branch = self.whole.enter_context(contextlib.ExitStack())
        self._lock = threading.Lock()
        self._cancelled = False
        self._stops: list[Callable[[], None]] = []

    def close(self) -> None:
        """Close everything."""
        self.whole.close()

    def cancel(self) -> None:
        """Have the run end as at Ctrl-C: what it found is kept, and its thread raises :class:`Interrupted`."""
        with self._lock:
            self._cancelled = True
            stops = list(self._stops)
        for stop in stops:
            stop()

    def on_cancel(self, stop: Callable[[], None]) -> None:
        """Have something called, in the thread that cancels; at once where that was before."""
        with self._lock:
            self._stops.append(stop)
            late = self._cancelled
        if late:
            stop()

    def check(self) -> None:
        """Raise KeyboardInterrupt where the run was cancelled."""
        if self._cancelled:
            raise KeyboardInterrupt


class Stopwatch:
    """Working time of a run, without the time in which it waits for a person's answer."""

    def __init__(self) -> None:
        self._begin = time.monotonic()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Count nothing for as long as the context lasts."""
        since = time.monotonic()
        try:
            yield
        finally:
            self._begin += time.monotonic() - since

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds of work so far."""
        return round((time.monotonic() - self._begin) * 1000)


class Opened(NamedTuple):
    """A change with its content; the content is to be closed.

    Attributes:
        change: What is under review.
        content: Its text.
        collected: How it was collected, or None for a bare patch.
    """

    change: Change
    content: Content
    collected: Collected | None


@dataclasses.dataclass(frozen=True)
class Reviewed:
    """A review, with the data that its report needs.

    Attributes:
        result: The result.
        bench: The change and its content, open.
        privacy: What keeps secrets out of excerpts.
    """

    result: Result
    bench: Workbench
    privacy: Privacy


class RunPolicy(Protocol):
    """Who runs a review, and so: what counts, who is trusted, what is remembered, and what may be asked.

    Attributes:
        stage: What plugins are given as the place of an error: ``run``, ``hook`` or ``gate``.
        waits: Whether a person waits for the run: options of refinement are checked, a model's use may be asked about,
            and notices are sent at the end. Nobody does in a hook or a gate.
        remembers: Whether the result is stored, and counts for the branch.
        brief: Whether a pass is one line where no format is asked for.
        insists: Whether required checks take part although reviewers are named.
        attributes: The commit whose ``.gitattributes`` count; None: what is there.
        settings: Where files that tell tools how to review come from; None: the working tree.
        own_marks: What suppressions that the change adds are worth.
        claimed: What the change alone excludes from its review: the reason, by path.
    """

    stage: str
    waits: bool
    remembers: bool
    brief: bool
    insists: bool
    attributes: str | None
    settings: SettingsSource | None
    own_marks: OwnMarks
    claimed: Mapping[str, str]

    def find_repo(self, request: RunRequest, ui: Ui) -> Repo | None:
        """Find the repository; None for a bare patch outside of one."""

    def load(self, run: RunState) -> Project:
        """Load plugins and configuration."""

    def open(self, run: RunState) -> Opened:
        """Open the change; its content is to be closed."""

    def reconsider(self, change: Change, opened: Opened, config: ConfigView) -> Change:
        """Return the change with files that are reviewed in spite of exclusions."""

    def select(self, run: RunState, reviewers: Registry[Reviewer], *, uploads: bool) -> Selected:
        """Select the reviewers."""

    def asks_less(self, run: RunState) -> list[str]:
        """Return the ways in which the call asks for less than the settings, where the review counts for the branch."""

    def begin_session(self, run: RunState) -> LiveSession | None:
        """Begin the run in a session; None where nothing is checked or refined."""

    def runs_checks(self, request: RunRequest) -> bool:
        """Return whether the project's checks take part."""

    def why_withheld(self, request: RunRequest) -> tuple[str, str]:
        """Return why a check does not run, and what would run it."""

    def warns_incomplete(self, config: ConfigView) -> bool:
        """Return whether an incomplete review only warns."""

    def accepted(self, run: RunState) -> Mapping[str, str]:
        """Return why issues were accepted, by fingerprint."""

    def known(self, run: RunState) -> Known:
        """Return the baselines."""

    def finish(self, run: RunState) -> None:
        """Add to the result what it needs before it is reported."""


@dataclasses.dataclass(kw_only=True)
class RunState:
    """One run; each stage adds to it.

    Attributes:
        request: What was asked for.
        policy: Whose word counts.
        ui: The front end.
        scope: What is held open.
        stopwatch: The working time.
        repo: The repository, or None for a bare patch outside of one.
        paths: The paths that limit the change, from the top level.
        project: The repository with its plugins and configuration.
        outputs: Where reports go.
        reviewers: All reviewers.
        uploads: Whether automatically chosen reviewers may send code to a model.
        selected: Who reviews.
        collected: How the change was collected, or None for a bare patch.
        bench: The change and its content.
        unreadable: Files that cannot be read, with the reason.
        store: What is remembered.
        less: The ways in which the call asks for less than the settings.
        hindrance: Why the branch's session cannot be had, or None.
        live: The session, or None where nothing is checked or refined.
        engine: What reviews.
        result: What was found.
        privacy: What keeps secrets out of excerpts of the result.
        workspace_reviews: The reviews of refined states.
        refined: How refinement went, or None.
        shown: Ids of the issues that a person has seen already, before the question about the patch; None: was not
            asked.
        report_failed: The exit code where a report could not be written.
    """

    request: RunRequest
    policy: RunPolicy
    ui: Ui
    scope: RunScope = dataclasses.field(default_factory=RunScope)
    stopwatch: Stopwatch = dataclasses.field(default_factory=Stopwatch)
    repo: Repo | None = None
    paths: tuple[str, ...] = ()
    project: Project = dataclasses.field(init=False)
    outputs: Sequence[Output] = ()
    reviewers: Registry[Reviewer] = dataclasses.field(init=False)
    uploads: bool = False
    selected: Selected = dataclasses.field(init=False)
    collected: Collected | None = None
    bench: Workbench = dataclasses.field(init=False)
    unreadable: dict[str, str] = dataclasses.field(default_factory=dict)
    store: ReviewStore = dataclasses.field(init=False)
    less: Sequence[str] = ()
    hindrance: Hindrance | None = None
    live: LiveSession | None = None
    engine: Engine = dataclasses.field(init=False)
    result: Result = dataclasses.field(init=False)
    privacy: Privacy = dataclasses.field(init=False)
    workspace_reviews: list[Reviewed] = dataclasses.field(default_factory=list)
    refined: RefinementResult | None = None
    shown: Collection[str] | None = None
    report_failed: int | None = None

    @property
    def is_loaded(self) -> bool:
        """Return whether there are plugins and configuration."""
        return hasattr(self, "project")

    @property
    def has_result(self) -> bool:
        """Return whether the change was reviewed."""
        return hasattr(self, "result")

    @property
    def config(self) -> ConfigView:
        """The resolved configuration."""
        return self.project.config

    @property
    def manager(self) -> PluginManager:
        """The plugins."""
        return self.project.manager

    @property
    def threshold(self) -> Threshold:
        """What blocks."""
        return Threshold(self.config["severity_threshold"])

    @property
    def counts_for_branch(self) -> bool:
        """Return whether the review counts for its branch: with all that the settings ask for."""
        return not self.less and not self.selected.limited

    def blocks(self) -> bool:
        """Return whether an issue of the result blocks."""
        return any(self.threshold.blocks(issue) for issue in self.result.issues)

    def observer_failed(self, plugin: str, hook: str, error: BaseException) -> None:
        """Warn of an observer that raised."""
        observer_failed(self.ui, plugin, hook, error)
