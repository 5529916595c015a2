"""The definitions around each line of a file, by their heads: two places are alike where these are the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from selfreview.model.change import LineRange
from selfreview.syntax.source import Source

if TYPE_CHECKING:
    from ast_grep_py import Pos, SgNode

_FUNCTIONS = re.compile(
    r"(?:generator_)?(?:function|method|constructor|init)_(?:declaration|definition|item)|(?:singleton_)?method"
    r"|local_function_statement"
)
_CLASSES = re.compile(
    r"(?:class|object|interface|trait|struct|enum|impl|mod|module|namespace|record|protocol)"
    r"_(?:declaration|definition|item|specifier)|abstract_class_declaration|(?:singleton_)?class|module"
    r"|companion_object|linkage_specification"
)
_CONDITIONS = re.compile(r"preproc_(?:if|ifdef|elif|elifdef|else)")
"""What decides whether definitions are compiled, and is the same for them as a class; in a function it is code."""
_NAMELESS = re.compile(
    r".*(?:lambda|closure|anonymous|arrow_function|func_literal|function_expression|do_block).*|generator_function"
)
"""Functions and blocks that have no name, unless a variable or field that they are the value of gives them one."""
_VALUES = re.compile(r"arrow_function|function_expression|generator_function")
_BODIES = re.compile(
    r"(?:.+_)?(?:block|body|declaration_list)|enum_body_declarations|(?:body_|compound_)statement|statement_list"
    r"|statements"
)
_WRAPPERS = re.compile(
    r"decorated_definition|export_statement|template_declaration|lexical_declaration|variable_declaration"
    r"|variable_declarator|(?:public_)?field_definition"
)
"""What is around a definition and belongs to its head; anything else, such as an argument, may say how it is called."""
_ABOVE = re.compile(r"decorator|attribute_(?:item|list)|(?:marker_)?annotation")
_STATEMENTS = re.compile(r"then|else|do|.+_(?:statement|declaration)")
"""Statements, and nodes that hold some besides bodies; one on a single line says itself what encloses its parts."""
_ANNOTATED = re.compile(r"/\*\*.*@[A-Z]", re.DOTALL)
"""Comments that say how a definition is called, as in PHP."""
_SECTIONS = frozenset({"private", "protected", "public", "module_function"})
"""Names that Ruby calls alone among the methods of a class, to say what those below it are."""
_OF_FILE = re.compile(r"^(?://go:build|// \+build|#!\[).*", re.MULTILINE)
"""Conditions under which a whole file of Go is compiled, and attributes of a whole file of Rust."""
_LONGEST, _DEEPEST = 2_000, 20
"""Characters of a head, and definitions within one another, beyond which nothing is known."""


class Enclosing(NamedTuple):
    """The definitions that enclose a line.

    Attributes:
        heads: Decorators, name, parameters, … of all of them without white space, outer before inner. Empty where the
            line is in no function, or in one that has no name or shares its path with another.
        lines: The outermost function; without heads, the whole statement at the top level of the file.
    """

    heads: tuple[str, ...]
    lines: LineRange


class _Scope(NamedTuple):
    """A definition: its heads, None where they are not known, and the outermost function."""

    heads: tuple[str, ...] | None
    function: LineRange | None


class _Node(NamedTuple):
    """A node whose children are looked at.

    Attributes:
        node: The node.
        scope: The innermost definition that it is in.
        plain: Whether nothing but bodies and wrappers is between them.
        start: Where the wrappers around it begin.
    """

    node: SgNode
    scope: _Scope
    plain: bool
    start: Pos | None


_TOP = _Scope((), None)


def enclosing(source: Source) -> list[Enclosing]:
    """Return what encloses each line of a file, by its number; of one that has no tree or errors, all of the file."""
    last = source.text.count("\n") + 1
    if source.root is None or source.root.find(kind="ERROR") is not None:
        return [Enclosing((), LineRange(1, last))] * (last + 1)
    scopes = [_TOP] * (last + 1)
    shared: set[int] = set()
    paths: Counter[tuple[str, ...]] = Counter()
    top = tuple("".join(line.split()) for line in _OF_FILE.findall(source.text))
    for around, scope, above, lines in _definitions(source.root, source.text):
        # Where one ends and the next begins, whichever is met first.
        shared.update(line for line in lines if scopes[line] is not around)
        first = above if scopes[above] is around else lines.first
        scopes[first : lines.last + 1] = [scope] * (lines.last + 1 - first)
        if scope.function is not None and scope.heads is not None:
            paths[scope.heads] += 1
    return [
        Enclosing((*top, *scope.heads), scope.function)
        if scope.heads and scope.function and paths[scope.heads] == 1 and number not in shared
        else Enclosing((), statement)
        for number, (scope, statement) in enumerate(zip(scopes, _statements(source.root, last), strict=True))
    ]


def _statements(root: SgNode, last: int) -> list[LineRange]:
    """Return the statement at the top level that each line belongs to, by its number."""
    found = [LineRange(number, number) for number in range(last + 1)]
    above: int | None = None
    for node in root.children():
        lines = _lines(node)
        first = found[lines.first].first if above is None else above
        if _ABOVE.fullmatch(node.kind()):
            above = first
        elif "comment" not in node.kind():
            above = None
        place = LineRange(first, lines.last)
        found[place.first : place.last + 1] = [place] * place.size
    return found


def _definitions(root: SgNode, text: str) -> Iterator[tuple[_Scope, _Scope, int, LineRange]]:
    """Yield definitions, outer before inner; of statements on a single line, which hold all that encloses it, none.

    Each is what it is in, its scope, the first line of its head with what stands above, and its lines without that.
    """
    waiting = [_Node(root, _TOP, plain=True, start=None)]
    while waiting:
        node, scope, plain, start = waiting.pop()
        above, section = None, ""
        of_statements = _BODIES.fullmatch(node.kind()) or _STATEMENTS.fullmatch(node.kind()) or node is root
        for child in node.children():
            kind, span = child.kind(), child.range()
            if _ABOVE.fullmatch(kind) or ("comment" in kind and _ANNOTATED.match(child.text())):
                above = above or span.start
                continue
            if "comment" in kind or not child.is_named():
                continue
            if kind == "identifier" and child.text() in _SECTIONS:
                section = f"{child.text()} "
            begin, above = start or above or span.start, None
            short = span.start.line == span.end.line
            nameless = _NAMELESS.fullmatch(kind) or (kind == "block" and node.kind() == "call")
            is_class = _CLASSES.fullmatch(kind) or (scope.function is None and _CONDITIONS.fullmatch(kind))
            if not nameless and (
                not (is_class or _FUNCTIONS.fullmatch(kind)) or (short and _end_of_head(child) is None)
            ):
                wraps = _WRAPPERS.fullmatch(kind) is not None
                plain_within = plain and (wraps or _BODIES.fullmatch(kind) is not None)
                whole = of_statements or _STATEMENTS.fullmatch(kind) or scope.function is None
                if not (short and whole):
                    waiting.append(_Node(child, scope, plain_within, begin if wraps else None))
                continue
            named = plain and (not nameless or (start is not None and _VALUES.fullmatch(kind)))
            head = _head(child, begin, text) if named else None
            inner = _inner(scope, None if head is None else section + head)
            above_it, lines = begin.line + 1, _lines(child)
            if not is_class and inner.function is None:
                inner = inner._replace(function=LineRange(above_it, lines.last))
            yield scope, inner, above_it, lines
            if inner.heads is not None:
                waiting.append(_Node(child, inner, plain=True, start=None))


def _inner(scope: _Scope, head: str | None) -> _Scope:
    """Return the scope of a definition in another one."""
    if head is None or scope.heads is None or len(scope.heads) == _DEEPEST:
        return scope._replace(heads=None)
    return scope._replace(heads=(*scope.heads, head))


def _head(node: SgNode, begin: Pos, text: str) -> str | None:
    """Return a definition up to its body without white space, or None where its end is not known."""
    end = _end_of_head(node)
    return None if end is None or end - begin.index >= _LONGEST else "".join(text[begin.index : end].split())


def _end_of_head(node: SgNode) -> int | None:
    parts = node.children()
    if _CONDITIONS.fullmatch(node.kind()):
        return (node.field("condition") or node.field("name") or parts[0]).range().end.index
    body = node.field("body") or next((part for part in parts if _BODIES.fullmatch(part.kind())), None)
    if body is None:
        return None
    first = body.range().start.index
    ends = [part.range().end.index for part in parts if "comment" not in part.kind()]
    return max((end for end in ends if end <= first), default=0)


def _lines(node: SgNode) -> LineRange:
    """Return the lines of a node; one that ends with a line break ends on the line before."""
    span = node.range()
    first, last = span.start.line + 1, span.end.line + 1
    return LineRange(first, max(first, last if span.end.column else last - 1))
