"""Notifier to Slack: an incoming webhook, or a bot that posts to a channel."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from selfreview.api import (
    ConfigView,
    Key,
    Notice,
    Notifier,
    NotifyContext,
    OptionParser,
    Registry,
    channel_keys,
    hookimpl,
)
from selfreview.errors import NotifyError, UnsureError

if TYPE_CHECKING:
    from selfreview.pullrequest.notifiers.post import Answer


WEBHOOK, TOKEN = "SLACK_WEBHOOK_URL", "SLACK_BOT_TOKEN"
_CODE = re.compile(r"[a-z][a-z_]{2,60}")
"""Pattern of Slack's error codes, the only text of a response that is repeated."""
_NOT_TAKEN = (429, 503)
_SHORTEST = 16
"""Minimum characters of a path that counts as a secret; Slack's have 24 in their last part alone."""


class SlackNotifier:
    """A notifier to Slack, which has no idempotency key: a message that may have arrived is not repeated."""

    name = "slack"
    leaves_mark = False
    needs_request = False

    def unavailable(self, config: ConfigView, environ: Mapping[str, str]) -> str | None:
        """Return why it cannot send, or None."""
        from selfreview.pullrequest.notifiers.post import check_url

        token, webhook = environ.get(TOKEN), environ.get(WEBHOOK)
        if token and config["notify.slack.channel"]:
            return None if token.isascii() and token.isprintable() else f"{TOKEN} is no token"
        if token and not webhook:
            return f"{TOKEN} is set, but notify.slack.channel is not"
        if not webhook:
            return f"neither {WEBHOOK} nor {TOKEN} is set"
        wrong = check_url(webhook)
        return f"{WEBHOOK} {wrong}" if wrong else None

    def secrets(self, environ: Mapping[str, str], config: ConfigView) -> Sequence[str]:  # noqa: ARG002 - the protocol
        """Return the bot's token, and the webhook's address as a whole and its path."""
        from urllib.parse import urlsplit

        webhook = environ.get(WEBHOOK, "")
        try:
            path = urlsplit(webhook).path
        except ValueError:  # it is no address; it is not sent to either
            path = ""
        parts = [part for part in (path.strip("/"), path.rpartition("/")[2]) if len(part) >= _SHORTEST]
        return [environ.get(TOKEN, ""), webhook, *parts]

    def send(self, notice: Notice, context: NotifyContext) -> Sequence[str]:
        """Post a message.

        Raises:
            NotifyError: If Slack did not take it.
            UnsureError: If it may have.
        """
        from selfreview.pullrequest.notifiers.post import post
        from selfreview.pullrequest.notifiers.slack_message import payload

        config, environ = context.config, context.environ
        message = payload(notice, config["notify.slack.users"])
        channel = config["notify.slack.channel"]
        if channel and environ.get(TOKEN):
            url, headers = f"{config['notify.slack.api_url']}/chat.postMessage", _bearer(environ[TOKEN])
            answer = post(url, _encode({**message, "channel": channel}), headers=headers, timeout_s=context.timeout_s)
            _check_status(answer)
            _check_bot(answer)
        else:
            answer = post(environ[WEBHOOK], _encode(message), headers={}, timeout_s=context.timeout_s)
            _check_status(answer)
        return ()


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _encode(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode("ascii")


def _check_status(answer: Answer) -> None:
    """Raise the error of an HTTP status."""
    if answer.status == 200:
        return
    said = f": {answer.text}" if _CODE.fullmatch(answer.text) else ""
    if answer.status in _NOT_TAKEN:
        raise NotifyError(
            f"Slack wants to be left alone (HTTP {answer.status})",
            wait_s=answer.retry_after_s or (60.0 if answer.status == 429 else None),
        )
    if answer.status >= 500:
        raise UnsureError(f"Slack failed (HTTP {answer.status})")
    raise NotifyError(f"Slack refused (HTTP {answer.status}{said})")


def _check_bot(answer: Answer) -> None:
    """Raise the error in a response of the Web API, whose status is 200 also for failures."""
    try:
        said = json.loads(answer.text)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("ok"), bool):
        raise UnsureError("Slack's answer cannot be read")
    if said["ok"]:
        return
    code = said.get("error")
    known = code if isinstance(code, str) and _CODE.fullmatch(code) else "unknown error"
    if known in ("fatal_error", "internal_error"):
        raise UnsureError(f"Slack failed ({known})")  # documented: some of the operation may have been done
    raise NotifyError(
        f"Slack refused ({known})", wait_s=(answer.retry_after_s or 60.0) if known == "ratelimited" else None
    )


def _check_users(value: Mapping[str, Any]) -> str | None:
    from selfreview.pullrequest.notifiers.slack_message import is_id

    wrong = next((login for login, known in value.items() if not is_id(known)), None)
    return None if wrong is None else f'must be ids in Slack by login, such as {wrong} = "U0123ABCD"'


def _check_api(value: str) -> str | None:
    from selfreview.pullrequest.notifiers.post import check_url

    return check_url(value) or ("must not end in a slash" if value.endswith("/") else None)


@hookimpl
def selfreview_addoption(parser: OptionParser) -> None:
    """Declare its keys."""
    for key in channel_keys("slack"):
        parser.add_key(key)
    parser.add_key(
        Key(
            name="notify.slack.channel",
            kind="str",
            default="",
            user_only=True,
            help=f"Where the bot of `{TOKEN}` posts: a channel's id or name. A webhook has its own.",
        )
    )
    parser.add_key(
        Key(
            name="notify.slack.users",
            kind="table",
            default={},
            check=_check_users,
            help='Who people are in Slack, so that they are mentioned: `login = "U0123ABCD"`, a group\'s id likewise.',
        )
    )
    parser.add_key(
        Key(
            name="notify.slack.api_url",
            kind="str",
            default="https://slack.com/api",
            user_only=True,
            check=_check_api,
            help="Slack's Web API, where it is another.",
        )
    )


@hookimpl
def selfreview_register_notifiers(registry: Registry[Notifier]) -> None:
    """Register it."""
    registry.add(SlackNotifier())
