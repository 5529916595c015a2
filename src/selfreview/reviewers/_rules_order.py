"""Unreachable code: behind what leaves a block, or in a case that an earlier one covers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from selfreview.model.issue import Finding, Place
from selfreview.reviewers._rules_statements import following
from selfreview.rules.rule import Rule

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_LEAVES = {
    "python": ("return_statement", "raise_statement", "break_statement", "continue_statement"),
    "javascript": ("return_statement", "throw_statement", "break_statement", "continue_statement"),
}
_BLOCKS = frozenset({"block", "statement_block"})
_HOISTED = frozenset(
    {
        "function_declaration", "generator_function_declaration", "empty_statement", "pass_statement",
        "type_alias_declaration", "interface_declaration", "ambient_declaration", "export_statement",
    }
)  # fmt: skip
"""Node kinds of statements that have an effect wherever they are, or none at all."""

_VALUES = frozenset({"string", "number", "identifier", "member_expression", "true", "false", "null"})
_FUNCTIONS = frozenset({"function_definition", "generator_function_declaration", "generator_function", "module"})


def out_of_order(root: SgNode, language: str, rules: Mapping[str, Rule], path: str) -> Iterator[Finding]:
    """Yield findings of unreachable code.

    Args:
        root: Root of the parsed file.
        language: Its language.
        rules: The rules that code finds, by id.
        path: The file's path.
    """
    family = "python" if language == "python" else "javascript"
    if rule := rules.get(f"{family}-unreachable"):
        for leave in root.find_all(any=[{"kind": kind} for kind in _LEAVES[family]]):
            after = following(leave)
            parent = leave.parent()
            if after is not None and parent is not None and parent.kind() in _BLOCKS and _is_lost(leave, after):
                yield _finding(rule, path, leave, last=after)
    if rule := rules.get("javascript-duplicate-case"):
        for body in root.find_all(kind="switch_body"):
            yield from _duplicates(body, rule, path)


def _is_lost(leave: SgNode, after: SgNode) -> bool:
    """Return whether a statement that would have an effect is never reached."""
    kind = after.kind()
    if kind in _HOISTED or (kind == "expression_statement" and after.child(0) is not None and _is_text(after)):
        return False
    if kind == "variable_declaration" and "=" not in after.text():
        return False  # a var counts for the whole function
    if after.text().rstrip(" ;") in ("break", "continue", "return"):
        return False  # habit, and it hides nothing
    # A yield that is never reached is what makes a function a generator.
    waiting = [after]
    while waiting:
        node = waiting.pop()
        if node.kind() in ("yield", "yield_expression"):
            return False
        waiting += [child for child in node.children() if child.kind() not in _FUNCTIONS]
    return after.find(kind="ERROR") is None and leave.find(kind="ERROR") is None


def _is_text(statement: SgNode) -> bool:
    inner = statement.child(0)
    return inner is not None and inner.kind() in ("string", "ellipsis")


def _duplicates(body: SgNode, rule: Rule, path: str) -> Iterator[Finding]:
    seen: dict[str, SgNode] = {}
    for case in body.named_children():
        value = case.field("value") if case.kind() == "switch_case" else None
        if value is None or value.kind() not in _VALUES:
            continue
        first = seen.setdefault(value.text(), case)
        if first.range() != case.range():
            line = first.range().start.line + 1
            place = Place(file=path, line_start=line, line_end=line, note="the first one")
            yield _finding(rule, path, value, related=(place,))


def _finding(
    rule: Rule, path: str, node: SgNode, *, last: SgNode | None = None, related: tuple[Place, ...] = ()
) -> Finding:
    start, end = node.range().start, (node if last is None else last).range().start
    return Finding(
        file=path,
        line_start=start.line + 1,
        line_end=end.line + 1,
        column=start.column + 1,
        severity=rule.severity,
        category=rule.category,
        description=rule.message,
        suggested_fix=rule.suggestion,
        rule=rule.id,
        related=related,
    )
