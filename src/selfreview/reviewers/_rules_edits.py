"""Edits of rules: they change or remove the match, and leave the rest of the program as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from selfreview.model.issue import Edit
from selfreview.reviewers._rules_statements import following, removal, statement_of
from selfreview.rules.rule import Rule

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_VARIABLE = re.compile(r"\$([A-Z][A-Z0-9_]*)")
_NEED_PARENTHESES = frozenset({"named_expression", "list_splat", "yield"})
_FUNCTIONS = frozenset({"function_definition", "lambda", "class_definition"})


def edit(rule: Rule, match: SgNode, lines: Sequence[str]) -> Edit | None:
    """Return the edit of a rule's fix at a match, or None where it would change or break anything else.

    Args:
        rule: A rule with a fix.
        match: What it found.
        lines: The file's lines. A page's hold its markup, which the parser does not see.
    """
    span = match.range()
    if _between(lines, span.start.line, span.start.column, span.end.line, span.end.column) != match.text():
        return None
    if not rule.fix:
        return removal(match, lines, rule.languages)
    text = _replacement(rule.fix, match)
    if text is None:
        return None
    return Edit(
        line_start=span.start.line + 1,
        column_start=span.start.column,
        line_end=span.end.line + 1,
        column_end=span.end.column,
        replacement=text,
    )


def _replacement(template: str, match: SgNode) -> str | None:
    statement = statement_of(match)
    if statement is None:
        return None
    if template.startswith(("raise ", "throw ")) and following(statement) is not None:
        return None  # nothing would reach what follows, and Java does not compile that
    if template.startswith("await ") and not _is_async(match):
        return None
    values = {name: _value(match, name) for name in _VARIABLE.findall(template)}
    if any(value is None for value in values.values()):
        return None
    return _VARIABLE.sub(lambda name: values[name[1]] or "", template)


def _value(match: SgNode, name: str) -> str | None:
    """Return the code that a variable matched; None where it cannot be used without the brackets around it."""
    if name == "MATCH":
        return match.text()
    node = match.get_match(name)
    if node is None or node.kind() in _NEED_PARENTHESES or "\n" in node.text():
        return None
    return node.text()


def _is_async(node: SgNode) -> bool:
    function = next((outer for outer in _ancestors(node) if outer.kind() in _FUNCTIONS), None)
    return function is not None and function.text().startswith("async")


def _ancestors(node: SgNode) -> Iterator[SgNode]:
    while (parent := node.parent()) is not None:
        yield parent
        node = parent


def _between(lines: Sequence[str], first: int, start: int, last: int, end: int) -> str:
    taken = list(lines[first : last + 1]) + [""] * (last + 1 - len(lines))
    taken[-1] = taken[-1][:end]
    taken[0] = taken[0][start:]
    return "\n".join(taken)
