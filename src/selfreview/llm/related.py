"""Unchanged code that helps to judge a change: what the changed lines call, and who calls what changed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.api.context import ReviewContext, SourceText, WordHit
from selfreview.llm.attributes import settings_of
from selfreview.llm.changed import ChangedDefinition, changed_definitions
from selfreview.llm.grammar import family_of
from selfreview.llm.lookup import Found, Lookup, is_import
from selfreview.llm.names import Name, is_distinctive, names_on
from selfreview.llm.tokens import estimate
from selfreview.llm.view import FileView
from selfreview.model.change import FileStatus
from selfreview.rules.languages import is_test

_LINES = 40
"""Most lines of a definition that is shown whole; of a longer one its beginning."""
_BEGINNING = 25
_CALLERS = 4
_IMPORTING = frozenset({"python", "script"})
"""Families of languages in which a name of another file is imported before it is used."""
_AROUND = 2


class Reference(NamedTuple):
    """A piece of unchanged code.

    Attributes:
        path: Its file.
        line_start, line_end: Its lines, counted from 1.
        text: Those lines.
        why: What it has to do with the change, in a few words for the model.
    """

    path: str
    line_start: int
    line_end: int
    text: str
    why: str


class _Asked(NamedTuple):
    """What is looked up for one file."""

    view: FileView
    used: list[Name]
    changed: list[ChangedDefinition]
    imports: frozenset[str]


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
    used = (name.name for item in asked for name in item.used if name.called)
    changed = (one.name for item in asked for one in item.changed if is_distinctive(one.name))
    mentioned = (name.name for item in asked for name in item.used if not name.called)
    names = list(itertools.chain(used, mentioned, changed))
    lookup = Lookup(names, context)
    return {item.view.file.path: tuple(_fitting(_ranked(item, lookup, context), tokens_per_file)) for item in asked}


def _ask(view: FileView, context: ReviewContext) -> _Asked:
    text = None if view.file.status is FileStatus.DELETED else context.text(view.file)
    changed = changed_definitions(view)
    if text is None:
        return _Asked(view, [], changed, frozenset())
    shown = _shown(view)
    own = {item.name for item in view.definitions if item.line_start in shown}
    imports = _imports(text)
    local = own | {item.name for item in view.definitions if item.kind != "value"}
    used = [
        name
        for name in names_on(view.file.path, text.text, view.added)
        if name.name not in own and (name.called or _is_constant(name.name) or name.name in imports | local)
    ]
    return _Asked(view, used, changed, imports)


def _is_constant(name: str) -> bool:
    """Whether a name looks like that of a type or a constant, not of a variable."""
    return not name.lstrip("_")[:1].islower()


def _imports(text: SourceText) -> frozenset[str]:
    """Return the words of a file's imports."""
    return frozenset(word for line in text.lines if is_import(line) for word in re.findall(r"\w+", line))


def _shown(view: FileView) -> set[int]:
    return {line.number for piece in view.pieces for line in piece.lines if line.number is not None}


def _fitting(references: Iterable[Reference], max_tokens: int) -> Iterator[Reference]:
    seen = set()
    for reference in references:
        place = reference[:3]
        size = estimate(f"{reference.path} {reference.why}\n{reference.text}\n")
        if place not in seen and size <= max_tokens:
            seen.add(place)
            max_tokens -= size
            yield reference


def _ranked(item: _Asked, lookup: Lookup, context: ReviewContext) -> Iterator[Reference]:
    """Return what was before, where attributes are set, then definitions of what is called and callers, by turns."""
    yield from _before(item)
    yield from _attributes(item, context)
    defined = _definitions((name for name in item.used if name.called), item, lookup)
    for pair in itertools.zip_longest(defined, _callers(item, lookup, context)):
        yield from (reference for reference in pair if reference is not None)
    yield from _definitions((name for name in item.used if not name.called), item, lookup)


def _attributes(item: _Asked, context: ReviewContext) -> Iterator[Reference]:
    """Return where the attributes that changed lines use are set in the same file."""
    file = item.view.file
    text = None if file.status is FileStatus.DELETED else context.text(file)
    for line, name, code in settings_of(item.view, text) if text is not None else ():
        yield Reference(file.path, line, line, code, f"sets {name}")


def _before(item: _Asked) -> Iterator[Reference]:
    for one in item.changed:
        if one.before is not None and one.before.kind != "value" and one.signature_changed:
            fate = "removed" if one.after is None else "changed"
            line, why = one.before.line_start, f"signature of {one.name} before the change ({fate})"
            yield Reference(item.view.file.path_at_base, line, line, one.before.signature, why)


def _definitions(names: Iterable[Name], item: _Asked, lookup: Lookup) -> Iterator[Reference]:
    shown = _shown(item.view)
    for name in names:
        known = lookup.definitions(name.name, item.view.file.path)
        found = sorted((one for one in known if _is_reachable(one, item, lookup)), key=lambda one: _distance(one, item))
        for one in found[: 1 if found and _distance(found[0], item)[0] < 2 else 2]:
            path, definition = one
            text = lookup.text(path)
            if text is None or (path == item.view.file.path and definition.line_start in shown):
                continue
            last = definition.line_end
            whole = last - definition.line_start < _LINES
            last = last if whole else definition.line_start + _BEGINNING - 1
            lines = list(text.lines[definition.line_start - 1 : last])
            verb = "called" if name.called else "used"
            part = "definition" if whole else "beginning of the definition"
            why = f"{part} of {name.name}, {verb} on a changed line"
            yield Reference(path, definition.line_start, last, "\n".join(lines), why)


def _is_reachable(found: Found, item: _Asked, lookup: Lookup) -> bool:
    """Whether a name can mean a definition: no field of a type, and imported where a language asks for that."""
    path, definition = found
    if definition.kind == "value" and not _is_constant(definition.name):
        return False
    if is_test(path) and not is_test(item.view.file.path):
        return False  # a stand-in of what the program calls
    text = lookup.text(path)
    is_member = text is not None and text.line(definition.line_start)[:1].isspace()
    return is_member or family_of(path) not in _IMPORTING or _distance(found, item)[0] < 2


def _distance(found: Found, item: _Asked) -> tuple[int, str, int]:
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


def _callers(item: _Asked, lookup: Lookup, context: ReviewContext) -> Iterator[Reference]:
    shown = _shown(item.view)
    own = item.view.file.path
    for one in item.changed:
        if not is_distinctive(one.name) or one.before is None:
            continue
        uses = [use for use in lookup.uses(one.name, own) if use.path != own or use.line not in shown]
        uses.sort(key=lambda use: (is_test(use.path), use.path != own, use.path, use.line))
        chosen = list(_one_a_file(uses))[:_CALLERS]
        texts = context.read_paths(sorted({use.path for use in chosen}))
        for use in chosen:
            if use.path in texts:
                yield _around(use, texts[use.path], f"uses {one.name}, which changed")


def _one_a_file(uses: Iterable[WordHit]) -> Iterator[WordHit]:
    """Prefer many files to many places of one."""
    firsts: dict[str, WordHit] = {}
    others = [use for use in uses if firsts.setdefault(use.path, use) is not use]
    return itertools.chain(firsts.values(), others)


def _around(use: WordHit, data: bytes, why: str) -> Reference:
    lines = SourceText.from_bytes(data).lines
    first, last = max(use.line - _AROUND, 1), min(use.line + _AROUND, len(lines))
    return Reference(use.path, first, last, "\n".join(lines[first - 1 : last]), why)
