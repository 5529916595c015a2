"""What the keys of the life after the push refuse."""

from __future__ import annotations

import pytest

from selfreview.api import Key
from selfreview.config.feedback import FEEDBACK_KEYS
from selfreview.config.notify import NOTIFY_KEYS

KEYS: dict[str, Key] = {key.name: key for key in (*FEEDBACK_KEYS, *NOTIFY_KEYS)}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("feedback.database_url", "", None),
        ("feedback.database_url", "postgresql://me@host/name", None),
        ("feedback.database_url", "sqlite:///x", "Postgres"),
        ("feedback.database_url", "postgresql://me:secret@host/name", "password"),
        ("feedback.database_url", "postgresql://me@host/name?password=secret", "password"),
        ("feedback.worker", "build-1.a", None),
        ("feedback.worker", "build 1", "letters"),
        ("notification_channels", ["slack", "email"], None),
        ("notification_channels", ["slack", "slack"], "once"),
        ("notification_channels", [" "], "once"),
    ],
)
def test_what_is_refused(name: str, value: object, says: str | None) -> None:
    check = KEYS[name].check
    assert check is not None
    answer = check(value)
    assert answer is None if says is None else says in str(answer)
