"""Hide secrets in text that is shown, sent or stored."""

from __future__ import annotations

from collections.abc import Iterable

from selfreview.scan.secrets import SecretMatch, scan

MASK = "••••••••"
"""What stands for a value; its length says nothing about the value's."""


def mask(text: str, matches: Iterable[SecretMatch]) -> str:
    """Replace the values of matches in the text that they were found in; line breaks inside a value are kept."""
    for match in sorted(matches, key=lambda m: -m.start):
        hidden = "\n".join(MASK for _ in text[match.start : match.end].split("\n"))
        text = text[: match.start] + hidden + text[match.end :]
    return text


def mask_secrets(text: str) -> str:
    """Scan a text and hide every secret in it.

    Raises:
        ToolError: If the scanning library is missing or fails.
    """
    return mask(text, scan(text))
