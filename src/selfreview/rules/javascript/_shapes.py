"""Shapes that several JavaScript rules look for."""

from __future__ import annotations

from typing import Any

JS = ("javascript", "typescript", "tsx")
"""The languages that share these rules."""

BUILT: dict[str, Any] = {
    "any": [
        {"kind": "template_string", "has": {"kind": "template_substitution"}},
        {
            "kind": "binary_expression",
            "all": [
                {"has": {"field": "operator", "regex": r"^\+$"}},
                {"has": {"any": [{"kind": "string"}, {"kind": "template_string"}], "stopBy": "end"}},
                {
                    "has": {
                        "any": [{"kind": "identifier"}, {"kind": "member_expression"}, {"kind": "call_expression"}],
                        "stopBy": "end",
                    }
                },
            ],
        },
    ]
}
"""A string put together from constant and other parts."""

CONSTANT: dict[str, Any] = {
    "any": [
        {"kind": "string"},
        {"kind": "number"},
        {"kind": "template_string", "not": {"has": {"kind": "template_substitution"}}},
    ]
}
"""A literal."""


def call(function: str, *arguments: dict[str, Any], kind: str = "call_expression") -> dict[str, Any]:
    """Return the rule for a call.

    Args:
        function: Regular expression for what is called, such as ``^(fs\\.)?readFile$``.
        arguments: What the first, second, … argument must be; ``{}`` for anything.
        kind: ``call_expression`` or ``new_expression``.
    """
    field = "constructor" if kind == "new_expression" else "function"
    wanted = [
        {"has": {"field": "arguments", "has": {"nthChild": position, **argument}}}
        for position, argument in enumerate(arguments, 1)
        if argument
    ]
    return {"kind": kind, "all": [{"has": {"field": field, "regex": function}}, *wanted]}
