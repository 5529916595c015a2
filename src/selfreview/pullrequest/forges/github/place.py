"""Repository that a remote's URL names, the URLs of its API, and the token for it."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from selfreview.api import Location
from selfreview.errors import ForgeError, ToolError
from selfreview.proc import Runner
from selfreview.programs import find_on_path
from selfreview.pullrequest.forges.http.wire import Service, is_loopback

GITHUB = "github.com"
_SSH_OVER_443 = "ssh.github.com"
_VERSION = "2022-11-28"
_NAME = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9._-]+"
_URL = re.compile(
    r"(https|ssh|git)://(?:[^@/?#\s]*@)?([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?(/[^?#\s]*)", re.ASCII | re.IGNORECASE
)
_SCP = re.compile(r"(?:[^@/:\s]+@)?([A-Za-z0-9.-]+):([^?#\s]*)", re.ASCII)


def locate(url: str, hosts: Collection[str]) -> Location | None:
    """Return the repository that a URL names: ``https``, ``ssh``, ``git`` and git's short form, or None.

    Args:
        url: As ``git remote get-url`` says it.
        hosts: Hosts of GitHub Enterprise, lower case; with a port where ``https`` has an unusual one.
    """
    if full := _URL.fullmatch(url):
        scheme, host, port, path = full[1].lower(), full[2].lower(), full[3], full[4]
        if scheme == "https" and port not in (None, "443"):
            host = f"{host}:{port}"
    elif "://" not in url and (short := _SCP.fullmatch(url)):
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


def service_of(host: str, environ: Mapping[str, str]) -> Service:
    """Return the API of a host.

    ``GITHUB_API_URL`` and ``GITHUB_GRAPHQL_URL`` say it, as they do in GitHub Actions, for the host that
    ``GITHUB_SERVER_URL`` names and for no other.

    Raises:
        ForgeError: If one of them would send the token unencrypted over a network.
    """
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
    try:
        return urllib.parse.urlsplit(url).netloc.lower()
    except ValueError:
        return ""


_OF_GITHUB = ("GH_TOKEN", "GITHUB_TOKEN")
_OF_ENTERPRISE = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
_FOR_GH = ("GH_CONFIG_DIR", "DBUS_SESSION_BUS_ADDRESS")  # where gh keeps the token: its own file, or the key ring
_GH_TIMEOUT_S = 10.0
_TOKEN = re.compile(r"[\x21-\x7e]+")


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
    if not _TOKEN.fullmatch(token):
        raise ForgeError(f"{source} holds something that cannot be a token", hint="it must be one word of ASCII")
    return token
