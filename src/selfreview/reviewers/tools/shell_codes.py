"""ShellCheck's codes, which Hadolint reports as well: how bad each is."""

from __future__ import annotations

from selfreview.api import Category, Severity

_PARSE_CONTEXT = frozenset({"SC1009", "SC1073"})
"""Codes for the context of a syntax error, reported beside the error itself."""

_HIGH = frozenset({"SC2114", "SC2115"})
"""Codes for deletions of what nobody meant to delete."""

_MEDIUM = frozenset(
    {
        # Tests and comparisons that never change, or compare something else.
        "SC2050", "SC2055", "SC2056", "SC2057", "SC2076", "SC2157", "SC2158", "SC2159", "SC2160", "SC2161",
        "SC2170", "SC2193", "SC2194", "SC2195", "SC2252", "SC2319", "SC2320",
        # Redirections, pipes and assignments that do not do what they look like.
        "SC2069", "SC2088", "SC2091", "SC2147", "SC2210", "SC2215", "SC2232", "SC2259", "SC2260", "SC2261", "SC2270",
        "SC2283", "SC2285", "SC2290", "SC2291",
        # A name that holds something else than is read: an overridden PATH, an array's first, a function not yet there.
        "SC2123", "SC2128", "SC2218",
    }
)  # fmt: skip
"""Warnings that are really bugs; ``error`` is one anyway."""

_QUIET = frozenset({"SC2148", "SC2187"})
"""Codes of errors that only report an unknown shell."""

_LEVELS = {"error": Severity.MEDIUM, "warning": Severity.LOW, "info": Severity.LOW, "style": Severity.SUGGESTION}


def grade_code(code: str, level: str | None) -> tuple[Severity, Category]:
    """Return the severity and category of a code at ShellCheck's own level."""
    severity = _LEVELS.get(level or "", Severity.LOW)
    if code in _QUIET:
        severity = Severity.SUGGESTION
    elif code in _HIGH or (code.startswith("SC10") and level == "error" and code not in _PARSE_CONTEXT):
        severity = Severity.HIGH
    elif code in _PARSE_CONTEXT:
        severity = Severity.LOW
    elif code in _MEDIUM:
        severity = Severity.MEDIUM
    return severity, Category.STYLE if level == "style" else Category.LOGIC
