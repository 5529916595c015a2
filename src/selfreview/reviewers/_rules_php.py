"""The PHP in a page, for a parser that knows no markup."""

from __future__ import annotations

import re
from collections.abc import Iterable

from selfreview.rules.rule import Rule

_OPENING = re.compile(r"<\?(?:php\b|=|(?=\s))", re.IGNORECASE)
_CODE = re.compile(
    r"'(?:\\.|[^'\\])*+'?|/\*.*?(?:\*/|\Z)|(?://|#(?!\[))[^\n]*?(?=\?>|\n|\Z)|\?>|[\"`{}]"
    r"|<<<[ \t]*(?P<quote>['\"]?)(?P<label>[^\W\d]\w*)(?P=quote)(?=[\r\n])",
    re.DOTALL,
)
_FIELD = r"\{(?=\$)|\$\{"
_QUOTED = {quote: re.compile(rf"\\.|{_FIELD}|{quote}", re.DOTALL) for quote in '"`'}
_ROOM = re.compile(r" (?!\w)")
"""Blank behind ``<?=`` that can hold the last letter of ``echo``: no word may follow, which would grow by it."""
_CALLED = re.compile(r"(?<![\w$>:])[A-Za-z_]\w*(?=\s*\(|\s+[$\"'])")
_SMALL = re.compile(r"[a-z_][a-z0-9_]+")
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
        elif opening[0] == "<?=" and _ROOM.match(text, start):
            tag, start = "echo", start + 1
        closing, code_end = _end(text, start)
        position = min(closing + 2, len(text))
        parts += [before, tag, text[start:code_end], " " * (closing - code_end), "; "[: position - closing]]
    return "".join([*parts, _VISIBLE.sub(" ", text[position:])]) if parts else text


def is_made_php(old: str, new: str) -> bool:
    """Return whether a change turns a page that was all markup into code."""
    return _OPENING.search(old) is None and _OPENING.search(new) is not None


def named_plainly(text: str, rules: Iterable[Rule]) -> str:
    """Return code with the names of functions that rules know in lower case: PHP accepts them in any case."""
    if not any(not name[0].islower() for name in _CALLED.finditer(text)):
        return text
    known = {word for rule in rules for word in _SMALL.findall(repr((rule.needs, rule.match, rule.flow)))}
    return _CALLED.sub(lambda name: small if (small := name[0].lower()) in known else name[0], text)


def _end(text: str, start: int) -> tuple[int, int]:
    """Return where the closing tag is that is not within a string or a comment, or the end of the text.

    With it comes where the code before it ends: a comment on its line ends with the tag, and would go on without it.
    """
    last = None
    opened = [_CODE]  # how to read on here, and behind each text and each field of one that stands open
    position = start
    while (token := opened[-1].search(text, position)) is not None:
        position = token.end()
        if opened[-1] is not _CODE:
            if token[0] in ("{", "${"):
                opened.append(_CODE)
            elif not token[0].startswith("\\"):
                opened.pop()
        elif token["label"]:
            opened.append(_heredoc(token))
        elif token[0] in _QUOTED:
            opened.append(_QUOTED[token[0]])
        elif token[0] == "?>" and len(opened) == 1:
            comment = last is not None and last.end() == token.start() and last[0].startswith(("//", "#"))
            return token.start(), last.start() if last is not None and comment else token.start()
        elif token[0] == "{" and len(opened) > 1:
            opened.append(_CODE)
        elif token[0] == "}" and len(opened) > 1:
            opened.pop()
        last = token
    return len(text), len(text)


def _heredoc(opening: re.Match[str]) -> re.Pattern[str]:
    """Return what means something in a text whose lines end with a label."""
    end = rf"[\r\n][ \t]*{opening['label']}(?!\w)"
    return re.compile(end if opening["quote"] == "'" else rf"\\[^\r\n]|{_FIELD}|{end}")
