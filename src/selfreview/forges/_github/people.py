"""Accounts and their permissions."""

from __future__ import annotations

from selfreview.errors import RefusedError
from selfreview.forges._github.shapes import User, read
from selfreview.forges._http.call import Call
from selfreview.model.feedback import Permission, Person

_VIEWER = "query { viewer { login databaseId } }"
_BOT = "[bot]"


def person(user: User | None) -> Person | None:
    """Return an account as a person, or None where it is gone."""
    if user is None:
        return None
    return Person(
        login=user.login,
        id=None if user.id is None else str(user.id),
        is_bot=user.type == "Bot" or user.login.endswith(_BOT),
    )


def graph_login(login: str, kind: str) -> str:
    """Return a login of GraphQL as REST writes it: a bot's lacks its ending there."""
    return f"{login}{_BOT}" if kind == "Bot" and not login.endswith(_BOT) else login


def whose(call: Call) -> Person:
    """Return the account of the token; an app's token may not read ``/user``."""
    try:
        return read_person(call.get("/user"))
    except RefusedError:
        viewer = call.query(_VIEWER, {}).at("viewer")
        if not isinstance(viewer, dict):
            raise
        login = str(viewer.get("login") or "")
        number = viewer.get("databaseId")
        return Person(login=login, id=None if number is None else str(number), is_bot=login.endswith(_BOT))


def read_person(data: object) -> Person:
    """Return the account that a document is about."""
    user = read(data, User)
    return Person(login=user.login, id=str(user.id), is_bot=user.type == "Bot")


def permission_of(data: object) -> Permission:
    """Return the permission in a document; an unknown role allows nothing."""
    said = data.get("permission") if isinstance(data, dict) else None
    return _PERMISSIONS.get(str(said), Permission.NONE)


_PERMISSIONS = {
    "admin": Permission.ADMIN,
    "maintain": Permission.WRITE,
    "write": Permission.WRITE,
    "triage": Permission.READ,
    "read": Permission.READ,
}
