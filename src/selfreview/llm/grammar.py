"""Node kinds of definitions and names in the grammars that ast-grep embeds."""

from __future__ import annotations

from typing import Literal, NamedTuple

from selfreview.syntax.languages import language_of as language_with_rules

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
