"""Endpoints outside of any repository: ``/user`` and ``/users/{login}``."""

from __future__ import annotations

from tests.forge.call import Answer, Call, not_found
from tests.forge.render import people


def viewer(call: Call) -> Answer:
    """Answer with the account of the token."""
    return Answer(200, people.profile(call.links, call.author))


def user(call: Call, login: str) -> Answer:
    """Answer with an account."""
    found = call.world.users.get(login.lower())
    if found is None or found.deleted:
        raise not_found()
    return Answer(200, people.profile(call.links, found))
