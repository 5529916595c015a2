"""Answers of forges, connections and channels that come from plugins, and methods of connections."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from selfreview.api import Location, Person, Registry, UnsureError
from selfreview.api.registry import _PROTOCOLS, _TYPES, _kind
from selfreview.errors import RegistrationError

HERE = Location("git.example.com", "octo/app")


class Channel:
    name = "mine"
    leaves_mark = needs_request = False

    def unavailable(self, config: Any, environ: Any) -> Any:
        return None

    def send(self, notice: Any, context: Any) -> Any:
        return notice

    def secrets(self, environ: Any, config: Any) -> Any:
        return {None}


class Desk:
    location = HERE

    def __init__(self, **methods: Callable[..., Any]) -> None:
        vars(self).update(methods)

    def whoami(self) -> Any:
        return Person(login="ana")

    def close(self) -> Any:
        return True


class DeskForge:
    name = "desk"

    def __init__(self, connection: object) -> None:
        self.connection = connection

    def locate(self, url: Any, config: Any) -> Any:
        return url

    def connect(self, location: Any, config: Any, environ: Any) -> Any:
        return self.connection

    def secrets(self, environ: Any, config: Any) -> Any:
        return ()


def channel() -> Any:
    registry: Registry[Any] = Registry("channel")
    registry.add(Channel())
    return registry.get("mine")


def forge(connection: object) -> Any:
    registry: Registry[Any] = Registry("forge")
    registry.add(DeskForge(connection))
    return registry.get("desk")


def connected(**methods: Callable[..., Any]) -> Any:
    return forge(Desk(**methods)).connect(HERE, None, {})


READS: dict[str, Callable[..., Any]] = {
    "request": lambda number: None,
    "find": lambda branch, commit=None: None,
    "all_open": list,
}


@pytest.mark.parametrize("notes", [[], ["one"], ("one",), {"one"}, iter(["one"])])
def test_a_channel_returns_texts(notes: object) -> None:
    assert channel().send(notes, None) is notes


@pytest.mark.parametrize(("notes", "kind"), [(None, "NoneType"), ("done", "str"), ([1], "list"), (3, "int")])
def test_a_channel_that_returns_no_texts_is_named_and_its_message_may_have_been_sent(notes: object, kind: str) -> None:
    with pytest.raises(UnsureError) as caught:
        channel().send(notes, None)
    assert caught.value.message == f"channel 'mine': send() must return Sequence[str], not {kind}"


def test_secrets_may_be_any_values() -> None:
    assert channel().secrets({}, None) == {None}


def test_what_is_registered_twice_is_checked_once() -> None:
    mine = Channel()
    for _ in range(2):
        registry: Registry[Any] = Registry("channel")
        registry.add(mine)
    first = vars(mine)["send"]
    registry = Registry("channel")
    registry.add(mine)
    assert vars(mine)["send"] is first


def test_a_forge_that_locates_no_location_is_named() -> None:
    assert forge(None).locate(HERE, None) == HERE
    assert forge(None).locate(None, None) is None
    with pytest.raises(UnsureError, match=r"forge 'desk': locate\(\) must return Location \| None, not str"):
        forge(None).locate("octo/app", None)


@pytest.mark.parametrize(
    ("methods", "call", "said"),
    [
        (
            {"find": lambda branch, commit=None: {}},
            ("find", "main"),
            "find() must return ChangeRequest | None, not dict",
        ),
        ({"all_open": lambda: [1]}, ("all_open",), "all_open() must return list[ChangeRequest], not list"),
        ({"look": lambda numbers: {1: 2}}, ("look", [1]), "look() must return Mapping[int, Sighting], not dict"),
        ({"look": lambda numbers: []}, ("look", [1]), "look() must return Mapping[int, Sighting], not list"),
    ],
)
def test_a_connection_that_returns_what_it_must_not_is_an_error_of_its_forge(
    methods: dict[str, Callable[..., Any]], call: tuple[Any, ...], said: str
) -> None:
    connection = connected(**{**READS, **methods})
    with pytest.raises(UnsureError) as caught:
        getattr(connection, call[0])(*call[1:])
    assert caught.value.message == f"forge 'desk': {said}"


def test_what_a_connection_returns_of_nothing_may_be_anything() -> None:
    assert connected(**READS).close() is True
    assert connected(look=lambda numbers: {}).look([1]) == {}


@pytest.mark.parametrize(
    ("methods", "said", "hint"),
    [
        (
            {"find": lambda branch: None},
            "find(branch) cannot be called as it will be",
            "def find(self, branch, commit)",
        ),
        ({"all_open": None, "allopen": list}, "has 'allopen', which a connection does not have", "mean 'all_open'?"),
        ({"all_open": None}, "has 'request' and not 'all_open': both belong to ReadsRequests", "def all_open(self)"),
        ({"find_from": lambda source, branch, commit=None: None}, "not 'create_from'", "def create_from"),
        ({"whoami": 3}, "'whoami' must be a method, not 3", "def whoami(self)"),
    ],
)
def test_a_connection_without_all_of_what_it_says_it_can_do_is_an_error_of_its_forge(
    methods: dict[str, Any], said: str, hint: str
) -> None:
    with pytest.raises(RegistrationError) as caught:
        connected(**{name: method for name, method in {**READS, **methods}.items() if method is not None})
    assert caught.value.message.startswith("forge 'desk': connection Desk")
    assert said in caught.value.message
    assert caught.value.hint is not None
    assert hint in caught.value.hint


def test_what_inherits_a_capability_needs_all_of_it() -> None:
    takes = {"find_from": lambda source, branch, commit=None: None}
    more = {"create_from": lambda source, *, head, base, title, body, draft: None}
    with pytest.raises(RegistrationError, match=r"has 'find_from' and not '(create|default_branch)'"):
        connected(**takes, **more)


def test_what_is_no_connection_is_an_error_of_its_forge() -> None:
    with pytest.raises(RegistrationError, match="forge 'desk': connection NoneType has no 'location'"):
        forge(None).connect(HERE, None, {})


def sent(item: Any) -> Any:
    registry: Registry[Any] = Registry("channel")
    registry.add(item)
    return item.send("done", None)


def test_what_a_frozen_object_returns_is_checked_too() -> None:
    @dataclasses.dataclass(frozen=True)
    class Frozen(Channel):
        host: str = "chat.example.com"

    with pytest.raises(UnsureError, match=r"send\(\) must return Sequence\[str\], not str"):
        sent(Frozen())


def test_an_object_that_takes_no_attributes_is_taken_as_it_is() -> None:
    bare = type("Bare", (), {"__slots__": (), **{k: v for k, v in vars(Channel).items() if not k.startswith("__")}})
    assert sent(bare()) == "done"


@pytest.mark.parametrize("kind", _PROTOCOLS)
def test_every_type_and_argument_that_a_plugin_declares_can_be_checked(kind: str) -> None:
    needed = _kind(kind)  # which raises KeyError for an argument that it cannot name
    declared = [*needed.attributes.values(), *(part for part in needed.optional.values() if isinstance(part, str))]
    assert declared
    assert [annotation for annotation in declared if annotation not in _TYPES] == []
    unchecked = {name for name, part in needed.optional.items() if part is None}
    assert unchecked <= {"requests"}  # of our own reviewer alone


def test_a_connection_says_where_it_is() -> None:
    desk = Desk()
    desk.location = "git.example.com/octo/app"  # type: ignore[assignment]
    with pytest.raises(RegistrationError, match=r"'location' must be a Location, not 'git\.example\.com/octo/app'"):
        forge(desk).connect(HERE, None, {})
