"""Colours for a terminal, or none."""

from __future__ import annotations

from selfreview.model.issue import Severity

_SGR = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}

SEVERITY_STYLE = {
    Severity.CRITICAL: ("bold", "magenta"),
    Severity.HIGH: ("bold", "red"),
    Severity.MEDIUM: ("bold", "yellow"),
    Severity.LOW: ("cyan",),
    Severity.SUGGESTION: ("dim",),
}


class Paint:
    """Wrap text in ANSI codes when colours are wanted.

    Args:
        color: Whether they are; without, text is returned as it is.
    """

    def __init__(self, color: bool) -> None:
        self._color = color

    def __call__(self, text: str, *styles: str) -> str:
        """Return text in the named styles (``bold``, ``red``, …)."""
        if not self._color or not text or not styles:
            return text
        return f"\x1b[{';'.join(_SGR[style] for style in styles)}m{text}\x1b[0m"

    def severity(self, severity: Severity, width: int = 0) -> str:
        """Return the severity's word in its colour, padded to ``width`` columns."""
        return self(severity.value, *SEVERITY_STYLE[severity]) + " " * (width - len(severity.value))
