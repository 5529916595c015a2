"""Client of the Messages API over the SDK: connection, retries, a deadline and a way to be interrupted."""

from __future__ import annotations

import dataclasses
import functools
import logging
import os
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from selfreview.llm.transport.credentials import Provider, find_credentials
from selfreview.llm.transport.failures import Failure, pause, tidy
from selfreview.llm.transport.messages import EXTRAS, ModelMessage, StreamedAnswer, Turn, body, named
from selfreview.llm.transport.request import Fault, ModelAnswer, ModelError, ModelRequest
from selfreview.model.usage import Outage, Usage
from selfreview.redirects import FOLLOW_REDIRECTS

if TYPE_CHECKING:
    import anthropic


T = TypeVar("T")
Body = Callable[[frozenset[str]], dict[str, Any]]
"""Function that returns the parameters of a request without those that were refused."""

__all__ = ["ClientSettings", "SdkClient", "load_sdk"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClientSettings:
    """Settings of a client: deadline, provider, address and retries.

    Attributes:
        deadline: ``time.monotonic()`` at which every :meth:`SdkClient.send` ends.
        provider: Whose service.
        base_url: Address from the person's own configuration; None or empty for the environment's or the service's.
        attempts: Most attempts of one request.
        first_wait_s: Seconds before the second attempt; doubles each time.
        longest_wait_s: Longest wait that a server may ask for; a longer one ends the request.
        silence_s: Longest time without a byte from the server.
    """

    deadline: float
    provider: Provider = "anthropic"
    base_url: str | None = None
    attempts: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0
    silence_s: float = 120.0


class SdkClient:
    """Client over the SDK; see :class:`~selfreview.llm.transport.request.ModelClient`.

    Args:
        settings: How requests are sent.
    """

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._connecting = threading.Lock()
        self._cancelled = threading.Event()
        self._open: set[StreamedAnswer] = set()
        self._without: frozenset[str] = frozenset()
        self._sdk: anthropic.Anthropic | None = None

    def cancel(self) -> None:
        """End every send that waits, and every later one, with ``Fault.CANCELLED``."""
        self._cancelled.set()
        with self._lock:
            waiting = list(self._open)
        for attempt in waiting:
            attempt.done.set()

    def close(self) -> None:
        """End what still waits, and close the connections."""
        self.cancel()
        with self._connecting:
            if self._sdk is not None:
                self._sdk.close()

    def send(self, request: ModelRequest, again: Callable[[Usage], None] | None = None) -> ModelAnswer:
        """Send one request; see :class:`~selfreview.llm.transport.request.ModelClient`."""
        spent = Usage()
        return _paid(lambda: ModelAnswer(text=self._send(request, spent, again), usage=spent), spent)

    def converse(self, turn: Turn, again: Callable[[Usage], None] | None = None) -> ModelMessage:
        """Have the model go on with a conversation; whatever made it stop, its message is returned.

        Args:
            turn: What was said so far.
            again: As for :meth:`send`.

        Raises:
            ModelError: If there is no message, or it does not fit into the model's window.
        """
        spent = Usage()

        def sent() -> ModelMessage:
            attempt = self._tried(turn.body, spent, again)
            if attempt.stop_reason == "model_context_window_exceeded":
                message = f"the conversation does not fit into the window of {turn.model}"
                raise Failure(fault=Fault.TOO_LONG, message=message)
            content, broken = attempt.blocks.finished()
            return ModelMessage(content=content, broken=broken, stop_reason=str(attempt.stop_reason), usage=spent)

        return _paid(sent, spent)

    def _send(self, request: ModelRequest, spent: Usage, again: Callable[[Usage], None] | None) -> str:
        so_far = ""
        while True:
            attempt = self._tried(functools.partial(_body, request, so_far), spent, again)
            text = so_far + attempt.text
            if attempt.stop_reason == "pause_turn" and not so_far and text.strip():
                so_far = text.rstrip()  # an answer that is continued must not end in white space
                continue
            return _complete(text, attempt.stop_reason, request)

    def _tried(self, made: Body, spent: Usage, again: Callable[[Usage], None] | None) -> StreamedAnswer:
        """Make attempts until one is answered."""
        failures = 0
        while True:
            without = self._without
            if again is not None and spent.requests:
                again(spent)
            try:
                return self._attempt(made(without), spent)
            except Failure as failure:
                if self._simplified(failure, without):
                    continue
                failures += 1
                if not failure.again:
                    raise
                self._wait(failure, failures)

    def _attempt(self, sent: dict[str, Any], spent: Usage) -> StreamedAnswer:
        """Make one attempt and wait for it until the deadline."""
        self._check()
        sdk = self._connected()
        attempt = StreamedAnswer(sdk, sent, _secrets(sdk))
        with self._lock:
            self._open.add(attempt)
        try:
            if not self._cancelled.is_set():
                attempt.done.wait(max(0.0, self._settings.deadline - time.monotonic()))
        finally:
            with self._lock:
                self._open.discard(attempt)
            ended = attempt.ended
            if not ended:
                attempt.give_up()
            spent.add(attempt.usage)
        if not ended:
            self._check()
            raise _late()
        if attempt.error is not None:
            raise attempt.error
        return attempt

    def _check(self) -> None:
        if self._cancelled.is_set():
            raise Failure(fault=Fault.CANCELLED, message="the review was interrupted")
        if time.monotonic() >= self._settings.deadline:
            raise _late()

    def _connected(self) -> anthropic.Anthropic:
        with self._connecting:
            if self._sdk is None:
                self._sdk = connect(self._settings.provider, self._settings.base_url, self._settings.silence_s)
            return self._sdk

    def _simplified(self, failure: Failure, without: frozenset[str]) -> bool:
        """Leave out, from now on, the parameter that a server refused; False where that is no way out."""
        if failure.fault is not Fault.BAD_REQUEST:
            return False
        name = named(failure.reply)
        if name not in EXTRAS or name in without:
            return False
        with self._lock:
            self._without |= {name}
        return True

    def _wait(self, failure: Failure, failures: int) -> None:
        """Wait for the next attempt, or raise where there is none."""
        settings = self._settings
        if failures >= settings.attempts:
            raise dataclasses.replace(failure, message=f"{failure.message}, after {failures} attempts")
        seconds = pause(failures, failure.wait_s, settings.first_wait_s)
        asked = failure.wait_s or 0.0
        if asked > settings.longest_wait_s or time.monotonic() + seconds >= settings.deadline:
            wait_s = float(round(max(asked, seconds)))
            message = f"{failure.message}; waiting {wait_s:,.0f} s for another attempt is too long"
            fault = Fault.LATER if asked > settings.longest_wait_s else failure.fault
            outage = Outage(quota=failure.outage is not None and failure.outage.quota, wait_s=wait_s)
            raise dataclasses.replace(failure, fault=fault, message=message, outage=outage)
        self._cancelled.wait(seconds)


def _paid(send: Callable[[], T], spent: Usage) -> T:
    """Send, and add the usage of the attempts to an error."""
    try:
        return send()
    except Failure as failure:
        raise ModelError(
            failure.fault, failure.message, hint=failure.hint, usage=spent, outage=failure.outage
        ) from failure
    except ModelError as error:
        error.usage = spent
        raise


def _body(request: ModelRequest, so_far: str, without: frozenset[str]) -> dict[str, Any]:
    return body(request, without, so_far)


def _late() -> Failure:
    return Failure(
        fault=Fault.DEADLINE,
        message="the model did not answer before the deadline",
        hint="raise claude.timeout, or review a smaller change",
    )


def _secrets(sdk: anthropic.Anthropic) -> tuple[str, ...]:
    """Return the credentials that a server's message may repeat."""
    values = (getattr(sdk, name, None) for name in ("api_key", "auth_token", "aws_secret_key", "access_token"))
    return tuple(value for value in values if isinstance(value, str) and len(value) > 4)


def _complete(text: str, reason: str | None, request: ModelRequest) -> str:
    """Return the text of an answer that the model ended itself."""
    if reason == "max_tokens":
        message = f"the answer is longer than {request.max_tokens} tokens"
        raise Failure(fault=Fault.CUT_OFF, message=message, hint="lower claude.task_tokens")
    if reason == "refusal":
        raise Failure(
            fault=Fault.REFUSED,
            message="the model refused to answer",
            hint="set claude.model to another model, or leave these files to a person",
        )
    if reason == "model_context_window_exceeded":
        message = f"the request and its answer do not fit into the window of {request.model}"
        raise Failure(fault=Fault.TOO_LONG, message=message, hint="lower claude.task_tokens")
    if reason not in {"end_turn", "stop_sequence"}:
        raise Failure(fault=Fault.GARBAGE, message=f"the model stopped without an answer ({str(reason)[:40]})")
    if not text.strip():
        raise Failure(fault=Fault.GARBAGE, message="the model's answer is empty")
    return text


def load_sdk() -> ModuleType:
    """Import the SDK, which takes about a second."""
    import anthropic

    # At a lower level it logs whole requests, which hold the code under review.
    logger = logging.getLogger("anthropic")
    logger.setLevel(max(logger.level, logging.INFO))
    return anthropic


_SERVICE = "https://api.anthropic.com"


def connect(provider: Provider, base_url: str | None, silence_s: float) -> anthropic.Anthropic:
    """Make a client of the SDK that does not retry, trace, follow redirects or wait longer than ``silence_s``.

    Raises:
        ModelError: ``Fault.CREDENTIALS``, if something is missing: a package, a region, a profile.
    """
    sdk = load_sdk()
    made: Any = {"anthropic": sdk.Anthropic, "bedrock": sdk.AnthropicBedrock, "vertex": sdk.AnthropicVertex}[provider]
    timeout = sdk.Timeout(silence_s, connect=min(silence_s, 10.0))
    options: dict[str, Any] = {
        "base_url": base_url or None,
        "max_retries": 0,
        "timeout": timeout,
        "http_client": sdk.DefaultHttpxClient(timeout=timeout, follow_redirects=FOLLOW_REDIRECTS),
        "open_telemetry": False,
    }
    if provider == "anthropic" and not (base_url or os.environ.get("ANTHROPIC_BASE_URL", _SERVICE).strip()):
        options["base_url"] = _SERVICE  # the SDK would take a variable that is set to nothing for an address
    if provider == "anthropic" and find_credentials(provider, os.environ, base_url) == "a server of your own":
        options["api_key"] = "none"  # the SDK refuses to send without any
    _require(provider)
    try:
        try:
            return made(**options)  # type: ignore[no-any-return]
        except TypeError:
            del options["open_telemetry"]  # not in the first releases of the SDK that are allowed
            return made(**options)  # type: ignore[no-any-return]
    except (sdk.AnthropicError, ValueError, RuntimeError) as error:
        raise ModelError(Fault.CREDENTIALS, f"cannot sign in to {provider}: {tidy(str(error))}") from error


def _require(provider: Provider) -> None:
    """Raise where the packages of an extra are missing, which the SDK would say in the middle of a request."""
    try:
        if provider == "bedrock":
            __import__("botocore")
        elif provider == "vertex":
            __import__("google.auth")
    except ImportError as error:
        raise ModelError(
            Fault.CREDENTIALS,
            f"{provider} needs packages that are not installed",
            hint=f"in the checkout of selfreview: pip install '.[{provider}]'",
        ) from error
