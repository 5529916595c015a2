"""Apply ast-grep rules to one parsed file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import structs

from selfreview.model.change import LineRange
from selfreview.model.issue import Edit, Finding
from selfreview.reviewers import _rules_unset
from selfreview.reviewers._rules_edits import edit
from selfreview.reviewers._rules_grammar import BLOCKS
from selfreview.rules.rule import Rule

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
    variables: _rules_unset.Variables | None = None
    for rule in rules:
        config = cast("Config", {"rule": rule.match, "constraints": rule.constraints})
        for match in root.find_all(config):
            made = edit(rule, match, lines) if rule.fix is not None else None
            found = finding(rule, match, path, edits=(made,) if made is not None else ())
            if rule.id == _rules_unset.RULE:
                variables = variables or _rules_unset.Variables(root)
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
