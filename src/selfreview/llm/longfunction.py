"""Excerpts of functions that are too long to show: the lines related to what changed in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from selfreview.llm.attributes import DECIDES, indent
from selfreview.llm.changed import ChangedDefinition
from selfreview.llm.names import is_distinctive, names_on
from selfreview.llm.reference import Reference, excerpt
from selfreview.llm.statements import end_of, head
from selfreview.llm.view import FileView

_LINES = 24
"""Maximum lines that are shown of one function."""
_RETURNS = 5
_FARTHEST = 12
"""Maximum lines from an exit up to the line that it depends on."""
_OFTEN = 12
"""Maximum lines with a name; a more frequent name is the subject of the whole function."""
_LEAVES = re.compile(r"^\s*(?:return|yield|raise|throw)\b")
_OTHERWISE = re.compile(r"^\s*(?:\}\s*)?(?:else|elif|elsif|elseif|except|catch|rescue|finally|ensure)\b")
_WORD = re.compile(r"[^\W\d]\w*")
_COMMENT = re.compile(r"^\s*(?:#(?!\[)|//|--\s)")
_OPENS = re.compile(r"^\s*[rR]?(\"\"\"|'''|/\*)")


def parts(view: FileView, lines: Sequence[str], changed: Sequence[ChangedDefinition]) -> Iterator[Reference]:
    """Yield the head, the exits and the lines with names of the changed lines, of each function that is cut.

    Args:
        view: What is shown of the file.
        lines: All of its new side.
        changed: What changed in it.
    """
    shown = {line.number for piece in view.pieces for line in piece.lines if line.number is not None}
    for one in changed:
        item = one.after
        if item is None or item.kind != "function":
            continue
        hidden = [number for number in range(item.line_start, item.line_end + 1) if number not in shown]
        if not hidden:
            continue
        start = head(lines, item.line_start)
        names = _names(view, item.line_start, item.line_end, lines)
        chosen = _chosen([number for number in hidden if number >= start.stop], lines, names)
        if chosen:
            first = [number for number in start if number not in shown]
            yield excerpt(view.file.path, lines, [*first, *chosen], f"lines of {one.name} that are not shown above")


def _names(view: FileView, first: int, last: int, lines: Sequence[str]) -> frozenset[str]:
    """Return the names on the added and removed lines of a function."""
    found = {name.name for name in names_on(view.file.path, "\n".join(lines), view.added & {*range(first, last + 1)})}
    for piece in view.pieces:
        above = 0
        for line in piece.lines:
            above = line.number or above
            if line.mark == "-" and first <= above <= last:
                found.update(word for word in _WORD.findall(line.text) if is_distinctive(word))
    return frozenset(found)


def _chosen(hidden: Sequence[int], lines: Sequence[str], names: frozenset[str]) -> list[int]:
    """Return the exits and the lines with names, those with the rarest names before others."""
    prose = set(_prose(lines, hidden[0], hidden[-1])) if hidden else set()
    code = [number for number in hidden if number not in prose and not _COMMENT.match(lines[number - 1])]
    exits = [number for number in code if _LEAVES.match(lines[number - 1])][-_RETURNS:]
    ways = {line for number in exits for line in _way(lines, number)}.intersection(hidden)
    words = {number: names.intersection(_WORD.findall(lines[number - 1])) for number in code if number not in ways}
    often = Counter(name for found in words.values() for name in found)
    rarest = {number: min(often[name] for name in found) for number, found in words.items() if found}
    having = sorted((number for number in rarest if rarest[number] <= _OFTEN), key=lambda number: rarest[number])
    chosen = [*sorted(ways), *having][:_LINES]
    return [*chosen, *_owners(lines, hidden, chosen)]


def _owners(lines: Sequence[str], hidden: Sequence[int], chosen: Sequence[int]) -> Iterator[int]:
    """Yield the lines that begin the other branch around a chosen line: without them, both would seem to run."""
    for number in chosen:
        deep = indent(lines[number - 1])
        above = (line for line in reversed(hidden) if line < number and lines[line - 1].strip())
        owner = next((line for line in above if indent(lines[line - 1]) < deep), None)
        if owner is not None and _OTHERWISE.match(lines[owner - 1]):
            yield owner


def _way(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the lines of an exit, and before them the line that it depends on: the next above that is less indented."""
    deep = indent(lines[number - 1])
    above = (line for line in range(number - 1, max(number - _FARTHEST, 0), -1) if lines[line - 1].strip())
    condition = next((line for line in above if indent(lines[line - 1]) < deep), None)
    if condition is not None and DECIDES.match(lines[condition - 1]):
        yield condition
    yield from range(number, end_of(lines, number) + 1)


def _prose(lines: Sequence[str], first: int, last: int) -> Iterator[int]:
    """Yield the lines of docstrings and block comments that span lines."""
    end = ""
    for number in range(first, last + 1):
        line = lines[number - 1]
        if end:
            yield number
            end = "" if end in line else end
        elif match := _OPENS.match(line):
            closing = "*/" if match[1] == "/*" else match[1]
            end = "" if closing in line[match.end() :] else closing
            yield number
