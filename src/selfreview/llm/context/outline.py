"""Outline of a file: its functions, types and constants, and the grammars that ast-grep embeds for them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from selfreview.syntax import parsing
from selfreview.syntax.languages import language_of as language_with_rules

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


Kind = Literal["function", "class", "value"]


class Grammar(NamedTuple):
    """Node kinds of one language.

    Attributes:
        functions: Functions, methods and what is called like them.
        classes: Types, modules and what else holds definitions.
        values: Constants and variables; only those outside of functions are definitions. Those with a function as
            their value are functions.
        names: Names as they are used in code, not in strings or comments.
        family: Languages that can call one another; by default its own.
    """

    functions: tuple[str, ...]
    classes: tuple[str, ...]
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ("identifier",)
    family: str = ""

    def kinds(self) -> dict[str, Kind]:
        """Return what each kind of node defines."""
        found: dict[str, Kind] = dict.fromkeys(self.functions, "function")
        found.update(dict.fromkeys(self.classes, "class"))
        found.update(dict.fromkeys(self.values, "value"))
        return found


_JAVASCRIPT = Grammar(
    functions=("function_declaration", "generator_function_declaration", "method_definition"),
    classes=("class_declaration",),
    values=("variable_declarator", "assignment_expression", "field_definition", "pair"),
    names=("identifier", "property_identifier", "shorthand_property_identifier"),
    family="script",
)
_TYPESCRIPT = Grammar(
    functions=(*_JAVASCRIPT.functions, "function_signature", "method_signature", "abstract_method_signature"),
    classes=(
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "internal_module",
    ),
    values=("variable_declarator", "assignment_expression", "public_field_definition", "pair"),
    names=(*_JAVASCRIPT.names, "type_identifier"),
    family="script",
)
_C = Grammar(
    functions=("function_definition", "declaration", "field_declaration", "preproc_function_def"),
    classes=("struct_specifier", "union_specifier", "enum_specifier", "type_definition"),
    values=("preproc_def",),
    names=("identifier", "field_identifier", "type_identifier"),
    family="c",
)

GRAMMARS = {
    "python": Grammar(("function_definition",), ("class_definition",), ("assignment",)),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "go": Grammar(
        ("function_declaration", "method_declaration", "method_elem"),
        ("type_spec", "type_alias"),
        ("const_spec", "var_spec"),
        ("identifier", "field_identifier", "type_identifier"),
    ),
    "java": Grammar(
        ("method_declaration", "constructor_declaration"),
        (
            "class_declaration",
            "interface_declaration",
            "enum_declaration",
            "record_declaration",
            "annotation_type_declaration",
        ),
        ("variable_declarator",),
        ("identifier", "type_identifier"),
        "jvm",
    ),
    "kotlin": Grammar(
        ("function_declaration",),
        ("class_declaration", "object_declaration", "companion_object", "type_alias"),
        ("property_declaration",),
        ("simple_identifier", "type_identifier"),
        "jvm",
    ),
    "scala": Grammar(
        ("function_definition", "function_declaration"),
        ("class_definition", "object_definition", "trait_definition", "type_definition"),
        ("val_definition",),
        ("identifier", "type_identifier"),
        "jvm",
    ),
    "ruby": Grammar(("method", "singleton_method"), ("class", "module"), ("assignment",), ("identifier", "constant")),
    "php": Grammar(
        ("function_definition", "method_declaration"),
        ("class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"),
        ("const_element",),
        ("name",),
    ),
    "csharp": Grammar(
        ("method_declaration", "constructor_declaration", "local_function_statement", "property_declaration"),
        (
            "class_declaration",
            "interface_declaration",
            "struct_declaration",
            "record_declaration",
            "enum_declaration",
            "namespace_declaration",
        ),
        ("variable_declarator",),
    ),
    "rust": Grammar(
        ("function_item", "function_signature_item", "macro_definition"),
        ("struct_item", "enum_item", "trait_item", "impl_item", "mod_item", "type_item", "union_item"),
        ("const_item", "static_item"),
        ("identifier", "field_identifier", "type_identifier"),
    ),
    "c": _C,
    "cpp": _C._replace(classes=(*_C.classes, "class_specifier", "namespace_definition", "alias_declaration")),
    "bash": Grammar(("function_definition",), (), ("variable_assignment",), ("command_name", "variable_name")),
    "swift": Grammar(
        ("function_declaration", "init_declaration", "protocol_function_declaration"),
        ("class_declaration", "protocol_declaration", "typealias_declaration"),
        ("property_declaration",),
        ("simple_identifier", "type_identifier"),
    ),
    "lua": Grammar(("function_declaration",), (), ("assignment_statement",)),
    "elixir": Grammar(("call",), (), (), ("identifier", "alias")),
    "haskell": Grammar(
        ("function", "bind", "signature"), ("data_type", "newtype", "class"), (), ("variable", "constructor", "name")
    ),
    "solidity": Grammar(
        ("function_definition", "modifier_definition", "constructor_definition"),
        ("contract_declaration", "interface_declaration", "library_declaration", "struct_declaration"),
        ("state_variable_declaration",),
    ),
    "dart": Grammar(
        ("method_declaration", "function_declaration"),
        ("class_declaration", "mixin_declaration", "extension_declaration", "enum_declaration"),
        (),
        ("identifier", "type_identifier"),
    ),
}
"""Grammar by ast-grep's language name."""

_MORE_EXTENSIONS = {
    ".scala": "scala",
    ".sc": "scala",
    ".lua": "lua",
    ".ex": "elixir",
    ".exs": "elixir",
    ".hs": "haskell",
    ".sol": "solidity",
    ".dart": "dart",
}
"""File extensions of languages that are parsed here without having rules."""


def language_of(path: str) -> str | None:
    """Return the language of a file whose structure can be read, or None."""
    name = path.rpartition("/")[2].lower()
    stem, dot, extension = name.rpartition(".")
    return language_with_rules(path) or (_MORE_EXTENSIONS.get(dot + extension) if stem else None)


def family_of(path: str) -> str | None:
    """Return what languages that can call one another have in common, or None for an unknown one."""
    language = language_of(path)
    return None if language is None else GRAMMARS[language].family or language
