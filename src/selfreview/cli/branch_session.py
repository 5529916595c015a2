"""The session of the current branch, held for a command by which a person decides."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from selfreview.app.decisions import hold_branch_session
from selfreview.app.loading import Project
from selfreview.app.session import LiveSession
from selfreview.cli.common import find_repo, load_project
from selfreview.cli.terminal import Terminal
from selfreview.errors import SelfreviewError, UsageError
from selfreview.git.repo import Repo
from selfreview.store.store import Store


@contextlib.contextmanager
def overriding(
    command: str = "",
    *,
    begin: bool = False,
    options: Mapping[str, Any] | None = None,
    busy: type[SelfreviewError] = UsageError,
) -> Iterator[tuple[LiveSession, Repo, Project, Store]]:
    """Hold the session of the current branch; see :func:`selfreview.app.decisions.hold_branch_session`.

    Args:
        options: The command's ``plugins`` and ``overrides``, where it has them.
    """
    given = options or {}
    repo = find_repo()
    project = load_project(repo, plugins=given.get("plugins") or (), overrides=given.get("overrides") or ())
    with hold_branch_session(repo, project, Terminal(), command, begin=begin, busy=busy) as (live, store):
        yield live, repo, project, store
