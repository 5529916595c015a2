"""What went wrong with an attempt: a fault, a line for a person, and whether another attempt may help."""

from __future__ import annotations

import dataclasses
import re
import time

from selfreview.llm.request import Fault
from selfreview.llm.retry import retry_after
from selfreview.text.escape import visible

_TOO_LONG = re.compile(
    r"too (long|large|many tokens)|context (window|length|size)|maximum context|exceeds.*context", re.I
)
_SPENT = re.compile(r"credit balance|spend(ing)? limit|billing", re.I)
_RETRIED = frozenset({408, 409, 425, 429})
_RETRIED_TYPES = frozenset({"overloaded_error", "api_error", "rate_limit_error", "timeout_error"})
_MOST_SHOWN = 200


@dataclasses.dataclass(kw_only=True, eq=False)
class Failure(Exception):  # noqa: N818 - one of many; ModelError is what leaves
    """An attempt gave nothing usable.

    Attributes:
        fault: Why.
        message: One line.
        hint: What to do about it.
        again: Whether another attempt may help.
        wait_s: What the server asks to wait.
        said: What the server said, for a refusal of a parameter.
    """

    fault: Fault
    message: str
    hint: str | None = None
    again: bool = False
    wait_s: float | None = None
    said: str = ""


def broken(what: str) -> Failure:
    """Return the failure of a connection."""
    return Failure(
        fault=Fault.UNAVAILABLE,
        message=f"the model's server could not be used: {what}",
        hint="check the network and ANTHROPIC_BASE_URL, and try again",
        again=True,
    )


def tidy(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Return what a server said on one line, short, and without the credentials it may repeat."""
    for secret in secrets:
        text = text.replace(secret, "[key]")
    text = re.sub(r"\bsk-[\w-]{6,}", "[key]", text)
    line = visible(" ".join(text.split()))
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


def of_exception(error: Exception, model: str, secrets: tuple[str, ...]) -> Failure | None:
    """Return what an exception of the SDK means, or None where it is a defect of ours."""
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error, model, secrets)
    if isinstance(error, (anthropic.APITimeoutError, httpx2.TimeoutException)):
        return broken("it was silent for too long")
    if isinstance(error, (anthropic.APIConnectionError, httpx2.HTTPError, OSError)):
        return broken(tidy(str(error.__cause__ or error), secrets) or type(error).__name__)
    if isinstance(error, anthropic.APIError):
        return broken(tidy(error.message, secrets))
    if isinstance(error, ValueError):  # no JSON, no UTF-8
        return broken("its answer cannot be read")
    if isinstance(error, (anthropic.AnthropicError, TypeError, RuntimeError)) and "auth" in str(error).lower():
        return Failure(fault=Fault.CREDENTIALS, message=f"cannot sign in: {tidy(str(error), secrets)}")
    if isinstance(error, anthropic.AnthropicError):
        return Failure(fault=Fault.CREDENTIALS, message=tidy(str(error), secrets))
    return None


def _of_status(error: object, model: str, secrets: tuple[str, ...]) -> Failure:
    import anthropic

    assert isinstance(error, anthropic.APIStatusError)  # noqa: S101 - for the type checker
    code = error.status_code
    said = tidy(error.api_message or error.message, secrets)
    if code == 429 and error.error_code == "enforced_spend_limit_reached":
        return _spent(said)
    if code in _RETRIED or code >= 500 or (code == 200 and error.type in _RETRIED_TYPES):
        what = f"status {code}" if code != 200 else f"{error.type} in the middle of an answer"
        headers = {name.lower(): value for name, value in error.response.headers.items()} if code != 200 else {}
        return Failure(
            fault=Fault.UNAVAILABLE,
            message=f"the model's server is not available: {what}",
            hint="try again later",
            again=True,
            wait_s=retry_after(headers, time.time()),
        )
    if code == 401:
        return Failure(
            fault=Fault.CREDENTIALS,
            message="the model's server does not accept the credentials (status 401)",
            hint="check ANTHROPIC_API_KEY or sign in again",
        )
    if code == 402 or (code in {400, 403} and _SPENT.search(said)):
        return _spent(said)
    if code == 403:
        hint = "ask for access, or set claude.model"
        return Failure(fault=Fault.FORBIDDEN, message=f"{model} may not be used (status 403): {said}", hint=hint)
    if code == 404:
        return Failure(
            fault=Fault.NO_MODEL,
            message=f"the server knows no model {visible(model)} (status 404)",
            hint="check claude.model and ANTHROPIC_BASE_URL",
        )
    if code == 413 or (code in {400, 422, 200} and _TOO_LONG.search(said)):
        hint = "lower claude.task_tokens"
        return Failure(fault=Fault.TOO_LONG, message=f"the request is too long for {model}", hint=hint, said=said)
    return Failure(
        fault=Fault.BAD_REQUEST,
        message=f"the model's server refuses the request (status {code}): {said}",
        hint="check claude.model and that the server speaks the Messages API",
        said=said if code in {400, 422} else "",
    )


def _spent(said: str) -> Failure:
    return Failure(
        fault=Fault.SPENT,
        message=f"the account's spend limit is reached: {said}",
        hint="raise the limit or add credit, then run again",
    )
