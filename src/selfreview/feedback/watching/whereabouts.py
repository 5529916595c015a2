"""Current location of the watched repository."""

from __future__ import annotations

from collections.abc import Callable

from selfreview.api import Connection, TellsWhereabouts


def is_archived(connection: Connection, say: Callable[[str, str], None]) -> bool:
    """Report the repository's current location, where it changed; return whether it is archived.

    Args:
        connection: The forge.
        say: Is given an event's name, and what to say.

    Raises:
        ForgeError: If the forge cannot be asked.
    """
    if not isinstance(connection, TellsWhereabouts):
        return False
    here, path = connection.whereabouts(), connection.location.path
    if here.path.lower() != path.lower():
        say("renamed", f"{path} is {here.path} now; git remote set-url makes that known here")
    if here.archived:
        say("archived", f"{here.path} is archived: nothing can be done there")
    return here.archived
