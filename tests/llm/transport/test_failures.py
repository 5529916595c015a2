"""How long is waited."""

from __future__ import annotations

import pytest

from selfreview.llm.transport.failures import pause, retry_after


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "2", "retry-after-ms": "150"}, 0.15),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0.0),
    ],
)
def test_a_server_may_ask_for_a_wait(headers, expected):
    assert retry_after(headers, now=10.0) == expected


def test_waits_double_up_to_a_bound_and_differ():
    assert all(0.375 <= pause(1, None, 0.5) <= 0.5 for _ in range(100))
    assert all(1.5 <= pause(3, None, 0.5) <= 2.0 for _ in range(100))
    assert all(pause(60, None, 0.5) <= 8.0 for _ in range(100))
    assert len({pause(1, None, 0.5) for _ in range(20)}) > 1


def test_what_a_server_asks_for_is_never_undercut():
    assert all(30.0 <= pause(1, 30.0, 0.5) <= 30.5 for _ in range(100))
