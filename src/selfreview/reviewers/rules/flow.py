"""Find values that must not reach a call: variables followed backwards, expressions resolved to templates."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from selfreview.model.issue import Finding, Place
from selfreview.reviewers.rules.match import finding
from selfreview.rules.rule import HOLE, NUMBER, Flow, Rule
from selfreview.syntax.grammar import BLOCKS, IGNORED_PARTS, TEXT_PARTS, Grammar

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


MAX_STEPS = 400
"""Expressions that are followed for one value; a longer one is not followed to its end."""

MAX_DEPTH = 40
"""Expressions inside each other, variables followed included."""

MAX_EXPRESSION = 2_000
"""Characters of an expression that are searched for what makes it matter or harmless."""

_HARMLESS = "0"
_EXTRAS = frozenset({"comment", "line_comment", "block_comment", "line_continuation"})
_IDENTIFIERS = frozenset({"identifier", "variable_name", "simple_identifier"})
_SEQUENCES = frozenset({"concatenated_string", "chained_string", "heredoc_body"})
_CHOICES = frozenset({"conditional_expression", "ternary_expression"})
_ATTRIBUTES = frozenset({"attribute", "member_expression", "navigation_expression", "selector_expression"})
_NAMED = frozenset({"keyword_argument", "argument", "value_argument"})
_CASTS = frozenset({"as_expression", "satisfies_expression"})
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
        "type_assertion",
        "value_argument",
    }
)
_LITERAL = re.compile(r"^(integer|float|number|true|false|none|null|nil|undefined|\w+_literal|boolean)$")
_PASSED_ON = re.compile(
    r"(^|[.>])(l?strip|rstrip|trim|encode|decode|lower|upper|dedent|text|toString|to_s|trimIndent)$"
)
_TRANSPARENT = (
    r"(?i)(^|[.:>])(\w*join|joinpath|path|s?printf|str|string|strval|concat|format|l?trim|rtrim|strip\w*|\w*lower\w*|\w*upper\w*|"
    r"\w*decode\w*|unquote|unescape|loads|parse|replace|str_replace|substr\w*|split|explode|implode|get|fetch|pop|file|"
    r"fileinputstream|filereader|bytes|list|values|wp_unslash)$"
)
_PERCENT = re.compile(r"%(?:\((\w+)\))?[-#0+ ]*[\d*]*(?:\.\d+)?([a-zA-Z%])")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}!:]*)(?:![^{}:]*)?(?::[^{}]*)?\}")


class Template(NamedTuple):
    """Value of an expression, as a text with holes.

    Attributes:
        text: Constant parts, with ``HOLE``, ``NUMBER`` and ``0`` for the others.
        origin: The expression that put constant and other parts together, if any did.
    """

    text: str
    origin: SgNode | None = None


class Resolver:
    """Resolves one value, as one flow sees it.

    Args:
        variables: The assignments of the file.
        flow: What matters and what is harmless.
    """

    def __init__(self, variables: Variables, flow: Flow) -> None:
        self._variables = variables
        self._flow = flow
        self._steps = 0
        self._depth = 0

    def resolve(self, node: SgNode) -> Template:
        """Return the value of an expression; nothing where it is too long or too deep."""
        self._steps += 1
        if self._steps > MAX_STEPS or self._depth > MAX_DEPTH:
            return Template("")
        self._depth += 1
        try:
            return self._way(node.kind())(node)
        finally:
            self._depth -= 1

    def _way(self, kind: str) -> Callable[[SgNode], Template]:
        grammar = self._variables.grammar
        ways: tuple[tuple[bool, Callable[[SgNode], Template]], ...] = (
            (kind in grammar.strings, self._literal),
            (kind in grammar.concatenations, self._concatenation),
            (kind in grammar.calls, self._call),
            (kind in _IDENTIFIERS, self._variable),
            (kind in _SEQUENCES, lambda node: self._joined(node.named_children(), node)),
            (kind in _CHOICES, self._choice),
            (_LITERAL.match(kind) is not None, self._constant),
            (kind in _WRAPPERS, self._last),
        )
        return next((way for applies, way in ways if applies), self._unknown)

    def _last(self, node: SgNode) -> Template:
        inner = node.named_children()
        return self.resolve(inner[0 if node.kind() in _CASTS else -1]) if inner else self._unknown(node)

    def _constant(self, node: SgNode) -> Template:
        return Template(self._variables.text(node).strip("\"'`"))

    def _choice(self, node: SgNode) -> Template:
        parts = node.named_children()
        condition = self._variables.grammar.condition
        return _widest([self.resolve(part) for place, part in enumerate(parts) if place != condition])

    def _literal(self, node: SgNode) -> Template:
        parts = [part for part in node.named_children() if part.kind() not in IGNORED_PARTS]
        if not parts:
            return Template(self._variables.text(node).strip("rbfuRBFU@$").strip("\"'`"))
        return self._joined(parts, node)

    def _joined(self, parts: Sequence[SgNode], whole: SgNode) -> Template:
        pieces = [self._piece(part) for part in parts]
        text = "".join(piece.text for piece in pieces)
        origin = next((piece.origin for piece in pieces if piece.origin), None)
        return Template(text, origin or (whole if is_built(text) else None))

    def _piece(self, part: SgNode) -> Template:
        if part.kind() in TEXT_PARTS:
            return Template(self._variables.text(part))
        if part.kind() == "interpolation":
            inner = [child for child in part.named_children() if child.kind() != "interpolation_brace"]
            return self.resolve(inner[0]) if inner else Template("")
        return self.resolve(part)

    def _concatenation(self, node: SgNode) -> Template:
        operands: list[SgNode] = []
        left = node
        while left.kind() in self._variables.grammar.concatenations and len(operands) < MAX_STEPS:
            parts = [part for part in left.named_children() if part.kind() not in _EXTRAS]
            operator = next((part.text() for part in left.children() if not part.is_named()), "")
            if operator not in ("+", ".", "..", "%") or len(parts) < 2:
                return self._unknown(node)
            if operator == "%":
                return self._sum(self._filled(self.resolve(parts[0]), _PERCENT, [parts[-1]], left), operands, node)
            operands.insert(0, parts[-1])
            left = parts[0]
        return self._sum(self.resolve(left), operands, node)

    def _sum(self, first: Template, rest: Sequence[SgNode], whole: SgNode) -> Template:
        text = "".join([first.text, *(self.resolve(part).text for part in rest)])
        return Template(text, (whole if rest else first.origin) if is_built(text) else None)

    def _call(self, node: SgNode) -> Template:
        name, arguments = callee(node, self._variables.source)
        receiver = node.named_children()[0]
        if re.split(r"[.:>]", name)[-1] in self._variables.grammar.formats:
            if receiver.kind() in _ATTRIBUTES:
                receiver = receiver.named_children()[0]
            template = self.resolve(receiver)
            if template.text.strip(HOLE + _HARMLESS) and not self._variables.text(receiver)[:1].isupper():
                return self._filled(template, _BRACES if "{" in template.text else _PERCENT, arguments, node)
            if arguments:
                template = self.resolve(value_of(arguments[0]))
                return self._filled(template, _BRACES if "{0" in template.text else _PERCENT, arguments[1:], node)
        if _PASSED_ON.search(name):
            inner = receiver.named_children()
            return self.resolve(arguments[0] if arguments else inner[0] if inner else receiver)
        return self._unknown(node)

    def _filled(
        self, template: Template, slots: re.Pattern[str], arguments: Sequence[SgNode], whole: SgNode
    ) -> Template:
        if len(arguments) == 1 and arguments[0].kind() == "tuple":
            arguments = arguments[0].named_children()
        named = {self._variables.text(a.named_children()[0]): a for a in arguments if a.kind() == "keyword_argument"}
        position = -1

        def fill(slot: re.Match[str]) -> str:
            nonlocal position
            if slot[0] in ("%%", "{{", "}}"):
                return slot[0][0]
            position += 1
            if slots is _PERCENT and slot[2] in "diufeEgGxXoctb":
                return NUMBER
            key = slot[1] or ""
            index = min(int(key) if key.isdigit() else position, len(arguments) - 1)
            argument = named.get(key) or (arguments[index] if arguments else None)
            return slot[0] if argument is None else self.resolve(value_of(argument)).text

        text = slots.sub(fill, template.text)
        return Template(text, whole if is_built(text) else template.origin)

    def _variable(self, node: SgNode) -> Template:
        choices: list[Template] = []
        for item in self._variables.reaching(self._variables.text(node), extent(node)[0]):
            value = self.resolve(item.value)
            if item.appends:
                choices = [Template(c.text + value.text, c.origin or value.origin) for c in choices] or [value]
            else:
                choices.append(value)
        return _widest(choices) if choices else self._unknown(node)

    def _unknown(self, node: SgNode) -> Template:
        return Template(HOLE if self._matters(node) else _HARMLESS)

    def _matters(self, node: SgNode) -> bool:
        text = self._variables.text(node, MAX_EXPRESSION)
        if self._flow.safe and re.search(self._flow.safe, text):
            return False
        return not self._flow.source or self._comes_from(node, text)

    def _comes_from(self, node: SgNode, text: str) -> bool:
        self._steps += 1
        if self._steps > MAX_STEPS or self._depth > MAX_DEPTH:
            return False
        self._depth += 1
        try:
            if node.kind() in self._variables.grammar.calls:
                return self._call_comes_from(node)
            if "(" not in text and re.search(self._flow.source, text):
                return True
            if node.kind() in _IDENTIFIERS:
                values = [item.value for item in self._variables.reaching(text, extent(node)[0])]
                return any(self._matters(value) for value in values)
            return any(self._matters(child) for child in node.named_children())
        finally:
            self._depth -= 1

    def _call_comes_from(self, node: SgNode) -> bool:
        name, arguments = callee(node, self._variables.source)
        if re.search(self._flow.source, f"{name}("):
            return True
        passed = arguments if re.search(_TRANSPARENT, name) else []
        return any(self._matters(part) for part in [*passed, *node.named_children()[:1]])


def callee(call: SgNode, source: str) -> tuple[str, list[SgNode]]:
    """Return where the text of the called expression ends, without white space, and the arguments."""
    start, end = extent(call)
    suffix = call.field("arguments") or next((c for c in call.children() if c.kind() == "call_suffix"), None)
    if suffix is None:
        return "".join(source[max(start, end - 200) : end].split()), []
    stop = extent(suffix)[0]
    inner = suffix.named_children()
    if len(inner) == 1 and inner[0].kind() == "value_arguments":
        inner = inner[0].named_children()
    return "".join(source[max(start, stop - 200) : stop].split()), [p for p in inner if p.kind() not in _EXTRAS]


def value_of(argument: SgNode) -> SgNode:
    """Return an argument's value, without its name; C#'s ``this`` is an argument without parts."""
    parts = argument.named_children() if argument.kind() in _NAMED else []
    return parts[-1] if parts else argument


def is_built(text: str) -> bool:
    """Return whether any part of a template is not constant."""
    return HOLE in text or NUMBER in text


def _widest(choices: Sequence[Template]) -> Template:
    return max(choices, key=lambda c: (HOLE in c.text, NUMBER in c.text, len(c.text)), default=Template(""))


Extent = tuple[int, int]
"""Start and end in code points from the start of the file."""


class Assignment(NamedTuple):
    """One assignment: its extent, the statement, the value, and whether that is appended."""

    place: Extent
    node: SgNode
    value: SgNode
    appends: bool


class Variables:
    """The assignments of one file, found when they are first asked for.

    Args:
        root: Root of the parsed file.
        grammar: Kinds of its language.
        source: The parsed text.
    """

    def __init__(self, root: SgNode, grammar: Grammar, source: str) -> None:
        self.grammar = grammar
        self.source = source
        self._root = root
        self._known_scopes: dict[int, Extent] = {}
        self._known_blocks: dict[Extent, Extent] = {}

    def text(self, node: SgNode, limit: int = 1 << 30) -> str:
        """Return a node's text, or its first ``limit`` characters."""
        start, end = extent(node)
        return self.source[start : min(end, start + limit)]

    def scope(self, position: int) -> Extent:
        """Return the extent of the innermost function around a position, or of the file."""
        if position not in self._known_scopes:
            self._known_scopes[position] = next(self._scopes_around(position))
        return self._known_scopes[position]

    def reaching(self, name: str, position: int) -> list[Assignment]:
        """Return the assignments that may decide a variable's value at a position, in order."""
        everywhere = self._assignments.get(name, {})
        for scope in self._scopes_around(position) if everywhere else ():
            here = everywhere.get(scope, [])
            count = bisect.bisect_right(here, position, key=lambda item: item.place[1])
            if count:
                return here[self._last_certain(here, count, position) : count]
        return []

    def _last_certain(self, assignments: list[Assignment], count: int, position: int) -> int:
        """Return which of the first assignments is the last that surely took place before a position, or 0."""
        for index in range(count - 1, -1, -1):
            item = assignments[index]
            if not item.appends:
                if item.place not in self._known_blocks:
                    self._known_blocks[item.place] = _block(item.node)
                start, end = self._known_blocks[item.place]
                if start <= position < end:
                    return index
        return 0

    def _scopes_around(self, position: int) -> Iterator[Extent]:
        index = bisect.bisect_right(self._scopes, position, key=lambda scope: scope[0]) - 1
        while index >= 0:
            if position < self._scopes[index][1]:
                yield self._scopes[index]
            index = self._outer[index]
        yield (0, len(self.source))

    @cached_property
    def _scopes(self) -> list[Extent]:
        """The functions, each behind the function that it is nested in."""
        nodes = self._root.find_all(any=[{"kind": kind} for kind in self.grammar.scopes])
        return sorted((extent(node) for node in nodes), key=lambda scope: (scope[0], -scope[1]))

    @cached_property
    def _outer(self) -> list[int]:
        """Index of the function around each function; -1 for none."""
        outer: list[int] = []
        around: list[int] = []
        for index, (start, _) in enumerate(self._scopes):
            while around and self._scopes[around[-1]][1] <= start:
                around.pop()
            outer.append(around[-1] if around else -1)
            around.append(index)
        return outer

    @cached_property
    def _assignments(self) -> dict[str, dict[Extent, list[Assignment]]]:
        """Those of each name in each function, by where they end."""
        found: dict[str, dict[Extent, list[Assignment]]] = {}
        for node in self._root.find_all(any=[{"kind": kind} for kind in self.grammar.assignments]):
            parts = node.named_children()
            if len(parts) < 2:
                continue
            between = self.source[extent(parts[-2])[1] : extent(parts[-1])[0]]
            item = Assignment(extent(node), node, parts[-1], between.strip() in ("+=", ".="))
            for name in {self.text(part).partition(":")[0].strip() for part in parts[:-1]}:
                found.setdefault(name, {}).setdefault(self.scope(item.place[0]), []).append(item)
        for everywhere in found.values():
            for here in everywhere.values():
                here.sort(key=lambda item: item.place[1])
        return found


def extent(node: SgNode) -> Extent:
    """Return where a node starts and ends."""
    span = node.range()
    return span.start.index, span.end.index


def _block(node: SgNode) -> Extent:
    parent = node.parent()
    while parent is not None and parent.kind() not in BLOCKS:
        parent = parent.parent()
    return extent(parent) if parent is not None else (0, 0)
