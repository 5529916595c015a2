"""Excerpts of unchanged code beside a change, in whole statements: parts of long functions, assignments in use."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from selfreview.api.context import SourceText
from selfreview.llm.context.lookup import is_distinctive, names_on
from selfreview.llm.context.outline import enclosing
from selfreview.llm.context.view import ChangedDefinition, FileView
from selfreview.syntax.statements import indent_of

GAP = "…"
"""Mark in place of lines that are not shown."""


class Reference(NamedTuple):
    """Piece of unchanged code.

    Attributes:
        path: Its file.
        line_start, line_end: Its first and its last line, counted from 1.
        text: Those lines; a line of only an ellipsis stands for some that are left out.
        why: What it has to do with the change, in a few words for the model.
        is_use: Whether it uses something that the change defines, changes or removes.
    """

    path: str
    line_start: int
    line_end: int
    text: str
    why: str
    is_use: bool = False


def excerpt(path: str, lines: Sequence[str], numbers: Iterable[int], why: str) -> Reference:
    """Return some lines of a file as one reference.

    Args:
        path: The file.
        lines: All of its lines.
        numbers: 1-based numbers of those to show, at least one, in any order.
        why: See :class:`Reference`.
    """
    wanted = sorted(set(numbers))
    return Reference(path, wanted[0], wanted[-1], "\n".join(_with_gaps(lines, wanted)), why)


def without(reference: Reference, shown: Mapping[int, str]) -> Reference | None:
    """Return a reference without lines that are shown anyhow, or None where none remain.

    Args:
        reference: What to cut; one that leaves lines out stays as it is, for they cannot be numbered.
        shown: Lines of its file by number.
    """
    rows = reference.text.split("\n")
    if GAP in rows:
        return reference
    left = {number: row for number, row in enumerate(rows, reference.line_start) if shown.get(number) != row}
    worded = [number for number, row in left.items() if re.search(r"\w", row)]
    if not worded:
        return None
    kept = [number for number in left if worded[0] <= number <= worded[-1]]
    lines = [left.get(number, "") for number in range(1, kept[-1] + 1)]
    part = excerpt(reference.path, lines, kept, reference.why)._replace(is_use=reference.is_use)
    return part if len(left) < len(rows) else reference


def _with_gaps(lines: Sequence[str], wanted: Sequence[int]) -> Iterator[str]:
    above = wanted[0] - 1
    for number in wanted:
        if number > above + 1:
            yield GAP
        yield lines[number - 1]
        above = number


_FARTHEST = 12
"""Maximum lines that a statement is followed up or down."""
_OPENING = {")": "(", "]": "[", "}": "{"}
_NO_CODE = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`|(?:^|\s)(?://|#(?!\[)|--\s).*")
_BLOCK = re.compile(r"[({\[,:=?]\s*$|\breturn\s*$")
"""Text before a brace that opens a value and not a block."""


def around(lines: Sequence[str], number: int, more: int) -> tuple[int, int]:
    """Return the first and last line of the statement that a line is part of, with whole lines around it.

    Args:
        lines: All lines of a file.
        number: The line, 1-based.
        more: How many lines are wanted before and after the line itself; none that are half of another statement.
    """
    first = _start(lines, number)
    last = max(end_of(lines, first), end_of(lines, number))
    above, end = min(first, max(number - more, 1)), min(number + more, len(lines))
    while above < first and (_start(lines, above) < above or not lines[above - 1].strip()):
        above += 1
    below = last
    while below < end and end_of(lines, below + 1) <= end + more:
        below = end_of(lines, below + 1)
    while below > last and not lines[below - 1].strip():
        below -= 1
    return above, below


def _start(lines: Sequence[str], number: int) -> int:
    """Return the line with the outermost bracket that is open where a line begins; the line itself where none is."""
    found = number
    closed = 0
    for current in range(number - 1, max(number - _FARTHEST, 1) - 1, -1):
        for mark, before in reversed(list(_brackets(lines[current - 1]))):
            if mark in _OPENING:
                closed += 1
            elif closed:
                closed -= 1
            elif mark == "{" and not _BLOCK.search(before):
                return found
            else:
                found = current
    return found


def decorators(lines: Sequence[str], first: int) -> range:
    """Return the lines of the decorators and annotations of a definition that begins at a line with them."""
    number = first
    while number <= len(lines) and lines[number - 1].lstrip().startswith("@"):
        number = end_of(lines, number) + 1
    return range(first, number)


def head(lines: Sequence[str], first: int) -> range:
    """Return the lines of a definition before its body, without decorators, when it begins at a line."""
    start = min(decorators(lines, first).stop, len(lines))
    return range(start, end_of(lines, start) + 1)


def end_of(lines: Sequence[str], number: int) -> int:
    """Return the line that closes what a line leaves open; the line itself where that is too far, or a block."""
    opened = 0
    for current in range(number, min(number + _FARTHEST, len(lines)) + 1):
        for mark, before in _brackets(lines[current - 1]):
            if mark in _OPENING:
                opened = max(opened - 1, 0)
            elif mark != "{" or opened or _BLOCK.search(before):
                opened += 1
            else:
                return current
        if not opened:
            return current
    return number


def _brackets(line: str) -> Iterator[tuple[str, str]]:
    """Yield the brackets of a line outside of strings and comments, each with the text before it."""
    code = _NO_CODE.sub(lambda match: " " * len(match[0]), line)
    for match in re.finditer(r"[()\[\]{}]", code):
        yield match[0], code[: match.start()]


_LINES = 24
"""Maximum lines that are shown of one function."""
_RETURNS = 5
_FARTHEST_CONDITION = 12
"""Maximum lines from an exit up to the line that it depends on."""
_OFTEN = 12
"""Maximum lines with a name; a more frequent name is the subject of the whole function."""
_LEAVES = re.compile(r"^\s*(?:return|yield|raise|throw)\b")
_OTHERWISE = re.compile(r"^\s*(?:\}\s*)?(?:else|elif|elsif|elseif|except|catch|rescue|finally|ensure)\b")
_WORD = re.compile(r"[^\W\d]\w*")
_COMMENT = re.compile(r"^\s*(?:#(?!\[)|//|--\s)")
_OPENS = re.compile(r"^\s*[rR]?(\"\"\"|'''|/\*)")


def function_excerpts(
    view: FileView, lines: Sequence[str], changed: Sequence[ChangedDefinition]
) -> Iterator[Reference]:
    """Yield the head, the exits and the lines with names of the changed lines, of each function that is cut.

    Args:
        view: What is shown of the file.
        lines: All of its new side.
        changed: What changed in it.
    """
    shown = {line.number for piece in view.pieces for line in piece.lines if line.number is not None}
    for change in changed:
        item = change.after
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
            yield excerpt(view.file.path, lines, [*first, *chosen], f"lines of {change.name} that are not shown above")


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
        deep = indent_of(lines[number - 1])
        above = (line for line in reversed(hidden) if line < number and lines[line - 1].strip())
        owner = next((line for line in above if indent_of(lines[line - 1]) < deep), None)
        if owner is not None and _OTHERWISE.match(lines[owner - 1]):
            yield owner


def _way(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the lines of an exit, and before them the line that it depends on: the next above that is less indented."""
    deep = indent_of(lines[number - 1])
    above = (line for line in range(number - 1, max(number - _FARTHEST_CONDITION, 0), -1) if lines[line - 1].strip())
    condition = next((line for line in above if indent_of(lines[line - 1]) < deep), None)
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


_MAX_SETTINGS = 6
_CONDITIONS = 6
"""Maximum number of conditions and exits that are shown before a line that sets an attribute."""
_BRANCH = 12
"""Maximum lines of a branch with an exit that is shown whole: it shows what is set, or not, on that way."""
_LONGEST_FUNCTION = 36
"""Maximum lines of a function up to which such branches are shown."""
DECIDES = re.compile(r"^\s*(?:\}\s*)?(?:if|elif|elsif|else|unless|for|while|try|except|catch|with|case|switch|match)\b")
_EXITS = re.compile(r"^\s*(?:return|raise|throw)\b")
_USED = re.compile(r"\b(?:self|this|cls|Self)(?:\.|->|::)(\w+)|(?<![\w@])@(\w+)")
_SET = re.compile(r"^\s*(?:(?:self|this|cls)(?:\.|->)|@)(\w+)\s*(?::[^=]{1,80})?(?:\|\|)?=(?![=~>])")


class AttributeSetting(NamedTuple):
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


def attribute_excerpts(view: FileView, text: SourceText) -> Iterator[Reference]:
    """Yield what :func:`settings_of` finds, all of one function as one reference."""
    functions: dict[int, list[AttributeSetting]] = defaultdict(list)
    for setting in settings_of(view, text):
        functions[setting.function].append(setting)
    for settings in functions.values():
        numbers = {number for setting in settings for number in (setting.line, *setting.on)}
        for branch in dict.fromkeys(branch for setting in settings for branch in setting.branches):
            if len(numbers.union(branch)) <= _LONGEST_FUNCTION:
                numbers.update(branch)
        names = dict.fromkeys(setting.name for setting in settings)
        yield excerpt(view.file.path, text.lines, numbers, f"sets {', '.join(names)}")


def settings_of(view: FileView, text: SourceText) -> Iterator[AttributeSetting]:
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
    for _, number, name in sorted(ranked)[:_MAX_SETTINGS]:
        functions = [item for item in enclosing(view.definitions, number) if item.kind == "function"]
        function = functions[-1].line_start if functions else number
        yield AttributeSetting(number, name, function, *_conditions(text.lines, function + 1, number))


def _conditions(lines: Sequence[str], first: int, number: int) -> tuple[tuple[int, ...], tuple[range, ...]]:
    """Return the conditions around a line and the exits above it with theirs, and the branches of those exits.

    Args:
        lines: All lines of the file.
        first: The first line of the function's body.
        number: The line.
    """
    found: set[int] = set()
    branches: list[range] = []
    deep = indent_of(lines[number - 1])
    exits: list[tuple[int, int]] = []
    for current in range(number - 1, first - 1, -1):
        line = lines[current - 1]
        if not line.strip():
            continue
        depth = indent_of(line)
        if _EXITS.match(line) and depth > deep:
            exits.append((depth, current))
            found.add(current)
        elif DECIDES.match(line) and (depth < deep or any(depth < deeper for deeper, _ in exits)):
            found.add(current)
            within = [last for deeper, last in exits if depth < deeper]
            branches += [range(current, last + 1) for last in within if last - current < _BRANCH]
            exits = [(deeper, last) for deeper, last in exits if deeper <= depth]
        deep = min(deep, depth) if DECIDES.match(line) else deep
    kept = sorted(found)[-_CONDITIONS:]
    return tuple(kept), tuple(branch for branch in branches if branch.start in kept)
