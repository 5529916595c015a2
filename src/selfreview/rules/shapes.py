"""Patterns that rules of several languages share; for holes in patterns of values see :mod:`selfreview.rules.rule`."""

from __future__ import annotations

from typing import Any

_STATEMENT = (
    r"\b(?:select\b(?=.*\bfrom\b)|update\b(?=.*\bset\b)|insert\s+(?:or\s+\w+\s+|ignore\s+)?into|replace\s+into"
    r"|delete\s+from|where|having|call|exec(?:ute)?)\b"
)
_BEFORE_VALUE = r"(?:=|<|>|\blike|\bin\s*\(|\bbetween|\blimit|\boffset|\band|\bagainst\s*\()\s*['\"%(]*"

# anchored, so that the search for a statement and that for a value do not multiply
SQL = rf"(?is)\A(?=.*?{_STATEMENT}).*?(?:{_BEFORE_VALUE}\0|['\"%]\0|\bvalues\s*\(\s*(?:[^)]*,\s*)?\0\s*,)"
"""A statement with a hole where a value stands, as opposed to the name of a table or column."""

SQL_NUMBER = rf"(?is)\A(?=.*?{_STATEMENT}).*?(?:{_BEFORE_VALUE}\x02|['\"%]\x02|\bvalues\s*\([^)]*\x02)"
"""The same with a part that is formatted as a number."""

SQL_HINT = r"(?i)['\"`]\s*(?:select|insert|update|delete|replace|where|having|call|exec|execute|and)\s"
"""A text that starts as a statement or as a part of one."""

SQL_SAFE = r"^[A-Z][A-Z0-9_]*$|(?i:quote|escape|placeholder)|^\s*\d+\s*$"
"""An expression that is a constant by its name, or made harmless."""

COMMAND = r"(?s)^\s*(?!(?:select|insert|update|delete|create|alter|drop|with|pragma|begin)\b)[a-z./~$][\w./-]*"
"""The first word of a command line."""

BUILT = r"[^\0]\0|\0[^\0]"
"""A text of constant and other parts."""

HTML = r"(?s)<\w[^>]*>?.*\0|\0.*</\w"
"""Markup with a part that is not constant."""


def node(kind: str, *rules: dict[str, Any], **fields: str) -> dict[str, Any]:
    """Return the rule for a node.

    Args:
        kind: Its kind in the grammar.
        rules: What it must match besides.
        fields: Regular expressions for the texts of its fields: ``function="^eval$"``.
    """
    return {"kind": kind, "all": [*({"has": {"field": name, "regex": fields[name]}} for name in fields), *rules]}


def call(function: str, *arguments: dict[str, Any], kind: str = "call_expression") -> dict[str, Any]:
    """Return the rule for a call.

    Args:
        function: Regular expression for what is called, such as ``^(fs\\.)?readFile$``.
        arguments: What the first, second, … argument must be; ``{}`` for anything.
        kind: Kind of the node in the grammar; those of object creations have another field for what is called.
    """
    field = "constructor" if kind == "new_expression" else "function"
    wanted = [
        {"has": {"field": "arguments", "has": {"nthChild": position, **argument}}}
        for position, argument in enumerate(arguments, 1)
        if argument
    ]
    return node(kind, *wanted, **{field: function})


def repeated(*patterns: str) -> dict[str, Any]:
    """Return the rule for patterns that name a meta variable twice.

    ast-grep compares both places by recursion, which ends the process on code that is nested ten thousand deep: such
    patterns are tried on short code only.
    """
    return {"all": [{"regex": r"^[\t\n\r -~]{3,200}$"}, {"any": [{"pattern": pattern} for pattern in patterns]}]}


def in_condition() -> dict[str, Any]:
    """Return the pattern for the whole condition of an ``if`` in brackets, around an expression."""
    return {"regex": r"^\(", "inside": {"kind": "if_statement", "field": "condition"}}  # its kind has several names


def chosen(field: str) -> dict[str, Any]:
    """Return what matches where a value is one of a list that is named after what it holds, as ``tokens`` of a text.

    Such a one was made elsewhere; what is added to it, or joined, is made here.

    Args:
        field: The field that the value is in.
    """
    many = r"[@$\w.\[\"'>-]*(token|secret|password|passwd|otp|nonce|csrf|salt|api_?key|session_?id)s\b"
    drawn = (
        rf"random\.(choices?|sample)\(\s*((list|sorted|tuple)\(\s*)?{many}|{many}(\[|\.get\(|\.sample\b|\.shuffle\b)"
    )
    return {"has": {"field": field, "regex": rf"(?i)^({drawn})[^+%]*$"}}
