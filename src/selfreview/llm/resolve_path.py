"""Resolve a path that a model gives to a file of the change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from selfreview.llm.normal import unspelled
from selfreview.llm.view import shown_path
from selfreview.model.change import ChangedFile
from selfreview.model.wire import display_path

Shown = TypeVar("Shown")

_AROUND = "`\"'*<>[]() \t\r\n,;"
_BEFORE = re.compile(r"\A(?:[#*\s]*\b(?:file|path|in)\b[*`\"']*\s*[:=]|[#*\-\s]+|\./|[ab]/)\s*", re.IGNORECASE)
_AFTER = re.compile(
    r"(?:\s*\([^()]*\)|:\d+(?::\d+)?(?:\s*[-\u2013]\s*\d+(?::\d+)?)?|#L\d+(?:-L?\d+)?|[\s,:]*\(?\b(?:lines?|L)\s*\d+"
    r"(?:\s*(?:-|\u2013|to)\s*L?\d+)?\)?|:)\s*\Z",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;&|\n]|\s(?:and|or|und|et)\s|\s\+\s")
_ENDING = re.compile(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|go|rs|java|kt|rb|php|cs|cpp|cc|hpp|md|txt|toml|ya?ml|json|sql|sh)(?!\w)"
)
_MOST_FORMS = 24
_MOST_NAMES = 20
_LONGEST = 5_000
"""Maximum characters of a path with the text around it."""


def which_files(name: str, shown: Mapping[str, tuple[ChangedFile, Shown]]) -> tuple[list[Shown], bool]:
    """Return the files that a name may mean, and whether it surely means one of them.

    It does where it is a path, also in the forms in which a text shows one, or a path's end. Where a path is the
    *name's* end (of an absolute path), the file may be one outside of the change all the same.

    Args:
        name: As the model says it, perhaps with a diff's prefix, a line number, or marks of formatting.
        shown: What there is, by path.
    """
    names = list(dict.fromkeys(map(unspelled, _forms(name)))) if len(name) <= _LONGEST else []
    known = [(item, _paths(path, file)) for path, (file, item) in shown.items()]
    for said in names:  # the least altered form first: a file may well be called "a (1).py" or "b/c"
        exact = [item for item, paths in known if said in paths]
        if exact:
            return exact, True
    for said in names:
        ends = [item for item, paths in known if any(path.endswith("/" + said) for path in paths)] if said else []
        if ends:
            return ends, True
    within = [
        (max(len(path) for path in paths if f"/{said}".endswith("/" + path)), item)
        for item, paths in known
        for said in names
        if any(f"/{said}".endswith("/" + path) for path in paths)
    ]
    longest = max((length for length, _ in within), default=0)
    if within:
        return [item for length, item in within if length == longest][:1], False
    parts = [part for part in _BETWEEN.split(name[:_LONGEST]) if part.strip()]
    if 1 < len(parts) <= _MOST_NAMES:
        found = [which_files(part, shown)[0] for part in parts]
        return [item for number, items in enumerate(found) for item in items if items not in found[:number]], False
    return _by_parts(name, [(path, item) for path, (_, item) in shown.items()]), False


def _by_parts(name: str, known: Sequence[tuple[str, Shown]]) -> list[Shown]:
    """Return the one file whose name stands within what a model says (``f in app.py``), or that it names without its
    ending, or as a module (``app``, ``app.f``); nothing where several are alike."""
    said = name[:_LONGEST].strip(_AROUND).casefold()
    for is_meant in (_is_within, _is_module):
        found = [item for path, item in known if is_meant(path.casefold(), said)]
        if found:
            return found if len(found) == 1 else []
    return []


def _is_within(path: str, said: str) -> bool:
    base = path.rpartition("/")[2]
    return any(re.search(rf"(?<![\w./-]){re.escape(form)}(?![\w-]|\.\w)", said) for form in (path, base))


def _is_module(path: str, said: str) -> bool:
    stem, dot, _ = path.rpartition(".")
    base = stem.rpartition("/")[2]
    if not dot or not base:
        return False
    first = re.split(r"::|[#:\s(\u2192]|->", said, maxsplit=1)[0]
    for module in (stem.replace("/", "."), base):
        rest = first.removeprefix(module)
        if rest != first and (not rest or (rest.startswith(".") and not _ENDING.match(rest))):
            return True
    return first == stem


def _paths(path: str, file: ChangedFile) -> frozenset[str]:
    """Return how a file may be called: as it is, as a text shows it, and the same for its path at the base."""
    return frozenset(
        unspelled(form)
        for called in (path, file.path, file.path_at_base)
        for form in (called, display_path(called), shown_path(called))
    )


def _forms(name: str) -> Iterator[str]:
    """Yield a name, and the name without what models write around a path."""
    yield name
    waiting = [name, name.replace("\\", "/")]
    seen: set[str] = set()
    while waiting and len(seen) < _MOST_FORMS:
        form = waiting.pop(0)
        if form in seen:
            continue
        seen.add(form)
        yield form
        waiting += (form.strip(), form.strip(_AROUND), _AFTER.sub("", form), _BEFORE.sub("", form))
