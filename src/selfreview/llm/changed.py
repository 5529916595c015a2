"""Definitions that a change adds, edits or removes."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.llm.outline import Definition
from selfreview.llm.view import FileView


class ChangedDefinition(NamedTuple):
    """Definition before and after a change; None where there is none."""

    name: str
    before: Definition | None
    after: Definition | None

    @property
    def signature_changed(self) -> bool:
        """Return whether callers see a difference."""
        return self.before is None or self.after is None or self.before.signature != self.after.signature


def changed_definitions(view: FileView) -> list[ChangedDefinition]:
    """Return the functions that a change touches, and the types and constants whose signature it changes, in order."""
    before, after = _qualified(view.before), _qualified(view.definitions)
    spots = sorted(_spots(view))
    result = []
    for key, definition in after.items():
        item = ChangedDefinition(definition.name, before.get(key), definition)
        nearest = bisect.bisect_left(spots, definition.line_start)
        touched = nearest < len(spots) and spots[nearest] <= definition.line_end
        if touched and (definition.kind == "function" or item.signature_changed):
            result.append(item)
    result += [ChangedDefinition(old.name, old, None) for key, old in before.items() if key not in after]
    return result


def _qualified(definitions: Sequence[Definition]) -> dict[tuple[str, ...], Definition]:
    """Return definitions by their names and those around them; overloads are numbered."""
    found: dict[tuple[str, ...], Definition] = {}
    around: list[Definition] = []
    for item in definitions:
        while around and around[-1].line_end < item.line_start:
            around.pop()
        key = (*(outer.name for outer in around), item.name)
        number = 1
        while key in found:
            number += 1
            key = (*key[: len(around)], item.name, str(number))
        found[key] = item
        around.append(item)
    return found


def _spots(view: FileView) -> Iterator[float]:
    """Return where something changed: added lines, and for removed ones a place between two lines."""
    for piece in view.pieces:
        above = next((line.number for line in piece.lines if line.number is not None), 1) - 1
        for line in piece.lines:
            if line.number is not None:
                above = line.number
            if line.mark == "+":
                yield above
            elif line.mark == "-":
                yield above + 0.5
