"""GitHub and GitHub Enterprise, through their APIs: their repositories by URLs of remotes, and tokens for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfreview.api import ConfigView, Connection, Forge, Key, Location, OptionParser, Registry, hookimpl
from selfreview.errors import ForgeError, ToolError

if TYPE_CHECKING:
    from selfreview.pullrequest.forges.http import wire
    from selfreview.pullrequest.forges.http.limits import Pauses

GITHUB = "github.com"
_SSH_OVER_443 = "ssh.github.com"
_VERSION = "2022-11-28"
_NAME = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9._-]+"
_URL = r"(?ai)(https|ssh|git)://(?:[^@/?#\s]*@)?([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?(/[^?#\s]*)"
_SCP = r"(?a)(?:[^@/:\s]+@)?([A-Za-z0-9.-]+):([^?#\s]*)"


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
        return locate(url, _hosts(config))

    def connect(self, location: Location, config: ConfigView, environ: Mapping[str, str]) -> Connection:
        """Connect with the token of the environment, or the one that ``gh`` keeps.

        Raises:
            ForgeError: If there is no token, or the host is none of GitHub's and none that the person named.
        """
        from selfreview.pullrequest.forges.github.connection import GitHubConnection
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
        return sorted({*given_tokens(environ), *self._found})


def _hosts(config: ConfigView) -> frozenset[str]:
    return frozenset(host.strip().lower() for host in config["github.hosts"])


def locate(url: str, hosts: Collection[str]) -> Location | None:
    """Return the repository that a URL names: ``https``, ``ssh``, ``git`` and git's short form, or None.

    Args:
        url: As ``git remote get-url`` says it.
        hosts: Hosts of GitHub Enterprise, lower case; with a port where ``https`` has an unusual one.
    """
    if full := re.fullmatch(_URL, url):
        scheme, host, port, path = full[1].lower(), full[2].lower(), full[3], full[4]
        if scheme == "https" and port not in (None, "443"):
            host = f"{host}:{port}"
    elif "://" not in url and (short := re.fullmatch(_SCP, url)):
        scheme, host, path = "ssh", short[1].lower(), short[2]
    else:
        return None
    if host == _SSH_OVER_443 and scheme == "ssh":
        host = GITHUB
    repository = _repository(path)
    if repository is None or (host != GITHUB and host not in hosts):
        return None
    return Location(host, repository)


def _repository(path: str) -> str | None:
    match = re.fullmatch(rf"/*({_NAME})/({_NAME})/?", path, re.ASCII)
    if match is None:
        return None
    name = match[2].removesuffix(".git")
    return f"{match[1]}/{name}" if name not in ("", ".", "..") else None


def service_of(host: str, environ: Mapping[str, str]) -> wire.Service:
    """Return the API of a host.

    ``GITHUB_API_URL`` and ``GITHUB_GRAPHQL_URL`` say it, as they do in GitHub Actions, for the host that
    ``GITHUB_SERVER_URL`` names and for no other.

    Raises:
        ForgeError: If one of them would send the token unencrypted over a network.
    """
    from selfreview.pullrequest.forges.http.wire import Service, is_loopback

    rest, graphql = _usual(host)
    if _authority(environ.get("GITHUB_SERVER_URL") or f"https://{GITHUB}") == host:
        given = environ.get("GITHUB_API_URL", "").rstrip("/")
        if given:
            rest, graphql = given, _graphql_beside(given)
        graphql = environ.get("GITHUB_GRAPHQL_URL", "").rstrip("/") or graphql
        for name, url in (("GITHUB_API_URL", rest), ("GITHUB_GRAPHQL_URL", graphql)):
            if not url.startswith("https://") and not (url.startswith("http://") and is_loopback(url)):
                raise ForgeError(f"{name} must start with https://")
    headers = {
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": _VERSION,
        "User-Agent": "selfreview",
    }
    return Service(name="GitHub", host=host, rest=rest, graphql=graphql, headers=headers)


def _usual(host: str) -> tuple[str, str]:
    if host == GITHUB or host.endswith(".ghe.com"):  # the latter is GitHub's own cloud with data in one region
        return f"https://api.{host}", f"https://api.{host}/graphql"
    return f"https://{host}/api/v3", f"https://{host}/api/graphql"


def _graphql_beside(rest: str) -> str:
    return f"{rest.removesuffix('/v3')}/graphql"


def _authority(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


_OF_GITHUB = ("GH_TOKEN", "GITHUB_TOKEN")
_OF_ENTERPRISE = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
_FOR_GH = ("GH_CONFIG_DIR", "DBUS_SESSION_BUS_ADDRESS")  # where gh keeps the token: its own file, or the key ring
_GH_TIMEOUT_S = 10.0


def variables(host: str) -> tuple[str, str]:
    """Return the names of the environment variables that hold a host's token, the first that is set counts."""
    return _OF_GITHUB if host == GITHUB or host.endswith(".ghe.com") else _OF_ENTERPRISE


def given_tokens(environ: Mapping[str, str]) -> Sequence[str]:
    """Return all tokens in the environment."""
    return [environ[name].strip() for name in (*_OF_GITHUB, *_OF_ENTERPRISE) if environ.get(name, "").strip()]


def find_token(host: str, environ: Mapping[str, str]) -> str:
    """Return a host's token: from the environment, or the one that ``gh`` keeps.

    Raises:
        ForgeError: If there is none, or it holds what no token can.
    """
    names = variables(host)
    for name in names:
        token = environ.get(name, "").strip()
        if token:
            return _checked(token, name)
    token = _of_gh(host, environ)
    if token:
        return _checked(token, "gh auth token")
    raise ForgeError(f"there is no token for {host}", hint=f"set {names[0]}, or run `gh auth login --hostname {host}`")


def _of_gh(host: str, environ: Mapping[str, str]) -> str:
    from selfreview.proc import Runner
    from selfreview.programs import find_on_path

    program = find_on_path("gh", environ)
    if program is None:
        return ""
    extra = {name: environ[name] for name in _FOR_GH if name in environ}
    folder = Path(program).parent  # none that a repository has a say in
    try:
        done = Runner(environ).run(
            [program, "auth", "token", "--hostname", host], cwd=folder, timeout=_GH_TIMEOUT_S, env=extra
        )
    except ToolError:
        return ""  # it says so by failing that it knows no token
    return done.stdout.decode("ascii", "replace").strip()


def _checked(token: str, source: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise ForgeError(f"{source} holds something that cannot be a token", hint="it must be one word of ASCII")
    return token


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare the forge's options."""
    for key in KEYS:
        parser.add_key(key)


@hookimpl
def selfreview_register_forges(registry: Registry[Forge], config: ConfigView) -> None:  # noqa: ARG001 - the hook's
    """Register the forge."""
    registry.add(GitHubForge())
