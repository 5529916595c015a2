"""A scripted model behind the protocols that coding agents speak: Messages, Responses and generateContent, as streams.

The path of a request says which protocol it is, so one server serves every agent. Requests that offer no tools are an
agent's own errands, such as a title for the session: they take no step of the script.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple, Self

from selfreview.testing.words import with_words

INPUT_TOKENS, OUTPUT_TOKENS = 1200, 34
"""What every answer is charged."""


_ERRAND = json.dumps({"complexity_reasoning": "simple", "complexity_score": 1})
"""Answers Gemini when it chooses a model, and names a session as well as anything."""

_ANSWER = "StructuredOutput"
_ANSWERS_A_CALL = {"tool_result", "function_call_output", "custom_tool_call_output", "functionResponse"}


class Use(NamedTuple):
    """A call of a tool of the agent's."""

    tool: str
    arguments: Mapping[str, Any] | str


class Refusal(NamedTuple):
    """An error of HTTP."""

    status: int
    message: str


class Request(NamedTuple):
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All that was said so far, results of tools included, as it stands in the document."""
        return json.dumps([self.body.get(key) for key in ("messages", "input", "contents")], ensure_ascii=False)

    @property
    def results(self) -> list[str]:
        """What the tools answered so far, each as JSON."""
        parts = [part for turn in self.body.get("messages") or () for part in _list(turn.get("content"))]
        parts += [part for turn in self.body.get("contents") or () for part in _list(turn.get("parts"))]
        answers = [
            part for part in (*parts, *_list(self.body.get("input"))) if _ANSWERS_A_CALL & {part.get("type"), *part}
        ]
        return [json.dumps(answer, ensure_ascii=False) for answer in answers]

    @property
    def tools(self) -> set[str]:
        """Names of the tools that the model is offered."""
        more = [tool for item in _list(self.body.get("input")) for tool in item.get("tools") or ()]
        return set(_tool_names([*(self.body.get("tools") or ()), *more]))


Step = str | Use | Refusal | Callable[[Request], "str | Use | Refusal"]


class ModelServer:
    """Answers one request after another on a loopback port, on threads of this process.

    Args:
        steps: What the model says, in order; the last one again and again.

    Attributes:
        requests: Every request that offered tools.
        errands: Those that offered none.
        others: Method and path of all that was no request to a model, or the host that it was to be a proxy to.
    """

    def __init__(self, *steps: Step) -> None:
        self.requests: list[Request] = []
        self.errands: list[Request] = []
        self.others: list[str] = []
        self._steps = steps
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def step(self, request: Request) -> str | Use | Refusal:
        """Record a request, and say what answers it."""
        with self._lock:
            step = self._steps[min(len(self.requests), len(self._steps) - 1)]
            if request.tools:
                self.requests.append(request)
            else:
                self.errands.append(request)
                step = step if isinstance(step, Refusal) else _ERRAND
        answer = step(request) if callable(step) else step
        if not isinstance(answer, str):
            return answer
        text = with_words(answer, _prompt(request.body))
        # Claude Code gives the model a tool for an answer that has to match a schema.
        return Use(_ANSWER, json.loads(text)) if _ANSWER in request.tools and text.startswith("{") else text


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _tool_names(tools: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for tool in tools:
        inner = tool.get("functionDeclarations") or tool.get("tools")
        if inner:
            yield from _tool_names(inner)
        else:
            yield str(tool.get("name") or tool.get("type"))


def _prompt(value: Any) -> str:
    """Return all text of a document."""
    if isinstance(value, dict):
        return "\n".join(map(_prompt, value.values()))
    if isinstance(value, list):
        return "\n".join(map(_prompt, value))
    return value if isinstance(value, str) else ""


class _Handler(BaseHTTPRequestHandler):
    owner: ClassVar[ModelServer]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.owner.others.append(f"{self.command} {self.path}")
        status = 426 if "upgrade" in self.headers else 404  # no WebSocket here
        self._send(status, "application/json", b'{"error": {"message": "not found"}}')

    do_HEAD = do_GET  # noqa: N815 - the base class names it so
    do_CONNECT = do_GET  # noqa: N815 - the base class names it so

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            value = json.loads(body)
        except ValueError:
            value = None
        path = self.path.partition("?")[0]
        speaks = next((speaks for end, speaks in _PROTOCOLS.items() if path.endswith(end)), None)
        if speaks is None or not isinstance(value, dict):
            self.owner.others.append(f"POST {self.path}")
            return self._send(404, "application/json", b'{"error": {"message": "not found"}}')
        answer = self.owner.step(Request(path, {k.lower(): v for k, v in self.headers.items()}, value))
        if isinstance(answer, Refusal):
            error = {"type": "error", "message": answer.message, "code": answer.status, "status": "REFUSED"}
            return self._send(answer.status, "application/json", json.dumps({"type": "error", "error": error}).encode())
        events = b"".join(speaks(answer, value))
        streams = path.endswith(":streamGenerateContent") or value.get("stream")
        if not streams and path.endswith(":generateContent"):
            return self._send(200, "application/json", events.removeprefix(b"data: "))
        return self._send(200, "text/event-stream", events)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing."""

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("retry-after-ms", "10")  # a program that tries again need not be waited for
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _messages(step: str | Use, body: Mapping[str, Any]) -> Iterator[bytes]:
    usage = {"input_tokens": INPUT_TOKENS, "output_tokens": 1, "cache_read_input_tokens": 0,
             "cache_creation_input_tokens": 0}  # fmt: skip
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip
    if isinstance(step, Use):
        start = {"type": "tool_use", "id": f"toolu_{len(str(body))}", "name": step.tool, "input": {}}
        delta, reason = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}, "tool_use"
    else:
        start, reason = {"type": "text", "text": ""}, "end_turn"
        delta = {"type": "text_delta", "text": step}
    yield _event("message_start", message=message)
    yield _event("content_block_start", index=0, content_block=start)
    yield _event("content_block_delta", index=0, delta=delta)
    yield _event("content_block_stop", index=0)
    yield _event("message_delta", delta={"stop_reason": reason, "stop_sequence": None},
                 usage={"output_tokens": OUTPUT_TOKENS})  # fmt: skip
    yield _event("message_stop")


def _responses(step: str | Use, body: Mapping[str, Any]) -> Iterator[bytes]:
    call = f"call_{len(str(body))}"
    if isinstance(step, str):
        item = {"type": "message", "role": "assistant", "id": "msg_1",
                "content": [{"type": "output_text", "text": step, "annotations": []}]}  # fmt: skip
    elif isinstance(step.arguments, str):
        item = {"type": "custom_tool_call", "call_id": call, "name": step.tool, "input": step.arguments}
    else:
        item = {"type": "function_call", "call_id": call, "name": step.tool, "arguments": json.dumps(step.arguments)}
    usage = {"input_tokens": INPUT_TOKENS, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": OUTPUT_TOKENS,
             "output_tokens_details": {"reasoning_tokens": 0},
             "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS}  # fmt: skip
    yield _event("response.created", response={"id": "resp_1"})
    yield _event("response.output_item.done", output_index=0, item=item)
    yield _event("response.completed", response={"id": "resp_1", "output": [item], "usage": usage})


def _generate(step: str | Use, body: Mapping[str, Any]) -> Iterator[bytes]:
    part = {"text": step} if isinstance(step, str) else {"functionCall": {"name": step.tool, "args": step.arguments}}
    usage = {"promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": OUTPUT_TOKENS,
             "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS}  # fmt: skip
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    yield f"data: {json.dumps({'candidates': [candidate], 'usageMetadata': usage})}\n\n".encode()


_PROTOCOLS: Mapping[str, Callable[[str | Use, Mapping[str, Any]], Iterable[bytes]]] = {
    "/messages": _messages,
    "/responses": _responses,
    ":streamGenerateContent": _generate,
    ":generateContent": _generate,
}
