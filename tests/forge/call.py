"""An authenticated request, and the answers to it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from tests.forge.people import Token, User
from tests.forge.render.links import Links

if TYPE_CHECKING:
    from tests.forge.world import World

DOCUMENTATION = "https://docs.github.com/rest"
_MOST = 100
_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Call:
    """A request.

    Attributes:
        path: Without the API's own prefix and the query.
        query: The last value of each name.
        body: What was sent; an empty object where that was none.
        token: Who it is from, or None.
    """

    world: World
    method: str
    path: str
    query: Mapping[str, str]
    body: Mapping[str, Any]
    token: Token | None
    links: Links

    @property
    def viewer(self) -> User | None:
        """The account that makes the request, or None."""
        return None if self.token is None else self.token.user

    @property
    def author(self) -> User:
        """The account that writes.

        Raises:
            RefusedError: If nobody says who they are.
        """
        if self.token is None:
            raise RefusedError(401, "Requires authentication")
        return self.token.user

    def text(self, name: str, *, required: bool = True) -> str:
        """Return a string of the body.

        Raises:
            RefusedError: If there is none, or it is something else.
        """
        value = self.body.get(name)
        if value is None and not required:
            return ""
        if not isinstance(value, str):
            raise RefusedError(422, f'Invalid request.\n\n"{name}" wasn\'t supplied.')
        return value

    def number(self, name: str) -> int | None:
        """Return a whole number of the body, or None.

        Raises:
            RefusedError: If it is something else.
        """
        value = self.body.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise RefusedError(422, f"Invalid request.\n\nFor '{name}', {value!r} is not an integer.")
        return value

    def names(self, name: str) -> list[str]:
        """Return a list of strings of the body; empty where there is none.

        Raises:
            RefusedError: If it is something else.
        """
        value = self.body.get(name) or []
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise RefusedError(422, f"Invalid request.\n\nFor '{name}', {value!r} is not an array.")
        return value


@dataclasses.dataclass(frozen=True)
class Answer:
    """An answer.

    Attributes:
        body: What is written as JSON; None is an empty body.
    """

    status: int
    body: Any = None
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)


class RefusedError(Exception):
    """The forge refuses a request.

    Args:
        status: The HTTP status.
        message: The body's message.
        errors: The body's errors.
        headers: Further headers.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Any] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        body: dict[str, Any] = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)}
        if errors:
            body["errors"] = list(errors)
        self.answer = Answer(status, {**body, **(more or {})}, headers or {})


def not_found() -> RefusedError:
    """Return the error for an object that is not there, or may not be seen."""
    return RefusedError(404, "Not Found")


def invalid(resource: str, field: str, message: str, code: str = "custom") -> RefusedError:
    """Return the error for a value that the forge does not accept."""
    error = {"resource": resource, "field": field, "code": code, "message": message}
    return RefusedError(422, "Validation Failed", errors=[error])


def page(call: Call, items: Sequence[_T]) -> tuple[Sequence[_T], dict[str, str]]:
    """Return a page of a list, and the ``Link`` header to the other pages."""
    size = min(max(_whole(call.query.get("per_page"), 30), 1), _MOST)
    number = max(_whole(call.query.get("page"), 1), 1)
    last = max(1, -(-len(items) // size))
    targets = {"prev": number - 1 or None, "next": number + 1 if number < last else None}
    targets["last"], targets["first"] = (last if number < last else None), (1 if number > 1 else None)
    links = [
        f'<{call.links.api}{call.path}?{urlencode({**call.query, "page": target})}>; rel="{name}"'
        for name, target in targets.items()
        if target is not None
    ]
    return items[(number - 1) * size : number * size], {"link": ", ".join(links)} if links else {}


def _whole(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else default
