"""Node kinds in the grammar of each language: comments, text, definitions, calls, assignments, strings."""

from __future__ import annotations

from typing import NamedTuple


class Grammar(NamedTuple):
    """Node kinds of one language.

    Attributes:
        texts: Constant text; code in an interpolation is none.
        comments: Comments.
        definitions: Named functions and methods; none where they are not read.
        operators: Regular expression for what stands between a value and the name of its member.
        arguments: Lists of arguments, with their brackets.
        opaque: Literals in which nothing is looked at, besides ``texts``.
        calls: Calls and object creations; what is called is the text before their arguments. None where values are not
            followed.
        assignments: Assignments and declarations with a value: the target first, the value last.
        scopes: What opens a scope of variables.
        returns: Return statements and other statements that are known by their first word (``echo``).
        strings: String literals, interpolated or not.
        concatenations: Binary expressions that may put strings together.
        formats: Names of functions and methods that fill a template: ``format``, ``sprintf``, …
        condition: Position of the condition among the parts of a conditional expression.
    """

    texts: tuple[str, ...]
    comments: tuple[str, ...] = ("comment",)
    definitions: tuple[str, ...] = ()
    operators: str = ""
    arguments: tuple[str, ...] = ("argument_list",)
    opaque: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    assignments: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    returns: tuple[str, ...] = ("return_statement",)
    strings: tuple[str, ...] = ()
    concatenations: tuple[str, ...] = ("binary_expression",)
    formats: tuple[str, ...] = ()
    condition: int = 0


_TYPESCRIPT = Grammar(
    texts=("string_fragment",),
    comments=("comment", "html_comment"),
    definitions=("function_declaration", "method_definition", "variable_declarator"),
    operators=r"\?\.|\.",
    arguments=("arguments",),
    opaque=("regex_pattern",),
    calls=("call_expression", "new_expression"),
    assignments=("variable_declarator", "assignment_expression", "augmented_assignment_expression"),
    scopes=(
        "function_declaration", "function_expression", "arrow_function", "method_definition",
        "generator_function_declaration",
    ),
    strings=("string", "template_string"),
    formats=("format",),
)  # fmt: skip
_JAVASCRIPT = _TYPESCRIPT._replace(texts=("string_fragment", "jsx_text"))
_C = Grammar(texts=("string_content",), operators=r"\.|->", opaque=("system_lib_string",))

GRAMMARS = {
    "python": Grammar(
        texts=("string_content",),
        definitions=("function_definition",),
        operators=r"\.",
        calls=("call",),
        assignments=("assignment", "augmented_assignment", "named_expression"),
        scopes=("function_definition", "lambda"),
        strings=("string",),
        concatenations=("binary_operator",),
        formats=("format",),
        condition=1,
    ),
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _JAVASCRIPT,
    "go": Grammar(
        texts=("interpreted_string_literal_content", "raw_string_literal_content"),
        definitions=("function_declaration", "method_declaration"),
        operators=r"\.",
        calls=("call_expression",),
        assignments=("short_var_declaration", "assignment_statement", "var_spec"),
        scopes=("function_declaration", "method_declaration", "func_literal"),
        strings=("interpreted_string_literal", "raw_string_literal"),
        formats=("Sprintf",),
    ),
    "java": Grammar(
        texts=("string_fragment", "multiline_string_fragment"),
        comments=("line_comment", "block_comment"),
        definitions=("method_declaration",),
        operators=r"\.|::",
        calls=("method_invocation", "object_creation_expression"),
        assignments=("variable_declarator", "assignment_expression"),
        scopes=("method_declaration", "constructor_declaration", "lambda_expression"),
        strings=("string_literal",),
        formats=("format", "formatted"),
    ),
    "kotlin": Grammar(
        texts=("string_content",),
        comments=("line_comment", "multiline_comment"),
        definitions=("function_declaration",),
        operators=r"\??\.|::",
        arguments=("value_arguments",),
        calls=("call_expression",),
        assignments=("property_declaration", "assignment"),
        scopes=("function_declaration", "anonymous_function"),
        returns=("jump_expression",),
        strings=("string_literal",),
        concatenations=("additive_expression",),
        formats=("format",),
    ),
    "csharp": Grammar(
        texts=("string_content", "string_literal_content", "raw_string_content", "verbatim_string_literal"),
        definitions=("method_declaration",),
        operators=r"\??\.|::",
        opaque=("interpolated_string_expression",),
        calls=("invocation_expression", "object_creation_expression"),
        assignments=("variable_declarator", "assignment_expression"),
        scopes=("method_declaration", "constructor_declaration", "local_function_statement", "lambda_expression"),
        strings=(
            "string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression",
        ),
        formats=("Format",),
    ),
    "ruby": Grammar(
        texts=("string_content", "heredoc_content", "uninterpreted"),
        definitions=("method", "singleton_method"),
        operators=r"&?\.|::",
        calls=("call",),
        assignments=("assignment", "operator_assignment"),
        scopes=("method", "singleton_method"),
        returns=("return",),
        strings=("string", "heredoc_body"),
        concatenations=("binary",),
        formats=("format", "sprintf"),
    ),
    "php": Grammar(
        texts=("string_content", "nowdoc_string"),
        definitions=("method_declaration", "function_definition"),
        operators=r"\??->|::",
        arguments=("arguments",),
        calls=(
            "function_call_expression", "member_call_expression", "nullsafe_member_call_expression",
            "scoped_call_expression", "object_creation_expression",
        ),
        assignments=("assignment_expression", "augmented_assignment_expression"),
        scopes=("function_definition", "method_declaration", "anonymous_function"),
        returns=(
            "return_statement", "echo_statement", "print_intrinsic", "include_expression", "include_once_expression",
            "require_expression", "require_once_expression",
        ),
        strings=("string", "encapsed_string", "heredoc"),
        formats=("sprintf",),
    ),
    "c": _C,
    "cpp": _C._replace(texts=("string_content", "raw_string_content"), operators=r"\.|->|::"),
    "swift": Grammar(
        texts=("line_str_text", "multi_line_str_text", "raw_str_part", "raw_str_end_part"),
        comments=("comment", "multiline_comment"),
        operators=r"[?!]?\.",
        arguments=("value_arguments",),
        opaque=("raw_string_literal", "regex_literal"),
    ),
    "rust": Grammar(
        texts=("string_content",),
        comments=("line_comment", "block_comment"),
        definitions=("function_item",),
        operators=r"\.|::",
        arguments=("arguments", "token_tree"),
    ),
    "bash": Grammar(texts=("string_content", "raw_string", "heredoc_body")),
}  # fmt: skip
"""Grammar of each language that the rule pack knows."""

TEXT_PARTS = frozenset(
    {
        "string_content",
        "string_fragment",
        "multiline_string_fragment",
        "escape_sequence",
        "escape_interpolation",
        "interpreted_string_literal_content",
        "raw_string_literal_content",
        "string_literal_content",
        "raw_string_content",
        "string_value",
        "heredoc_content",
        "heredoc_end",
        "nowdoc_string",
    }
)
"""Parts of a string literal that are constant text."""

IGNORED_PARTS = frozenset({"string_start", "string_end", "interpolation_start", "heredoc_start", "heredoc_end"})
"""Named parts of a string literal that are only punctuation."""

BLOCKS = frozenset(
    {
        "block",
        "module",
        "program",
        "statement_block",
        "compound_statement",
        "statement_list",
        "statements",
        "body_statement",
        "then",
        "else",
        "compilation_unit",
        "source_file",
        "declaration_list",
        "switch_case",
        "switch_block_statement_group",
    }
)
"""Node kinds that hold statements one after the other."""
