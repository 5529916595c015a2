"""Ranges of lines between a suppression comment that covers more than a line and its end."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence

ENDS = re.compile(
    r"#\s*ruff\s*:\s*enable\b|(?:eslint|oxlint|tslint|stylelint|markdownlint|biome|prettier)-(?:enable|ignore-end)\b"
    r"|#\s*pylint\s*:\s*enable\b|\bNOLINTEND\b|\bCHECKSTYLE[:.]ON\b|#\s*rubocop\s*:\s*enable\b|#\s*yamllint\s+enable\b"
    r"|--\s*sqlfluff\s*:\s*on\b|(?:swiftlint|revive|ktlint)[:-]enable\b|phpcs:enable\b|@codingStandardsIgnoreEnd\b"
    r"|#pragma\s+warning\s+restore\b|#\s*pragma\s+(?:clang|gcc)\s+diagnostic\s+pop\b|--\s*noqa\s*:\s*enable\b",
    re.IGNORECASE,
)
"""Ends of suppression comments that cover more than a line."""
_WORD = re.compile(r"[a-z]{4,}", re.IGNORECASE)
_NAME = re.compile(r"[\w@/-]*\w")
_MOST = 20
"""Maximum number of ends examined for a suppression comment."""
_BASE, _PRIME = 1_000_003, (1 << 61) - 1


class Ranges:
    """Finds the lines that the suppression comments of a text cover up to their ends.

    Args:
        lines: The text.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._ends: dict[str, list[tuple[int, set[str]]]] = {}
        self._sums, self._counts = [0], [0]
        for number, line in enumerate(lines, 1):
            end = ENDS.search(line)
            if end is not None:
                names = set(_NAME.findall(line[end.end() :]))
                self._ends.setdefault(_tool(end), []).append((number, names))
            text = line.strip()
            self._sums.append((self._sums[-1] * _BASE + hash(text)) % _PRIME if text else self._sums[-1])
            self._counts.append(self._counts[-1] + bool(text))

    def of(self, mark: re.Match[str], last: int) -> range | None:
        """Return the lines from the next after a suppression comment to its end, or None where it has none.

        An end that names other rules is none; nor does ruff take one that is not as far in as the mark.

        Args:
            mark: What the pattern of its kind matched.
            last: Its last line, from 1.
        """
        tool = _tool(mark)
        ends = self._ends.get(tool, [])
        names = set(_NAME.findall(mark.groupdict().get("rules") or ""))
        at = bisect.bisect(ends, last, key=lambda end: end[0])
        for number, named in ends[at : at + _MOST]:
            apart = names and named and names.isdisjoint(named)
            if not apart and (tool != "ruff" or self._indent(number) == self._indent(last)):
                return range(last + 1, number + 1)
        return None

    def digest(self, lines: range) -> str:
        """Return a digest of the lines that are not blank, independent of their position and indentation."""
        before, to = lines.start - 1, lines.stop - 1
        factor = pow(_BASE, self._counts[to] - self._counts[before], _PRIME)
        return str((self._sums[to] - self._sums[before] * factor) % _PRIME)

    def _indent(self, number: int) -> str:
        line = self.lines[number - 1]
        return line[: len(line) - len(line.lstrip())]


def _tool(match: re.Match[str]) -> str:
    word = _WORD.search(match.group())
    return word.group().casefold()[:6] if word is not None else ""
