"""The client over the real SDK, against the loopback server."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from selfreview.llm.transport.client import ClientSettings, SdkClient
from selfreview.llm.transport.request import Fault, ModelError, ModelRequest
from selfreview.model.usage import Outage
from selfreview.testing.messages import Cut, ErrorEvent, MessagesServer, Raw, Reply, Reset, Silence, Status

KEY = "test-key-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
OK = '{"ok": true}'
THINKING = {"type": "thinking", "thinking": "hm", "signature": "s"}
TRANSIENT = [
    *(Status(code=code) for code in (408, 409, 429, 500, 502, 503, 504, 529)),
    ErrorEvent(),
    ErrorEvent(type="api_error"),
    Cut(),
    Cut(clean=False),
    Reset(),
    Reset(text="{"),
    Raw(body=b""),
    Raw(body=b"event: message_start\ndata: {\xff\n\n"),
    Raw(body=b"event: message_start\ndata: nonsense\n\n"),
]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@pytest.fixture
def client_of() -> Iterator:
    made = []

    def make(server: MessagesServer, seconds: float = 30.0, **settings) -> SdkClient:
        settings = {"first_wait_s": 0.001, "base_url": server.base_url, **settings}
        made.append(SdkClient(ClientSettings(deadline=time.monotonic() + seconds, **settings)))
        return made[-1]

    yield make
    for client in made:
        if client._sdk is not None:
            client._sdk.close()


def ask(**more) -> ModelRequest:
    given = {"name": "find:1/1", "system": "be brief", "user": "look", "schema": SCHEMA, "model": "claude-sonnet-5-5"}
    return ModelRequest(**{**given, "max_tokens": 64, **more})


def fails(client: SdkClient, **more) -> ModelError:
    with pytest.raises(ModelError) as caught:
        client.send(ask(**more))
    error = caught.value
    assert "\n" not in error.message
    assert KEY not in f"{error.message}{error.hint}"
    return error


def test_what_is_sent_and_what_comes_back(client_of):
    with MessagesServer([Reply(content=[THINKING], text=OK, output_tokens=7)]) as server:
        answer = client_of(server).send(ask(effort="low"))
    (request,) = server.requests
    assert answer.text == OK
    assert (answer.usage.requests, answer.usage.output_tokens) == (1, 7)
    assert answer.usage.cache_write_tokens + answer.usage.input_tokens == server.meter.input_tokens(request.body)
    assert request.streams
    assert request.key == KEY
    assert request.body["system"] == [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}]
    assert request.body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}, "effort": "low"}
    assert set(request.body) == {"model", "max_tokens", "system", "messages", "stream", "output_config"}


@pytest.mark.parametrize("fault", TRANSIENT, ids=repr)
def test_what_may_pass_is_tried_again(client_of, fault):
    with MessagesServer([fault, OK]) as server:
        answer = client_of(server).send(ask())
    assert (answer.text, answer.usage.requests, len(server.requests)) == (OK, 2, 2)


@pytest.mark.parametrize("fault", TRANSIENT, ids=repr)
def test_attempts_are_bounded(client_of, fault):
    with MessagesServer([fault] * 3) as server:
        error = fails(client_of(server, attempts=3))
    assert (error.fault, len(server.requests), error.usage.requests) == (Fault.UNAVAILABLE, 3, 3)
    assert error.message.endswith("after 3 attempts")


def test_a_broken_answer_is_paid_for(client_of):
    with MessagesServer([Cut(text="x" * 1000), OK]) as server:
        usage = client_of(server).send(ask()).usage
    assert usage.output_tokens >= 250
    sent = 2 * server.meter.input_tokens(server.requests[0].body)
    assert usage.input_tokens + usage.cache_write_tokens + usage.cache_read_tokens == sent


@pytest.mark.parametrize("text", [None, "{"])
def test_silence_is_bounded_and_tried_again(client_of, text):
    with MessagesServer([Silence(text=text), OK]) as server:
        assert client_of(server, silence_s=0.2).send(ask()).text == OK


@pytest.mark.parametrize("code", [429, 529, 503])
@pytest.mark.parametrize(("asked", "limits"), [("3600", {}), ("50", {"seconds": 20.0}), ("9", {"longest_wait_s": 8.0})])
def test_a_wait_that_is_too_long_is_not_begun(client_of, code, asked, limits):
    with MessagesServer([Status(code=code, retry_after=asked)]) as server:
        error = fails(client_of(server, **limits))
    assert error.fault in (Fault.UNAVAILABLE, Fault.LATER)
    assert f"status {code}" in error.message
    assert f"{int(asked):,} s" in error.message
    assert error.outage is not None
    assert error.outage.quota == (code == 429)
    assert error.outage.wait_s is not None
    assert int(asked) <= error.outage.wait_s < int(asked) + 1


def test_a_short_wait_is_kept(client_of):
    with MessagesServer([Status(code=429, retry_after="0.3"), OK]) as server:
        client_of(server).send(ask())
    first, second = server.requests
    assert second.at - first.at >= 0.3


@pytest.mark.parametrize(
    ("status", "fault", "word"),
    [
        (Status(code=401, message=f"invalid x-api-key {KEY}"), Fault.CREDENTIALS, "ANTHROPIC_API_KEY"),
        (Status(code=402), Fault.SPENT, "credit"),
        (Status(code=429, error_code="enforced_spend_limit_reached"), Fault.SPENT, "limit"),
        (Status(code=400, message="Your credit balance is too low"), Fault.SPENT, "credit"),
        (Status(code=403, message=f"no, {KEY}\nno"), Fault.FORBIDDEN, "claude.model"),
        (Status(code=404, message="model: claude-sonnet-5-5"), Fault.NO_MODEL, "claude.model"),
        (Status(code=404, message="The Model `other` does not exist"), Fault.NO_MODEL, "claude.model"),
        (Status(code=400, message="prompt is too long: 9 tokens > 8 maximum"), Fault.TOO_LONG, "task_tokens"),
        (Status(code=413), Fault.TOO_LONG, "task_tokens"),
        (Status(code=400, message=f"bad {KEY}"), Fault.BAD_REQUEST, "Messages API"),
        (Status(code=422), Fault.BAD_REQUEST, "Messages API"),
        (Status(code=400, message="Output blocked by content filtering policy"), Fault.REFUSED, "None"),
        (Status(code=403, message="Usage policy violation"), Fault.REFUSED, "None"),
    ],
    ids=repr,
)
def test_what_will_not_pass_is_not_tried_again(client_of, status, fault, word):
    with MessagesServer([status]) as server:
        error = fails(client_of(server))
    assert (error.fault, len(server.requests)) == (fault, 1)
    assert word in str(error.hint)
    known = {Fault.CREDENTIALS: Outage(), Fault.SPENT: Outage(quota=True)}
    assert error.outage == known.get(fault)


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (Reply(text='{"o', stop_reason="max_tokens"), Fault.CUT_OFF),
        (Reply(stop_reason="refusal"), Fault.REFUSED),
        (Reply(text="{", stop_reason="model_context_window_exceeded"), Fault.TOO_LONG),
        (Reply(text="{", stop_reason="tool_use"), Fault.GARBAGE),
        (Reply(text="{", stop_reason="something_new"), Fault.GARBAGE),
        (Reply(), Fault.GARBAGE),
        (Reply(text=" \n"), Fault.GARBAGE),
        (Reply(content=[THINKING]), Fault.GARBAGE),
        (Reply(text="x" * 4_000_001), Fault.GARBAGE),
    ],
    ids=lambda value: str(value)[:60],
)
def test_an_answer_that_is_none_is_named_and_paid_for(client_of, reply, fault):
    with MessagesServer([reply], enforce_schema=False) as server:
        error = fails(client_of(server))
    assert (error.fault, error.usage.requests, len(server.requests)) == (fault, 1, 1)


def test_a_paused_turn_is_continued_once(client_of):
    paused = Reply(text='{"ok": ', stop_reason="pause_turn")
    with MessagesServer([paused, "true}"], enforce_schema=False) as server:
        assert client_of(server).send(ask()).text == '{"ok":true}'
    assert server.requests[1].body["messages"][1] == {"role": "assistant", "content": '{"ok":'}
    with MessagesServer([paused, paused]) as server:
        assert fails(client_of(server)).fault is Fault.GARBAGE


@pytest.mark.parametrize("name", ["output_config", "effort", "cache_control"])
def test_a_server_of_the_basics_is_asked_without_extras(client_of, name):
    with MessagesServer(default=OK, rejects=[name], repeat_words=False) as server:
        client = client_of(server)
        assert client.send(ask(effort="low")).text == OK
        assert client.send(ask(effort="low")).text == OK
    assert len(server.requests) == 3
    last = server.requests[-1]
    assert ("JSON Schema" in last.user) == (name == "output_config")


def test_lone_surrogates_are_handed_on(client_of):
    with MessagesServer(["\ud800"], enforce_schema=False) as server:
        assert client_of(server).send(ask()).text == "\ud800"


@pytest.mark.parametrize("silence", [Silence(), Silence(text="{")], ids=repr)
def test_the_deadline_ends_a_request(client_of, silence):
    with MessagesServer([silence]) as server:
        client = client_of(server, seconds=0.5)
        error = fails(client)
        assert error.fault is Fault.DEADLINE
        assert fails(client).fault is Fault.DEADLINE
    assert len(server.requests) <= 1


@pytest.mark.parametrize("step", [Silence(), Silence(text="{"), Status(code=529, retry_after="300")], ids=repr)
def test_cancelling_ends_a_request_and_every_later_one(client_of, step):
    arrived = threading.Event()

    def answer(request):
        arrived.set()
        return step

    ended = []
    with MessagesServer([answer]) as server:
        client = client_of(server, seconds=600.0, silence_s=600.0, longest_wait_s=600.0)
        sending = threading.Thread(target=lambda: ended.append(fails(client).fault), daemon=True)
        sending.start()
        arrived.wait()
        client.cancel()
        sending.join(15.0)  # far more than it takes, far less than all that would end it otherwise
        assert ended == [Fault.CANCELLED]
        assert fails(client).fault is Fault.CANCELLED
    assert len(server.requests) == 1


def test_a_server_of_ones_own_needs_no_key(client_of, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with MessagesServer([OK]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url)
        assert client_of(server, base_url=None).send(ask()).text == OK


@pytest.mark.parametrize(("provider", "package"), [("bedrock", "botocore"), ("vertex", "google.auth")])
def test_a_missing_extra_is_named(monkeypatch, provider, package):
    monkeypatch.setitem(sys.modules, package, None)
    client = SdkClient(ClientSettings(deadline=time.monotonic() + 30, provider=provider))
    error = fails(client)
    assert (error.fault, error.hint) == (
        Fault.CREDENTIALS,
        f"in the checkout of selfreview: pip install '.[{provider}]'",
    )


def test_importing_the_client_does_not_import_the_sdk():
    imported = "selfreview.llm.transport.client, selfreview.llm.transport.budget"
    code = f"import sys, {imported}; print({{'anthropic', 'httpx2'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
