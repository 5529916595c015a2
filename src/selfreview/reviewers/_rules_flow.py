"""Find values that must not reach a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.model.issue import Finding, Place
from selfreview.reviewers._rules_grammar import Grammar
from selfreview.reviewers._rules_values import Template, Values, extent, is_built
from selfreview.rules.flow import Flow
from selfreview.rules.rule import Rule

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_TEXT = 20_000
"""Characters of a value that are looked at; patterns may take long on more."""


class Sink(NamedTuple):
    """Where values go: a call, a return or an assignment; its name and the values."""

    name: str
    node: SgNode
    values: list[SgNode]


def flows(root: SgNode, rules: Sequence[Rule], grammar: Grammar, path: str, source: str) -> Iterator[Finding]:
    """Yield what the rules find in a file.

    Args:
        root: Root of the parsed file.
        rules: Rules with a flow, for the file's language.
        grammar: Kinds of that language.
        path: The file's path.
        source: The parsed text.
    """
    values = Values(root, grammar, source)
    seen: set[tuple[str, tuple[int, int]]] = set()
    sinks = list(_sinks(root, grammar, values, source))
    for rule in rules:
        if (flow := rule.flow) is None:
            continue
        for sink in sinks:
            if re.search(flow.sink, sink.name) and (template := _bad(sink, flow, values, source)):
                place = template.origin or sink.node
                if (rule.id, extent(place)) not in seen:
                    seen.add((rule.id, extent(place)))
                    yield _finding(rule, place, sink, path)


def _bad(sink: Sink, flow: Flow, values: Values, source: str) -> Template | None:
    start, end = extent(sink.node)
    if flow.when and not re.search(flow.when, source[start:end]):
        return None
    for value in sink.values if flow.argument < 0 else sink.values[flow.argument : flow.argument + 1]:
        template = values.resolve(value, flow)
        if is_built(template.text) and re.search(flow.text, template.text[:MAX_TEXT]):
            first, last = values.scope(start)
            if not flow.unless or not re.search(flow.unless, source[first:last]):
                return template
    return None


def _sinks(root: SgNode, grammar: Grammar, values: Values, source: str) -> Iterator[Sink]:
    for node in root.find_all(any=[{"kind": kind} for kind in grammar.calls]):
        name, arguments = values.callee(node)
        yield Sink(name, node, [_plain(argument) for argument in arguments])
    for node in root.find_all(any=[{"kind": kind} for kind in grammar.returns]):
        yield Sink(node.children()[0].text(), node, node.named_children())
    for node in root.find_all(any=[{"kind": kind} for kind in grammar.assignments]):
        parts = node.named_children()
        if len(parts) > 1:
            start, end = extent(parts[0])
            yield Sink("".join(source[start:end].split()) + "=", node, parts[-1:])


def _plain(argument: SgNode) -> SgNode:
    return argument.named_children()[-1] if argument.kind() in ("keyword_argument", "argument") else argument


def _finding(rule: Rule, place: SgNode, sink: Sink, path: str) -> Finding:
    span, where = place.range(), sink.node.range()
    inside = span.start.line <= where.start.line <= span.end.line
    related = Place(
        file=path, line_start=where.start.line + 1, line_end=where.start.line + 1, note=f"goes into {sink.name}"
    )
    return Finding(
        file=path,
        line_start=span.start.line + 1,
        line_end=span.end.line + 1,
        column=span.start.column + 1,
        severity=rule.severity,
        category=rule.category,
        description=rule.message,
        suggested_fix=rule.suggestion,
        rule=rule.id,
        related=() if inside else (related,),
    )
