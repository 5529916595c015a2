"""A result as one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from selfreview.api import Result
from selfreview.model import wire
from selfreview.text.escape import json_safe


def lines(result: Result) -> Iterator[bytes]:
    """Yield the lines: what took part, what was found, and last the result without its lists."""
    if result.scope is not None:
        yield _line("scope", result.scope)
    for report in result.reviewers:
        yield _line("reviewer", report)
    for issue in result.issues:
        yield _line("issue", issue)
    for number, iteration in enumerate(result.iterations, start=1):
        yield _line("iteration", {"number": number, **msgspec.to_builtins(iteration)})
    rest = msgspec.to_builtins(msgspec.structs.replace(result, issues=[], iterations=[]))
    del rest["issues"], rest["iterations"]
    yield _line("result", rest)


def _line(kind: str, value: Any) -> bytes:
    # Every object has keys, so the type can be put in front of the encoded ones.
    return b'{"type":"%s",%s\n' % (kind.encode("ascii"), json_safe(wire.to_json(value))[1:])
