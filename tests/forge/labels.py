"""Labels."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from tests.forge.people import User
from tests.forge.world import Entity, World


class LabelEvent(NamedTuple):
    """A label that was put on a pull request (``labeled``), or taken away (``unlabeled``).

    Attributes:
        id: A whole number.
        event: Which of both.
        by: Who did it.
        label: Its name.
        at: When.
    """

    id: int
    event: str
    by: User
    label: str
    at: datetime.datetime


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
