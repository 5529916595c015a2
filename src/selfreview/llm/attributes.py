"""Assignments, in the same file, of the attributes that changed lines use."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.llm.outline import enclosing
from selfreview.llm.reference import Reference, excerpt
from selfreview.llm.view import FileView

_MOST = 6
_CONDITIONS = 6
"""Maximum number of conditions and exits that are shown before a line that sets an attribute."""
_BRANCH = 12
"""Maximum lines of a branch with an exit that is shown whole: it shows what is set, or not, on that way."""
_LINES = 36
"""Maximum lines of a function up to which such branches are shown."""
DECIDES = re.compile(r"^\s*(?:\}\s*)?(?:if|elif|elsif|else|unless|for|while|try|except|catch|with|case|switch|match)\b")
_LEAVES = re.compile(r"^\s*(?:return|raise|throw)\b")
_USED = re.compile(r"\b(?:self|this|cls|Self)(?:\.|->|::)(\w+)|(?<![\w@])@(\w+)")
_SET = re.compile(r"^\s*(?:(?:self|this|cls)(?:\.|->)|@)(\w+)\s*(?::[^=]{1,80})?(?:\|\|)?=(?![=~>])")


class Setting(NamedTuple):
    """A line that sets an attribute.

    Attributes:
        line: 1-based.
        name: The attribute.
        function: The first line of the function that it stands in; its own where there is none.
        on: What decides whether it is reached in its function: conditions around it and exits above it, in order.
        branches: The lines of short branches that end in one of those exits.
    """

    line: int
    name: str
    function: int
    on: tuple[int, ...] = ()
    branches: tuple[range, ...] = ()


def excerpts(view: FileView, text: SourceText) -> Iterator[Reference]:
    """Yield what :func:`settings_of` finds, all of one function as one reference."""
    functions: dict[int, list[Setting]] = defaultdict(list)
    for setting in settings_of(view, text):
        functions[setting.function].append(setting)
    for settings in functions.values():
        numbers = {number for setting in settings for number in (setting.line, *setting.on)}
        for branch in dict.fromkeys(branch for setting in settings for branch in setting.branches):
            if len(numbers.union(branch)) <= _LINES:
                numbers.update(branch)
        names = dict.fromkeys(setting.name for setting in settings)
        yield excerpt(view.file.path, text.lines, numbers, f"sets {', '.join(names)}")


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
        function = functions[-1].line_start if functions else number
        yield Setting(number, name, function, *_conditions(text.lines, function + 1, number))


def _conditions(lines: Sequence[str], first: int, number: int) -> tuple[tuple[int, ...], tuple[range, ...]]:
    """Return the conditions around a line and the exits above it with theirs, and the branches of those exits.

    Args:
        lines: All lines of the file.
        first: The first line of the function's body.
        number: The line.
    """
    found: set[int] = set()
    branches: list[range] = []
    deep = indent(lines[number - 1])
    exits: list[tuple[int, int]] = []
    for current in range(number - 1, first - 1, -1):
        line = lines[current - 1]
        if not line.strip():
            continue
        depth = indent(line)
        if _LEAVES.match(line) and depth > deep:
            exits.append((depth, current))
            found.add(current)
        elif DECIDES.match(line) and (depth < deep or any(depth < one for one, _ in exits)):
            found.add(current)
            branches += [range(current, last + 1) for one, last in exits if depth < one and last - current < _BRANCH]
            exits = [one for one in exits if one[0] <= depth]
        deep = min(deep, depth) if DECIDES.match(line) else deep
    kept = sorted(found)[-_CONDITIONS:]
    return tuple(kept), tuple(branch for branch in branches if branch.start in kept)


def indent(line: str) -> int:
    """Return how far a line is indented."""
    return len(line) - len(line.lstrip())
