"""Remove one statement, with what belonged to it alone, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from selfreview.model.issue import Edit

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
