"""Notifier to Slack: an incoming webhook, or a bot that posts to a channel.

A message is escaped text in blocks, within Slack's limits: nothing in it can be a mention, a link or a channel. There
may be 50 blocks, of which the total of the text leaves most unused. Slack counts characters; here an emoji counts as
two, so that no way of counting finds too many. Source: https://docs.slack.dev/messaging/formatting-message-text and
https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from selfreview.api import (
    ConfigView,
    HistoryEntry,
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
from selfreview.text.escape import visible

if TYPE_CHECKING:
    from selfreview.pullrequest.notifiers.post import Answer

ELLIPSIS = "…"
_ENTITY = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MEMBER = re.compile(r"[UW][A-Z0-9]{2,}")
_GROUP = re.compile(r"S[A-Z0-9]{2,}")


def units(text: str) -> int:
    """Return how long a text is, characters outside of the basic plane counted twice."""
    return len(text) if text.isascii() else sum(1 if char <= "\uffff" else 2 for char in text)


def plain(text: str, limit: int) -> str:
    """Return text that Slack shows as it is, at most ``limit`` long, cut between characters."""
    shown = "\n".join(visible(line) for line in text.replace("\r\n", "\n").split("\n"))
    parts: list[str] = []
    used, cut = 0, 0  # "cut": how many parts leave room for the ellipsis
    for char in shown:
        part = _ENTITY.get(char, char)
        used += units(part)
        if used > limit:
            return "".join(parts[:cut]) + ELLIPSIS if limit else ""
        parts.append(part)
        cut = len(parts) if used < limit else cut
    return "".join(parts)


def link(url: str, label: str) -> str:
    """Return a link, or its label alone where the address is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return label
    if parts.scheme not in ("https", "http") or not url.isascii() or not url.isprintable() or len(url) > 1_000:
        return label
    address = url
    for char, code in ((" ", "%20"), ("|", "%7C"), ("<", "%3C"), (">", "%3E"), ("&", "&amp;")):
        address = address.replace(char, code)
    return f"<{address}|{label}>"


def is_id(value: object) -> bool:
    """Return whether a value is the id of a member or of a group of members."""
    return isinstance(value, str) and bool(_MEMBER.fullmatch(value) or _GROUP.fullmatch(value))


def mention(login: str, users: Mapping[str, str]) -> str:
    """Return a mention of a person, or their login where no Slack id is configured for it."""
    known = {name.casefold(): value for name, value in users.items()}.get(login.casefold())
    if known is None or not is_id(known):
        return "@" + plain(login, 100)
    return f"<!subteam^{known}>" if _GROUP.fullmatch(known) else f"<@{known}>"


HEADER = 150
SECTION = 3_000
TOTAL = 12_000
"""Maximum characters of all text. Slack documents no limit for one message (``msg_blocks_too_long``)."""
_QUOTED = 400
_MENTIONED = 50


def payload(notice: Notice, users: Mapping[str, str]) -> dict[str, Any]:
    """Return a message: its blocks, and the fallback text for where there is no room."""
    from selfreview.pullrequest.notifiers.render import place

    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": plain(notice.title, HEADER) or "selfreview"}},
        _section(_about(notice)),
    ]
    if notice.text.strip():
        blocks.append(_section(plain(notice.text.strip(), SECTION)))
    asked = " ".join(mention(login, users) for login in notice.mention[:_MENTIONED])
    if asked:
        blocks.append(_section(asked if units(asked) <= SECTION else plain(" ".join(notice.mention), SECTION)))
    room = TOTAL - sum(units(block["text"]["text"]) for block in blocks)
    blocks += list(_history(notice.history, room))
    return {
        "text": plain(f"{notice.title}: {place(notice)}", SECTION),
        "blocks": blocks,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _about(notice: Notice) -> str:
    from selfreview.pullrequest.notifiers.render import heading, place

    where = plain(place(notice), SECTION // 2) or "selfreview"
    return f"*{heading(notice)}* · {link(notice.url, where)}"


def _history(history: tuple[HistoryEntry, ...], room: int) -> Iterator[dict[str, Any]]:
    """Yield the history, the newest entries where not all have room, oldest first."""
    from selfreview.text.layout import plural

    kept: list[str] = []
    for entry in reversed(history):
        text = _entry(entry)
        room -= units(text) + 1
        if room < HEADER:  # for the line that says how many there are
            break
        kept.append(text)
    sections: list[str] = []
    left = len(history) - len(kept)
    if left:
        kept.append(f"_{plural(left, 'earlier entry') if left == 1 else f'{left} earlier entries'}_")
    for text in reversed(kept):
        if sections and units(sections[-1]) + 1 + units(text) <= SECTION:
            sections[-1] += f"\n{text}"
        else:
            sections.append(text)
    yield from map(_section, sections)


def _entry(entry: HistoryEntry) -> str:
    from selfreview.pullrequest.notifiers.render import step

    who = link(entry.url, plain(step(entry), 100))
    what = plain(" ".join(entry.what.split()), _QUOTED)
    outcome = plain(" ".join(entry.outcome.split()), _QUOTED)
    return f"• *{who}* {what}" + (f" → {outcome}" if outcome else "")


def _section(text: str) -> dict[str, Any]:
    # Verbatim: Slack makes no links and mentions of its own of it.
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


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
    detail = f": {answer.text}" if _CODE.fullmatch(answer.text) else ""
    if answer.status in _NOT_TAKEN:
        raise NotifyError(
            f"Slack asks for a pause (HTTP {answer.status})",
            wait_s=answer.retry_after_s or (60.0 if answer.status == 429 else None),
        )
    if answer.status >= 500:
        raise UnsureError(f"Slack failed (HTTP {answer.status})")
    raise NotifyError(f"Slack refused (HTTP {answer.status}{detail})")


def _check_bot(answer: Answer) -> None:
    """Raise the error in a response of the Web API, whose status is 200 also for failures."""
    try:
        detail = json.loads(answer.text)
    except (ValueError, RecursionError):
        detail = None
    if not isinstance(detail, dict) or not isinstance(detail.get("ok"), bool):
        raise UnsureError("Slack's answer cannot be read")
    if detail["ok"]:
        return
    code = detail.get("error")
    known = code if isinstance(code, str) and _CODE.fullmatch(code) else "unknown error"
    if known in ("fatal_error", "internal_error"):
        raise UnsureError(f"Slack failed ({known})")  # documented: some of the operation may have been done
    raise NotifyError(
        f"Slack refused ({known})", wait_s=(answer.retry_after_s or 60.0) if known == "ratelimited" else None
    )


def _check_users(value: Mapping[str, Any]) -> str | None:
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
