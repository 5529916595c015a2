"""Fields of accounts: bots have no ``[bot]`` here."""

from __future__ import annotations

from tests.forge.call import Call
from tests.forge.graph.table import Table, attribute, connection, constant
from tests.forge.people import User


def actor(one: User | None) -> User | None:
    """Return an account, or None where it is gone."""
    return None if one is None or one.deleted else one


def _page(one: User, call: Call) -> str:
    return f"{call.links.web}/{'apps/' if one.kind == 'Bot' else ''}{one.bare_login}"


_ACTOR = {
    "id": attribute("node_id"),
    "databaseId": attribute("id"),
    "login": attribute("bare_login"),
    "name": attribute("name"),
    "url": _page,
    "avatarUrl": lambda one, call, **_size: f"{call.links.web}/avatars/{one.id}",
}

FIELDS: Table = {
    "User": _ACTOR,
    "Bot": _ACTOR,
    "Organization": {**_ACTOR, "teams": connection(constant(()))},
    "Mannequin": _ACTOR,
}
