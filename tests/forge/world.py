"""The shared state of one forge: a clock, ids, accounts, repositories."""

from __future__ import annotations

import base64
import datetime
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from tests.forge.people import User
    from tests.forge.repository import Repository
    from tests.forge.webhooks import Webhook


class Clock:
    """The forge's clock, which stands still but for events: each is a second after the one before.

    Attributes:
        now: The time, in whole seconds.
    """

    def __init__(self) -> None:
        self.now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)

    def tick(self) -> datetime.datetime:
        """Advance the clock for a new event, and return the time."""
        return self.advance(1)

    def advance(self, seconds: float) -> datetime.datetime:
        """Advance the clock; negative sets it back."""
        self.now += datetime.timedelta(seconds=seconds)
        return self.now


class World:
    """The shared state of one forge.

    Attributes:
        lock: Held while anything is changed or a request is answered.
        nodes: Everything that exists, by node id.
        listeners: Called with the name of an event, its action, its repository, who did it, and what it is about.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self.clock = Clock()
        self.lock = threading.RLock()
        self.users: dict[str, User] = {}
        self.repositories: dict[str, Repository] = {}
        self.nodes: dict[str, Entity] = {}
        self.listeners: list[Callable[[str, str, Repository, User | None, dict[str, Any]], None]] = []
        self.webhooks: list[Webhook] = []
        self._last_id = 1000

    def admit(self, entity: Entity) -> tuple[int, str]:
        """Return the id and the node id of a new object."""
        with self.lock:
            self._last_id += 1
            digits = base64.urlsafe_b64encode(b"fake:%d" % self._last_id).decode("ascii").rstrip("=")
            node_id = f"{entity.prefix}_kw{digits}"
            self.nodes[node_id] = entity
            return self._last_id, node_id

    def forget(self, entity: Entity) -> None:
        """Remove a deleted object."""
        self.nodes.pop(entity.node_id, None)


class Entity:
    """An object with an id.

    Attributes:
        id: A whole number, unique on the forge.
        node_id: Its id in GraphQL.
        created, updated: When, by the forge's clock.
    """

    prefix: ClassVar[str]

    def __init__(self, world: World) -> None:
        self.world = world
        self.id, self.node_id = world.admit(self)
        self.created = self.updated = world.clock.tick()


def stamp(time: datetime.datetime | None) -> str | None:
    """Write a time as the forge does."""
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ")
