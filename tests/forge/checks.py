"""Check runs and commit statuses."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from tests.forge.world import Entity, World

if TYPE_CHECKING:
    from tests.forge.repository import Repository


@dataclasses.dataclass(frozen=True)
class Annotation:
    """An annotation of a check, about lines.

    Attributes:
        line, end_line: From and to, from 1.
        level: ``failure``, ``warning`` or ``notice``.
    """

    path: str
    line: int
    end_line: int
    level: str
    message: str
    title: str | None


class CheckRun(Entity):
    """One attempt of a check.

    Attributes:
        conclusion: Lower case, as REST has it; None while it runs.
        app: The app's name in URLs.
        title, summary: What it says.
        annotations: What it says about lines.
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
        self.annotations: list[Annotation] = []
        self.completed = self.updated if conclusion else None

    def annotate(
        self,
        path: str,
        line: int,
        message: str,
        *,
        end_line: int | None = None,
        level: str = "failure",
        title: str = "",
    ) -> None:
        """Add an annotation."""
        with self.world.lock:
            self.annotations.append(Annotation(path, line, end_line or line, level, message, title or None))

    def finish(self, conclusion: str) -> None:
        """Complete the check run."""
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
