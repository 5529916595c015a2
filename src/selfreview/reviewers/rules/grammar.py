"""Node kinds of calls, assignments and strings in the grammars that data flow is followed in."""

from __future__ import annotations

from typing import NamedTuple


class Grammar(NamedTuple):
    """Node kinds of one language.

    Attributes:
        calls: Calls and object creations; what is called is the text before their arguments.
        assignments: Assignments and declarations with a value: the target first, the value last.
        functions: What opens a scope of variables.
        returns: Return statements and other statements that are known by their first word (``echo``).
        strings: String literals, interpolated or not.
        concatenations: Binary expressions that may put strings together.
        formats: Names of functions and methods that fill a template: ``format``, ``sprintf``, …
        condition: Position of the condition among the parts of a conditional expression.
    """

    calls: tuple[str, ...]
    assignments: tuple[str, ...]
    functions: tuple[str, ...]
    returns: tuple[str, ...]
    strings: tuple[str, ...]
    concatenations: tuple[str, ...]
    formats: tuple[str, ...] = ()
    condition: int = 0


_SCRIPT = Grammar(
    calls=("call_expression", "new_expression"),
    assignments=("variable_declarator", "assignment_expression", "augmented_assignment_expression"),
    functions=(
        "function_declaration",
        "function_expression",
        "arrow_function",
        "method_definition",
        "generator_function_declaration",
    ),
    returns=("return_statement",),
    strings=("string", "template_string"),
    concatenations=("binary_expression",),
    formats=("format",),
)

GRAMMARS = {
    "python": Grammar(
        calls=("call",),
        assignments=("assignment", "augmented_assignment", "named_expression"),
        functions=("function_definition", "lambda"),
        returns=("return_statement",),
        strings=("string",),
        concatenations=("binary_operator",),
        formats=("format",),
        condition=1,
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "java": Grammar(
        calls=("method_invocation", "object_creation_expression"),
        assignments=("variable_declarator", "assignment_expression"),
        functions=("method_declaration", "constructor_declaration", "lambda_expression"),
        returns=("return_statement",),
        strings=("string_literal",),
        concatenations=("binary_expression",),
        formats=("format", "formatted"),
    ),
    "go": Grammar(
        calls=("call_expression",),
        assignments=("short_var_declaration", "assignment_statement", "var_spec"),
        functions=("function_declaration", "method_declaration", "func_literal"),
        returns=("return_statement",),
        strings=("interpreted_string_literal", "raw_string_literal"),
        concatenations=("binary_expression",),
        formats=("Sprintf",),
    ),
    "ruby": Grammar(
        calls=("call",),
        assignments=("assignment", "operator_assignment"),
        functions=("method", "singleton_method"),
        returns=("return",),
        strings=("string", "heredoc_body"),
        concatenations=("binary",),
        formats=("format", "sprintf"),
    ),
    "php": Grammar(
        calls=(
            "function_call_expression",
            "member_call_expression",
            "nullsafe_member_call_expression",
            "scoped_call_expression",
            "object_creation_expression",
        ),
        assignments=("assignment_expression", "augmented_assignment_expression"),
        functions=("function_definition", "method_declaration", "anonymous_function"),
        returns=(
            "return_statement",
            "echo_statement",
            "print_intrinsic",
            "include_expression",
            "include_once_expression",
            "require_expression",
            "require_once_expression",
        ),
        strings=("string", "encapsed_string", "heredoc"),
        concatenations=("binary_expression",),
        formats=("sprintf",),
    ),
    "csharp": Grammar(
        calls=("invocation_expression", "object_creation_expression"),
        assignments=("variable_declarator", "assignment_expression"),
        functions=("method_declaration", "constructor_declaration", "local_function_statement", "lambda_expression"),
        returns=("return_statement",),
        strings=(
            "string_literal",
            "verbatim_string_literal",
            "raw_string_literal",
            "interpolated_string_expression",
        ),
        concatenations=("binary_expression",),
        formats=("Format",),
    ),
    "kotlin": Grammar(
        calls=("call_expression",),
        assignments=("property_declaration", "assignment"),
        functions=("function_declaration", "anonymous_function"),
        returns=("jump_expression",),
        strings=("string_literal",),
        concatenations=("additive_expression",),
        formats=("format",),
    ),
}
"""Grammar by ast-grep's language name."""

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
