"""Code as the page shows it: the lines around an issue, what an edit would change, and a patch."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from selfreview.api import Issue, LineRange, Side, SourceText
from selfreview.model.issue import Edit
from selfreview.reporters.words import numbers, shown
from selfreview.text.escape import visible
from selfreview.text.layout import ELLIPSIS, plural
from selfreview.text.masking import MASK

_WIDTH = 400
"""Characters of a line that are shown."""
_MOST_EDITED = 80
"""Lines that an edit is shown over."""
MOST_PATCH = 5000
"""Lines of one patch that are shown."""
_WORD = re.compile(r"\w+")


class Row(NamedTuple):
    """A line of code.

    Attributes:
        gutter: What stands before it: its number, and ``+`` or ``-`` where the change touches it.
        kind: ``hit`` for a line that an issue stands on, ``add``, ``del``, ``hunk``, or empty.
        text: The line, up to what is marked in it.
        marked, after: What the issue's column points at, and the rest.
    """

    gutter: str
    kind: str
    text: str
    marked: str = ""
    after: str = ""


def excerpt(issue: Issue, source: SourceText | None, changed: Sequence[LineRange]) -> list[Row]:
    """Return the lines around an issue; what was seen when it was found where the text cannot be had."""
    if not issue.line_start:
        return []
    if source is None or issue.line_start > len(source.lines):
        if not issue.evidence:
            return []
        raw = issue.evidence.strip("\r\n").split("\n")[0].removesuffix("\r")
        return [_marked(f"> {issue.line_start} {'-' if issue.side is Side.OLD else ' '}", raw, issue.column)]
    last = min(max(issue.line_start, issue.line_end), len(source.lines))
    rows = []
    digits = len(str(last + 1))
    for number in numbers(issue.line_start, last, source):
        if number is None:
            rows.append(Row(f"  {'⋮':>{digits}}  ", "", ""))
            continue
        touched = any(number in lines for lines in changed)
        sign = ("-" if issue.side is Side.OLD else "+") if touched else " "
        hit = issue.line_start <= number <= last
        gutter = f"{'>' if hit else ' '} {number:>{digits}} {sign}"
        raw = source.line(number).removesuffix("\r")
        if hit:
            rows.append(_marked(gutter, raw, issue.column if number == issue.line_start else None))
        else:
            rows.append(Row(gutter, "", _cut(raw)))
    return rows


def _marked(gutter: str, raw: str, column: int | None) -> Row:
    if not column or column > len(raw):
        return Row(gutter, "hit", _cut(raw))
    index = column - 1
    start = 0 if len(raw) <= _WIDTH or index < _WIDTH // 2 else index - _WIDTH // 4
    word = _WORD.match(raw, index, index + _WIDTH // 4)
    end = word.end() if word else index + 1
    stop = start + _WIDTH
    before = (ELLIPSIS if start else "") + shown(raw[start:index])
    marked = shown(raw[index:end], len(before))
    after = shown(raw[end:stop], len(before) + len(marked)) + (ELLIPSIS if len(raw) > stop else "")
    return Row(gutter, "hit", before, marked, after)


def _cut(raw: str) -> str:
    return shown(raw[:_WIDTH]) + (ELLIPSIS if len(raw) > _WIDTH else "")


def edited(issue: Issue, source: SourceText | None) -> list[Row]:
    """Return what an issue's edits would do, as a diff; in words where the lines that they change are not known."""
    if not issue.edits:
        return []
    edits = sorted(issue.edits, key=lambda edit: (edit.line_start, edit.column_start))
    first = edits[0].line_start
    last = max(e.line_end if e.column_end or e.line_end == e.line_start else e.line_end - 1 for e in edits)
    old = _before(issue, source, range(first, last + 1))
    diff = _diff(edits, old, first) if old else None
    return diff if diff is not None else [row for edit in edits for row in _in_words(edit)]


def _before(issue: Issue, source: SourceText | None, lines: range) -> list[str]:
    """Return the lines before they are edited; nothing where they are not known, or too many."""
    if source is not None and lines.start > 0 and lines.stop - 1 <= len(source.lines) and len(lines) <= _MOST_EDITED:
        old = [source.line(number).removesuffix("\r") for number in lines]
    elif source is None and issue.evidence and list(lines) == [issue.line_start] and "\n" not in issue.evidence:
        old = [issue.evidence.removesuffix("\r")]
    else:
        return []
    return [] if any(MASK in line for line in old) else old  # columns count in what stands there, not in its mask


def _diff(edits: Sequence[Edit], old: list[str], first: int) -> list[Row] | None:
    """Return the diff, or None where the edits do not fit the lines."""
    text = "".join(f"{line}\n" for line in old)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line) + 1)
    new, at = "", 0
    for edit in edits:
        begin = starts[min(edit.line_start - first, len(old))] + edit.column_start
        end = starts[min(edit.line_end - first, len(old))] + edit.column_end
        if not at <= begin <= end <= len(text):
            return None
        new, at = new + text[at:begin] + edit.replacement, end
    new = (new + text[at:]).removesuffix("\n")
    return list(_changes(old, new.split("\n") if new else [], first))


def _changes(old: list[str], new: list[str], first: int) -> Iterator[Row]:
    width = len(str(first + len(old)))
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        kind, sign = ("", " ") if tag == "equal" else ("del", "-")
        for number in range(i1, i2):
            yield Row(f"{first + number:>{width}} {sign}", kind, _cut(old[number]))
        if tag != "equal":
            for line in new[j1:j2]:
                yield Row(f"{'':>{width}} +", "add", _cut(line.removesuffix("\r")))


def _in_words(edit: Edit) -> Iterator[Row]:
    place = f"{edit.line_start}:{edit.column_start + 1} to {edit.line_end}:{edit.column_end + 1}"
    yield Row("", "hunk", f"{'replaces' if edit.replacement else 'removes'} {place}")
    if edit.replacement:
        for line in edit.replacement.removesuffix("\n").split("\n")[:_MOST_EDITED]:
            yield Row("+", "add", _cut(line.removesuffix("\r")))


def patch_rows(text: str) -> list[Row]:
    """Return a patch line by line, the first :data:`MOST_PATCH` of them."""
    lines = text.removesuffix("\n").split("\n")
    rows = [Row("", _kind(line), _cut(line.removesuffix("\r"))) for line in lines[:MOST_PATCH]]
    if len(lines) > MOST_PATCH:
        rows.append(Row("", "hunk", f"and {plural(len(lines) - MOST_PATCH, 'more line')}"))
    return rows


def _kind(line: str) -> str:
    if line.startswith(("diff ", "+++ ", "--- ")):
        return "name"
    return {"+": "add", "-": "del", "@": "hunk"}.get(line[:1], "")


def place(file: str, first: int, last: int) -> str:
    """Return ``path:3-7``, ``path:3``, or the path for a file as a whole, made visible."""
    if not first:
        return visible(file)
    return f"{visible(file)}:{first}" + (f"-{last}" if last > first else "")
