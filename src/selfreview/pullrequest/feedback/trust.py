"""Accounts whose feedback may have code changed: people who could push it themselves, and bots by exact name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from selfreview.model.cycle import Meaning
from selfreview.model.feedback import Feedback, Opinion, Permission, Person


@dataclasses.dataclass(frozen=True, kw_only=True)
class Policy:
    """Policy of whose feedback counts.

    Attributes:
        permission: Says what an account may do in the repository, by login.
        me: Whose token it is.
        allowed_users: Logins that alone count, in addition to the right to write; empty: everybody with that right.
        allowed_bots: Exact names of bots that count.
        ignored_users: Logins that never count.
    """

    permission: Callable[[str], Permission]
    me: Person
    allowed_users: frozenset[str] = frozenset()
    allowed_bots: frozenset[str] = frozenset()
    ignored_users: frozenset[str] = frozenset()

    def refusal(self, author: Person | None) -> tuple[Meaning, str] | None:
        """Return why an author's feedback does not count, or None."""
        if author is None or author.id is None:
            return Meaning.UNTRUSTED, "the account is gone"
        name = author.login.casefold()
        if name in self.ignored_users:
            return Meaning.IGNORED, f"{author.login} is in feedback.ignored_users"
        if author.is_bot:
            if name in self.allowed_bots:
                return None
            return Meaning.IGNORED, f"{author.login} is a bot, and not in feedback.allowed_bots"
        if self.is_me(author) and name not in self.allowed_users:
            return Meaning.IGNORED, f"{author.login} is the account that selfreview works with"
        if self.allowed_users and name not in self.allowed_users:
            return Meaning.IGNORED, f"{author.login} is not in feedback.allowed_users"
        if not self.permission(author.login).may_write:
            return Meaning.UNTRUSTED, f"{author.login} has no right to write to the repository"
        return None

    def opinions(self, feedback: Feedback) -> dict[str, Opinion]:
        """Return the opinion that counts of each reviewer who is listened to, by login."""
        heard = {
            item.author.login
            for item in feedback.items
            if item.opinion is not None and item.author is not None and self.refusal(item.author) is None
        }
        return {login: opinion for login, opinion in feedback.opinions.items() if login in heard}

    def is_persons(self, author: Person | None) -> bool:
        """Return whether an account is the token's, a person's, and listed neither as allowed nor as ignored."""
        if author is None or author.is_bot or not self.is_me(author):
            return False
        return author.login.casefold() not in self.allowed_users | self.ignored_users

    def is_me(self, author: Person | None) -> bool:
        """Return whether an account is the one whose token is used."""
        return author is not None and author.id is not None and author.id == self.me.id


def folded(names: list[str]) -> frozenset[str]:
    """Return logins casefolded, for comparison: forges do not tell case apart."""
    return frozenset(name.casefold() for name in names)
