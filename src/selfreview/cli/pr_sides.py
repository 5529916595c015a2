"""The repository a branch is pushed to, and the one with its pull requests: the same, or the parent of the fork."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from selfreview.api import (
    ChangeRequest,
    CreatesRequests,
    Location,
    ReadsRequests,
    TakesForks,
    TellsWhereabouts,
    Whereabouts,
)
from selfreview.cli.common import Session
from selfreview.cli.forge import Place, locations, open_forge, push_remote
from selfreview.errors import ForgeError, UsageError


class Sides(NamedTuple):
    """Both sides of a pull request.

    Attributes:
        place: The repository that has the pull requests.
        home: The repository that has the branch; the same, unless it is a fork.
        source: The fork, as ``owner/name``; None where both are the same.
    """

    place: Place
    home: Place
    source: str | None

    def find(self, branch: str, commit: str | None) -> ChangeRequest | None:
        """Return the open pull request of a branch, or None.

        Raises:
            ForgeError: If the forge does not show pull requests, or cannot be asked.
        """
        connection = self.place.connection
        if self.source is not None and isinstance(connection, TakesForks):
            return connection.find_from(self.source, branch, commit)
        if not isinstance(connection, ReadsRequests):
            raise ForgeError(f"{self.place.forge.name} shows no pull requests")
        return connection.find(branch, commit)

    def create(self, *, head: str, base: str, title: str, body: str, draft: bool) -> ChangeRequest:
        """Open a pull request for a branch.

        Raises:
            ForgeError: If the forge refuses.
        """
        connection = self.place.connection
        if self.source is not None and isinstance(connection, TakesForks):
            return connection.create_from(self.source, head=head, base=base, title=title, body=body, draft=draft)
        if not isinstance(connection, CreatesRequests):
            raise ForgeError(f"{self.place.forge.name} opens no pull requests for us")
        return connection.create(head=head, base=base, title=title, body=body, draft=draft)


@contextlib.contextmanager
def both_sides(session: Session, remote: str | None, *, opens: bool = False) -> Iterator[Sides]:
    """Connect to both sides of the branch that is checked out.

    Args:
        session: With a repository.
        remote: The remote that has the pull requests; None: what the forge says that the branch's repository is a fork
            of, where a remote is that, else the branch's own.
        opens: Whether one is to be opened: then a fork is not taken for what it is a fork of.

    Raises:
        ForgeError: If no forge is known, or it cannot be asked.
        UsageError: If it is not clear where the pull requests are.
    """
    assert session.repo is not None  # noqa: S101 - there is a forge
    places = locations(session)
    own = push_remote(session.repo)
    if own is None or own not in places:  # the forge has nothing to say of where it is pushed to
        own = remote
    alone = len(set(map(_key, places.values()))) < 2 and not opens
    with contextlib.ExitStack() as stack:

        def connect(name: str | None) -> Place:
            place = open_forge(session, name)
            stack.callback(place.connection.close)
            return place

        home = connect(own)
        named = places.get(remote) if remote is not None else None
        same = named is not None and _key(named) == _key(home.location)
        if alone or (same and remote is not None):
            yield Sides(home, home, None)
            return
        there = home.connection.whereabouts() if isinstance(home.connection, TellsWhereabouts) else None
        found = _parent(there, home, places, remote, opens=opens)
        place = connect(found) if found is not None else home if remote is None else connect(remote)
        if found is None or there is None:
            yield Sides(place, place, None)
        elif not isinstance(place.connection, TakesForks):
            raise ForgeError(f"{place.forge.name} takes no pull requests of forks from us", hint=f"--remote {own}")
        else:
            yield Sides(place, home, there.path)


def _parent(
    there: Whereabouts | None, home: Place, places: dict[str, Location], remote: str | None, *, opens: bool
) -> str | None:
    """Return the remote of the repository that the branch's repository is a fork of, or None.

    Raises:
        UsageError: If there is none, and one is needed.
    """
    if there is None or there.parent is None:
        return None
    wanted = _key(Location(home.location.host, there.parent))
    names = [name for name, location in places.items() if _key(location) == wanted]
    if remote is not None:
        return remote if remote in names else None
    if names or not opens:
        return names[0] if names else None
    raise UsageError(
        f"{home.remote} ({there.path}) is a fork of {there.parent}, which no remote is",
        hint=f"git remote add upstream URL, to open it there; --remote {home.remote}, to open it in the fork",
    )


def _key(location: Location) -> tuple[str, str]:
    return location.host.lower(), location.path.lower()
