"""Resolve an expression to a template, by following variables backwards within one function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from selfreview.reviewers._rules_grammar import BLOCKS, IGNORED_PARTS, TEXT_PARTS, Grammar
from selfreview.rules.flow import HOLE, NUMBER, Flow

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_STEPS = 400
"""Expressions looked at for one argument; what is longer is not followed to its end."""

_HARMLESS = "0"
_IDENTIFIERS = frozenset({"identifier", "variable_name", "simple_identifier"})
_LITERALS = re.compile(r"^(integer|float|number|true|false|none|null|nil|undefined|\w+_literal|boolean)$")
_WRAPPERS = frozenset(
    {
        "argument",
        "as_expression",
        "await",
        "await_expression",
        "expression_list",
        "interpolated_expression",
        "non_null_expression",
        "parenthesized_expression",
        "satisfies_expression",
        "spread_element",
        "template_substitution",
        "value_argument",
    }
)
_EXTRAS = frozenset({"comment", "line_comment", "block_comment", "line_continuation"})
_SEQUENCES = frozenset({"concatenated_string", "chained_string", "heredoc_body"})
_PASSED_ON = re.compile(
    r"(^|[.>])(strip|lstrip|rstrip|trim|encode|decode|lower|upper|dedent|text|toString|to_s|trimIndent)$"
)
_PERCENT = re.compile(r"%(?:\((\w+)\))?[-#0+ ]*[\d*]*(?:\.\d+)?([a-zA-Z%])")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}!:]*)(?:![^{}:]*)?(?::[^{}]*)?\}")


class Template(NamedTuple):
    """What an expression amounts to.

    Attributes:
        text: Constant parts, with ``HOLE`` and ``0`` for the others.
        origin: The expression that put constant and other parts together, if any did.
    """

    text: str
    origin: SgNode | None = None


class Assignment(NamedTuple):
    """One assignment to a variable: where it ends, its value, whether it appends, and the block that holds it."""

    end: int
    value: SgNode
    appends: bool
    block: tuple[int, int]


class Values:
    """The variables of one file.

    Args:
        root: Root of the parsed file.
        grammar: Kinds of its language.
        source: The parsed text.
    """

    def __init__(self, root: SgNode, grammar: Grammar, source: str) -> None:
        self._root = root
        self._grammar = grammar
        self._source = source
        self._steps = 0

    def resolve(self, node: SgNode, flow: Flow) -> Template:
        """Return what an argument amounts to, as a flow sees it."""
        self._steps = 0
        return self._template(node, flow)

    def scope(self, position: int) -> tuple[int, int]:
        """Return the extent of the innermost function around a position, or of the file."""
        return next(self._scopes_around(position))

    @cached_property
    def _scopes(self) -> list[tuple[int, int]]:
        nodes = self._root.find_all(any=[{"kind": kind} for kind in self._grammar.functions])
        return sorted((extent(node) for node in nodes), key=lambda scope: scope[1] - scope[0])

    @cached_property
    def _assignments(self) -> dict[tuple[str, tuple[int, int]], list[Assignment]]:
        found: dict[tuple[str, tuple[int, int]], list[Assignment]] = {}
        for node in self._root.find_all(any=[{"kind": kind} for kind in self._grammar.assignments]):
            parts = node.named_children()
            if len(parts) < 2:
                continue
            start, end = extent(node)
            between = self._source[extent(parts[-2])[1] : extent(parts[-1])[0]]
            item = Assignment(end, parts[-1], between.strip() in ("+=", ".="), _block(node))
            for name in {self._text(part).partition(":")[0].strip() for part in parts[:-1]}:
                found.setdefault((name, self.scope(start)), []).append(item)
        return found

    def _scopes_around(self, position: int) -> Iterator[tuple[int, int]]:
        yield from (scope for scope in self._scopes if scope[0] <= position < scope[1])
        yield (0, len(self._source))

    def _reaching(self, name: str, position: int) -> list[Assignment]:
        for scope in self._scopes_around(position):
            before = [item for item in self._assignments.get((name, scope), ()) if item.end <= position]
            if before:
                reaching: list[Assignment] = []
                for item in reversed(before):
                    reaching.insert(0, item)
                    if not item.appends and item.block[0] <= position < item.block[1]:
                        break
                return reaching
        return []

    def _text(self, node: SgNode) -> str:
        start, end = extent(node)
        return self._source[start:end]

    def _template(self, node: SgNode, flow: Flow) -> Template:
        self._steps += 1
        if self._steps > MAX_STEPS:
            return Template("")
        kind = node.kind()
        if kind in self._grammar.strings:
            return self._literal(node, flow)
        if kind in self._grammar.concatenations:
            return self._concatenation(node, flow)
        if kind in self._grammar.calls:
            return self._call(node, flow)
        if kind in _IDENTIFIERS:
            return self._variable(node, flow)
        if kind in _SEQUENCES:
            return self._joined(node.named_children(), flow, node)
        if kind in ("conditional_expression", "ternary_expression"):
            parts = node.named_children()
            branches = parts[::2] if self._text(node)[:1] and " if " in self._text(node) else parts[1:]
            return _widest([self._template(part, flow) for part in branches])
        if _LITERALS.match(kind):
            return Template(self._text(node).strip("\"'`"))
        if kind in _WRAPPERS and (inner := node.named_children()):
            return self._template(inner[-1], flow)
        return self._unknown(node, flow)

    def _literal(self, node: SgNode, flow: Flow) -> Template:
        parts = [part for part in node.named_children() if part.kind() not in IGNORED_PARTS]
        if not parts:
            return Template(self._text(node).strip("rbfuRBFU@$").strip("\"'`"))
        return self._joined(parts, flow, node)

    def _joined(self, parts: Sequence[SgNode], flow: Flow, whole: SgNode) -> Template:
        pieces = [self._piece(part, flow) for part in parts]
        text = "".join(piece.text for piece in pieces)
        origin = next((piece.origin for piece in pieces if piece.origin), None)
        return Template(text, origin or (whole if is_built(text) else None))

    def _piece(self, part: SgNode, flow: Flow) -> Template:
        if part.kind() in TEXT_PARTS:
            return Template(self._text(part))
        if part.kind() == "interpolation":
            inner = [child for child in part.named_children() if child.kind() != "interpolation_brace"]
            return self._template(inner[0], flow) if inner else Template("")
        return self._template(part, flow)

    def _concatenation(self, node: SgNode, flow: Flow) -> Template:
        operands: list[SgNode] = []
        left = node
        while left.kind() in self._grammar.concatenations and len(operands) < MAX_STEPS:
            parts = [part for part in left.named_children() if part.kind() not in _EXTRAS]
            operator = next((part.text() for part in left.children() if not part.is_named()), "")
            if operator == "%":
                filled = self._filled(self._template(parts[0], flow), _PERCENT, [parts[-1]], flow, left)
                return self._plus(filled, operands, flow, node)
            if operator not in ("+", ".", ".."):
                return self._unknown(node, flow)
            operands.insert(0, parts[-1])
            left = parts[0]
        return self._plus(self._template(left, flow), operands, flow, node)

    def _plus(self, first: Template, rest: Sequence[SgNode], flow: Flow, whole: SgNode) -> Template:
        pieces = [first, *(self._template(part, flow) for part in rest)]
        text = "".join(piece.text for piece in pieces)
        return Template(text, (whole if rest else first.origin) if is_built(text) else None)

    def _call(self, node: SgNode, flow: Flow) -> Template:
        name, arguments = self.callee(node)
        method = re.split(r"[.:>]", name)[-1]
        receiver = node.named_children()[0]
        if method in self._grammar.formats:
            values = [_value(argument) for argument in arguments]
            if receiver.kind() in ("attribute", "member_expression", "navigation_expression"):
                receiver = receiver.named_children()[0]
            template = self._template(receiver, flow)
            if template.text.strip(HOLE + _HARMLESS) and not self._text(receiver)[:1].isupper():
                return self._filled(template, _BRACES if "{" in template.text else _PERCENT, arguments, flow, node)
            if values:
                template = self._template(values[0], flow)
                return self._filled(template, _BRACES if "{0" in template.text else _PERCENT, arguments[1:], flow, node)
        if _PASSED_ON.search(name):
            passed = arguments[0] if arguments else receiver
            inner = passed if arguments or not passed.named_children() else passed.named_children()[0]
            return self._template(inner, flow)
        return self._unknown(node, flow)

    def _filled(
        self, template: Template, slots: re.Pattern[str], arguments: Sequence[SgNode], flow: Flow, whole: SgNode
    ) -> Template:
        if len(arguments) == 1 and arguments[0].kind() == "tuple":
            arguments = arguments[0].named_children()
        named = {self._text(a.named_children()[0]): a for a in arguments if a.kind() == "keyword_argument"}
        position = -1

        def fill(slot: re.Match[str]) -> str:
            nonlocal position
            if slot[0] in ("%%", "{{", "}}"):
                return slot[0][0]
            if slots is _PERCENT and slot[2] in "diufeEgGxXoctb":
                position += 1
                return NUMBER
            position += 1
            key = slot[1] or ""
            index = int(key) if key.isdigit() else position
            argument = named.get(key) or (
                arguments[index] if index < len(arguments) else arguments[-1] if arguments else None
            )
            if argument is None:
                return slot[0]
            return self._template(_value(argument), flow).text

        text = slots.sub(fill, template.text)
        return Template(text, whole if is_built(text) else template.origin)

    def _variable(self, node: SgNode, flow: Flow) -> Template:
        position = extent(node)[0]
        choices: list[Template] = []
        for item in self._reaching(self._text(node), position):
            value = self._template(item.value, flow)
            if item.appends:
                choices = [Template(c.text + value.text, c.origin or value.origin) for c in choices] or [value]
            else:
                choices.append(value)
        return _widest(choices) if choices else self._unknown(node, flow)

    def _unknown(self, node: SgNode, flow: Flow) -> Template:
        return Template(HOLE if self._matters(node, flow) else _HARMLESS)

    def _matters(self, node: SgNode, flow: Flow) -> bool:
        text = self._text(node)
        if flow.safe and re.search(flow.safe, text):
            return False
        return not flow.source or self._comes_from(node, text, flow)

    def _comes_from(self, node: SgNode, text: str, flow: Flow) -> bool:
        self._steps += 1
        if self._steps > MAX_STEPS:
            return False
        if re.search(flow.source, text):
            return True
        if node.kind() in _IDENTIFIERS:
            values = [item.value for item in self._reaching(text, extent(node)[0])]
            return any(self._matters(value, flow) for value in values)
        return any(self._matters(child, flow) for child in node.named_children())

    def callee(self, call: SgNode) -> tuple[str, list[SgNode]]:
        """Return the text of what is called, without white space, and the arguments."""
        start, end = extent(call)
        suffix = call.field("arguments") or next((c for c in call.children() if c.kind() == "call_suffix"), None)
        if suffix is None:
            return "".join(self._source[start:end][-200:].split()), []
        name = self._source[start : extent(suffix)[0]][-200:]
        inner = suffix.named_children()
        if len(inner) == 1 and inner[0].kind() == "value_arguments":
            inner = inner[0].named_children()
        return "".join(name.split()), [part for part in inner if part.kind() != "comment"]


def extent(node: SgNode) -> tuple[int, int]:
    """Return where a node starts and ends, in code points from the start of the file."""
    span = node.range()
    return span.start.index, span.end.index


def _value(argument: SgNode) -> SgNode:
    if argument.kind() in ("keyword_argument", "argument", "value_argument"):
        return argument.named_children()[-1]
    return argument


def is_built(text: str) -> bool:
    """Whether any part of a template is not constant."""
    return HOLE in text or NUMBER in text


def _block(node: SgNode) -> tuple[int, int]:
    parent = node.parent()
    while parent is not None and parent.kind() not in BLOCKS:
        parent = parent.parent()
    return extent(parent) if parent is not None else (0, 0)


def _widest(choices: Sequence[Template]) -> Template:
    return max(
        choices, key=lambda choice: (HOLE in choice.text, NUMBER in choice.text, len(choice.text)), default=Template("")
    )
