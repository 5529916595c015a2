"""Which file of the change a model means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
_MOST_FORMS = 24
_LONGEST = 5_000
"""Characters of the longest path that there can be, with what stands around it."""


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
    return [item for length, item in within if length == longest][:1], False


def _paths(path: str, file: ChangedFile) -> frozenset[str]:
    """Return how a file may be called: as it is, as a text shows it, and the same for its path at the base."""
    return frozenset(
        unspelled(form)
        for called in (path, file.path, file.path_at_base)
        for form in (called, display_path(called), shown_path(called))
    )


def _forms(name: str) -> Iterator[str]:
    """Yield a name, and what is left of it without what models write around a path."""
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
