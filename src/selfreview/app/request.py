"""The request of a run: all that a person or a program can ask for, typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from selfreview.errors import UsageError


class RunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The change to review, its reviewers, and the use of what they find.

    Attributes:
        folder: The folder that paths are relative to, in the repository.
        paths: Paths that limit the change, and patterns of no kind; none: all of it.
        base: A revision: the change begins at its merge base with the head. None: as configured, or the default branch.
        head: A revision whose committed content is reviewed; None: the working tree.
        staged: Review what is staged.
        commit: Review this one commit.
        range: Review a range, ``A..B`` or ``A...B``.
        diff: Review a unified diff: its bytes, or the file that has it. Needs no repository.
        merge: The paths are those that a merge takes from none of its parents.
        collect_only: List what would be reviewed; call no reviewer.
        no_fix: Refine nothing.
        max_iterations: Refinements at most; None: as configured.
        fixers: Names of fixers; none: as configured.
        apply: Apply a refinement without asking.
        stage: Stage what is applied.
        formats: Reports, each ``NAME`` or ``NAME:FILE``; none: ``terminal``.
        reviewers: Names of reviewers; none: as configured.
        threshold: The lowest severity that blocks; None: as configured.
        max_issues: Open issues at most; None: as configured.
        strict: Fail on suppressions and baseline entries that are invalid or match nothing.
        effort: ``quick``, ``normal`` or ``thorough``; None: as configured.
        requirements: Files that say what the change is meant to do, relative to the folder.
        no_cache: Ignore cached results: review everything again.
        offline: Send nothing to a model.
        color: ``auto``, ``always`` or ``never``; None: as configured.
        durations: How many of the slowest reviewers and checks to name, 0 for all; None: none.
        trace_config: Name the plugins and the configuration that are used.
        plugins: Plugins to load, ``NAME``, or to leave out, ``no:NAME``.
        overrides: Configuration, ``KEY=VALUE``.
        resumed: Ids of the patches of an interrupted run that is to go on.

    Raises:
        UsageError: If a diff is given, and another choice of what to review.
    """

    folder: Path
    paths: Sequence[str] = ()
    base: str | None = None
    head: str | None = None
    staged: bool = False
    commit: str | None = None
    range: str | None = None
    diff: bytes | Path | None = None
    merge: bool = False
    collect_only: bool = False
    no_fix: bool = False
    max_iterations: int | None = None
    fixers: Sequence[str] = ()
    apply: bool = False
    stage: bool = False
    formats: Sequence[str] = ()
    reviewers: Sequence[str] = ()
    threshold: str | None = None
    max_issues: int | None = None
    strict: bool = False
    effort: str | None = None
    requirements: Sequence[str] = ()
    no_cache: bool = False
    offline: bool = False
    color: str | None = None
    durations: int | None = None
    trace_config: bool = False
    plugins: Sequence[str] = ()
    overrides: Sequence[str] = ()
    resumed: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.diff is not None and any((self.base, self.head, self.staged, self.commit, self.range)):
            raise UsageError("--diff excludes every other choice of what to review")

    @property
    def is_patch(self) -> bool:
        """Return whether a bare patch is reviewed, which no tree is known for."""
        return self.diff is not None
