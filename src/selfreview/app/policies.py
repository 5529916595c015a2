"""Policies of runs that a person or a hook of git starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from selfreview.api import Change, ConfigView, Registry, Reviewer
from selfreview.app.change import open_requested, repo_paths
from selfreview.app.loading import Project, Source, load_project
from selfreview.app.repository import find_repo
from selfreview.app.request import RunRequest
from selfreview.app.session import LiveSession, accepted_issues, held, leftovers
from selfreview.app.state import Opened, RunState
from selfreview.app.ui import Ui
from selfreview.app.weaker_request import asked_less
from selfreview.errors import GitError, UsageError
from selfreview.git.privatefolder import sweep_folders
from selfreview.git.repo import Repo
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import AFTER_PUSH, TERMINAL
from selfreview.review.baseline import Known, read_baseline
from selfreview.review.marks import OwnMarks
from selfreview.review.select_reviewers import Selected, select

if TYPE_CHECKING:
    from selfreview.review.context import SettingsSource


class PersonPolicy:
    """A person waits: the working tree's settings count as far as they are trusted, and the result is remembered."""

    stage = "run"
    waits = True
    remembers = True
    brief = False
    insists = False
    attributes: str | None = None
    settings: SettingsSource | None = None
    own_marks = OwnMarks.COUNT
    claimed: Mapping[str, str] = {}

    def find_repo(self, request: RunRequest, ui: Ui) -> Repo | None:
        """Find the repository, and complete what a killed process left there; a bare patch needs none.

        Raises:
            GitError: If there is none.
        """
        try:
            return find_repo(request.folder, ui, completes=self.waits or request.is_patch)
        except GitError:
            if request.is_patch:
                return None  # its configuration is then the user's own
            raise

    def load(self, run: RunState) -> Project:
        """Load plugins and configuration of the working tree."""
        source = Source(options=keys(run), plugins=run.request.plugins, overrides=run.request.overrides)
        return load_project(run.repo, run.ui, source)

    def open(self, run: RunState) -> Opened:
        """Open what the request asks for."""
        return open_requested(run)

    def reconsider(self, change: Change, opened: Opened, config: ConfigView) -> Change:  # noqa: ARG002 - protocol
        """Return the change as it is."""
        return change

    def select(self, run: RunState, reviewers: Registry[Reviewer], *, uploads: bool) -> Selected:
        """Select reviewers by the request, else by configuration."""
        return select(reviewers, run.config, run.request.reviewers, uploads=uploads)

    def asks_less(self, run: RunState) -> list[str]:
        """Return the ways in which the request asks for less than the settings."""
        return asked_less(run) if self.remembers else []

    def begin_session(self, run: RunState) -> LiveSession | None:
        """Begin the run in the branch's session, where there is a repository that nobody else works in."""
        if run.repo is None or run.request.is_patch or not run.config["enabled"]:
            return None
        if leftovers(run.repo):
            from selfreview.refine.scratch import sweep

            sweep(run.repo)
        sweep_folders()
        run.hindrance = run.scope.branch.enter_context(held(run.repo))
        live = open_session(run, kept=run.hindrance is None and run.counts_for_branch)
        live.begin()
        return live

    def runs_checks(self, request: RunRequest) -> bool:
        """Return whether checks take part: a patch has no tree."""
        return not request.is_patch

    def why_withheld(self, request: RunRequest) -> tuple[str, str]:
        """Return why a check does not run, and what would run it."""
        if request.is_patch:
            return "a patch is no tree to run it in", "selfreview run, on a branch with the patch"
        return "the repository's checks are not trusted", "selfreview trust"

    def warns_incomplete(self, config: ConfigView) -> bool:
        """Return what is configured."""
        return bool(config["on_incomplete"] == "warn")

    def accepted(self, run: RunState) -> Mapping[str, str]:
        """Return why issues of the branch were accepted, by fingerprint."""
        if run.repo is None or run.request.is_patch:
            return {}
        return accepted_issues(run.store, run.repo, run.bench.change.scope.branch)

    def known(self, run: RunState) -> Known:
        """Return the baseline of the working tree.

        Raises:
            ConfigError: If it cannot be read.
        """
        if run.repo is None or run.request.is_patch:
            return Known()
        entries = read_baseline(run.repo.root, run.config["baseline"]) or {}
        return Known(entries, still=entries)

    def finish(self, run: RunState) -> None:
        """Add nothing to the result."""


class HookPolicy(PersonPolicy):
    """Git waits, and holds the index: nothing is asked, completed, checked or refined, and a pass is one line."""

    stage = "hook"
    waits = False
    brief = True

    def begin_session(self, run: RunState) -> LiveSession | None:  # noqa: ARG002 - protocol
        """Return None: a hook moves no session."""
        return None

    def runs_checks(self, request: RunRequest) -> bool:  # noqa: ARG002 - protocol
        """Return False: a hook does not wait for checks."""
        return False

    def why_withheld(self, request: RunRequest) -> tuple[str, str]:  # noqa: ARG002 - protocol
        """Return that a hook does not wait, and what does."""
        return "a hook does not wait for checks", "selfreview run"


def open_session(run: RunState, *, kept: bool) -> LiveSession:
    """Return the branch's session, or a new one.

    Args:
        run: The run, in a repository.
        kept: Whether it is remembered: for a whole branch, while nobody else has it.
    """
    assert run.repo is not None  # noqa: S101 - the caller has looked
    scope, store, config = run.bench.change.scope, run.store, run.config
    branch, worktree = scope.branch or "", str(run.repo.root)
    kept = kept and scope.mode == "branch" and not scope.partial
    found = store.attempt(lambda s: s.session(worktree, branch), None) if kept else None
    if found is not None and found.state in AFTER_PUSH:
        kept, found = False, None  # it waits for people: a look at what is there now does not disturb it
    if found is None or found.state in TERMINAL:
        found = new_session(branch, worktree, config["max_iterations"])
    found.max_iterations = config["max_iterations"]
    recorder = Recorder(found, store if kept else None, run.manager, config, run.observer_failed)
    return LiveSession(recorder, tracked=kept)


def keys(run: RunState) -> dict[str, Any]:
    """Return the configuration keys that the request sets; None where it does not.

    Raises:
        UsageError: If a document of requirements is not there.
    """
    request = run.request
    return {
        "severity_threshold": request.threshold,
        "max_issues": None if request.max_issues is None else {"total": request.max_issues},
        "strict": True if request.strict else None,
        "offline": True if request.offline else None,
        "color": request.color,
        "claude.effort": request.effort,
        "requirements": _requirements(run) or None,
    }


def _requirements(run: RunState) -> list[str]:
    """Return the documents that the request names, as patterns for exactly these."""
    request = run.request
    if request.requirements and run.repo is None:
        raise UsageError("--requirements needs a repository")
    for name in request.requirements:
        if not (request.folder / name).is_file():
            several = set(name) & set(",*?")
            hint = "repeat --requirements for each file" if several else "a path from the current folder"
            raise UsageError(f"there is no file {name!r} (--requirements)", hint=hint)
    return ["/" + path for path in repo_paths(run.repo, request.requirements, request.folder)] if run.repo else []
