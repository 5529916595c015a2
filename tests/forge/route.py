"""Routing of requests to the functions that answer them."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable
from typing import TypeAlias
from urllib.parse import unquote

from tests.forge.call import Answer, Call, RefusedError, not_found
from tests.forge.repository import Repository

Handler: TypeAlias = Callable[..., Answer]
"""An endpoint: called with the call, the repository, and the path's parts; ``number`` and ``id`` are integers."""

_HOME = re.compile(r"/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)(?P<rest>/.*)?|/repositories/(?P<id>\d+)(?P<by_id>/.*)?")
_WHOLE = {"number": r"\d+", "id": r"\d+", "ref": r".+"}


@dataclasses.dataclass(frozen=True)
class Route:
    """The route of a kind of request below a repository.

    Attributes:
        path: Below the repository, with parts such as ``{number}``.
        needs: What somebody has to be allowed in the repository: ``read``, ``write``, ``admin``.
        right: What a token has to have in addition, where the request writes.
    """

    method: str
    path: str
    handler: Handler
    needs: str = "read"
    right: str = "pull_requests"


def answer(call: Call, routes: Iterable[Route]) -> Answer:
    """Answer a request about a repository.

    Raises:
        RefusedError: If there is no such repository, no such thing in it, or the caller may not do that.
    """
    home = _HOME.fullmatch(call.path)
    if home is None:
        raise not_found()
    repository, rest = _repository(call, home)
    fitting = [(route, match) for route in routes if (match := _pattern(route.path).fullmatch(rest))]
    for route, match in fitting:
        if route.method == call.method:
            _permit(call, repository, route)
            parts = {name: unquote(value) for name, value in match.groupdict().items()}
            whole = {name: int(value) if name in {"number", "id"} else value for name, value in parts.items()}
            return route.handler(call, repository, **whole)
    raise not_found()


def _repository(call: Call, home: re.Match[str]) -> tuple[Repository, str]:
    known = call.world.repositories
    if home["id"]:
        found = next((one for one in known.values() if one.id == int(home["id"])), None)
        rest = home["by_id"] or ""
    else:
        asked, rest = f"{home['owner']}/{home['name']}".lower(), home["rest"] or ""
        found = known.get(asked)
        if found is not None and found.full_name.lower() != asked and found.may(call.viewer, "read"):
            raise _moved(call, f"/repositories/{found.id}{rest}")
    if found is None or not found.may(call.viewer, "read"):
        raise not_found()
    return found, rest


def _moved(call: Call, path: str) -> RefusedError:
    """Return the redirect from a repository's old name."""
    url = call.links.api + path
    status = 301 if call.method in {"GET", "HEAD"} else 307
    return RefusedError(status, "Moved Permanently", headers={"location": url}, more={"url": url})


def _permit(call: Call, repository: Repository, route: Route) -> None:
    if call.method not in {"GET", "HEAD"}:
        author = call.author
        if repository.archived:
            raise RefusedError(403, "Repository was archived so is read-only.")
        if call.token is not None and route.right in call.token.lacks:
            raise RefusedError(403, "Resource not accessible by personal access token")
        if not repository.may(author, route.needs):
            raise RefusedError(403, "Must have admin rights to Repository.")
    elif not repository.may(call.viewer, route.needs):
        if route.needs == "admin":
            raise not_found()
        raise RefusedError(403, "Must have push access to view collaborator permission.")


@functools.cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", lambda part: f"(?P<{part[1]}>{_WHOLE.get(part[1], '[^/]+')})", path))
