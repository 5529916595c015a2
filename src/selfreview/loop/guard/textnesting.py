"""Nesting of tests in a text: blocks around a place, and string literals."""

from __future__ import annotations

import re
from collections.abc import Sequence

from selfreview.loop.guard.textblocks import Block

_LONG = {
    "rust": r"\bb?r(?P<n>#*)\"[^\"]*(?:\"(?!(?P=n))[^\"]*)*\"(?P=n)|\"(?:[^\"\\]|\\.)*\"",
    "ruby": r"<<[~-](?P<q>['\"]?)(?P<n>\w+)(?P=q)(?P<rest>[^\n]*\n)(?:(?![ \t]*(?P=n)\b)[^\n]*\n)*"
    r"|^=begin\b(?:(?!\n=end\b)[^\0])*"
    r"|\n__END__\n[^\0]*",
    "php": r"<<<[ \t]*(?P<q>['\"]?)(?P<n>\w+)(?P=q)\n(?:(?![ \t]*(?P=n)\b)[^\n]*\n)*|\b__halt_compiler\b[^\0]*",
}
_TRIPLE = r"\"\"\"(?:[^\"]|\"(?!\"\"))*\"\"\""
_PLAIN = r"`(?:[^`\\]|\\.)*`|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,10}?)'"
"""In Rust, one quote alone begins the name of a lifetime."""
_GROUPS = re.compile(
    r"(?:export |default |await |return |async )*(?:[\w$]+\.)*(?:describe|context|suite|test|it|specify|group|feature"
    r"|scenario|module|xdescribe|fdescribe|xcontext|fcontext|xit|fit|shared_examples\w*|shared_context|include_context|RSpec)\b(?!\s*=)"
    r"|(?:[@\[#].*?)?\b(?:class|interface|object|namespace|struct|enum|record|extension|trait|impl|mod|module|actor)\b"
)
_ON_GROUPS = re.compile(r"\babstract\b|\bprivate\b|#!?\[\s*cfg(?:_attr)?\s*\([^\]]*\]")
_PLAIN_CFG = re.compile(r"#\[\s*cfg\s*\(\s*test\s*\)\s*\]")
_FILE_CFG = re.compile(r"#!\[\s*cfg\s*\([^\]]*\]")
_SPACES = re.compile(r"\s+")


def without_strings(text: str, language: str | None) -> str:
    """Return a text without comments in which string literals are blanked; the remaining code keeps its place."""
    plain = _CHARACTER if language == "rust" else _PLAIN
    parts = [part for part in (_LONG.get(language or ""), _TRIPLE, plain) if part is not None]
    return re.sub("|".join(parts), _blank, text, flags=re.MULTILINE)


def without_long_strings(text: str, language: str | None) -> str:
    """Return a text in which string literals of several lines are blanked."""
    blank = without_strings(text, language)
    lines = zip(text.split("\n"), blank.split("\n"), strict=True)
    return "\n".join(was if now.strip() else now for was, now in lines)


def obstacles(text: str, blocks: Sequence[Block], at: int, declared: str) -> tuple[str, ...]:
    """Return what may keep a test from being collected: conditions and functions around it, and marks on its groups.

    Args:
        text: The text without comments and strings.
        blocks: Its blocks.
        at: Where the test begins.
        declared: How it is declared.
    """
    found = [*_FILE_CFG.findall(text), *_marks(declared)]
    for block in blocks:
        if block.start <= at < block.end and block.head:
            found += _marks(block.head) if _GROUPS.match(block.head) else [block.head]
    return tuple(_SPACES.sub(" ", item) for item in found)


def _marks(text: str) -> list[str]:
    return [mark for mark in _ON_GROUPS.findall(text) if not _PLAIN_CFG.fullmatch(mark)]


def _blank(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == text[-1]:  # both quotes stay
        return text[0] + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1]
    return re.sub(r"[^\n]", " ", text)
