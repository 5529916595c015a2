"""Colours and code on a terminal: excerpts around an issue, with line numbers and marked lines, and patches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from selfreview.api import Issue, LineRange, Severity, Side, SourceText
from selfreview.reporters.words import AFTER, numbers, shown
from selfreview.text.layout import ELLIPSIS, cells, fit, head, tail

_SGR = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}

_SEVERITY_STYLE = {
    Severity.CRITICAL: ("bold", "magenta"),
    Severity.HIGH: ("bold", "red"),
    Severity.MEDIUM: ("bold", "yellow"),
    Severity.LOW: ("cyan",),
    Severity.SUGGESTION: ("dim",),
}


class Paint:
    """Wrap text in ANSI codes when colours are wanted.

    Args:
        color: Whether they are; without, text is returned as it is.
    """

    def __init__(self, color: bool) -> None:
        self._color = color

    def __call__(self, text: str, *styles: str) -> str:
        """Return text in the named styles (``bold``, ``red``, …)."""
        if not self._color or not text or not styles:
            return text
        return f"\x1b[{';'.join(_SGR[style] for style in styles)}m{text}\x1b[0m"

    def severity(self, severity: Severity, width: int = 0) -> str:
        """Return the severity's word in its colour, padded to ``width`` columns."""
        return self(severity.value, *_SEVERITY_STYLE[severity]) + " " * (width - len(severity.value))


_WORD = re.compile(r"\w+")


def around(line: str, column: int, width: int) -> tuple[str, int, int]:
    """Cut a line around a column.

    Args:
        line: The raw line, of any length.
        column: 1-based column in code points; one beyond the end stands for the end.
        width: Columns to use at most.

    Returns:
        The text to print, the column in it (from 0) of the mark, and the mark's length.
    """
    index = min(column - 1, len(line))
    word = _WORD.match(line, index, index + width)
    marked = cells(shown(word[0] if word else line[index : index + 1]))
    before = shown(line[:index]) if index <= 4 * width else None
    after = shown(line[index : index + width], cells(before or ""))
    if before is not None and len(line) <= index + width and cells(before) + cells(after) <= width:
        return before + after, cells(before), max(1, marked)
    if before is None or (cells(before) > width // 2 and cells(before) + marked >= width):
        before = ELLIPSIS + tail(shown(line[max(0, index - width) : index]), width // 2)
    start = cells(before)
    text = before + after
    if cells(text) > width or len(line) > index + width:
        text = head(text, width - 1) + ELLIPSIS
    return text, start, max(1, min(marked, width - start))


class Excerpts:
    """Excerpts of the code around issues.

    Args:
        width: Columns of the terminal.
        paint: Colours.
        indent: What every line begins with.
    """

    def __init__(self, width: int, paint: Paint, indent: str) -> None:
        self._width = width
        self._paint = paint
        self._indent = indent

    def of(self, issue: Issue, source: SourceText | None, changed: Sequence[LineRange]) -> list[str]:
        """Return the lines to print for an issue.

        Args:
            issue: Where to look.
            source: The file's text on the issue's side, or None where it cannot be had: the evidence is shown then.
            changed: The lines that the change adds or removes on that side.
        """
        if not issue.line_start:
            return []
        if source is None or issue.line_start > len(source.lines):
            return self._evidence(issue)
        last = min(max(issue.line_start, issue.line_end), len(source.lines))
        shown_lines = numbers(issue.line_start, last, source)
        digits = len(str(last + AFTER))
        room = self._room(digits)
        if issue.column and len(source.line(issue.line_start)) > 4 * room:
            # The line is shown cut around the column: the starts of its neighbours would say nothing.
            shown_lines = [n for n in shown_lines if n is None or issue.line_start <= n <= last]
        lines: list[str] = []
        for number in shown_lines:
            if number is None:
                lines.append(self._paint(f"{self._indent}  {'⋮':>{digits}}", "dim"))
                continue
            sign = ("-" if issue.side is Side.OLD else "+") if any(number in r for r in changed) else " "
            gutter = f"{number:>{digits}} {sign}"
            mark = issue.severity if issue.line_start <= number <= last else None
            raw = source.line(number).removesuffix("\r")
            if issue.column and number == issue.line_start:
                lines += self._with_caret(gutter, issue.severity, around(raw, issue.column, room))
            else:
                lines.append(self._plain(gutter, mark, fit(shown(raw[: 2 * room]), room)))
        return lines

    def _room(self, digits: int) -> int:
        return max(10, self._width - len(self._indent) - digits - 6)

    def _evidence(self, issue: Issue) -> list[str]:
        if not issue.evidence:
            return []
        raw = issue.evidence.strip("\r\n").split("\n")[0].removesuffix("\r")
        gutter = f"{issue.line_start} {'-' if issue.side is Side.OLD else ' '}"
        room = self._room(len(str(issue.line_start)))
        return [self._plain(gutter, issue.severity, fit(shown(raw[: 2 * room]), room))]

    def _plain(self, gutter: str, mark: Severity | None, text: str) -> str:
        sign = self._paint(">", *_SEVERITY_STYLE[mark]) if mark else " "
        return f"{self._indent}{sign} {self._paint(f'{gutter}│', 'dim')} {text}".rstrip()

    def _with_caret(self, gutter: str, severity: Severity, view: tuple[str, int, int]) -> list[str]:
        text, start, length = view
        blank = self._paint(f"{' ' * len(gutter)}│", "dim")
        caret = self._paint("^" * length, *_SEVERITY_STYLE[severity])
        return [self._plain(gutter, severity, text), f"{self._indent}  {blank} {' ' * start}{caret}"]


_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def patch_lines(text: str, paint: Paint) -> Iterator[str]:
    """Yield the lines of a unified diff of git, without their line feeds."""
    in_head = True
    for line in text.removesuffix("\n").split("\n"):
        # A removed line of SQL or Lua that is a comment begins as the name of a file does: "--- ".
        in_head = line.startswith("diff ") or (in_head and not line.startswith("@@"))
        style = "bold" if in_head and line.startswith(("diff ", "+++", "---")) else _STYLES.get(line[:1])
        yield paint(shown(line), style) if style else shown(line)
