"""Marks that a change adds, each told by itself: what a mark silenced elsewhere excuses none here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selfreview.loop.guard.patch import File
from selfreview.loop.guard.silencers import KINDS, counts

_LONGEST = 80
_ENDS = re.compile(
    r"#\s*ruff\s*:\s*enable\b|(?:eslint|oxlint|tslint|stylelint|markdownlint|biome|prettier)-(?:enable|ignore-end)\b"
    r"|#\s*pylint\s*:\s*enable\b|\bNOLINTEND\b|\bCHECKSTYLE[:.]ON\b|#\s*rubocop\s*:\s*enable\b|#\s*yamllint\s+enable\b"
    r"|--\s*sqlfluff\s*:\s*on\b|(?:swiftlint|revive|ktlint)[:-]enable\b|phpcs:enable\b|@codingStandardsIgnoreEnd\b"
    r"|#pragma\s+warning\s+restore\b|#\s*pragma\s+(?:clang|gcc)\s+diagnostic\s+pop\b|--\s*noqa\s*:\s*enable\b",
    re.IGNORECASE,
)
"""Where a mark ends that silences more than a line."""
_OF_MORE = re.compile(
    r"#!\s*\[|\[\s*assembly\s*:|[#/*<!@;%\s-]*(?:(?:ruff|flake8)\s*[:=]\s*(?:flake8\s*[:=]\s*)?(?:noqa|disable|file-ignore)"
    r"|\w+\s*:\s*skip[-_]file|mypy\s*:|(?:pyright|pyrefly)\s*:\s*+(?!ignore\b(?!-))|pyre-(?:unsafe|ignore-all)"
    r"|(?:pylint|pytype)\s*:\s*disable(?!-next)|(?:eslint|oxlint)\s|eslint-env|markdownlint-configure"
    r"|(?:eslint|oxlint|tslint|stylelint|solhint|slither|markdownlint|phpcs|ktlint|revive)[-:]disable(?![-\w])"
    r"|[\w-]+[-:\s]+(?:ignore|disable|suppress)(?:[-\s]?(?:file|start)|-(?:all|begin))|@?ts-nocheck|lint:file-ignore"
    r"|swiftlint\s*:\s*disable(?!:)|scala\w+\s*:\s*off|credo:disable-for-this-file|luacheck:|NOLINTBEGIN"
    r"|pragma\s+(?:warning|clang|gcc)\s|codingStandardsIgnore(?:Start|File)|codeCoverageIgnoreStart|LCOV_EXCL_START"
    r"|CHECKSTYLE[:.]OFF|(?:rubocop|standard|reek)\s*:\s*(?:disable|todo)|:nocov:|yamllint\s*:?\s*disable(?!-line)"
    r"|(?:fmt|autopep8)\s*:\s*off|yapf\s*:\s*disable|clang-format off|sqlfluff\s*:\s*off|hadolint\s+global"
    r"|kics-scan\s+(?:ignore|disable)(?!-))",
    re.IGNORECASE,
)
"""What a mark that has a line for itself begins with where it is about a file, a scope or all lines until an end."""
_OF_THE_NEXT_LINE = re.compile(r"next[-_ ]?line|[-:]next\b", re.IGNORECASE)
_COMMENT = re.compile(r"[#@\[*]|//|/\*|--|<!--")
"""What the lines between a mark and its code begin with: other comments and attributes."""
_FARTHEST = 12
"""Lines among which the code of a mark is looked for."""
_MOST_ON_A_LINE = 20
"""Marks of a kind on one line that are told: each is compared with all of the line."""


class NewMark(NamedTuple):
    """A mark that silences what it did not before.

    Attributes:
        line: Its first line, from 1; of the old side where it is an end.
        text: The mark, with the names of what it silences.
        is_end: Whether it is the end of a mark, which the change takes away.
    """

    line: int
    text: str
    is_end: bool = False


class _Mark(NamedTuple):
    """One mark: its lines, itself, the code on its lines, and what else it is about that its lines do not show."""

    lines: range
    text: str
    code: str
    about: str
    reaches_out: bool


def new_marks(file: File) -> list[NewMark]:
    """Return the marks of a file that silence what they did not before, by line.

    Such a mark stands on a line that the change adds, unless the same line stood in this file before: the mark with its
    code. The code of a mark that has a line for itself is the next one, that of one behind a text of several lines is
    the text; such a mark is also new where it stays and the code becomes another.
    """
    after = list(_marks(file.path, file.new_lines))
    if not after and (file.new is None or _ENDS.search(file.old_text) is None):
        return []
    gone = _numbers((hunk.old_start, hunk.old) for hunk in file.hunks)
    come = _numbers((hunk.new_start, hunk.new) for hunk in file.hunks)
    moved: Counter[tuple[str, str]] = Counter()
    stood: Counter[tuple[str, str]] = Counter()
    for mark in _marks(file.old_path, file.old_lines):
        (stood if gone.isdisjoint(mark.lines) else moved)[mark.code, mark.about] += 1
    found = []
    for mark in after:
        if not come.isdisjoint(mark.lines):
            known = moved
        elif mark.reaches_out:
            known = stood
        else:
            continue
        if known[mark.code, mark.about] > 0:
            known[mark.code, mark.about] -= 1
        else:
            found.append(NewMark(mark.lines.start, mark.text))
    return [*sorted(set(found)), *_ends_taken(file, gone, come)]


def _marks(path: str, lines: Sequence[str]) -> Iterator[_Mark]:
    text = "\n".join(lines)
    for kind, pattern in KINDS:
        if not counts(kind, path, text):
            continue
        number, at, here = 1, 0, 0
        for match in pattern.finditer(text):
            further = text.count("\n", at, match.start())
            number, at = number + further, match.start()
            here = 1 if further else here + 1
            if here <= _MOST_ON_A_LINE:
                yield _mark(match, number, text, lines)


def _mark(match: re.Match[str], number: int, text: str, lines: Sequence[str]) -> _Mark:
    """Return a mark by its match and the number of its first line, from 1."""
    last = number + match.group().rstrip().count("\n")
    start = text.rfind("\n", 0, match.start()) + 1
    before = text[start : match.start()]
    about = _quoted(text, start, before)
    reaches_out = bool(about)
    if not about and re.search(r"\w", before) is None:
        about = _next_code(lines, last)
        whole = lines[number - 1].strip()
        reaches_out = _OF_THE_NEXT_LINE.search(whole) is not None or _OF_MORE.match(whole) is None
    said = " ".join(match.group().split())
    code = "\n".join(line.strip() for line in lines[number - 1 : last])
    return _Mark(range(number, last + 1), said[:_LONGEST], code, about, reaches_out)


def _next_code(lines: Sequence[str], first: int) -> str:
    """Return the code that comes next from a line on, from 0; where none is near, the next line that is not blank."""
    nearest = ""
    for at in range(first, min(first + _FARTHEST, len(lines))):
        line = lines[at].strip()
        if line and _COMMENT.match(line) is None:
            return line
        nearest = nearest or line
    return nearest


def _quoted(text: str, start: int, before: str) -> str:
    """Return the lines of a Python text that ends on the line of a mark, but for that line."""
    quotes = next((quotes for quotes in ('"""', "'''") if before.count(quotes) % 2), None)
    opened = text.rfind(quotes, 0, start) if quotes else -1
    return text[text.rfind("\n", 0, opened) + 1 : start] if opened >= 0 else ""


def _ends_taken(file: File, gone: set[int], come: set[int]) -> Iterator[NewMark]:
    there = Counter(file.new_lines[number - 1].strip() for number in come)
    for number in sorted(gone) if file.new is not None else ():
        line = file.old_lines[number - 1].strip()
        end = _ENDS.search(line)
        if end is None:
            continue
        if there[line] > 0:
            there[line] -= 1
        else:
            yield NewMark(number, " ".join(end.group().split()), is_end=True)


def _numbers(hunks: Iterable[tuple[int, Sequence[str]]]) -> set[int]:
    return {number for start, lines in hunks for number in range(start, start + len(lines))}
