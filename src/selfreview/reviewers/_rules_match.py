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
        config = cast("Config", {"rule": rule.match, "constraints": rule.constraints})
        for match in root.find_all(config):
            edits = () if rule.fix is None else (_edit(rule.fix, match, lines),)
            yield finding(rule, match, path, edits=edits)


def finding(rule: Rule, node: SgNode, path: str, *, edits: tuple[Edit, ...] = ()) -> Finding:
    """Make a finding at a node."""
    span = node.range()
    ends_before = span.end.column == 0 and span.end.line > span.start.line
    return Finding(
        file=path,
        line_start=span.start.line + 1,
        line_end=span.end.line + (0 if ends_before else 1),
        column=span.start.column + 1,
        severity=rule.severity,
        category=rule.category,
        description=rule.message,
        suggested_fix=rule.suggestion,
        rule=rule.id,
        edits=edits,
    )


def _edit(template: str, match: SgNode, lines: Sequence[str]) -> Edit:
    span = match.range()
    first, start, last, end = span.start.line, span.start.column, span.end.line, span.end.column
    text = _VARIABLE.sub(lambda name: _text(match, name[1]), template)
    if not text and not lines[first][:start].strip() and lines[last][end:].strip() in ("", ";"):
        return Edit(line_start=first + 1, column_start=0, line_end=last + 2, column_end=0, replacement="")
    return Edit(line_start=first + 1, column_start=start, line_end=last + 1, column_end=end, replacement=text)


def _text(match: SgNode, name: str) -> str:
    node = match if name == "MATCH" else match.get_match(name)
    return node.text() if node else ""
