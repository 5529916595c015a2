"""GitHub and GitHub Enterprise, through their APIs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from selfreview.api import ConfigView, Connection, Forge, Key, Location, OptionParser, Registry, hookimpl

if TYPE_CHECKING:
    from selfreview.pullrequest.forges.http import wire
    from selfreview.pullrequest.forges.http.limits import Pauses


def _check_hosts(value: list[str]) -> str | None:
    bad = next((host for host in value if not host.strip() or set(host) & set("/@ ?#")), None)
    return None if bad is None else f"must hold names of hosts, such as github.example.com, and not {bad!r}"


KEYS: tuple[Key, ...] = (
    Key(
        name="github.hosts",
        kind="list",
        default=[],
        user_only=True,
        check=_check_hosts,
        help="Hosts of GitHub Enterprise; a token is sent to no other host than these and github.com.",
    ),
)


class GitHubForge:
    """GitHub as a forge."""

    name = "github"

    def __init__(self, clock: wire.Clock | None = None, pauses: Pauses | None = None) -> None:
        self._clock = clock
        self._pauses = pauses
        self._found: set[str] = set()

    def locate(self, url: str, config: ConfigView) -> Location | None:
        """Return the repository that a remote's URL names, or None where it is not of this forge."""
        from selfreview.pullrequest.forges.github.place import locate

        return locate(url, _hosts(config))

    def connect(self, location: Location, config: ConfigView, environ: Mapping[str, str]) -> Connection:
        """Connect with the token of the environment, or the one that ``gh`` keeps.

        Raises:
            ForgeError: If there is no token, or the host is none of GitHub's and none that the person named.
        """
        from selfreview.errors import ForgeError
        from selfreview.pullrequest.forges.github.connection import GitHubConnection
        from selfreview.pullrequest.forges.github.place import GITHUB, find_token, service_of
        from selfreview.pullrequest.forges.http.client import Client
        from selfreview.pullrequest.forges.http.limits import pauses_of_process
        from selfreview.pullrequest.forges.http.wire import Clock

        if location.host != GITHUB and location.host not in _hosts(config):
            raise ForgeError(f"{location.host} is not known as a host of GitHub", hint="name it in `github.hosts`")
        service = service_of(location.host, environ)
        token = find_token(location.host, environ)
        self._found.add(token)
        client = Client(
            service,
            token,
            clock=self._clock or Clock(),
            pauses=self._pauses or pauses_of_process(),
            timeout_s=config["fetch_timeout"],
        )
        return GitHubConnection(location, client)

    def secrets(self, environ: Mapping[str, str], config: ConfigView) -> Sequence[str]:  # noqa: ARG002 - the protocol's
        """Return all tokens in the environment, and those that connections use."""
        from selfreview.pullrequest.forges.github.place import given_tokens

        return sorted({*given_tokens(environ), *self._found})


def _hosts(config: ConfigView) -> frozenset[str]:
    return frozenset(host.strip().lower() for host in config["github.hosts"])


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare the forge's options."""
    for key in KEYS:
        parser.add_key(key)


@hookimpl
def selfreview_register_forges(registry: Registry[Forge], config: ConfigView) -> None:  # noqa: ARG001 - the hook's
    """Register the forge."""
    registry.add(GitHubForge())
