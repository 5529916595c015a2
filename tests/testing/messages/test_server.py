"""The server, driven by the SDK that its users have."""

from __future__ import annotations

from collections.abc import Iterator

import anthropic
import httpx2
import pytest

from selfreview.testing.messages import Cut, ErrorEvent, MessagesServer, Raw, Reply, Reset, Silence, Status

SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


class Asking:
    """The SDK, pointed at a server."""

    def __init__(self, server: MessagesServer) -> None:
        self.sdk = anthropic.Anthropic(api_key="k1", base_url=server.base_url, max_retries=0, timeout=5)

    def create(self, **more):
        return self.sdk.messages.create(**{**_ask(), **more})

    def stream(self, **more):
        with self.sdk.messages.stream(**{**_ask(), **more}) as stream:
            return stream.get_final_message()


def _ask():
    return {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [{"role": "user", "content": "hello"}]}


@pytest.fixture
def asking() -> Iterator:
    opened = []

    def make(server: MessagesServer) -> Asking:
        opened.append(Asking(server))
        return opened[-1]

    yield make
    for one in opened:
        one.sdk.close()


@pytest.mark.parametrize("way", ["create", "stream"])
def test_text_thinking_and_tool_use_arrive_whole(asking, way):
    content = [
        {"type": "thinking", "thinking": "hm " * 500, "signature": "s"},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"path": "a" * 900, "n": [1, 2]}},
    ]
    text = "é\ud800" * 500
    with MessagesServer([Reply(content=content, text=text, stop_reason="tool_use")]) as server:
        message = getattr(asking(server), way)()
    thinking, tool, last = message.content
    assert (thinking.thinking, thinking.signature) == ("hm " * 500, "s")
    assert tool.input == {"path": "a" * 900, "n": [1, 2]}
    assert last.text == text
    assert message.stop_reason == "tool_use"


@pytest.mark.parametrize("way", ["create", "stream"])
@pytest.mark.parametrize("reason", ["max_tokens", "pause_turn", "refusal", "model_context_window_exceeded"])
def test_every_stop_reason_and_no_content(asking, way, reason):
    with MessagesServer([Reply(stop_reason=reason)]) as server:
        message = getattr(asking(server), way)()
    assert (message.stop_reason, message.content) == (reason, [])


def test_a_request_is_recorded_with_its_credential(asking):
    with MessagesServer(["hi"]) as server:
        asking(server).stream(system="be brief")
        (request,) = server.requests
    assert (request.key, request.system, request.user) == ("k1", "be brief", "hello")
    assert httpx2.URL(server.base_url).host == "127.0.0.1"


@pytest.mark.parametrize("header", [{"authorization": "Bearer k9"}, {"x-api-key": "k9"}])
def test_either_header_holds_the_credential(header):
    with MessagesServer(["hi"], api_key="k9") as server:
        response = httpx2.post(f"{server.base_url}/v1/messages", json=_ask(), headers=header)
        refused = httpx2.post(f"{server.base_url}/v1/messages", json=_ask())
    assert (response.status_code, refused.status_code) == (200, 401)


def test_the_cache_is_written_once_and_read_afterwards(asking):
    system = [{"type": "text", "text": "x" * 4000, "cache_control": {"type": "ephemeral"}}]
    with MessagesServer(default="hi") as server:
        first, second = (asking(server).stream(system=system).usage for _ in range(2))
    assert (first.cache_creation_input_tokens, first.cache_read_input_tokens) == (1000, 0)
    assert (second.cache_creation_input_tokens, second.cache_read_input_tokens) == (0, 1000)


def test_tokens_are_counted(asking):
    with MessagesServer() as server:
        ask = {key: value for key, value in _ask().items() if key != "max_tokens"}
        assert asking(server).sdk.messages.count_tokens(**ask, system="x" * 40).input_tokens == 12
        assert (len(server.counted), len(server.requests)) == (1, 0)


def _format(schema):
    return {"format": {"type": "json_schema", "schema": schema}}


def test_an_answer_that_the_schema_forbids_fails_the_test(asking):
    def use() -> None:
        with MessagesServer(['{"ok": 1}']) as server, pytest.raises(anthropic.BadRequestError):
            asking(server).stream(output_config=_format(SCHEMA))

    with pytest.raises(AssertionError, match=r"\$\.ok: int is not boolean"):
        use()


def test_a_server_may_ignore_or_reject_structured_output(asking):
    with MessagesServer(["no json"], enforce_schema=False) as server:
        assert asking(server).stream(output_config=_format(SCHEMA)).content[0].text == "no json"
    with (
        MessagesServer(rejects=["output_config"]) as server,
        pytest.raises(anthropic.BadRequestError, match="output_config"),
    ):
        asking(server).stream(output_config=_format(SCHEMA))


@pytest.mark.parametrize("broken", [{"type": "object"}, {**SCHEMA, "minProperties": 1}])
def test_a_schema_that_the_service_refuses_is_refused(asking, broken):
    with MessagesServer() as server, pytest.raises(anthropic.BadRequestError, match=r"output_config\.format\.schema"):
        asking(server).stream(output_config=_format(broken))


def test_an_unscripted_request_fails_the_test(asking):
    def use() -> None:
        with MessagesServer() as server, pytest.raises(anthropic.BadRequestError):
            asking(server).stream()

    with pytest.raises(AssertionError, match="nothing is scripted"):
        use()


def test_a_status_has_its_headers_and_code(asking):
    step = Status(code=429, retry_after="7", error_code="enforced_spend_limit_reached")
    with MessagesServer([step]) as server, pytest.raises(anthropic.RateLimitError) as caught:
        asking(server).create()
    assert caught.value.response.headers["retry-after"] == "7"
    assert caught.value.error_code == "enforced_spend_limit_reached"


def test_an_error_event_comes_inside_a_stream_that_began_well(asking):
    with MessagesServer([ErrorEvent(), ErrorEvent()]) as server:
        with pytest.raises(anthropic.APIStatusError) as caught:
            asking(server).stream()
        with pytest.raises(anthropic.OverloadedError):
            asking(server).create()
    assert (caught.value.status_code, caught.value.type) == (200, "overloaded_error")


def test_a_clean_cut_looks_complete_and_is_not(asking):
    with MessagesServer([Cut(text="half")]) as server:
        message = asking(server).stream()
    assert (message.content[0].text, message.stop_reason) == ("half", None)


@pytest.mark.parametrize("fault", [Cut(clean=False), Reset(), Reset(text="{")])
@pytest.mark.parametrize("way", ["create", "stream"])
def test_a_broken_connection_is_an_error(asking, fault, way):
    with MessagesServer([fault]) as server, pytest.raises((anthropic.APIConnectionError, httpx2.TransportError)):
        getattr(asking(server), way)()


@pytest.mark.parametrize("text", [None, "{"])
def test_silence_lasts_until_the_client_gives_up(asking, text):
    with (
        MessagesServer([Silence(text=text)]) as server,
        pytest.raises((anthropic.APITimeoutError, httpx2.TimeoutException)),
    ):
        asking(server).stream(timeout=0.2)


def test_closing_ends_silence():
    server = MessagesServer([Silence(text="{")])
    with server, httpx2.Client() as client:
        request = client.build_request("POST", f"{server.base_url}/v1/messages", json={**_ask(), "stream": True})
        response = client.send(request, stream=True)
    response.close()


def test_bytes_that_are_no_text_arrive_as_they_are(asking):
    with MessagesServer([Raw(body=b"\xff\xfe{")]) as server:
        response = httpx2.post(f"{server.base_url}/v1/messages", json=_ask())
    assert response.content == b"\xff\xfe{"


def test_an_answer_is_made_from_the_request(asking):
    with MessagesServer(default=lambda request: request.user.upper()) as server:
        assert asking(server).stream().content[0].text == "HELLO"
