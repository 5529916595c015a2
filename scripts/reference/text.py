"""Texts of the code as Markdown."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"(`[^`]+`)")
_ROLE = re.compile(r":\w+:`~?([^`]+)`")


def paragraphs(docstring: str) -> list[str]:
    """Return a docstring's paragraphs, each as one line of Markdown, without its sections (``Args:`` and so on)."""
    text = re.split(r"^(?:Args|Attributes|Raises|Returns):$", inspect.cleandoc(docstring), flags=re.MULTILINE)[0]
    return [prose(" ".join(part.split())) for part in re.split(r"\n\s*\n", text.strip())]


def attributes(docstring: str) -> dict[str, str]:
    """Return what the ``Attributes:`` of a docstring say, by name; a line can be about several."""
    section = inspect.cleandoc(docstring).partition("Attributes:\n")[2]
    found: dict[str, str] = {}
    for names, text in re.findall(r"^    (\w+(?:, \w+)*): (.*(?:\n {6,}.*)*)", section, re.MULTILINE):
        for name in names.split(", "):
            found[name] = prose(" ".join(text.split()))
    return found


def prose(text: str) -> str:
    """Return a text of the code as Markdown in which only code is marked up, by single backticks."""
    text = _ROLE.sub(r"`\1`", text).replace("``", "`")
    return "".join(part if part[:1] == "`" and len(part) > 1 else _plain(part) for part in _CODE.split(text))


def _plain(text: str) -> str:
    return re.sub(r"([*_\[\]`])", r"\\\1", html.escape(text, quote=False))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
