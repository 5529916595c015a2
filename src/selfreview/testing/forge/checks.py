"""Check runs and commit statuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selfreview.testing.forge.world import Entity, World

if TYPE_CHECKING:
    from selfreview.testing.forge.repository import Repository


class CheckRun(Entity):
    """One attempt of a check.

    Attributes:
        conclusion: Lower case, as REST has it; None while it runs.
        app: The app's name in URLs.
        title, summary: What it says.
    """

    prefix = "CR"

    def __init__(
        self,
        repository: Repository,
        name: str,
        sha: str,
        conclusion: str | None,
        *,
        app: str = "github-actions",
        title: str | None = None,
        summary: str | None = None,
        url: str | None = None,
    ) -> None:
        super().__init__(repository.world)
        self.repository = repository
        self.name = name
        self.sha = sha
        self.app = app
        self.title = title
        self.summary = summary
        self.url = url
        self.conclusion = conclusion
        self.completed = self.updated if conclusion else None

    def finish(self, conclusion: str) -> None:
        """End it."""
        with self.world.lock:
            self.conclusion = conclusion
            self.completed = self.updated = self.world.clock.tick()
            self.repository.tell("check_run", "completed", check_run=self)


class Status(Entity):
    """A commit status: the older kind of check.

    Attributes:
        state: ``error``, ``failure``, ``pending`` or ``success``.
    """

    prefix = "SC"

    def __init__(self, world: World, context: str, sha: str, state: str, description: str | None) -> None:
        super().__init__(world)
        self.context = context
        self.sha = sha
        self.state = state
        self.description = description
