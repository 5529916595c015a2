"""Callers of changed definitions, and base types with the methods that a change overrides."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.api.context import ReviewContext, SourceText, WordHit
from selfreview.llm.context.lookup import FoundDefinition, Lookup, is_distinctive
from selfreview.llm.context.outline import Definition, outline
from selfreview.llm.context.reference import Reference, around, decorators, excerpt, head
from selfreview.llm.context.view import ChangedDefinition
from selfreview.syntax.testfiles import is_test

_AROUND = 2
_TYPE = re.compile(r"\s*(?:[a-z]+\s+)*(?:class|struct|interface|object|impl)\b")


class Used(NamedTuple):
    """A name whose uses are of interest.

    Attributes:
        name: The name.
        why: What is said of each use.
        own: The changed file.
        shown: The lines of that file that are shown anyhow.
        most: Most places to show.
        heirs: Whether types that inherit from it are uses of it.
    """

    name: str
    why: str
    own: str
    shown: frozenset[int]
    most: int = 4
    heirs: bool = True


class Callers:
    """Lookup of uses; reads the files that hold them all at once.

    Args:
        wanted: All that will be asked for.
        lookup: Where the names are.
        context: Where to read.
    """

    def __init__(self, wanted: Iterable[Used], lookup: Lookup, context: ReviewContext) -> None:
        self._chosen = {used: _chosen(used, lookup) for used in wanted}
        paths = sorted({use.path for uses in self._chosen.values() for use in uses})
        self._texts = {path: SourceText.from_bytes(data) for path, data in context.read_paths(paths).items()}

    def of(self, used: Used) -> Iterator[Reference]:
        """Yield the places that use a name."""
        for use in self._chosen[used]:
            if use.path in self._texts:
                lines = self._texts[use.path].lines
                first, last = around(lines, use.line, _AROUND)
                yield excerpt(use.path, lines, range(first, last + 1), used.why)


def _chosen(used: Used, lookup: Lookup) -> Sequence[WordHit]:
    uses = [use for use in lookup.uses(used.name, used.own) if use.path != used.own or use.line not in used.shown]
    if not used.heirs:
        word = re.compile(rf"(?<![\"'`\w]){re.escape(used.name)}(?![\"'`\w])")
        uses = [use for use in uses if word.search(use.text) and not _TYPE.match(use.text)]
    uses.sort(key=lambda use: (use.path != used.own, use.path, use.line))
    program = [use for use in uses if not is_test(use.path)]
    tests = [use for use in uses if is_test(use.path)]
    return [*_one_a_file(program), *_one_a_file(tests)][: used.most]


def _one_a_file(uses: Iterable[WordHit]) -> Iterator[WordHit]:
    """Prefer many files to many places of one."""
    firsts: dict[str, WordHit] = {}
    others = [use for use in uses if firsts.setdefault(use.path, use) is not use]
    return itertools.chain(firsts.values(), others)


_WHOLE = 40
"""Maximum lines of a base that is shown whole; of a longer base its methods in question are shown."""
_METHODS = 8
_BASES = 3


class Heir(NamedTuple):
    """A type of the change that inherits from others.

    Attributes:
        path: Its file.
        name: Its name.
        bases: The names that its first line has besides.
        methods: Those of its methods that changed.
        is_new: Whether the type itself was added.
    """

    path: str
    name: str
    bases: tuple[str, ...]
    methods: tuple[str, ...]
    is_new: bool


def heirs(path: str, definitions: Sequence[Definition], changed: Sequence[ChangedDefinition]) -> Iterator[Heir]:
    """Yield the types of a file that inherit and have changed methods, or are new."""
    functions = sorted(
        (one.after.line_start, one.name) for one in changed if one.after is not None and one.after.kind == "function"
    )
    new = {one.after for one in changed if one.before is None}
    for item in definitions:
        words = re.findall(r"\w+", item.signature) if item.kind == "class" else ()
        found = [word for word in words if word != item.name and word[:1].isupper() and is_distinctive(word)]
        bases = tuple(dict.fromkeys(found))[:_BASES]
        if not bases:
            continue
        first = bisect.bisect_left(functions, (item.line_start, ""))
        last = bisect.bisect_left(functions, (item.line_end + 1, ""))
        methods = tuple(name for line, name in functions[first:last] if line in item)
        if methods or item in new:
            yield Heir(path, item.name, bases, methods, item in new)


class Bases:
    """Lookup of the base types of types; reads other types that inherit from the same all at once.

    Args:
        wanted: All that will be asked for.
        lookup: Where the names are.
        context: Where to read.
    """

    def __init__(self, wanted: Iterable[Heir], lookup: Lookup, context: ReviewContext) -> None:
        self._lookup = lookup
        self._siblings = {
            (heir, base): _siblings(heir, base, lookup) for heir in wanted if heir.is_new for base in heir.bases
        }
        paths = {hit.path for found in self._siblings.values() for _, hit in found}
        self._texts = {path: SourceText.from_bytes(data) for path, data in context.read_paths(sorted(paths)).items()}

    def of(self, heir: Heir, known: Sequence[tuple[str, FoundDefinition]]) -> Iterator[Reference]:
        """Yield the bases of a type and one other heir of each.

        Args:
            heir: The type.
            known: Its bases that are to be shown, with where each is defined.
        """
        for base, (path, definition) in known:
            text = self._lookup.text(path)
            if text is None:
                continue
            why = f"{base}, which {heir.name} inherits from"
            found = _part(path, text, definition, heir, why=why, abstract=heir.is_new)
            if found is not None:
                yield found
            yield from self._sibling(heir, base)

    def _sibling(self, heir: Heir, base: str) -> Iterator[Reference]:
        for name, hit in self._siblings.get((heir, base), ()):
            text = self._texts.get(hit.path)
            for item in outline(hit.path, text.text) if text is not None else ():
                if item.name == name and item.kind == "class" and text is not None:
                    why = f"{name}, which inherits from {base} as {heir.name} does: the same methods"
                    found = _part(hit.path, text, item, heir, why=why)
                    if found is not None:
                        yield found
                        return


def _siblings(heir: Heir, base: str, lookup: Lookup) -> list[tuple[str, WordHit]]:
    """Return two other heirs, the nearest first."""
    folder = heir.path.rpartition("/")[0]
    found = [(name, hit) for name, hit in lookup.heirs(base, heir.path) if name != heir.name]
    found.sort(key=lambda one: (is_test(one[1].path), one[1].path.rpartition("/")[0] != folder, one[1]))
    return found[:2]


def _part(
    path: str, text: SourceText, item: Definition, heir: Heir, *, why: str, abstract: bool | None = None
) -> Reference | None:
    """Return the head of a type with those of its methods that an heir has, or None where it has none.

    Args:
        path: The file of the type.
        text: Its text.
        item: The type.
        heir: The heir.
        why: What is said of it.
        abstract: True to show all of a short type, and abstract methods of a longer one; None to show heads only.
    """
    if abstract and item.line_end - item.line_start < _WHOLE:
        return excerpt(path, text.lines, range(item.line_start, item.line_end + 1), why)
    numbers: list[int] = []
    count = 0
    for method in outline(path, text.text):
        if method.kind != "function" or method.line_start not in item:
            continue
        marks = decorators(text.lines, method.line_start)
        is_abstract = abstract and any("abstract" in text.line(number) for number in marks)
        if count < _METHODS and (method.name in heir.methods or is_abstract):
            count += 1
            numbers += [*marks, *head(text.lines, method.line_start)]
    return excerpt(path, text.lines, [*head(text.lines, item.line_start), *numbers], why) if numbers else None
