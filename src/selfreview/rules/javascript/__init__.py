"""Rules for JavaScript and TypeScript, with the shapes that several of them look for."""

from __future__ import annotations

from typing import Any

from selfreview.rules.rule import node
from selfreview.syntax.languages import SCRIPTS

LANGUAGES = SCRIPTS

BUILT_TEXT: dict[str, Any] = {
    "any": [
        {"kind": "template_string", "has": {"kind": "template_substitution"}},
        node(
            "binary_expression",
            {"has": {"any": [{"kind": "string"}, {"kind": "template_string"}], "stopBy": "end"}},
            {
                "has": {
                    "any": [{"kind": "identifier"}, {"kind": "member_expression"}, {"kind": "call_expression"}],
                    "stopBy": "end",
                }
            },
            operator=r"^\+$",
        ),
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
