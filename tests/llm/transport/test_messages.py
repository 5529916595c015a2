"""Conversations through the client: content blocks come back as they were sent, and are kept in the cache."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from selfreview.llm.transport.client import ClientSettings, SdkClient
from selfreview.llm.transport.messages import ModelMessage, Turn
from selfreview.llm.transport.request import Fault, ModelError
from selfreview.testing.messages import Cut, MessagesServer, Raw, Reply, Status

CALL = {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a.py"}}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "signed"}
HIDDEN = {"type": "redacted_thinking", "data": "opaque"}
TOOL = {"name": "read_file", "description": "Read.", "input_schema": {"type": "object"}}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-0123456789")


@pytest.fixture
def closing() -> Iterator[list[SdkClient]]:
    made: list[SdkClient] = []
    yield made
    for client in made:
        client.close()


def say(server: MessagesServer, closing: list[SdkClient], *texts: str) -> ModelMessage:
    client = SdkClient(ClientSettings(deadline=time.monotonic() + 30, base_url=server.base_url, first_wait_s=0.001))
    closing.append(client)
    messages = []
    for text in texts or ("go",):
        messages += [{"role": "user", "content": [{"type": "text", "text": text}]}]
        messages += [{"role": "assistant", "content": [{"type": "text", "text": "yes"}]}]
    turn = Turn(system="rules", tools=[TOOL], messages=messages[:-1], model="claude-sonnet-5-5", max_tokens=64)
    return client.converse(turn)


def test_blocks_come_back_as_the_model_wrote_them(closing):
    content = [THINKING, HIDDEN, {"type": "text", "text": "x" * 900}, CALL]
    with MessagesServer([Reply(content=content, stop_reason="tool_use", output_tokens=7)]) as server:
        message = say(server, closing)
    assert [dict(block) for block in message.content] == content
    assert (message.stop_reason, message.broken, message.usage.output_tokens) == ("tool_use", frozenset(), 7)
    assert (message.text, message.calls) == ("x" * 900, [CALL])


def test_what_was_said_is_kept_in_the_cache_up_to_the_last_two_messages_of_ours(closing):
    with MessagesServer(["ok"]) as server:
        say(server, closing, "one", "two", "three")
    body = server.requests[0].body
    marked = [m["content"][-1]["text"] for m in body["messages"] if "cache_control" in m["content"][-1]]
    assert marked == ["two", "three"]
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["tools"] == [TOOL]


def test_a_server_that_knows_no_cache_is_asked_without(closing):
    with MessagesServer(["ok"], rejects=["cache_control"]) as server:
        assert say(server, closing).text == "ok"
    assert server.requests[-1].body["system"] == "rules"


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "refusal", "pause_turn", "something_new"])
def test_whatever_ends_a_message_it_is_returned(closing, reason):
    with MessagesServer([Reply(text="so", stop_reason=reason)]) as server:
        message = say(server, closing)
    assert (message.text, message.stop_reason) == ("so", reason)


@pytest.mark.parametrize("fault", [Cut(), Status(code=529), Raw(body=b"")], ids=repr)
def test_what_may_pass_is_tried_again_and_paid_for(closing, fault):
    with MessagesServer([fault, "ok"]) as server:
        assert say(server, closing).usage.requests == 2


def test_a_conversation_that_is_too_long_is_an_error(closing):
    with (
        MessagesServer([Reply(text="so", stop_reason="model_context_window_exceeded")]) as server,
        pytest.raises(ModelError) as caught,
    ):
        say(server, closing)
    assert (caught.value.fault, caught.value.usage.requests) == (Fault.TOO_LONG, 1)


@pytest.mark.parametrize("said", ['{"path": ', "[1]", '"x"'])
def test_an_input_that_is_no_object_is_told_apart(closing, said):
    events = [
        ("message_start", {"message": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
                                       "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1}}}),
        ("content_block_start", {"index": 0, "content_block": {**CALL, "input": {}}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": said}}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}}),
        ("message_stop", {}),
    ]  # fmt: skip
    from selfreview.testing.messages.wire import event

    stream = b"".join(event(kind, **fields) for kind, fields in events)
    with MessagesServer([Raw(body=stream)]) as server:
        message = say(server, closing)
    assert message.broken == {"t1"}
    assert message.calls[0]["input"] == {}
