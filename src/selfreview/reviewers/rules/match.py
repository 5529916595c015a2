"""Apply ast-grep rules to one parsed file, and their fixes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import structs

from selfreview.model.change import LineRange
from selfreview.model.issue import Edit, Finding
from selfreview.reviewers.rules.shell_variables import REMOVES_UNSET, ShellVariables
from selfreview.reviewers.rules.statements import following, removal, statement_of
from selfreview.rules.rule import Rule
from selfreview.syntax.grammar import BLOCKS

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode


class Found(Finding, frozen=True, kw_only=True):
    """A finding of a rule.

    Attributes:
        body: Those of its lines that hold nothing but the statements inside it, if any.
    """

    body: LineRange | None = None


def matches(root: SgNode, rules: Sequence[Rule], path: str, lines: Sequence[str]) -> Iterator[Finding]:
    """Yield what the rules find under a node.

    Args:
        root: Root of the parsed file.
        rules: Rules for the file's language, found by pattern.
        path: The file's path.
        lines: The file's lines, of which the parser may have seen some as blank.
    """
    variables: ShellVariables | None = None
    for rule in rules:
        config = cast("Config", {"rule": rule.match, "constraints": rule.constraints})
        for match in root.find_all(config):
            made = edit(rule, match, lines) if rule.fix is not None else None
            found = finding(rule, match, path, edits=(made,) if made is not None else ())
            if rule.id == REMOVES_UNSET:
                variables = variables or ShellVariables(root)
                if (judged := variables.judged(found, match)) is not None:
                    yield judged
                continue
            around = _whole_body_of(match) if rule.fix == "" else None
            yield found if around is None else structs.replace(found, suggested_fix=f"Remove it with its `{around}`.")


_UNBRACED = {
    "if_statement": "if", "else_clause": "else", "for_statement": "for", "for_in_statement": "for",
    "while_statement": "while", "do_statement": "do", "with_statement": "with",
}  # fmt: skip


def _whole_body_of(match: SgNode) -> str | None:
    """Return the node whose whole body a statement is, without brackets: the next one would take its place."""
    parent = match.parent()
    statement = parent if parent is not None and parent.kind() == "expression_statement" else match
    holder = statement.parent()
    return None if holder is None else _UNBRACED.get(holder.kind())


def finding(rule: Rule, node: SgNode, path: str, *, edits: tuple[Edit, ...] = ()) -> Finding:
    """Make a finding at a node."""
    span = node.range()
    ends_before = span.end.column == 0 and span.end.line > span.start.line
    return Found(
        file=path,
        line_start=span.start.line + 1,
        line_end=span.end.line + (0 if ends_before else 1),
        body=_body(node) if span.end.line > span.start.line else None,
        column=span.start.column + 1,
        severity=rule.severity,
        category=rule.category,
        description=rule.message,
        suggested_fix=rule.suggestion,
        rule=rule.id,
        edits=edits,
    )


def _body(node: SgNode) -> LineRange | None:
    block = _first_block(node)
    if block is None:
        return None
    before, after, span = block.prev(), block.next(), block.range()
    opens = block.text().startswith("{") or (before is not None and before.range().end.line == span.start.line)
    closes = block.text().endswith("}") or (after is not None and after.range().start.line == span.end.line)
    first, last = span.start.line + 1 + opens, span.end.line + 1 - closes
    return LineRange(first, last) if first <= last else None


def _first_block(node: SgNode) -> SgNode | None:
    inside = (block if block.kind() in BLOCKS else _first_block(block) for block in node.named_children())
    return next((block for block in inside if block is not None), None)


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
    values = {name: _matched_value(match, name) for name in _VARIABLE.findall(template)}
    if any(value is None for value in values.values()):
        return None
    return _VARIABLE.sub(lambda name: values[name[1]] or "", template)


def _matched_value(match: SgNode, name: str) -> str | None:
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
