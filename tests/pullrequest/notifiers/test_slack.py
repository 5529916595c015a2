"""Slack over real HTTP, and its limits."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfreview.api import HistoryEntry, NotifyContext
from selfreview.errors import NotifyError, UnsureError
from selfreview.pullrequest.notifiers import slack as module
from selfreview.pullrequest.notifiers.post import check_url
from selfreview.pullrequest.notifiers.slack import (
    HEADER,
    SECTION,
    TOKEN,
    TOTAL,
    WEBHOOK,
    SlackNotifier,
    link,
    mention,
    payload,
    plain,
    units,
)
from selfreview.testing.context import MemoryConfig, default_config
from selfreview.testing.notifying import notice
from tests.conftest import Workspace
from tests.pullrequest.notifiers.slackd import HttpServer, Reply

SECRET = "T000/B000/verysecretpart"
BOT = "xoxb-verysecretpart"


def config(**more: Any) -> MemoryConfig:
    return MemoryConfig({**default_config(module), **{f"notify.slack.{name}": value for name, value in more.items()}})


def by_webhook(server: HttpServer) -> None:
    environ = {WEBHOOK: f"{server.url}/services/{SECRET}?a=b"}
    assert SlackNotifier().unavailable(config(), environ) is None
    SlackNotifier().send(notice(), NotifyContext(config(), environ, timeout_s=10))


def by_bot(server: HttpServer, channel: str = "C012") -> None:
    given = config(channel=channel, api_url=server.url + "/api", users={"ana": "U777"})
    environ = {TOKEN: BOT, WEBHOOK: "https://hooks.slack.com/not-this-one"}
    assert SlackNotifier().unavailable(given, environ) is None
    SlackNotifier().send(notice(mention=("Ana",)), NotifyContext(given, environ, timeout_s=10))


def test_a_webhook_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), HttpServer() as server:
        by_webhook(server)
    (seen,) = server.seen
    assert seen.path == f"/services/{SECRET}?a=b"
    assert seen.json["blocks"][0]["text"]["text"] == "octo/app#7 is ready for a person"
    assert seen.headers["Content-Type"].startswith("application/json")
    assert "verysecretpart" not in caplog.text


def test_a_bot_tells_its_channel(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), HttpServer(Reply(body='{"ok": true}')) as server:
        by_bot(server)
    (seen,) = server.seen
    assert (seen.path, seen.headers["Authorization"]) == ("/api/chat.postMessage", f"Bearer {BOT}")
    assert seen.json["channel"] == "C012"
    assert "<@U777>" in seen.body.decode()
    assert "verysecretpart" not in caplog.text


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_what_a_webhook_refuses_was_not_sent(status: int) -> None:
    elsewhere = ("Location", "http://127.0.0.1:9/")
    with (
        HttpServer(Reply(status, "no_service", (elsewhere,))) as server,
        pytest.raises(NotifyError, match="no_service"),
    ):
        by_webhook(server)
    assert len(server.seen) == 1


def test_words_of_an_answer_are_not_repeated() -> None:
    with HttpServer(Reply(400, f"<html>{SECRET}")) as server, pytest.raises(NotifyError) as caught:
        by_webhook(server)
    assert caught.value.message == "Slack refused (HTTP 400)"


@pytest.mark.parametrize(
    ("reply", "wait_s"),
    [
        (Reply(429, "", (("Retry-After", "37"),)), 37),
        (Reply(429, ""), 60),
        (Reply(429, "", (("Retry-After", "soon"),)), 60),
        (Reply(503, "", (("Retry-After", "5"),)), 5),
        (Reply(503, ""), None),
    ],
)
def test_slack_wants_to_be_left_alone(reply: Reply, wait_s: float | None) -> None:
    with HttpServer(reply) as server, pytest.raises(NotifyError) as caught:
        by_webhook(server)
    assert caught.value.wait_s == wait_s


@pytest.mark.parametrize("reply", [Reply(500), Reply(502), Reply(504), Reply(0)])
def test_what_may_have_arrived(reply: Reply) -> None:
    with HttpServer(reply) as server, pytest.raises(UnsureError) as caught:
        by_webhook(server)
    assert "verysecretpart" not in caught.value.message


def test_a_server_that_is_not_there() -> None:
    with HttpServer() as server:
        pass
    with pytest.raises(NotifyError, match=r"127\.0\.0\.1 cannot be reached") as caught:
        by_webhook(server)
    assert "verysecretpart" not in caught.value.message + repr(caught.value.__cause__)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"ok": false, "error": "channel_not_found"}', NotifyError),
        ('{"ok": false, "error": "invalid_auth"}', NotifyError),
        ('{"ok": false, "error": "internal_error"}', UnsureError),
        ('{"ok": false, "error": "fatal_error"}', UnsureError),
        ('{"ok": false}', NotifyError),
        ('{"ok": "yes"}', UnsureError),
        ("[]", UnsureError),
        ("ok", UnsureError),
        ("[" * 100_000, UnsureError),
    ],
)
def test_a_bot_that_is_told_no(body: str, kind: type[Exception]) -> None:
    with HttpServer(Reply(body=body)) as server, pytest.raises(kind):
        by_bot(server)


def test_a_bot_that_is_told_no_is_told_why() -> None:
    with (
        HttpServer(Reply(body='{"ok": false, "error": "not_in_channel"}')) as server,
        pytest.raises(NotifyError, match="not_in_channel"),
    ):
        by_bot(server)


ANY = st.text(alphabet=st.characters() | st.sampled_from("&<>|@#!*_~`\n\0\udc80\u202e😀"))
LONG = st.builds(lambda text, times: text * times, ANY, st.sampled_from([1, 3, 200]))
ENTRY = st.builds(HistoryEntry, who=ANY, what=LONG, outcome=LONG, cycle=st.none() | st.integers(), url=ANY)


@settings(deadline=None)
@given(LONG, LONG, LONG, st.lists(ANY, max_size=80), st.lists(ENTRY, max_size=120))
def test_every_message_keeps_within_the_limits(
    title: str, text: str, url: str, logins: list[str], history: list[HistoryEntry]
) -> None:
    told = notice(title=title, text=text, url=url, repository=title, branch=text, mention=tuple(logins),
                  history=tuple(history))  # fmt: skip
    message = payload(told, {"ana": "U1234"})
    assert 2 <= len(message["blocks"]) <= 50
    header, *sections = message["blocks"]
    assert header["text"]["type"] == "plain_text"
    assert 1 <= units(header["text"]["text"]) <= HEADER
    assert all(1 <= units(section["text"]["text"]) <= SECTION for section in sections)
    assert all(section["text"]["verbatim"] for section in sections)
    assert sum(units(block["text"]["text"]) for block in message["blocks"]) <= TOTAL
    assert 1 <= units(message["text"]) <= SECTION
    json.dumps(message).encode("ascii")
    for block in message["blocks"]:
        _check_escaped(block["text"]["text"])


def _check_escaped(text: str) -> None:
    """Whatever is left of ``<``, ``>`` and ``&`` is a link or a mention of ours, or an escape."""
    rest = re.sub(r"<https?://[^<>|\s]*\|[^<>]*>|<@U1234>", "", text)
    assert not set(rest) & {"<", ">"}, text
    assert re.sub(r"&(amp|lt|gt);", "", rest).count("&") == 0, text
    assert not set(text) & {"\0", "\u202e"}


def test_the_newest_of_a_long_history_is_shown() -> None:
    history = tuple(HistoryEntry(who=f"user{n}", what="w" * 400, outcome="o" * 400) for n in range(100))
    text = json.dumps(payload(notice(history=history), {}))
    assert "user99" in text
    assert 'user0"' not in text
    shown = len(re.findall(r"\*user\d+\*", text))
    assert f"{100 - shown} earlier entries" in text


@given(ANY, st.integers(0, 60))
def test_text_is_cut_between_characters(text: str, limit: int) -> None:
    cut = plain(text, limit)
    assert units(cut) <= limit
    assert re.sub(r"&(amp|lt|gt);", "", cut).count("&") == 0


def test_text_that_just_has_room_is_not_cut() -> None:
    assert plain("a&b", 7) == "a&amp;b"
    assert plain("a&b", 6) == "a…"
    assert plain("😀😀", 4) == "😀😀"
    assert plain("😀😀", 3) == "😀…"


@pytest.mark.parametrize(
    ("login", "shown"),
    [("ana", "<@U12>"), ("ANA", "<@U12>"), ("team", "<!subteam^S99>"), ("bad", "@bad"), ("<!here>", "@&lt;!here&gt;")],
)
def test_mentions(login: str, shown: str) -> None:
    assert mention(login, {"Ana": "U12", "team": "S99", "bad": "U1> <!channel"}) == shown


@pytest.mark.parametrize("url", ["javascript:x", "https://x/\n", "", "https://[x", "ftp://x", "https://é"])
def test_what_is_no_address_is_no_link(url: str) -> None:
    assert link(url, "label") == "label"


def test_an_address_cannot_end_its_link() -> None:
    assert link("https://x/a|b>c<d&e f", "label") == "<https://x/a%7Cb%3Ec%3Cd&amp;e%20f|label>"


@pytest.mark.parametrize(
    ("environ", "more", "why"),
    [
        ({}, {}, "neither"),
        ({TOKEN: "xoxb-1"}, {}, "notify.slack.channel"),
        ({TOKEN: "xoxb\n1"}, {"channel": "C1"}, "no token"),
        ({WEBHOOK: "http://hooks.slack.com/x"}, {}, "https"),
        ({WEBHOOK: "hooks"}, {}, "no address"),
        ({TOKEN: "xoxb-1"}, {"channel": "C1"}, None),
        ({WEBHOOK: "https://hooks.slack.com/x"}, {}, None),
        ({TOKEN: "xoxb-1", WEBHOOK: "https://hooks.slack.com/x"}, {}, None),
    ],
)
def test_what_it_lacks(environ: dict[str, str], more: dict[str, str], why: str | None) -> None:
    lacks = SlackNotifier().unavailable(config(**more), environ)
    assert lacks is None if why is None else why in (lacks or "")
    assert not any(value in (lacks or "") for value in environ.values())


@pytest.mark.parametrize("url", ["https://me:pw@x/", "https://x:port/", "https://", "https://x/ y", "https://é/"])
def test_addresses_that_are_none(url: str) -> None:
    assert check_url(url) == "is no address"


@pytest.mark.parametrize("line", ["channel = 'C1'", "api_url = 'https://evil.example.org'"])
def test_a_repository_says_not_where(workspace: Workspace, line: str) -> None:
    workspace.write("selfreview.toml", f"[notify.slack]\n{line}\n")
    done = workspace.selfreview("notify", "status")
    assert done.code == 4
    assert "may not be set by a repository" in done.err


def test_a_repository_may_say_who_is_who(workspace: Workspace) -> None:
    workspace.write("selfreview.toml", "[notify.slack.users]\nana = 'U123'\n")
    with HttpServer() as server:
        done = workspace.selfreview("notify", "test", "slack", SLACK_WEBHOOK_URL=server.url)
    assert (done.code, done.out, len(server.seen)) == (0, "slack: sent\n", 1), done.err
    workspace.write("selfreview.toml", "[notify.slack.users]\nana = '<!here>'\n")
    assert "ids in Slack" in workspace.selfreview("notify", "status").err
    assert "*a test*" in str(server.seen)


def test_a_test_that_does_not_arrive_says_so(workspace: Workspace) -> None:
    with HttpServer(Reply(404, "no_service")) as server:
        done = workspace.selfreview("notify", "test", "slack", SLACK_WEBHOOK_URL=server.url + "/" + SECRET)
    assert done.code == 4
    assert done.err.startswith("error: slack: not sent: Slack refused (HTTP 404: no_service)")
    assert SECRET not in done.err
