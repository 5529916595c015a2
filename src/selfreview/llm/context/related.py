"""Unchanged code that helps to judge a change: what the changed lines call, and who calls what changed."""

from __future__ import annotations

import bisect
import dataclasses
import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.api.context import ReviewContext, SourceText, WordHit
from selfreview.llm.context.excerpts import (
    Reference,
    around,
    attribute_excerpts,
    decorators,
    excerpt,
    function_excerpts,
    head,
    without,
)
from selfreview.llm.context.lookup import FoundDefinition, Lookup, Name, is_distinctive, is_import, names_on
from selfreview.llm.context.outline import Definition, enclosing, family_of, outline
from selfreview.llm.context.view import ChangedDefinition, FileView, ViewLine, changed_definitions
from selfreview.llm.transport.request import estimate_tokens
from selfreview.model.change import FileStatus
from selfreview.syntax.file_kinds import is_test

_AROUND = 2
_TYPE = re.compile(r"\s*(?:[a-z]+\s+)*(?:class|struct|interface|object|impl)\b")


class Used(NamedTuple):
    """A name whose uses are of interest.

    Attributes:
        name: The name.
        why: What is said of each use.
        own: The changed file.
        shown: The lines of that file that are shown anyhow.
        max_places: Most places to show.
        heirs: Whether types that inherit from it are uses of it.
    """

    name: str
    why: str
    own: str
    shown: frozenset[int]
    max_places: int = 4
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
                yield excerpt(use.path, lines, range(first, last + 1), used.why)._replace(is_use=True)


def _chosen(used: Used, lookup: Lookup) -> Sequence[WordHit]:
    uses = [use for use in lookup.uses(used.name, used.own) if use.path != used.own or use.line not in used.shown]
    if not used.heirs:
        word = re.compile(rf"(?<![\"'`\w]){re.escape(used.name)}(?![\"'`\w])")
        uses = [use for use in uses if word.search(use.text) and not _TYPE.match(use.text)]
    uses.sort(key=lambda use: (use.path != used.own, use.path, use.line))
    program = [use for use in uses if not is_test(use.path)]
    tests = [use for use in uses if is_test(use.path)]
    return [*_one_a_file(program), *_one_a_file(tests)][: used.max_places]


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
        (change.after.line_start, change.name)
        for change in changed
        if change.after is not None and change.after.kind == "function"
    )
    new = {change.after for change in changed if change.before is None}
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


_LINES = 40
"""Maximum lines of a definition that is shown whole; of a longer definition the beginning is shown."""
_BEGINNING = 25
_IMPORTING = frozenset({"python", "script"})
"""Families of languages in which a name of another file is imported before it is used."""


@dataclasses.dataclass(frozen=True)
class _Asked:
    """Input of the lookup for one file: its text where it still exists, names in use and decorators of what changed."""

    view: FileView
    text: SourceText | None
    used: list[Name]
    decorators: list[Name]
    changed: list[ChangedDefinition]
    imports: frozenset[str]
    heirs: list[Heir]

    @property
    def path(self) -> str:
        return self.view.file.path

    @functools.cached_property
    def shown(self) -> frozenset[int]:
        return frozenset(_shown(self.view))

    @functools.cached_property
    def bases(self) -> frozenset[str]:
        return frozenset(base for heir in self.heirs for base in heir.bases)

    @functools.cached_property
    def callers(self) -> list[Used]:
        """Changed and removed definitions, as names whose uses elsewhere are looked for."""
        known = [one for one in self.changed if is_distinctive(one.name) and one.before is not None]
        fates = {one.name: "changed" if one.after else "was removed" for one in known}
        return [Used(name, f"uses {name}, which {fate}", self.path, self.shown) for name, fate in fates.items()]

    @functools.cached_property
    def runners(self) -> list[Used]:
        """Bases of new types: their users may find and run the new types."""
        new = ((heir.name, base) for heir in self.heirs if heir.is_new for base in heir.bases)
        return [
            Used(base, f"uses {base}, which {name} inherits from", self.path, self.shown, max_places=2, heirs=False)
            for name, base in new
        ]


class _Sources:
    """Sources in which the names of all files of a change are looked up, read at once."""

    def __init__(self, asked: Sequence[_Asked], context: ReviewContext) -> None:
        used = (name.name for item in asked for name in item.used if name.called)
        applied = (name.name for item in asked for name in item.decorators)
        bases = (base for item in asked for base in sorted(item.bases))
        changed = (one.name for item in asked for one in item.changed if is_distinctive(one.name))
        mentioned = (name.name for item in asked for name in item.used if not name.called)
        owners = (name.owner for item in asked for name in item.used if name.owner)
        self.lookup = Lookup(itertools.chain(used, applied, bases, mentioned, changed, owners), context)
        self.bases = Bases([heir for item in asked for heir in item.heirs], self.lookup, context)
        wanted = [used for item in asked for used in (*item.callers, *item.runners)]
        self.callers = Callers(wanted, self.lookup, context)


def related(
    views: Sequence[FileView], context: ReviewContext, tokens_per_file: int
) -> dict[str, tuple[Reference, ...]]:
    """Return the references of every file by its path, the most useful first; the same for any order of the views.

    Args:
        views: The changed files.
        context: Where to look.
        tokens_per_file: Most tokens of the references of one file.

    Raises:
        GitError: If git cannot search.
    """
    asked = [_ask(view, context) for view in sorted(views, key=lambda v: v.file.path)]
    sources = _Sources(asked, context)
    return {item.path: tuple(_fitting(_ranked(item, sources), tokens_per_file)) for item in asked}


def _ask(view: FileView, context: ReviewContext) -> _Asked:
    text = None if view.file.status is FileStatus.DELETED else context.text(view.file)
    changed = changed_definitions(view)
    if text is None:
        return _Asked(view, None, [], [], changed, frozenset(), [])
    path, shown = view.file.path, _shown(view)
    own = {item.name for item in view.definitions if item.line_start in shown}
    imports = _imports(text)
    local = own | {item.name for item in view.definitions if item.kind != "value"}
    used = [
        name
        for name in names_on(path, text.text, view.added)
        if name.name not in own and (name.called or _is_constant(name.name) or name.name in imports | local)
    ]
    marks = {
        number
        for change in changed
        if change.after is not None and change.after.kind != "value"
        for number in decorators(text.lines, change.after.line_start)
    }
    applied = (
        [name for name in names_on(path, text.text, marks - view.added) if name.called and name.name not in own]
        if marks - view.added
        else []
    )
    return _Asked(view, text, used, applied, changed, imports, list(heirs(path, view.definitions, changed)))


def _is_constant(name: str) -> bool:
    """Return whether a name looks like that of a type or a constant, not of a variable."""
    return not name.lstrip("_")[:1].islower()


def _imports(text: SourceText) -> frozenset[str]:
    """Return the words of a file's imports."""
    return frozenset(word for line in text.lines if is_import(line) for word in re.findall(r"\w+", line))


def _shown(view: FileView) -> set[int]:
    return {line.number for line in _lines(view) if line.number is not None}


def _lines(view: FileView) -> Iterator[ViewLine]:
    return (line for piece in view.pieces for line in piece.lines)


def _fitting(references: Iterable[Reference], max_tokens: int) -> Iterator[Reference]:
    seen = set()
    for reference in references:
        place = reference[:3]
        size = estimate_tokens(f"{reference.path} {reference.why}\n{reference.text}\n")
        if place not in seen and size <= max_tokens:
            seen.add(place)
            max_tokens -= size
            yield reference


def _ranked(item: _Asked, sources: _Sources) -> Iterator[Reference]:
    """Return a file's references, those of the program before those of other files' tests."""
    own = (item.path, item.view.file.path_at_base)
    return iter(sorted(_by_use(item, sources), key=lambda found: found.path not in own and is_test(found.path)))


def _by_use(item: _Asked, sources: _Sources) -> Iterator[Reference]:
    """Return earlier signatures, more of cut functions, then definitions of what is called and callers, by turns."""
    yield from _before(item, sources.lookup)
    if item.text is not None:
        yield from function_excerpts(item.view, item.text.lines, item.changed)
        yield from attribute_excerpts(item.view, item.text)
    shown = {line.number: line.text for line in _lines(item.view) if line.number is not None}
    for reference in _of_names(item, sources):
        left = without(reference, shown) if reference.path == item.path else reference
        if left is not None:
            yield left


def _of_names(item: _Asked, sources: _Sources) -> Iterator[Reference]:
    lookup = sources.lookup
    called = _definitions((name for name in item.used if name.called), item, lookup, "called on a changed line")
    users = (place for used in item.callers for place in sources.callers.of(used))
    for row in itertools.zip_longest(called, users, _inherited(item, sources)):
        yield from (reference for reference in row if reference is not None)
    yield from _definitions(item.decorators, item, lookup, "which decorates what changed")
    mentioned = (name for name in item.used if not name.called and name.name not in item.bases)
    yield from _definitions(mentioned, item, lookup, "used on a changed line")


def _inherited(item: _Asked, sources: _Sources) -> Iterator[Reference]:
    """Return the bases of types, another subtype of each, and their users."""
    for heir in item.heirs:
        known = [(base, found[0]) for base in heir.bases if (found := _found(base, item, sources.lookup, kind="class"))]
        outside = [one for one in known if one[1].path != item.path or one[1].definition.line_start not in item.shown]
        yield from sources.bases.of(heir, outside)
        bases = {base for base, _ in outside}
        for used in item.runners if heir.is_new else ():
            if used.name in bases:
                yield from sources.callers.of(used)


def _before(item: _Asked, lookup: Lookup) -> Iterator[Reference]:
    """Return signatures that removed lines do not show, and the removed names that nothing uses any more."""
    path = item.view.file.path_at_base
    removed = {line.text.strip() for line in _lines(item.view) if line.mark == "-"}
    for change in item.changed:
        if (
            change.before is None
            or change.before.kind == "value"
            or change.after is None
            or not change.signature_changed
        ):
            continue
        if change.before.signature not in removed:
            line, why = change.before.line_start, f"signature of {change.name} before the change (changed)"
            yield Reference(path, line, line, change.before.signature, why)
    gone = {change.name: change.before for change in item.changed if change.before is not None and change.after is None}
    unused = [name for name in gone if is_distinctive(name) and lookup.is_gone(name, item.path)]
    if unused:
        line = gone[unused[0]].line_start
        yield Reference(path, line, line, "\n".join(unused), "names that were removed, and that nothing uses any more")


def _found(
    name: str, item: _Asked, lookup: Lookup, *, kind: str | None = None, owner: str = ""
) -> list[FoundDefinition]:
    """Return the definitions that a name can mean in a file, the nearest first."""
    known = lookup.definitions(name, item.path)
    fitting = (
        candidate
        for candidate in known
        if kind in (None, candidate.definition.kind) and _is_reachable(candidate, item, lookup)
    )
    owned = _owned(list(fitting), owner, item, lookup) if owner else fitting
    return sorted(owned, key=lambda candidate: _distance(candidate, item))


def _owned(found: list[FoundDefinition], owner: str, item: _Asked, lookup: Lookup) -> list[FoundDefinition]:
    """Filter out members of other types than the owner of a name, or a base of it, where the owner is known."""
    owners = [
        candidate.definition
        for candidate in lookup.definitions(owner, item.path)
        if candidate.definition.kind == "class"
    ]
    names = {word for candidate in owners for word in (owner, *re.findall(r"\w+", candidate.signature))}
    return [candidate for candidate in found if names & _around(candidate, lookup)] if owners else found


def _around(found: FoundDefinition, lookup: Lookup) -> set[str]:
    text = lookup.text(found.path)
    outer = enclosing(outline(found.path, text.text), found.definition.line_start) if text is not None else []
    return {definition.name for definition in outer}


def _definitions(names: Iterable[Name], item: _Asked, lookup: Lookup, verb: str) -> Iterator[Reference]:
    for name in names:
        found = _found(name.name, item, lookup, owner=name.owner)
        for path, definition in found[: 1 if found and _distance(found[0], item)[0] < 2 else 2]:
            text = lookup.text(path)
            if text is None or (path == item.path and definition.line_start in item.shown):
                continue
            last = definition.line_end
            whole = last - definition.line_start < _LINES
            last = last if whole else definition.line_start + _BEGINNING - 1
            part = "definition" if whole else "beginning of the definition"
            why = f"{part} of {name.name}, {verb}"
            yield excerpt(path, text.lines, range(definition.line_start, last + 1), why)


def _is_reachable(found: FoundDefinition, item: _Asked, lookup: Lookup) -> bool:
    """Return whether a name can mean a definition: no field of a type, and imported where a language requires it."""
    path, definition = found
    if definition.kind == "value" and not _is_constant(definition.name):
        return False
    if is_test(path) and not is_test(item.view.file.path):
        return False  # a stand-in of what the program calls
    text = lookup.text(path)
    is_member = text is not None and text.line(definition.line_start)[:1].isspace()
    return is_member or family_of(path) not in _IMPORTING or _distance(found, item)[0] < 2


def _distance(found: FoundDefinition, item: _Asked) -> tuple[int, str, int]:
    """Order definitions: of the same file, of an imported one, of the same folder, of others."""
    own = item.view.file.path
    folder, _, name = found.path.rpartition("/")
    stem = name.partition(".")[0]
    module = folder.rpartition("/")[2] if stem in ("__init__", "index", "mod") else stem
    if found.path == own:
        rank = 0
    elif module in item.imports:
        rank = 1
    else:
        rank = 2 if folder == own.rpartition("/")[0] else 3
    return rank, found.path, found.definition.line_start
