"""Policies of runs that a person or a hook of git starts."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from selfreview.api import Registry, Reviewer
from selfreview.app.change import open_requested, repo_paths
from selfreview.app.decisions import accepted_issues
from selfreview.app.loading import check_rules, find_repo, load_project
from selfreview.app.request import RunRequest
from selfreview.app.review import open_cache
from selfreview.app.session import Hindrance, LiveSession, hold_session, leftovers
from selfreview.app.state import (
    Branch,
    CheckRule,
    ConfiguredRun,
    DiffSource,
    LocatedRun,
    OpenedRun,
    RunPolicy,
    Terms,
)
from selfreview.app.ui import Ui
from selfreview.config import LoadOptions
from selfreview.config.sources import RepoReader
from selfreview.config.tables import exact_pattern
from selfreview.errors import UsageError
from selfreview.git.objects import later_names
from selfreview.git.private_folder import sweep_folders
from selfreview.git.repo import Repo
from selfreview.model.event import DefaultUsed
from selfreview.model.wire import display_path
from selfreview.refine.recorder import Recorder, new_session
from selfreview.refine.states import AFTER_PUSH, TERMINAL
from selfreview.review.baseline import Known, read_baseline
from selfreview.review.rule_names import key_of_selectors
from selfreview.review.select_reviewers import Selected, select
from selfreview.store.store import ReviewStore

_TRUSTED = CheckRule(True, "checks of this repository are not trusted yet", 'run "selfreview trust"')
_NO_TREE = CheckRule(False, "a patch is no tree to run it in", "selfreview run, on a branch with the patch")
_NO_WAIT = CheckRule(False, "a hook does not wait for checks", "selfreview run")


def _terms(run: LocatedRun, checks: CheckRule, base: RepoReader | None = None) -> Terms:
    """Load plugins and configuration, and return the terms of a review whose change is its person's own."""
    request = run.request
    options = LoadOptions(
        keys=keys(run),
        plugins=request.plugins,
        overrides=request.overrides,
        read_repo_file=base,
        head_code=base is None,
    )
    project = load_project(run.source.repo, run.ui, options)
    return Terms(
        project=project,
        request=request,
        select=select_requested,
        checks=checks,
        accepted=accepted_on_branch,
        known=known_in_tree,
        warns_incomplete=project.config["on_incomplete"] == "warn",
    )


def person_terms(run: LocatedRun, base: RepoReader | None = None) -> Terms:
    """Load what counts for a person, with the project's checks.

    Args:
        run: The run.
        base: Reads the files of a base whose settings count in place of the working tree's; no code of the change runs.
    """
    return _terms(run, _NO_TREE if isinstance(run.source, DiffSource) else _TRUSTED, base)


def hook_terms(run: LocatedRun) -> Terms:
    """Load what counts for a hook: of the working tree, without its checks."""
    return _terms(run, _NO_WAIT)


def find_completed(request: RunRequest, ui: Ui) -> Repo:
    """Find the repository, and complete what a killed process left there.

    Raises:
        GitError: If there is none.
    """
    return find_repo(request.folder, ui)


def find_as_it_is(request: RunRequest, ui: Ui) -> Repo:
    """Find the repository while git may hold its index.

    Raises:
        GitError: If there is none.
    """
    return find_repo(request.folder, ui, completes=request.is_patch)


def select_requested(run: ConfiguredRun, reviewers: Registry[Reviewer], uploads: bool) -> Selected:
    """Select reviewers by the request, else by configuration, of which every name of a rule has to mean one."""
    _check_rules_once(run, reviewers)
    return select(reviewers, run.config, run.request.reviewers, uploads=uploads)


def _check_rules_once(run: ConfiguredRun, reviewers: Registry[Reviewer]) -> None:
    """Check that settings select rules that there are, unless these were there before: who is asked may start a tool.

    Raises:
        ConfigError: If one is not there.
    """
    key = key_of_selectors(run.config, reviewers)
    if key is None or run.manager.left_out():
        return
    with open_cache(run) as blobs:
        if blobs is None or not blobs.get_many([key]):
            check_rules(run.project, reviewers)
            if blobs is not None:
                blobs.put_many({key: b"known"})


def accepted_on_branch(run: OpenedRun, store: ReviewStore) -> Mapping[str, str]:
    """Return why issues of the branch were accepted, by fingerprint."""
    if isinstance(run.source, DiffSource):
        return {}
    return accepted_issues(store, run.source.repo, run.bench.change.scope.branch)


def known_in_tree(run: ConfiguredRun) -> Known:
    """Return the baseline of the working tree.

    Raises:
        ConfigError: If it cannot be read.
    """
    if isinstance(run.source, DiffSource):
        return Known()
    repo = run.source.repo
    entries = read_baseline(repo.root, run.config["baseline"]) or {}
    return Known(entries, still=entries, later=functools.partial(later_names, repo.git, "HEAD", worktree=True))


def begin_branch_session(run: OpenedRun, branch: Branch) -> LiveSession | None:
    """Begin the run in the branch's session, or in one that is forgotten where somebody else works in it."""
    if not run.config["enabled"]:
        return None
    if leftovers(branch.repo):
        from selfreview.refine.scratch import sweep

        sweep(branch.repo)
    sweep_folders()
    hindrance = run.scope.branch.enter_context(hold_session(branch.repo))
    live = open_session(run, branch, kept=hindrance is None and branch.counts, hindrance=hindrance)
    live.begin(*_defaults(run, live))
    return live


def _defaults(run: OpenedRun, live: LiveSession) -> Iterator[DefaultUsed]:
    """Yield the base that nobody named, where the branch was not reviewed against it before."""
    base = run.bench.change.scope.base
    if base is not None and base != live.session.base and run.request.base is None and not run.config["base"]:
        yield DefaultUsed(what="base", value=display_path(base))


def no_session(run: OpenedRun, branch: Branch) -> None:
    """Begin no session: a hook moves none."""


def open_session(run: OpenedRun, branch: Branch, *, kept: bool, hindrance: Hindrance | None = None) -> LiveSession:
    """Return the branch's session, or a new one.

    Args:
        run: The run.
        branch: The branch.
        kept: Whether it is remembered: for a whole branch, while nobody else has it.
        hindrance: Why the branch's own cannot be held, or None.
    """
    scope, store, config = run.bench.change.scope, branch.store, run.config
    name, worktree = scope.branch or "", str(branch.repo.root)
    kept = kept and scope.mode == "branch" and not scope.partial
    found = store.attempt(lambda s: s.session(worktree, name), None) if kept else None
    if found is not None and found.state in AFTER_PUSH:
        kept, found = False, None  # it waits for people: a look at what is there now does not disturb it
    if found is None or found.state in TERMINAL:
        found = new_session(name, worktree, config["max_iterations"])
    found.max_iterations = config["max_iterations"]
    recorder = Recorder(found, store if kept else None, run.manager, config, run.observer_failed)
    return LiveSession(recorder, tracked=kept, hindrance=hindrance)


PERSON = RunPolicy(
    where="run",
    find_repo=find_completed,
    load=person_terms,
    open=open_requested,
    begin_session=begin_branch_session,
    waits=True,
    notifies=True,
)
"""A person waits: the working tree's settings count as far as they are trusted, and the result is remembered."""

HOOK = RunPolicy(
    where="hook",
    find_repo=find_as_it_is,
    load=hook_terms,
    open=open_requested,
    begin_session=no_session,
    brief=True,
)
"""Git waits, and holds the index: nothing is asked, completed, checked or refined, and a pass is one line."""


def keys(run: LocatedRun) -> dict[str, Any]:
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


def _requirements(run: LocatedRun) -> list[str]:
    """Return the documents that the request names, as patterns for exactly these."""
    request = run.request
    repo = run.source.repo
    if request.requirements and repo is None:
        raise UsageError("--requirements needs a repository")
    for name in request.requirements:
        if not (request.folder / name).is_file():
            several = set(name) & set(",*?")
            hint = "repeat --requirements for each file" if several else "a path from the current folder"
            raise UsageError(f"there is no file {name!r} (--requirements)", hint=hint)
    return [exact_pattern(path) for path in repo_paths(repo, request.requirements, request.folder)] if repo else []
