"""Rate limits by the hour."""

from __future__ import annotations

import dataclasses
import datetime

from tests.forge.call import RefusedError
from tests.forge.people import User
from tests.forge.world import World

_HOUR = datetime.timedelta(hours=1)


@dataclasses.dataclass
class Allowance:
    """The requests that somebody may make in an hour, and has made.

    Attributes:
        limit: In an hour.
        used: Since the hour began.
        began: When the hour began.
    """

    limit: int
    used: int
    began: datetime.datetime

    @property
    def remaining(self) -> int:
        """The number of remaining requests."""
        return max(0, self.limit - self.used)

    @property
    def ends(self) -> datetime.datetime:
        """When the next hour begins."""
        return self.began + _HOUR

    @property
    def reset(self) -> int:
        """When the next hour begins, in seconds since 1970."""
        return int(self.ends.timestamp())


class Limits:
    """Rate limits: requests to REST, points in GraphQL.

    Attributes:
        limit: What somebody with a token may ask for in an hour, of each.
        anonymous: The same without a token.
    """

    def __init__(self, world: World) -> None:
        self.limit = 5000
        self.anonymous = 60
        self._world = world
        self._known: dict[tuple[User | None, str], Allowance] = {}

    def of(self, user: User | None, resource: str) -> Allowance:
        """Return an account's allowance of ``core`` or ``graphql``."""
        now = self._world.clock.now
        found = self._known.get((user, resource))
        if found is None or now >= found.began + _HOUR:
            found = Allowance(self.anonymous if user is None else self.limit, 0, now)
            self._known[user, resource] = found
        return found

    def exhaust(self, user: User | None, resource: str = "core", remaining: int = 0) -> Allowance:
        """Reduce an account's remaining requests."""
        found = self.of(user, resource)
        found.used = found.limit - remaining
        return found

    def check(self, user: User | None, resource: str) -> None:
        """Raise where no requests remain.

        Raises:
            RefusedError: With the reset in its headers, as all answers have it.
        """
        if self.of(user, resource).remaining == 0:
            whose = "your address" if user is None else f"user ID {user.id}"
            raise RefusedError(403, f"API rate limit exceeded for {whose}.")

    def headers(self, user: User | None, resource: str) -> dict[str, str]:
        """Return the rate limit headers of every answer."""
        found = self.of(user, resource)
        return {
            "x-ratelimit-limit": str(found.limit),
            "x-ratelimit-remaining": str(found.remaining),
            "x-ratelimit-used": str(found.used),
            "x-ratelimit-reset": str(found.reset),
            "x-ratelimit-resource": resource,
        }

    def overview(self, user: User | None) -> dict[str, object]:
        """Return the body of ``/rate_limit``."""
        told = {
            resource: {"limit": one.limit, "used": one.used, "remaining": one.remaining, "reset": one.reset}
            for resource in ("core", "graphql", "search")
            for one in [self.of(user, resource)]
        }
        return {"resources": told, "rate": told["core"]}
