"""Resolvers of fields, by type and name."""

from __future__ import annotations

import base64
import binascii
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.forge.call import Call

if TYPE_CHECKING:
    from graphql import GraphQLError

Field: TypeAlias = Callable[..., Any]
"""A resolver: called with the parent object, the call, and the field's arguments by name."""

Table: TypeAlias = Mapping[str, Mapping[str, Field]]
"""Resolvers by type and name of the field."""

MOST = 100


def attribute(name: str) -> Field:
    """Return a field that is an attribute."""
    get = operator.attrgetter(name)
    return lambda one, _call, **_arguments: get(one)


def constant(value: object) -> Field:
    """Return a field that is the same everywhere."""
    return lambda _one, _call, **_arguments: value


def connection(items: Field, *filters: str) -> Field:
    """Return a field that is a connection over what another one gives.

    Args:
        items: Gives all of them, in order; called with those arguments that do not choose a page.
        filters: Names of those arguments.
    """

    def field(one: object, call: Call, **arguments: Any) -> dict[str, Any]:
        chosen = {name: value for name, value in arguments.items() if name in filters}
        return _page(list(items(one, call, **chosen)), arguments)

    return field


def refusal(kind: str, message: str) -> GraphQLError:
    """Return an error of GraphQL, with its type."""
    from graphql import GraphQLError

    return GraphQLError(message, extensions={"type": kind})


def _page(items: Sequence[Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    first, last = arguments.get("first"), arguments.get("last")
    for name, value in (("first", first), ("last", last)):
        if value is not None and not 1 <= value <= MOST:
            message = f"Requesting {value} records on the connection exceeds the `{name}` limit of {MOST} records."
            raise refusal("EXCESSIVE_PAGINATION", message)
    start = _index(arguments["after"]) + 1 if arguments.get("after") else 0
    stop = _index(arguments["before"]) if arguments.get("before") else len(items)
    if first is not None:
        stop = min(stop, start + first)
    elif last is not None:
        start = max(start, stop - last)
    shown = items[start:stop]
    edges = [{"cursor": _cursor(start + offset), "node": node} for offset, node in enumerate(shown)]
    ends = {"startCursor": edges[0]["cursor"] if edges else None, "endCursor": edges[-1]["cursor"] if edges else None}
    pages = {"hasNextPage": stop < len(items), "hasPreviousPage": start > 0}
    return {"nodes": shown, "edges": edges, "totalCount": len(items), "pageInfo": {**ends, **pages}}


def _cursor(index: int) -> str:
    return base64.b64encode(b"cursor:%d" % index).decode("ascii")


def _index(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor).decode("ascii").removeprefix("cursor:"))
    except (ValueError, binascii.Error) as error:
        raise refusal("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` does not appear to be a valid cursor.") from error
