"""Names of a Python module that no definition shows: those written into ``globals()``, and what ``exec`` defines.

Reading ``vars()`` defines nothing. An item with a literal key is one name, any other may be all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_ANY = re.compile(r"(?:(?<![\w.])(?<!def )|\bbuiltins\.)exec\(|\bsetattr\(\s*sys\.modules")
_SPACE = re.compile(r"\b(?:globals|vars)\(\)")
_METHOD = re.compile(r"\s*(?:\.\s*(?:update|setdefault|__setitem__)\b|\|=)")
_ITEM = re.compile(r"\s*\[(?!\s*\])")
"""An item; that of a literal key is empty once the text of strings is gone."""
_ASSIGNED = re.compile(r"\]\s*[-+*/%@&|^]?=(?!=)")
_ENDS = re.compile(r"\s*(?:[,)]|$)")
_CALLED = re.compile(r"(\w+)\s*\($")
_GIVEN = re.compile(r"(?P<start>^\s*+|(?=\w++\s*+:))?(?P<name>\w++)\s*+(?::[^:=]*)?=$")
_READERS = frozenset(
    {"all", "any", "bool", "copy", "deepcopy", "dict", "dir", "enumerate", "eval", "filter", "frozenset", "id", "iter",
     "len", "list", "map", "pprint", "print", "repr", "reversed", "set", "sorted", "str", "tuple", "type"}
)  # fmt: skip
_LONGEST = 20_000
"""Characters of a line that are still read: code that people write has none as long."""
_NEAR = 80
_MOST_ALIASES = 20


class Dynamic(NamedTuple):
    """Names that a module may define dynamically.

    Attributes:
        anything: Whether that may be any name.
        names: The names that are for sure.
    """

    anything: bool
    names: frozenset[str]

    def may_define(self, name: str | None) -> bool:
        """Return whether the module may define a name."""
        return self.anything or name in self.names


def defined_by(code: Sequence[str], raw: Sequence[str]) -> Dynamic:
    """Return the names that a module may define dynamically.

    Args:
        code: Its lines without what stands in strings and comments.
        raw: Its lines.
    """
    lines = [line[:_LONGEST] for line in code]
    if any(map(_ANY.search, lines)):
        return Dynamic(True, frozenset())
    aliases = {name: None for line in lines for name in _aliases(line)}
    names = list(aliases)[:_MOST_ALIASES]
    space = re.compile("|".join([_SPACE.pattern, *(rf"(?<![\w.]){re.escape(name)}\b(?!\()" for name in names)]))
    if any(_is_written(line, space) for line in lines):
        return Dynamic(True, frozenset())
    return Dynamic(False, frozenset(_literal(space, lines, raw)))


def _aliases(line: str) -> Iterator[str]:
    for found in _SPACE.finditer(line):
        given = _given(_before(line, found))
        if given is not None and given["start"] is not None and _ENDS.match(line, found.end()):
            yield given["name"]


def _is_written(line: str, space: re.Pattern[str]) -> bool:
    """Return whether a line writes, or may write, to the module's namespace under a name that is not known."""
    assigned = 0
    for found in space.finditer(line):
        assigned = assigned or max((item.end() for item in _ASSIGNED.finditer(line)), default=-1)
        if _METHOD.match(line, found.end()):
            return True
        if _ITEM.match(line, found.end()) and found.end() < assigned:
            return True
        if _ENDS.match(line, found.end()) and _is_handed_over(_before(line, found), line[found.end() :][:_NEAR]):
            return True
    return False


def _is_handed_over(before: str, after: str) -> bool:
    """Return whether the namespace between two texts is passed to a function that may write to it."""
    if before.endswith("("):
        called = _CALLED.search(before)
        return called is not None and called[1] not in _READERS
    if not before:
        return after.strip() != ""
    if before.endswith(","):
        return re.search(r"\beval\(", before) is None
    given = _given(before)
    return given is not None and given["start"] is None and given["name"] != "globals"


def _before(line: str, found: re.Match[str]) -> str:
    return line[max(0, found.start() - _NEAR) : found.start()].rstrip()


def _given(before: str) -> re.Match[str] | None:
    return _GIVEN.search(before) if before.endswith("=") else None


def _literal(space: re.Pattern[str], code: Sequence[str], raw: Sequence[str]) -> Iterator[str]:
    written = rf"(?:{space.pattern})\s*\[\s*(?:[\"'](\w+)[\"']\s*)?\]\s*=(?!=)"
    for line, text in zip(code, raw, strict=False):
        there = len(re.findall(written, line)) if "]" in line else 0
        found = re.findall(written, text[:_LONGEST]) if there else []
        if len(found) == there:  # else a comment or a string says the same
            yield from found
