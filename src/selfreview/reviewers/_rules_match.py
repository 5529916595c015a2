"""Apply ast-grep rules to one parsed file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from selfreview.model.issue import Edit, Finding
from selfreview.rules.rule import Rule

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

_VARIABLE = re.compile(r"\$([A-Z][A-Z0-9_]*)")


def matches(root: SgNode, rules: Sequence[Rule], path: str, lines: Sequence[str]) -> Iterator[Finding]:
    """Yield what the rules find under a node.

    Args:
        root: Root of the parsed file.
        rules: Rules for the file's language, found by pattern.
        path: The file's path.
        lines: The file's lines as they were parsed.
    """
    for rule in rules:
        seen: set[tuple[int, int]] = set()
        config = cast("Config", {"rule": rule.match, "constraints": rule.constraints})
        for match in root.find_all(config):
            node = match.get_match(rule.at) if rule.at else match
            place = node or match
            start = place.range().start
            if (start.line, start.column) not in seen:
                seen.add((start.line, start.column))
                yield _finding(rule, match, place, path, lines)


def _finding(rule: Rule, match: SgNode, place: SgNode, path: str, lines: Sequence[str]) -> Finding:
    span = place.range()
    last = span.end.line if span.end.column or span.end.line == span.start.line else span.end.line - 1
    edits = () if rule.fix is None else (_edit(rule.fix, match, place, lines),)
    return Finding(
        file=path,
        line_start=span.start.line + 1,
        line_end=last + 1,
        column=span.start.column + 1,
        severity=rule.severity,
        category=rule.category,
        description=rule.message,
        suggested_fix=rule.suggestion,
        rule=rule.id,
        edits=edits,
    )


def _edit(template: str, match: SgNode, place: SgNode, lines: Sequence[str]) -> Edit:
    span = place.range()
    first, start, last, end = span.start.line, span.start.column, span.end.line, span.end.column
    text = _VARIABLE.sub(lambda name: place.text() if name[1] == "MATCH" else _text(match, name[1]), template)
    if not text and not lines[first][:start].strip() and lines[last][end:].strip() in ("", ";"):
        return Edit(line_start=first + 1, column_start=0, line_end=last + 2, column_end=0, replacement="")
    return Edit(line_start=first + 1, column_start=start, line_end=last + 1, column_end=end, replacement=text)


def _text(match: SgNode, name: str) -> str:
    node = match.get_match(name)
    return node.text() if node else ""
