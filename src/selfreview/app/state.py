"""The states of a run, from the request to the report: each has what the one before had, and what its stage added.

A stage is a function from one state to the next, so that its parameter says what there is by then.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from selfreview.api import Change, ConfigView, Registry, Reviewer
from selfreview.app.request import RunRequest
from selfreview.app.ui import Ui, observer_failed
from selfreview.review.baseline import Known
from selfreview.review.marks import OwnMarks
from selfreview.review.verdict import Threshold

if TYPE_CHECKING:
    from selfreview.app.loading import Project
    from selfreview.app.outputs import Output
    from selfreview.app.session import LiveSession
    from selfreview.config.view import Config
    from selfreview.git.collect_change import Collected
    from selfreview.git.content import Content
    from selfreview.git.repo import Repo
    from selfreview.git.revisions import CheckedOut
    from selfreview.model.result import Result
    from selfreview.plugins.manager import PluginManager
    from selfreview.refine.refinement_result import RefinementResult
    from selfreview.review.context import SettingsSource, Workbench
    from selfreview.review.engine import Engine
    from selfreview.review.privacy import Privacy
    from selfreview.review.select_reviewers import Selected
    from selfreview.store.store import ReviewStore


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

    def nested(self) -> RunScope:
        """Return the scope of a run within this one: it is cancelled with it, and closed before it."""
        scope = RunScope()
        self.whole.callback(scope.close)
        self.on_cancel(scope.cancel)
        return scope

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


class RepoSource(NamedTuple):
    """A change in a repository.

    Attributes:
        repo: The repository.
        paths: The paths that limit the change, from the top level.
    """

    repo: Repo
    paths: tuple[str, ...]


class DiffSource(NamedTuple):
    """A bare patch, which no tree is known for.

    Attributes:
        repo: The repository whose settings count, or None outside of one: then they are the person's own.
        diff: Its bytes, or its file, relative to the folder of the request.
    """

    repo: Repo | None
    diff: bytes | Path


class RepoChange(NamedTuple):
    """A change of a repository with its content, which is to be closed.

    Attributes:
        change: What is under review.
        content: Its text.
        repo: The repository.
        collected: The change as git has it.
    """

    change: Change
    content: Content
    repo: Repo
    collected: Collected


class DiffChange(NamedTuple):
    """The change of a bare patch with its content, which is to be closed."""

    change: Change
    content: Content


Opened = RepoChange | DiffChange


class Prepared(NamedTuple):
    """A change with its files marked that are not reviewed.

    Attributes:
        change: The change.
        unreadable: Files that cannot be read, with the reason.
        claimed: What the change alone excludes from its review, where that is honoured: the reason, by path.
    """

    change: Change
    unreadable: dict[str, str]
    claimed: Mapping[str, str]


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


@dataclasses.dataclass(frozen=True)
class CheckRule:
    """The part that the project's checks take in a run.

    Attributes:
        take_part: Whether they do; where they do not, that is no gap.
        why, hint: Why a check does not run, and what would run it.
        insists: Whether required checks take part although reviewers are named.
    """

    take_part: bool
    why: str
    hint: str
    insists: bool = False


def _as_it_is(change: Change, opened: Opened, config: ConfigView) -> tuple[Change, Mapping[str, str]]:  # noqa: ARG001
    return change, {}


def _no_notes(result: Result) -> Sequence[str]:  # noqa: ARG001
    return ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms of a review, decided when its settings are loaded: what counts, and who reviews.

    Attributes:
        project: The repository with its plugins and configuration.
        request: What was asked for, with the revisions that it means.
        select: Selects the reviewers; ``uploads`` says whether a model takes part without being named.
        checks: The part that the project's checks take.
        accepted: Returns why issues were accepted, by fingerprint.
        known: Returns the baselines.
        checked_out: What is checked out, where that was looked up already.
        attributes: The commit whose ``.gitattributes`` count; None: what is there.
        settings: Where files that tell tools how to review come from; None: the working tree.
        own_marks: What suppressions that the change adds are worth.
        reconsider: Returns a change with files that are reviewed in spite of exclusions, and the exclusions that only
            the change brings and that are honoured, by path.
        less: Ways in which the request asks for less than the settings, besides those that any run may have.
        warns_incomplete: Whether an incomplete review only warns.
        closing_notes: Returns what the report adds to the result's notes.
    """

    project: Project
    request: RunRequest
    select: Callable[[ConfiguredRun, Registry[Reviewer], bool], Selected]
    checks: CheckRule
    accepted: Callable[[OpenedRun, ReviewStore], Mapping[str, str]]
    known: Callable[[ConfiguredRun], Known]
    checked_out: CheckedOut | None = None
    attributes: str | None = None
    settings: SettingsSource | None = None
    own_marks: OwnMarks = OwnMarks.COUNT
    reconsider: Callable[[Change, Opened, ConfigView], tuple[Change, Mapping[str, str]]] = _as_it_is
    less: Sequence[str] = ()
    warns_incomplete: bool = False
    closing_notes: Callable[[Result], Sequence[str]] = _no_notes


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunPolicy:
    """Who runs a review, and so: who is trusted, what is remembered, and what may be asked.

    Attributes:
        where: What plugins are given as the place of an error: ``run``, ``hook`` or ``gate``.
        waits: Whether a person waits for the run: options of refinement are checked, and a model's use may be asked
            about. Nobody does in a hook or a gate.
        notifies: Whether pending notices are sent at the end.
        remembers: Whether the result is stored, and counts for the branch.
        tells_completion: Whether plugins are told of the result; a fix cycle tells them of each review in it.
        brief: Whether a pass is one line where no format is asked for.
        find_repo: Finds the repository.
        load: Loads plugins and configuration, and decides what counts.
        open: Opens the change; its content is to be closed.
        begin_session: Begins the run in a session; None where nothing is checked or refined.
    """

    where: str
    find_repo: Callable[[RunRequest, Ui], Repo]
    load: Callable[[LocatedRun], Terms]
    open: Callable[[ConfiguredRun], Opened]
    begin_session: Callable[[OpenedRun, Branch], LiveSession | None]
    waits: bool = False
    notifies: bool = False
    remembers: bool = True
    tells_completion: bool = True
    brief: bool = False


class Branch(NamedTuple):
    """The branch under review, and what is remembered of it.

    Attributes:
        repo: The repository.
        store: What is remembered.
        counts: Whether the review counts for the branch: with all that the settings ask for.
    """

    repo: Repo
    store: ReviewStore
    counts: bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class Run:
    """A run before its first stage.

    Attributes:
        request: What was asked for.
        policy: Whose word counts.
        ui: The front end.
        scope: What is held open.
        stopwatch: The working time.
    """

    request: RunRequest
    policy: RunPolicy
    ui: Ui
    scope: RunScope = dataclasses.field(default_factory=RunScope)
    stopwatch: Stopwatch = dataclasses.field(default_factory=Stopwatch)

    @property
    def observer_failed(self) -> Callable[[str, str, BaseException], None]:
        """The function that warns of an observer that raised."""
        return observer_failed(self.ui)


@dataclasses.dataclass(frozen=True, kw_only=True)
class LocatedRun(Run):
    """A run whose repository was looked for.

    Attributes:
        source: Where the change comes from.
    """

    source: RepoSource | DiffSource

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that limit the change, from the top level."""
        return self.source.paths if isinstance(self.source, RepoSource) else ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConfiguredRun(LocatedRun):
    """A run with plugins and configuration.

    Attributes:
        terms: What counts.
        outputs: Where reports go.
    """

    terms: Terms
    outputs: Sequence[Output] = ()

    @property
    def project(self) -> Project:
        """The repository with its plugins and configuration."""
        return self.terms.project

    @property
    def config(self) -> Config:
        """The resolved configuration."""
        return self.terms.project.config

    @property
    def manager(self) -> PluginManager:
        """The plugins."""
        return self.terms.project.manager

    @property
    def threshold(self) -> Threshold:
        """The lowest severity that blocks."""
        return Threshold(self.config["severity_threshold"])


@dataclasses.dataclass(frozen=True, kw_only=True)
class SelectedRun(ConfiguredRun):
    """A run that knows who reviews.

    Attributes:
        reviewers: All reviewers.
        uploads: Whether automatically chosen reviewers may send code to a model.
        selected: Who reviews.
    """

    reviewers: Registry[Reviewer]
    uploads: bool
    selected: Selected


@dataclasses.dataclass(frozen=True, kw_only=True)
class OpenedRun(SelectedRun):
    """A run with the change open.

    Attributes:
        opened: The change as it was opened.
        bench: The change, with its files marked that are not reviewed, and its content.
        prepared: What is known of its files.
    """

    opened: Opened
    bench: Workbench
    prepared: Prepared


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReviewedRun(OpenedRun):
    """A run with a result.

    Attributes:
        store: What is remembered.
        engine: What reviews.
        result: What was found.
        privacy: What keeps secrets out of excerpts of the result.
        unwritten: The reports that could not be written.
    """

    store: ReviewStore
    engine: Engine
    result: Result
    privacy: Privacy
    unwritten: Sequence[str] = ()

    def blocks(self) -> bool:
        """Return whether an issue of the result blocks."""
        return bool(self.threshold.blocking(self.result.issues))


Reviewing = TypeVar("Reviewing", bound=ReviewedRun)
"""Any run with a result, of a stage that adds nothing to it."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class SessionRun(ReviewedRun):
    """A run in a session, in which checks and refinement take place.

    Attributes:
        opened: The change of the repository.
        live: The session.
    """

    opened: RepoChange
    live: LiveSession


def live_session(run: ReviewedRun) -> SessionRun | None:
    """Return a run that checks and fixers may go on with: in a session, reviewed to its end, and not switched off."""
    if not isinstance(run, SessionRun) or run.bench.interrupted or not run.config["enabled"]:
        return None
    return run


@dataclasses.dataclass(frozen=True, kw_only=True)
class RefinedRun(SessionRun):
    """A run that was refined.

    Attributes:
        refined: How refinement went.
        reviews: The reviews of refined states.
    """

    refined: RefinementResult
    reviews: Sequence[Reviewed]


@dataclasses.dataclass(frozen=True, kw_only=True)
class AskedRun(RefinedRun):
    """A run whose person was asked about the patch.

    Attributes:
        shown: Ids of the issues that they have seen already, before the question.
    """

    shown: Collection[str]
