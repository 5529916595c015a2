"""Declaring keys."""

from __future__ import annotations

from typing import Any

import pytest

from selfreview.api import Key
from selfreview.config.keys import CORE_KEYS, FEEDBACK_KEYS, NOTIFY_KEYS, KeyRegistry
from selfreview.errors import PluginError


def key(name: str, **changes: Any) -> Key:
    return Key(**{"name": name, "kind": "int", "default": 1, "help": "x", **changes})


def test_keys_keep_the_order_of_declaration() -> None:
    registry = KeyRegistry([key("b"), key("a.x"), key("a.b")])
    assert [item.name for item in registry] == ["b", "a.x", "a.b"]
    assert len(registry) == 3
    assert registry.get("a.x") is not None
    assert registry.get("a") is None
    assert registry.has_below("a")
    assert not registry.has_below("b")
    assert not registry.has_below("a.x")


@pytest.mark.parametrize("name", ["a", "a.b.c", "a.b", "jobs", "command.eslint"])
def test_a_name_that_is_taken_or_is_a_table_and_a_value_at_once(name: str) -> None:
    registry = KeyRegistry([*CORE_KEYS, key("a.b")])
    with pytest.raises(PluginError, match="is declared twice, or collides with"):
        registry.add_key(key(name))


@pytest.mark.parametrize("name", ["ab", "a.bc", "job", "commands.x"])
def test_a_name_that_only_begins_alike_is_free(name: str) -> None:
    KeyRegistry([*CORE_KEYS, key("a.b")]).add_key(key(name))


@pytest.mark.parametrize("name", ["", ".", "a.", ".a", "a b", "a..b", "é"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(PluginError, match="is not made of names joined by dots"):
        KeyRegistry().add_key(key(name))


def test_a_kind_that_does_not_exist() -> None:
    with pytest.raises(PluginError, match="unknown kind 'number'") as caught:
        KeyRegistry().add_key(key("a", kind="number"))
    assert caught.value.hint == "there are str, int, float, bool, list, table, str_or_list, str_or_table"


@pytest.mark.parametrize(("kind", "default"), [("str", 3), ("int", True), ("list", "a"), ("table", [])])
def test_a_default_of_another_kind(kind: str, default: object) -> None:
    with pytest.raises(PluginError, match=f"key 'a' is a {kind} whose default is"):
        KeyRegistry().add_key(key("a", kind=kind, default=default))


@pytest.mark.parametrize(("kind", "default"), [("str", None), ("float", 1), ("list", ()), ("table", {})])
def test_a_default_of_its_kind_or_none(kind: str, default: object) -> None:
    KeyRegistry().add_key(key("a", kind=kind, default=default))


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
