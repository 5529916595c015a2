"""Errors for a person, by a forge's refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from selfreview.errors import AwayError, ForgeError, NotFoundError, RefusedError, TokenError
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
