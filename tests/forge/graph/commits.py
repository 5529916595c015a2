"""Branches and commits as GraphQL shows them; their content is git's."""

from __future__ import annotations

import dataclasses

from tests.forge.checks import CheckRun, Status
from tests.forge.repository import Repository


@dataclasses.dataclass(frozen=True)
class Commit:
    """A commit of a repository."""

    repository: Repository
    sha: str

    @property
    def node_id(self) -> str:
        """The commit's node id."""
        return f"C_{self.repository.id}_{self.sha}"

    def words(self) -> tuple[str, str, str]:
        """Return its message, and its author's name and address; made up without a remote."""
        remote = self.repository.remote
        return ("A change", "Somebody", "somebody@example.org") if remote is None else remote.message(self.sha)


@dataclasses.dataclass(frozen=True)
class Branch:
    """A branch of a repository."""

    repository: Repository
    name: str

    @property
    def commit(self) -> Commit:
        """The commit that the branch points at."""
        return Commit(self.repository, self.repository.sha(self.name))


@dataclasses.dataclass(frozen=True)
class Rollup:
    """The combined state of all checks of a commit.

    Attributes:
        contexts: The latest attempt of each.
    """

    commit: Commit
    contexts: tuple[CheckRun | Status, ...]

    @property
    def state(self) -> str:
        """``FAILURE``, ``ERROR``, ``PENDING`` or ``SUCCESS``."""
        states = {_state(one) for one in self.contexts}
        return next((state for state in ("ERROR", "FAILURE", "PENDING") if state in states), "SUCCESS")


def rollup(commit: Commit) -> Rollup | None:
    """Return the checks of a commit, or None where there are none."""
    home = commit.repository
    contexts: tuple[CheckRun | Status, ...] = (*home.latest_checks(commit.sha), *home.latest_statuses(commit.sha))
    return Rollup(commit, contexts) if contexts else None


def _state(one: CheckRun | Status) -> str:
    if isinstance(one, Status):
        return one.state.upper()
    if one.conclusion is None:
        return "PENDING"
    return "SUCCESS" if one.conclusion in {"success", "neutral", "skipped"} else "FAILURE"
