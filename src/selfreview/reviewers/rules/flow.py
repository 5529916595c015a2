"""Find values that must not reach a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.model.issue import Finding, Place
from selfreview.reviewers.rules.grammar import Grammar
from selfreview.reviewers.rules.match import finding
from selfreview.reviewers.rules.values import Resolver, Template, Variables, callee, extent, is_built, value_of
from selfreview.rules.rule import Flow, Rule

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MAX_TEXT = 4_000
"""Characters of a value that are looked at; patterns may take long on more."""

MAX_CALL = 20_000
"""Characters of a call that are searched for its other arguments."""


_ASSET = re.compile(
    r"^import[ \t]+(\w+)[ \t]+from[ \t]+['\"][^'\"\n]+\.(?:svg|png|jpe?g|gif|webp|avif|ico|css|woff2?|mp[34])['\"]",
    re.MULTILINE,
)
"""Name under which a script imports a file that is no code: its address."""


class Sink(NamedTuple):
    """Destination of values: a call, a return or an assignment, with its name and the values."""

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
    variables = Variables(root, grammar, source)
    sinks = list(_sinks(root, grammar, source))
    names = {sink.name for sink in sinks}
    assets = "|".join(map(re.escape, _ASSET.findall(source)))
    for rule in rules:
        if (flow := rule.flow) is None:
            continue
        if assets:
            flow = msgspec.structs.replace(flow, safe="|".join(filter(None, (flow.safe, rf"^(?:{assets})$"))))
        wanted = {name for name in names if re.search(flow.sink, name)}
        origins: dict[tuple[int, int], tuple[SgNode, list[Sink]]] = {}
        for sink in sinks:
            if sink.name in wanted and (template := _bad(sink, flow, variables)):
                place = template.origin or sink.node
                origins.setdefault(extent(place), (place, []))[1].append(sink)
        for place, reached in origins.values():
            yield _finding(rule, place, reached, path)


def _bad(sink: Sink, flow: Flow, variables: Variables) -> Template | None:
    if flow.when and not re.search(flow.when, variables.text(sink.node, MAX_CALL)):
        return None
    for value in sink.values if flow.argument < 0 else sink.values[flow.argument : flow.argument + 1]:
        template = Resolver(variables, flow).resolve(value)
        if is_built(template.text) and re.search(flow.text, template.text[:MAX_TEXT]):
            first, last = variables.scope(extent(sink.node)[0])
            if not flow.unless or not re.search(flow.unless, variables.source[first:last]):
                return template
    return None


def _sinks(root: SgNode, grammar: Grammar, source: str) -> Iterator[Sink]:
    for node in root.find_all(any=[{"kind": kind} for kind in grammar.calls]):
        name, arguments = callee(node, source)
        yield Sink(name, node, [value_of(argument) for argument in arguments])
    for node in root.find_all(any=[{"kind": kind} for kind in grammar.returns]):
        yield Sink(node.children()[0].text(), node, node.named_children())
    for node in root.find_all(any=[{"kind": kind} for kind in grammar.assignments]):
        parts = node.named_children()
        if len(parts) > 1:
            start, end = extent(parts[0])
            yield Sink("".join(source[start:end].split()) + "=", node, parts[-1:])


def _finding(rule: Rule, place: SgNode, sinks: Sequence[Sink], path: str) -> Finding:
    """Return a finding where a value is built, with every line from which it goes on."""
    found = finding(rule, place, path)
    lines = {sink.node.range().start.line + 1: sink for sink in reversed(sinks)}
    related = tuple(
        Place(file=path, line_start=line, line_end=line, note=f"goes into {sink.name}")
        for line, sink in reversed(lines.items())
        if not found.line_start <= line <= found.line_end
    )
    return msgspec.structs.replace(found, related=related)
