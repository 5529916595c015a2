"""A fake Messages API on a loopback port, to test model clients without a model.

It speaks HTTP, streaming or not, so that a real client is driven against it and nothing has to be patched::

    from selfreview.testing.messages import MessagesServer, Status

    def test_my_reviewer():
        with MessagesServer([Status(code=529), '{"issues": [], "summary": "Right.", "verdict": "pass"}']) as server:
            review_with(base_url=server.base_url)
        assert len(server.requests) == 2
        assert "secret" not in server.requests[0].user

An answer to a prompt that begins and ends with a random word is given both, as somebody who read it would repeat them.

A script's steps are answers (a string, or :class:`Reply`), faults (:class:`Status`, :class:`ErrorEvent`, :class:`Cut`,
:class:`Reset`, :class:`Silence`, :class:`Raw`), or functions that make either from the :class:`RecordedRequest`.
"""

from __future__ import annotations

from selfreview.testing.messages.script import (
    Answer,
    Cut,
    ErrorEvent,
    Raw,
    RecordedRequest,
    Reply,
    Reset,
    Script,
    Silence,
    Status,
)
from selfreview.testing.messages.server import MessagesServer

__all__ = [
    "Answer",
    "Cut",
    "ErrorEvent",
    "MessagesServer",
    "Raw",
    "RecordedRequest",
    "Reply",
    "Reset",
    "Script",
    "Silence",
    "Status",
]
