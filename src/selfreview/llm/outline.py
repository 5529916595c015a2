"""Outline of a file: the functions, types and constants that it defines, in every language that ast-grep embeds."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from selfreview.llm.grammar import GRAMMARS, Kind, language_of
from selfreview.syntax import parsing

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MAX_CHARS = 1_000_000
_MAX_SIGNATURE = 400
_MAX_SIGNATURE_LINES = 30
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "function_definition"})
_ELIXIR = re.compile(r"(def\w*)\s*\(?\s*([A-Z][\w.]*|[a-z_]\w*[?!]?)")
_SURROGATES = re.compile("[\ud800-\udfff]")


class Definition(NamedTuple):
    """Definition of a function, type or constant.

    Attributes:
        name: Its plain name, without what it belongs to.
        kind: ``function``, ``class`` (any type or module) or ``value``.
        line_start, line_end: Its lines, counted from 1, with decorators.
        signature: What stands before its body, on one line.
    """

    name: str
    kind: Kind
    line_start: int
    line_end: int
    signature: str

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.line_start <= line <= self.line_end


def outline(path: str, text: str) -> tuple[Definition, ...]:
    """Return what a file defines, outer before inner, in order of lines.

    Broken code gives what can be made out. Nothing for a language that is not known, or more than a million characters.
    """
    language = language_of(path)
    return () if language is None or len(text) > _MAX_CHARS else _outline(language, text)


def enclosing(definitions: Sequence[Definition], line: int) -> list[Definition]:
    """Return the functions and types around a line, outermost first."""
    return [item for item in definitions if item.kind != "value" and line in item]


def parse(language: str, text: str) -> SgNode:
    """Return the root of a parsed text; ``language`` must be one of ``GRAMMARS``."""
    return parsing.parse(_SURROGATES.sub("?", text), language)


@functools.lru_cache(maxsize=256)
def _outline(language: str, text: str) -> tuple[Definition, ...]:
    kinds = GRAMMARS[language].kinds()
    lines = text.split("\n")
    found: dict[tuple[int, int, str], Definition] = {}
    for node in parse(language, text).find_all(any=[{"kind": kind} for kind in kinds]):
        for item in _definitions(node, kinds[node.kind()], language, lines):
            found.setdefault((item.line_start, -item.line_end, item.name), item)
    ordered = [found[key] for key in sorted(found)]
    return tuple(_without_locals(ordered))


def _without_locals(items: Sequence[Definition]) -> Iterator[Definition]:
    """Leave out the variables of functions, and C's declarations in them, which look like prototypes."""
    last = 0
    for item in items:
        if item.line_start <= last and (item.kind == "value" or item.signature.endswith(";")):
            continue
        if item.kind == "function":
            last = max(last, item.line_end)
        yield item


def _definitions(node: SgNode, kind: Kind, language: str, lines: Sequence[str]) -> Iterator[Definition]:
    if language == "elixir":
        if match := _ELIXIR.match(node.text()[:200]):
            body = node.children()[-1] if node.children()[-1].kind() == "do_block" else None
            yield _definition(match[2], "class" if match[1] in _ELIXIR_MODULES else "function", node, body, lines)
        return
    value = node.field("value")
    if kind == "value" and value is not None and value.kind() in _FUNCTION_VALUES:
        kind = "function"
    elif kind == "value":
        value = None
        if language in ("javascript", "typescript", "tsx") and node.kind() in ("assignment_expression", "pair"):
            right = node.field("right")
            if right is None or right.kind() not in _FUNCTION_VALUES:
                return
            kind, value = "function", right
    name = _name(node)
    if name is None or (kind == "value" and not name.isidentifier()):
        return
    yield _definition(name, kind, node, _body(value if value is not None else node), lines)


_MENTIONS = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"})
"""Types of C that are named wherever they are used; only one with a body is a definition."""
_ELIXIR_MODULES = ("defmodule", "defprotocol", "defimpl", "defstruct")


def _name(node: SgNode) -> str | None:
    """Return the plain name that a node defines."""
    kind = node.kind()
    if kind in _MENTIONS and node.field("body") is None:
        return None
    for field in ("name", "key", "type" if kind == "impl_item" else "left"):
        named = node.field(field)
        if named is not None:
            return _last_part(named.text())
    declarator = node.field("declarator")
    if declarator is not None:
        return _declared(declarator, must_call=kind in ("declaration", "field_declaration"))
    for child in node.children():
        if child.kind() in ("simple_identifier", "type_identifier", "property_identifier"):
            return child.text()
        if child.kind() in ("variable_declaration", "method_signature", "function_signature", "variable_list"):
            return _name(child)
        if child.kind() == "const_element":
            return _name(child)
    if kind == "const_element":
        return node.children()[0].text()
    return None


def _declared(node: SgNode, *, must_call: bool) -> str | None:
    """Return the name inside of C's declarators; with ``must_call`` only that of a function."""
    is_function = False
    while True:
        is_function = is_function or node.kind() == "function_declarator"
        inner = node.field("declarator")
        if inner is None and node.kind() in ("reference_declarator", "parenthesized_declarator"):
            inner = next((child for child in node.children() if child.is_named()), None)
        if inner is None:
            break
        node = inner
    if must_call and not is_function:
        return None
    return _last_part(node.text())


def _last_part(text: str) -> str:
    """Return ``m`` of ``ns::A<T>::m``, ``a.b.m``, ``M:m`` and ``*m``."""
    if text.startswith("operator") or "operator" in text.rpartition("::")[2]:
        return text.rpartition("::")[2]
    return re.split(r"[.:\\]", re.sub(r"<.*", "", text, flags=re.DOTALL))[-1].strip(" *&$'\"`") or text


def _body(node: SgNode) -> SgNode | None:
    body = node.field("body")
    if body is not None:
        return body
    return next((child for child in node.children() if child.kind().endswith(("_body", "do_block", "match"))), None)


def _definition(name: str, kind: Kind, node: SgNode, body: SgNode | None, lines: Sequence[str]) -> Definition:
    span = node.range()
    outer = node.parent()
    first = span.start.line
    if outer is not None and outer.kind() in ("decorated_definition", "template_declaration", "export_statement"):
        first = outer.range().start.line
    last = span.end.line
    if span.end.column == 0 and last > span.start.line:  # a macro ends with its line feed
        last -= 1
    end = span.end if body is None else body.range().start
    if (kind == "value" and end.line > span.start.line) or end.line - span.start.line > _MAX_SIGNATURE_LINES:
        signature = lines[span.start.line]
    else:
        signature = " ".join([*lines[span.start.line : end.line], lines[end.line][: end.column]])
    signature = " ".join(signature.split())
    if len(signature) > _MAX_SIGNATURE:
        signature = signature[:_MAX_SIGNATURE] + "…"
    return Definition(name, kind, first + 1, last + 1, signature)
