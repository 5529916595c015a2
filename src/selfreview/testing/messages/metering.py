"""Token usage of requests, and of the prompt cache."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from selfreview.testing.messages.recorded import RecordedRequest, text_of
from selfreview.testing.messages.script import Reply
from selfreview.testing.messages.wire import encode


def count(text: str) -> int:
    """Return the number of tokens that this server counts: one for every four bytes begun."""
    return -(-len(text.encode("utf-8", "replace")) // 4)


class Meter:
    """Charges requests; remembers which prefixes were marked to be cached."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: set[tuple[str, str]] = set()

    def input_tokens(self, body: Mapping[str, Any]) -> int:
        """Return the answer of ``count_tokens`` to a body."""
        return sum(count(text) for text, _ in _parts(body))

    def charge(self, request: RecordedRequest, reply: Reply) -> dict[str, Any]:
        """Return the ``usage`` of an answer; a prefix is written to the cache once and read afterwards."""
        prefix, cached, rest = "", 0, 0
        read = written = 0
        with self._lock:
            for text, marked in _parts(request.body):
                prefix += text
                rest += count(text)
                if marked:
                    known = (str(request.body.get("model")), prefix)
                    if known in self._known:
                        read, cached = read + rest, cached + rest
                    else:
                        self._known.add(known)
                        written, cached = written + rest, cached + rest
                    rest = 0
        output = reply.output_tokens
        return {
            "input_tokens": rest,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "output_tokens": sum(count(str(block)) for block in reply.blocks) if output is None else output,
        }


def _parts(body: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a request in the order of the cache, and whether each ends a cached prefix."""
    for tool in body.get("tools") or ():
        yield encode(tool).decode("ascii"), "cache_control" in tool
    yield from _blocks(body.get("system"))
    for message in body.get("messages") or ():
        yield from _blocks(message.get("content"))


def _blocks(content: object) -> Iterator[tuple[str, bool]]:
    if isinstance(content, list):
        for block in content:
            yield text_of([block]) or encode(block).decode("ascii"), "cache_control" in block
    elif content:
        yield text_of(content), False
