"""Where the attributes that changed lines use are set, in the same file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.llm.outline import enclosing
from selfreview.llm.view import FileView

_MOST = 6
_CONDITIONS = 6
"""Most lines that are shown before one that sets an attribute."""
DECIDES = re.compile(r"^\s*(?:\}\s*)?(?:if|elif|elsif|else|unless|for|while|try|except|catch|with|case|switch|match)\b")
_LEAVES = re.compile(r"^\s*(?:return|raise|throw)\b")
_USED = re.compile(r"\b(?:self|this|cls|Self)(?:\.|->|::)(\w+)|(?<![\w@])@(\w+)")
_SET = re.compile(r"^\s*(?:(?:self|this|cls)(?:\.|->)|@)(\w+)\s*(?::[^=]{1,80})?(?:\|\|)?=(?![=~>])")


class Setting(NamedTuple):
    """A line that sets an attribute.

    Attributes:
        line: 1-based.
        name: The attribute.
        on: What decides whether it is reached in its function: conditions around it and exits above it, in order.
    """

    line: int
    name: str
    on: tuple[int, ...] = ()


def settings_of(view: FileView, text: SourceText) -> Iterator[Setting]:
    """Yield lines that set an attribute which a changed line uses, where they are not shown anyhow; the first of each
    attribute before any second, and a few in all.

    Args:
        view: What is shown of the file.
        text: All of its new side.
    """
    lines = [line for piece in view.pieces for line in piece.lines]
    used = {name for line in lines if line.mark != " " for pair in _USED.findall(line.text) for name in pair if name}
    if not used:
        return
    shown = {line.number for line in lines if line.number is not None}
    found = [
        (number, match[1])
        for number, line in enumerate(text.lines, 1)
        if number not in shown and (match := _SET.match(line)) and match[1] in used
    ]
    turn: dict[str, int] = {}
    ranked = []
    for number, name in found:
        turn[name] = turn.get(name, 0) + 1
        ranked.append((turn[name], number, name))
    for _, number, name in sorted(ranked)[:_MOST]:
        functions = [item for item in enclosing(view.definitions, number) if item.kind == "function"]
        first = functions[-1].line_start + 1 if functions else number
        yield Setting(number, name, tuple(_conditions(text.lines, first, number)))


def _conditions(lines: Sequence[str], first: int, number: int) -> list[int]:
    """Return the conditions around a line, and the exits above it with theirs, from a line of its function on."""
    found: set[int] = set()
    deep = indent(lines[number - 1])
    exits: list[int] = []
    for current in range(number - 1, first - 1, -1):
        line = lines[current - 1]
        if not line.strip():
            continue
        depth = indent(line)
        if _LEAVES.match(line) and depth > deep:
            exits.append(depth)
            found.add(current)
        elif DECIDES.match(line) and (depth < deep or any(depth < one for one in exits)):
            found.add(current)
            exits = [one for one in exits if one <= depth]
        deep = min(deep, depth) if DECIDES.match(line) else deep
    return sorted(found)[-_CONDITIONS:]


def indent(line: str) -> int:
    """Return how far a line is indented."""
    return len(line) - len(line.lstrip())
