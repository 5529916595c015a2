"""Helpers shared by commands: the current folder, its repository, its configuration and its branch's session."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfreview.app import loading
from selfreview.app.loading import Project
from selfreview.cli.terminal import Terminal
from selfreview.config import LoadOptions
from selfreview.errors import GitError

if TYPE_CHECKING:
    from selfreview.app.session import LiveSession
    from selfreview.config.bootstrap import Loaded
    from selfreview.config.sources import RepoReader
    from selfreview.git.repo import Repo
    from selfreview.store.store import Store


def find_repo(*, hook: bool = False) -> Repo:
    """Find the repository of the current folder; complete what a killed process left there.

    Args:
        hook: Whether git waits, and holds the index: then what was left is left to the next command.

    Raises:
        GitError: If there is none.
        ApplyError: If what was left cannot be completed.
    """
    return loading.find_repo(current_folder(), Terminal(), completes=not hook)


def find_repo_if_any() -> Repo | None:
    """Find the repository of the current folder, or None outside of one."""
    try:
        return find_repo()
    except GitError:
        return None


def current_folder() -> Path:
    """Return the current folder.

    Raises:
        GitError: If it has been removed.
    """
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise GitError("the current folder does not exist any more") from error


def load_project(
    repo: Repo | None,
    *,
    plugins: Sequence[str] = (),
    overrides: Sequence[str] = (),
    trusted: bool | None = None,
    read_repo_file: RepoReader | None = None,
    head_code: bool = True,
) -> Project:
    """Load plugins and configuration; see :class:`selfreview.config.LoadOptions`."""
    options = LoadOptions(
        plugins=plugins, overrides=overrides, trusted=trusted, read_repo_file=read_repo_file, head_code=head_code
    )
    return loading.load_project(repo, Terminal(), options)


def tell_untrusted(loaded: Loaded) -> None:
    """Warn of the repository's own code and commands that may not run, if there are any."""
    loading.tell_untrusted(loaded, Terminal())


@contextlib.contextmanager
def overriding(
    command: str = "",
    *,
    begin: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Iterator[tuple[LiveSession, Repo, Project, Store]]:
    """Hold the session of the current branch, with plugins configured.

    See :func:`selfreview.app.decisions.hold_branch_session`.

    Args:
        options: The command's ``plugins`` and ``overrides``, where it has them.
    """
    from selfreview.app.decisions import hold_branch_session

    given = options or {}
    repo = find_repo()
    project = load_project(repo, plugins=given.get("plugins") or (), overrides=given.get("overrides") or ())
    ui = Terminal()
    with (
        loading.configured(project, ui),
        hold_branch_session(repo, project, ui, command, begin=begin) as (live, store),
    ):
        yield live, repo, project, store
