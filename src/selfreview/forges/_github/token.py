"""Lookup of the GitHub token."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from selfreview.errors import ForgeError, ToolError
from selfreview.forges._github.place import GITHUB
from selfreview.proc import Runner
from selfreview.programs import find_on_path

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
