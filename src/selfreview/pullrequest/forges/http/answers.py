"""Answers of a forge: errors for a person where it refuses, and the data and errors of GraphQL side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from selfreview.errors import AwayError, ForgeError, NotFoundError, RefusedError, TokenError
from selfreview.pullrequest.forges.http.limits import Limit, is_about_limit, until_reset
from selfreview.pullrequest.forges.http.wire import Answer, Service
from selfreview.text.escape import visible

_MAX_TEXT = 300


class GatewayError(AwayError):
    """The forge gave up on a request; a smaller one may work."""


def error_of(service: Service, answer: Answer, what: str, needs: str) -> ForgeError:
    """Return the error for an answer that is no success."""
    message = reason(answer)
    tail = f": {message}" if message else ""
    match answer.status:
        case 401:
            return TokenError(f"{service.name} does not accept the token for {service.host}", hint=_RENEW)
        case 403:
            return RefusedError(f"{service.name} refuses {what}{tail}", hint=_missing(answer.headers, needs, message))
        case 404 | 410:
            return NotFoundError(f"{service.name} has nothing at {what}, or does not show it to this token{tail}")
        case 502 | 503 | 504:
            return GatewayError(f"{service.name} gave up over {what} with status {answer.status}")
        case status if 400 <= status < 500:
            return RefusedError(f"{service.name} refuses {what} with status {status}{tail}")
        case status:
            return AwayError(f"{service.name} failed at {what} with status {status}{tail}")


_RENEW = "it may have been revoked or have expired: make a new one, or run `gh auth login`"


def reason(answer: Answer) -> str:
    """Return an answer's error message, in one line."""
    try:
        data = answer.data
    except ForgeError:
        return ""
    if not isinstance(data, Mapping):
        return ""
    words = [str(data.get("message") or "")]
    errors = data.get("errors")
    words += [_detail(error) for error in errors] if isinstance(errors, list) else []
    return shown("; ".join(word for word in words if word))


def shown(text: str) -> str:
    """Return a forge's message as one line that is safe to print."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= _MAX_TEXT else f"{line[:_MAX_TEXT]}…"


def _detail(error: Any) -> str:
    if not isinstance(error, Mapping):
        return str(error)
    if error.get("message"):
        return str(error["message"])
    return " ".join(str(error[name]) for name in ("field", "code") if error.get(name))


def _missing(headers: Mapping[str, str], needs: str, message: str) -> str | None:
    if headers.get("x-github-sso"):
        return "the organisation wants single sign-on: authorise the token for it"
    if "archived" in message.lower():
        return "the repository is archived: it can be read only"
    wanted = headers.get("x-accepted-github-permissions") or needs
    if wanted:
        return f"the token needs the right {shown(wanted)!r}".replace("'", "`")
    return None


_GAVE_UP = ("something went wrong while executing your query", "timeout", "timedout", "resource limits")


class GraphError(NamedTuple):
    """Error in a GraphQL answer.

    Attributes:
        type: Such as ``NOT_FOUND``; empty where there is none.
        path: Where in the data, names joined by dots.
        message: In words.
    """

    type: str
    path: str
    message: str


class Graph(NamedTuple):
    """GraphQL answer, perhaps in part.

    Attributes:
        data: The data; what is concerned by an error is None in it.
        errors: The errors.
    """

    data: Mapping[str, Any]
    errors: tuple[GraphError, ...]

    def at(self, *names: str) -> Any:
        """Return the value at a path, or None where anything on the way is missing."""
        value: Any = self.data
        for name in names:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    def problem(self, otherwise: str) -> ForgeError:
        """Return the first error as an exception for a person."""
        if not self.errors:
            return ForgeError(otherwise)
        first = self.errors[0]
        message = f"{otherwise}: {shown(first.message)}" if first.message else otherwise
        if first.type == "NOT_FOUND":
            return NotFoundError(message)
        if first.type in ("FORBIDDEN", "INSUFFICIENT_SCOPES", "UNPROCESSABLE"):
            return RefusedError(message)
        return ForgeError(message)


def read_graph(name: str, answer: Answer) -> Graph:
    """Return an answer's data and errors.

    Raises:
        GatewayError: If the forge gave up over the question.
        ForgeError: If it is no such answer.
    """
    document = answer.data
    if not isinstance(document, Mapping):
        raise ForgeError(f"{name} answered GraphQL with something else")
    data = document.get("data")
    errors = _errors(document.get("errors"))
    if not isinstance(data, Mapping):
        if any(known in error.message.lower() for error in errors for known in _GAVE_UP):
            raise GatewayError(f"{name} gave up over a GraphQL query")
        if not errors:
            raise ForgeError(f"{name} answered GraphQL without data")
        data = {}
    return Graph(data, errors)


def next_cursor(page: Mapping[str, Any], before: str | None) -> str | None:
    """Return the cursor of a connection's next page, or None after the last.

    Raises:
        ForgeError: If it begins where this one did.
    """
    info = page.get("pageInfo")
    if not isinstance(info, Mapping) or not info.get("hasNextPage"):
        return None
    after = info.get("endCursor")
    if not isinstance(after, str) or after == before:
        raise ForgeError("the forge sends pages in circles")
    return after


def graph_limit(answer: Answer, wall: float) -> Limit | None:
    """Return the rate limit in a successful answer, by the type of an error or by its message, or None."""
    if answer.status != 200 or b'"errors"' not in answer.body:
        return None
    document = answer.data
    errors = _errors(document.get("errors") if isinstance(document, Mapping) else None)
    if any(error.type in ("RATE_LIMITED", "RATE_LIMIT") for error in errors):
        spent = answer.headers.get("x-ratelimit-remaining", "").strip() == "0"
        return Limit(until_reset(answer.headers, wall) if spent else None, everything=False)
    return Limit(None, everything=True) if any(is_about_limit(error.message) for error in errors) else None


def _errors(value: object) -> tuple[GraphError, ...]:
    if not isinstance(value, list):
        return ()
    found = []
    for error in value:
        if isinstance(error, Mapping):
            path = error.get("path")
            where = ".".join(map(str, path)) if isinstance(path, list) else ""
            found.append(GraphError(str(error.get("type") or ""), where, str(error.get("message") or "")))
    return tuple(found)
