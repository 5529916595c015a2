"""Labels."""

from __future__ import annotations

from selfreview.testing.forge.world import Entity, World


class Label(Entity):
    """A label of a repository.

    Attributes:
        name: What it says; case does not count.
        color: Six hexadecimal digits.
    """

    prefix = "LA"

    def __init__(self, world: World, name: str, color: str = "ededed", description: str | None = None) -> None:
        super().__init__(world)
        self.name = name
        self.color = color
        self.description = description
