"""New suppression comments of a change: those that silence what was not silenced before."""

from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.guard.patch import File
from selfreview.review.tool_comments import names_in
from selfreview.syntax.statements import continued, statement
from selfreview.syntax.suppression_comments import ENDS, KINDS, Ranges, counts, is_of_faults, is_of_more

_LONGEST = 80
_OF_A_LINE = frozenset({"noqa", "ruff: ignore"})
"""Kinds of suppression comments that cover the line that they follow, and its continuations by backslashes."""
_IMPORT = re.compile(r"\s*(?:from|import|export|use)\b")
"""Beginning of a list of names, such as an import, to which another may be added."""
_BEHIND_CODE = re.compile(r"\w|^\s*[)\]}]")
_COMMENT = re.compile(r"[#@\[*]|//|/\*|--|<!--")
"""Beginnings of the lines between a suppression comment and its code: other comments and attributes."""
_FARTHEST = 12
"""Maximum lines from a suppression comment to its code."""
_MAX_ON_A_LINE = 20
"""Maximum of suppression comments of a kind reported for a line: each is compared with all of the line."""


class NewMark(NamedTuple):
    """A suppression comment that silences something new.

    Attributes:
        line: Its first line, from 1; of the old side where it is an end.
        text: The mark, with the names of what it silences.
        is_end: Whether it is the end of a mark, which the change takes away.
        names: The rules that it names, as ``TOOL/RULE``.
    """

    line: int
    text: str
    is_end: bool = False
    names: tuple[str, ...] = ()


class _Mark(NamedTuple):
    """A suppression comment: its lines, its text, the code on its lines, and other code that it covers.

    Attributes:
        reaches_out: Whether what it is about may change while it stays: any of it, or the lines of ``within``.
        alike: What the same mark is about that has no end.
        names: The rules that it names, as ``TOOL/RULE``.
    """

    lines: range
    text: str
    code: str
    about: str
    reaches_out: bool
    within: range | None = None
    alike: str = ""
    names: tuple[str, ...] = ()


def new_marks(file: File) -> list[NewMark]:
    """Return the suppression comments of a file that silence something new, by line.

    Such a mark stands on a line that the change adds, unless the same line stood in this file before: the mark with its
    code. The code of a mark that has a line for itself is the next statement, that of another is the statement that it
    stands in, or the text of several lines; such a mark is also new where it stays and the code becomes another.

    The code of one that has an end is all up to there, and lines that go from there silence nothing.
    """
    after = list(_marks(file.path, file.new_lines))
    if not after and (file.new is None or ENDS.search(file.old_text) is None):
        return []
    gone = _numbers((hunk.old_start, hunk.old) for hunk in file.hunks)
    come = _numbers((hunk.new_start, hunk.new) for hunk in file.hunks)
    ordered = sorted(come)
    moved: Counter[tuple[str, str]] = Counter()
    stood: Counter[tuple[str, str]] = Counter()
    with_end: set[str] = set()
    without: set[str] = set()
    ends = list(_ends_taken(file, gone, come))
    for mark in _marks(file.old_path, file.old_lines):
        (stood if gone.isdisjoint(mark.lines) else moved)[mark.code, mark.about] += 1
        (without if mark.within is None else with_end).add(mark.code)
    found = []
    for mark in after:
        if not come.isdisjoint(mark.lines):
            known = moved
        elif mark.reaches_out and (mark.within is None or _meets(mark.within, ordered)):
            known = stood
        elif not ends and mark.within is None and mark.code in with_end and mark.code not in without:
            known = Counter()
        else:
            continue
        key = next((about for about in (mark.about, mark.alike) if about and known[mark.code, about] > 0), mark.about)
        if known[mark.code, key] > 0:
            known[mark.code, key] -= 1
        else:
            found.append(NewMark(mark.lines.start, mark.text, names=mark.names))
    return [*sorted(set(found)), *ends]


def _marks(path: str, lines: Sequence[str]) -> Iterator[_Mark]:
    text = "\n".join(lines)
    ranges = Ranges(lines)
    for kind, pattern in KINDS:
        if not counts(kind, path, text):
            continue
        number, at, here = 1, 0, 0
        for match in pattern.finditer(text):
            further = text.count("\n", at, match.start())
            number, at = number + further, match.start()
            here = 1 if further else here + 1
            if here <= _MAX_ON_A_LINE:
                yield _mark(kind, match, number, text, ranges)._replace(names=names_in(kind, match))


def _mark(kind: str, match: re.Match[str], number: int, text: str, ranges: Ranges) -> _Mark:
    """Return a suppression comment by its match and the number of its first line, from 1."""
    lines = ranges.lines
    last = number + match.group().rstrip().count("\n")
    start = text.rfind("\n", 0, match.start()) + 1
    before = text[start : match.start()]
    comment = " ".join(match.group().split())[:_LONGEST]
    code = _stripped(lines, range(number, last + 1))
    of_faults = is_of_faults(kind, match)
    about = _quoted(text, start, before)
    if about or _BEHIND_CODE.search(before) is not None:
        if not about and of_faults:
            about = _around(lines, number, whole=kind not in _OF_A_LINE)
        return _Mark(range(number, last + 1), comment, code, about, bool(about))
    at = _next_code(lines, last)
    about = _stripped(lines, statement(lines, at) if of_faults else range(at, at + 1)) if at else ""
    reaches_out = not is_of_more(lines[number - 1])
    within = ranges.of(match, last) if of_faults and not reaches_out else None
    if within is None:
        return _Mark(range(number, last + 1), comment, code, about, reaches_out)
    return _Mark(range(number, last + 1), comment, code, ranges.digest(within), True, within, about)


def _meets(lines: range, ordered: Sequence[int]) -> bool:
    """Return whether any of the sorted numbers is in a range of lines."""
    at = bisect.bisect_left(ordered, lines.start)
    return at < len(ordered) and ordered[at] in lines


def _stripped(lines: Sequence[str], numbers: range) -> str:
    return "\n".join(line.strip() for line in lines[numbers.start - 1 : numbers.stop - 1])


def _around(lines: Sequence[str], number: int, *, whole: bool) -> str:
    """Return the code that a suppression comment at the end of a line covers besides that line, or nothing."""
    covered = statement(lines, number) if whole else continued(lines, number)
    if len(covered) < 2 or _IMPORT.match(lines[covered.start - 1]):
        return ""
    return _stripped(lines, covered)


def _next_code(lines: Sequence[str], first: int) -> int:
    """Return the line of code that comes next, from 1; where none is near, the next not blank, or 0."""
    near = [at for at in range(first, min(first + _FARTHEST, len(lines))) if lines[at].strip()]
    code = (at for at in near if _COMMENT.match(lines[at].strip()) is None)
    return next(code, near[0] if near else -1) + 1


def _quoted(text: str, start: int, before: str) -> str:
    """Return the lines of a Python string that ends on the line of a suppression comment, but for that line."""
    quotes = next((quotes for quotes in ('"""', "'''") if before.count(quotes) % 2), None)
    opened = text.rfind(quotes, 0, start) if quotes else -1
    return text[text.rfind("\n", 0, opened) + 1 : start] if opened >= 0 else ""


def _ends_taken(file: File, gone: set[int], come: set[int]) -> Iterator[NewMark]:
    there = Counter(file.new_lines[number - 1].strip() for number in come)
    for number in sorted(gone) if file.new is not None else ():
        line = file.old_lines[number - 1].strip()
        end = ENDS.search(line)
        if end is None:
            continue
        if there[line] > 0:
            there[line] -= 1
        else:
            yield NewMark(number, " ".join(end.group().split()), is_end=True)


def _numbers(hunks: Iterable[tuple[int, Sequence[str]]]) -> set[int]:
    return {number for start, lines in hunks for number in range(start, start + len(lines))}
