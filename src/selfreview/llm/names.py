"""Names that lines of code use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from selfreview.llm.grammar import GRAMMARS, language_of
from selfreview.llm.outline import parse

_LEAST_LETTERS = 3
_MAX_ROW = 20_000
_MAX_OWNER = 200
_MAX_CHARS = 1_000_000
_COMMON = frozenset(
    """
    abstract all and any append args array assert async await base begin bool boolean break byte bytes call case
    catch char class close cls clone code collections config const constructor content context continue copy count
    create data debug def default del delete description dict double elif else elsif end ensure enum equals error
    except exception exists exit export extend extends extra false fields file filter final finally find first float
    fmt for foreach format from func function get getattr global goto group has hash head header id impl implements
    import include index info init initialize insert instanceof int integer interface internal into isinstance
    item items iter iterator join json key keys kwargs lambda last left len length let line lines list load local log
    long loop main map match max message method min mod module mut name names namespace nat new next nil none not
    null number object open options out override package params parent parse pass path pop pre print printf println
    private protected public push put raise range read readonly record ref remove replace request require rescue
    reset response result return right root row rows run save sealed search self send set setattr setup short
    signed size sizeof sleep slice some sort sorted source split start start_line state static stop str string strip
    struct sub sum super switch sync tail target template test text the then this throw throws time title
    toString token trait trim true try tuple type typedef typeof undefined union unless unsigned until update use
    using value values var version void volatile when where while with write yield zip
    """.split()  # noqa: SIM905 - a table of words is read more easily than a list of strings
)
"""Keywords, builtins, and words that every code base uses for many things: no lookup of them helps."""
_OWNER = re.compile(r"(?<![\w.])([A-Z]\w*)\s*(?:\.|::)\s*$")


class Name(NamedTuple):
    """A name in use.

    Attributes:
        name: Itself.
        called: Whether a call or a construction follows, or it decorates something.
        owner: The type that stands before it wherever it is used (``Color`` of ``Color.WHITE``), or the empty string.
    """

    name: str
    called: bool
    owner: str = ""


def is_distinctive(name: str) -> bool:
    """Return whether a name is distinctive enough to be looked for in a whole repository."""
    return len(name) >= _LEAST_LETTERS and name.casefold() not in _COMMON and not name.startswith("__")


def names_on(path: str, text: str, lines: Iterable[int]) -> list[Name]:
    """Return the distinctive names on some lines of a file, those that are called first, in order of appearance.

    No word of a string or a comment is a name; nothing is one in a file whose language is not known.

    Args:
        path: The file.
        text: All of its text.
        lines: 1-based numbers.
    """
    wanted = frozenset(lines)
    language = language_of(path)
    if language is None or len(text) > _MAX_CHARS:
        return []
    # To place a node takes time in proportion to its column: rows that no person wrote are passed over.
    rows = [row if len(row) <= _MAX_ROW else "" for row in text.split("\n")]
    text = "\n".join(rows)
    found: dict[str, Name] = {}
    for one in _identifiers(language, text, wanted, rows):
        if is_distinctive(one.name):
            seen = found.get(one.name, one)
            found[one.name] = Name(one.name, seen.called or one.called, one.owner if one.owner == seen.owner else "")
    return sorted(found.values(), key=lambda item: not item.called)


def _identifiers(language: str, text: str, wanted: frozenset[int], rows: list[str]) -> Iterator[Name]:
    for node in parse(language, text).find_all(any=[{"kind": kind} for kind in GRAMMARS[language].names]):
        span = node.range()
        if span.start.line + 1 in wanted:
            row = rows[span.end.line]
            rest = row[span.end.column :]
            is_called = node.kind() == "command_name" or rest[:2].lstrip("!?")[:1] in ("(", "<")
            match = _OWNER.search(rows[span.start.line][max(0, span.start.column - _MAX_OWNER) : span.start.column])
            owner = match[1] if match and is_distinctive(match[1]) else ""
            yield Name(node.text(), is_called or (not rest.strip() and row.lstrip().startswith("@")), owner)
