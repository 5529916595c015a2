"""The PHP in a page, for a parser that knows no markup."""

from __future__ import annotations

import re

_OPENING = re.compile(r"<\?(?:php\b|=|(?=\s))")
_CLOSING = re.compile(
    r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|/\*.*?\*/|(?://|#(?!\[))[^\n]*?(?=\?>|\n|\Z)|\?>", re.DOTALL
)
_VISIBLE = re.compile(r"[^\n]")


def php_only(text: str) -> str:
    """Return a page with everything but its PHP made blank, of the same length and lines.

    ``<?=`` becomes ``echo``, where the markup before it or a space after it lends the columns. A text without any
    opening tag is taken to be all PHP.
    """
    parts: list[str] = []
    position = 0
    while (opening := _OPENING.search(text, position)) is not None:
        before, start = _VISIBLE.sub(" ", text[position : opening.start()]), opening.end()
        tag = " " * len(opening[0])
        if opening[0] == "<?=" and before.endswith("  "):
            before, tag = before[:-2], "echo "
        elif opening[0] == "<?=" and text[start : start + 1] == " ":
            tag, start = "echo", start + 1
        closing = _end(text, start)
        position = min(closing + 2, len(text))
        parts += [before, tag, text[start:closing], "; "[: position - closing]]
    return "".join([*parts, _VISIBLE.sub(" ", text[position:])]) if parts else text


def _end(text: str, start: int) -> int:
    """Return where the closing tag stands that is not within a string or a comment, or the end of the text."""
    return next((token.start() for token in _CLOSING.finditer(text, start) if token[0] == "?>"), len(text))
