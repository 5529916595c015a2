"""Statements: removal of one, its neighbours, and code that is never reached."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from selfreview.model.issue import Edit, Finding, Place
from selfreview.rules.rule import Rule

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_HOLDERS = frozenset(
    {
        "module", "block",  # Python
        "program", "statement_block", "switch_case", "switch_default",
        "body_statement", "block_body", "then", "else", "do", "begin", "ensure",  # Ruby
        "compound_statement", "colon_block", "case_statement", "default_statement",  # PHP
    }
)  # fmt: skip
"""Node kinds that stay valid with a statement removed; in others the next statement would take its place."""

_HANDLERS = frozenset({"except_clause", "except_group_clause", "catch_clause", "rescue"})
"""Node kinds of handlers that ignore an error once they are empty."""

_EFFECTS = re.compile("call|creation|^new_|assign|named_expression|update|await|yield|include|require|throw|exit")
_JOINS = ("(", "[", "`", "+", "-", "*", "/", ".", ",")
"""Beginnings of a line that continue the line before, where nothing ends it."""

_TEXT = re.compile("[rRuUbBfF]{0,2}['\"]")
_COMMENT = re.compile(r"\s*(#|//)(?!.*\?>)")
_IMPORT = r"\bimport\s+{0}\s*;\s*{0}\."


def removal(match: SgNode, lines: Sequence[str], languages: Collection[str]) -> Edit | None:
    """Return the edit that removes a statement, or None where that would change what the rest does.

    A statement that others share a line with goes with one separator, one that Python's grammar cannot do without
    becomes ``pass``. The comment behind a statement goes with it. An import on the same line of nothing but what the
    statement uses goes, too.

    Args:
        match: The statement, or the expression that it consists of.
        lines: The file's lines.
        languages: Which ones it may be, of one family.
    """
    last = statement_of(match)
    holder = last.parent() if last is not None else None
    if last is None or holder is None or holder.kind() not in _HOLDERS or _has_effects(last):
        return None
    first = _import_for(last) or last
    before, after = preceding(first), following(last)
    if before is None and after is None:
        outer = holder.parent()
        if outer is not None and outer.kind() in _HANDLERS:
            return None
        if "python" in languages and holder.kind() == "block":
            return _edit(*_start(first), *_end(last, lines), "pass")
    elif after is not None and _means_more(before, after, breaks_may_join="javascript" in languages):
        return None
    return _cut(first, last, lines)


def statement_of(match: SgNode) -> SgNode | None:
    """Return the statement that consists of a match, or the match; None where the statement holds more than that."""
    parent = match.parent()
    statement = parent if parent is not None and parent.kind() == "expression_statement" else match
    if statement.kind() == "expression_statement" and sum(child.is_named() for child in statement.children()) != 1:
        return None
    return statement


def preceding(node: SgNode) -> SgNode | None:
    """Return the statement before another one in the same block."""
    before = node.prev()
    while before is not None and not _is_statement(before):
        before = before.prev()
    return before


def following(node: SgNode) -> SgNode | None:
    """Return the statement behind another one in the same block."""
    after = node.next()
    while after is not None and not _is_statement(after):
        after = after.next()
    return after


def _is_statement(node: SgNode) -> bool:
    return node.is_named() and "comment" not in node.kind() and node.kind() != "php_tag"


def _has_effects(statement: SgNode) -> bool:
    """Return whether the arguments have side effects that the rest may rely on."""
    call = statement.child(0) if statement.kind() == "expression_statement" else statement
    arguments = call.field("arguments") if call is not None else None
    waiting = list(arguments.children()) if arguments is not None else []
    while waiting:
        node = waiting.pop()
        if node.is_named() and _EFFECTS.search(node.kind()):
            return True
        waiting += node.children()
    return False


def _import_for(statement: SgNode) -> SgNode | None:
    separator = statement.prev()
    before = separator.prev() if separator is not None and separator.kind() == ";" else None
    if before is None or not (named := re.fullmatch(r"import\s+(\w+)", before.text())):
        return None
    name, text = named[1], statement.get_root().root().text()
    pairs = len(re.findall(_IMPORT.format(name), text))
    only_here = statement.text().startswith(f"{name}.") and len(re.findall(rf"\b{name}\b", text)) == 2 * pairs
    return before if only_here else None


def _means_more(before: SgNode | None, after: SgNode, *, breaks_may_join: bool) -> bool:
    """Return whether the next statement would join the statement before, or become a docstring or directive."""
    if before is None:
        return _TEXT.match(after.text()) is not None
    return breaks_may_join and not before.text().endswith(";") and after.text().startswith(_JOINS)


def _cut(first: SgNode, last: SgNode, lines: Sequence[str]) -> Edit | None:
    line, column = _start(first)
    last_line, end = _end(last, lines)
    before, after = lines[line][:column], lines[last_line][end:]
    is_last = not after.strip() or _COMMENT.match(after) is not None
    if is_last and not before.strip():
        if line and lines[line - 1].endswith("\\"):
            return None
        return _edit(line, 0, last_line + 1, 0, "")
    took_one = end > last.range().end.column
    separator = first.prev()
    if separator is not None and separator.kind() == ";" and (is_last or not took_one) and preceding(first) is not None:
        if separator.range().start.line != line:
            return None
        before = before[: separator.range().start.column].rstrip()
    elif is_last:
        before = before.rstrip()
    else:
        end += len(after) - len(after.lstrip())
    if not after.strip():
        end = len(lines[last_line])
    return _edit(line, len(before), last_line, end, "")


def _start(node: SgNode) -> tuple[int, int]:
    start = node.range().start
    return start.line, start.column


def _end(node: SgNode, lines: Sequence[str]) -> tuple[int, int]:
    """Return where a statement ends, with the separator behind it."""
    end, separator = node.range().end, node.next()
    if separator is not None and separator.kind() == ";" and separator.range().start.line == end.line:
        return end.line, separator.range().end.column
    return end.line, len(lines[end.line]) if lines[end.line][end.column :].strip() == ";" else end.column


def _edit(line: int, column: int, last_line: int, end: int, text: str) -> Edit:
    return Edit(line_start=line + 1, column_start=column, line_end=last_line + 1, column_end=end, replacement=text)


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
    return rule.finding(path, start.line + 1, end.line + 1, column=start.column + 1, related=related)
