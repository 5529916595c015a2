"""Accounts and their access tokens."""

from __future__ import annotations

import dataclasses

from tests.forge.world import Entity, World


class User(Entity):
    """An account.

    Attributes:
        login: Its name; a bot's ends in ``[bot]``.
        kind: ``User``, ``Bot`` or ``Organization``.
        name: What it calls itself, or None.
        deleted: Whether it is gone: what it said stays, by nobody.
    """

    prefix = "U"

    def __init__(self, world: World, login: str, *, kind: str | None = None, name: str | None = None) -> None:
        super().__init__(world)
        self.login = login
        self.kind = kind or ("Bot" if login.endswith("[bot]") else "User")
        self.name = name
        self.deleted = False

    @property
    def bare_login(self) -> str:
        """The account's name in GraphQL: without ``[bot]``."""
        return self.login.removesuffix("[bot]")

    def delete(self) -> None:
        """Delete the account."""
        with self.world.lock:
            self.deleted = True


@dataclasses.dataclass(frozen=True)
class Token:
    """An access token of an account.

    Attributes:
        value: The secret.
        user: Whose it is.
        lacks: Rights that it does not have though the account may have them, such as ``contents`` or
            ``pull_requests``: what writes there is refused.
    """

    value: str = dataclasses.field(repr=False)
    user: User
    lacks: frozenset[str] = frozenset()
