"""Failures of attempts: a fault, a message for a person, whether another attempt may help, and when to make it."""

from __future__ import annotations

import dataclasses
import random
import re
import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from selfreview.llm.transport.request import Fault
from selfreview.model.usage import Outage
from selfreview.redirects import destination
from selfreview.text.escape import visible

if TYPE_CHECKING:
    import anthropic


_TOO_LONG = re.compile(
    r"too (long|large|many tokens)|context (window|length|size)|maximum context|exceeds.*context", re.I
)
_SPENT = re.compile(r"credit balance|spend(ing)? limit|billing", re.I)
_CONTENT = re.compile(
    r"content[ _-]?(filter|polic|management polic)|(safety|usage) (filter|polic)|policy[ _-]?violation", re.I
)
"""Messages of servers that refuse a request for the content of it or of its answer."""
_WHO_ASKS = re.compile(r"\b(?:account|organi[sz]ation|workspace|key)\b|\bnot allowed\b|\bdisabled\b", re.I)
_RETRIED = frozenset({408, 409, 425, 429})
_RETRIED_TYPES = frozenset({"overloaded_error", "api_error", "rate_limit_error", "timeout_error"})
_MAX_SHOWN = 200
_WHERE = "claude.base_url or ANTHROPIC_BASE_URL"
_KINDS = {
    "": "nothing that says what it is",
    "text/html": "a web page",
    "application/xhtml+xml": "a web page",
    "text/plain": "plain text",
    "application/json": "another JSON",
}
_WONT_CHANGE = (
    (re.compile("CERTIFICATE_VERIFY_FAILED"), "SSL_CERT_FILE names the certificates to trust, such as a company's own"),
    (re.compile("WRONG_VERSION_NUMBER|HTTP_REQUEST|RECORD_LAYER_FAILURE"), f"check https or http in {_WHERE}"),
    (
        re.compile("Name or service not known|nodename nor servname|No address associated"),
        f"check the name in {_WHERE}",
    ),
    (re.compile("'https?://' protocol|unsupported protocol|Invalid URL"), f"give {_WHERE} as http://… or https://…"),
    (re.compile("^407 "), "HTTPS_PROXY has to hold a name and a password that the proxy accepts"),
)
"""Connection errors that would recur with every attempt, with a hint for each."""


@dataclasses.dataclass(kw_only=True, eq=False)
class Failure(Exception):  # noqa: N818 - one of many; ModelError is what leaves
    """Failure of an attempt that gave nothing usable.

    Attributes:
        fault: Why.
        message: One line.
        hint: What to do about it.
        again: Whether another attempt may help.
        wait_s: What the server asks to wait.
        reply: The server's message, for a refusal of a parameter.
        outage: Why the model could not be asked, or None: it was asked, or the request is at fault.
    """

    fault: Fault
    message: str
    hint: str | None = None
    again: bool = False
    wait_s: float | None = None
    reply: str = ""
    outage: Outage | None = None


def broken(what: str, url: str) -> Failure:
    """Return the failure of a connection."""
    return Failure(
        fault=Fault.UNAVAILABLE,
        message=f"the model's server could not be used: {address(url)}: {what}",
        hint="check the network and ANTHROPIC_BASE_URL, and try again",
        again=True,
        outage=Outage(),
    )


def of_page(url: str, code: int, content_type: str) -> Failure:
    """Return the failure where the responder is no server of the Messages API: asking again changes nothing."""
    kind = content_type.partition(";")[0].strip().lower()
    what = _KINDS.get(kind) or f"something else ({tidy(kind)})"
    what = "nothing" if code == 204 else what
    hint = f"check {_WHERE}: what answered may be a proxy, or a page to sign in"
    return _misplaced(f"{address(url)} answered with {what}, and not as the Messages API (status {code})", url, hint)


def _misplaced(what: str, url: str, hint: str) -> Failure:
    """Return the failure of a wrong address, or of an intermediary such as a proxy."""
    if "/v1/v1/" in url:
        hint = f"take /v1 off the end of {_WHERE}: it is added"
    message = f"the model's server could not be used: {what}"
    return Failure(fault=Fault.NO_MODEL, message=message, hint=hint, outage=Outage())


def address(url: str) -> str:
    """Return the address of a request, without what may be a secret."""
    return destination(url, "")


def tidy(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return a server's message on one line, short, and without the credentials it may repeat."""
    for secret in secrets:
        text = text.replace(secret, "[key]")
    text = re.sub(r"\bsk-[\w-]{6,}", "[key]", text)
    line = visible(" ".join(text.split()))
    return line if len(line) <= _MAX_SHOWN else line[: _MAX_SHOWN - 1] + "…"


def of_exception(error: Exception, model: str, secrets: tuple[str, ...], url: str) -> Failure | None:
    """Return the failure that an exception of the SDK means, or None where it is a defect of ours.

    Args:
        error: The exception.
        model: Which was asked.
        secrets: What is never shown.
        url: Where it was asked.
    """
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error, model, secrets)
    if isinstance(error, anthropic.APIConnectionError):
        url = str(error.request.url)
    if isinstance(error, (anthropic.APITimeoutError, httpx2.TimeoutException)):
        return broken("it was silent for too long", url)
    if isinstance(error, (anthropic.APIConnectionError, httpx2.HTTPError, OSError)):
        return _of_connection(tidy(str(error.__cause__ or error), secrets) or type(error).__name__, url)
    if isinstance(error, anthropic.APIError):
        return broken(tidy(error.message, secrets), url)
    if isinstance(error, httpx2.InvalidURL):
        return _of_connection(f"Invalid URL: {tidy(str(error), secrets)}", url)
    if isinstance(error, ValueError):  # no JSON, no UTF-8
        return broken("its answer cannot be read", url)
    if isinstance(error, (anthropic.AnthropicError, TypeError, RuntimeError)) and "auth" in str(error).lower():
        message = f"cannot sign in: {tidy(str(error), secrets)}"
        return Failure(fault=Fault.CREDENTIALS, message=message, outage=Outage())
    if isinstance(error, anthropic.AnthropicError):
        return Failure(fault=Fault.CREDENTIALS, message=tidy(str(error), secrets))
    return None


def _of_connection(reply: str, url: str) -> Failure:
    for pattern, hint in _WONT_CHANGE:
        if pattern.search(reply):
            return _misplaced(f"{address(url)}: {reply}", url, hint)
    return broken(reply, url)


def _of_status(error: object, model: str, secrets: tuple[str, ...]) -> Failure:
    import anthropic

    assert isinstance(error, anthropic.APIStatusError)  # noqa: S101 - for the type checker
    code, url = error.status_code, str(error.request.url)
    status = f"status {code} from {address(url)}"
    reply = tidy(error.api_message or error.message, secrets)
    if code == 429 and error.error_code == "enforced_spend_limit_reached":
        return _spent(reply)
    if code in _RETRIED or code >= 500 or (code == 200 and error.type in _RETRIED_TYPES):
        what = status if code != 200 else f"{error.type} in the middle of an answer of {address(url)}"
        headers = {name.lower(): value for name, value in error.response.headers.items()} if code != 200 else {}
        return Failure(
            fault=Fault.UNAVAILABLE,
            message=f"the model's server is not available: {what}",
            hint="try again later",
            again=True,
            wait_s=retry_after(headers, time.time()),
            outage=Outage(quota=code == 429 or error.type == "rate_limit_error"),
        )
    if 300 <= code < 400:
        to = destination(str(error.response.url), error.response.headers.get("location", ""))
        what = f"{address(url)} redirects to {to} (status {code}), where nothing is sent"
        return _misplaced(what, url, f"if that is your model's server, set {_WHERE} to its address")
    if code == 413 or (code in {400, 422, 200} and _TOO_LONG.search(reply)):  # a proxy says 413 with a page of its own
        hint = "lower claude.task_tokens"
        return Failure(fault=Fault.TOO_LONG, message=f"the request is too long for {model}", hint=hint, reply=reply)
    misplaced = _of_place(error, model, reply)
    if misplaced is not None:
        return misplaced
    if code == 401:
        return Failure(
            fault=Fault.CREDENTIALS,
            message=f"the model's server does not accept the credentials ({status})",
            hint="check ANTHROPIC_API_KEY or sign in again",
            outage=Outage(),
        )
    if code == 402 or (code in {400, 403} and _SPENT.search(reply)):
        return _spent(reply)
    content = code in {400, 403, 422, 200} and _CONTENT.search(reply) is not None
    content = content and not (code == 403 and _WHO_ASKS.search(reply))  # a policy may be about who asks, too
    if code == 403 and not content:
        hint = "ask for access, or set claude.model"
        return Failure(fault=Fault.FORBIDDEN, message=f"{model} may not be used ({status}): {reply}", hint=hint)
    return Failure(
        fault=Fault.REFUSED if content else Fault.BAD_REQUEST,
        message=f"the model's server refuses the request ({status}): {reply}",
        hint=None if content else "check claude.model and that the server speaks the Messages API",
        reply=reply if code in {400, 422} else "",
    )


def _of_place(error: anthropic.APIStatusError, model: str, reply: str) -> Failure | None:
    """Return the failure of a wrong address or an unknown model; None for all else."""
    code, url = error.status_code, str(error.request.url)
    kind = error.response.headers.get("content-type", "")
    if 400 <= code < 500 and not isinstance(error.body, dict) and "html" in kind.lower():
        return of_page(url, code, kind)
    if code == 404 and isinstance(error.body, dict) and (model in reply or "model" in reply.lower()):
        return Failure(
            fault=Fault.NO_MODEL,
            message=f"the server knows no model {visible(model)} (status 404 from {address(url)})",
            hint="check claude.model and ANTHROPIC_BASE_URL",
        )
    if code in {404, 405}:
        what = f"nothing there answers as the Messages API (status {code} from {address(url)})"
        return _misplaced(what, url, f"check {_WHERE}")
    return None


def _spent(reply: str) -> Failure:
    return Failure(
        fault=Fault.SPENT,
        message=f"the account's spend limit is reached: {reply}",
        hint="raise the limit or add credit, then run again",
        outage=Outage(quota=True),
    )


_LONGEST_OWN_S: Final = 8.0


def retry_after(headers: dict[str, str], now: float) -> float | None:
    """Return the seconds that a server asks to wait, or None.

    Args:
        headers: Of the response, names in lower case.
        now: Seconds since the epoch, for a header that holds a date.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) / unit
        except ValueError:
            continue
        if seconds >= 0:  # not for NaN
            return seconds
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def pause(failures: int, asked: float | None, first_s: float) -> float:
    """Return the seconds to wait.

    Args:
        failures: Attempts that failed so far, at least 1.
        asked: What the server asks for; it is never undercut.
        first_s: The first wait, which doubles each time.
    """
    jitter = random.random()  # noqa: S311 - spreads clients
    if asked is not None:
        return asked + jitter * min(first_s, asked)
    longest: float = min(first_s * 2 ** (failures - 1), _LONGEST_OWN_S)
    return longest * (0.75 + 0.25 * jitter)
