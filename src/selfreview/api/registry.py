"""Registries of named objects, and of commands, that plugins register; what an object of each kind must have.

The protocols of this package declare it: their properties are attributes of that type, their methods are called with
those parameters. Optional parts are the fields of ``selfreview.api.capabilities``. ``Registry.add`` checks it. What
methods return is checked where it is used; for forges, their connections and channels, which are used in many places,
as it is returned. That is not done where an object takes no attributes, as one with ``__slots__`` alone.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MethodType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, get_args, get_origin, get_type_hints

from selfreview.api import forge
from selfreview.api.agent import Agent
from selfreview.api.fixer import Fixer
from selfreview.api.forge import Connection, Forge
from selfreview.api.notifier import KeepsSecrets, Notifier
from selfreview.api.reporter import PatchReporter, Reporter
from selfreview.api.reviewer import Reviewer
from selfreview.errors import RegistrationError, UnsureError
from selfreview.model.result import Depth

if TYPE_CHECKING:
    import click


class Named(Protocol):
    """An object with a name."""

    @property
    def name(self) -> str:
        """Unique within its registry; what a person types."""


N = TypeVar("N", bound=Named)


class Registry(Generic[N]):
    """Objects of one kind by name, in order of registration.

    Args:
        kind: What it holds, in the singular, for messages (``"reviewer"``).
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, N] = {}
        self._places: dict[str, str] = {}

    def add(self, item: N) -> None:
        """Register an object.

        Raises:
            RegistrationError: If the name is taken, or is not a plain word, or the object is not one of this kind.
        """
        check(item, self.kind)
        name = item.name
        if not name or not name.replace("-", "").replace("_", "").replace(".", "").isalnum():
            raise RegistrationError(f"{self.kind} name {name!r} is not made of letters, digits, '-', '_' and '.'")
        if name in self._items:
            raise RegistrationError(f"there are two {self.kind}s named {name!r}", earlier=self._places[name])
        _watch(item, self.kind, f"{self.kind} {name!r}")
        self._items[name] = item
        self._places[name] = caller_place()

    def get(self, name: str) -> N | None:
        """Return the object of that name, or None."""
        return self._items.get(name)

    def names(self) -> list[str]:
        """Return all names in order of registration."""
        return list(self._items)

    def __iter__(self) -> Iterator[N]:
        return iter(self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        return name in self._items


class CommandRegistry(Protocol):
    """The commands that plugins register."""

    def add(self, command: click.Command) -> None:
        """Register a command, or a group of commands, under its name.

        Args:
            command: What ``@click.command(name=…)`` makes. It gets the rest of the command line. The number that it
                returns is the exit code; None is 0. A :class:`~selfreview.errors.SelfreviewError` is shown to the
                person in one line, with its hint.

        Raises:
            RegistrationError: If it is no command of click, has no name or one that is not a plain word, or another
                plugin registers a command of that name.
        """


def caller_place() -> str:
    """Return ``FILE:LINE`` of the call of the function that calls this one."""
    frame = sys._getframe(2)  # noqa: SLF001 - inspect.stack() reads the sources of all frames
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


class _Parameters(NamedTuple):
    """Parameters by which a method is called: how many by position, and the names of the others."""

    positional: tuple[str, ...]
    keywords: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = ["self", *self.positional, *(["*", *self.keywords] if self.keywords else [])]
        return f"({', '.join(words)})"


class _Kind(NamedTuple):
    """What an object of a kind must have, and may have."""

    attributes: dict[str, str]
    methods: dict[str, _Parameters]
    optional: dict[str, _Parameters | str | None]
    further: tuple[type, ...]


_PROTOCOLS: dict[str, tuple[type, str, tuple[type, ...]]] = {
    "reviewer": (Reviewer, "ReviewerCapabilities", ()),
    "fixer": (Fixer, "FixerCapabilities", ()),
    "agent": (Agent, "AgentCapabilities", ()),
    "format": (Reporter, "", (PatchReporter,)),
    "channel": (Notifier, "", (KeepsSecrets,)),
    "forge": (Forge, "", ()),
    "connection": (
        Connection,
        "",
        tuple(p for p in vars(forge).values() if isinstance(p, type) and Connection in p.__mro__[1:]),
    ),
}
"""By kind: its protocol, the class of its optional parts, and protocols that it may implement besides."""

_ARGUMENTS = {
    "ChangedFile": "file",
    "Sequence[ChangedFile]": "files",
    "Sequence[Finding]": "findings",
    "ReviewContext": "context",
    "ConfigView": "config",
    "AgentTask": "task",
}
"""What an argument of an optional method is called, by its type."""


def _is_words(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(word, str) for word in value)


def _is_seconds(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


_TYPES: dict[str, tuple[Callable[[object], bool], str]] = {
    "str": (lambda value: isinstance(value, str), "a string"),
    "bool": (lambda value: isinstance(value, bool), "True or False"),
    "str | None": (lambda value: value is None or isinstance(value, str), "a string or None"),
    "Location": (lambda value: isinstance(value, forge.Location), "a Location"),
    "Depth": (lambda value: isinstance(value, Depth), " or ".join(f"Depth.{depth.name}" for depth in Depth)),
    "Sequence[str]": (_is_words, "a list of strings"),
    "float | None": (lambda value: value is None or _is_seconds(value), "a number of seconds above 0"),
    "Sequence[str] | None": (lambda value: value is None or _is_words(value), "a list of strings or None"),
}
"""By annotation: the test of a value, and the words for what it must be. A test holds that no type is missing."""


def check(item: object, kind: str) -> None:
    """Check that an object has what one of its kind must have; a kind that is not known has a name alone.

    Raises:
        RegistrationError: If something is missing, of another type, cannot be called as it will be, or if the object
            has what looks like the misspelt name of an optional part.
    """
    if isinstance(item, type):
        raise RegistrationError(
            f"{kind} {item.__name__} is a class, not an object of it", hint=f"registry.add({item.__name__}())"
        )
    needed = _kind(kind)
    name = getattr(item, "name", None)
    who = f"{kind} {name!r}" if isinstance(name, str) else f"{kind} {type(item).__name__}"
    for attribute, annotation in needed.attributes.items():
        _check_type(who, attribute, _required(item, who, attribute, needed), annotation)
    for method, parameters in needed.methods.items():
        _check_call(who, method, _required(item, who, method, needed), parameters)
    for part, declared in needed.optional.items():
        value = getattr(item, part, None) if declared is not None else None
        if value is None:
            continue
        if isinstance(declared, _Parameters):
            _check_call(who, part, value, declared)
        elif declared is not None:
            _check_type(who, part, value, declared)
    for own in _own_names(item):
        if (meant := _misspelt(item, own, needed)) is not None and not hasattr(item, meant):
            raise RegistrationError(
                f"{who} has {own!r}, which a {kind} does not have",
                hint=f"did you mean {meant!r}? a name of your own may begin with '_'",
            )
    for other in needed.further:
        has = [method for method in _methods(other) if getattr(item, method, None) is not None]
        inherited = {
            method: it for base in other.__mro__ if base in needed.further for method, it in _methods(base).items()
        }
        lacks = [method for method in inherited if getattr(item, method, None) is None]
        if has and lacks:
            raise RegistrationError(
                f"{who} has {has[0]!r} and not {lacks[0]!r}: both belong to {other.__name__}",
                hint=f"add def {lacks[0]}{_parameters(inherited[lacks[0]])}, or begin names of your own with '_'",
            )


_WATCHED = ("forge", "channel", "connection")
"""Kinds whose methods are called in many places."""


def _watch(item: object, kind: str, who: str) -> None:
    """Have what the methods of a plugin's object return checked from now on; of ours, the types are checked."""
    if kind not in _WATCHED or type(item).__module__.startswith("selfreview."):
        return
    protocol, _, further = _PROTOCOLS[kind]
    for part in (protocol, *further):
        for name, method in _methods(part).items():
            own = getattr(item, name, None)
            returns = method.__annotations__["return"]
            if own is None or isinstance(own, _Watched) or returns == "None" or name == "secrets":  # any values may be
                continue
            with contextlib.suppress(AttributeError, TypeError):  # there is no place for it, as with slots
                object.__setattr__(item, name, _Watched(own, method, who))  # a frozen dataclass refuses setattr()


class _Watched:
    """A plugin's method that raises an UnsureError where it returns what it must not: something may have been done."""

    def __init__(self, method: Callable[..., Any], declared: Callable[..., Any], who: str) -> None:
        self._method, self._declared, self._who = method, declared, who

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method, and check what it returns."""
        found = self._method(*args, **kwargs)
        wanted = get_type_hints(self._declared)["return"]
        if wanted is Connection:
            try:
                check(found, "connection")
            except RegistrationError as error:
                raise RegistrationError(f"{self._who}: {error.message}", hint=error.hint) from error
            _watch(found, "connection", self._who)
        elif not _fits(found, wanted):
            name, words = self._declared.__name__, self._declared.__annotations__["return"]
            said = f"{self._who}: {name}() must return {words}, not {type(found).__name__}"
            raise UnsureError(said, hint="mend the plugin that it is of")
        return found


def _fits(value: object, wanted: Any) -> bool:
    """Return whether a value is of a type; any iterable that is no text is a sequence."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin is UnionType:
        return any(_fits(value, part) for part in parts)
    if wanted is NoneType or origin is None:
        return isinstance(value, wanted)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(k, parts[0]) and _fits(v, parts[1]) for k, v in value.items())
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return False
    return not isinstance(value, Collection) or all(_fits(item, parts[0]) for item in value)


def _methods(protocol: type) -> dict[str, Any]:
    """Return the methods that a protocol itself declares."""
    return {name: it for name, it in vars(protocol).items() if inspect.isfunction(it) and name[0] != "_"}


def _required(item: object, who: str, name: str, needed: _Kind) -> Any:
    try:
        return getattr(item, name)
    except AttributeError as error:
        if hasattr(type(item), name):
            raise  # a property of the plugin that fails
        from selfreview.text.suggestion import closest

        others = [own for own in _own_names(item) if own not in {*needed.attributes, *needed.methods, *needed.optional}]
        meant = closest(name, others)
        if name in needed.methods:
            must = f"def {name}{needed.methods[name]}"
        else:
            annotation = needed.attributes[name]
            must = f"{name}: {_TYPES[annotation][1]}"
        hint = f"{meant!r} looks like it; it must be {must}" if meant else f"add {must}"
        raise RegistrationError(f"{who} has no {name!r}", hint=hint) from error


def _check_type(who: str, attribute: str, value: object, annotation: str) -> None:
    is_right, words = _TYPES[annotation]
    if is_right(value):
        return
    found = f"the method {attribute}()" if inspect.isroutine(value) else repr(value)
    hint = "mark it with @property" if inspect.isroutine(value) else None
    raise RegistrationError(f"{who}: {attribute!r} must be {words}, not {found}", hint=hint)


def _check_call(who: str, name: str, method: Any, parameters: _Parameters) -> None:
    if type(method) is MethodType and (code := getattr(method.__func__, "__code__", None)) is not None:
        end = code.co_argcount + code.co_kwonlyargcount
        if code.co_varnames[1:end] == (*parameters.positional, *parameters.keywords):
            return
    if not callable(method):
        raise RegistrationError(f"{who}: {name!r} must be a method, not {method!r}", hint=f"def {name}{parameters}")
    try:
        signature = inspect.signature(method, follow_wrapped=False)
    except (TypeError, ValueError):
        return  # it does not say what it takes
    try:
        signature.bind(*parameters.positional, **dict.fromkeys(parameters.keywords))
    except TypeError:
        raise RegistrationError(
            f"{who}: {name}{signature} cannot be called as it will be", hint=f"it must be def {name}{parameters}"
        ) from None


def _own_names(item: object) -> Iterator[str]:
    for names in (getattr(item, "__dict__", {}), *(vars(cls) for cls in type(item).__mro__[:-1])):
        yield from (name for name in names if name[0] != "_")


def _misspelt(item: object, own: str, needed: _Kind) -> str | None:
    """Return the optional part whose name differs by one slip of a finger from one that has no meaning, or None.

    What differs at its end, or in one letter of a short name, may be another word, such as ``noted`` and ``nodes``:
    unless it would do as the part.
    """
    if own in needed.optional or own in needed.attributes or own in needed.methods:
        return None
    for name, declared in needed.optional.items():
        if _is_slip(own, name):
            wrong = len(own) == len(name) and sorted(own) != sorted(name)
            is_word = own[-1] != name[-1] or (wrong and len(name) < 7)
            if not is_word or _would_do(getattr(item, own, None), declared):
                return name
    return None


def _would_do(value: object, declared: _Parameters | str | None) -> bool:
    """Return whether a value is of an attribute's type, or a method with the very parameters."""
    if isinstance(declared, _Parameters):
        names = (*declared.positional, *declared.keywords)
        return inspect.ismethod(value) and tuple(inspect.signature(value).parameters) == names
    return declared in _TYPES and _TYPES[declared][0](value)


def _is_slip(own: str, name: str) -> bool:
    """Return whether a letter is missing, added, wrong, or swapped with the next."""
    if abs(len(own) - len(name)) > 1:
        return False
    start = 0
    while start < min(len(own), len(name)) and own[start] == name[start]:
        start += 1
    here, there = own[start:], name[start:]
    while here and there and here[-1] == there[-1]:
        here, there = here[:-1], there[:-1]
    swapped = len(here) == 2 and here == there[::-1]
    return swapped or max(len(here), len(there)) == 1


@functools.cache
def _kind(kind: str) -> _Kind:
    """Return what an object of a kind must have, from its protocol."""
    if kind not in _PROTOCOLS:
        return _Kind({"name": "str"}, {}, {}, ())
    protocol, capabilities, further = _PROTOCOLS[kind]
    attributes: dict[str, str] = {}
    methods = {name: _parameters(method) for name, method in _methods(protocol).items()}
    for name, member in vars(protocol).items():
        if isinstance(member, property):
            attributes[name] = member.fget.__annotations__["return"]
    optional: dict[str, _Parameters | str | None] = {}
    if capabilities:
        from selfreview.api import capabilities as parts

        for name, annotation in vars(parts)[capabilities].__annotations__.items():
            optional[name] = _declared(annotation)
    for other in further:
        optional.update({name: _parameters(method) for name, method in _methods(other).items()})
    return _Kind(attributes, methods, optional, further)


def _parameters(method: Callable[..., object]) -> _Parameters:
    code = method.__code__
    end = code.co_argcount
    return _Parameters(code.co_varnames[1:end], code.co_varnames[end : end + code.co_kwonlyargcount])


def _declared(annotation: str) -> _Parameters | str | None:
    """Return how an optional part is called, or its type; None where anything goes."""
    if not annotation.startswith("Callable["):
        return annotation
    arguments, found, _ = annotation.removeprefix("Callable[[").rpartition("], ")
    if not found or annotation.startswith("Callable[..."):
        return None
    return _Parameters(tuple(_ARGUMENTS[argument] for argument in arguments.split(", ") if argument))
