"""The forge of a repository: which remote is one's, and a connection to it."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from selfreview.api import ConfigView, Connection, Forge, Location, Registry
from selfreview.app.loading import Project, mask_values_of
from selfreview.app.ui import Ui
from selfreview.errors import ForgeError, UsageError
from selfreview.git.repo import Repo
from selfreview.git.revisions import current_branch
from selfreview.model.wire import display_path


class Place(NamedTuple):
    """A repository on a forge.

    Attributes:
        forge: The kind.
        location: Which repository.
        remote: Name of the remote here.
        connection: To it.
    """

    forge: Forge
    location: Location
    remote: str
    connection: Connection

    @property
    def name(self) -> str:
        """``host/owner/name``."""
        return f"{self.location.host}/{self.location.path}"


def forges(project: Project) -> Registry[Forge]:
    """Return all forges."""
    found: Registry[Forge] = Registry("forge")
    project.manager.call("selfreview_register_forges", registry=found, config=project.config)
    return found


def open_forge(project: Project, ui: Ui, remote: str | None = None) -> Place:
    """Connect to the forge of a repository's remote.

    Args:
        project: With a repository.
        ui: Is warned where the forge does not say what its secrets are.
        remote: Its name; None: the branch's own, else ``origin``, else the only one.

    Raises:
        ForgeError: If no forge is known for it, or there is no token.
        UsageError: If there is no such remote.
    """
    repo = project.repo
    if repo is None:
        raise UsageError("there is no repository here", hint="go to one")
    name = remote if remote is not None else _remote(repo)
    url = _url(repo, name)
    config = project.config
    registry = forges(project)
    if (found := _locate(registry, url, config)) is not None:
        forge, location = found
        connection = forge.connect(location, config, os.environ)
        mask_values_of(forge, config, os.environ, ui.warn)  # a token may have been looked for only now
        return Place(forge, location, name, connection)
    known = ", ".join(registry.names()) or "none"
    raise ForgeError(
        f"no forge is known for the remote {name} ({display_path(_without_secret(url))})",
        hint=f"there are {known}; a server of your own is named in your own configuration (github.hosts)",
    )


def locations(project: Project) -> dict[str, Location]:
    """Return the location of each remote on a forge, by its name; those of no known forge are left out."""
    assert project.repo is not None  # noqa: S101 - there is a forge
    registry, found = forges(project), {}
    for name in _lines(project.repo, "remote"):
        url = project.repo.git.line(["config", "--get", f"remote.{name}.url"])
        there = _locate(registry, url, project.config) if url is not None else None
        if there is not None:
            found[name] = there[1]
    return found


def _locate(registry: Registry[Forge], url: str, config: ConfigView) -> tuple[Forge, Location] | None:
    for forge in registry:
        location = forge.locate(url, config)
        if location is not None:
            return forge, location
    return None


def push_remote(repo: Repo) -> str | None:
    """Return the name of the remote that the branch which is checked out is pushed to, as git has it, or None."""
    branch = current_branch(repo.git)
    keys = [f"branch.{branch}.pushRemote", "remote.pushDefault", f"branch.{branch}.remote"] if branch else []
    names = _lines(repo, "remote")
    for key in (*keys, None):
        name = repo.git.line(["config", "--get", key]) if key is not None else "origin"
        if name in names:
            return name
    return names[0] if len(names) == 1 else None


def is_of(place: Place, url: str, config: ConfigView) -> bool:
    """Return whether a URL is that of a place's repository, as far as the URL shows it.

    A host without a dot in an address of ssh is a name of the person's own for one (``Host`` of ``~/.ssh/config``).
    """
    found = place.forge.locate(url, config)
    if found is not None:
        return (found.host, found.path.casefold()) == (place.location.host, place.location.path.casefold())
    host = r"(?:[^@/:\s]+@)?[A-Za-z0-9_-]+"
    own = re.fullmatch(rf"(?:ssh://{host}(?::[0-9]+)?/+|{host}:/*)([^:?#\s]+?)(?:\.git)?/?", url)
    return own is not None and own[1].casefold() == place.location.path.casefold()


def _remote(repo: Repo) -> str:
    names = _lines(repo, "remote")
    branch = current_branch(repo.git)
    own = repo.git.line(["config", "--get", f"branch.{branch}.remote"]) if branch else None
    for name in (own, "origin"):
        if name in names:
            return str(name)
    if len(names) == 1:
        return names[0]
    raise UsageError(
        "it is not clear which remote has the pull requests" if names else "this repository has no remote",
        hint=f"--remote NAME; there are {', '.join(names)}" if names else "git remote add origin URL",
    )


def _url(repo: Repo, name: str) -> str:
    """Return a remote's URL as it is written, before git puts another in its place."""
    url = repo.git.line(["config", "--get", f"remote.{name}.url"])
    if url is None:
        raise UsageError(f"there is no remote {name!r}", hint=f"there are {', '.join(_lines(repo, 'remote'))}")
    return url


def _without_secret(url: str) -> str:
    """Return a URL without its user and password."""
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}" if separator else url


def _lines(repo: Repo, *args: str) -> list[str]:
    return repo.git.run(list(args)).decode("utf-8", "surrogateescape").split("\n")[:-1]
