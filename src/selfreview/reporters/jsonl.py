"""``jsonl``: one JSON object a line. Types: ``scope``, ``reviewer``, ``issue``, ``iteration``, and last ``result``.

The ``result`` line is the document of the ``json`` format without ``issues`` and ``iterations``. An ``iteration`` line
is one of those, with its ``number``, and its ``review`` in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from selfreview.api import Registry, Result, ReviewContext, hookimpl
from selfreview.api.reporter import Reporter as ReporterProtocol
from selfreview.model import wire
from selfreview.text.escape import json_safe


def _line(kind: str, value: Any) -> bytes:
    # Every object has keys, so the type can be put in front of the encoded ones.
    return b'{"type":"%s",%s\n' % (kind.encode("ascii"), json_safe(wire.to_json(value))[1:])


def _lines(result: Result) -> Iterator[bytes]:
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


class Reporter:
    """The ``jsonl`` format."""

    name = "jsonl"

    def write(  # the Protocol gives more than this format needs
        self,
        result: Result,
        out: BinaryIO,
        *,
        context: ReviewContext | None,  # noqa: ARG002
        color: bool,  # noqa: ARG002
        width: int,  # noqa: ARG002
    ) -> None:
        """Write the lines; see :class:`selfreview.api.Reporter`."""
        out.writelines(_lines(result))


@hookimpl
def selfreview_register_reporters(registry: Registry[ReporterProtocol]) -> None:
    """Register the ``jsonl`` format."""
    registry.add(Reporter())
